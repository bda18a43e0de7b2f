# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Every variant of every lock function gives the records that it should, and no
# others, whatever lock events come from.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ft_load
if ! ft_has_locks; then
	skip "variants" "this kernel has no lock events"
	ft_unload
	exit 0
fi
ft_load_test ft_variants

ROUNDS=$(rounds 20 5 2)
check "variants: recorded" "$FT" record -o t --locks --slots 262144 -- \
	sh -c "echo $ROUNDS >$PARAMS/ft_variants/parameters/run"
same "variants: each function returned what it should" 0 \
	"$(session t command_status)"

# variant, event, lock, records: what is expected, then what came
sort /proc/ft_variants >expected
# Where an unlock of raw spinlocks is inlined, they have no events.
if ! "$FT" list --tsv | grep -q raw_spin_acquire; then
	sed -i '/ raw_spin_/d' expected
fi
# Where the compiler has copied mutex_lock() and mutex_unlock() into this function,
# it is wrapped itself; that it took a mutex and gave it back is then not seen.
if "$FT" functions --tsv | grep -P '^atomic_dec_and_mutex_lock\t' | grep -q -v -P '\tpart\t'; then
	awk '$1 == "mutex_dec_in_vain" { $4 /= 2 } { print }' expected >less
	mv less expected
fi
"$FT" dump --raw --tsv t | awk '
	FNR == NR { want[$2, $3] = $1 " " $2 " " $3; next }
	FNR == 1 {
		for (i = 1; i <= NF; i++)
			column[$i] = i
		next
	}
	{
		lock = $column["a"]
		sub(/^lock=/, "", lock)
		n[$column["event"], lock]++
		# A wait may begin before that.
		if ($column["event"] ~ /_(acquire|release)$/ && !(lock in first))
			first[lock] = $column["event"]
	}
	END {
		for (k in want) {
			print want[k], n[k] + 0
			split(k, part, SUBSEP)
			if (part[2] in first && first[part[2]] !~ /_acquire$/)
				print want[k], first[part[2]] >"not-acquired"
		}
	}' expected - | sort >got
variants=$(cut -d' ' -f1 expected | sort -u)
for variant in $variants; do
	same "variants: $variant" "$(grep "^$variant " expected)" "$(grep "^$variant " got)"
done
same "variants: the first record of each lock is an acquisition" "" \
	"$(cat not-acquired 2>/dev/null)"
# An event that is on alone has all functions that emit it.
read -r lock count < <(awk -v rounds="$ROUNDS" \
	'$1 == "rwsem_downgrade" && $2 == "rwsem_read_acquire" { print $3, $4 / rounds }' expected)
check "variants: one event alone: recorded" "$FT" record -o one -e rwsem_read_acquire -- \
	sh -c "echo 1 >$PARAMS/ft_variants/parameters/run"
same "variants: one event alone: rwsem_downgrade" "$count" \
	"$("$FT" dump --raw --tsv one | grep -c -w "lock=$lock")"
same "variants: there are some" yes "$( (($(wc -w <<<"$variants") > 30)) && echo yes)"

rmmod ft_variants
check "variants: rmmod" rmmod feather_trace
finish
