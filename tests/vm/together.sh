# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Two recorders, a flight recorder and sensors of the same events at once: what each has is
# what it would have had alone.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ft_load slots=65536 wake_us=1000
ft_load_test ft_bench
ft_load_test ft_points
EVENTS=bench
if "$FT" enable tracepoint:ft_points_fire --persist >/dev/null 2>&1; then
	EVENTS+=,ft_points_fire
fi
"$FT" disable --all >/dev/null

# The same events in each run, some thousand, on all CPUs one after the other.
cat >work.sh <<EOF
for round in 1 2 3 4 5; do
	for cpu in $(seq -s ' ' 0 $(($(nproc) - 1))); do
		taskset -p -c \$cpu \$\$ >/dev/null
		echo \$((300 * round)) >$PARAMS/ft_bench/parameters/event
		echo \$((100 * round)) >$PARAMS/ft_points/parameters/fire
	done
done
EOF

# records TRACE: what each CPU had, in its order, whenever that was, and by whichever task
records() {
	"$FT" dump "$1" --raw --tsv | awk -F'\t' '
		NR == 1 {
			for (i = 1; i <= NF; i++)
				column[$i] = i
			next
		}
		{
			line = $column["cpu"]
			for (i = column["event"]; i <= NF; i++)
				line = line "\t" $i
			print line
		}' | sort -s -n -k1,1
}

# Each records what COMMAND does in DIR-... : first DIR COMMAND...
first() {
	"$FT" record -o "$1-first" -e "$EVENTS" -- "${@:2}"
}

second() {
	"$FT" record --own-session -o "$1-second" -e "$EVENTS" -- "${@:2}"
}

flight() {
	"$FT" record --flight --session kept -o "$1-flight" -e "$EVENTS" -- "${@:2}"
}

# Somebody looks at the sensors all the time.
sensed() {
	local event reader status
	for event in ${EVENTS//,/ }; do
		"$FT" sensors new "t/$event" "$event.$(field "$event")" || return 1
	done
	while "$FT" sensors show --json 't/*'; do
		:
	done >/dev/null &
	reader=$!
	"${@:2}"
	status=$?
	kill "$reader"
	wait "$reader"
	"$FT" sensors show --json --top 0 't/*' |
		jq -c '.sensors[] | [.name, (.all | .count, .sum, .min, .max, .bins)]' >"$1-sensed"
	"$FT" sensors end 't/*'
	return "$status"
}

# field EVENT: its first word
field() {
	[[ $1 == bench ]] && echo index || echo arg0
}

export -f first second flight sensed field
export FT EVENTS

for recorder in first second flight sensed; do
	check "together: $recorder alone" $recorder alone sh work.sh
done
check "together: all of them" \
	sensed all bash -c 'first all bash -c "second all bash -c \"flight all sh work.sh\""'
for trace in first second flight/1; do
	records "alone-$trace" >alone
	records "all-$trace" >all
	n=$(wc -l <alone)
	check "together: $trace: $n records alone" test "$n" -ge $((4500 * $(nproc)))
	check "together: $trace: the same records beside the others" cmp alone all
done
same "together: the sensors' counts" "$(wc -w <<<"${EVENTS//,/ }")" \
	"$(grep -c '",[1-9][0-9]*,' alone-sensed)"
check "together: the sensors: the same beside the recorders" cmp alone-sensed all-sensed
same "together: nothing is left on" 0 "$(status active)"
rmmod ft_bench ft_points
check "together: rmmod" ft_unload
finish
