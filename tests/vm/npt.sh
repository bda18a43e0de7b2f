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
if [[ ! -e $fair ]]; then
	sysctl -q kernel.sched_rt_runtime_us=950000
	"$FT" npt --cpu 1 --duration 0.1 2>said >/dev/null
	check "npt: it warns of time that real-time tasks do not have" \
		grep -q 'stop real-time tasks for 50 ms in each 1000 ms.*sysctl kernel.sched_rt_runtime_us=-1' said
	sysctl -q kernel.sched_rt_runtime_us=-1
fi

# A kernel that was told to isolate CPU 0 says so here.
echo 0 >isolated
mount --bind isolated /sys/devices/system/cpu/isolated
taskset -c 0 sleep 1000 &
other=$!
wait_for 10 grep -q '^[0-9]* (sleep)' /proc/$other/stat
same "npt: an isolated CPU is chosen before the last one" 0 \
	"$("$FT" npt --priority 0 --duration 0.1 --json 2>said | jq .cpu)"
check "npt: it warns of other tasks on an isolated CPU" \
	grep -q 'CPU 0 is isolated, but other tasks run there: .* [0-9]' said
"$FT" npt --cpu 1 --duration 0.1 2>said >/dev/null
same "npt: an isolated CPU is another one" "" "$(cat said)"
kill $other
umount /sys/devices/system/cpu/isolated

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

# What runs beside it must not be where it is: nothing takes it from there.
NPT=(taskset -c 0-1 "$FT" npt --cpu 1 --priority 10 --duration 120)
taskset -cp 0 $$ >/dev/null

# measured KIND [OPTION...]: stalls of it, of three lengths, while ft npt runs below threads of 50
measured() {
	local kind=$1 lengths pid
	shift
	"${NPT[@]}" --record "$kind" --force --top 0 --long 20000 --json "$@" \
		>"$kind.json" 2>"$kind.log" &
	pid=$!
	wait_for 60 measures $pid
	for lengths in '3000000 4' '5000000 3' '8000000 3'; do
		echo "$kind 1 $lengths" >"$stall/run"
		cat "$stall/stalls"
	done >"$kind.stalls"
	kill -TERM $pid
	wait $pid
	status=$?
	sed 's/^/    /' "$kind.log"
	same "npt: $kind: exit status" 0 $((status == 3 ? 0 : status))
}

# An NMI that comes between two calls of ft npt --kernel is not seen.
in_kernel() {
	"${NPT[@]}" --top 0 --long 20000 --json --kernel >kernel.json 2>kernel.log &
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

# found KIND NAME INNER [OPTION...]: each stall lies in a turn of its own, which that took, and no
# other turn has one: npt_stalls.py. Another one may really have taken as long, where the machine
# stood still meanwhile: not each time.
found() {
	local said
	for _ in 1 2 3; do
		measured "$1" "${@:4}"
		said=$(python3 "$HERE/npt_stalls.py" "$1.json" "$1.stalls" "$2" "$3")
		[[ $said == *" 0 others" ]] && break
		echo "    $said"
	done
	same "npt: $1: finds each, and names it" "10 found, 10 named, 0 others" "$said"
}

timer='^hrtimer_expire stall_timer \[ft_stall\]$'
task='^task ft_stall [0-9]+$'
found timer "$timer" "$timer"
# The softirq has other timers, too: on PREEMPT_RT most of them.
found softirq '^softirq HRTIMER$' "$timer"
found task "$task" "$task"
if ft_has_locks && [[ $(uname -v) != *PREEMPT_RT* ]]; then
	found timer "$timer" "$timer" --locks
	# A wait for another one, however short, would be named instead; and where the machine stood
	# still, it may have done so in another section.
	named=$(jq '[.longest[] | select(.length_ns > 3e6 and .lock.length_ns > 1e6 and
		any(.causes[]; .name | test("stall_timer"))) | .lock.name |
		select(test("^stall_lock( |$)"))] | length' timer.json)
	check "npt: the lock that is held, in 8 of 10 or more ($named)" test "$named" -ge 8
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
setsid "${NPT[@]}" --record text --top 0 >said 2>&1 &
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
