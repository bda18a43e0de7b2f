# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
#
# ft sensors: what it makes, shows and removes. The module's part is in api_sensors.c.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if ! ft_load; then
	fail "sensors: loading the module" "see above"
	finish
fi
ft_load_test ft_bench

# fire COUNT
fire() {
	echo "$1" >"$PARAMS/ft_bench/parameters/event"
}

# json JQ NAME...: of ft sensors show
json() {
	"$FT" sensors show --json --top 0 "${@:2}" | jq -r "$1"
}

same "sensors: none" "there are no sensors; to make the default ones: ft sensors default" \
	"$("$FT" sensors list)"
check "sensors: a counter" "$FT" sensors new b/count 'count(bench)'
check "sensors: a histogram of a word" "$FT" sensors new b/a 'bench.index'
check "sensors: linear bins" "$FT" sensors new b/linear 'bench.index' --width 16 --bins 4 --low 8
check "sensors: the last value" "$FT" sensors new b/last 'last(bench.index)'
check "sensors: a second instance" "$FT" sensors new b/count 'count(bench)'
fire 100
same "sensors: the counter" 100 "$(json '.sensors[0].all.count' b/count)"
same "sensors: two instances" "1 2" "$(json '[.sensors[].instance] | @tsv' b/count | tr '\t' ' ')"
same "sensors: the histogram" "100 100" \
	"$(json '[.sensors[0].all.count, (.sensors[0].all.bins | map(.count) | add)] | @tsv' b/a |
		tr '\t' ' ')"
same "sensors: sum, least and greatest" "4950 0 99" \
	"$(json '.sensors[0].all | [.sum, .min, .max] | @tsv' b/a | tr '\t' ' ')"
same "sensors: linear: below, in bins, above" "8 16 16 16 16 28" \
	"$(json '.sensors[0].all | [.under, (.bins[].count), .over] | @tsv' b/linear | tr '\t' ' ')"
same "sensors: the last one" 99 "$(json '.sensors[0].all.last' b/last)"

# What does not exist is named, and nothing is made.
refused() {
	local said
	said=$("$FT" sensors "${@:3}" 2>&1)
	same "sensors: $1: exit status" "${REFUSED:-1}" $?
	check "sensors: $1: '$2' is said" grep -qF -- "$2" <<<"$said"
}
refused "an unknown event" "there is no event 'bnch'" new x 'count(bnch)'
refused "an unknown field" "has no field 'zz'" new x 'bench.zz'
refused "an unknown family" "there is no family of locks 'spim'" new x 'hold(spim)'
refused "an unknown split" "what follows 'by'" new x 'bench.index by cow'
refused "no definition" "this is none of" new x 'cow'
refused "depth of what is no lock" "needs hold() of a spinning lock" new x 'count(bench) by depth'
refused "two events" "a sensor is of one event" new x 'count(bench,mark)'
refused "too many rows" "--rows is at most 4096" new x 'bench.index by word' --rows 4294967300
refused "rows of nothing" "--rows needs rows" new x 'bench.index' --rows 64
refused "bits of linear bins" "leave out --width" new x 'bench.index' --width 4 --bits 4
refused "a bad name" "the module refuses" new 'a b' 'count(bench)'
refused "an unknown sensor" "there is no sensor 'b/counts'" end b/counts
refused "showing an unknown one" "there is no sensor 'zz'" show zz
REFUSED=2 refused "a list by CPU" "--by-cpu is for show, not for list" list --by-cpu
REFUSED=2 refused "metrics by CPU" "--by-cpu is for text, --tsv and --json" --openmetrics --by-cpu
REFUSED=2 refused "programs by CPU" "--by-cpu is for the kernel's sensors" --program --by-cpu
REFUSED=2 refused "an unknown action" "list, show, new, default or end, not 'make'" make

check "sensors: an instance is removed" "$FT" sensors end 'b/count#2'
check "sensors: the others, by a pattern" "$FT" sensors end 'b/*'
same "sensors: none is left" 0 "$(json '.sensors | length')"
fire 100

# --- where the greatest value was, and what each CPU has counted

began=$(date +%s.%N)
check "sensors: by word, with few rows" "$FT" sensors new c/a 'bench.index by word' --rows 4
sleep 0.2
taskset -c 0 sh -c "echo \$\$ >pid; echo 120 >$PARAMS/ft_bench/parameters/event"
ended=$(date +%s.%N)
same "sensors: the greatest: by whom, where, and with which words" "$(cat pid) 0 0x77 0x78" \
	"$(json '.sensors[0].all | "\(.max_tid) \(.max_cpu) \(.max_lock) \(.max_site)"' c/a)"
at=$(json '.sensors[0].all.max_at_s' c/a)
check "sensors: the greatest: $at seconds after the sensor was made" \
	awk -v at="$at" -v began="$began" -v ended="$ended" \
	'BEGIN { exit !(at >= 0.2 && at <= ended - began + 0.01) }'
