# SPDX-License-Identifier: GPL-2.0-only OR MIT
# The same workload, traced through the kernel patch and by wrapping the lock
# functions: the counts per family are the same, as far as they are the same from
# one run to the next.
#
# Both in one boot of a patched kernel, in turn, REPEATS times each. The workload
# (families.c) is one task on one CPU. Only events of that task outside interrupts,
# from its birth to its end, are counted: all others depend on what else the machine
# does. For each event, the medians of the two sources may differ by no more than the
# runs of one source; and these by no more than a fourth, so that an event which is
# recorded only now and then does not excuse itself by its own spread.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
if ! { ft_load locks=patch && ft_unload && ft_load locks=attach; } 2>/dev/null; then
	skip "same" "this kernel does not have both, the patch and functions to wrap"
	ft_unload
	exit 0
fi
check "same: locks=attach wraps on a kernel with the patch" ft_wraps
check "same: and ft functions shows them" grep -q -P '^mutex_lock\t' <("$FT" functions --tsv)
ft_unload

# The kernel would let ten lines pass.
sysctl -q -w kernel.printk_devkmsg=on

REPEATS=5
ROUNDS=$(rounds 200 20)

# count SOURCE: records the workload; appends lines of source, event, count. Whether a task
# has to wait for a lock is chance, so waits are not compared.
count() {
	ft_load "locks=$1" || return
	rm -rf t
	"$FT" record -o t --locks --slots 1048576 -- \
		sh -c "'$FT_PROGRAMS/families' $ROUNDS >task" 2>log || {
		cat log
		return 1
	}
	grep -q -P "^\tlock_source = \"$1\"" t/metadata || return
	"$FT" dump --raw --tsv t | awk -v source="$1" -v task="$(cat task)" '
		NR == 1 {
			for (i = 1; i <= NF; i++)
				column[$i] = i
			next
		}
		$column["tid"] == task && $column["ctx"] == "00" &&
			$column["event"] ~ /_(acquire|release)$/ { n[$column["event"]]++ }
		END { for (e in n) print source, e, n[e] }' >>counts || return
	ft_unload
}

for ((i = 1; i <= REPEATS; i++)); do
	for source in patch attach; do
		check "same: run $i, locks=$source" count $source
	done
done

# event, its counts with the patch and wrapped, what is wrong: nothing if it is well
compare() {
	awk -v repeats="$REPEATS" '
		{ n[$1, $2] = n[$1, $2] " " $3; events[$2] }
		# Sets median[] and spread[] of a source.
		function look(source, event,	v, i, j, k, swap) {
			k = split(n[source, event], v)
			for (; k < repeats; k++)
				v[k + 1] = 0
			for (i = 2; i <= k; i++)
				for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) {
					swap = v[j]; v[j] = v[j - 1]; v[j - 1] = swap
				}
			median[source] = v[int((k + 1) / 2)] + 0
			spread[source] = v[k] - v[1]
		}
		END {
			for (e in events) {
				look("patch", e)
				look("attach", e)
				apart = median["patch"] - median["attach"]
				if (apart < 0)
					apart = -apart
				most = spread["patch"]
				if (spread["attach"] > most)
					most = spread["attach"]
				wrong = ""
				# Two percent: five quiet runs may be closer
				# together than what five more would show.
				if (apart > most + 0.02 * median["patch"])
					wrong = "apart"
				else if (most * 4 > median["patch"])
					wrong = "the runs differ too much to tell"
				printf "%s\t%d +- %d\t%d +- %d\t%s\n", e, \
					median["patch"], spread["patch"], \
					median["attach"], spread["attach"], wrong
			}
		}' counts | sort
}
compare >compared
same "same: all events of all families are there" 14 "$(wc -l <compared)"
while IFS=$'\t' read -r event patch wrap wrong; do
	same "same: $event: $patch with the patch, $wrap wrapped" "" "$wrong"
done <compared
finish
