#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# What monitoring systems and systemd are given is what they take: rules, dashboard, units.
# tests/vm/scrape.sh and service.sh run them.
#
# Usage: tests/unit/monitoring.sh

set -uo pipefail
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
EXAMPLES=$TOP/Documentation/examples/monitoring

if BIN=$("$TOP/scripts/monitoring-servers" --print-bin 2>"$WORK/why"); then
	check "monitoring: the configuration of Prometheus" "$BIN/promtool" check config "$EXAMPLES/prometheus.yml"
	check "monitoring: the rules" "$BIN/promtool" check rules "$EXAMPLES/alerts.yml"
	check "monitoring: each rule does what it is for" "$BIN/promtool" test rules "$EXAMPLES/alerts-test.yml"
	same "monitoring: and has a test" "$(sed -n 's/^ *- alert: //p' "$EXAMPLES/alerts.yml" | sort)" \
		"$(grep -o 'alertname: [A-Za-z]*' "$EXAMPLES/alerts-test.yml" | cut -d ' ' -f 2 | sort -u)"
else
	skip "monitoring: rules" "$(<"$WORK/why")"
fi

# Each metric that rules and dashboard ask for is one that ft monitor serves.
served() {
	grep -o '"ft_[a-z_]*"' "$TOP/userspace/view/data/openmetrics.c" | tr -d '"'
}
same "monitoring: rules and dashboard ask for what is served" "" "$(
	cat "$EXAMPLES/alerts.yml" "$EXAMPLES/dashboard.json" | sed 's/host_family:[a-z_0-9]*//g' |
		grep -oE '\bft_[a-z_]+' | sed -E 's/_(bucket|sum|count|total)$//' | sort -u |
		grep -vxF -f <(served; echo ft_sensor_missing))"
check "monitoring: the dashboard: each panel has a place of its own" python3 - "$EXAMPLES/dashboard.json" <<-'PYTHON'
	import json, sys
	board, taken = json.load(open(sys.argv[1])), set()
	for panel in board["panels"]:
	    at = panel["gridPos"]
	    assert panel["title"] and panel["description"] and panel["targets"][0]["expr"], panel["id"]
	    for x in range(at["x"], at["x"] + at["w"]):
	        for y in range(at["y"], at["y"] + at["h"]):
	            assert x < 24 and (x, y) not in taken, (panel["title"], x, y)
	            taken.add((x, y))
	assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"]) > 5
PYTHON

if ! command -v systemd-analyze >/dev/null; then
	skip "monitoring: units" "no systemd-analyze: run scripts/setup test"
	finish
fi
for unit in "$TOP"/scripts/systemd/*.service.in; do
	name=$(basename "$unit" .in)
	sed "s|@BINDIR@|$TOP/build/userspace|" "$unit" >"$WORK/$name"
done
check "monitoring: systemd has no complaint about the units" \
	bash -c 'out=$(systemd-analyze verify --man=no --recursive-errors=no "$@" 2>&1); echo "$out"; [[ -z $out ]]' - "$WORK"/*.service
# exposed UNIT: is it exposed no more than that, in tenths? What is left is what it needs.
exposed() {
	systemd-analyze security --offline=yes --threshold="$2" --no-pager "$WORK/$1"
}
if systemd-analyze --help | grep -q -- --offline; then
	check "monitoring: rights of the service" exposed feather-trace-sensors.service 20
	check "monitoring: rights of the one that loads the module" exposed feather-trace-module.service 21
else
	skip "monitoring: rights of the units" "this systemd cannot judge files"
fi
finish
