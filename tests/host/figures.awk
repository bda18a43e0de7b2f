# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Usage: awk -f figures.awk bench/results.tsv Documentation/performance.md
#
# Does a row of a table say what the results have? In it comes the name of a result in
# backticks, and then its value; or a name that ends in .*, and then those of Linux
# 6.1, 6.12 and 7.2, rounded, or nothing where there is none; or one that ends in .+,
# and then those of the names that the columns' heads make of it. Prints what differs.

FNR == 1 { file++ }
file == 1 { split($0, row, "\t"); value[row[1]] = row[2]; next }
/^\|[-|]+$/ { split(before, head, / *\| */) }
{ before = $0 }
/^\|/ && match($0, /`[a-z0-9._-]+(\.[*+])?`/) {
	name = substr($0, RSTART + 1, RLENGTH - 2)
	n = split(substr($0, RSTART + RLENGTH + 2), cell, "|")
	for (i = 1; i < n; i++)
		gsub(/ /, "", cell[i])
	if (sub(/\*$/, "", name)) {
		split("6.1 6.12 7.2", series, " ")
		for (i = 1; i <= 3; i++) {
			key = name series[i]
			expected = key in value ? sprintf("%.0f", value[key]) : ""
			if (cell[i] != expected)
				print key ": " expected ", not " cell[i]
		}
	} else if (sub(/\+$/, "", name)) {
		for (i = 1; i < n; i++) {
			key = name head[i + 3]
			if (cell[i] != value[key])
				print key ": " value[key] ", not " cell[i]
		}
	} else if (name in value && cell[1] != value[name]) {
		print name ": " value[name] ", not " cell[1]
	} else if (!(name in value)) {
		print name ": there is no such result"
	}
	rows++
}
END { if (!rows) print "no figures" }
