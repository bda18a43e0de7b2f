# SPDX-License-Identifier: GPL-2.0-only OR MIT
# The end of a trace, and of an event: what is let in no more, and what is waited for.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
if (($(nproc) < 2)); then
	skip "trace end" "this machine has one CPU"
	exit 0
fi
ft_load slots=1048576
ft_load_test ft_straggler
module=$PARAMS/ft_straggler/parameters

# written CPU: how many records of the trace its ring has got
written() {
	"$FT" status --tsv | awk -v cpu="$1" '$1 == "cpu" && $2 == cpu { print $4 }'
}

id=$("$FT" list --tsv | awk '$2 == "straggle" { print $1 }')

# A task was preempted between its trigger and the probe; it goes on while the end of
# the trace waits for a CPU that has preemption off. Tried again where it came too late,
# with more time.
straggle() {
	local ms
	for ms in 1000 2000 4000 8000; do
		"$FT" enable straggle --persist || return 1
		echo 1 >"$module/enter"
		sleep 0.1
		echo $ms >"$module/hold"
		("$FT_PROGRAMS/disable" "$id"; cat "$module/held" >held) &
		echo 100 >"$module/go"
		wait $!
		[[ $(<"$module/missed") == Y ]] || return 0
	done
	return 1
}

check "trace end: a straggler comes while the end waits" straggle
same "trace end: it is refused: rings are closed before the wait" 0 "$(written 0)"
same "trace end: a CPU with preemption off was waited for" N "$(<held)"

# If it comes even later, what it writes in the next trace is a record like others.
"$FT" enable straggle --persist
echo 1 >"$module/enter"
sleep 0.1
"$FT" disable straggle
"$FT" enable mark --persist
echo 0 >"$module/go"
mkdir t
cat /dev/ft_trace_meta >t/metadata
"$FT" disable mark
cat /dev/ft_trace0 >t/cpu0
same "trace end: in the next trace its record is whole" "straggle _b=0x1 b_=0x2" \
	"$("$FT" dump --raw t | grep -o 'straggle .*' | tr -s ' ' | sed 's/\b\([12]\)\b/0x\1/g; s/0x0x/0x/g')"
check "trace end: the reference reader opens it" babeltrace2 t -o dummy

# An event goes while the trace goes on: whoever is in a probe is waited for.
"$FT" enable straggle mark --persist
echo 500 >"$module/hold"
echo 1 >"$module/unregister"
same "trace end: an event that goes waits for a CPU in a probe" N "$(<"$module/held")"
# It may have been turned off before: that waits for nobody while the trace goes on.
echo 0 >"$module/unregister"
"$FT" enable straggle --persist
echo 2000 >"$module/hold"
"$FT_PROGRAMS/disable" "$id"
echo 1 >"$module/unregister"
same "trace end: so does one that was turned off before" "N 1" "$(<"$module/held") $(status active)"
"$FT" disable --all

# A kernel without high-resolution timers takes a turn in each tick.
wait_for_turns() {
	local i
	for ((i = 0; i < 600 && $(written 1) < 1000; i++)); do
		sleep 0.1
	done
}

# turns NAME: the last records are as many beginnings as ends, by turns
turns() {
	rm -rf t
	mkdir t
	cat /dev/ft_trace_meta >t/metadata
	cat /dev/ft_trace1 >t/cpu1
	same "trace end: $1: nothing was lost" 0 \
		"$("$FT" status --tsv | awk '$1 == "cpu" && $2 == 1 { print $6 }')"
	same "trace end: $1: no event goes on while others are off" "500 500" \
		"$("$FT" dump --raw t | tail -n 1000 | awk '
			{ what = $0 ~ /turn_begin/ }
			what != before || NR == 1 { n[what]++ }
			{ before = what }
			END { print n[0] + 0, n[1] + 0 }')"
}

echo 1 >"$module/turns"
"$FT" enable turn_begin turn_end >/dev/null &
tool=$!
wait_for_turns
kill -KILL $tool
wait $tool 2>/dev/null
while [[ $(status active) == 1 ]]; do
	sleep 0.1
done
turns "a tool that dies"
"$FT" enable turn_begin turn_end --persist
wait_for_turns
"$FT" disable --all
turns "all events off"
echo 0 >"$module/turns"

rmmod ft_straggler
check "trace end: rmmod" ft_unload
finish
