# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
#
# Part of scripts/vm: QEMU, from its arguments to its end.

# How often QEMU is started at most.
STARTS=3
# How long KVM may take to prove itself.
PROBE_SECONDS=20

qemu_version()
{
	"$QEMU" --version | sed -n 's/^QEMU emulator version \([0-9.]*\).*/\1/p'
}

# choose_accel: sets ACCEL to kvm or tcg.
choose_accel()
{
	ACCEL=${FT_ACCEL:-}
	[ "$ICOUNT" = 0 ] && [ -z "$PLUGIN" ] || ACCEL=tcg
	case $ACCEL in
	kvm|tcg)	return ;;
	'')		;;
	*)		usage_error "FT_ACCEL is kvm or tcg, not '$ACCEL'" ;;
	esac
	ACCEL=tcg
	if [ -w /dev/kvm ] && kvm_works; then
		ACCEL=kvm
	fi
}

# kvm_works: /dev/kvm may be there and yet be of no use (nested virtualisation),
# so a stock kernel is booted with it, once for each boot of this machine.
kvm_works()
{
	local verdict=$FT_CACHE/kvm-verdict key
	key="$(cat /proc/sys/kernel/random/boot_id) $(uname -r) $QEMU_VERSION"
	mkdir -p "$FT_CACHE"
	# Of VMs that start at the same time one tries and the others wait.
	(
		flock 9
		if ! grep -qF -e "$key: " "$verdict" 2>/dev/null; then
			probe_kvm "$key" >"$verdict"
		fi
	) 9>"$verdict.lock"
	grep -qxF -e "$key: yes" "$verdict"
}

# probe_kvm KEY: prints "KEY: yes" or "KEY: no".
probe_kvm()
{
	note "trying KVM, once (up to $PROBE_SECONDS s)"
	if FT_ACCEL=kvm "$0" --boot "$PROBE_SECONDS" --out "$DIR/probe" -- true 2>"$DIR/probe.log" 9>&-; then
		echo "$1: yes"
		return
	fi
	note "KVM is of no use here ($(tail -n 1 "$DIR/probe.log")): using TCG"
	echo "$1: no"
}

# ---- QEMU ----

# host_tsc_khz: or nothing. Linux counts delays by a constant TSC, so BogoMIPS are
# twice its MHz; flags come before them.
host_tsc_khz()
{
	awk '/^flags/ && !/ constant_tsc / { exit }
		/^bogomips/ { printf "%d", $3 * 500; exit }' /proc/cpuinfo
}

# kernel_arguments: the command line.
kernel_arguments()
{
	# A warning is shown and the guest goes on; an oops ends it, since what is
	# left (locks held by a dead task) would only hang.
	local khz args='console=ttyS0 loglevel=5 panic=-1 oops=panic edd=off'
	# What else it tries at the end waits for hardware that is not there.
	args+=' reboot=t'
	# QEMU shows one TSC to all CPUs, but the kernel cannot know.
	args+=' tsc=reliable clocksource=tsc'
	# Emulated CPUs are slow: not each delay is a lockup; nor is it one if QEMU stood
	# still until it was helped (vm-watch.sh), after $SILENCE s and a little.
	[ "$ACCEL" = kvm ] || args+=' watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=180'
	# Nor is each a broken timer: at boot the kernel waits for ten ticks, and
	# panics if a busy host lets none through meanwhile.
	[ "$ACCEL" = kvm ] || args+=' no_timer_check'
	# An emulated CPU speculates nothing, and its jumps by way of returns take a fifth of
	# its time. Who tests kernels that have them asks for mitigations=auto.
	[ "$ACCEL" = kvm ] || args+=' mitigations=off'
	# The TSC of an emulated CPU is the host's. Kernels of ours measure it by the PIT
	# alone, which fails on a busy host, and go on with a clock of 4 ms.
	if [ "$ACCEL" != kvm ] && [ "$ICOUNT" = 0 ]; then
		khz=$(host_tsc_khz)
		args+="${khz:+ tsc_early_khz=$khz}"
	fi
	# kmemleak's scan stalls RCU under emulation.
	[ "$KERNEL" != debug ] || args+=' kmemleak=off'
	echo "$args${APPEND:+ $APPEND}"
}

# An emulated CPU without "fast" copies by the byte: QEMU makes a loop of them, of eight
# times as many steps as copies by words take, whose instructions would count, too.
# Both or none: the kernel takes fsrm to imply erms.
EMULATED_CPU=max,-erms,-fsrm

