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
	for ((i = 0; i < 75; i++)); do
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

ft_load slots=4096
"$FT" enable mark tracepoint:sched:sched_process_exit --persist
if ft_has_locks; then
	"$FT" enable semaphore_acquire --persist
fi
was=$(<$limit)
echo -1 >$limit
taskset -c 1 chrt -f 99 bash -c 'while :; do :; done' &
spinner=$!
sleep 0.5

# Wrapped functions are left in the background, where RCU has to wait for the task.
within "spinner: a trace ends" "$FT" disable --all
((hung)) || within "spinner: the next one begins" "$FT" enable mark --persist
((hung)) || within "spinner: and ends" "$FT" disable mark

kill -KILL $spinner
echo "$was" >$limit
((! hung)) || sleep 10
check "spinner: rmmod" ft_unload
finish
