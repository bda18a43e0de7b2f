# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Events from tracepoints: any by its name, and waiting for locks.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ft_load

# count TRACE EVENT: records of it
count() {
	"$FT" dump --raw --tsv -e "$2" "$1" | tail -n +2 | wc -l
}

"$FT" record -o a -e tracepoint:sched:sched_switch,mark -- \
	sh -c "$FT mark 1; sleep 0.2; $FT mark 2" 2>log
same "tracepoints: sched_switch: exit status" 0 $?
n=$(count a sched_switch)
if ((n >= 4)); then
	ok "tracepoints: sched_switch: $n records"
else
	fail "tracepoints: sched_switch" "$n records"
	cat log
fi
same "tracepoints: sched_switch: its words are known" "" "$(grep 'are undefined' log)"
# The first argument is an int, which the kernel passes in the lower half of a register.
NAME="tracepoints: the tool says what its words are"
if [[ -e /sys/kernel/btf/vmlinux ]]; then
	same "$NAME" "ret 32 signed, - 0" "$("$FT" enable --persist tracepoint:sched_kthread_stop_ret &&
		"$FT_PROGRAMS/words" sched_kthread_stop_ret && "$FT" disable sched_kthread_stop_ret)"
	same "$NAME: and warns of nothing" "" \
		"$("$FT" record -o k -d 0.1 -e tracepoint:sched_kthread_stop_ret 2>&1 | grep undefined)"
else
	"$FT" record -o k -d 0.1 -e tracepoint:sched_kthread_stop_ret 2>log
	check "tracepoints: without BTF: a warning of undefined bits" \
		grep -q "'sched_kthread_stop_ret'.* (BTF).*the upper bits .* are undefined" log
	skip "$NAME" "this kernel has no type information"
