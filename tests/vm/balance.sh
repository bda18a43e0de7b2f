# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Usage: balance.sh FILE (of: ft report --tsv --balance)
#
# Every acquisition has its release, but for what the two ends of the trace cut:
# no more on a CPU than locks can be nested there, or tasks can sleep with one. On
# PREEMPT_RT tasks sleep with a spinlock, too, but stay on their CPU.
# shellcheck shell=bash

awk -F'\t' '
	$1 == "balance" { split($2, row, ":"); v[row[2], $3] += $4 }
	$1 == "balance" && row[2] ~ /^(rt_)?(spin|rwlock_)/ { spin[$2]; s[$2, $3] = $4 }
	$1 == "balance" { family[row[2]] }
	function bad(what) { print what; status = 1 }
	END {
		for (r in spin) {
			if (s[r, "open_other"] || s[r, "unmatched_other"])
				bad(r ": " s[r, "open_other"] " acquisitions and " s[r, "unmatched_other"] " releases without a partner")
			if (s[r, "open_at_end"] > 16 || s[r, "unmatched_at_start"] > 16)
				bad(r ": more cut at the ends than can be nested")
			if (s[r, "difference"] != s[r, "open_at_end"] - s[r, "unmatched_at_start"])
				bad(r ": acquisitions - releases = " s[r, "difference"])
			n++
		}
		for (f in family) {
			if (v[f, "open_other"] + v[f, "unmatched_other"])
				bad(f ": " v[f, "open_other"] + v[f, "unmatched_other"] " without a partner")
			d = v[f, "open_at_end"] - v[f, "unmatched_at_start"]
			if (v[f, "difference"] != d)
				bad(f ": acquisitions - releases = " v[f, "difference"] ", not " d)
			total += v[f, "acquires"]
		}
		if (!n || !total)
			bad("no balances in the report")
		exit status
	}' "$1"
