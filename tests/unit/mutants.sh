#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Do the tests of the ring notice mistakes? Each mutant below is ring.h with one
# thing wrong; the named check must fail on it, and pass on the ring as it is.
#
#	mutants.sh [NAME...]
#
# As many are tried at once as there are CPUs.
#
# unit: tests/unit/ring*_test.c. steps, threads: tests/stress;
# tsan: the same with ThreadSanitizer, which sees missing barriers.

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
CC=${CC:-gcc}

# name, check, edit (a sed script, or -D definitions)
mutants='
none			unit	s/^//
none			steps	s/^//
none			tsan	s/^//
reserve-0		steps	-DFT_RING_RESERVE=0u -DFT_RING_LOOKAHEAD=7u
reserve-1		steps	-DFT_RING_RESERVE=1u -DFT_RING_LOOKAHEAD=7u
lookahead-0		steps	-DFT_RING_LOOKAHEAD=0u
lookahead-0-unit	unit	-DFT_RING_LOOKAHEAD=0u
lookahead-1		steps	-DFT_RING_LOOKAHEAD=1u
publish-before-fill	steps	/Saves the caller/s/^/ft_store_release(\&slot->id, 1);/
add-in-two-steps	steps	s/__asm__ volatile("xadd.*/{ __u64 ft_n = ft_old; ft_old = *(volatile __typeof__(field) *)\&(field); *(volatile __typeof__(field) *)\&(field) = ft_old + ft_n; } \\/; /"+r" (ft_old)/d
no-mending		unit	s/prev->ts > next->ts/0/
mend-forwards		unit	s/prev->ts = next->ts/next->ts = prev->ts/
scan-past-one-round	unit	/if (top >/,+1d
ready-beyond-max	unit	s/return count < max ? count : max/return count/
ids-not-cleared		unit	/slot(ring, pos)->id, 0/s/ft_any_store.*/;/
limit-before-clearing	steps	/ft_store_release(&ring->r/s/$/ if (ring->open) ft_store_release(\&ring->limit, ring->r + ring->mask + 1 - FT_RING_RESERVE * sizeof(struct ft_record));/
limit-one-too-far	unit	s/w >= ft_own_load_limit/w > ft_own_load_limit/
limit-without-reserve	unit	s/FT_RING_RESERVE \* sizeof(struct ft_record))/0)/
limit-ignored		unit	s/w >= ft_own_load_limit(ring->limit)/0/
loss-not-counted	unit	s/ft_own_inc(ring->lost, 1)//
refusal-counted		unit	s/if (limit)$/if (1)/
no-second-look		steps	s/if (w < limit)$/if (0)/
second-look-too-far	unit	s/if (w < limit)$/if (w <= limit)/
no-memory-has-room	unit	s/FT_RING_NO_MEMORY);/1024);/
no-memory-is-closed	unit	s/FT_RING_NO_MEMORY);/0);/
release-reopens		unit	/static inline void ft_ring_close/,/^}/s/ring->open = 0;//
close-does-nothing	unit	/static inline void ft_ring_close/,/^}/s/ft_store_release(.*/;/
restart-keeps-old	unit	/static inline void ft_ring_restart/,/^}/s/ft_ring_clear(ring);//
open-forgets		unit	/static inline void ft_ring_open/,/^}/s/ft_ring_release(ring, 0)/ft_ring_release(ring, (__u32)ft_ring_used(ring))/
open-does-nothing	unit	/static inline void ft_ring_open/,/^}/s/ft_ring_release(ring, 0)//
clear-does-nothing	unit	/static inline void ft_ring_clear/,/^}/s/ft_ring_release(.*/;/
used-ignores-reader	unit	s/(ft_any_load(&ring->w) - r)/(ft_any_load(\&ring->w) - r * 0)/
gap-never-grows		unit	/ft_own_inc(ring->gaps/d
gap-for-each-loss	unit	s/ft_own_load(ring->gap_w) != w/1/
gap-not-stored		unit	/\*word |= /d
gap-not-at-zero		unit	s/ring->gap_w = 0/ring->gap_w = ring->w/
gap-noted-before-grown	steps	/ft_own_inc(ring->gaps/d; s/ft_own_store(ring->gap_w, w);/& ft_own_inc(ring->gaps, FT_RING_GAP);/
gap-taken-after-add	steps	/\*word |= /d; /Saves the caller/s/^/*word |= ft_own_load(ring->gaps);/
gap-not-stored-steps	steps	/\*word |= /d
id-not-released		tsan	s/ft_store_release((ft_ring_word \*)&slot->id, word)/ft_any_store((ft_ring_word *)\&slot->id, word)/
id-not-acquired		tsan	s/return ft_load_acquire(&ft_ring_slot/return ft_any_load(\&ft_ring_slot/
limit-not-released	tsan	/Pairs with the load of @limit/,/^}/s/ft_store_release/ft_any_store/
limit-not-acquired	tsan	/define ft_own_load_limit/s/ACQUIRE/RELAXED/
'

all=$(mktemp -d) || exit 1
trap 'rm -rf "$all"' EXIT
ring=include/feather_trace/ring.h

# build_one PROGRAM SOURCES FLAGS LIBRARIES [DEFINITIONS...]
build_one()
{
	local program=$1 source=$2 flags=$3 libs=$4
	shift 4

	# shellcheck disable=SC2086 # flags are words, sources a pattern
	$CC -std=gnu11 -D_GNU_SOURCE -w -g $flags "$@" -I"$tmp/include/uapi" \
		-I"$tmp/include" -o "$program" $source $libs
}

# build CHECK [DEFINITIONS...]
build()
{
	local check=$1 flags source libs
	shift

	case $check in
	unit)	build_one "$tmp/reader" "$here/ring_reader_test.c" -O1 -lcmocka "$@" || return
		source=$here/ring_test.c flags=-O1 libs=-lcmocka ;;
	tsan)	source="$top/tests/stress/*.c" flags="-O1 -fsanitize=thread" libs="-pthread -lrt" ;;
	*)	source="$top/tests/stress/*.c" flags=-O2 libs="-pthread -lrt" ;;
	esac
	build_one "$tmp/test" "$source" "$flags" "$libs" "$@"
}

run()
{
	case $1 in
	unit)	timeout 600 "$tmp/test" && timeout 600 "$tmp/reader" ;;
	steps)	timeout 600 "$tmp/test" --mode steps ;;
	tsan)	timeout 600 "$tmp/test" --mode threads --seconds 3 ;;
	esac
}

# try NAME CHECK EDIT
try()
{
	local name=$1 check=$2 edit=$3 defs=() result expected why

	cp "$top/$ring" "$tmp/$ring"
	if [[ $edit = -D* ]]; then
		read -ra defs <<<"$edit"
	else
		sed "$edit" "$top/$ring" >"$tmp/$ring"
		if [ "$name" != none ] && cmp -s "$top/$ring" "$tmp/$ring"; then
			echo "FAIL  $name: the edit changes nothing"
			status=1
			return
		fi
	fi
	if ! build "$check" "${defs[@]}" 2>"$tmp/log"; then
		echo "FAIL  $name: does not compile"
		sed 's/^/      /' "$tmp/log"
		status=1
		return
	fi

	if run "$check" >"$tmp/log" 2>&1; then
		result=passes
	else
		result=fails
	fi
	why=$(grep -m1 -oE 'FAIL \(.*|WARNING: ThreadSanitizer: .*|\[  FAILED  \] [a-z].*' "$tmp/log" |
		sed -E 's/FAIL \([^)]*\): //; s/ \(pid=.*//; s/\[  FAILED  \] //')
	if [ "$name" = none ]; then
		expected=passes
	else
		expected=fails
	fi
	if [ $result = $expected ]; then
		printf 'ok    %-24s %-8s %s %s\n' "$name" "$check" $result "${why:+($why)}"
	else
		printf 'FAIL  %-24s %-8s %s\n' "$name" "$check" $result
		[ $expected = fails ] || tail -20 "$tmp/log" | sed 's/^/      /'
		status=1
	fi
}

# Goes through the mutants NAME... or all.
job()
{
	local status=0 tmp=$all/$BASHPID name check edit

	mkdir "$tmp" && cp -r "$top/include" "$tmp/" || return 1
	while read -r name check edit; do
		[ -n "$name" ] || continue
		[ $# -eq 0 ] || [[ " $* " = *" $name "* ]] || continue
		claim "$name-$check" || continue
		try "$name" "$check" "$edit"
	done <<<"$mutants"
	return $status
}

in_jobs job "$@"
