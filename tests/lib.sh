# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
#
# How tests report: a line for each check on stdout,
#
#	ok NAME
#	FAIL NAME: WHY
#	skip NAME: WHY
#
# and exit status 0 exactly if none failed. tests/run counts the lines.

FAILED=0

ok() {
	echo "ok $1"
}

# fail NAME WHY
fail() {
	echo "FAIL $1: $2"
	FAILED=1
}

skip() {
	echo "skip $1: $2"
}

# check NAME COMMAND...: ok if the command succeeds; what it printed if not.
check() {
	local name=$1 out status=0
	shift
	out=$("$@" 2>&1) || status=$?
	if ((status == 0)); then
		ok "$name"
	else
		fail "$name" "'$*' ended with status $status"
		[[ -z $out ]] || sed 's/^/    /' <<<"$out"
	fi
	return 0
}

# same NAME EXPECTED GOT
same() {
	if [[ $2 == "$3" ]]; then
		ok "$1"
	else
		fail "$1" "expected '$2', got '$3'"
	fi
}

# in_jobs FUNCTION [ARG...]: calls it in as many processes as there are CPUs, at
# once; succeeds if all do. They share out the work by asking claim.
in_jobs() {
	local pids=() pid status=0
	CLAIMS=$(mktemp -d) || return
	while ((${#pids[@]} < $(nproc))); do
		"$@" &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || status=1
	done
	rm -rf "$CLAIMS"
	return "$status"
}

# claim NAME: succeeds in one of these processes, the first that asks.
claim() {
	mkdir "$CLAIMS/${1//\//_}" 2>/dev/null
}

finish() {
	exit "$FAILED"
}
