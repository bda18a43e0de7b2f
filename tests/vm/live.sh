# SPDX-License-Identifier: GPL-2.0-only OR MIT
# ft dump --live: records of all CPUs as they come, in order, none lost in silence.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ft_load

# wait_for COMMAND...: until it succeeds, a minute at most
wait_for() {
	local i
	for ((i = 0; i < 600; i++)); do
		"$@" && return 0
		sleep 0.1
	done
	return 1
}

active() {
	[[ $(status active) == "$1" ]]
}

has_lines() {
	(($(wc -l <"$1") >= $2))
}

marks() {
	awk -F'\t' '$6 == "mark" { sub("a=", "", $7); print $7 }' "$1" | while read -r a; do
		echo $((a))
	done | paste -sd' '
}

# A shell lets background commands ignore Ctrl-C.
live() {
	rm -f out
	env --default-signal=INT "$FT" dump --live --tsv "$@" >out 2>log &
	live=$!
}

stop() {
	kill -INT $live
	wait $live
}

"$FT" dump --live >out 2>log
same "live: no event is on: exit status" 1 $?
check "live: and the way out is named" grep -q -- '-e' log
"$FT" dump --live -e no_such_event 2>log
same "live: unknown event: exit status" 1 $?
check "live: unknown event: is named" grep -q no_such_event log
"$FT" dump --live t 2>log
same "live: no trace beside it: exit status" 2 $?
"$FT" dump --live -e mark --cpu 4095 2>log
same "live: unknown CPU: exit status" 1 $?
check "live: unknown CPU: is named" grep -q 4095 log
check "live: what was turned on is off again" active 0

live -e mark
check "live: the event is on" wait_for active 1
for i in {1..40}; do
	taskset -c $((i % $(nproc))) "$FT" mark "$i"
	((i != 20)) || check "live: lines come while it goes on" wait_for has_lines out 21
done
"$FT" dump --live 2>log2
same "live: a second reader: exit status" 1 $?
check "live: a second reader: is told why" grep -q 'being read by' log2
stop
same "live: ends on Ctrl-C" 0 $?
same "live: it says nothing but records" "" "$(cat log)"
same "live: all records, of all CPUs, in order" "$(seq -s' ' 40)" "$(marks out)"
check "live: the event is off" active 0

# A ring hands out full packets at once, and a single record only when its timer has come:
# that of CPU 0 is read after those of CPU 1, and comes before them.
"$FT" config wake_us=2000000 >/dev/null
live -e mark
check "live: long waits: the event is on" wait_for active 1
check "live: long waits: it reads" wait_for grep -q time out
for i in 1000000 2000000 3000000; do
	taskset -c 0 "$FT" mark $i
	taskset -c 1 "$FT_PROGRAMS/between" marks 500
	sleep 0.5
done
stop
same "live: what one CPU gives late is where it belongs" \
	"$(for i in 1000000 2000000 3000000; do seq -s' ' $i $i; seq -s' ' 0 499; done | paste -sd' ')" \
	"$(marks out)"
"$FT" config wake_us=10000 >/dev/null

# What others have turned on goes on without it.
"$FT" enable mark --persist
live --cpu 1
check "live: without -e it reads what is on" wait_for grep -q time out
taskset -c 0 "$FT" mark 1
taskset -c 1 "$FT" mark 2
check "live: of one CPU" wait_for has_lines out 2
stop
same "live: of one CPU: its records alone" 2 "$(marks out)"
check "live: the others' event stays on" active 1
# The filters are those of a trace that is complete.
mkfifo go
bash -c 'read -r _ <go; exec "$0" mark 5' "$FT" &
marker=$!
live --task $marker
check "live: of one task: it reads" wait_for grep -q time out
"$FT" mark 4
echo >go
wait $marker
"$FT" mark 6
check "live: of one task" wait_for has_lines out 2
stop
same "live: of one task: its records alone" 5 "$(marks out)"

live
"$FT" mark 3
check "live: what was not read before is there" wait_for grep -q a=0x3 out
"$FT" disable --all
wait $live
same "live: ends with the trace" 0 $?

# A stopped reader: what the rings cannot hold is lost, counted and shown.
"$FT" unload >/dev/null
ft_load slots=128
live -e mark
check "live: small rings: the event is on" wait_for active 1
check "live: small rings: it reads" wait_for grep -q time out
taskset -c 0 "$FT" mark 0
check "live: small rings: a record comes" wait_for has_lines out 2
kill -STOP $live
for i in {1..200}; do
	taskset -c 0 "$FT" mark "$i"
done
kill -CONT $live
taskset -c 0 "$FT" mark 201
stop
same "live: small rings: exit status" 3 $?
lost=$(grep -o 'LOST [0-9]*' log | grep -o '[0-9]*')
same "live: small rings: records and losses are all" 202 $(($(marks out | wc -w) + lost))
check "live: small rings: a line says where" grep -q "LOST	counted=$lost" out
check "live: rmmod" ft_unload
finish
