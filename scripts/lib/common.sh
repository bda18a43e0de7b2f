# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# What every script of this directory needs: messages, the cache, downloads.
# Sourced, never run.  The caller sets `set -euo pipefail`.

FT_PROG=${0##*/}
FT_CACHE=${FT_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/feather-trace}
FT_QUIET=${FT_QUIET:-0}

# note TEXT...: tell the user what is going on; stdout stays free for results.
note()
{
	[ "$FT_QUIET" = 1 ] || printf '%s: %s\n' "$FT_PROG" "$*" >&2
}

warn()
{
	printf '%s: warning: %s\n' "$FT_PROG" "$*" >&2
}

# die TEXT...: name what is wrong and the way out, exit 1.
die()
{
	printf '%s: %s\n' "$FT_PROG" "$*" >&2
	exit 1
}

# usage_error TEXT...: exit 2, as the tools of this project do.
usage_error()
{
	printf '%s: %s (try --help)\n' "$FT_PROG" "$*" >&2
	exit 2
}

# print_help FILE: the comment at the head of FILE between two "#:" marks.
print_help()
{
	sed -n 's/^#: \{0,1\}//p' "$1"
}

# retry N COMMAND...: for commands that use the network; waits 2, 4, ... seconds.
retry()
{
	local tries=$1 n
	shift
	for ((n = 1; ; n++)); do
		"$@" && return 0
		((n < tries)) || return 1
		warn "try $n of $tries failed: $1 ${2:-}; trying again"
		sleep $((n * 2))
	done
}
