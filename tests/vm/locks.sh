# SPDX-License-Identifier: GPL-2.0-only OR MIT
# The study itself: a parallel compile and hackbench with all lock events on; the
# trace opens without a warning and every acquisition has its release.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

# The trace comes back to the host: babeltrace2 reads millions of events faster
# there (tests/vm/run).
rm -rf "$FT_OUT/traces"
mkdir -p "$FT_OUT/traces"
cd "$FT_OUT/traces" || exit 2
ft_load
if ! ft_has_locks; then
	skip "locks" "the kernel has no lock triggers (not patched)"
	ft_unload
	exit 0
fi

# Two more on PREEMPT_RT, where raw spinlocks are another kind of lock.
count=14
[[ $(uname -v) != *PREEMPT_RT* || $(uname -r) == 6.1.* ]] || count=16
same "locks: $count events" $count "$("$FT" list --tsv | grep -c -E '_(acquire|release)')"
"$FT" list --tsv | awk -F'\t' '$2 ~ /_(acquire|release)$/ && $7 == 0 { print "    no trigger: " $2; bad = 1 } END { exit bad }'
same "locks: each has triggers" 0 $?

export -f compile rounds
export WORK
"$FT" record -o locks --locks --slots 1048576 -- bash -c 'compile; hackbench -g 2 -l $(rounds 100 10 5)' \
	>"$WORK/log" 2>&1
status=$?
tail -4 "$WORK/log" | sed 's/^/    /'
records=$(session locks records)
lost=$(session locks lost)
same "locks: exit status" "$((lost ? 3 : 0))" $status
least=$(rounds 1000000 100000)
if ((records >= least)); then
	ok "locks: $records records, $least or more"
else
	fail "locks: $least records" "only $records"
fi

"$FT" report locks --tsv --balance >"$WORK/report.tsv"
status=$?
same "locks: report's exit status" "$((lost ? 3 : 0))" $status
"$FT" report locks | head -40 | sed 's/^/    /'
if ((lost == 0)); then
	check "locks: balances are exact but for the ends" \
		bash "$FT_TOP/tests/vm/balance.sh" "$WORK/report.tsv"
else
	skip "locks: balances" "$lost records were lost"
fi

# Switching under load, all at once and one by one.
hackbench -g 1 -f 2 -l 20000 >/dev/null 2>&1 &
load=$!
bad=0
ROUNDS=$(rounds 30 5 2)
for ((i = 0; i < ROUNDS; i++)); do
	"$FT" enable 'spin_*' 'mutex_*' 'rwsem_*' --persist || bad=1
	"$FT" disable --all || bad=2
done
kill $load 2>/dev/null
wait $load 2>/dev/null
same "locks: toggled $ROUNDS times under load" 0 $bad

check "locks: rmmod" ft_unload
finish
