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

# --- sessions with a name

# says TEXT COMMAND...: fails with status 1 and this message
says() {
	"${@:2}" >out 2>&1
	same "sessions: $1: exit status" 1 $?
	check "sessions: $1: is said" grep -q -- "$1" out
}

check "sessions: a name" "$FT" session new web
says "there is a session 'web' already" "$FT" session new web
says "there is no session 'wep': did you mean 'web'" timeout 30 "$FT" enable --session wep bench
says "not a valid name of a session: '0'" "$FT" session new 0
check "sessions: its rings get a mode of their own" \
	"$FT" config --session web mode=overwrite slots=1024
same "sessions: and the default session keeps its own" "slots=4096 mode=discard" \
	"$("$FT" config | grep -oE '^(slots|mode)=[a-z0-9]*' | paste -sd' ')"
says "there was no trace yet" "$FT" snapshot web -o none
check "sessions: nothing is left of that" test ! -e none
check "sessions: events of it are on" "$FT" enable --persist --session web bench mark
record four -e bench,mark
four=$!
check "sessions: beside the default one" active
fire 100 10
"$FT" mark --session web 7
"$FT" snapshot web -o snapped 2>log
same "sessions: its snapshot: exit status" 0 $?
says "no snapshot (asked): the rings are empty" "$FT" snapshot web -o none
check "sessions: nothing is left of that, either" test ! -e none
"$FT" record --session web -e bench -o none -- true >out 2>&1
same "sessions: a recording in one that is there: exit status" 125 $?
check "sessions: and says so, and leaves nothing" \
	eval 'grep -q "there is a session .web. already" out && test ! -e none'
fire 50 10
"$FT" disable --session web bench mark
fire 30 10
kill -INT $four
wait $four
same "sessions: the recording in the default one lost nothing" 0 $?
same "sessions: each has its own, and its own mark" "100 1 180 0" \
	"$(events snapped bench) $(events snapped mark) $(events four bench) $(events four mark)"
check "sessions: a snapshot: the reference reader opens it" babeltrace2 snapped -o dummy
for i in 1 2 3 4 5 6; do
	"$FT" session new "s$i"
done
says "there are 8 already" "$FT" session new s7
"$FT" record --flight --session s7 -e bench -o none -- true >out 2>&1
same "sessions: a recording in one too many: exit status" 125 $?
check "sessions: and says so, and leaves nothing" \
	eval 'grep -q "there are 8 already" out && test ! -e none'
for name in web s1 s2 s3 s4 s5 s6; do
	check "sessions: $name ends" "$FT" session end "$name"
done
says "there is no session 'web'" "$FT" snapshot web -o none

env --default-signal=INT "$FT" record --flight --session fly -o fly -e bench >fly.out 2>&1 &
fly=$!
check "sessions: a flight recorder in a session" running 1
same "sessions: it leaves the default session's mode alone" discard "$(status mode)"
fire 70 10
"$FT" snapshot fly -o flown 2>log
same "sessions: a snapshot of it" 70 "$(events flown bench)"
fire 20 10
kill -INT $fly
wait $fly
same "sessions: ends: exit status" 0 $?
same "sessions: and writes the rest" 20 "$(events fly/1 bench)"
check "sessions: its session has ended" running 0
same "sessions: and has no device any more, nor has another" "ft_trace_meta ft_trace_sensors" \
	"$(cd /dev && echo ft_trace_*)"

# --- flight recorders that nobody named

env --default-signal=INT "$FT" record --flight -o a -e bench,mark >a.out 2>&1 &
a=$!
check "sessions: a flight recorder without a name runs" running 1
fire 30 10
"$FT" mark 3
"$FT" config mode=overwrite >/dev/null	# where nothing is on
"$FT" snapshot -o a-flown 2>log
"$FT" config mode=discard >/dev/null
same "sessions: the mark and the snapshot are of the only one" "30 1" \
	"$(events a-flown bench) $(events a-flown mark)"
env --default-signal=INT "$FT" record --flight -s 1k -o b -e bench,mark >b.out 2>&1 &
b=$!
check "sessions: a second one runs" running 2
same "sessions: nothing is set for everybody" "discard 4096" "$(status mode) $(status slots)"
fire 40 10
"$FT" status --session record_$b --tsv >status
same "sessions: ft status of the second one" "1024 overwrite 40" "$(awk -F'\t' '
	$1 == "slots" || $1 == "mode" { printf "%s ", $2 }
	$1 == "#cpu" { for (i = 1; i <= NF; i++) if ($i == "written") n = i }
	$1 == "cpu" { sum += $n }
	END { print sum }' status)"
check "sessions: ft status lists both" \
	test "$(grep -c "^session	[0-9]*	record_[0-9]*	1	2	[0-9]*	overwrite	1$" status)" = 2
says "which flight recorder? record_[0-9]* record_[0-9]*: name one: ft snapshot SESSION" \
	"$FT" snapshot -o none
says "into which session? record_[0-9]* record_[0-9]*: name one: ft mark --session NAME" \
	"$FT" mark 4
check "sessions: the default session comes first" "$FT" enable --persist mark
check "sessions: and gets a mark that names none" "$FT" mark 5
"$FT" disable mark
"$FT" snapshot record_$b -o b-flown 2>log
same "sessions: a snapshot of the second one" "40 0" "$(events b-flown bench) $(events b-flown mark)"
kill -KILL $b
wait $b
check "sessions: one that is killed leaves no session" running 1
same "sessions: nor a name, nor a device" 0 \
	"$({ "$FT" status --tsv; ls /dev; } | grep -c "record_$b")"
kill -INT $a
wait $a
same "sessions: the first one ends: exit status of a flight recorder" 0 $?
same "sessions: and has its rest" "40 0" "$(events a/1 bench) $(events a/1 mark)"
check "sessions: no session is left" running 0

# --- a recorder that does not end as it should

# ended: no session beside the default one is there
ended() {
	[[ $("$FT" status --tsv | grep -c "^session	") == 1 ]]
}

env --default-signal=INT "$FT" record --session web -o c -e bench -- sleep 100 >c.out 2>&1 &
c=$!
check "sessions: one that runs a command" running 1
child=$(pgrep -P $c -x sleep)
kill -KILL $c
wait $c
check "sessions: is killed, and its command lives: no session is left" wait_for 30 ended
kill $child
"$FT" record --session web -o c --force -e bench -- sh -c 'sleep 100 & echo $! >child' 2>c.out
same "sessions: one whose command leaves a child: exit status" 0 $?
check "sessions: it leaves no session, either" ended
kill "$(cat child)"

env --default-signal=INT "$FT" record --flight --session web -o d -e bench >d.out 2>&1 &
d=$!
check "sessions: a flight recorder" running 1
fire 60 10
check "sessions: whose session another one ends" "$FT" session end web
wait $d
same "sessions: ends: its exit status" 0 $?
same "sessions: and has what there was" 60 "$(events d/1 bench)"

"$FT" record --headroom 8k -e bench -o none -- true 2>out
same "sessions: --headroom without --flight: exit status" 125 $?
"$FT" record --flight -s 1k --headroom 1k -e bench -o none -- true 2>out
same "sessions: --headroom of a whole ring: exit status" 125 $?
check "sessions: and says so" grep -q "headroom=1024 is more than half of a ring of 1024 slots" out

rmmod ft_bench ft_points
check "sessions: rmmod" ft_unload
finish
