# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Events of the scheduler, of interrupts, timers and system calls: their fields, checked against
# each other and against what was done.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ft_load

# all TRACE EVENT: its records, "time CPU tid field=value ...", in the order of time
all() {
	"$FT" dump --raw --tsv -e "$2" "$1" | awk -F'\t' 'NR > 1 && $6 != "LOST" {
		print $1, $3, $5, $6, $7, $8 }'
}

same "typed: fields are listed" "next,next_policy,next_prio,prev_state,prev_prio" \
	"$("$FT" list --tsv | awk -F'\t' '$2 == "sched_switch" { print $9 }')"

# A task of a known policy that sleeps and wakes up, another one, and a child; on both CPUs.
cat >work <<-'END'
	chrt -f 42 sh -c 'echo $$ >fifo; exec sleep 0.3' &
	chrt -r 7 sh -c 'echo $$ >rr; exec sleep 0.2' &
	nice -n 5 sh -c 'echo $$ >nice; for i in 1 2 3; do sleep 0.05; done'
	taskset -c 0 sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done' &
	taskset -c 0 sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
	wait
END
SYSTEM=sched_switch,sched_waking,sched_wakeup,sched_wakeup_new,sched_migrate_task
SYSTEM+=,sched_process_fork,sched_process_exec,sched_process_exit
SYSTEM+=,softirq_entry,softirq_exit,softirq_raise,irq_handler_entry,irq_handler_exit
SYSTEM+=,hrtimer_expire_entry,hrtimer_expire_exit,timer_expire_entry,timer_expire_exit
SYSTEM+=,sys_enter,sys_exit
"$FT" record -o t -e "$SYSTEM" --slots 1M -- sh work 2>log
same "typed: recorded, and nothing lost" "0 0" "$? $(session t lost)"
cat log | sed 's/^/    /'

# --- the scheduler

# Who leaves a CPU is who came to it before.
all t sched_switch | awk '
	{ split($5, f, "="); next_task = f[2]
	  if (($2 in on) && on[$2] != $3) bad++
	  on[$2] = next_task; n++ }
	END { print (n > 200 ? "many" : n), bad + 0 }' >chain
same "typed: each switch leaves whom the one before came to" "many 0" "$(cat chain)"

# switches_to TID: its policy and priority in the end: it has begun as another program
switches_to() {
	"$FT" dump --tsv -e sched_switch t | grep -P "\tnext=$1 " | tail -n 1 |
		grep -oP 'next_(policy|prio)=\S*' | xargs
}
same "typed: a task of SCHED_FIFO" "next_policy=FIFO next_prio=42" "$(switches_to "$(cat fifo)")"
same "typed: a task of SCHED_RR" "next_policy=RR next_prio=7" "$(switches_to "$(cat rr)")"
same "typed: a nice one" "next_policy=OTHER next_prio=nice:5" "$(switches_to "$(cat nice)")"

# states TID: with which it left
states() {
	"$FT" dump --tsv -e sched_switch t | awk -F'\t' -v tid="$1" '$5 == tid' |
		grep -o 'prev_state=[^ ]*' | sort -u | cut -d= -f2 | xargs
}
check "typed: who sleeps leaves as S, who ends as X" grep -qE '\bS\b.*\bX\b' <<<"$(states "$(cat fifo)")"
check "typed: who computes beside another one is preempted" \
	grep -q -w 'prev_state=R+' <<<"$("$FT" dump --tsv -e sched_switch t | sed 's/R+/R+ /')"

# A wakeup of a task is of one that sleeps, and it runs next where the wakeup said, unless it
# migrates meanwhile.
all t 'sched_switch,sched_wakeup,sched_migrate_task' | awk '
	function field(name,  i, f) {
		for (i = 5; i <= NF; i++) { split($i, f, "="); if (f[1] == name) return f[2] } }
	$4 == "sched_wakeup" { where[field("task")] = field("target_cpu") }
	$4 == "sched_migrate_task" && (field("task") in where) { where[field("task")] = field("dest_cpu") }
	$4 == "sched_switch" { t = field("next")
		if (t in where) { n++; if (where[t] != $2) bad++; delete where[t] } }
	END { print (n > 50 ? "many" : n + 0), bad + 0 }' >woken
same "typed: the woken run on the CPU that was named" "many 0" "$(cat woken)"

# What is forked appears, under a number of its own, with the process that forked.
all t 'sched_process_fork,sched_process_exec,sched_process_exit' | awk '
	function field(name,  i, f) {
		for (i = 5; i <= NF; i++) { split($i, f, "="); if (f[1] == name) return f[2] } }
	$4 == "sched_process_fork" { n++; if (field("parent") != $3) bad++; born[field("child")] }
	$4 == "sched_process_exec" { if (field("task") != $3) bad++ }
	$4 == "sched_process_exit" { if (field("task") != $3) bad++; if ($3 in born) died++ }
	END { print (n >= 8 && died >= 8 ? "some" : n "/" died), bad + 0 }' >forks
same "typed: forks, execs and exits are of who does it" "some 0" "$(cat forks)"

# --- pairs: on a CPU what is entered is left, innermost first; a call of a task by that task

