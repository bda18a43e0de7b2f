# SPDX-License-Identifier: GPL-2.0-only OR MIT
# ft report --rt against what is known: a module's three real-time threads make priority
# inversions on a lock without inheritance, and none on one with it. FT_INVERSIONS=N: so many of
# each kind.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

# Others may let a thread of the kernel give a lock up before they preempt it.
if [[ $(uname -v) != *PREEMPT_RT* ]]; then
	skip "inversion" "this kernel has no PREEMPT_RT"
	exit 0
fi
cd "$WORK" || exit 2
ft_load clock=mono
N=${FT_INVERSIONS:-5}
# What ft report --rt says to record, where it is not.
EVENTS='sched_*,irq_*,softirq_*,local_timer_*,reschedule_*,call_function_*'
PRIORITIES=(10 50 98)	# above it are only the kernel's own, which stop a CPU
KNOWN=$PARAMS/ft_inversion/parameters

# value TABLE COLUMN: of the row of ft_high, or 0
value() {
	awk -F'\t' -v table="$1" -v column="$2" '
		$1 == table && $3 == "name" { name[$2] = $4 }
		$1 == table && $3 == column { value[$2] = $4 }
		END { for (row in name) if (name[row] == "ft_high") n = value[row]
		      print n ? n : 0 }' report
}

# at_least A B
at_least() {
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a + 0.001 >= b) }'
}

# inherited LOW HIGH: of sched_pi_setprio, how often the one got the other's priority, and lost it
inherited() {
	"$FT" dump --raw --tsv -e sched_pi_setprio t | awk -v low="task=$1 " -v high="from=$2 " '
		index($0, low) && index($0, high) && /new_prio=1\t/ && /own_prio=89 old_prio=89$/ { got++ }
		index($0, low) && /from=0 / && /new_prio=89\t/ && /own_prio=89 old_prio=1$/ { lost++ }
		END { print got + 0, lost + 0 }'
}

# inversions LOCK near|far INVERTED INHERITED: so many of both are found
inversions() {
	local name="inversion: $1, $2" threads i n least most
	rm -rf t
	ft_load_test ft_inversion "lock=$1" "far=$([[ $2 == far ]] && echo 1 || echo 0)"
	read -r -a threads <"$KNOWN/threads"
	for i in 0 1 2; do
		chrt -f -p "${PRIORITIES[i]}" "${threads[i]}" || fail "$name: chrt" "$?"
	done
	"$FT" record -o t --locks -e "$EVENTS" --slots 256k -- sh -c "echo $N >$KNOWN/run" 2>log
	same "$name: recorded, and nothing lost" "0 0" "$? $(session t lost)"
	read -r n least most <"$KNOWN/known"
	same "$name: so many turns" "$N" "$n"
	rmmod ft_inversion
	"$FT" report --rt --task ft_high --tsv --top 0 t >report
	same "$name: exit status" 0 $?
	same "$name: priorities that were inherited, and given back" \
		"$([[ $1 == mutex ]] && echo "$N $N" || echo "0 0")" \
		"$(inherited "${threads[0]}" "${threads[2]}")"
	# Those of other tasks, which may come at any time, are known as well.
	same "$name: which the report knows" "$("$FT" dump -e sched_pi_setprio t | grep -c -m 1 -F sched_pi_setprio)" \
		"$(awk -F'\t' '$1 == "rt" && $3 == "inheritance_known" { print $4 }' report)"
	same "$name: waits of the one with the highest priority" "$N" "$(value rt_blocking count)"
	same "$name: inversions, and those that inheritance shortened" "$3 $4" \
		"$(value rt_inversion count) $(value rt_inversion inherited_count)"
	check "$name: observed blocking is no more than what was waited" \
		at_least "$most" "$(value rt_blocking total_ns)"
	if (($3 + $4)); then
		same "$name: who holds the lock, and who runs" "ft_low ft_middle" \
			"$(value rt_inversion holder_name) $(value rt_inversion runner_name)"
		same "$name: their priorities" "1 89 49" "$(value rt_inversion prio) $(
			value rt_inversion holder_prio) $(value rt_inversion runner_prio)"
	fi
	if (($3)); then
		check "$name: as long as the middle one had the CPU" \
			at_least "$(value rt_inversion total_ns)" "$least"
		check "$name: and no longer than was waited" \
			at_least "$most" "$(value rt_inversion total_ns)"
	fi
	"$FT" report --rt --task ft_high t >text
	same "$name: in words, which tell what was observed, and no bound" "0 observed" \
		"$? $(grep -o -w -i 'observed\|bounds\?' text | tr '[:upper:]' '[:lower:]' |
			sort -u | xargs)"
}

inversions semaphore near "$N" 0
sed 's/^/    /' text
(($(nproc) < 2)) || inversions semaphore far "$N" 0
# The holder of a mutex inherits. On one CPU it then runs before the middle one can; on another
# CPU that one runs already, and has to be stopped first.
inversions mutex near 0 0
(($(nproc) < 2)) || inversions mutex far 0 "$N"
sed 's/^/    /' text

check "inversion: rmmod" ft_unload
finish
