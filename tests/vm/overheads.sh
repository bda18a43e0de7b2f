# SPDX-License-Identifier: GPL-2.0-only OR MIT
# ft overheads: each overhead has samples, a planted delay of wake-ups is there, experiments
# can be kept and compared; what cannot be done is told, and leaves nothing.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

cd "$WORK" || exit 2
export TMPDIR=$WORK/tmp
mkdir "$TMPDIR"

"$FT" overheads -d 1 >out 2>log
same "overheads: without the module: status" 1 $?
check "overheads: without the module: the way out" grep -q 'ft load' log
same "overheads: without the module: nothing is left" "" "$(ls "$TMPDIR")"
ft_load
sysctl -q kernel.sched_rt_runtime_us=-1

# --- our own load ---
"$FT" overheads -d 1 -s 256K -o own >out 2>log
status=$?
same "overheads: status" 0 $((status == 3 ? 0 : status))
sed 's/^/    /' log out
same "overheads: nothing is said but the result, and what the kernel left out" "" "$(grep -v MISSED log)"
"$FT" overheads -r own --json >own.json
same "overheads: read again: status" "$status" $?
# Which IPI wakes a task on another CPU is the kernel's choice.
same "overheads: each has samples" "" \
	"$(jq -r '.overheads | to_entries[] | select(.value.samples == 0 and .key != "reschedule" and .key != "call") |
		.key + ": " + .value.reason' own.json)"
check "overheads: IPIs, too" jq -e '.overheads | .reschedule.samples + .call.samples > 30' own.json
# One each millisecond and CPU, of which a busy machine leaves a part.
check "overheads: system calls of its load" \
	jq -e '.overheads.syscall | .samples + .disturbed >= 300' own.json
check "overheads: each is a switch, and those are decisions" jq -e \
	'.overheads | (.schedule.samples + .schedule.disturbed - .switch.samples - .switch.disturbed | fabs) < 100' own.json
check "overheads: real-time tasks are some of those that are woken" \
	jq -e '.overheads | .wakeup_rt.samples >= 300 and .wakeup.samples >= .wakeup_rt.samples' own.json
"$FT" overheads -r own >again
same "overheads: read again, it is the same" "$(cat out)" "$(cat again)"
same "overheads: no event is on" "" "$("$FT" list --tsv | awk -F'\t' 'NR > 1 && $5 != 0 { print $2 }')"

# --- a command ---
plant() {
	"$FT" overheads -o "$1" -- python3 "$HERE/overheads_delay.py" 50 "$2" >out 2>log
	status=$?
	same "overheads: $1: status" 0 $((status == 3 ? 0 : status))
	sed 's/^/    /' log
	mkdir -p samples
	"$FT" overheads -r "$1" --samples-to samples >/dev/null
	python3 -c 'import glob, struct, sys
data = open(glob.glob("samples/*=RT-WAKEUP-LATENCY.float32")[0], "rb").read()
print(sum(x[0] >= 30e6 for x in struct.iter_unpack("=f", data)))' >"$1.late"
}
plant prompt 0
plant late 30
check "overheads: 50 wake-ups are late by 30 ms, or nearly ($(cat late.late))" test "$(cat late.late)" -ge 45
check "overheads: they were not before ($(cat prompt.late))" test "$(cat prompt.late)" -lt 25
"$FT" compare --json prompt late >out.json
status=$?
same "overheads: compare: status" 0 $((status == 3 ? 0 : status))
# Of both as many samples are chosen; at least ten of the late ones are among them. What a busy
# machine adds to the first mean says nothing of ft, so the ratio is to be that of the two means.
check "overheads: compare: real-time tasks wait for longer" jq -e \
	'.overheads.wakeup_rt | .values[1].mean_ns * .samples >= 10 * 30e6' out.json
check "overheads: compare: and so much longer" jq -e \
	'.overheads.wakeup_rt.values | .[1].mean_ns / .[0].mean_ns - 1 - .[1].mean_change | fabs < 0.001' out.json