# pairs BEGIN END FIELD [by tid]
pairs() {
	all t "$1,$2" | awk -v begin="$1" -v name="$3" -v by="${4:-2}" '
	function field(name,  i, f) {
		for (i = 5; i <= NF; i++) { split($i, f, "="); if (f[1] == name) return f[2] } }
	{ who = $by }
	$4 == begin { stack[who, ++depth[who]] = field(name); next }
	# What began before the trace, or does not return.
	!depth[who] { if (seen[who]) bad++; next }
	# The return from a handler of a signal has no number: -1.
	{ seen[who] = 1; n++; value = field(name)
	  if (stack[who, depth[who]--] != value && value != -1) bad++ }
	END { print (n > 20 ? "many" : n + 0), bad + 0 }'
}
same "typed: softirqs" "many 0" "$(pairs softirq_entry softirq_exit vec)"
same "typed: high-resolution timers" "many 0" "$(pairs hrtimer_expire_entry hrtimer_expire_exit timer)"
same "typed: system calls" "many 0" "$(pairs sys_enter sys_exit id 3)"

# --- what threads do, for viewers
"$FT" export -f chrome -o t.json t
same "typed: what threads and CPUs do agrees with itself" \
	"CPUs: interrupts: some; CPUs: what runs: some; Threads: some; Threads: system calls: some; arrows: some" \
	"$(python3 "$(dirname "${BASH_SOURCE[0]}")/chrome_threads.py" t.json 2>&1)"

check "typed: softirqs have names" grep -q -P '\tvec=(TIMER|SCHED|RCU)' \
	<<<"$("$FT" dump --tsv -e softirq_entry t)"
check "typed: functions have names" grep -q -P 'function=(tick_sched_timer|tick_nohz_handler|hrtimer_wakeup)' \
	<<<"$("$FT" dump --tsv -e hrtimer_expire_entry t)"
# One may be raised again before it is served, and what was raised before the trace.
same "typed: no timer softirq is served that was not raised" 0 "$(all t softirq_raise,softirq_entry | awk '
	$5 != "vec=1" { next }
	$4 == "softirq_raise" { raised[$2]++; next }
	{ if (++served[$2] > raised[$2] + 1) bad++ }
	END { print bad + 0 }')"

# --- other readers

check "typed: babeltrace2 reads the fields" grep -q -E \
	'sched_switch: .*prev_state = \( "S" : container = 1 \)' <<<"$(babeltrace2 t 2>errors)"
same "typed: without a word of complaint" "" "$(cat errors)"

# --- pairs of the kernel's: time(A, B) finds both ends by the first word

# timed NAME: how many times, and are ends without a beginning few? A child ends the call that its
# parent began, and the return from a handler of a signal has no number.
timed() {
	"$FT" sensors show "$1" --json | python3 -c 'import json, sys
s = json.load(sys.stdin)["sensors"][0]
print("many" if s["all"]["count"] > 20 else s["all"]["count"], s["alone"] * 5 < s["all"]["count"])'
}
for pair in softirq_entry,softirq_exit hrtimer_expire_entry,hrtimer_expire_exit sys_enter,sys_exit; do
	name=${pair%%_*}
	"$FT" sensors new "$name" "time($pair)" >/dev/null
	sh work
	same "typed: time($pair)" "many True" "$(timed "$name")"
	"$FT" sensors end "$name" >/dev/null
done

# --- conditions

"$FT" record --flight -o w -e sched_switch --when 'sched_switch.next_prio < 100' -- \
	chrt -f 11 sleep 0.2 2>log
same "typed: a condition on a priority" 0 $?
check "typed: fires for a task of SCHED_FIFO" grep -q "next_prio < 100' was fulfilled" log
"$FT" record --flight -o v -e sched_switch --when 'sched_switch.next_policy == 77' -- \
	chrt -f 11 sleep 0.2 2>log
same "typed: one that does not hold" "" "$(grep 'was fulfilled' log)"
"$FT" record --flight -o u -e sched_switch --when 'sched_switch.no_such == 1' -- true 2>log
check "typed: a field that is not there: all are named" grep -q "next_prio, prev_state" log
"$FT" record --flight -o u -e sched_switch --when 'sched_switch.next_policy == 70000' -- true 2>log
check "typed: a value that is too large" grep -q "does not fit into 'next_policy', which has 16 bits" log
"$FT" record --flight -o t1 -e sched_switch --when 'sched_switch.next_policy == FIFO' -- \
	chrt -f 11 sleep 0.2 2>log
check "typed: a policy by its name" grep -q "next_policy == FIFO' was fulfilled" log
"$FT" record --flight -o t2 -e sched_switch --when 'sched_switch.prev_state == R+ && sched_switch.next_policy == DEADLINE' -- \
	chrt -f 11 sleep 0.2 2>log
same "typed: names that do not hold" "0 " "$? $(grep 'was fulfilled' log)"
"$FT" record --flight -o u -e sched_switch --when 'sched_switch.prev_state == RX' -- true 2>log
check "typed: a name that there is not: all are named" \
	grep -q "'prev_state' has no value 'RX'; it has: R, S, D, T, t, P, X, I, R+$" log
"$FT" record --flight -o u -e sched_switch --when 'sched_switch.next_prio == high' -- true 2>log
check "typed: a name, and values without" grep -q "the values of 'next_prio' have no names" log

check "typed: rmmod" ft_unload
finish
