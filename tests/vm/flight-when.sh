# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Conditions of the flight recorder: one command catches what happens once.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
bench=$PARAMS/ft_bench/parameters/event

ft_load slots=65536 wake_us=1000
ft_load_test ft_bench

# count TRACE EVENT [WORD]: records of an event, with this first word
count() {
	"$FT" dump "$1" --raw --tsv | awk -F'\t' -v event="$2" -v word="${3-}" '
		$6 == event && (word == "" || $7 == word) { n++ } END { print n + 0 }'
}

# bad NAME TEXT OPTION...: refused, with this message; nothing is left of it
bad() {
	"$FT" record --flight -o bad "${@:3}" -- true >out 2>&1
	same "when: $1: exit status" 125 $?
	check "when: $1: says so" grep -q -- "$2" out
	same "when: $1: leaves no directory" 1 "$([[ -e bad ]]; echo $?)"
}

bad "no such event" "there is no event 'bnech'" --when bnech
bad "no such field" "has no field 'x'; it has: index, count" --when 'bench.x == 1'
bad "a field of another event" "fields of 'mark' cannot be compared at the event 'bench'" \
	--when 'bench && mark.a == 1'
bad "a condition that cannot be read" "at '': a comparison is missing here" --when 'bench && '
bad "no such family" "at 'spinlock) > 1ms': there is no such family; there are spin, " --when 'hold(spinlock) > 1ms'
bad "no such CPU" "this machine has no such CPU" --when 'bench && cpu == 99'
bad "a time with a space" "a number and ns, us, ms or s, as in 1ms" --when 'hold(spin) > 1 ms'

# --- what it is fulfilled by

# fly UNTIL OPTION...: ft_bench fires 20 times, and once more at the end, half a second
# later or when the command UNTIL is successful, however slow this kernel is
fly() {
	rm -rf f ran
	"$FT" record --flight -o f "${@:2}" -- sh -c "echo 20 >$bench
		for i in \$(seq 120); do
			sleep 0.5
			! $1 || break
		done
		echo 1 >$bench" 2>log
}
complete="grep -q '^ft: snapshot (condition)' log"

# taken WANT: exit status, and why the snapshots were taken
taken() {
	same "when: $1: exit status" 0 "$2"
	same "when: $1: snapshots" "$3" "$(for s in f/*; do session "$s" snapshot; done | xargs)"
}

fly "$complete" -e bench --when 'seventh: bench.index == 7'
taken "a word" $? "condition command"
same "when: a word: which, and by whom" "seventh bench" \
	"$(session f/1 condition) $(session f/1 condition_event)"
check "when: a word: says so" grep -q "'seventh' was fulfilled by task $(session f/1 condition_tid) (sh) on CPU $(session f/1 condition_cpu)" log
same "when: a word: and what that is called" sh "$(session f/1 condition_comm)"
same "when: a word: a record says it" 1 "$(count f/1 condition)"
same "when: a word: the trace names it" seventh "$(session f/1 condition.0)"
same "when: a word: all is there that led to it" "20 1" \
	"$(count f/1 bench) $(count f/2 bench)"

fly "$complete" -e bench --when 'late: bench.index == 9' --when 'early: bench.index == 7'
taken "two conditions" $? "condition command"
same "when: two conditions: the first one that was fulfilled is told" "early 2" \
	"$(session f/1 condition) $(count f/1 condition)"

# What is fulfilled while a snapshot is awaited is in that one.
rm -rf f
"$FT" record --flight -o f -e bench --after 1 --times 2 --when 'one: bench.index == 7' \
	--when 'other: bench.index == 9' -- sh -c "echo 8 >$bench
		sleep 0.3
		echo 20 >$bench
		for i in \$(seq 120); do
			sleep 0.5
			! $complete || break
		done
		echo 1 >$bench
		sleep 2
		echo 1 >$bench" 2>log
taken "two, one after the other" $? "condition command"

fly true -e bench --when 'bench.index == 99'
taken "never" $? command
same "when: never: no record says otherwise" 0 "$(count f/1 condition)"

