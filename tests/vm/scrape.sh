# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
#
# Monitoring systems: Prometheus and VictoriaMetrics scrape two hosts, and say how long locks
# are held there. One host is ft monitor. The other one is an HTTP server with what ft sensors
# --openmetrics has written, as a textfile collector would have it.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/vm/lib.sh
. "$HERE/lib.sh"

if [[ -z ${FT_SERVERS:-} ]]; then
	skip "scrape" "no Prometheus: run scripts/setup test"
	finish
fi
if ! ft_load; then
	fail "scrape: loading the module" "see above"
	finish
fi
if ! ft_has_locks; then
	skip "scrape" "this kernel has no lock events"
	ft_unload
	finish
fi
cd "$WORK" || exit 2
ip link set lo up
EXAMPLES=$FT_TOP/Documentation/examples/monitoring
PROMETHEUS=http://127.0.0.1:9090 VICTORIA=http://127.0.0.1:8428
SERVERS=()

# serve NAME COMMAND...: a server that ends with this test
serve() {
	"${@:2}" >"$1.log" 2>&1 &
	SERVERS+=($!)
}

end_servers() {
	kill "${SERVERS[@]}"
	wait "${SERVERS[@]}"
	SERVERS=()
}
trap 'kill "${SERVERS[@]}" 2>/dev/null; rm -rf "$WORK"' EXIT

# [at=SECONDS] query URL PROMQL: what that server answers, of now or of that moment
query() {
	curl -sf --max-time 60 --data-urlencode "query=$2" ${at:+-d "time=$at"} "$1/api/v1/query"
}

# has URL N PROMQL: are there N series?
has() {
	[[ $(query "$1" "$3" | jq '.data.result | length') == "$2" ]]
}

# near A B: is the one off the other by no more than a bucket and a bin are wide? The last few
# of 150 values decide, and a bin that lies in two buckets gives the lower one nothing of one value.
near() {
	echo "$1 and $2"
	awk -v a="$1" -v b="$2" '
	BEGIN { most = 1.25 * 1.25; exit !(a > 0 && b > 0 && a <= most * b && b <= most * a) }'
}

# number PROMQL URL: the value of its one series
number() {
	query "$2" "$1" | jq -r '.data.result | select(length == 1)[0].value[1]'
}

# sensed: how many semaphores were held
sensed() {
	curl -s http://127.0.0.1:9117/metrics |
		awk '/^ft_lock_hold_seconds_count{family="semaphore"/ { print $2 }'
}

# has_semaphores URL N: has it heard of so many? The kernel takes one where it logs something.
has_semaphores() {
	has "$1" 1 "ft_lock_hold_seconds_count{host=\"one\", family=\"semaphore\"} >= $2"
}

# p99_of URL RATES: of semaphores of the first host
p99_of() {
	query "$1" "histogram_quantile(0.99, sum by (host, family, le) ($2))" | jq -r '.data.result[] |
		select(.metric == { host: "one", family: "semaphore" }) | .value[1]'
}

# scraped URL: when a server has scraped the first host last
scraped() {
	query "$1" 'timestamp(up{host="one"})' | jq -r '.data.result[0].value[1]'
}

# is_later URL SECONDS: is that after a moment?
is_later() {
	awk -v a="$(scraped "$1")" -v b="$2" 'BEGIN { exit !(a > b) }'
}

# milliseconds FROM TO: between two moments
milliseconds() {
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.0f", (b - a) * 1000 }'
}

# implied NAME URL RATES: is each quantile what the buckets imply?
implied() {
	at=$moment query "$2" "$3" >buckets.json
	at=$moment query "$2" "histogram_quantile(0.99, sum by (host, family, le) ($3))" >quantiles.json
	check "scrape: $2: $1 is what the buckets imply" "$HERE/quantile.py" buckets.json quantiles.json
}

# says TEXT: is it in the how-to?
says() {
	check "scrape: the how-to has: $1" grep -qF -- "$1" "$FT_TOP/Documentation/howto/watch-a-fleet.md"
}

# All lines for the kernel's log are taken, and none is shown: that is what semaphores are
# for in this test, and nobody else has any.
sysctl -q kernel.printk_devkmsg=on
dmesg -n 1

# The host "two": a little work, as text.
says "ft sensors default"
check "scrape: the default sensors" "$FT" sensors default
"$FT_PROGRAMS/families" 20 >/dev/null
mkdir web
says "ft sensors show --openmetrics > feather-trace.prom"
check "scrape: as text" eval '"$FT" sensors show --openmetrics >web/metrics'
"$FT" sensors end '*'

