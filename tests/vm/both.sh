# SPDX-License-Identifier: GPL-2.0-only OR MIT
# ft record --user: one trace of the kernel's locks and events and of a program's, on one
# clock, and in order.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ft_load
PATH=$FT_PROGRAMS:$PATH
mkdir -p "$FT_OUT/traces"

# value FILE TABLE ROW COLUMN, of what ft report --tsv printed
value() {
	awk -F'\t' -v t="$2" -v r="$3" -v c="$4" \
		'$1 == t && $2 == r && $3 == c { print $4 }' "$1"
}

# --- one clock: a mark lies between two events of the program ---

N=$(rounds 5000 500)
"$FT" record -o marks --user -e mark,user:before,user:after -- between marks "$N" >out 2>log
same "both: a recording of marks" 0 $?
sed 's/^/    /' log
"$FT" dump --tsv --clock=ticks marks >dump.tsv
same "both: ft dump's status" 0 $?
awk -F'\t' 'NR > 1 { print $6, $7 }' dump.tsv | sed 's/ [a-z]*=/ /' >order
for ((i = 0; i < N; i++)); do
	printf 'before 0x%x\nmark 0x%x\nafter 0x%x\n' "$i" "$i" "$i"
done >want
check "both: each of $N marks lies between the two events around it" cmp want order
awk -F'\t' 'NR > 2 { d = $1 - last; if (NR == 3 || d < least) least = d }
	{ last = $1 } END { print "    least distance of two records: " least " ticks" }' dump.tsv
babeltrace2 --clock-cycles marks >cycles 2>errors
same "both: babeltrace2 reads it, silently" "0 " "$? $(head -c 200 errors)"
sed 's/^\[0*//; s/\].*) \([a-z_]*\): .*/ \1/' cycles | sort -n -s -c -k1,1 2>errors
same "both: in order of time" 0 $?
same "both: as many records" "$((3 * N))" "$(wc -l <cycles)"
same "both: of the kernel and of the program" "$((3 * N)) $((2 * N))" \
	"$(session marks records) $(session marks program_records)"

# --- the locks of both ---

if ft_has_locks; then
	N=$(rounds 2000 200)
	"$FT" record -o "$FT_OUT/traces/both" --force --locks --user --slots 1048576 \
		--user-slots 262144 -- between crowd "$N" >out 2>log
	same "both: locks: exit status" 0 $?
	sed 's/^/    /' log
	t=$FT_OUT/traces/both
	same "both: locks: nothing was lost" 0 "$(session "$t" lost)"
	"$FT" report --tsv --balance --top 0 "$t" >report.tsv
	same "both: report's exit status" 0 $?
	check "both: balances are exact but for the ends" \
		bash "$FT_TOP/tests/vm/balance.sh" report.tsv
	same "both: every section of the program" "$((8 * N)) 0" \
		"$(value report.tsv family pthread_mutex count) $(value report.tsv balance all:pthread_mutex difference)"
	same "both: their depths are theirs alone" "$((4 * N)) $((4 * N)) " \
		"$(value report.tsv depth program 0) $(value report.tsv depth program 1) $(value report.tsv depth program 2)"
	check "both: and the kernel's sections are there" \
		test "$(value report.tsv group spinning count)" -gt "$((4 * N))"
	# The threads' tasks: rows of the kernel's locks and of the program's, one name.
	awk -F'\t' '$1 == "task" && $3 == "name" && $4 == "between" {
			split($2, row, ":"); seen[row[1] == "pthread_mutex", row[2]] = 1 }
		END { for (k in seen) { split(k, key, SUBSEP)
			if (key[1] && (0, key[2]) in seen) n++ }; print n + 0 }' report.tsv >joined
	same "both: threads have their locks of both" 4 "$(cat joined)"
	# What began inside of the longest of the program: of its thread, or an interrupt.
	awk -F'\t' '$1 == "longest" && $3 == "tid" { tid[$2] = $4 }
		$1 == "inside" && $2 ~ /^program:/ {
			split($2, row, ":"); outer = row[1] ":" row[2]
			if ($3 == "tid" && $4 != tid[outer]) wrong++
			if ($3 == "family" && $4 ~ /^(rt_)?spin$/) spin++
			if ($3 == "family" && $4 ~ /^pthread/) own++ }
		END { print wrong + 0, (spin > 0), (own > 0) }' report.tsv >inside
	same "both: the longest show what the kernel did for their thread" "0 1 1" "$(cat inside)"
	same "both: no wait of the program has one end only" 0 "$(value report.tsv wait - cut_other)"
	"$FT" report "$t" >report.txt
	for word in 'all spinning' 'all programs' 'program, by thread' 'outer \[between\]'; do
		check "both: the report for people has '$word'" grep -q -- "$word" report.txt
	done
	grep -A12 "longest sections of programs" report.txt | sed 's/^/    /'
	awk -F'\t' '$1 == "task" && $3 == "name" && $4 == "ft-programs" { row[$2] }
		$1 == "task" && $3 == "count" && $2 in row { n += $4 }
		END { print "    sections of the thread that reads the programs: " n + 0 }' report.tsv
else
	skip "both: locks" "the kernel has no lock triggers (not patched)"
fi

# --- losses ---

"$FT" record -o lost --user -e mark,user:before --user-slots 128 -- between flood 300000 >out 2>log
same "both: lost by the program: exit status" 3 $?
lost=$(session lost program_lost)
same "both: lost and written are all" 300000 "$((lost + $(session lost program_records)))"
check "both: and it is told" grep -q "LOST $lost records of programs" log

# --- who may ---

as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"
}
chmod 755 "$WORK"
mkdir open && chmod 777 open
as_nobody "$FT" record -o open/n --user -e mark,user:before -- between marks 5 2>log
same "both: without rights: exit status" 125 $?
check "both: without rights: the way out" grep -q CAP_PERFMON log

# ft has them from its file; the program has none, and opens the session all the same.
cp "$FT" "$(dirname "$FT")"/libfeathertrace*.so* "$WORK/"
if command -v setcap >/dev/null && setcap cap_perfmon,cap_syslog=ep "$WORK/ft" 2>/dev/null; then
	# as scripts/udev has it
	chgrp 65534 /dev/ft_trace*
	chmod g+w /dev/ft_trace*
	as_nobody "$WORK/ft" record -o open/c --user -e mark,user:before -e user:locks -- \
		between nested 50 >out 2>log
	same "both: rights from ft's file: exit status" 0 $?
	sed 's/^/    /' log
	same "both: and the program is recorded" 200 "$(session open/c program_records)"
	chmod g-w /dev/ft_trace*
	chgrp 0 /dev/ft_trace*
else
	skip "both: rights from ft's file" "no setcap here"
fi

unshare --pid --fork --mount-proc "$FT" record -o p --user -e mark,user:before -- true 2>log
same "both: another PID namespace: exit status" 125 $?
check "both: another PID namespace: is named" grep -q "PID namespace" log

"$FT" list --tsv | awk -F'\t' '$5 ~ /^[0-9]+$/ && $5 > 0 { exit 1 }'
same "both: nothing is left enabled" 0 $?
check "both: rmmod" ft_unload
finish
