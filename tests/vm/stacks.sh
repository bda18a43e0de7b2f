# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Call stacks: of long sections, of waits and of some acquisitions, as the source has the calls.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ft_load slots=65536
if ! ft_has_locks; then
	skip "stacks" "this kernel has no lock events"
	ft_unload
	finish
fi
ft_load_test ft_stacks
RUN=$PARAMS/ft_stacks/parameters/run MANY=$PARAMS/ft_stacks/parameters/many
CHAIN="stacks_eight stacks_seven stacks_six stacks_five stacks_four stacks_three stacks_two stacks_one"

# calls DUMP LOCK [SINCE]: functions of the first stack of the lock, innermost first; from SINCE on
calls() {
	awk -v lock="lock=$2 " -v since="${3-}" '
		$6 == "stack" { if (any) exit; on = index($0 " ", lock); next }
		on && substr($0, 1, 22) ~ /^ *$/ { sub(/\+0x.*/, "", $1)
			if (since == "" || $1 == since) { since = ""; any = 1; print $1 }
			next }
		{ if (any) exit; on = 0 }' <("$FT" dump "$1") | xargs
}

# of DUMP LOCK: how many stacks of the lock, by what they are of
of() {
	"$FT" dump --raw --tsv "$1" >raw
	"$FT" dump --tsv "$1" | paste - raw | awk -F'\t' -v lock="lock=$2" '
		$6 == "stack" && index($8 " ", lock " ") { print $15 }' |
		sed 's/stack=//' | while read -r word; do echo $((word >> 32)); done | sort | uniq -c | xargs
}

"$FT" record -o usual --locks --stacks -- bash -c "echo 3 >$RUN" 2>log
same "stacks: recorded" 0 $?
cut -c1-160 log | sed 's/^/    /'
check "stacks: the file has a version" grep -Eqx '# feather-trace stacks 1 full=0 failed=[0-9]+' \
	<(head -n 1 usual/info/stacks)
same "stacks: each stands once" "" "$(tail -n +2 usual/info/stacks | cut -d' ' -f3- | sort | uniq -d)"
# Where somebody waited for it, a wait's stack comes first, with the slow path inside.
same "stacks: a mutex's section" "$CHAIN" \
	"$(calls usual 'stacks_mutex [ft_stacks]' stacks_eight | cut -d' ' -f1-8)"
check "stacks: a mutex: each section" grep -Eq '(^| )3 1( |$)' <(of usual 'stacks_mutex [ft_stacks]')
same "stacks: a spinlock's section" "$CHAIN" "$(calls usual 'stacks_spin [ft_stacks]' | cut -d' ' -f1-8)"
same "stacks: a wait" "$CHAIN" \
	"$(calls usual 'stacks_waited [ft_stacks]' stacks_eight | cut -d' ' -f1-8)"
# A second probe: the kernel calls both by an iterator, which is in no stack.
EVENT=/sys/kernel/tracing/events/lock/contention_end/enable
mountpoint -q /sys/kernel/tracing || mount -t tracefs nodev /sys/kernel/tracing
echo 1 >"$EVENT"
"$FT" record -q -o probes --locks --stacks -- bash -c "echo 3 >$RUN" 2>log
echo 0 >"$EVENT"
same "stacks: a wait with two probes" "$CHAIN" \
	"$(calls probes 'stacks_waited [ft_stacks]' stacks_eight | cut -d' ' -f1-8)"
same "stacks: it begins in the lock function" "" "$(calls probes 'stacks_waited [ft_stacks]' |
	tr ' ' '\n' | grep traceiter)"
check "stacks: they go on to what has started them" grep -q 'stacks_work_fn process_one_work' \
	<(calls usual 'stacks_spin [ft_stacks]')
same "stacks: one for each long section" "3 1" "$(of usual 'stacks_spin [ft_stacks]')"
same "stacks: none of a short section" "" "$(of usual 'stacks_short [ft_stacks]')"
same "stacks: the session file says what" "waits>10us,sections>100us" "$(session usual stacks)"
check "stacks: babeltrace opens the trace" babeltrace2 usual -o dummy

"$FT" record -q -o sampled -e 'spin_*,raw_spin_*' --stacks=1/1 -- bash -c "echo 3 >$RUN" 2>log ||
	"$FT" record -q -o sampled -e 'spin_*' --stacks=1/1 -- bash -c "echo 3 >$RUN" 2>log
same "stacks: of acquisitions: as many as there were" "3 0" "$(of sampled 'stacks_short [ft_stacks]')"
same "stacks: of acquisitions: the calls" "$CHAIN" \
	"$(calls sampled 'stacks_short [ft_stacks]' | cut -d' ' -f1-8)"

# --- no room

"$FT" record -o full --locks '--stacks=sections>100us' --stacks-room 16 -- bash -c "echo 64 >$MANY" 2>log
check "stacks: a full table is said" grep -Eq '[0-9]+ stacks found no room in the table' log
full=$(session full stacks_full)
check "stacks: a full table is counted" test "${full:-0}" -ge 40
check "stacks: and in the file" grep -q "full=$full " <(head -n 1 full/info/stacks)
same "stacks: what had room is there" 16 "$(tail -n +2 full/info/stacks | wc -l)"

# --- flight recorder, rotation

"$FT" record -q --flight -o flight --locks --stacks -- bash -c "echo 3 >$RUN" 2>log
same "stacks: flight recorder: a spinlock's section" "$CHAIN" \
	"$(calls flight/1 'stacks_spin [ft_stacks]' | cut -d' ' -f1-8)"
"$FT" record -q -o parts --locks --stacks --rotate 1s -- bash -c "echo 1 >$RUN; sleep 1.5; echo 1 >$RUN" 2>log
check "stacks: there are parts" test -d parts/000002
for part in parts/[0-9]*; do
	check "stacks: ${part#*/}: it has the file" test -s "$part/info/stacks"
done
"$FT" fix usual >/dev/null 2>&1
check "stacks: ft fix leaves it" test -s usual/info/stacks

# --- programs beside the kernel

# of_both TRACE: does the file have stacks of the kernel, and of programs?
of_both() {
	awk 'NR > 1 { n[$1 != 0]++ } END { print (n[0] > 0), (n[1] > 0) }' "$1/info/stacks"
}

"$FT" record -o both --locks --user --stacks=1/1 -- "$FT_PROGRAMS/between" crowd 5 2>log
same "stacks: of both: recorded" 0 $?
same "stacks: of both: the file has both" "1 1" "$(of_both both)"
check "stacks: of both: a program's functions" grep -Eq '^ +nested(\+0x[0-9a-f]+)? .*between' <("$FT" dump both)
check "stacks: of both: the programs' are counted apart" test -n "$(session both program_stacks_full)"
"$FT" record -o own -e mark,user:locks --user --stacks=1/1 -- "$FT_PROGRAMS/between" crowd 5 2>log
same "stacks: of programs alone: recorded" 0 $?
same "stacks: of programs alone: the file has them" "0 1" "$(of_both own)"

# --- what is refused

bad() {
	"$FT" record -o bad "${@:3}" -- true >out 2>&1
	same "stacks: $1: exit status" 125 $?
	check "stacks: $1: says so" grep -q -- "$2" out
}
bad "no such word" "'holds'" --locks --stacks=holds
bad "no events" "no recorded event has stacks" -e mark --stacks
bad "a room that is no power of two" "must be a power of two from 16 to 65536, not '100'" --locks --stacks --stacks-room 100
bad "a room for nothing" "--stacks-room needs --stacks" --locks --stacks-room 64

rmmod ft_stacks
ft_unload
finish
