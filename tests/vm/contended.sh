# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Two CPUs contend for a raw spinlock: a release is stamped before the lock is free, and an
# acquisition after it is had, so sections follow each other. On PREEMPT_RT it is a lock of its
# own kind, and the report counts its sections as time without preemption.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ft_load
family=spin
[[ $(uname -v) != *PREEMPT_RT* ]] || family=raw_spin
if ! "$FT" list --tsv | grep -q -P "\t${family}_acquire\t"; then
	skip "contended" "this kernel has no events $family"
	same "contended: neither the one nor the other" 0 \
		"$("$FT" list --tsv | grep -c -P "\t${family}_release\t")"
	ft_unload
	finish
	exit
fi
ft_load_test ft_contended
N=$(rounds 4000 1000 200)
RUN=$PARAMS/ft_contended/parameters
LOCK=0x$(awk '$3 == "contended_lock" { print $1 }' /proc/kallsyms)

check "contended: recorded" "$FT" record --ordered -o t --locks -e sched_switch --slots 262144 -- \
	sh -c "echo $N >$RUN/run"
same "contended: the lock was taken" $((2 * N)) "$(<$RUN/taken)"
"$FT" dump --raw --tsv t | awk -v lock="lock=$LOCK" -v family="$family" '
	FNR == 1 {
		for (i = 1; i <= NF; i++)
			column[$i] = i
		next
	}
	$column["a"] == lock && $column["event"] ~ /_(acquire|release)$/ {
		if ($column["event"] == family "_acquire") {
			n++
			bad += held
			held = 1
			cpus[$column["cpu"]]
		} else if ($column["event"] == family "_release") {
			bad += !held
			held = 0
		} else {
			others++
		}
	}
	END {
		for (cpu in cpus)
			k++
		print n + 0, "sections on", k + 0, "CPUs,", bad + 0, "overlap,", others + 0, "others"
	}' >got
same "contended: no two sections overlap" "$((2 * N)) sections on 2 CPUs, 0 overlap, 0 others" \
	"$(<got)"
"$FT" report --tsv --top 0 --lock contended_lock t >report.tsv
same "contended: the report has them in one family" "$family $((2 * N))" \
	"$(awk -F'\t' '$1 == "family" && $3 == "count" && $4 { print $2, $4 }' report.tsv)"
same "contended: sections without preemption" "$((2 * N))" \
	"$("$FT" report --rt --tsv --lock contended_lock t | awk -F'\t' -v family="$family" \
		'$1 == "rt_nonpreemptible" && $2 == family && $3 == "count" { print $4 }')"
same "contended: nothing of them is missing" 0 \
	"$("$FT" report --rt t | grep -c 'raw spinlocks of PREEMPT_RT: it has no events')"

rmmod ft_contended
check "contended: rmmod" ft_unload
finish
