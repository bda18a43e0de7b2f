# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
#
# ft monitor: what monitoring systems get.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if ! ft_load; then
	fail "monitor: loading the module" "see above"
	finish
fi
ft_load_test ft_bench
ip link set lo up
URL=http://127.0.0.1:9117
URL2=http://127.0.0.1:9118

# reads FILE: does a strict reader take it, and no series come twice?
reads() {
	python3 - "$1" <<-'PYTHON'
		import collections, sys
		from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
		seen = collections.Counter((s.name, tuple(sorted(s.labels.items())))
		                           for f in parse(open(sys.argv[1]).read()) for s in f.samples)
		sys.exit(not seen or max(seen.values()) > 1)
	PYTHON
}

# series FILE: families of locks, and instances with a number
series() {
	echo "$(grep -c '^ft_lock_hold_seconds_count{' "$1") $(grep -c '#[0-9]' "$1")"
}

# held FILE: spinlocks
held() {
	awk '/^ft_lock_hold_seconds_count\{family="spin"\}/ { print $2 }' "$1"
}

default_sensors() {
	"$FT" sensors list | grep -c ' lock/'
}

check "monitor: a counter to be served" "$FT" sensors new b/count 'count(bench)'
check "monitor: a histogram" "$FT" sensors new b/index 'bench.index' --width 16 --bins 4
# More bins than there are numbers; a name that other metrics have; rows.
check "monitor: bins beyond 64 bits" "$FT" sensors new b/wide 'bench.index' --bins 600
check "monitor: a counter with the name of a time" "$FT" sensors new lock/spin/hold 'count(bench)'
check "monitor: another one" "$FT" sensors new lock/spin/wait 'count(mark)'
check "monitor: rows" "$FT" sensors new b/rows 'bench.index by word' --rows 64
echo 100 >"$PARAMS/ft_bench/parameters/event"
"$FT" monitor >monitor.out 2>&1 &
monitor=$!
check "monitor: it listens" wait_for 60 curl -sf -o metrics -D head $URL/metrics
same "monitor: it says where" "$URL/metrics" "$(cat monitor.out)"
check "monitor: the type of its answer" grep -qi '^content-type: application/openmetrics-text' head
same "monitor: the counter" 100 "$(awk '$1 == "ft_sensor_events_total{sensor=\"b/count\"}" {
	print $2 }' metrics)"
same "monitor: buckets" "16 32 48 64 100" \
	"$(awk '/^ft_sensor_value_bucket\{sensor="b\/index"/ { print $2 }' metrics | xargs)"
check "monitor: a strict reader takes it, and no series comes twice" reads metrics
same "monitor: rows begin with 0" 0 \
	"$(awk '/^ft_row_values_total\{sensor="b\/rows"/ { n += $2; i++ } END { print i ? n : "none" }' metrics)"
echo 50 >"$PARAMS/ft_bench/parameters/event"
curl -sf -o metrics $URL/metrics
same "monitor: each answer is of its moment" 150 \
	"$(awk '$1 == "ft_sensor_events_total{sensor=\"b/count\"}" { print $2 }' metrics)"
same "monitor: all could be read" "ft_sensors_unreadable 0" "$(grep ^ft_sensors_unreadable metrics)"
same "monitor: another page" 404 "$(curl -s -o out -w '%{http_code}' $URL/)"
same "monitor: another method" 405 "$(curl -s -o out -w '%{http_code}' -d x=y $URL/metrics)"
"$FT" monitor >out 2>&1
same "monitor: a second one: exit status" 1 $?
check "monitor: and says why" grep -q "cannot listen at 127.0.0.1:9117" out
for address in 9117 127.0.0.1: localhost:9117 127.0.0.1:http; do
	"$FT" monitor --listen "$address" >out 2>&1
	same "monitor: --listen '$address' is refused" "1 1" "$? $(grep -c -- "--listen" out)"
done
kill $monitor
wait $monitor
same "monitor: it ends by a signal" 0 $?
check "monitor: the sensors stay" "$FT" sensors end 'b/*' 'lock/*'

# Default sensors of a monitor go with it: others do not count on them.
if ft_has_locks; then
	"$FT" monitor --default >first.out 2>&1 &
	first=$!
	check "monitor: --default: it listens" wait_for 60 curl -sf -o first $URL/metrics
	each=$(default_sensors)
	check "monitor: --default: there are some" test "$each" -ge 14
	"$FT" monitor --default --listen 127.0.0.1:9118 >second.out 2>&1 &
	second=$!
	check "monitor: --default: so does a second one" wait_for 60 curl -sf -o second $URL2/metrics
	same "monitor: --default: which has its own" $((2 * each)) "$(default_sensors)"
	same "monitor: --default: each has a series for a family, and no others" "7 0, 7 0" \
		"$(series first), $(series second)"
	check "monitor: default sensors that are to stay" "$FT" sensors default
	same "monitor: they are made beside those that go" $((3 * each)) "$(default_sensors)"
	check "monitor: and are not made twice" "$FT" sensors default
	same "monitor: once is enough" $((3 * each)) "$(default_sensors)"
	"$FT" sensors show --openmetrics >all
	check "monitor: several instances: a strict reader takes them" reads all
	same "monitor: several instances: one of them is the family's" 7 \
		"$(grep -c '^ft_lock_hold_seconds_count{' all)"
	curl -sf -o second $URL2/metrics
	before=$(held second)
	kill $first
	wait $first
	check "monitor: the second one serves on" curl -sf -o second $URL2/metrics
	same "monitor: the same series" "7 0" "$(series second)"
	check "monitor: they go on from $before" test "$(held second)" -ge "${before:-1}"
	kill $second
	wait $second
	same "monitor: those that are to stay do" $each "$(default_sensors)"
	check "monitor: and a monitor finds them" eval '"$FT" sensors show --openmetrics >all'
	same "monitor: under the same name" "7 0" "$(series all)"
	"$FT" monitor --default >third.out 2>&1 &
	third=$!
	check "monitor: --default: where there are some: it listens" wait_for 60 curl -sf -o third $URL/metrics
	same "monitor: --default: they are enough" "7 0, $each" "$(series third), $(default_sensors)"
	kill $third
	wait $third
	check "monitor: they are removed" "$FT" sensors end '*'
fi
rmmod ft_bench
check "monitor: the module can be unloaded" ft_unload
finish
