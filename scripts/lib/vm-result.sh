# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
#
# Part of scripts/vm: how it ended, and what is said about it.

EXIT_COMPLAINT=120
EXIT_OLD_CODE=121
EXIT_TIME=124
KEPT_LOGS=40

COMPLAINTS='BUG:|WARNING:|Oops|circular locking|possible recursive|inconsistent lock state'
COMPLAINTS+='|RCU.*stall|rcu.*stall|rcu.*self-detected|KASAN|UBSAN|KCSAN|general protection'
COMPLAINTS+='|Kernel panic|suspicious RCU|sleeping function called|scheduling while atomic'
COMPLAINTS+='|hung_task|blocked for more than|ft-vm: FAILED'
# Said at boot by healthy kernels: about the CPU that QEMU shows, and the echo of
# the command line.
HARMLESS='RCU CPU stall warnings timeout set|WARNING: Unprivileged eBPF is enabled|[Cc]ommand line:'

console_tail()
{
	printf '%s: the end of the console (all of it: %s):\n' "$FT_PROG" "$CONSOLE" >&2
	tr -d '\r' <"$CONSOLE" | tail -n 25 | sed 's/^/  | /' >&2
}

# complaints: the lines of the console in which the kernel complains.
complaints()
{
	tr -d '\r' <"$CONSOLE" | grep -a -E -e "$COMPLAINTS" | grep -a -v -E -e "$HARMLESS" |
		{ if [ -n "$ALLOW" ]; then grep -a -v -E -e "$ALLOW"; else cat; fi; }
}

# report_complaints: true if there were any.
report_complaints()
{
	local found
	found=$(complaints) || true
	[ -n "$found" ] || return 1
	printf '%s: the kernel complained:\n' "$FT_PROG" >&2
	head -n 20 <<<"$found" | sed 's/^/  ! /' >&2
}

result_of_status()
{
	local status
	status=$(cat "$DIR/job/status")
	[[ $status =~ ^[0-9]+$ ]] || fail_vm "the guest gave '$status' for a status"
	if report_complaints; then
		printf '%s: (the command ended with status %s; console: %s)\n' "$FT_PROG" "$status" "$CONSOLE" >&2
		exit "$EXIT_COMPLAINT"
	fi
	verbose "status $status after $SECONDS s; console: $CONSOLE"
	exit "$status"
}

# died_of_old_code: did the emulator execute a breakpoint that was not in memory any more?
# Where CPUs patch text that others execute, QEMU (10.0) can translate it between throwing
# away the old translation and storing the new byte. What it has read then, the int3 that
# Linux puts over an instruction meanwhile, is executed until that page is written again,
# and nobody is there to handle it.
died_of_old_code()
{
	[ "$ACCEL" = tcg ] && tr -d '\r' <"$CONSOLE" | awk '
		/int3: 0000 \[#1\]/ { int3 = 1 }
		int3 && match($0, /Code: .* <[0-9a-f][0-9a-f]>/) {
			old = substr($0, RSTART + RLENGTH - 7, 2) != "cc"
			exit
		}
		END { exit !old }'
}

result_of_died()
{
	local what='the VM ended before the command did'
	[ -e "$DIR/job/started" ] || what='the VM ended before the command could start'
	cat "$DIR/qemu.log" >&2
	report_complaints || true
	[ ! -s "$CONSOLE" ] || console_tail
	if died_of_old_code; then
		printf '%s: %s: QEMU executed a breakpoint that was no longer there\n' "$FT_PROG" "$what" >&2
		exit "$EXIT_OLD_CODE"
	fi
	fail_vm "$what"
}

result_of_time()
{
	local what="time limit of $LIMIT s: the command was still running"
	[ -e "$DIR/job/started" ] || what="time limit of $BOOT_LIMIT s: the kernel had not booted"
	report_complaints || true
	console_tail
	printf '%s: %s\n' "$FT_PROG" "$what" >&2
	exit "$EXIT_TIME"
}

result_of_still()
{
	report_complaints || true
	console_tail
	printf '%s: the guest stands still: no sign of life for %d s\n' "$FT_PROG" $((SECONDS - BEAT)) >&2
	exit "$EXIT_TIME"
}

# prune_logs: the newest logs are enough.
prune_logs()
{
	local old
	find "$BUILD" -maxdepth 1 -name 'console-*.log' -printf '%T@ %p\n' 2>/dev/null |
		sort -rn | tail -n "+$KEPT_LOGS" | cut -d ' ' -f 2- |
		while IFS= read -r old; do rm -f "$old"; done
}
