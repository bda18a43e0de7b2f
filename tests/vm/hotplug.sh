# SPDX-License-Identifier: GPL-2.0-only OR MIT
# CPUs that go and come back while a trace runs: nothing is lost without being
# counted, and what a CPU recorded before it left can be read.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
control=/sys/devices/system/cpu/cpu1/online
if [[ ! -w $control ]]; then
	skip "hotplug" "this kernel cannot take CPU 1 offline"
	exit 0
fi

ft_load
ft_load_test ft_fire
fire=$PARAMS/ft_fire/parameters

# Off and on between runs of ft_fire, whose books are of the last run only.
"$FT" record -o t -e fire --slots 65536 -- sh -c "
	for i in 1 2 3 4 5; do
		echo 0 >$control; sleep 0.2; echo 1 >$control; sleep 0.2
	done
	echo 300 >$fire/run
	echo 0 >$control" >/dev/null 2>log
books "hotplug: a CPU that left is read to the end" t

# A CPU that was not there when the module was loaded.
rmmod ft_fire
ft_unload
ft_load
same "hotplug: no device for a CPU that never was" 1 \
	"$([[ -e /dev/ft_trace1 ]]; echo $?)"
ft_load_test ft_fire
rm -rf t
"$FT" record -o t -e fire --slots 65536 -- sh -c "
	echo 1 >$control; sleep 2; echo 300 >$fire/run; sleep 2" >/dev/null 2>log
check "hotplug: it has a device when it comes" test -c /dev/ft_trace1
books "hotplug: a CPU that came during the trace is recorded" t
# Books balance, too, where all is lost for want of memory.
check "hotplug: its ring has memory" test "$(stat -c %s t/cpu1)" -gt 100000
same "hotplug: its packets are of the same trace as the others'" \
	"$(sed -n 's/.*uuid = "\([^"]*\)".*/\1/p' t/metadata | head -1 | tr -d -)" \
	"$(od -An -v -tx1 -w4096 -j4 -N16 t/cpu1 | tr -d ' \n')"
check "hotplug: the reference reader opens it" babeltrace2 t -o dummy

# The ring of a CPU that came back is trimmed as before.
ft_load_test ft_bench
"$FT" record --flight --session back -s 4096 -o f -e bench -- sh -c "
	fire() {
		for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
			taskset -c 1 sh -c 'echo 500 >$PARAMS/ft_bench/parameters/event'
			sleep 0.02
		done
	}
	fire; echo 0 >$control; echo 1 >$control; fire
	'$FT' status --session back --tsv >back" 2>log
check "hotplug: a flight recorder: the ring of a CPU that came back keeps the latest" \
	test "$(awk -F'\t' '
		$1 == "#cpu" { for (i = 1; i <= NF; i++) column[$i] = i }
		$1 == "cpu" && $column["cpu"] == 1 { print $column["overwritten"] }' back)" -ge 4096
rmmod ft_bench

# Off and on under fire of the locks, too.
if ft_has_locks; then
	"$FT" record -o l --locks -- sh -c "
		for i in \$(seq $(rounds 8 3 2)); do
			echo 0 >$control; echo 1 >$control
		done" 2>log
	status=$?
	if ((status == 0 || status == 3)); then
		ok "hotplug: with lock events"
	else
		fail "hotplug: with lock events" "$(tail -3 log)"
	fi
	check "hotplug: with lock events: the trace opens" babeltrace2 l -o dummy
fi

echo 1 >$control
rmmod ft_fire
check "hotplug: rmmod" ft_unload
finish
