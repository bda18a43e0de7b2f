# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Events of another module: known while it is loaded, recorded, and gone with it,
# even while they are enabled and firing.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ft_load

event_id() {
	"$FT" list --tsv | awk -v name="$1" '$2 == name { print $1 }'
}

same "module events: not known before" "" "$(event_id example_beat)"
check "module events: load the example" ft_load_test ft_example
id=$(event_id example_beat)
same "module events: has a trigger, of its module" "1 ft_example" \
	"$("$FT" list --tsv | awk '$2 == "example_beat" { print $7, $8 }')"

check "module events: record" "$FT" record -o t -e example_beat -d 2
if (($("$FT" dump t | grep -c 'example_beat .*count=') >= 100)); then
	ok "module events: records have its name and fields"
else
	fail "module events: records have its name and fields" "$("$FT" dump t | head -3)"
fi

if rmmod feather_trace 2>/dev/null; then
	fail "module events: the tracer stays while others use it" "rmmod worked"
else
	ok "module events: the tracer stays while others use it"
fi

# An event that is there to be counted says how, so that its name is enough.
for name in example_beats example_last example_sizes; do
	check "module events: a sensor by its name: $name" "$FT" sensors new $name
done
said=$("$FT" sensors new example_beat 2>&1)
same "module events: one that is not: exit status" 1 $?
check "module events: one that is not: what to do" grep -q "count(example_beat)" <<<"$said"
counted() {
	"$FT" sensors show --json | jq -e '[.sensors[] | select(.all.count > 0)] | length == 3' >/dev/null
}
check "module events: they count" wait_for 30 counted
same "module events: kinds and units" "counter  scalar beats histogram bytes" \
	"$("$FT" sensors show --json | jq -r '[.sensors[] | .kind, .unit] | join(" ")')"
check "module events: sensors end" "$FT" sensors end 'example_*'

# Unloading while enabled, by a descriptor and for good.
bad=0
for ((i = 0; i < $(rounds 10 3 1); i++)); do
	"$FT" enable example_beat --persist || bad=1
	"$FT" record -o "u$i" -e example_beat -- sh -c 'sleep 0.3; rmmod ft_example' \
		>/dev/null 2>&1
	[[ -z $(event_id example_beat) ]] || bad=2
	babeltrace2 "u$i" >text 2>errors || bad=3
	grep -q example_beat text || bad=4
	# Losses are not what this is about; they are told by a warning.
	sed "s/^/    /" errors
	if grep -v 'discarded' errors; then
		bad=5
	fi
	ft_load_test ft_example || bad=6
	[[ $(event_id example_beat) == "$id" ]] || bad=7
	"$FT" list --tsv | awk '$2 == "example_beat" && $5 != 0 { exit 1 }' || bad=8
done
same "module events: unload while enabled, again and again" 0 $bad

rmmod ft_example

# The jump table of this one has triggers of three events.
ft_load_test ft_straggler
same "module events: each of a module with three has its own trigger" "1 1 1" \
	"$("$FT" list --tsv | awk '$8 == "ft_straggler" { print $7 }' | xargs)"
rmmod ft_straggler

# A name stays its module's: whoever reads an old trace by it must find the same event.
ft_load_test ft_namesake
id=$(event_id sched_process_wait)
rmmod ft_namesake
if ft_load_test ft_namesake_too 2>/dev/null; then
	fail "module events: another module is refused a known name" "it has it"
	rmmod ft_namesake_too
else
	ok "module events: another module is refused a known name"
fi
check "module events: the one that had it is not" ft_load_test ft_namesake
same "module events: and has its id again" "$id" "$(event_id sched_process_wait)"
rmmod ft_namesake
check "module events: rmmod" ft_unload
finish