fi
# Expressions: who is switched to is in the words, and in the record's own fields.
if [[ -e /sys/kernel/btf/vmlinux ]]; then
	"$FT" record -o x -e 'tracepoint:sched:sched_switch(from = prev->pid, next->pid),sched_switch' \
		-- sleep 0.2 2>log
	same "tracepoints: expressions: exit status" 0 $?
	# By CPU: two CPUs' records of one event may be in another order than those of the other.
	# The trace's begin and end may be between the two of one switch.
	check "tracepoints: expressions: the tasks are those that the typed event has" awk -F'\t' '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{
			cpu = $column["cpu"]; event = $column["event"]; match($0, /(next|\tpid)=[0-9]+/)
			task = substr($0, RSTART, RLENGTH); sub(/.*=/, "", task)
			if (!(cpu in last)) { last[cpu] = event; of[cpu] = task }
			else if (event != last[cpu] && task == of[cpu]) { n++; delete last[cpu] }
			else if (alone[cpu]++) { print "alone: " $0; bad++ }
			else { last[cpu] = event; of[cpu] = task }
		}
		END { exit bad > 0 || n < 10 }' <("$FT" dump --tsv -e 'sched_switch*' x)
	check "tracepoints: expressions: each task leaves its CPU that came" \
		awk -F'[\t=]' '
		NR == 1 { next }
		$3 in on && on[$3] != $8 { bad++ }
		{ on[$3] = $10; n++ }
		END { exit bad > 0 || n < 10 }' \
		<("$FT" dump --raw --tsv -e sched_switch_from_pid x)
	check "tracepoints: expressions: a bit field, an address, two pointers" "$FT" record -o y \
		-e 'tracepoint:sched_switch(prev->in_iowait, &prev->comm)' \
		-e 'tracepoint:sched_switch(prev->real_parent->pid, c = next->comm[0])' -- sleep 0.2
	check "tracepoints: expressions: babeltrace2" babeltrace2 y -o dummy
	casts='((struct task_struct *)(u64)next)->pid, low=(u8)(*next).pid'
	"$FT" record -o casts -e "tracepoint:sched_switch($casts)" -- sleep 0.2 2>log
	same "tracepoints: expressions: casts" "0 many 0" "$? $(
		"$FT" dump --tsv -e sched_switch_pid_low casts | awk -F'[\t=]' '
		NR > 1 { n++; bad += $8 % 256 != $10 }
		END { print (n > 10 ? "many" : n), bad + 0 }')"
	while read -r expression says; do
		"$FT" record -o z -e "tracepoint:sched_switch($expression)" -d 1 2>log
		same "tracepoints: expressions: $expression: exit status" 125 $?
		check "tracepoints: expressions: $expression: says so" grep -q -- "$says" log
		check "tracepoints: expressions: $expression: no trace" test ! -e z
	done <<-'end'
	prev->pidd did you mean 'pid'
	nxt no argument 'nxt'
	prev.pid its members are behind ->
	prev->se choose one of its members
	prev,next,prev at most two expressions
	prev->pid,prev->pid give them names
	prev-> a name is missing
	((struct_task_struct*)prev)->pid there is no type 'struct_task_struct\*'
	end
	# Tasks of the kernel have no mm: what is read through it is nowhere.
	"$FT" record -o u -e 'tracepoint:sched_switch(next->mm->map_count, next->pid)' -- \
		sleep 0.2 2>log
	same "tracepoints: words that cannot be read: exit status" 0 $?
	# Between the rings' end and its own, the probe may read once more.
	n=$("$FT" dump --raw --tsv -e sched_switch_map_count_pid u 2>said |
		grep -c -P '\tmap_count=0x0\t')
	check "tracepoints: words that cannot be read: at the end" awk -v n="$n" '
		/^ft: sched_switch_map_count_pid: [0-9]+ words could not be read, and are 0$/ {
			if ($3 >= n && $3 <= n + 20 && n > 5) good++ }
		END { exit good != 1 }' log
	same "tracepoints: words that cannot be read: dump says the same" \
		"ft: u: $(grep -o 'sched_switch_map_count.*' log)" "$(cat said)"
	same "tracepoints: words that cannot be read: not of other events" "" \
		"$("$FT" dump --tsv -e mark u 2>&1 | tail -n +2)"
	check "tracepoints: words that cannot be read: babeltrace2" babeltrace2 u -o dummy
	same "tracepoints: words that cannot be read: status" \
		"words that could not be read, and are 0: $(
			sed -n 's/^ft: \(sched_switch_map_count_pid\): \([0-9]*\) words.*/\1 \2/p' log)" \
		"$("$FT" status | grep 'could not be read')"
	"$FT" record -o v -e 'tracepoint:sched_switch(next->pid)' -- sleep 0.1 2>log
	same "tracepoints: words that can be read" "" \
		"$(cat log <("$FT" status) | grep 'could not be read')"
	"$FT" sensors new t/maps 'tracepoint:sched_switch(next->mm->map_count, next->pid).map_count'
	sleep 0.2
	check "tracepoints: words that cannot be read: for a sensor" jq -e \
		'[.events[] | select(.name == "sched_switch_map_count_pid" and .unread > 5)] | length == 1' \
		<("$FT" status --json)
	"$FT" sensors end t/maps
	"$FT" sensors new t/prio 'tracepoint:sched_switch(next->prio, next->pid).prio'
	sleep 0.2
	check "tracepoints: expressions: a sensor of one" \
		jq -e '.sensors[0].all.count > 5' <("$FT" sensors show --json t/prio)
	"$FT" sensors end t/prio
else
	"$FT" record -o z -e "tracepoint:sched_switch(prev->pid)" -d 1 2>log
	same "tracepoints: expressions: without BTF: exit status" 125 $?
	check "tracepoints: expressions: without BTF: says so" grep -q "no type information" log
fi
check "tracepoints: the trace opens" babeltrace2 a -o dummy
check "tracepoints: the event has its name in the metadata" grep -q sched_switch a/metadata

