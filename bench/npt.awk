# SPDX-License-Identifier: GPL-2.0-only OR MIT
# The rounds of bench/npt -> its rows, and on standard error whether what is claimed holds.

function put(name, number) {
	printf "npt.%s%s.%s\t%.2f\t%s\n", vm, tracer, name, number, vm ? "instructions" : "ns"
}

# The quantile @part of what @of says about a tracer in all rounds.
function quantile(of, part,  n, i, j, v, sorted) {
	n = 0
	for (i in rounds) {
		v = value[tracer, of, i]
		for (j = n++; j && sorted[j] > v; j--)
			sorted[j + 1] = sorted[j]
		sorted[j + 1] = v
	}
	if (part == 0.5)
		return (sorted[int((n + 1) / 2)] + sorted[int((n + 2) / 2)]) / 2
	i = int(part * (n + 1) + 0.5)
	return sorted[i < 1 ? 1 : i > n ? n : i]
}

# The chance that, of @n coins, @least or more show heads.
function chance(n, least,  k, term, sum) {
	term = 0.5 ^ n
	for (k = 0; k <= n; k++) {
		if (k >= least)
			sum += term
		term *= (n - k) / (k + 1)
	}
	return sum + 0
}

function say(holds, text) {
	printf "%s: %s\n", holds ? "holds" : "DOES NOT HOLD", text >"/dev/stderr"
}

{
	rounds[$1]
	value[$2, "mean", $1] = $4
	value[$2, "stddev", $1] = $5
	value[$2, "max", $1] = $6
}

# Whether what is claimed of ours, the tracer @name and number @t, holds.
function claims(name, t,  ours, theirs, i, n, longer, p) {
	ours = mean[t] - mean[1]
	theirs = mean[4] - mean[1]
	say(10 * ours <= theirs, sprintf("%s adds %.2f, a tenth of what LTTng adds is %.2f",
					 name, ours, theirs / 10))
	for (i in rounds) {
		n += value[name, "max", i] != value["lttng", "max", i]
		longer += value[name, "max", i] > value["lttng", "max", i]
	}
	p = chance(n, longer)
	say(longest[t] <= longest[4] || p >= 0.05,
	    sprintf("%s, longest turns: medians %.0f and %.0f of LTTng; ours are longer in %d rounds of %d (chance: %.2f)",
		    name, longest[t], longest[4], longer, n, p))
}

END {
	split("none feather-trace feather-trace-at lttng", tracers, " ")
	for (t = 1; t <= 4; t++) {
		tracer = tracers[t]
		put("mean", mean[t] = quantile("mean", 0.5))
		put("stddev", quantile("stddev", 0.5))
		put("max", longest[t] = quantile("max", 0.5))
		put("max_low", quantile("max", 0.25))
		put("max_high", quantile("max", 0.75))
		if (t > 1)
			put("added", mean[t] - mean[1])
	}
	claims("feather-trace", 2)
	claims("feather-trace-at", 3)
}