# accel_arguments: fills ARGS with accelerator and CPU.
accel_arguments()
{
	if [ "$ICOUNT" = 1 ]; then
		ARGS+=(-accel 'tcg,thread=single' -icount 'shift=0,sleep=off' -cpu "$EMULATED_CPU")
	elif [ "$ACCEL" = kvm ]; then
		ARGS+=(-accel kvm -cpu max)
	elif [ "${QEMU_VERSION%%.*}" -ge 10 ]; then
		ARGS+=(-accel 'tcg,thread=multi' -cpu "$EMULATED_CPU")
	else
		# Older ones corrupt a guest that patches its own text.
		note "QEMU $QEMU_VERSION is older than 10: all virtual CPUs share a thread"
		ARGS+=(-accel 'tcg,thread=single' -cpu "$EMULATED_CPU")
	fi
}

# share NAME PATH OPTIONS: a directory of the host that the guest can mount.
share()
{
	ARGS+=(-fsdev "local,id=$1,path=${2//,/,,},security_model=none,multidevs=remap$3"
		-device "virtio-9p-pci,fsdev=$1,mount_tag=ft-$1")
}

qemu_arguments()
{
	# A socket for each CPU: the BIOS's table for kernels without ACPI has the first
	# CPU of a socket alone.
	ARGS=(-nodefaults -no-user-config -display none -no-reboot -machine 'pc,i8042=off'
		-smp "$CPUS,sockets=$CPUS" -m "$MEMORY" -kernel "$IMAGE" -initrd "$DIR/initramfs"
		-append "$(kernel_arguments)"
		-chardev "file,id=console,path=${CONSOLE//,/,,}" -serial chardev:console
		-chardev "file,id=hmp,path=$DIR/hmp.log,input-path=$DIR/hmp.in" -mon chardev=hmp)
	accel_arguments
	share host / ,readonly=on
	share job "$DIR/job" ''
	share out "$OUT" ''
	[ -z "$MONITOR" ] || ARGS+=(-qmp "unix:${MONITOR//,/,,},server=on,wait=off")
	[ -z "$PLUGIN" ] || ARGS+=(-plugin "$PLUGIN")
}

start_qemu()
{
	local guard=()
	# If this script is killed, QEMU must not live on.
	if setpriv --pdeathsig KILL true 2>/dev/null; then
		guard=(setpriv --pdeathsig KILL)
	fi
	[ -p "$DIR/hmp.in" ] || mkfifo "$DIR/hmp.in"
	verbose "${QEMU} ${ARGS[*]@Q}"
	# The 9p server keeps many files open.
	ulimit -n "$(ulimit -Hn)" 2>/dev/null || true
	"${guard[@]}" "$QEMU" "${ARGS[@]}" </dev/null >>"$DIR/qemu.log" 2>&1 &
	QEMU_PID=$!
	exec {HMP}<>"$DIR/hmp.in"
}

qemu_runs()
{
	kill -0 "$QEMU_PID" 2>/dev/null
}

# qemu_aborted: was QEMU killed by a signal, before the guest's first word? Sets
# ABORTED to its status. It happens that an assertion in it fails for no reason that
# has to do with the guest.
qemu_aborted()
{
	if [ "$OUTCOME" != died ] || [ -s "$CONSOLE" ] || [ -e "$DIR/job/started" ]; then
		return 1
	fi
	ABORTED=0
	wait "$QEMU_PID" 2>/dev/null || ABORTED=$?
	QEMU_PID=''
	[ $ABORTED -gt 128 ]
}

# run_qemu: sets OUTCOME.
run_qemu()
{
	local start
	for ((start = 1; ; start++)); do
		start_qemu
		watch
		if [ $start -ge "$STARTS" ] || ! qemu_aborted; then
			return
		fi
		warn "QEMU was killed by signal $((ABORTED - 128)) before the guest said a word" \
			"($(tail -n 1 "$DIR/qemu.log")): starting it again, try $((start + 1)) of $STARTS"
		exec {HMP}>&-
	done
}

stop_qemu()
{
	[ -n "$QEMU_PID" ] || return 0
	kill -KILL "$QEMU_PID" 2>/dev/null || true
	wait "$QEMU_PID" 2>/dev/null || true
	QEMU_PID=''
}

# let_qemu_end: it powers off by itself; a kernel that cannot is helped.
let_qemu_end()
{
	local n
	for ((n = 0; n < 50; n++)); do
		qemu_runs || return 0
		sleep 0.1
	done
	verbose 'the guest does not power off: ending QEMU'
}
