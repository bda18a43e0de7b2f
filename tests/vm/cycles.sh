# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Twenty times (debug kernel: twice): load, record under load, unload.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2

# The load runs all the time, so triggers are patched under it: four tasks, as
# eighty would leave nothing of the machine to the test.
while :; do
	hackbench -g 1 -f 2 -l 500 >/dev/null 2>&1
done &
load=$!

bad=0 records=0
ROUNDS=$(rounds 20 5 2)
for ((i = 0; i < ROUNDS; i++)); do
	ft_load || bad=1
	ft_load_test ft_example || bad=2
	events=(-e example_beat)
	ft_has_locks && events+=(--locks)
	rm -rf t
	"$FT" record -o t "${events[@]}" -d 0.3 2>log
	status=$?
	((status == 0 || status == 3)) || bad=3
	n=$(session t records)
	((n > 0)) || bad=4
	records=$((records + n))
	rmmod ft_example || bad=5
	ft_unload || bad=6
done
same "cycles: $ROUNDS times load, record, unload under load" 0 $bad
echo "    $records records"

kill $load
wait $load 2>/dev/null
finish