# The host "one".
says "ft monitor --default"
serve monitor "$FT" monitor --default
check "scrape: ft monitor listens" wait_for 60 curl -sf -o first http://127.0.0.1:9117/metrics
check "scrape: it has made the default sensors" grep -q '^ft_lock_wait_seconds_count{family="mutex"}' first
serve web python3 -m http.server --bind 127.0.0.1 --directory web 9118

sed -e 's/scrape_interval: .*/scrape_interval: 2s/' -e '/^rule_files/d' \
	-e 's/host: localhost/host: one/' "$EXAMPLES/prometheus.yml" >both.yml
cat >>both.yml <<-'YAML'
	      - targets: ["127.0.0.1:9118"]
	        labels: {host: two}
YAML
cp "$EXAMPLES/alerts.yml" .
{ cat both.yml; echo "rule_files: [alerts.yml]"; } >prometheus.yml
sed -i 's/scrape_interval: .*/&\n  evaluation_interval: 2s/' prometheus.yml
# One thread each: this machine is a slow one.
export GOMAXPROCS=1
serve prometheus "$FT_SERVERS/prometheus" --config.file=prometheus.yml \
	--storage.tsdb.path=prometheus --web.listen-address=127.0.0.1:9090
serve victoria "$FT_SERVERS/victoria-metrics" -promscrape.config=both.yml \
	-storageDataPath=victoria -httpListenAddr=127.0.0.1:8428 -memory.allowedBytes=128MB \
	-search.latencyOffset=0s
for server in $PROMETHEUS $VICTORIA; do
	check "scrape: $server scrapes both hosts" wait_for 200 has $server 2 'up == 1'
	check "scrape: $server knows their families" \
		wait_for 60 has $server 14 'count by (host, family) (ft_lock_hold_seconds_count)'
done

# What is sensed and what is recorded is the same; a server's series begins before it.
env --default-signal=INT "$FT" record --locks -s 4M -o trace >record.out 2>&1 &
record=$!
wait_for 60 grep -q 'recording' record.out
before=$(sensed)
for server in $PROMETHEUS $VICTORIA; do
	check "scrape: $server has the numbers before it" wait_for 60 has_semaphores $server "$before"
done
# Both servers' times of the trace: from a scrape after its beginning to one before its end.
declare -A from to
began=$(date +%s)
for server in $PROMETHEUS $VICTORIA; do
	check "scrape: $server scrapes in the trace" wait_for 60 is_later $server "$(date +%s.%N)"
	from[$server]=$(scraped $server)
done
"$FT_PROGRAMS/families" 150 >/dev/null
for server in $PROMETHEUS $VICTORIA; do
	check "scrape: $server scrapes all of it" wait_for 60 is_later $server "$(date +%s.%N)"
	to[$server]=$(scraped $server)
done
kill -INT $record
wait $record
"$FT" report --json --top 0 trace >report.json
now=$(sensed)
# semaphore JQ: of the report
semaphore() {
	jq -r ".family[] | select(.row == \"semaphore\") | $1" report.json
}
recorded=$(semaphore .count)

# When the trace began: the first record's time of the day, and since then.
for clock in wall relative; do
	"$FT" dump --tsv --clock=$clock trace 2>/dev/null | sed -n '1,2p;2q' >first.$clock
done
trace_began=$(date -d "$(awk -F'\t' 'NR == 2 { print $1 }' first.wall)" +%s.%N)
trace_began=$(awk -F'\t' -v wall="$trace_began" 'NR == 2 { printf "%.6f", wall - $1 }' first.relative)

# since SECONDS: from the beginning of the trace to that moment
since() {
	awk -v t="$1" -v began="$trace_began" 'BEGIN { printf "%.6f", t - began }'
}

# families URL: number, family and p99 of the sections between two scrapes, by ft report. Where
# there are some hundred, six decide, of which the two may see another one; semaphores' are alike.
families() {
	"$FT" report --json --top 0 --from "$(since "${from[$1]}")" --to "$(since "${to[$1]}")" trace |
		jq -r '.family[] | select(.count >= 1000 or .row == "semaphore") | [.count, .row, .p99_ns / 1e9] | @tsv'
}

