# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
# The non-preempt test in the kernel, for guest: a turn of the loop with nothing in it, and with an
# event that one tracer or another records.

TURNS=100000
NPT_MEAN=

# npt_rows TRACER: of the loop of the module that is loaded
npt_rows() {
	local turns mean deviation longest
	IFS=$'\t' read -r turns mean deviation longest < <(python3 "$HERE/npt.py" $TURNS)
	((turns == TURNS)) || die "npt: $1: $turns turns of $TURNS"
	[[ $1 != none ]] || NPT_MEAN=$mean
	awk -v tracer="$1" -v mean="$mean" -v deviation="$deviation" -v longest="$longest" -v none="$NPT_MEAN" '
		function put(what, value) { printf "npt.kernel.%s.%s\t%.2f\tinstructions\n", tracer, what, value }
		BEGIN {
			put("mean", mean)
			put("stddev", deviation)
			put("max", longest)
			if (tracer != "none")
				put("added", mean - none)
		}'
}

# npt_ours TRACER EVENT
npt_ours() {
	local before
	"$FT" enable "$2" --persist >&2
	before=$(cpu0 written)
	npt_rows "$1"
	recorded "$1" $(($(cpu0 written) - before)) $TURNS
	(($(cpu0 lost) == 0)) || die "npt: $1: the ring was full"
	"$FT" disable --all >&2
}

npt_ftrace() {
	local tracing=/sys/kernel/tracing
	echo 16384 >$tracing/buffer_size_kb
	echo 1 >$tracing/events/ft_points/ft_points_fire/enable
	npt_rows ftrace
	recorded ftrace "$(awk '$1 == "entries:" { print $2 }' $tracing/per_cpu/cpu0/stats)" $TURNS
	echo 0 >$tracing/events/ft_points/ft_points_fire/enable
}

npt_lttng() {
	lttng_session ft_points_fire
	npt_rows lttng
	lttng destroy >>/tmp/lttng.log 2>&1
	recorded lttng "$(babeltrace2 /tmp/lttng | wc -l)" $TURNS
}

bench_npt() {
	insmod "$MODULES/tests/modules/ft_points.ko"
	insmod "$MODULES/feather_trace_npt.ko"
	npt_rows none
	rmmod feather_trace_npt

	insmod "$MODULES/tests/modules/ft_npt_event.ko"
	npt_rows off
	npt_ours feather-trace npt_turn
	rmmod ft_npt_event

	insmod "$MODULES/tests/modules/ft_npt_point.ko"
	npt_ours feather-trace-tracepoint tracepoint:ft_points_fire
	npt_ftrace
	[[ -z ${LTTNG:-} ]] || npt_lttng
}
