# SPDX-License-Identifier: GPL-2.0-only OR MIT
# The two ends of a trace are each one moment for all CPUs: traces that begin and end
# in the middle of a load, whose mutexes are taken by turns on either CPU, balance.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

ft_load
if ! ft_has_locks; then
	skip "ends" "the kernel has no lock triggers (not patched)"
	ft_unload
	exit 0
fi

# A load until it is told to end.
stop=$WORK/stop
while [[ ! -e $stop ]]; do
	hackbench -p -g 1 -f 2 -l "$(rounds 5000 50)" >/dev/null 2>&1
done &
load=$!

ROUNDS=$(rounds 8 4)
failed=
for ((i = 0; i < ROUNDS; i++)); do
	"$FT" record -o "$WORK/trace-$i" --locks --slots 1048576 -- sleep 0.1 2>"$WORK/log" ||
		failed+="round $i: $(tail -1 "$WORK/log"); "
done
touch "$stop"
wait $load
same "ends: $ROUNDS traces begin and end under load" "" "$failed"

# balance DIR: exact, but for what is really cut?
balance() {
	"$FT" report "$1" --tsv --balance >"$WORK/report" &&
		bash "$FT_TOP/tests/vm/balance.sh" "$WORK/report"
}

why=
for ((i = 0; i < ROUNDS; i++)); do
	this=$(balance "$WORK/trace-$i") || why+="round $i: $this; "
done
same "ends: each balances" "" "$why"

check "ends: rmmod" ft_unload
finish
