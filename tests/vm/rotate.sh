# SPDX-License-Identifier: GPL-2.0-only OR MIT
# ft record --rotate: each part is a trace, all of them are what was recorded, and nothing
# is lost or counted twice where one ends and the next begins.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
fire=$PARAMS/ft_fire/parameters
ft_load
ft_load_test ft_fire
ft_load_test ft_example

# opens DIR: does the reference reader open it, without a word?
opens() {
	babeltrace2 "$1" >/dev/null 2>errors && [[ ! -s errors ]]
}

# Without a gap, in order, each part once: as NUMBER:PARTS.
parts_of() {
	local part n=0 first

	for part in "$1"/0*; do
		((n)) || first=$((10#${part##*/}))
		n=$((n + 1))
		((10#${part##*/} == first + n - 1)) || echo "$part follows a part that is missing"
	done
	echo "$n"
}

# last_of DIR: its last part
last_of() {
	local parts=("$1"/0*)
	echo "${parts[-1]}"
}

# session_sum DIR KEY: over the parts
session_sum() {
	cat "$1"/0*/info/session | awk -F'\t' -v key="$2" '$1 == key { n += $2 } END { print n + 0 }'
}

# Sums of the parts' books against what was attempted, and one order of time in all.
seams() {
	local name="rotate: $1" cpu attempts line bad=0 files part sum

	while read -r cpu attempts; do
		files=("$2"/0*/cpu"$cpu")
		[[ -e ${files[0]} ]] || continue
		line=$("$FT_PROGRAMS/check_fire" "${files[@]}" "$attempts" 2>&1) || bad=1
		echo "    CPU $cpu, ${#files[@]} files: $line"
	done <"$fire/attempts"
	same "$name: books of all parts together balance" 0 $bad

	bad=
	for part in "$2"/0*; do
		babeltrace2 "$part" -o dummy 2>errors || bad+=" $part: $(head -1 errors)"
		[[ -s $part/info/kallsyms && -s $part/info/tasks && -s $part/info/modules ]] ||
			bad+=" $part: without names"
	done
	same "$name: each part is a whole trace" "" "$bad"

	# Each record is in a part by its time alone: one after the other they are in order. Lines
	# of losses differ: what is lost between the last record of a part and the first of the
	# next has a line only where both are read.
	for part in "$2"/0*; do
		[[ ! -e $part/cpu0 && ! -e $part/cpu1 ]] || "$FT" dump --raw "$part"
	done 2>/dev/null | awk '/ fire / { print $1, $NF }' >one
	"$FT" dump --raw "$2" 2>/dev/null | awk '/ fire / { print $1, $NF }' >all
	check "$name: all streams are cut at one time" cmp one all
	same "$name: no record is missing" "$(session_sum "$2" records)" "$(wc -l <all)"
	sum=$("$FT" report --tsv "$2" 2>/dev/null | awk -F'\t' '$1 == "trace" && $3 == "lost" { print $4 }')
	same "$name: losses are counted once" "$(session_sum "$2" lost)" "$sum"
}

# Full speed and rings that lose, with seams in the middle of it.
"$FT" record --rotate 1s --slots 2048 -o time -e fire -- \
	sh -c "sleep 0.6; echo 900 >$fire/run" 2>log
same "rotate: by time: exit status shows losses" 3 $?
check "rotate: by time: there are losses" test "$(session_sum time lost)" -gt 0
many=$(parts_of time)
check "rotate: by time: there are several parts" test "$many" -ge 2
seams "by time" time
same "rotate: by time: the list has them" "$many" "$(grep -c -P '^0\d+\twhole\t' time/info/parts)"
same "rotate: by time: the last ends as the recording does" command \
	"$(session "$(last_of time)" ended)"
check "rotate: by time: the summary says so" grep -q "in $many parts" log

"$FT" record --rotate 1M --slots 256k -o size -e fire -- sh -c "echo 100 >$fire/run; sleep 1" 2>log
status=$?
same "rotate: by size: exit status" $(($(session_sum size lost) ? 3 : 0)) $status
check "rotate: by size: there are several parts" test "$(parts_of size)" -ge 2
seams "by size" size

"$FT" record --rotate 1s --keep 2 -o keep -e example_beat -d 5.5 2>log
same "rotate: keep: exit status" 0 $?
same "rotate: keep: two whole ones and the last are there" 3 "$(parts_of keep)"
check "rotate: keep: the first is gone" test ! -e keep/000001
same "rotate: keep: and from the list" "$(basename -a keep/0*)" \
	"$(grep -o '^0[0-9]*' keep/info/parts)"
check "rotate: keep: the time of each is its own" \
	test "$(session_sum keep duration_s | awk '{ print $1 < 8 }')" = 1
check "rotate: keep: what is left is read" "$FT" report keep

"$FT" record --rotate 1s -o keep -e example_beat -d 1 2>log
same "rotate: does not overwrite" 125 $?
check "rotate: unless forced" "$FT" record --rotate 1s --force -o keep -e example_beat -d 1.5
check "rotate: forced: begins anew" test -e keep/000001

# A recorder that dies leaves whole parts, and one that can be mended.
"$FT" record --rotate 1s -o dies -e example_beat 2>log &
recorder=$!
wait_for 30 grep -q -s "^part" dies/000003/info/session
kill -KILL $recorder
wait $recorder 2>/dev/null
check "rotate: killed: the part before is whole" opens dies/000001
last=$(last_of dies)
"$FT" fix "$last" -o dies.fixed >/dev/null 2>log
check "rotate: killed: the last is mended" test -e dies.fixed/metadata
check "rotate: killed: all are read" "$FT" dump dies
"$FT" disable --all 2>/dev/null

# Ctrl-C.
env --default-signal=INT "$FT" record --rotate 1s -o int -e example_beat 2>log &
recorder=$!
wait_for 30 test -e int/000002/info/session
kill -INT $recorder
wait $recorder
same "rotate: ends on Ctrl-C" 0 $?
check "rotate: Ctrl-C: all parts are read" "$FT" dump int

# Out of disk: what is whole stays so.
mkdir full && mount -t tmpfs -o size=$(($(wc -c </proc/kallsyms) / 1048576 + 7))m none full
"$FT" record --rotate 1M -o full/t -e fire -- sh -c "echo 1500 >$fire/run" 2>log
same "rotate: disk full: exit status" 125 $?
check "rotate: disk full: is named" grep -qi 'space' log
check "rotate: disk full: the first part opens" babeltrace2 full/t/000001 -o dummy
# Losses are known if there was room for the file that has their number.
"$FT" report full/t >/dev/null 2>errors
check "rotate: disk full: all are read" grep -qx '[03]' <<<"$?"
umount full

rmmod ft_fire ft_example
check "rotate: rmmod" ft_unload
finish
