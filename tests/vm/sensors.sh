# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
#
# Sensors: what they count is what happened.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

FAILURES=0

# run PROGRAM [TEST]: its checks are ours, and it has told of those that failed.
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
run api_sensors
rmmod ft_bench ft_points ft_nested
check "sensors: unloading" ft_unload
((FAILURES == 0)) || exit 1
finish
