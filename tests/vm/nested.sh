# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Sections of a module, of known nesting and least length, as the report shows them:
# under the names of its functions.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ft_load
if ! ft_has_locks; then
	skip "nested" "this kernel has no lock events"
	ft_unload
	exit 0
fi

# record NAME ROUNDS [PARAMETER]: leaves a trace, its report, and what sensors have meanwhile.
record() {
	ROUNDS=$2
	rm -rf t
	ft_load_test ft_nested
	check "$1: record" "$FT" record -o t --locks --slots 1048576 -- \
		sh -c "echo $ROUNDS >$PARAMS/ft_nested/parameters/${3:-run}"
	"$FT" sensors show --tsv --top 0 >sensors.tsv
	rmmod ft_nested
	"$FT" report --tsv --top 0 t >report.tsv
}

# value FUNCTION COLUMN: of the call site in that function
value() {
	awk -F'\t' -v f="^$1[+].*\\\\[ft_nested\\\\]" -v column="$2" '
		$1 == "site" && $3 == "symbol" && $4 ~ f { row = $2 }
		$1 == "site" { v[$2, $3] = $4 }
		END { print v[row, column] }' report.tsv
}

# section NAME FUNCTION MICROSECONDS DEPTH: no shorter than that; and the shortest of so
# many is not much longer, however busy the machine.
section() {
	local least
	same "$1: $2: all are there" "$ROUNDS" "$(value "$2" count)"
	least=$(value "$2" min_ns)
	if awk -v ns="${least:-0}" -v us="$3" 'BEGIN { exit !(ns >= us * 990 && ns < us * 3000 + 100000) }'; then
		ok "$1: $2: $3 us or a little more"
	else
		fail "$1: $2: $3 us or a little more" "$least ns"
	fi
	same "$1: $2: depth $4" "$4 $ROUNDS" \
		"$("$FT" report --tsv --site "$2" t | awk -F'\t' \
			'$1 == "depth" && $2 == "both" && $4 > 0 { print $3, $4 }')"
}

# sections NAME
sections() {
	section "$1" nested_inner 25 2
	section "$1" nested_outer 75 1
	section "$1" nested_sleeping 175 0
}

record nested "$(rounds 300 100 30)"
sections nested
# Of what is inside one, the twelve longest are shown: where interrupts take many locks for
# longer than the inner one is held, it is not among those of the longest alone.
same "nested: what is inside the longest" "nested_inner nested_outer" \
	"$("$FT" report --longest 10 --site nested_sleeping t | grep -o 'at nested_[a-z]*' |
		cut -d' ' -f2 | grep -v nested_sleeping | sort -u | tr '\n' ' ' | sed 's/ $//')"
same "nested: the order of the locks" "$ROUNDS" "$("$FT" report --tsv --top 0 t | awk -F'\t' '
	$1 == "order" && $3 == "outer_symbol" && $4 ~ /^nested_outer/ { outer[$2] }
	$1 == "order" && $3 == "inner_symbol" && $4 ~ /^nested_inner/ { inner[$2] }
	$1 == "order" && $3 == "count" { n[$2] = $4 }
	END { for (row in outer) if (row in inner) print n[row] }')"

# What a task reads twice at a time has two sections, for sensors as well: the latest
# acquisition ends first. A median is not moved by the few whose record was interrupted.
for family in rwsem rwlock; do
	if ! "$FT" list --tsv | grep -q -P "\t${family}_read_acquire\t"; then
		skip "read twice: $family" "this kernel has no such events"
		continue
	fi
	check "read twice: $family: a sensor" "$FT" sensors new n/hold \
		"hold(${family}_read) by site" --rows 512 --bits 2
	record "read twice: $family" "$(rounds 100 50 30)" reads
	"$FT" sensors end n/hold
	section "read twice: $family" nested_${family}_inner 25 1
	section "read twice: $family" nested_${family}_outer 75 0
	for place in inner outer; do
		read -r count p50 < <(awk -F'\t' -v f="^nested_${family}_${place}[+]" \
			'$3 ~ f { print $4, $6 }' sensors.tsv)
		same "read twice: $family, $place: number in the sensor" "$ROUNDS" "$count"
		reported=$(value nested_${family}_$place p50_ns)
		check "read twice: $family, $place: the median of the sensor, $p50, is that of the report, $reported" \
			awk -v a="$p50" -v b="$reported" 'BEGIN {
				exit !(b > 0 && a >= b * 3 / 4 && a <= b * 5 / 4) }'
	done
done

check "nested: rmmod" ft_unload

# A clock that is a function of the kernel: the same is to come out.
ft_load clock=mono
record "nested, clock=mono" "$(rounds 100 30 10)"
sections "nested, clock=mono"
check "nested, clock=mono: rmmod" ft_unload
finish
