# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
#
# ft top: as a table, as JSON, and on a terminal, which tmux is here.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if ! ft_load; then
	fail "top: loading the module" "see above"
	finish
fi
if ! ft_has_locks; then
	skip "top" "this kernel has no lock events"
	finish
fi
ft_load_test ft_bench

# take COUNT: that many critical sections of a spinlock, at one call site
take() {
	echo "$1" >"$PARAMS/ft_bench/parameters/pair"
}

# A terminal that is begun while the last one still ends would end with it.
has_no_terminal() {
	! tmux -L ft list-sessions 2>/dev/null
}
end_terminal() {
	tmux -L ft kill-server
	wait_for 60 has_no_terminal
}

# sleeps PID: does it wait for its time to be over (clock_nanosleep)? Then it counts.
sleeps() {
	[[ $(cat "/proc/$1/syscall") == "230 "* ]]
}

# take_while PID COUNT: while that ft top counts
take_while() {
	wait_for 60 sleeps "$1"
	take "$2"
	wait "$1"
}

# counted FILE: the sections of that call site
counted() {
	jq '[.rows[] | select(.what == "hold" and (.name | startswith("bench_loop_pair"))) | .count] |
		add' "$1"
}

# It uses sensors that are there: with this one no call site is left without a row.
check "top: a large sensor" "$FT" sensors new large 'hold(spin) by site' --rows 1024 --bits 2 --bins 64
"$FT" top --json --rows 0 -d 6 >top.json &
take_while $! 10000
same "top: exit status" 0 $?
same "top: each section of a call site" 10000 "$(counted top.json)"
[[ $(counted top.json) == 10000 ]] ||
	jq -c '.rows[] | [.what, .family, .name, .count]' top.json | head -n 30 | sed 's/^/    /'
check "top: p50, p99 and max are in order" jq -e '.rows | length > 3 and all(.[];
	.p50_ns <= .p99_ns and .p99_ns <= .max_ns)' top.json
check "top: the rows are in order of their times" \
	jq -e '[.rows[].time_ns] | . == (sort | reverse)' top.json

# One that has too few rows, or too wide bins, would show less than its own does.
has() {
	"$FT" sensors list --tsv | grep -q "^$1"$'\t'
}
check "top: a sensor with few rows" "$FT" sensors new few 'hold(mutex) by site' --rows 4
check "top: a sensor with wide bins" "$FT" sensors new wide 'hold(rwsem_read) by site' --bits 1
"$FT" top --json -d 100 >/dev/null &
top=$!
check "top: its own are made" wait_for 60 has top/rwsem_write/wait
check "top: also where one has few rows" has top/mutex/hold
check "top: also where one has wide bins" has top/rwsem_read/hold
check "top: not where one does" eval '! has top/spin/hold'
kill $top
wait $top
"$FT" sensors end few wide

# A trace of the same seconds has the same sections, and times. The sensor is a new one, for the
# longest since it was made, and its bins are 1/4 wide: their middle is within 1/8. In half as many
# rows, with narrower bins, a call site in a hundred boots has no row: it depends on addresses.
"$FT" sensors end large
check "top: a new sensor" "$FT" sensors new large 'hold(spin) by site' --rows 1024 --bits 2 --bins 64
env --default-signal=INT "$FT" record --locks -s 16M -o trace >record.out 2>&1 &
record=$!
wait_for 60 grep -q recording record.out
"$FT" top --json --rows 0 -d 6 >both.json &
take_while $! 5000
kill -INT $record
wait $record
"$FT" report --json --top 0 trace >report.json
same "top: the sections of a trace of the same seconds" \
	"$(jq '[.site[] | select(.symbol | startswith("bench_loop_pair")) | .count] | add' report.json)" \
	"$(counted both.json)"

