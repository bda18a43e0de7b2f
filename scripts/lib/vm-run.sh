#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The second half of the guest's first process: completes the system, runs the
# command of the job, reports its status and ends the machine.
#
# The job directory is shared with the host (scripts/vm):
#   job.sh        sets FT_OUT, FT_CWD, FT_MODULES, FT_BEATS and defines run_command
#   stdout stderr what the command printed; the host reads on as they grow
#   requests      what the guest asks of the host, a line each (nmi)
#   beats         a line every ten seconds: the guest is alive
#   started       exists once the command runs
#   status        its exit status: the last thing that is written

JOB=/run/ft/job
bb=/run/ft/busybox

# say TEXT...: a mark in the console log.
say()
{
	echo "ft-vm: $*" >/dev/kmsg
}

mount_all()
{
	$bb mkdir -p /dev/pts /dev/shm
	$bb mount -t devpts -o gid=5,mode=620,ptmxmode=666 devpts /dev/pts
	$bb mount -t tmpfs -o mode=1777 shm /dev/shm
	# These exist if the kernel has them; tests of the module want them.
	$bb mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
	$bb mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
	$bb mount -t cgroup2 cgroup2 /sys/fs/cgroup 2>/dev/null
	$bb ln -sfn /proc/self/fd /dev/fd
	$bb ln -sfn fd/0 /dev/stdin
	$bb ln -sfn fd/1 /dev/stdout
	$bb ln -sfn fd/2 /dev/stderr
	$bb mkdir -p "$FT_OUT"
	$bb mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=mmap ft-out "$FT_OUT" ||
		say 'cannot mount FT_OUT'
}

# mount_modules: the kernel is not installed in the host: lay its modules where
# modprobe looks for them.
mount_modules()
{
	[ -n "$FT_MODULES" ] || return
	modules=/lib/modules/$($bb uname -r)
	$bb mkdir -p "$modules"
	$bb mount -o bind "$FT_MODULES" "$modules" || say 'cannot mount the modules'
}

set_up_system()
{
	$bb hostname ft-vm
	$bb ip link set lo up 2>/dev/null
	$bb mkdir -p /run/lock
	# As in vm-qemu.sh: a task has not hung because QEMU stood still. Some kernels
	# watch none.
	timeout=/proc/sys/kernel/hung_task_timeout_secs
	[ ! -e $timeout ] || echo 240 >$timeout
	ulimit -n 65536
	ulimit -l unlimited
	ulimit -c 0
	export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
	export HOME=/root USER=root LOGNAME=root SHELL=/bin/sh TERM=dumb LANG=C.UTF-8
	export FT_OUT FT_VM=1 FT_CTL=/run/ft/ctl
}

# serve_requests: a line written to $FT_CTL reaches the host.
serve_requests()
{
	$bb mkfifo "$FT_CTL"
	# Open for both, so that a writer never waits and there is no end of file.
	while read -r line; do
		echo "$line" >>$JOB/requests
	done <>"$FT_CTL" &
}

# beat: no new process each time: tests count them. Not under --icount, where runs
# are to be alike and ten seconds may be over at once.
beat()
{
	[ "$FT_BEATS" != 0 ] || return
	$bb mkfifo /run/ft/never
	while :; do
		echo >>$JOB/beats
		# shellcheck disable=SC3045 # busybox can
		read -r -t 10 _
	done <>/run/ft/never &
}

# carry FIFO FILE: the command writes to pipes and not to the shared files, so
# that a program which opens /dev/stderr anew does not truncate one.
carry()
{
	$bb mkfifo "$1"
	$bb cat "$1" >"$2" &
}

# await_carriers: a daemon that the command left behind may hold the pipes open:
# do not wait for it longer than two seconds.
await_carriers()
{
	n=0
	while [ $n -lt 40 ]; do
		kill -0 "$1" 2>/dev/null || kill -0 "$2" 2>/dev/null || return
		$bb usleep 50000
		n=$((n + 1))
	done
}

run_job()
{
	carry /run/ft/stdout $JOB/stdout
	out_pid=$!
	carry /run/ft/stderr $JOB/stderr
	err_pid=$!
	: >$JOB/started
	say 'command starts'
	(
		cd "$FT_CWD" 2>/dev/null || cd /
		run_command </dev/null >/run/ft/stdout 2>/run/ft/stderr
	)
	status=$?
	await_carriers $out_pid $err_pid
	say "command ended with status $status"
}

end()
{
	$bb sync
	echo "$1" >$JOB/status.new
	$bb mv $JOB/status.new $JOB/status
	# QEMU ends with -no-reboot; a kernel without ACPI could not turn it off.
	$bb reboot -f
}

# shellcheck source=/dev/null
. $JOB/job.sh
mount_all
mount_modules
set_up_system
serve_requests
beat
# From here on everything is shown; before, the boot would be slower for it.
echo 8 >/proc/sys/kernel/printk
run_job
end "$status"