if [[ -e /sys/devices/system/cpu/cpu1 ]]; then
	taskset -c 1 sh -c "echo 40 >$PARAMS/ft_bench/parameters/event"
	check "sensors: by word: not all have a row" jq -e '.sensors[0] | .crowded > 0 and
		.others.count > 0' <("$FT" sensors show --json c/a)
	same "sensors: by CPU" "cpu 160 0 0; CPU 0 120 7140 119; CPU 1 40 780 39" \
		"$("$FT" sensors show --json --by-cpu c/a | jq -r '.sensors[0] |
			"\(.by) \(.all.count) \(.others.count) \(.crowded)",
			(.rows[] | "\(.name) \(.count) \(.sum) \(.max)")' | paste -s -d';' |
			sed 's/;/; /g')"
	same "sensors: by CPU: lines for programs" "CPU 0 120, CPU 1 40" \
		"$("$FT" sensors show --tsv --by-cpu c/a | awk -F'\t' '$2 == "cpu" && $3 ~ /^CPU/ {
			print $3, $4 }' | paste -s -d, | sed 's/,/, /')"
	same "sensors: by CPU: text" "120 40" \
		"$("$FT" sensors --by-cpu | awk '/  CPU [01]$/ { print $1 }' | xargs)"
else
	skip "sensors: by CPU" "there is one CPU"
fi
"$FT" sensors end c/a

# depth FAMILY: a module holds a lock of it for 75 us, and in that another one for 25 us
depth() {
	ft_load_test ft_nested
	check "sensors: by depth" "$FT" sensors new c/depth "hold($1) by depth"
	echo 30 >"$PARAMS/ft_nested/parameters/run"
	"$FT" sensors show --json c/depth >depth.json
	"$FT" sensors show c/depth >depth
	"$FT" sensors end c/depth
	rmmod ft_nested
	check "sensors: by depth: bins" jq -e '.sensors[0] | .kind == "histogram2" and
		([.all.bins[] | select(.depth == 0 and .high >= 75000) | .count] | add >= 30) and
		([.all.bins[] | select(.depth == 1 and .high >= 25000) | .count] | add >= 30) and
		([.all.bins[].count] | add) + .all.over == .all.count' depth.json
	check "sensors: by depth: text" awk '/  all$/ { all = $1 }
		/  depth [0-9]+$/ { n[$NF] = $1; sum += $1 }
		END { exit !(n[1] >= 30 && n[0] >= 30 && sum <= all) }' depth
}
family=spin
[[ $(uname -v) != *PREEMPT_RT* ]] || family=raw_spin
if "$FT" list --tsv | grep -q -P "\t${family}_acquire\t"; then
	depth $family
else
	skip "sensors: by depth" "this kernel has no events of $family"
fi

if ft_has_locks; then
	check "sensors: the usual ones" "$FT" sensors default
	check "sensors: once more" "$FT" sensors default
	same "sensors: they are not made twice" 14 "$("$FT" sensors list | grep -c ' lock/')"
	find /proc/[0-9]* -name status >/dev/null 2>&1
	sleep 1
	"$FT" sensors show --json >locks.json
	check "sensors: spinlocks were held" \
		jq -e '.sensors[] | select(.name == "lock/spin/hold") | .all |
			.count > 1000 and .p50 <= .p99 and .p99 <= .max and .min <= .p50' locks.json
	check "sensors: call sites have names" \
		jq -e '[.sensors[] | select(.name == "lock/spin/hold") | .rows[].name |
			select(startswith("0x") | not)] | length > 5' locks.json
	sizes=$(python3 "$(dirname "${BASH_SOURCE[0]}")/sensor_sizes.py" "$FT_MODULES/feather_trace.ko" 1048575 2>&1)
	same "sensors: the usual ones need less than 1 MiB of each CPU" 0 $?
	sed 's/^/    /' <<<"$sizes"
	"$FT" sensors show --openmetrics >locks.om
	check "sensors: OpenMetrics: a strict reader takes it" python3 - locks.om <<-'PYTHON'
		import sys
		from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
		families = {f.name: f for f in parse(open(sys.argv[1]).read())}
		hold = [s for s in families["ft_lock_hold"  + "_seconds"].samples
		        if s.labels["family"] == "spin"]
		buckets = [s.value for s in hold if s.name.endswith("_bucket")]
		count = [s.value for s in hold if s.name.endswith("_count")]
		sys.exit(not (buckets == sorted(buckets) and [buckets[-1]] == count and count[0] > 1000))
	PYTHON
	if ft_wraps; then
		"$FT" unload >out 2>&1
		same "sensors: the module stays while there are some" 1 $?
		check "sensors: and who keeps it is told" grep -q "ft sensors end '\*'" out
	fi
	check "sensors: and they are removed" "$FT" sensors end '*'
fi
rmmod ft_bench
check "sensors: the module can be unloaded" ft_unload
finish
