# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
#
# The devices, promise by promise: the programs api_*.c.

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

# Small rings, and a second event beside mark for tests that need one.
if ! ft_load slots=128 wake_us=1000; then
	fail "api: loading the module" "see above"
	finish
fi
run api_fresh

ft_load_test ft_bench
run api_control
check "api: unloading a module with an event" rmmod ft_bench

ft_load_test ft_bench
ft_load_test ft_points
ft_load_test ft_nested
ft_load_test ft_waits 2>/dev/null	# it needs tracepoints of contention
run api_sessions
run api_session_names
run api_when
run api_when_pairs
run api_stacks
run api_words
rmmod ft_bench ft_points ft_nested
! [[ -e $PARAMS/ft_waits ]] || rmmod ft_waits

for program in attach ioctl config flight ordered pause reader poll packet slots map access meta; do
	run "api_$program"
done

# Who may read the devices, and not write to them: statistics of rings are out of bounds.
# may_read COMMAND...
may_read() {
	local caps=+perfmon,+syslog
	setpriv --reuid=65534 --regid=65534 --groups=0 --inh-caps=$caps --ambient-caps=$caps "$@"
}

may_read "$FT" status --tsv >"$WORK/status"
same "api: ft status with read permission: exit status" 0 $?
same "api: it shows the rest, and that the rings are unknown" "unknown 0" \
	"$(awk -F'\t' '$1 == "rings" { how = $2 } $1 == "cpu" { n++ } END { print how, n + 0 }' "$WORK/status")"
same "api: to people, too" 1 "$(may_read "$FT" status | grep -c 'rings are unknown:')"
same "api: and as JSON" null "$(may_read "$FT" status --json | jq .rings)"
same "api: ft status of root knows them" known \
	"$(status rings)"

if grep -q ' register_kprobe$' /proc/kallsyms; then
	check "api: a slow look at losses" ft_load_test ft_delay symbol=ft_rings_lost_before_mark ms=10
	run api_losses "a loss is told"
	rmmod ft_delay
	check "api: a slower one" ft_load_test ft_delay symbol=ft_rings_lost_before_mark ms=150
	run api_losses "so it is"
	rmmod ft_delay
	check "api: a session is known for a while before it is shown" \
		ft_load_test ft_delay symbol=ft_session_new ms=20 at_return=1
	run api_session_names "a session is ended"
	rmmod ft_delay
else
	skip "api_losses" "this kernel has no kprobes"
fi

# Where the kernel injects faults. In a fresh module, as rings that were made
# stay; the first trace of one, which makes them, has places up to this.
if [[ -w /proc/self/fail-nth ]]; then
	for place in {2..10}; do
		ft_unload && ft_load slots=128 wake_us=1000
		FT_PLACE=$place run api_fail "the first trace"
	done
	FT_PLACE=1 run api_fail
fi

if dmesg | grep -q 'feather_trace: .* rings of .* slots would take'; then
	ok "api: ENOMEM is explained in the log"
else
	skip "api: ENOMEM is explained in the log" "it did not happen"
fi

check "api: unloading" ft_unload
((FAILURES == 0)) || exit 1
finish
