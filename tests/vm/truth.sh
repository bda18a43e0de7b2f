# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Sensors against what is known: a module holds locks of each family, and waits for them,
# and says between what limits these times lie.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ft_load clock=mono
if ! ft_has_locks; then
	skip "truth" "this kernel has no lock events"
	ft_unload
	exit 0
fi
ft_load_test ft_known
KNOWN=$PARAMS/ft_known/parameters

# measured WHAT FAMILY LOCK: number, sum in ns, the longest, and how many are in all bins.
# There may be more locks than rows, but not more call sites, of which only the module's
# begin so. Who waits is told by the lock.
measured() {
	jq -r --arg name "known/$2/$1" --arg lock "$3" --arg by "${by[$1]}" '
		.sensors[] | select(.name == $name) | .rows[] |
		select(if $by == "site" then .name | startswith("known_") else .key == $lock end) |
		"\(.count) \(.sum) \(.max) \(.under + .over + ([.bins[].count] | add // 0))"' shown
}
declare -A by=([hold]=site [wait]=lock)

# between LOW VALUE HIGH
between() {
	awk -v low="$1" -v value="$2" -v high="$3" \
		'BEGIN { exit !(value + 0.001 >= low && value - 0.001 <= high) }'
}

# Where an unlock of raw spinlocks is inlined, they have no events.
without=
"$FT" list --tsv | grep -q raw_spin_acquire || without=raw_spin

# known hold|wait
known() {
	grep "^$1 " $KNOWN/known | grep -v -w "${without:-none}"
}

# truth hold|wait N: each lock is held, or waited for, N times
truth() {
	local family lock n sum_low sum_high max_low max_high count sum max bins name

	while read -r _ family _; do
		check "truth: $1($family)" \
			"$FT" sensors new "known/$family/$1" "$1($family) by ${by[$1]}" \
			--rows 1024 --width 16384 --bins 64
	done < <(known "$1")
	check "truth: $1: $2 of each" sh -c "echo $2 >$KNOWN/$1"
	"$FT" sensors show --json --top 0 >shown
	"$FT" sensors end 'known/*'
	while read -r _ family lock n sum_low sum_high max_low max_high; do
		name="truth: $1($family)"
		# Who waits there for a writer waits for the mutex in it.
		[[ "$1 $family" != "wait rwsem_write" || $(uname -v) != *PREEMPT_RT* ]] || continue
		# A debug kernel's mutexes have no fast path: whoever takes one begins to wait.
		[[ "$1 $family" != "wait mutex" || $FT_KERNEL != debug ]] || continue
		read -r count sum max bins < <(measured "$1" "$family" "$lock")
		same "$name: number, and that of all bins" "$n $n" "$count $bins"
		check "$name: sum: $sum_low <= $sum <= $sum_high" \
			between "$sum_low" "$sum" "$sum_high"
		check "$name: longest: $max_low <= $max <= $max_high" \
			between "$max_low" "$max" "$max_high"
	done < <(known "$1")
}

truth hold "$(rounds 200 80 24)"
truth wait "$(rounds 40 20 8)"

rmmod ft_known

# What nothing preempts is among the default sensors on PREEMPT_RT, too, and they are no larger.
check "truth: the default sensors" "$FT" sensors default
same "truth: the default sensors: raw spinlocks, where they have events" \
	"$([[ -n $without ]] || echo lock/raw_spin/hold)" \
	"$("$FT" sensors list --tsv | grep -o lock/raw_spin/hold)"
# in_all NUMBER: of the two families of spinlocks
in_all() {
	jq -c "[.sensors[] | select(.name | test(\"spin/hold\")) | $1]" shown
}
if [[ -z $without ]]; then
	check "truth: something to count" compile
	"$FT" sensors show --json --top 0 >shown
	echo "    $(in_all .all.count) sections at $(in_all '.rows | length') call sites"
	check "truth: the default sensors: both families of spinlocks count" \
		test "$(in_all .all.count | jq 'length == 2 and min > 100')" = true
	# Rows are found by a hash, so a few call sites have none, before all rows are taken.
	same "truth: the default sensors: nearly all sections have a row" "[true,true]" \
		"$(in_all '100 * (.crowded + .emptied) < .all.count')"
	same "truth: the default sensors: no wait is in two of them" 1 \
		"$(jq '[.sensors[] | select(.name | test("spin/wait"))] | length' shown)"
	sizes=$(python3 "$(dirname "$0")/sensor_sizes.py" "$FT_MODULES/feather_trace.ko" 1048575 2>&1)
	same "truth: the default sensors need less than 1 MiB of each CPU" 0 $?
	sed 's/^/    /' <<<"$sizes"
fi
"$FT" sensors end '*'
check "truth: rmmod" ft_unload
finish
