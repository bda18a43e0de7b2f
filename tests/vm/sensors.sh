# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
#
# Sensors: what they count is what happened.
#
# FT_MONITORED: how many events monitors read along, instead of the usual number

# shellcheck source=tests/vm/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

FAILURES=0

# run PROGRAM [TEST]: its checks are ours, and it has named those that failed.
run() {
	local status=0
	"$FT_PROGRAMS/$1" "${@:2}" || status=$?
	if ((status > 1)); then
		fail "$1" "ended with status $status"
	fi
	((FAILURES += status == 1))
	return 0
}

if ! ft_load slots=65536 wake_us=1000; then
	fail "sensors: loading the module" "see above"
	finish
fi
ft_load_test ft_bench
ft_load_test ft_points
ft_load_test ft_nested
ft_load_test ft_fire
ft_load_test ft_waits 2>/dev/null	# it needs tracepoints of contention
run api_sensors
run api_sensors_pairs
run api_sensors_locks
run api_sensors_trace
FT_MONITORED=${FT_MONITORED:-$(rounds 2000000 300000 30000)} run api_sensors_monitors

# A program that knows the header, and mmap(): it reads what others have made.
BENCH=/sys/module/ft_bench/parameters
MONITOR=$(dirname "${BASH_SOURCE[0]}")/monitor.py
"$FT_PROGRAMS/make_sensors" sh -c "echo 1000 >$BENCH/event; python3 $MONITOR" >out
same "sensors: a monitor in Python: a counter" "test/counter 1000 0 0 0" "$(grep '^test/counter ' out)"
same "sensors: a monitor in Python: a histogram" "test/histogram 1000 499500 0 999" \
	"$(grep test/histogram out)"
same "sensors: a monitor in Python: another one of that name" "test/counter#2 1000 0 0 0" \
	"$(grep '#2' out)"

# A CPU goes and comes back: what it has counted stays.
if [[ -w /sys/devices/system/cpu/cpu1/online ]]; then
	"$FT_PROGRAMS/make_sensors" sh -c "taskset 2 sh -c 'echo 500 >$BENCH/event'
		echo 0 >/sys/devices/system/cpu/cpu1/online; echo 200 >$BENCH/event
		echo 1 >/sys/devices/system/cpu/cpu1/online
		taskset 2 sh -c 'echo 300 >$BENCH/event'; python3 $MONITOR test/histogram" >out
	same "sensors: a CPU goes and comes back" "test/histogram 1000 189500 0 499" "$(cat out)"
else
	skip "sensors: a CPU goes and comes back" "CPU 1 stays"
fi

# Unloading waits for those who have something mapped, and then leaves nothing.
"$FT_PROGRAMS/make_sensors" sh -c "rmmod feather_trace" 2>out
same "sensors: no unloading while a descriptor is open" 1 "$(grep -c 'in use' out)"
rmmod ft_bench ft_points ft_nested ft_fire
! [[ -e $PARAMS/ft_waits ]] || rmmod ft_waits
check "sensors: unloading" ft_unload
((FAILURES == 0)) || exit 1
finish