of_report=$(jq -c '[.site[] | select(.symbol | startswith("bench_loop_pair"))][0] |
	{p50_ns, p99_ns, max_ns}' report.json)
of_top=$(jq -c '[.rows[] | select(.what == "hold" and (.name | startswith("bench_loop_pair")))][0] |
	{p50_ns, p99_ns, max_ns}' both.json)
echo "    in the trace $of_report, in the sensor $of_top"
check "top: p50 and p99 are those of the trace, within an eighth" jq -n -e \
	--argjson a "$of_report" --argjson b "$of_top" \
	'all("p50_ns", "p99_ns"; ($a[.] - $b[.] | fabs) <= $a[.] / 7 + 1)'
# Interrupts are off there: no record has the time of what interrupted it.
same "top: the longest is that of the trace" 1 \
	"$(jq -n --argjson a "$of_report" --argjson b "$of_top" 'if $a.max_ns - $b.max_ns | fabs < 1 then 1 else 0 end')"

for by in family lock task; do
	"$FT" top --once --by $by -d 1 >once
	same "top: by $by: exit status" 0 $?
	check "top: by $by: there are rows" test "$(wc -l <once)" -gt 1
done

# The order of the rows, and which there are: those of an interval have many orders.
for sort in count time_ns p50_ns p99_ns max_ns; do
	"$FT" top --once --json --rows 0 --sort ${sort%_ns} -d 1 >sorted.json
	check "top: --sort ${sort%_ns}: the greatest comes first" jq -e \
		"[.rows[].$sort // 0] | length > 3 and . == (sort | reverse)" sorted.json
done
"$FT" top --once --rows 0 --sort count -d 1 >once
check "top: --sort count: the same for people" \
	awk 'NR > 2 && $2 > last { bad = 1 } { last = $2 } END { exit bad || NR < 4 }' once
"$FT" top --json --rows 0 --filter bench_loop -d 4 >filtered.json &
take_while $! 1000
same "top: --filter: rows with this text, and no others" "1000 true" "$(counted filtered.json) $(
	jq '.rows | all(.[]; .name | contains("bench_loop"))' filtered.json)"
"$FT" top --once --by family --rows 0 --filter spin -d 1 >once
same "top: --filter: a family" "spin hold" \
	"$(awk 'NR > 1 && /hold/ { print $(NF - 1), $NF }' once)"
same "top: --filter: and no other one" "" "$(awk 'NR > 1 && !/spin/' once)"

# in_pane TEXT: does the screen show it?
in_pane() {
	tmux -L ft capture-pane -p -t top | grep -qF -- "$1"
}
# shows NAME TEXT: within a minute
shows() {
	check "top: $1" wait_for 60 in_pane "$2"
}
# press KEY...
press() {
	tmux -L ft send-keys -t top "$@"
}
tmux -L ft new-session -d -s top -x 80 -y 24 "$FT top; echo ended with \$?; sleep 600"
shows "on a terminal" "ft top: kernel locks by site, sorted by time"
# A second one has sensors of its own, and this one does not mind who removes what it uses.
"$FT" top --json -d 1 >second.json
same "top: a second one: exit status" 0 $?
check "top: it has rows" jq -e '.rows | length > 3' second.json
"$FT" sensors end large
press '<'
shows "it goes on without a sensor that it used" "rwsem"
press '>'
press f
shows "by family" "kernel locks by family"
shows "its rows" "spin hold"
press p
shows "sorted by p99" "sorted by p99"
# not_sorted WORD: rows of the screen whose number there, which a unit may follow, is greater
# than in the row above
not_sorted() {
	tmux -L ft capture-pane -p -t top | awk -v at="$1" '
		BEGIN { unit["us"] = 1e3; unit["ms"] = 1e6; unit["s"] = 1e9 }
		/ (hold|wait) *$/ {
			value = $at * (at > 2 && $(at + 1) in unit ? unit[$(at + 1)] : 1)
			if (n++ && value > last)
				print
			last = value
		}
		END { if (n < 3) print n + 0 " rows" }'
}
# The screen may be read while it is drawn, and an interval may have few rows.
is_sorted() {
	[[ -z $(not_sorted "$1") ]]
}
check "top: the rows are in order of p99" wait_for 60 is_sorted 7
press c
shows "sorted by count" "sorted by count"
check "top: the rows are in order of their number" wait_for 60 is_sorted 2
press m
shows "sorted by max" "sorted by max"
check "top: the rows are in order of the longest" wait_for 60 is_sorted 9
press / m u t e x Enter
shows "a filter" "filter: mutex"
# others: rows that are not of mutexes; the head has three lines, and the keys one
others() {
	tmux -L ft capture-pane -p -t top | sed '1,3d' | grep -E ' (hold|wait)' | grep -v mutex
}
same "top: a filter: no other row" "" "$(others)"
press / Escape
press b
shows "since the start" "since the start"
press Space
shows "paused" "[paused]"
# What is seen stays, whatever happens meanwhile, until it goes on.
rows_seen() {
	tmux -L ft capture-pane -p -t top | grep -E ' (hold|wait)'
}
before=$(rows_seen)
check "top: paused: there are rows" test -n "$before"
take 1000
sleep 3
same "top: paused: they stay" "$before" "$(rows_seen)"
press Space
moves() {
	[[ $(rows_seen) != "$before" ]] && ! in_pane "[paused]"
}
check "top: it goes on" wait_for 60 moves
press Space
shows "paused again" "[paused]"
press f
shows "by family again" "kernel locks by family"
press Enter
shows "details: when, by whom and where the longest was" "s after the sensor began, task "
shows "details: the distribution" "##"
press h
shows "its keys are shown" "by family, call site, lock, task"
press h
tmux -L ft resize-window -t top -x 40 -y 8
press l
shows "a small window" "kernel locks by lock"
press q
shows "it ends" "ended with 0"
end_terminal

# Rates are of the time between two looks: no key makes it shorter, and what was counted
# before ft top looks is in none of them.
check "top: a sensor that has counted already" "$FT" sensors new large 'hold(spin) by site' --rows 1024 --bits 2 --bins 64
take 5000
tmux -L ft new-session -d -s top -x 100 -y 24 "$FT top -d 600 --filter bench_loop; sleep 600"
shows "it looks at it" "by site"
press l
shows "another table" "by lock"
press s
shows "and the first one again" "by site, sorted by time, the last 0.0 s"
check "top: a key shows nothing of the time before" eval '! in_pane bench_loop_pair'
end_terminal
tmux -L ft new-session -d -s top -x 100 -y 24 "$FT top --by family -d 2; sleep 600"
# interval: how long it says that is, and whether each rate is the number in that time.
interval() {
	tmux -L ft capture-pane -p -t top | awk '
		function number(s) {
			return (s + 0) * (s ~ /M$/ ? 1e6 : s ~ /k$/ ? 1e3 : 1)
		}
		/^ft top/ { match($0, /the last [0-9.]+ s/); seconds = substr($0, RSTART + 9) + 0 }
		/ (hold|wait)/ && $2 > 1000 && seconds {
			off = number($1) * seconds / $2
			if (off < 0.9 || off > 1.1)
				print "rate " $1 " of " $2 " in " seconds " s"
		}
		END { if (seconds < 2) print "looked after " seconds " s" }'
}
has_interval() {
	in_pane "spin hold" && [[ -z $(interval) ]]
}
check "top: it has looked twice" wait_for 60 has_interval
wrong=
for key in c T p m c T h h c T p m c T; do
	press $key
	wrong+=$(interval)
done
same "top: keys do not shorten the time between two looks" "" "$wrong"
end_terminal
"$FT" sensors end large

"$FT" top >out 2>&1
same "top: no terminal: exit status" 2 $?
check "top: and says what to do" grep -q -- "--once or --json" out
# The one in the terminal that was closed ends by a signal, a moment later.
has_no_sensor() {
	[[ -z $("$FT" sensors list --tsv | grep top/) ]]
}
check "top: nothing stays on" wait_for 60 has_no_sensor
rmmod ft_bench
check "top: the module can be unloaded" ft_unload
finish
