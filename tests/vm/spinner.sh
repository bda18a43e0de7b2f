# SPDX-License-Identifier: GPL-2.0-only OR MIT
# A real-time task that keeps a CPU for itself, with nothing to limit it: traces begin
# and end all the same.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

limit=/proc/sys/kernel/sched_rt_runtime_us
if (($(nproc) < 2)) || [[ ! -w $limit ]]; then
	skip "spinner" "there is no second CPU, or no such setting"
	exit 0
fi

# within NAME COMMAND...: it ends in time. What hangs does so until the task is gone.
hung=0
within() {
	local name=$1 i
	shift
	"$@" >"$WORK/log" 2>&1 &
	for ((i = 0; i < 150; i++)); do
		if [[ ! -e /proc/$! ]]; then
			if wait $!; then
				ok "$name"
			else
				fail "$name" "$(<"$WORK/log")"
			fi
			return
		fi
		sleep 0.2
	done
	fail "$name" "it hangs"
	sed 's/^/    /' "/proc/$!/stack"
	hung=1
}

# What runs beside the task must not be where it is: nothing takes it from there.
taskset -cp 0 $$ >/dev/null

# Where interrupts, softirqs, timers and RCU's callbacks of a CPU are threads, the whole
# kernel waits for them: they come before the task, as in a system that has such tasks.
priority=99
if [[ $(uname -v) == *PREEMPT_RT* ]]; then
	priority=40
	for name in ksoftirqd ktimers rcuc; do
		pid=$(pgrep -x "$name/1") && chrt -f -p 50 "$pid"
	done
fi

# spin: a task begins to keep a CPU; let_go: it ends
was=$(<$limit)
spin() {
	echo -1 >$limit
	taskset -c 1 chrt -f $priority bash -c 'while :; do :; done' &
	spinner=$!
	sleep 0.5
}
let_go() {
	kill -KILL $spinner
	wait $spinner 2>/dev/null
	echo "$was" >$limit
}

unwrapped() {
	[[ $(status wrapped) == 0 ]]
}

# asks_or_ends PID: a program that waits until functions are unwrapped does so, or did
asks_or_ends() {
	[[ ! -e /proc/$1 ]] || grep -qs ft_attach_detach "/proc/$1/stack"
}

# is_off EVENT
is_off() {
	"$FT" list --tsv | awk -F'\t' -v name="$1" '$2 == name { exit $5 != 0 }'
}

ft_load slots=4096

# ftrace of some kernels waits for the task when a function is wrapped. So does the
# process that enables the event, until it is killed; no other process waits.
if ft_has_locks; then
	spin
	"$FT" enable mutex_acquire >"$WORK/enable" 2>&1 &
	enable=$!
	sleep 2
	[[ ! -e /proc/$enable ]] || echo "    ft enable of a lock event waits"
	((hung)) || within "spinner: a lock event is enabled: ft status" "$FT" status
	same "spinner: which does not take it for being unwrapped" "" \
		"$(grep leaving: "$WORK/log")"
	((hung)) || within "spinner: and another event" "$FT" enable mark --persist
	((hung)) || within "spinner: and a mark" "$FT" mark 1
	((hung)) || within "spinner: and all events off" "$FT" disable --all
	kill $enable
	gone=""
	for ((i = 0; i < 50; i++)); do
		[[ -e /proc/$enable ]] || { gone=1; break; }
		sleep 0.2
	done
	same "spinner: who enables the lock event can be killed" 1 "$gone"
	[[ $gone ]] || sed 's/^/    /' "/proc/$enable/stack" "/proc/$enable/status"
	"$FT" enable semaphore_acquire --persist >"$WORK/enable" 2>&1 &
	enable=$!
	sleep 1
	((hung)) || within "spinner: another one enables one: ft functions" "$FT" functions
	# If it waits for the task, functions stay wrapped without an event.
	detached=$("$FT_PROGRAMS/detach" 1 2>&1)
	if ((!hung)) && is_off semaphore_acquire; then
		same "spinner: who waits for unwrapping for a second is told that it is not done" \
			"detach: Device or resource busy" "$detached"
	fi
	"$FT_PROGRAMS/detach" 600 >"$WORK/detached" 2>&1 &
	waits=$!
	wait_for 10 asks_or_ends $waits
	let_go
	if wait $enable; then
		ok "spinner: it is on when the task has gone"
	else
		fail "spinner: it is on when the task has gone" "$(<"$WORK/enable")"
	fi
	wait $waits
	if ft_wraps; then
		check "spinner: who waits for unwrapping meanwhile is told what stays wrapped" \
			test "$(<"$WORK/detached")" -gt 0
	fi
	((hung)) || within "spinner: and goes off" "$FT" disable --all
	if ft_wraps; then
		check "spinner: then all functions are unwrapped" wait_for 60 unwrapped
	fi
fi

"$FT" enable mark tracepoint:sched:sched_process_exit --persist
if ft_has_locks; then
	"$FT" enable semaphore_acquire --persist
fi
spin

# Wrapped functions are left in the background, where RCU has to wait for the task.
within "spinner: a trace ends" "$FT" disable --all
((hung)) || within "spinner: the next one begins" "$FT" enable mark --persist
((hung)) || within "spinner: and ends" "$FT" disable mark

let_go
((! hung)) || sleep 10
check "spinner: rmmod" ft_unload
finish
