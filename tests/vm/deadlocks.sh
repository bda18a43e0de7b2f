# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Cycles of locks, and locks that interrupts take, against what a module does: ft report finds
# each, and none where there is none. With FT_DEADLOCK=CASE, on a kernel with PROVE_LOCKING, that
# says the same of this case; it looks no further after its first complaint, so a boot is for one.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ft_load
if ! ft_has_locks; then
	skip "deadlocks" "this kernel has no lock events"
	ft_unload
	finish
fi
ft_load_test ft_deadlocks
RUN=$PARAMS/ft_deadlocks/parameters/run
# Without /proc/kcore, as on the debug kernel, code cannot be searched for calls: trylocks count
# as acquisitions that wait, and of interrupts only those that came tell.
CALLS=$([[ -e /proc/kcore ]] && echo 1 || echo 0)

# record CASE: report.json of it
record() {
	rm -rf t
	"$FT" record -q -o t --locks --slots 256k -- bash -c "echo $1 >$RUN" 2>log
	same "deadlocks: $1: recorded, and nothing lost" "0 0" "$? $(session t lost)"
	"$FT" report --json --top 0 t >report.json
	same "deadlocks: $1: exit status of the report" 0 $?
	same "deadlocks: $1: the trace tells which functions were called, where it can" "$CALLS" \
		"$([[ -s t/info/lock_calls ]] && echo 1 || echo 0)"
}

# cycles: those of the module, and how they were seen
cycles() {
	jq -r '. as $r | [$r.cycle[] | . as $c | {seen, names: [$r.cycle_edge[] |
		select(.row | startswith($c.row + ":")).from]} |
		select(.names | any(startswith("deadlock_"))) |
		.seen + " " + ([.names[] | sub(" .*"; "")] | sort | join(" "))] | sort | join("; ")' report.json
}

# unsafe: the same of locks that interrupts take
unsafe() {
	jq -r '[.irq_unsafe[] | select(.class | startswith("deadlock_")) |
		"\(.class | sub(" .*"; "")) \(.interrupt) certain=\(.certain)"] | sort | join("; ")' report.json
}

# planted CASE CYCLES UNSAFE
planted() {
	record "$1"
	same "deadlocks: $1: cycles" "$2" "$(cycles)"
	same "deadlocks: $1: locks that interrupts take" "$3" "$(unsafe)"
}

# found CASE: what planted() is to find
found() {
	case $1 in
	abba) planted abba "observed deadlock_a deadlock_b" "" ;;
	cycle) planted cycle "observed deadlock_a deadlock_b deadlock_c" "" ;;
	irq) planted irq "" "$( ((!CALLS)) || echo "deadlock_irq hardirq certain=0")" ;;
	came) planted came "" "deadlock_irq hardirq certain=1" ;;
	safe) planted safe "$( ((CALLS)) || echo "observed deadlock_a deadlock_b")" "" ;;
	esac
}

# proved CASE: what the kernel says, taken out of its log
proved() {
	local want
	case $1 in
	abba | cycle) want='possible circular locking dependency' ;;
	irq | came) want='inconsistent lock state' ;;
	*) want= ;;
	esac
	dmesg >kernel.log
	dmesg -c >/dev/null
	grep -E 'WARNING:|deadlock_[abc]|deadlock_irq' kernel.log | head -n 12 | sed 's/^/    /'
	if [[ -n $want ]]; then
		check "deadlocks: $1: lockdep finds it, too" grep -q "WARNING: $want" kernel.log
		check "deadlocks: $1: in the same lock" grep -Eq '\(deadlock_(a|irq)\)' kernel.log
	else
		same "deadlocks: $1: lockdep has nothing to say" "" "$(grep 'WARNING:' kernel.log)"
	fi
}

if [[ -n ${FT_DEADLOCK:-} ]]; then
	found "$FT_DEADLOCK"
	proved "$FT_DEADLOCK"
else
	for name in abba cycle irq came safe; do
		found "$name"
	done
	"$FT" report --top 5 t | sed -n '/^WARNING: locks\|^Locks that interrupts/,/^$/p' | cut -c1-160 | sed 's/^/    /' | head -40
	jq '{cycles: (.cycle | length), unsafe: (.irq_unsafe | length),
		nested: (.nested_class | length), search: .order_search}' report.json | sed 's/^/    /'
fi
rmmod ft_deadlocks
check "deadlocks: rmmod" ft_unload
finish
