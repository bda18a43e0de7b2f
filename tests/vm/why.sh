# SPDX-License-Identifier: GPL-2.0-only OR MIT
# ft why against what is known: a mutex of a module, and one of a program, whose holder runs, is
# preempted by a thread, and sleeps; four wait for it, through each other.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

if (($(nproc) < 2)); then
	skip "why" "it takes two CPUs"
	exit 0
fi
cd "$WORK" || exit 2
ft_load
PATH=$FT_PROGRAMS:$PATH
KNOWN=$PARAMS/ft_why/parameters
# What ft why says to record, where it is not.
EVENTS='sched_*,irq_*,softirq_*,local_timer_*,reschedule_*,call_function_*'

# ns CAUSE: of the parts of the section itself in held.json
ns() {
	jq --arg cause "$1" '[.held.longest[0].parts[] | select(.depth == 0 and .cause == $cause).ns] |
		add // 0' held.json
}

# sums FILE: of how many sections, waits and parts what is in them does not add up
sums() {
	jq '[.held, .waited | select(.) | .longest[] | [{ns: .ns, depth: -1}] + .parts |
		. as $all | range(length) as $i |
		([range($i + 1; $all | length) | select($all[.].depth <= $all[$i].depth)][0] //
			($all | length)) as $to |
		[$all[$i + 1:$to][] | select(.depth == $all[$i].depth + 1).ns] |
		select(length > 0 and add != $all[$i].ns)] | length' "$1"
}

# taken_apart NAME HOLDER HOG WAITER FAMILY SLEEPS: t, against the numbers in known
taken_apart() {
	local held hogged slept
	read -r held hogged slept <known
	"$FT" why --json --holds --limit 1 --task "$2" --family "$5" t >held.json
	same "$1: exit status" 0 $?
	"$FT" why --json --waits --limit 1 --task "$4" --family "$5" t >waited.json
	same "$1: parts add up to the whole" "0 0" "$(sums held.json) $(sums waited.json)"
	check "$1: it was held no less than the holder saw ($(ns running) ns of $held running)" \
		test "$(jq '.held.longest[0].ns' held.json)" -ge "$held"
	check "$1: preempted for as long as the other thread ran, or longer" \
		test "$(ns preempted)" -ge "$hogged"
	# The recorder's threads may run for longer, where the machine is slow.
	same "$1: by that thread" "$3" "$(jq -r '[.held.longest[0].parts[] | select(.depth == 0 and
		.cause == "preempted" and (.task_name | test("^ft(-[a-z0-9]+)?$") | not))] | max_by(.ns).task_name' held.json)"
	# The sleep's timer runs before the task sleeps, and the host may keep the CPU in between.
	check "$1: asleep, and no longer than the sleep took" \
		test "$(($(ns uninterruptible) + $(ns asleep)))" -gt 0 -a \
		"$(($(ns uninterruptible) + $(ns asleep)))" -le "$slept"
	check "$1: it ran, with interrupts, for what it did without the others" \
		test "$(($(ns running) + $(ns interrupt) + $(ns softirq)))" -gt 2000000
	same "$1: where it sleeps: there, for all of it" "$6 false" "$(jq -r '[.held.longest[0].parts[] |
		select(.depth == 0 and (.cause == "asleep" or .cause == "uninterruptible")) |
		"\(.asleep_in) \(.on_io)"] | unique | join(",")' held.json)"
	same "$1: so do the sums" "$6" "$(jq -r '[.held.all.sleep[] | .asleep_in // empty] |
		unique | join(",")' held.json)"
	same "$1: nothing is unknown" 0 "$(ns unknown)"
	same "$1: the last of four waits for the holder, through three others" 4 \
		"$(jq --arg holder "$2" '[.waited.longest[0].parts[] |
			select(.cause == "waiting" and .task_name == $holder).depth + 1] | max' \
			waited.json)"
	check "$1: while that one is preempted, asleep, and runs" \
		test "$(jq '[.waited.longest[0].parts[] | select(.depth == 4).cause] |
			(index("preempted") and index("running") and
				(index("uninterruptible") or index("asleep")))' waited.json)" = true
	"$FT" why --html "$FT_OUT/why.html" t
	same "$1: a page" 0 $?
}

ft_load_test ft_why
"$FT" record -o t --force --locks -e "$EVENTS" --stacks=sleeps --slots 256k -- sh -c "echo 1 >$KNOWN/run" 2>log
same "why: recorded, and nothing lost" "0 0" "$? $(session t lost)"
cat "$KNOWN/known" >known
rmmod ft_why
taken_apart "why: a module's mutex" ft_why_hold ft_why_hog ft_why_4 mutex "why_thread [ft_why]"
"$FT" why --limit 1 --top 3 --task ft_why_hold --task ft_why_4 --family mutex t | sed 's/^/    /'

"$FT" record -o t --force --locks --user -e "$EVENTS" --stacks=sleeps --slots 256k -- why_holder >known 2>log
same "why: a program recorded, and nothing lost" "0 0" "$? $(session t lost)"
taken_apart "why: a program's mutex" holder hog waiter_4 pthread_mutex hrtimer_nanosleep
"$FT" why --limit 1 --top 3 --task holder --task waiter_4 --family pthread_mutex t |
	sed 's/^/    /'

# Stacks of sleeps need sched_switch.
"$FT" record -o t --force -e mark --stacks=sleeps -- true >out 2>&1
same "why: no sleeps without sched_switch: exit status" 125 $?
check "why: no sleeps without sched_switch: it is said" grep -q "sched_switch for sleeps" out
"$FT" record -o t --force --locks --stacks=sleeps,waits -- true >out 2>&1
check "why: waits, and no sleeps: it is said" grep -q "there are no sleeps: they need sched_switch" out

# Real work between two marks of ft mark: a shell sleeps, and reads files.
"$FT" record -o t --force --locks -e "$EVENTS,mark" --slots 256k -- sh -c "for i in 1 2 3; do
	'$FT' mark begin \$i; sleep 0.0\$i; cat /proc/modules >/dev/null; '$FT' mark end \$i
done" 2>log
same "requests: recorded" 0 $?
"$FT" requests --json t >requests.json
same "requests: of a kernel's trace: each is there, none is left out" "0 1 2 3 0" \
	"$? $(jq -r '[.slowest[].id] | sort | map(tostring) | join(" ")' requests.json) $(jq \
		'[.left_out[]?] | add // 0' requests.json)"
same "requests: each took as long as its sleep, and longer" true \
	"$(jq '[.slowest[] | .ns > .id * 10000000] | all' requests.json)"
same "requests: causes of threads add up to their time" true \
	"$(jq '[.slowest[] | (.causes | add) == .thread_ticks] | all' requests.json)"
"$FT" report --html page.html t 2>log
check "requests: they are in the page of the report" grep -q 'id="requests"' page.html

"$FT" record -o t --force --locks -- true 2>log
"$FT" why t >out 2>errors
same "why: without events of the scheduler it says what to record" "1 1" \
	"$? $(grep -c -F "ft record --locks -e '$EVENTS'" errors)"

check "why: rmmod" ft_unload
finish
