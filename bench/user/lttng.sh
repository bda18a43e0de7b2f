# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
#
# A session of LTTng-UST that keeps the last records in memory (snapshot mode): nothing but
# the program runs. Everything of LTTng's is in a directory of our own.

LTTNG_DAEMON=

# lttng_begin SIZE NUMBER EVENT...: of subbuffers; the daemon is this user's, not the system's
lttng_begin() {
	local size=$1 number=$2 event i
	shift 2
	LTTNG_HOME=$(mktemp -d)
	export LTTNG_HOME LTTNG_UST_REGISTER_TIMEOUT=-1
	lttng-sessiond --no-kernel >"$LTTNG_HOME/log" 2>&1 &
	LTTNG_DAEMON=$!
	for ((i = 0; i < 100; i++)); do
		lttng --no-sessiond list >/dev/null 2>&1 && break
		sleep 0.1
	done
	{
		lttng --no-sessiond create bench --snapshot &&
			lttng enable-channel --userspace --subbuf-size="$size" --num-subbuf="$number" records &&
			for event; do
				lttng enable-event --userspace --channel=records "$event" || return
			done &&
			lttng start
	} >>"$LTTNG_HOME/log" 2>&1 || {
		tail -n 20 "$LTTNG_HOME/log" >&2
		return 1
	}
}

lttng_end() {
	[[ -n $LTTNG_DAEMON ]] || return 0
	lttng --no-sessiond destroy bench >>"$LTTNG_HOME/log" 2>&1 || true
	{ kill "$LTTNG_DAEMON" && wait "$LTTNG_DAEMON"; } 2>/dev/null || true
	rm -rf "$LTTNG_HOME"
}