# It has become an event: with its own id, found again, listed once.
id=$("$FT" list --tsv | awk '$2 == "sched_switch" { print $1 }')
check "tracepoints: twice the same" "$FT" record -o b \
	-e tracepoint:sched:sched_switch,tracepoint:sched_switch -- sleep 0.2
same "tracepoints: it is the same event" "$id" \
	"$("$FT" list --tsv | awk '$2 == "sched_switch" { print $1 }')"
check "tracepoints: by its name alone, now" "$FT" record -o c -e sched_switch -- sleep 0.2

"$FT" record -o d -e tracepoint:sched:no_such -d 1 2>log
same "tracepoints: unknown: exit status" 125 $?
check "tracepoints: unknown: is named" grep -q "has a tracepoint 'no_such'" log
"$FT" record -o d -e tracepoint: -d 1 2>log
same "tracepoints: without a name: exit status" 125 $?
check "tracepoints: without a name: is named" grep -q "'tracepoint:' names no" log
"$FT" record -o d -e "tracepoint:$(printf 'x%.0s' {1..64})" -d 1 2>log
same "tracepoints: a name too long: exit status" 125 $?

# An event of another kind has the name of a tracepoint.
ft_load_test ft_namesake
"$FT" record -o d -e tracepoint:sched:sched_process_wait -d 1 2>log
same "tracepoints: the name is taken: exit status" 125 $?
check "tracepoints: the name is taken: says so" grep -q "'sched_process_wait'.*another kind" log
rmmod ft_namesake
ft_unload
ft_load
check "tracepoints: the tracepoint comes first" "$FT" record -o e \
	-e tracepoint:sched:sched_process_wait -- sleep 0.2
ft_load_test ft_namesake 2>log
same "tracepoints: then the module is refused" 1 $?

# One of a module: comes and goes with it, while it is on, too.
"$FT" record -o f -e tracepoint:ft_points:ft_points_fire -d 1 2>log
same "tracepoints: of a module that is not there: exit status" 125 $?
ft_load_test ft_points
"$FT" record -o f -e tracepoint:ft_points:ft_points_fire -- \
	sh -c "echo 100 >$PARAMS/ft_points/parameters/fire" 2>log
same "tracepoints: of a module: exit status" 0 $?
# No test's module has type information.
same "tracepoints: of a module: a warning of undefined bits" 1 \
	"$(grep -c "'ft_points_fire'.* (BTF).*the upper bits .* are undefined" log)"
same "tracepoints: of a module: words" "338350 100" \
	"$("$FT" dump --raw --tsv -e ft_points_fire f | tail -n +2 |
		sed -n 's/.*arg1=\(0x[0-9a-f]*\|[0-9]*\).*/\1/p' |
		(sum=0 n=0; while read -r b; do sum=$((sum + b)); n=$((n + 1)); done; echo "$sum $n"))"
id=$("$FT" list --tsv | awk '$2 == "ft_points_fire" { print $1 }')
bad=0
for ((i = 0; i < $(rounds 10 3); i++)); do
	"$FT" enable tracepoint:ft_points_fire --persist || bad=1
	echo 10 >$PARAMS/ft_points/parameters/fire
	rmmod ft_points || bad=2
	"$FT" list --tsv | grep -q ft_points_fire && bad=3
	[[ $(status active) == 0 ]] || bad=4
	ft_load_test ft_points || bad=5
	"$FT" enable tracepoint:ft_points_fire --persist || bad=6
	[[ $("$FT" list --tsv | awk '$2 == "ft_points_fire" { print $1 }') == "$id" ]] || bad=7
	"$FT" disable ft_points_fire || bad=8