"$FT" compare prompt late | sed 's/^/    /'

"$FT" overheads -- sh -c 'exit 7' >out 2>log
same "overheads: a command that fails: status" 1 $?
check "overheads: a command that fails: it is told" grep -q 'exited with 7' log
check "overheads: a command that fails: what was measured" grep -q '^context switch  *[0-9]' out
"$FT" overheads -- no-such-program >out 2>log
same "overheads: no such command: status" 1 $?
check "overheads: no such command: it is told" grep -q "cannot run 'no-such-program'" log
same "overheads: no such command: no result" "" "$(cat out)"
same "overheads: nothing is left of what was not kept" "" "$(ls "$TMPDIR")"

# --- signals, rights, directories ---
begun() { [[ $(status active) == 1 ]]; }

# signalled NAME SIGNAL ARGUMENT...: it gets a signal while its load runs
signalled() {
	local name=$1 signal=$2
	shift 2
	env --default-signal=INT "$FT" overheads "$@" >out 2>log &
	pid=$!
	wait_for 60 begun
	sleep 1
	kill -"$signal" $pid
	wait $pid
	status=$?
	# 3: the kernel left out a kprobe
	same "overheads: $name: status" 0 $((status == 3 ? 0 : status))
	check "overheads: $name: what was measured" grep -q '^context switch  *[0-9]' out
	same "overheads: $name: nothing is left" "" "$(ls "$TMPDIR")"
}
signalled SIGINT INT -d 100
signalled "SIGTERM of a command" TERM -- sh -c 'trap "echo told >&2; exit 0" TERM; sleep 60 & wait'
check "overheads: SIGTERM of a command: it is passed on" grep -qx told log
same "overheads: a command runs as alone" "$(grep -E 'Sig(Ign|Blk)' /proc/self/status)" \
	"$("$FT" overheads -- grep -E 'Sig(Ign|Blk)' /proc/self/status 2>/dev/null | grep ^Sig)"
(trap '' CHLD; timeout 60 "$FT" overheads -- true >out 2>log)
check "overheads: with SIGCHLD ignored it ends" grep -q '^context switch' out
"$FT" overheads -d 1 -o own >out 2>log
same "overheads: it exists: status" 1 $?
check "overheads: it exists: the way out" grep -q -- '--force' log
"$FT" overheads -r own --json >again.json
same "overheads: it exists: it is as it was" "$(cat own.json)" "$(cat again.json)"
"$FT" overheads -d 1 -o own --force >out 2>log
check "overheads: --force: it is replaced" grep -q '^context switch  *[0-9]' out
"$FT" overheads -o own --force -- no-such-program >out 2>log
same "overheads: --force that fails: status" 1 $?
"$FT" overheads -r own >out 2>log
check "overheads: --force that fails: no mixture is left" grep -q 'is not an experiment' log
mkdir other
"$FT" overheads -d 1 -o other --force >out 2>log
same "overheads: --force of something else: status" 1 $?
check "overheads: --force of something else: it is told" grep -q 'is not replaced' log
setpriv --bounding-set -sys_nice --inh-caps -sys_nice "$FT" overheads -d 1 -o no-right >out 2>log
same "overheads: no right to SCHED_FIFO: status" 1 $?
check "overheads: no right to SCHED_FIFO: the way out" grep -q cap_sys_nice log
check "overheads: no right to SCHED_FIFO: nothing is left" test ! -e no-right
setpriv --bounding-set -sys_nice --inh-caps -sys_nice "$FT" overheads -- sleep 1 >out 2>log
check "overheads: a command needs no such right" grep -q '^context switch  *[0-9]' out
"$FT" record -q -o quiet -e sched_switch -d 0.3 >out 2>&1
same "record: --quiet: nothing is said" "0 " "$? $(cat out)"
ft_unload
