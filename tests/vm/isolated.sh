# SPDX-License-Identifier: GPL-2.0-only OR MIT
# A CPU that a task keeps to itself, as an isolated CPU: a trace disturbs it once.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

if ! can_spin; then
	skip "isolated" "there is no second CPU, or no such setting"
	exit 0
fi

# disturbed: interrupts that other CPUs have sent to CPU 1 so far
disturbed() {
	awk '$1 == "CAL:" || $1 == "RES:" { n += $3 } END { print n + 0 }' /proc/interrupts
}

# traces COUNT
traces() {
	local i
	for ((i = 0; i < $1; i++)); do
		"$FT" enable sched_process_wait --persist && "$FT" disable sched_process_wait || return 1
	done
}

COUNT=$(rounds 40 20)
ft_load slots=1024
# An event whose only trigger was in code that is gone: for any other, the kernel changes
# text at each begin and end, and interrupts all CPUs for that.
ft_load_test ft_namesake

spin
# The first one leads the event to its probe, in text.
check "isolated: the first trace" traces 1
before=$(disturbed)
check "isolated: $COUNT traces" traces "$COUNT"
n=$(($(disturbed) - before))
let_go
echo "    $n interrupts"
# Twice where the CPU was in its tick.
check "isolated: each interrupts the CPU once" test "$n" -ge "$COUNT" -a "$n" -le $((COUNT * 3 / 2))
rmmod ft_namesake
check "isolated: rmmod" ft_unload
finish
