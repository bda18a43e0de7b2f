# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
#
# For the tests that run inside the VM, as root. tests/vm/guest sets
#
#	FT		the tool
#	FT_MODULES	build directory of the modules for this kernel
#	FT_PROGRAMS	build directory of tests/vm/*.c
#	FT_OUT		a directory whose content comes back to the host

# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

export PARAMS=/sys/module

ft_load() {
	insmod "$FT_MODULES/feather_trace.ko" "$@"
}

ft_load_test() {
	insmod "$FT_MODULES/tests/modules/$1.ko" "${@:2}"
}

# Where lock functions are wrapped, the module stays for a moment after the last
# lock event went off (FT_IOC_DETACH): a tool that was killed cannot wait for that.
ft_unload() {
	"$FT" unload >/dev/null
}

# status KEY: of ft status
status() {
	"$FT" status --tsv | awk -F'\t' -v key="$1" '$1 == key { print $2 }'
}

# session TRACE KEY: of its session file
session() {
	awk -F'\t' -v key="$2" '$1 == key { print $2 }' "$1/info/session"
}

# Are lock functions wrapped here, as the kernel has no triggers of its own?
ft_wraps() {
	"$FT" status --tsv | grep -q -P '^lock_source\twrapped functions'
}

# Does this kernel have lock events?
ft_has_locks() {
	"$FT" list --tsv | grep -q spin_acquire
}

# The debug kernel is ten times slower in an emulator: it looks for other things
# than numbers, and finds them in fewer rounds; tests/vm/run --short is between. Or words:
# bad values, say.
# rounds MANY FEW [DEBUG]
rounds() {
	if [[ ${FT_KERNEL:-} == debug || ${FT_KERNEL:-} == kcsan ]]; then
		echo "${3:-$2}"
	elif [[ -n ${FT_SHORT:-} ]]; then
		echo "$2"
	else
		echo "$1"
	fi
}

# wait_for SECONDS COMMAND...: until it succeeds
wait_for() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		((SECONDS < end)) || return 1
		sleep 0.1
	done
}

# A real-time task keeps CPU 1 for itself, with nothing to limit it.
RT_LIMIT=/proc/sys/kernel/sched_rt_runtime_us

can_spin() {
	(($(nproc) >= 2)) && [[ -w $RT_LIMIT ]]
}

# spin: it begins; let_go: it ends
spin() {
	local priority=99 name pid
	# Where interrupts, softirqs, timers and RCU's callbacks of a CPU are threads, the
	# whole kernel waits for them: they come before the task, as in a system that has
	# such tasks.
	if [[ $(uname -v) == *PREEMPT_RT* ]]; then
		priority=40
		for name in ksoftirqd ktimers rcuc; do
			pid=$(pgrep -x "$name/1") && chrt -f -p 50 "$pid"
		done
	fi
	# What runs beside it must not be where it is: nothing takes it from there.
	taskset -cp 0 $$ >/dev/null
	RT_WAS=$(<$RT_LIMIT)
	echo -1 >$RT_LIMIT
	taskset -c 1 chrt -f $priority bash -c 'while :; do :; done' &
	SPINNER=$!
	sleep 0.5
}

let_go() {
	kill -KILL "$SPINNER"
	wait "$SPINNER" 2>/dev/null
	echo "$RT_WAS" >$RT_LIMIT
}

# gone PID
gone() {
	[[ ! -e /proc/$1 ]]
}

# books NAME DIRECTORY: is each attempt of ft_fire in that trace, read or lost?
books() {
	local cpu attempts line bad=0

	while read -r cpu attempts; do
		((cpu < $(nproc --all))) || continue
		line=$("$FT_PROGRAMS/check_fire" "$2/cpu$cpu" "$attempts" 2>&1) || bad=1
		echo "    CPU $cpu: $line"
	done <"$PARAMS/ft_fire/parameters/attempts"
	same "$1: books balance" 0 $bad
}

# A real workload: compile a part of the user-space tool, as many jobs as CPUs.
compile() {
	local sources=("$FT_TOP"/userspace/{base,trace}/*.c) objects=()
	sources=("${sources[@]:0:$(rounds 12 2 1)}")
	for file in "${sources[@]#"$FT_TOP/userspace/"}"; do
		objects+=("$WORK/compile/obj/${file%.c}.o")
	done
	make -s -C "$FT_TOP/userspace" -B -j "$(nproc)" O="$WORK/compile" "${objects[@]}" >/dev/null
}

# A directory of the test's own, that is gone afterwards.
WORK=$(mktemp -d /tmp/ft-test-XXXXXX)
trap 'rm -rf "$WORK"' EXIT