done
same "tracepoints: of a module: gone and back while it is on" 0 $bad
# Words that could not be read are told after their tracepoint's module has gone.
"$FT_PROGRAMS/words" ft_points_words points_behind >said
same "tracepoints: unread of a module: the event" "behind 64, - 0" "$(cat said)"
leave_points() {
	echo 1 >"$PARAMS/ft_points/parameters/words"
	rmmod ft_points
}
export -f leave_points
export PARAMS
"$FT" record -o g -e points_behind,mark -- bash -c leave_points 2>log
same "tracepoints: unread of a module that goes: exit status" 0 $?
n=$("$FT" dump --tsv -e points_behind g 2>said | tail -n +2 | wc -l)
same "tracepoints: unread of a module that goes: record tells" \
	"ft: points_behind: $n words could not be read, and are 0" "$(grep 'could not be read' log)"
same "tracepoints: unread of a module that goes: dump tells" \
	"ft: g: points_behind: $n words could not be read, and are 0" "$(cat said)"
check "tracepoints: unread of a module that goes: some" test "$n" -gt 5
ft_load_test ft_points
"$FT_PROGRAMS/words" ft_points_words points_behind >said
for how in there gone; do
	rm -f live
	"$FT" dump --live -e points_behind,mark >live 2>log &
	pid=$!
	wait_for 10 grep -q CPU live
	if [[ $how == there ]]; then
		echo 1 >"$PARAMS/ft_points/parameters/words"
	else
		leave_points
	fi
	sleep 0.5
	kill -TERM $pid
	wait $pid
	n=$(grep -c points_behind live)
	same "tracepoints: unread of a module that is $how: dump --live tells" \
		"ft: points_behind: $n words could not be read, and are 0" "$(grep 'could not be read' log)"
done
ft_load_test ft_points
# And the other way round: we go first.
"$FT" enable tracepoint:ft_points_fire --persist
check "tracepoints: of a module: we go, it stays" rmmod feather_trace
echo 10 >$PARAMS/ft_points/parameters/fire
check "tracepoints: of a module: it goes" rmmod ft_points
ft_load

# Waiting: two locks that somebody else holds.
if "$FT" list --tsv | cut -f2 | grep -q '^contention_begin$'; then
	ft_load_test ft_variants
	"$FT" record -o w -e contention_begin,contention_end --slots 65536 -- \
		sh -c "echo 5 >$PARAMS/ft_variants/parameters/run" 2>log
	same "tracepoints: contention: exit status" 0 $?
	for variant in mutex_waits rwsem_waits; do
		lock=$(awk -v v=$variant '$1 == v { print $3; exit }' /proc/ft_variants)
		for event in begin end; do
			n=$("$FT" dump --raw --tsv -e contention_$event w | grep -c -w "lock=$lock")
			if ((n >= 5)); then
				ok "tracepoints: contention_$event: $variant: $n records"
			else
				fail "tracepoints: contention_$event: $variant" "$n records, not 5"
			fi
		done
	done
	rmmod ft_variants
else
	skip "tracepoints: contention" "this kernel has no contention_begin"
fi

# Interrupts that are off: from one to the other on each CPU, where the kernel has these.
events=sched_switch
if grep -q ' __tracepoint_irq_disable$' /proc/kallsyms; then
	events+=,tracepoint:preemptirq:irq_disable,tracepoint:preemptirq:irq_enable
fi
"$FT" record -o off -e "$events" --slots 1M -- sleep 0.05 2>log
same "tracepoints: interrupts off: exit status" 0 $?
off=$("$FT" report --rt --tsv off 2>/dev/null |
	awk -F'\t' '$1 == "rt_nonpreemptible" && $2 == "irq_off" && $3 == "count" { print $4 }')
says=$("$FT" report --rt off 2>/dev/null | grep -c "preemptirq:irq_")
if [[ $events == *preemptirq* ]]; then
	same "tracepoints: interrupts off: in the report" "many 0" "$( ((off > 20)) && echo many) $says"
else
	same "tracepoints: interrupts off: it says that this kernel has no events" " 1" "$off $says"
fi
check "tracepoints: rmmod" rmmod feather_trace
finish
