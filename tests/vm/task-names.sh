# SPDX-License-Identifier: GPL-2.0-only OR MIT
# ft record keeps the names of tasks that were there, that came, went and were
# renamed; where it cannot, the recording is good all the same.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ft_load
ft_load_test ft_example
PATH=$FT_PROGRAMS:$PATH
cp /bin/sleep short-lived

# name_of TRACE NUMBER
name_of() {
	awk -F'\t' -v tid="$2" '$1 == tid { print $2 }' "$1/info/tasks"
}

# state TRACE: what became of the names
state() {
	session "$1" tasks
}

EVENTS=(-e example_beat)
if ft_has_locks; then
	EVENTS=(--locks --slots 262144)
fi

# --- tasks that come and go ---

cat >workload <<'END'
named_task renamed >renamed
named_task $'a\tb\n\\ \e[1m<&"' >odd
./short-lived 0 & echo $! >short; wait
( read -r pid _ </proc/self/stat; echo "$pid" >/dev/null; echo "$BASHPID" >subshell; : )
bash -c 'echo $$; exec ./short-lived 0' >executed
END
check "names: recorded" "$FT" record -o t "${EVENTS[@]}" -- bash workload
same "names: they are complete" complete "$(state t)"
same "names: of a task that was there before" "$(cat /proc/1/comm)" "$(name_of t 1)"
same "names: of the shell that records" "$(cat /proc/$$/comm)" "$(name_of t $$)"
same "names: of a task that renamed itself" renamed "$(name_of t "$(cat renamed)")"
same "names: of one with odd signs: in a line, without control characters" \
	'a\tb\n\\ \x1b[1m<&"' "$(name_of t "$(cat odd)")"
same "names: of a task that ran another program" short-lived "$(name_of t "$(cat short)")"
same "names: of one that did so in place" short-lived "$(name_of t "$(cat executed)")"
same "names: of one that was only forked: its parent's" bash "$(name_of t "$(cat subshell)")"
same "names: idle tasks have none, they share a number" "" "$(name_of t 0)"
same "names: a line is a number and a name" "" "$(grep -v -P '^[1-9][0-9]*\t[^\t]+$' t/info/tasks)"
same "names: a number has one" "" "$(cut -f1 t/info/tasks | uniq -d)"

if ft_has_locks; then
	tid=$(cat renamed)
	"$FT" report --tsv --top 1000000 t >report.tsv
	same "names: the report has them" renamed \
		"$(awk -F'\t' -v row="mutex:$tid" '$1 == "task" && $2 == row && $3 == "name" { print $4 }' report.tsv)"
	check "names: the report for people has them" \
		grep -q " $tid renamed\$" <("$FT" report --top 1000000 t)
	"$FT" report --tsv --task "$tid" t >by-number
	"$FT" report --tsv --task renamed t >by-name
	check "names: --task takes a name as it takes a number" cmp by-number by-name
	same "names: --task leaves nothing else" "$tid" \
		"$(awk -F'\t' '$1 == "task" { sub(/.*:/, "", $2); print $2 }' by-name | sort -u)"
	"$FT" report --tsv --task 'a\tb\n\\ \x1b[1m<&"' t >odd-name
	same "names: --task takes an odd name as it is shown" "$(cat odd)" \
		"$(awk -F'\t' '$1 == "task" { sub(/.*:/, "", $2); print $2 }' odd-name | sort -u)"
	"$FT" report --task nobody t 2>log
	same "names: --task with a name that no task has" 1 $?
	check "names: and it is told" grep -q "'nobody'" log
	check "names: exported" grep -q "\"renamed $tid\"" <("$FT" export -f chrome t)
fi

# --- the end by Ctrl-C; CPUs that come and go; news that is lost ---

# start TRACE [COMMAND...]: records in the background
start() {
	local trace=$1
	shift
	env --default-signal=INT "$@" "$FT" record -o "$trace" -e example_beat 2>log &
	recorder=$!
	until grep -q 'Ctrl-C' log; do
		kill -0 $recorder || return
		sleep 0.1
	done
}

# perf_events N: does the recorder have so many?
perf_events() {
	[[ $(find "/proc/$recorder/fd" -lname '*perf_event*' | wc -l) == "$1" ]]
}

# start_late: a task that gets its name, and stays
start_late() {
	bash -c 'printf late-name >/proc/self/comm; read -r' < <(sleep 6000) &
	late=$!
	wait_for 120 grep -q late-name /proc/$late/comm
}

# stop NAME: Ctrl-C
stop() {
	kill -INT $recorder
	wait $recorder
	same "$1" 0 $?
}

start c
named_task short-one >short
named_task late >late
stop "names: ended by Ctrl-C"
same "names: they are there then" "short-one late complete" \
	"$(name_of c "$(cat short)") $(name_of c "$(cat late)") $(state c)"

control=/sys/devices/system/cpu/cpu1/online
if [[ -w $control ]]; then
	start h
	echo 0 >$control
	wait_for 120 perf_events 1
	echo 1 >$control
	wait_for 120 perf_events 2
	taskset -c 1 named_task on-cpu-1 >late
	stop "names: CPUs went and came"
	same "names: of a CPU that came back" on-cpu-1 "$(name_of h "$(cat late)")"
	check "names: gaps are told" grep -q CPUs <(state h)
fi

# Stopped, the recorder cannot read what the kernel tells, and rings are finite.
start l
kill -STOP $recorder
named_task gone "$(rounds 4000 2500)" >gone
start_late
kill -CONT $recorder
stop "names: notices were lost"
check "names: that is told" grep -q ' notices .*lost' <(state l)
same "names: of what lives then" late-name "$(name_of l $late)"
kill $late

# --- where there are no perf events ---

# Who may have no memory of the kernel's may not have their rings.
echo 0 >/proc/sys/kernel/perf_event_mlock_kb
start f prlimit --memlock=0 setpriv --bounding-set -ipc_lock
named_task gone >gone
start_late
stop "names: without perf events"
check "names: the way it is without them is told" grep -q 'perf events: Operation not permitted' <(state f)
same "names: of tasks that were there, and are there at the end" \
	"$(cat /proc/1/comm) late-name" "$(name_of f 1) $(name_of f $late)"
same "names: not of one that came and went" "" "$(name_of f "$(cat gone)")"
kill $late
echo 516 >/proc/sys/kernel/perf_event_mlock_kb

start n unshare --pid --fork --kill-child --mount-proc
sleep 1
# The recorder is the child; a signal that the parent gets is its own.
kill -INT "$(pgrep -P $recorder)"
wait $recorder
check "names: other numbers than the trace's are not used" grep -q '^none: ' <(state n)
same "names: so there is no file" 1 "$([[ -e n/info/tasks ]]; echo $?)"

check "names: a trace with names can be replaced" \
	"$FT" record -o t --force -e example_beat -d 0.5

rmmod ft_example
check "names: rmmod" ft_unload
finish