fly "$complete" --when 'bench.index >= 18' --times 2
taken "its events are recorded" $? "condition command"

# It always holds: as many records as it was asked for, not as many as there are events.
# The last event fulfils it, too: its snapshot is also that of the command's end, or not.
fly "$complete" --when bench --times 2
same "when: whatever happens: exit status" 0 $?
same "when: whatever happens: the first snapshot" condition "$(session f/1 snapshot)"
check "when: whatever happens: snapshots" test -e f/2/metadata -a ! -e f/3
records=$(($(count f/1 condition) + $(count f/2 condition)))
check "when: whatever happens: $records records say so, of 21 events" test "$records" -le 4

fly true -e bench --when 'bench && count == 5' --times 3 --then mark
taken "marks alone" $? command
same "when: marks alone: at every fifth, three times" 3 "$(count f/1 condition)"

fly 'test -s ran' -e bench --when 'bench && comm == sh' --then 'exec echo "$FT_CONDITION $FT_TID" >ran'
taken "a command" $? command
for ((i = 0; i < 100; i++)); do
	[[ ! -s ran ]] || break
	sleep 0.1
done
same "when: a command: it is told which condition" "bench && comm == sh" "$(sed 's/ [0-9]*$//' ran)"

fly "$complete" -e bench --when bench --after 0.1 --then snapshot --then 'exec cp -r "$FT_SNAPSHOT" copy'
taken "later" $? "condition command"
check "when: later: recorded for so long" \
	test "$(awk -v a="$(session f/1 window_end)" -v b="$(session f/1 condition_time)" \
		-v hz="$(session f/1 clock_hz)" 'BEGIN { print (a - b >= hz / 10) }')" = 1
for ((i = 0; i < 100; i++)); do
	[[ ! -e copy/metadata ]] || break
	sleep 0.1
done
check "when: later: the command finds the snapshot" test -e copy/metadata

fly "$complete" -e bench --when 'bench && cpu < 64 && tid > 64'
taken "the CPU and the task" $? "condition command"

# A wait: its beginning is compared, too, of which family the lock is. No result of a wait, at its
# end, looks like the flags of this family.
if "$FT" list --tsv | cut -f2 | grep -q '^contention_begin$'; then
	ft_load_test ft_variants
	rm -rf f
	"$FT" record --flight -o f --when 'waits: wait(rwsem_write) > 1us' -- sh -c "
		for i in \$(seq 20); do
			echo 1 >$PARAMS/ft_variants/parameters/run
			! $complete || break
			sleep 0.5
		done" 2>log
	same "when: a wait: caught" "condition waits contention_end" \
		"$(for key in snapshot condition condition_event; do session f/1 $key; done | xargs)"
	rmmod ft_variants
else
	skip "when: a wait" "this kernel has no contention_begin"
fi

# --- what a sensor measures

"$FT" sensors new w/index 'bench.index' >/dev/null
"$FT" sensors new w/count 'count(bench)' >/dev/null
bad "no such sensor" "there is no sensor 'w/indx': did you mean 'w/index'" --when 'w/indx > 5'
bad "a sensor that counts" "'w/count' counts, and measures nothing" --when 'w/count > 5'
bad "a number with a unit" "'w/index' does not measure times" --when 'w/index > 5ms'
bad "a field that it does not have" "has no field 'x'" --when 'w/index > 5 && bench.x == 1'

# measured TRACE: the values of its conditions
measured() {
	"$FT" dump "$1" --raw --tsv | awk -F'\t' '$6 == "condition" { sub(/.*=/, "", $8); print $8 }' | xargs
}
fly "$complete" --when 'great: w/index#1 > 17'
taken "a sensor" $? "condition command"
same "when: a sensor: which, and its event" "great bench" \
	"$(session f/1 condition) $(session f/1 condition_event)"
