# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Where keys, locks and tasks come and go, tables of sensors do not stay full of them; and
# nothing that was counted is lost.
#
# FT_CHURN: so many locks, and a tenth as many tasks, instead of the usual number
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
# Each CPU has tables of its own.
taskset -cp 0 $$ >/dev/null
ft_load
ft_load_test ft_churn
CHURN=$PARAMS/ft_churn/parameters
N=${FT_CHURN:-$(rounds 100000 20000 2000)}

# json JQ NAME: of a sensor
json() {
	"$FT" sensors show --json --top 0 "$2" | jq -r ".sensors[0] | $1"
}

# has_row NAME KEY: is there one of its own?
has_row() {
	[[ $(json "[.rows[] | select(.key == \"$2\")] | length" "$1") == 1 ]]
}

# marks FIRST LAST: a value for each of these words
marks() {
	local word
	for ((word = $1; word <= $2; word++)); do
		# It says that there is no trace.
		"$FT" mark $word 2>/dev/null
		echo $word >>marked
	done
}

check "churn: a row for each word" "$FT" sensors new keys 'mark.a by word' --rows 16
marks 1 24
check "churn: the table is full" test "$(json .crowded keys)" -gt 0

# As long as others find no room, rows in which nothing is counted make room for them.
new_rows() {
	marks 101 105
	has_row keys 0x65 && has_row keys 0x69
}
check "churn: keys that come have rows" wait_for 120 new_rows
check "churn: as others were emptied" test "$(json .emptied keys)" -gt 0
same "churn: all are counted, once: number, sum, least and greatest" \
	"$(awk '{ sum += $1 } END { print NR, sum, 1, 105 }' marked)" \
	"$(json '"\(.all.count) \(.all.sum) \(.all.min) \(.all.max)"' keys)"
same "churn: so are they in bins" "$(wc -l <marked)" \
	"$(json '.all.under + .all.over + ([.all.bins[].count] | add)' keys)"
"$FT" sensors end keys

if ft_has_locks; then
	check "churn: a row for each mutex" "$FT" sensors new mutexes 'hold(mutex) by lock' --rows 64
	# More rows than there are locks that the test's own commands take all the time.
	check "churn: for each spinlock" "$FT" sensors new spinlocks 'hold(spin) by lock' \
		--rows 1024 --width 16384 --bins 16
	check "churn: for each task" "$FT" sensors new tasks 'hold(mutex) by task' --rows 64
	check "churn: $N locks come and go" sh -c "echo $N >$CHURN/locks"
	check "churn: $((N / 10)) tasks, too" sh -c "echo $((N / 10)) >$CHURN/tasks"
	check "churn: the tables are full" \
		test "$(json .crowded mutexes)" -gt 0 -a "$(json .crowded spinlocks)" -gt 0
	# One task takes one mutex all the time, from before the next look on. What finds no room is
	# crowd enough.
	mutex=$(<$CHURN/stays)
	exec 9<> <(:)
	while :; do
		echo 1 >$CHURN/stays
		read -rt 0.1 -u 9
	done &
	busy=$!
	have_rows() {
		has_row mutexes "$mutex" && has_row tasks "$(printf '0x%x' $busy)" &&
			(($(json .emptied spinlocks)))
	}
	check "churn: what stays has rows, as others are emptied" wait_for 240 have_rows
	kill $busy
	for name in mutexes spinlocks tasks; do
		echo "    $name: $(json '"\(.crowded) crowded, \(.emptied) emptied"' $name)"
	done
	"$FT" sensors end '*'
fi

rmmod ft_churn
check "churn: rmmod" ft_unload
finish
