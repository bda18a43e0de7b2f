# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
#
# Part of scripts/vm: while the guest runs.

open_job_files()
{
	exec {STDOUT_FD}<"$DIR/job/stdout" {STDERR_FD}<"$DIR/job/stderr" {REQUESTS_FD}<"$DIR/job/requests" \
		{BEATS_FD}<"$DIR/job/beats"
}

# forward_output: what has been added since the last call: cat goes on where the
# shared file offset stands.
forward_output()
{
	cat <&"$STDOUT_FD"
	cat <&"$STDERR_FD" >&2
}

forward_requests()
{
	local line
	while read -r -u "$REQUESTS_FD" line; do
		case $line in
		nmi)	echo nmi >&"$HMP" ;;
		*)	warn "the guest wrote '$line' to FT_CTL: only nmi is known" ;;
		esac
	done
}

# What a guest that is still is helped with: one instruction at a time, for so long
# after it came back. The old translations are not used meanwhile, and those of text
# that is patched again are thrown away.
STEP_SECONDS=60

# step on|off
step()
{
	[ "$ACCEL" = tcg ] || return 0
	STEPPING=$1
	echo "one-insn-per-tb $1" >&"$HMP"
}

# registers: tells where the CPUs stand.
registers()
{
	local from
	from=$(wc -c <"$DIR/hmp.log")
	echo 'info registers -a' >&"$HMP"
	sleep 1
	tail -c "+$((from + 1))" "$DIR/hmp.log" | grep -a -E 'CPU#|RIP=' | tr -d '\r' | sed 's/^/  | /' >&2 || true
}

# watch_beats: is the guest alive? Sets OUTCOME to still if nothing helps.
watch_beats()
{
	local _
	while read -r -u "$BEATS_FD" _; do
		if [ "$STEPPING" = on ] && [ "$BACK" = 0 ]; then
			warn "the guest goes on: QEMU may have been executing code that was no longer there"
			BACK=$SECONDS
		fi
		BEAT=$SECONDS
	done
	if [ "$STEPPING" = on ] && [ "$BACK" != 0 ] && [ $((SECONDS - BACK)) -ge $STEP_SECONDS ]; then
		step off
	fi
	if [ "$SILENCE" = 0 ] || [ $((SECONDS - BEAT)) -lt "$SILENCE" ]; then
		return
	fi
	registers
	if [ "$STEPPING" = on ] || [ "$ACCEL" = kvm ]; then
		OUTCOME=still
		return
	fi
	warn "no sign of life from the guest for $SILENCE s: trying one instruction at a time"
	BEAT=$SECONDS BACK=0
	step on
}

# watch: until the guest has given a status, has died, or the time is over.
# Sets OUTCOME.
watch()
{
	local deadline=$((SECONDS + BOOT_LIMIT)) started=0
	OUTCOME='' STEPPING=off BEAT=0 BACK=0
	while [ -z "$OUTCOME" ]; do
		if [ $started = 0 ] && [ -e "$DIR/job/started" ]; then
			started=1
			verbose "booted after $SECONDS s"
			deadline=$((SECONDS + LIMIT))
			BEAT=$SECONDS
		fi
		ask_outcome "$deadline"
		[ $started = 0 ] || [ -n "$OUTCOME" ] || watch_beats
		# Afterwards, so that what came before the outcome is not lost.
		forward_output
		forward_requests
		[ -n "$OUTCOME" ] || sleep 0.1
	done
}

# ask_outcome DEADLINE: how things stand: sets OUTCOME once it is over.
ask_outcome()
{
	local runs=1
	# Before the look at the status, which is written before the end.
	qemu_runs || runs=0
	if [ -e "$DIR/job/status" ]; then
		OUTCOME=status
	elif [ $runs = 0 ]; then
		OUTCOME=died
	elif [ $SECONDS -ge "$1" ]; then
		OUTCOME='time'
	fi
}
