# SPDX-License-Identifier: GPL-2.0-only OR MIT
# A real-time task that keeps a CPU for itself, with nothing to limit it: traces begin
# and end all the same.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

if ! can_spin; then
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

spin
# A session in the place of another begins when no task is on its way into a probe of that.
# A task that does not get the CPU may be.
taskset -c 1 true &
starved=$!
for ((i = 1; i < 8; i++)); do
	((hung)) || within "spinner: session $i begins" "$FT" session new "s$i"
	((hung)) || within "spinner: session $i ends" "$FT" session end "s$i"
done
"$FT" session new late >"$WORK/new" 2>&1 &
new=$!
sleep 1
if [[ -e /proc/$new ]]; then
	echo "    ft session new waits"
	((hung)) || within "spinner: a session waits for its place: ft status" "$FT" status
	((hung)) || within "spinner: and another trace" "$FT" enable mark --persist
	((hung)) || within "spinner: which ends" "$FT" disable mark
	kill $new
	check "spinner: who begins the session can be killed" wait_for 10 gone $new
	"$FT" session new later >"$WORK/new" 2>&1 &
	new=$!
fi
let_go
wait $starved
wait $new
same "spinner: the session begins when the task has gone" "0 " "$? $(<"$WORK/new")"
"$FT" session end later 2>/dev/null || "$FT" session end late

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