same "when: a sensor: what it has measured" 0x12 "$(measured f/1)"
same "when: a sensor: all is there that led to it" 20 "$(count f/1 bench)"
fly "$complete" --when 'w/index > 3 && bench.index == 9 && comm == sh'
taken "a sensor, and a word of its event" $? "condition command"
same "when: a sensor, and a word of its event: that" 0x9 "$(measured f/1)"
# Here it ends the recording, at the event: what comes after is not there.
fly true -e bench --when 'great: w/index > 17' --then stop
taken "a sensor ends the recording" $? condition
same "when: a sensor ends the recording: which, and its event" "great bench" \
	"$(session f/1 condition) $(session f/1 condition_event)"
same "when: a sensor ends the recording: what it has measured" 0x12 "$(measured f/1)"
same "when: a sensor ends the recording: all is there that led to it, and no more" "19 condition" \
	"$(count f/1 bench) $("$FT" dump f/1 --raw --tsv | tail -1 | cut -f6)"
if ft_has_locks && [[ $(uname -v) != *PREEMPT_RT* ]]; then
	ft_load_test ft_nested
	"$FT" sensors new w/hold 'hold(spin)' >/dev/null
	bad "a time without a unit" "'w/hold' measures times: write ns" --when 'w/hold > 5'
	bad "a word of the other end" "the first word of 'spin_release' and the second one of 'spin_acquire'" \
		--when 'w/hold > 5us && spin_release.caller == 1'
	bad "a first word of the beginning" "the first word of 'spin_release' and" \
		--when 'w/hold > 5us && spin_acquire.lock == 1'
	lock=0x$(awk '$3 == "nested_outer_lock" { print $1 }' /proc/kallsyms)
	rm -rf f
	"$FT" record --flight -o f --when "w/hold > 20us && spin_release.lock == $lock" -- \
		sh -c "for i in \$(seq 60); do
			echo 20 >$PARAMS/ft_nested/parameters/run
			! $complete || break
			sleep 0.5
		done" 2>log
	same "when: a lock that a sensor has seen: caught" "condition spin_release" \
		"$(session f/1 snapshot) $(session f/1 condition_event)"
	same "when: a lock that a sensor has seen: it ends its section" "spin_release lock=$lock" \
		"$("$FT" dump f/1 --raw --tsv --clock=ticks | awk -F'\t' -v t="$(session f/1 condition_time)" '
			$1 == t && $6 ~ /^spin/ { print $6, $7 }')"
	rmmod ft_nested
else
	skip "when: a lock that a sensor has seen" "this kernel has no events of spinlocks"
fi
# Of two, the first instance, whichever has the lower number.
"$FT" sensors end w/count >/dev/null
"$FT" sensors new w/index 'bench.count' >/dev/null
fly "$complete" --when 'w/index > 18'
same "when: two of a name: the first instance has measured" 0x13 "$(measured f/1)"
# It goes while it is waited for.
fly "'$FT' sensors end w/index >/dev/null; true" --when 'w/index > 20'
taken "a sensor that goes" $? command
if "$FT" sensors new w/signed 'sys_exit.ret' >/dev/null 2>&1; then
	bad "a sensor of signed values" "'w/signed' have a sign" --when 'w/signed > 5'
else
	skip "when: a sensor of signed values" "this kernel has no event sys_exit"
fi
"$FT" sensors end 'w/*' >/dev/null

# Others, who record in the default session, are not stopped.
"$FT" enable bench --persist >/dev/null
fly true -e bench,mark --when 'bench.index == 7' --then stop
taken "it ends the recording" $? condition
same "when: it ends the recording: at the event" 8 "$(count f/1 bench)"
same "when: it ends the recording: the condition is last" condition \
	"$("$FT" dump f/1 --raw --tsv | tail -1 | cut -f6)"

same "when: it ends the recording, and no other" "1 0" "$(status active) $(status stopped)"
# The last one may be to come: nobody waits for the command.
n=$("$FT" status --tsv | awk -F'\t' '
	$1 == "#cpu" { for (i = 1; i <= NF; i++) if ($i == "written") n = i }
	$1 == "cpu" { sum += $n }
	END { print sum }')
check "when: it ends the recording, and no other: which goes on: $n records" test "$n" -ge 20
"$FT" disable --all >/dev/null

rmmod ft_bench
check "when: rmmod" ft_unload
finish
