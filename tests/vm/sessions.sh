# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
#
# Recordings at the same time, each with all of its own and nothing of the others.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if ! ft_load slots=4096; then
	fail "sessions: loading the module" "see above"
	finish
fi
ft_load_test ft_bench
ft_load_test ft_points

# fire EVENTS POINTS
fire() {
	echo "$1" >"$PARAMS/ft_bench/parameters/event"
	echo "$2" >"$PARAMS/ft_points/parameters/fire"
}

# running COUNT: waits until so many sessions beside the default one have events on
running() {
	local i
	for ((i = 0; i < 300; i++)); do
		[[ $("$FT" status --tsv | awk -F'\t' '
			$1 == "session" && $2 && $5 { n++ } END { print n + 0 }') != "$1" ]] ||
			return 0
		sleep 0.1
	done
	return 1
}

# active: waits until the default session has a trace
active() {
	local i
	for ((i = 0; i < 300; i++)); do
		[[ $("$FT" status --tsv | awk '$1 == "active" { print $2 }') != 1 ]] ||
			return 0
		sleep 0.1
	done
	return 1
}

# record NAME OPTION...: in the background; its process is $!
record() {
	env --default-signal=INT "$FT" record -o "$1" "${@:2}" >"$1.out" 2>&1 &
}

# events DIR EVENT: how many records of it
events() {
	"$FT" dump --raw "$1" | grep -c " $2 "
}

record one --own-session -e bench
one=$!
check "sessions: the first one runs" running 1
fire 100 10
record two --own-session -s 64k -e bench,tracepoint:ft_points_fire
two=$!
check "sessions: the second one, too" running 2
fire 100 10
record three -e bench
three=$!
check "sessions: and one in the default session" active
fire 100 10
kill -INT $one
wait $one
same "sessions: the first one ends: exit status" 0 $?
fire 100 10
kill -INT $three
wait $three
same "sessions: so does the last one" 0 $?
fire 100 10
"$FT" disable --all
fire 100 10
kill -INT $two
wait $two
same "sessions: and the second one: it lost nothing" 0 $?
same "sessions: each has what fired while it ran" "300 500 200" \
	"$(events one bench) $(events two bench) $(events three bench)"
same "sessions: of a tracepoint, too" "0 50 0" \
	"$(events one ft_points_fire) $(events two ft_points_fire) $(events three ft_points_fire)"
for dir in one two three; do
	check "sessions: $dir: the reference reader opens it" babeltrace2 $dir -o dummy
done
check "sessions: all have ended" running 0
rmmod ft_bench ft_points
check "sessions: rmmod" ft_unload
finish
