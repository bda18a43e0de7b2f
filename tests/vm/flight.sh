# SPDX-License-Identifier: GPL-2.0-only OR MIT
# The flight recorder under fire from every context: rings keep the latest records,
# and every attempt is read, overwritten, in the ring, or lost.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
fire=$PARAMS/ft_fire/parameters

# column NAME: of each CPU in ft status, a line each
column() {
	"$FT" status --tsv | awk -F'\t' -v name="$1" '
		$1 == "#cpu" { for (i = 1; i <= NF; i++) if ($i == name) n = i }
		$1 == "cpu" { print $n }'
}

ft_load slots=4096 wake_us=1000
ft_load_test ft_fire
"$FT" config mode=overwrite >config
same "flight: ft config says what it set" "mode=overwrite headroom=1024" \
	"$(grep -e mode -e headroom config | xargs)"
same "flight: ft status has it, too" "overwrite 1024" "$(status mode) $(status headroom)"

"$FT" config mode=latest >out 2>&1
same "flight: an unknown mode: exit status" 2 $?
check "flight: an unknown mode: says which there are" \
	grep -q "mode must be discard or overwrite, not: 'latest'" out
same "flight: an unknown mode: changes nothing" overwrite "$(status mode)"

"$FT" enable --persist fire
echo "$(rounds 800 500 200)" >"$fire/run"
"$FT" disable fire
same "flight: every attempt is written or lost" "$(awk '{ print $2 }' "$fire/attempts")" \
	"$(paste <(column written) <(column lost) | awk '{ print $1 + $2 }')"
same "flight: what is written is overwritten or waits" "$(column written)" \
	"$(paste <(column overwritten) <(column waiting) | awk '{ print $1 + $2 }')"
same "flight: every ring was trimmed, and is not full" "" \
	"$(paste <(column overwritten) <(column waiting) <(column lost) |
		awk '!$1 || $2 == 0 || $2 > 4088' | head -1)"
"$FT" status --tsv | grep '^#*cpu	' | sed 's/^/    /'

# --- snapshots

# fails NAME TEXT COMMAND...: with status 1 and that message, and without a directory
fails() {
	"${@:3}" >out 2>&1
	same "flight: $1: exit status" 1 $?
	check "flight: $1: says so" grep -q -- "$2" out
	same "flight: $1: leaves no directory" 1 "$([[ -e s ]]; echo $?)"
}

# whole NAME TRACE: does it open, and has it what its session file says?
whole() {
	babeltrace2 "$2" -o dummy 2>errors || true
	same "flight: $1: babeltrace2 reads it" "" "$(grep -v discarded errors | head -3)"
	same "flight: $1: the session file counts its records" "$(session "$2" records)" \
		"$("$FT" dump "$2" --raw --tsv | grep -c -P '\tfire\t|\tmark\t')"
}

mkdir full
mount -t tmpfs -o size=1m none full
fails "a full disk" "the records stay in the rings" "$FT" snapshot -o full/s
umount full
waiting=$(column waiting | paste -s -d+ | bc)
mount -t tmpfs -o size=40m none full
fails "a file that may not be so large" "the records stay in the rings" \
	sh -c "ulimit -f 8; exec '$FT' snapshot -o full/s"
umount full
"$FT" snapshot -o s 2>log
same "flight: all that waited is in a snapshot, or from before its window" "$waiting" \
	$(($(session s records) + $(session s clipped)))
whole "a snapshot" s
begin=$(session s window_begin)
same "flight: nothing in it is from before its window" 0 \
	"$("$FT" dump s --raw --tsv | awk -F'\t' -v begin="$begin" '/\tfire\t/ && $1 < begin' | wc -l)"
mv s s1

# --- what happens between the marks and the end of a snapshot