# by_family URL: is each family's p99 of that time what ft report says?
by_family() {
	local count family report told found=0 wrong=0 offset
	offset=$(milliseconds "${from[$1]}" "${to[$1]}")ms
	at=${to[$1]} query "$1" "histogram_quantile(0.99, sum by (host, family, le) (
		ft_lock_hold_seconds_bucket - ft_lock_hold_seconds_bucket offset $offset))" >quantiles.json
	while IFS=$'\t' read -r count family report; do
		told=$(jq -r --arg family "$family" '.data.result[] |
			select(.metric == { host: "one", family: $family }) | .value[1]' quantiles.json)
		echo -n "$family, $count sections: "
		near "$told" "$report" || wrong=1
		found=$((found + 1))
	done < <(families "$1")
	((found >= 4 && !wrong))
}
check "scrape: semaphores were taken" test "$recorded" -ge 100
same "scrape: as many were sensed as recorded" "$recorded" $((now - before))

says 'histogram_quantile(0.99, sum by (host, family, le) (rate(ft_lock_hold_seconds_bucket[5m])))'
report=$(semaphore '.p99_ns / 1e9')
sensors=$("$FT" sensors show --json lock/semaphore/hold | jq '.sensors[0].all.p99 / 1e9')
two=$(awk '/^ft_lock_hold_seconds_count{family="semaphore"/ { print $2 }' web/metrics)
for server in $PROMETHEUS $VICTORIA; do
	check "scrape: $server has the last numbers" wait_for 60 has_semaphores $server "$now"
	same "scrape: $server: those of the other host, too" "$two" \
		"$(number 'ft_lock_hold_seconds_count{host="two", family="semaphore"}' $server)"
	# A moment of which nothing changes any more: later ones have been scraped.
	moment=$(($(date +%s) + 1))
	check "scrape: $server goes on" wait_for 60 has $server 2 "timestamp(up) > $moment"
	implied "p99 by host and family" $server ft_lock_hold_seconds_bucket
	same "scrape: $server: of all hosts and families" 14 "$(jq '.data.result | length' quantiles.json)"
	implied "that of five minutes" $server 'rate(ft_lock_hold_seconds_bucket[5m])'
	told=$(p99_of $server ft_lock_hold_seconds_bucket)
	check "scrape: $server: p99 since the beginning is that of ft sensors" near "$told" "$sensors"
	# Two answers of the same sections.
	told=$(at=$moment p99_of $server \
		"ft_lock_hold_seconds_bucket - ft_lock_hold_seconds_bucket offset $((moment - began))s")
	check "scrape: $server: p99 of the time of the trace is that of ft report" near "$told" "$report"
	check "scrape: $server: p99 by family is that of ft report" by_family $server
done

# The examples: the rules work on what is served, and each panel shows something.
rules() {
	curl -s "$PROMETHEUS/api/v1/rules" | jq -r ".data.groups[].rules[] | $1"
}
check "scrape: rules are evaluated" wait_for 60 eval '[[ $(rules .health | sort -u) == ok ]]'
check "scrape: a rule has recorded the same" wait_for 60 has $PROMETHEUS 1 \
	'host_family:ft_lock_hold_seconds:p99{host="one", family="semaphore"} > 0'
while IFS=$'\t' read -r title expr; do
	expr=${expr//\$__rate_interval/5m} expr=${expr//\$__range/5m}
	expr=${expr//\$host/.*} expr=${expr//\$family/.*}
	# Nothing is missing where nothing went wrong.
	expr=${expr% > 0}
	for server in $PROMETHEUS $VICTORIA; do
		check "scrape: the dashboard's '$title' shows something of $server" eval \
			'[[ $(query $server "$expr" | jq ".data.result | length") -gt 0 ]]'
	done
done < <(jq -r '.panels[] | [.title, .targets[].expr] | @tsv' "$EXAMPLES/dashboard.json" | sed 's/\\\\/\\/g')

# It reads the older format, in which HELP has the name of the series: OpenMetrics' has the
# family's, without _total.
same "scrape: promtool has no other complaint" "" "$(curl -s http://127.0.0.1:9117/metrics |
	"$FT_SERVERS/promtool" check metrics 2>&1 | grep -v '_total no help text$')"
end_servers
check "scrape: the sensors have ended with ft monitor" eval '[[ -z $("$FT" sensors list --tsv | sed 1d) ]]'
check "scrape: the module can be unloaded" ft_unload
finish
