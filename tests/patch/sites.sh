#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# What do the patch's triggers cost while they are off? Looks into a compiled
# kernel, without running it:
#
#  - every trigger is one NOP, of 2 or 5 bytes;
#  - each _raw_{spin,read,write}_* function has exactly one trigger, which
#    jumps to a traced twin, and is otherwise the function that the compiler
#    makes of the unpatched source, instruction for instruction. With PREEMPT_RT
#    those of _bh have none, and are just that function; the rt_* functions have one each.
#
# Usage: sites.sh VMLINUX, in the directory that it was built in (or that
# scripts/build-kernel made). Exit status: 0 all well, 1 not, 2 usage.

set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/patch/lib.sh
. "$HERE/lib.sh"

failed=0

# Every site one NOP? Says so per function, and notes "address size".
echo "# triggers: each must be one NOP"
while read -r code _ event; do
	bytes=$(od -An -v -t x1 -j "$(offset $((16#$code)))" -N 5 "$vmlinux")
	case $bytes in
	' 66 90'*) size=2 ;;
	' 0f 1f 44 00 00') size=5 ;;
	*) size=0 ;;
	esac
	where=$(awk -v code="$code" '$1 > code { print name; exit }
		tolower($2) == "t" { name = $3 }' "$tmp/nm")
	echo "$where" >> "$tmp/where"
	if [ $size -eq 0 ]; then
		printf 'FAIL %-22s %-32s not a NOP:%s\n' "$event" "$where" "$bytes"
		failed=1
	else
		printf 'ok   %-22s %-32s %d bytes\n' "$event" "$where" $size
	fi
done < <(sort "$tmp/sites")

# Every event has a trigger that takes and one that gives back
for event in "${events[@]}"; do
	if ! grep -q " $event\$" "$tmp/sites"; then
		echo "FAIL $event has no trigger"
		failed=1
	fi
done

# The functions that stand for spinlocks and rwlocks with PREEMPT_RT
if [ $rt -eq 1 ]; then
	for function in rt_{spin,read,write}_{lock,trylock,unlock} rt_spin_trylock_bh; do
		count=$(grep -cxF "$function" "$tmp/where" || true)
		if [ "$count" -ne 1 ]; then
			echo "FAIL $function has $count triggers instead of one"
			failed=1
		fi
	done
fi

# Compile spinlock.c without the patch, with the command that the kernel was
# compiled with: from the unpatched source if it is there, else from the
# patched one with the option undefined.
source=kernel/locking/spinlock.c
echo '#undef CONFIG_FEATHER_TRACE' > "$tmp/off.h"
from="the same source with the option off"
if [ -e "$tree/.unpatched/$source" ]; then
	cp "$tree/.unpatched/$source" "$tmp/spinlock.c"
	source=$tmp/spinlock.c
	from="the unpatched source"
fi
compile_again spinlock "$source" "$tmp/plain.o" -include "$tmp/off.h" -Ikernel/locking

plus="plus the NOP"
[ $rt -eq 0 ] || plus+=", but for those of _bh"
echo "# functions: each must be what $from gives, $plus"
objdump -dr --no-show-raw-insn "$tmp/plain.o" > "$tmp/plain"
objdump -d --no-show-raw-insn \
	--start-address=$(($(symbol __lock_text_start))) \
	--stop-address=$(($(symbol __lock_text_end))) "$vmlinux" > "$tmp/hooked"

awk -v rt=$rt '
# The instructions of a function, by number: text, address, where a jump or call
# goes to: an instruction of the same function ("in", its address) or a symbol.
# moved: a relocation gives an operand, so that numbers in it mean nothing.
function take(set, line,    f, to) {
	if (line ~ /^[0-9a-f]+ <.*>:$/) {
		fn = line
		sub(/^[0-9a-f]+ </, "", fn)
		sub(/>:$/, "", fn)
		n[set, fn] = 0
		return
	}
	if (line ~ /R_X86_64/) {
		moved[set, fn, n[set, fn]] = 1
		sub(/.*R_X86_64_[A-Z0-9]+[ \t]+/, "", line)
		sub(/[-+]0x[0-9a-f]+$/, "", line)
		if ((set, fn, n[set, fn]) in goes) {
			goes[set, fn, n[set, fn]] = line
			delete inside[set, fn, n[set, fn]]
		}
		return
	}
	if (line !~ /^ *[0-9a-f]+:\t/)
		return
	split(line, f, "\t")
	gsub(/[ :]/, "", f[1])
	sub(/ *#.*/, "", f[2])
	sub(/ +$/, "", f[2])
	gsub(/  +/, " ", f[2])
	n[set, fn]++
	if (f[2] ~ /^(j[a-z]+|call) [0-9a-f]+ </) {
		to = f[2]
		sub(/^[a-z]+ /, "", to)
		if (to ~ "<" fn "[+>]" && f[2] !~ /^call/) {
			inside[set, fn, n[set, fn]] = 1
			sub(/ .*/, "", to)
		} else {
			sub(/.*</, "", to)
			sub(/>.*/, "", to)
			# Another name of the same, for code that is mapped elsewhere.
			sub(/^__pi_/, "", to)
		}
		goes[set, fn, n[set, fn]] = to
		sub(/ .*/, "", f[2])
	}
	where[set, fn, f[1]] = n[set, fn]
	at[set, fn, n[set, fn]] = f[1]
	text[set, fn, n[set, fn]] = f[2]
}
function strip(words) {
	gsub(/0x[0-9a-f]+/, "X", words)
	gsub(/X\(/, "(", words)
	return words
}
function bad(fn, words) {
	printf "FAIL %-32s %s\n", fn, words
	failed = 1
	return 0
}
# Is instruction p of the plain function h of the hooked one?
function same(fn, p, h,    a, b) {
	a = text["plain", fn, p]
	b = text["hooked", fn, h]
	if ((("plain", fn, p) in moved) || a ~ /%rip/) {
		a = strip(a)
		b = strip(b)
	}
	if (a == b && !(("plain", fn, p) in inside))
		if (goes["plain", fn, p] != goes["hooked", fn, h])
			return 0
	return a == b && ((("plain", fn, p) in inside) == (("hooked", fn, h) in inside))
}
function jumps(set, fn, i) {
	return text[set, fn, i] == "jmp" && ((set, fn, i) in inside)
}
function target(set, fn, i) {
	return where[set, fn, goes[set, fn, i]]
}
# Walk both functions in step, along every path. The hot one, where no branch is
# taken, comes first: it has to have the NOP and no jump that was not there. On
# another path the compiler may share code that it had twice: such a jump is printed.
function compare(fn,    todo_p, todo_h, todo, hot, p, h, nops, more, size, seen, cold, key, words) {
	if (!(("plain", fn) in n))
		return bad(fn, "is not in the plain object")
	todo = 1
	todo_p[1] = todo_h[1] = 1
	hot = 1
	nops = more = size = 0
	while (todo) {
		p = todo_p[todo]
		h = todo_h[todo--]
		while (!((p, h) in seen)) {
			key = at["hooked", fn, h]
			if (key in site) {
				if (!hot)
					return bad(fn, "has a trigger that is not on the hot path")
				nops++
				cold = where["hooked", fn, site[key]]
				h++
				continue
			}
			seen[p, h] = 1
			if (jumps("plain", fn, p) && jumps("hooked", fn, h)) {
				p = target("plain", fn, p)
				h = target("hooked", fn, h)
				continue
			}
			if (jumps("plain", fn, p)) {
				p = target("plain", fn, p)
				continue
			}
			if (jumps("hooked", fn, h)) {
				if (hot)
					return bad(fn, "has a jump more on the hot path")
				more++
				h = target("hooked", fn, h)
				continue
			}
			if (!same(fn, p, h))
				return bad(fn, "differs: \"" text["plain", fn, p] " " goes["plain", fn, p] \
					"\" became \"" text["hooked", fn, h] " " goes["hooked", fn, h] "\"")
			size++
			if (text["plain", fn, p] ~ /^(jmp|ret|ud2)/)
				break
			if (("plain", fn, p) in inside) {
				todo_p[++todo] = target("plain", fn, p)
				todo_h[todo] = target("hooked", fn, h)
			}
			p++
			h++
		}
		hot = 0
	}
	if (rt && fn ~ /_bh$/) {
		if (nops || more)
			return bad(fn, "is not what it was")
		printf "ok   %-32s %d instructions\n", fn, size
		return 1
	}
	if (nops != 1)
		return bad(fn, "has " nops " triggers on the hot path instead of one")
	if (text["hooked", fn, cold] != "jmp" || goes["hooked", fn, cold] !~ /^feather_/)
		return bad(fn, "does not jump to a twin when turned on")
	words = more ? ", and " more " jmp after waiting" : ""
	printf "ok   %-32s %d instructions + 1 NOP%s\n", fn, size, words
	return 1
}
FILENAME ~ /sites$/ { site[$1] = $2; next }
FILENAME ~ /plain$/ { take("plain", $0); next }
{ take("hooked", $0) }
END {
	# Only with lockdep, and not compared: their triggers are inside
	lockdep = "^_raw_spin_lock_(nested|irqsave_nested|nest_lock)$"
	for (key in n) {
		split(key, part, SUBSEP)
		if (part[1] == "hooked" &&
		    part[2] ~ /^_raw_(spin|read|write)_(try|un)?lock/ && part[2] !~ lockdep) {
			compare(part[2])
			compared++
		}
	}
	if (compared < (rt ? 10 : 20))
		bad("all", "only " compared + 0 " functions found")
	exit failed
}' "$tmp/sites" "$tmp/plain" "$tmp/hooked" >"$tmp/out" || failed=1
sort -k2 "$tmp/out"

count=$(wc -l < "$tmp/sites")
if [ $failed -eq 0 ]; then
	echo "# all well: $count triggers"
else
	echo "# FAILED: a trigger costs more than one NOP"
fi
exit $failed