# stopped DIR [FUNCTION]: ft snapshot, stopped when it marks the rings, or when the kernel
# enters that function: that waits for the signal. Without a fork meanwhile, which may wait
# for the slow CPU.
stopped() {
	local waiting=0 end=$((SECONDS + 60))

	ft_load_test ft_delay symbol="${2:-ft_flight_mark}" ms=10000 until_signal=1
	"$FT" snapshot -o "$1" 2>log &
	snapshot=$!
	until ((waiting || SECONDS > end)); do
		read -r waiting <"$PARAMS/ft_delay/parameters/waiting"
	done
	kill -STOP $snapshot
	wait_for 30 grep -q '^State:.T' /proc/$snapshot/status
	rmmod ft_delay
}

# goes_on STATUS: and ends, with that status; if it hangs it is killed
goes_on() {
	kill -CONT $snapshot
	wait_for 120 gone $snapshot || kill -KILL $snapshot	# 10 s, in an emulator more
	wait $snapshot
	status=$?
	same "flight: $1: exit status" "$2" $((status == 3 ? 0 : status))	# fire loses some
	sed 's/^/    /' log
}

mount -t tmpfs none full
"$FT" enable --persist fire
echo 200 >"$fire/run"
stopped full/s shmem_fallocate
echo 200 >"$fire/run"
"$FT" disable fire
same "flight: while room is set aside, rings are trimmed" "" "$(column waiting | awk '$1 > 4000')"
goes_on "room is set aside" 0
umount full

"$FT" enable --persist fire
echo 200 >"$fire/run"
"$FT" disable fire
waiting=$(column waiting | paste -s -d+ | bc)
mount -t tmpfs -o size=40m none full
stopped full/s
dd if=/dev/zero of=full/filler bs=4k 2>/dev/null
check "flight: the disk fills meanwhile: it is full" test "$(stat -f -c %a full)" = 0
goes_on "the disk fills meanwhile" 0
same "flight: the disk fills meanwhile: all is there" "$waiting" \
	$(($(session full/s records) + $(session full/s clipped)))
whole "the disk fills meanwhile" full/s
umount full

"$FT" enable --persist fire
echo 200 >"$fire/run"
stopped s
"$FT" disable fire
"$FT" enable --persist fire
goes_on "another trace has begun" 1
check "flight: another trace has begun: says so" grep -q "another one has begun: try again" log
same "flight: another trace has begun: leaves no directory" 1 "$([[ -e s ]]; echo $?)"
"$FT" disable fire
fails "nothing in the rings" "the rings are empty" "$FT" snapshot -o s
"$FT" snapshot -o s1 2>log
same "flight: a directory that holds something: exit status" 1 $?
check "flight: a directory that holds something: says so" grep -q 's1 is not empty' log

# What happened is in the snapshot that it is told to take, though fire goes on. The rings
# hold all of fire: on a busy machine a small one would have gone round before the signal.
"$FT" record --flight -s 256k -o f -e fire,mark -- sh -c "
	echo 300 >$fire/run & sleep 0.2; '$FT' mark 7; kill -USR1 \$PPID; wait
	for i in \$(seq 600); do
		! grep -q '^ft: snapshot (signal)' log || break
		sleep 0.1
	done
	'$FT' mark 8" 2>log
status=$?
same "flight: ft record --flight: exit status" 0 $((status == 3 ? 0 : status))
same "flight: a snapshot by a signal, and one at the end" "1 2" "$(cd f && echo *)"
whole "by a signal" f/1
whole "at the end" f/2
same "flight: why they were taken" "signal command" "$(session f/1 snapshot) $(session f/2 snapshot)"
same "flight: the mark before it is in the first" 1 \
	"$("$FT" dump f/1 --raw --tsv | grep -P '\tmark\t' | wc -l)"
same "flight: the mark at the end is in the second" 1 \
	"$("$FT" dump f/2 --raw --tsv | grep -P '\tmark\t' | wc -l)"
same "flight: the mode is as before" overwrite "$(status mode)"

