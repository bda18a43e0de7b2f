# SPDX-License-Identifier: GPL-2.0-only OR MIT
# A compiler is recorded and sensed at once, and a module whose threads wait for locks: of these
# tasks, which begin and end meanwhile, sensors and trace have the same sections and the same
# waits, bin by bin.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
sysctl -q kernel.printk_devkmsg=on
dmesg -n 1
# a tick is a nanosecond, for both
ft_load clock=mono
if ! ft_has_locks; then
	skip "compiled" "this kernel has no lock events"
	ft_unload
	finish
fi
ft_load_test ft_known
FAMILIES=(spin rwlock_read rwlock_write mutex semaphore rwsem_read rwsem_write)

# pid: of a task that has ended
pid() {
	# shellcheck disable=SC2016 # that shell's
	bash -c 'echo $$'
}

# As many as there is room for, however many CPUs have them.
env --default-signal=INT "$FT" record --locks -s $((32 / $(nproc)))M -o trace >record.out 2>&1 &
record=$!
check "compiled: recorded" wait_for 60 grep -q recording record.out
SENSORS=()
for what in hold wait; do
	for family in "${FAMILIES[@]}"; do
		SENSORS+=("$what/$family")
		check "compiled: a sensor of $what($family)" "$FT" sensors new "$what/$family" \
			"$what($family) by task" --rows 1024 --bits 1 --bins 64
	done
done
for scope in outside inside; do
	check "compiled: one of spinlocks $scope sleeping locks" "$FT" sensors new "$scope" \
		"hold(spin) $scope sleeping locks by site" --rows 1024 --bits 1 --bins 32
done
check "compiled: one of all spinlocks" \
	"$FT" sensors new all "hold(spin) by site" --rows 1024 --bits 1 --bins 32
first=$(pid)
check "compiled: the compiler" compile
# Semaphores always take a spinlock inside, and nobody else has any.
check "compiled: semaphores" "$FT_PROGRAMS/families" 20
# Each time two threads, of which one waits; a compiler waits for next to nothing.
check "compiled: waits for sleeping locks" sh -c "echo 20 >$PARAMS/ft_known/parameters/wait"
check "compiled: waits for locks that spin" sh -c "echo 40 >$PARAMS/ft_known/parameters/spin"
last=$(pid)
until=$(date +%s%N)
(cd /proc && ls -d [0-9]*) >alive
"$FT" sensors show --json --top 0 >shown.json
kill -INT $record
wait $record
same "compiled: nothing was lost" 0 $?
"$FT" sensors end 'hold/*' 'wait/*' outside inside all

# The trace moves acquisitions that were stamped too early; a sensor does not see other CPUs.
moved=$("$FT" report --json --top 1 trace | jq '.trace[0].early_acquisitions')
# Numbers alone, and of these tasks alone: a row of CSV for each section takes minutes here.
began=$("$FT" sql --tsv trace 'select began from trace' | tail -n 1)
late=$((until - $(date -d "$began" +%s%N)))
for table in sections waits; do
	what=hold
	[[ $table == sections ]] || what='wait'
	"$FT" sql --tsv trace "select '$what/' || family, tid, length_ns, end_ns >= $late
		from $table where tid > $first and tid < $last" >$table
done
tail -n +2 waits >>sections
echo "    clock: $(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)"
python3 "$(dirname "$0")/compiled.py" sections shown.json "$first" "$last" "$moved" alive "${SENSORS[@]}" >verdicts
declare -A found
while read -r n name is_same; do
	same "compiled: $name: the bins of the sensor are those of the trace" yes "$is_same"
	found[$name]=$n
done <verdicts
for name in "${SENSORS[@]}"; do
	# A guest does not queue for a spinlock, and has no event for that.
	[[ $name == wait/spin ]] ||
		check "compiled: $name: there are some" test "${found[$name]:-0}" -gt 0
done

# rows SENSOR: site and number
rows() {
	jq -r --arg name "$1" '.sensors[] | select(.name == $name) | .rows[] | select(.count > 0) |
		"\(.name) \(.count)"' shown.json | sort
}
# count SENSOR
count() {
	jq --arg name "$1" '.sensors[] | select(.name == $name) | .all.count' shown.json
}
SLEEPING='^(_*mutex_|__ww_mutex|_*rwsem_|_*(down|up)(_[a-z]*)?\+|_*rt_mutex|rtlock|_*rwbase|_*percpu_(rwsem|down|up)|task_blocks_on_rt_mutex)'
echo "    all $(count all), outside $(count outside), inside $(count inside)"
check "compiled: some spinlocks were taken inside sleeping locks" test "$(count inside)" -ge 40
check "compiled: and more outside" test "$(count outside)" -gt "$(count inside)"
same "compiled: outside, no function of sleeping locks has any" "" "$(rows outside | grep -E "$SLEEPING")"
same "compiled: inside, no other one" "" "$(rows inside | grep -v -E "$SLEEPING")"
# A site finds no room where eight places beside each other are taken, which is chance.
none=$(jq '[.sensors[] | select(.name | test("side$|all")) | .crowded + .emptied] | add' shown.json)
check "compiled: 999 of 1000 have a row of their call site: $none have not" \
	test $((none * 1000)) -le "$(count all)"
# The kernel's log is written meanwhile, too, and the three are made one after the other.
semaphores() {
	rows "$1" | awk '/^_*(down|up)(_[a-z]*)?\+/ { sum += $NF } END { print sum + 0 }'
}
check "compiled: semaphores take theirs inside: $(semaphores inside)" test "$(semaphores inside)" -ge 40
check "compiled: and nowhere else" test $(($(semaphores inside) - $(semaphores all))) -le 8 -a \
	$(($(semaphores all) - $(semaphores inside))) -le 8

echo "    $(jq '.sensors[] | select(.name == "outside") | .site_ranges' shown.json) ranges"
# as root, only 2 hides them
sysctl -q kernel.kptr_restrict=2
said=$("$FT" sensors new hidden 'hold(spin) inside sleeping locks' 2>&1)
same "compiled: without addresses, no such sensor" 1 $?
check "compiled: and it says why" grep -q 'kernel.kptr_restrict' <<<"$said"
sysctl -q kernel.kptr_restrict=0
rmmod ft_known
check "compiled: rmmod" ft_unload
finish
