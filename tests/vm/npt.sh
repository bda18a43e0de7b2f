# SPDX-License-Identifier: GPL-2.0-only OR MIT
# A CPU that is kept busy for known times, in each kind of context: ft npt finds each of them,
# and names it.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

cd "$WORK" || exit 2
ft_load
ft_load_test ft_stall
stall=$PARAMS/ft_stall/parameters
runtime=$(cat /proc/sys/kernel/sched_rt_runtime_us)
sysctl -q kernel.sched_rt_runtime_us=-1
mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
fair=/sys/kernel/debug/sched/fair_server/cpu1/runtime
if [[ -e $fair ]]; then
	"$FT" npt --cpu 1 --duration 0.1 >said 2>&1
	check "npt: it warns of time that ordinary tasks have" grep -q "echo 0 >$fair" said
	echo 0 >"$fair"
fi
"$FT" npt --cpu 1 --duration 0.1 2>said >/dev/null
same "npt: nothing to warn of" "" "$(cat said)"

# measures PID: it has been a real-time task for a second, longer than its calibration: what it
# has needed until then, to begin, is another time on each machine.
measures() {
	local stat used
	read -ra stat <"/proc/$1/stat" || return
	used=$((stat[13] + stat[14]))
	((stat[40] == 1)) || { unset "realtime_since[$1]"; return 1; }
	: "${realtime_since[$1]:=$used}"
	((used - realtime_since[$1] >= 100))
}
realtime_since=()

# What an interrupt leaves to these threads is to be done, too.
for thread in $(pgrep '^(ksoftirqd|ktimers)/1$'); do
	chrt -f -p 20 "$thread"
done

# measured KIND [OPTION...]: stalls of it, while ft npt runs below threads of 50
measured() {
	local kind=$1 pid
	shift
	"$FT" npt --cpu 1 --priority 10 --duration 120 --record "$kind" --force --top 0 --long 20000 --json "$@" \
		>"$kind.json" 2>"$kind.log" &
	pid=$!
	wait_for 60 measures $pid
	echo "$kind 1 3000000 10" >"$stall/run"
	kill -TERM $pid
	wait $pid
	status=$?
	cat "$stall/stalls" >"$kind.stalls"
	sed 's/^/    /' "$kind.log"
	same "npt: $kind: exit status" 0 $((status == 3 ? 0 : status))
}

# An NMI that comes between two calls of ft npt --kernel is not seen.
in_kernel() {
	"$FT" npt --cpu 1 --priority 10 --duration 120 --top 0 --long 20000 --json --kernel \
		>kernel.json 2>kernel.log &
	pid=$!
	wait_for 60 measures $pid
	echo "nmi 1 3000000 20" >"$stall/run"
	cat "$stall/stalls" >kernel.stalls
	echo "timer 1 3000000 10" >"$stall/run"
	cat "$stall/stalls" >timer.stalls
	kill -TERM $pid
	wait $pid
	same "npt: in the kernel: exit status" 0 $?
	found=$(python3 "$HERE/npt_stalls.py" kernel.json kernel.stalls . 2>/dev/null | sed 's/ .*//')
	check "npt: in the kernel: NMIs are found, 10 of 20 or more ($found)" test "$found" -ge 10
	same "npt: in the kernel: each turn is in a bin" 0 \
		"$(jq '([.histogram[].count] | add) - .turns.count' kernel.json)"
	same "npt: in the kernel: timers wait for the end of a part" "0 found, 0 named, 0 others" \
		"$(python3 "$HERE/npt_stalls.py" kernel.json timer.stalls . 2>/dev/null)"
}

# found KIND NAME [INNER]: each stall lies in a turn of its own, which that took, and no other turn
# has one: npt_stalls.py
found() {
	same "npt: $1: finds each, and names it" "10 found, 10 named, 0 others" \
		"$(python3 "$HERE/npt_stalls.py" "$1.json" "$1.stalls" "${@:2}")"
}

timer='^hrtimer_expire stall_timer \[ft_stall\]$'
measured timer
found timer "$timer"
measured softirq
# The softirq has other timers, too: on PREEMPT_RT most of them.
found softirq '^softirq HRTIMER$' "$timer"
measured task
found task '^task ft_stall [0-9]+$'
if ft_has_locks && [[ $(uname -v) != *PREEMPT_RT* ]]; then
	measured timer --locks
	found timer "$timer"
	same "npt: the lock that is held" stall_lock "$(jq -r '[.longest[] | select(.length_ns > 3e6 and
		any(.causes[]; .name | test("stall_timer"))) | .lock.name] | unique | .[]' timer.json | sed 's/ .*//')"
else
	skip "npt: the lock that is held" "no events of raw locks on this kernel"
fi

"$FT" npt --kernel --duration 1 >said 2>&1
same "npt: in the kernel: without its module" 1 $?
check "npt: in the kernel: what to do" grep -q 'load the module feather_trace_npt' said
check "npt: in the kernel: its module" insmod "$FT_MODULES/feather_trace_npt.ko"
in_kernel
same "npt: in the kernel: calls that are refused" "" "$(python3 "$HERE/npt_calls.py" 2>&1)"
check "npt: in the kernel: rmmod" rmmod feather_trace_npt

# A signal for all of them, as a terminal sends it.
setsid "$FT" npt --cpu 1 --duration 120 --record text --priority 10 --top 0 >said 2>&1 &
pid=$!
wait_for 60 measures $pid
kill -TERM -- -$pid
wait $pid
same "npt: a signal for the recorder, too: exit status" 0 $?
check "npt: it says that it was ended" grep -q 'until a signal' said
check "npt: and why turns were long" grep -q 'because of' said
check "npt: with the names of interrupts" grep -q 'local_timer .*: hrtimer_expire tick_' said

"$FT" npt --duration 1 --locks --record text --priority 10 >said 2>&1
same "npt: a directory that exists" 1 $?
check "npt: and says so" grep -q 'text.*--force' said

sysctl -q kernel.sched_rt_runtime_us="$runtime"
rmmod ft_stall
check "npt: rmmod" ft_unload
"$FT" npt --duration 1 --record other --priority 10 >said 2>&1
same "npt: without the module" 1 $?
check "npt: and says what to do" grep -q 'ft load' said
finish