# --- losses of one snapshot, and none of the next

ft_load_test ft_bench
"$FT" record --flight -s 4096 -o lossy -e bench,mark -- sh -c "
	echo 6000 >$PARAMS/ft_bench/parameters/event; kill -USR1 \$PPID
	for i in \$(seq 600); do
		! grep -q '^ft: snapshot (signal)' log || break
		sleep 0.1
	done
	'$FT' mark 8" 2>log
same "flight: a loss in the first of two: exit status" 3 $?
same "flight: a loss in the first of two: none in the second" "1 0" \
	"$(($(session lossy/1 lost) > 0)) $(session lossy/2 lost)"
rmmod ft_bench

# --- the window that all CPUs cover

# fire_on CPU COUNT
fire_on() {
	taskset -c "$1" sh -c "echo $2 >$PARAMS/ft_bench/parameters/event"
}

ft_load_test ft_bench
"$FT" enable --persist bench
fire_on 1 3
"$FT" snapshot -o w1 2>log
same "flight: an idle CPU does not shorten the window" "0 0 3" \
	"$(session w1 window_begin) $(session w1 clipped) $(session w1 records)"
"$FT" disable bench

"$FT" enable --persist bench
fire_on 1 3
for ((i = 0; i < 10; i++)); do	# no more at a time than the headroom holds
	fire_on 0 500
	sleep 0.01
done
"$FT" snapshot -o w2 2>log
same "flight: a CPU whose ring was trimmed shortens it" "1 3" \
	"$(($(session w2 window_begin) > 0)) $(session w2 clipped)"
"$FT" disable bench

# Each loss is told by one snapshot.
"$FT" enable --persist bench
fire_on 0 6000
"$FT" snapshot -o l1 2>log
same "flight: a burst of more than a ring: exit status" 3 $?
check "flight: and the snapshot counts what was lost" test "$(session l1 lost)" -ge $((6000 - 4096))
fire_on 0 10
"$FT" snapshot -o l2 2>log
same "flight: the next one does not tell it again: exit status, losses" "0 0" "$? $(session l2 lost)"
"$FT" disable bench

# While events come at a rate that ft record keeps up with, too, a snapshot loses none of them.
"$FT" config slots=65536 >/dev/null
"$FT" enable --persist bench
for cpu in 0 1; do
	while [[ ! -e enough ]]; do
		fire_on $cpu 500
		sleep 0.01
	done &
done
for n in n1 n2 n3; do
	sleep 0.3
	"$FT" snapshot -o $n 2>log
	same "flight: a snapshot while events come: exit status, losses" "0 0" "$? $(session $n lost)"
done
touch enough
wait
# jumps TRACE: in the indices of a CPU's records, of which each 500 begin anew
jumps() {
	"$FT" dump "$1" --raw --tsv | awk -F'\t' '
		BEGIN { for (i = 0; i < 500; i++) after[sprintf("0x%x", i)] = sprintf("0x%x", (i + 1) % 500) }
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ cpu = $at["cpu"]; now = $at["a"]; sub(/.*=/, "", now) }
		cpu in last && now != after[last[cpu]] { print cpu, last[cpu], now }
		{ last[cpu] = now; n++ }
		END { if (n < 500) print n " records" }'
}
for n in n1 n2 n3; do
	check "flight: a snapshot while events come: $(session $n records) records" \
		test "$(session $n records)" -ge 500
	same "flight: a snapshot while events come: without a jump" "" "$(jumps $n)"
done
"$FT" disable bench
rmmod ft_bench

"$FT" config mode=discard >/dev/null
fails "another mode" "mode=discard" "$FT" snapshot -o s
"$FT" record --flight -o g -e mark --duration 0.2 2>log
same "flight: without a record: exit status" 0 $?
same "flight: the mode is what it was" discard "$(status mode)"
rmmod ft_fire
check "flight: rmmod" ft_unload
finish
