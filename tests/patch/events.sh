#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Do the patch's triggers record what happens? Looks into a compiled kernel, without
# running it:
#
#  - each function that releases a lock calls the probe first: before it, there is no
#    store but to the stack, no other call and no atomic instruction;
#  - each function that acquires a lock calls the probe last: before it there is what
#    takes the lock, an atomic instruction or the call of one that takes it;
#  - each call site recorded is in the lock function's caller, also in a kernel with
#    frame pointers, which is compiled without sibling calls: there no helper of a
#    lock function (a static function, or a feather_* twin) hands on its own return
#    address, which is inside the lock function.
#
# Usage: events.sh VMLINUX, as sites.sh. Exit status: 0 all well, 1 not, 2 usage.

set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/patch/lib.sh
. "$HERE/lib.sh"

failed=0

# function_at ADDRESS: "start stop name" of the function that the address is in
function_at() {
	awk -v at="$1" '$1 > at && name { print start, $1, name; exit }
		$1 <= at && tolower($2) == "t" { start = $1; name = $3 }' "$tmp/nm"
}

# disassemble START STOP
disassemble() {
	objdump -d --no-show-raw-insn --start-address=$((16#$1)) --stop-address=$((16#$2)) "$vmlinux"
}

# before ADDRESS|call START STOP: what a release must not do before that address, or
# before the first call of the probe; says "no call" where that never comes
before() {
	disassemble "$2" "$3" | awk -F '\t' -v until="$1" '
	NF < 2 { next }
	{
		at = $1
		gsub(/[ :]/, "", at)
		text = $2
		sub(/ *#.*/, "", text)
		sub(/ +$/, "", text)
		op = text
		sub(/ .*/, "", op)
		to = text			# the last operand, with memory in parentheses
		sub(/.*[ ,](%gs:|%fs:)?([^ ,(]*\()/, "(", to)
	}
	at == until { found = 1; exit }
	until == "call" && op == "call" && text ~ /<(feather_fire|__SCT__feather_probe)_[A-Z_]*>/ { found = 1; exit }
	op == "call" && text ~ /<__fentry__>/ { next }
	op ~ /^(push|nop|endbr64|test|cmp)/ || text == "xchg %ax,%ax" { next }
	op ~ /^j/ && op != "jmp" { next }		# not taken on the hot path
	op ~ /^(mov|lea|xor|and|sub|add)/ && text !~ /^lock/ && \
		(text ~ /,%[a-z0-9]+$/ || text ~ /,[-0-9a-fx]*\(%rsp\)$/) { next }
	{ print text; bad = 1; exit }
	END { if (!found && !bad) print "no call of the probe" }'
}

# taken ADDRESS|call START STOP: says "nothing takes the lock" where that is so before
# that address, or before the first call of the probe
taken() {
	disassemble "$2" "$3" | awk -F '\t' -v until="$1" '
	NF < 2 { next }
	{ at = $1; gsub(/[ :]/, "", at) }
	at == until { exit }
	until == "call" && $2 ~ /^call .*<(feather_fire|__SCT__feather_probe)_[A-Z_]*>/ { exit }
	$2 ~ /^(lock|xchg .*\()/ || $2 ~ /^call .*<.*(lock|slowpath|down)/ { had = 1; exit }
	END { if (!had) print "nothing takes the lock" }'
}

# locate CODE TARGET: where the trigger calls the probe, in itself or in a twin that it
# jumps to: sets code, start, stop and name
locate() {
	local twin

	code=$1
	read -r start stop name < <(function_at "$code")
	# The stack may be given back first.
	twin=$(disassemble "$2" "$stop" |
		awk -F '\t' 'NF > 1 && $2 !~ /^(mov|sub|add|pop|jne) / && !n++ { print $2 }' |
		sed -n 's/^\(jmp\|call\) .*<\(feather_[a-z_]*\)>.*/\2/p')
	if [[ -n $twin && $twin != feather_fire ]]; then
		read -r start stop name < <(function_at "$(printf %x "$(symbol "$twin")")")
		code=call
	fi
}

# tell EVENT WRONG: a line
tell() {
	if [[ -n $2 ]]; then
		printf 'FAIL %-22s %-32s %s before it is recorded\n' "$1" "$name" "'$2'"
		failed=1
	else
		printf 'ok   %-22s %s\n' "$1" "$name"
	fi
}

# triggers KIND LOOK: LOOK at each trigger of EVENT_KIND; sets found
triggers() {
	local site target event

	found=0
	while read -r site target event; do
		[[ $event == *_$1 ]] || continue
		locate "$site" "$target"
		tell "$event" "$("$2" "$code" "$start" "$stop")"
		found=$((found + 1))
	done < <(sort "$tmp/sites")
	if ((found < least)); then
		echo "FAIL only $found triggers of events *_$1 found"
		failed=1
	fi
}

least=14
! grep -q '^CONFIG_PREEMPT_RT=y' "$tree/.config" || least=12
echo "# releases: the trigger comes before the lock is free"
triggers release before
releases=$found
echo "# acquisitions: the trigger comes when the lock is had"
triggers acquire taken
acquires=$found

echo "# call sites: also with frame pointers, in the caller of the lock function"
flags=(-DCONFIG_FRAME_POINTER=1 -fno-omit-frame-pointer -fno-optimize-sibling-calls)
for file in feather mutex rwsem semaphore rtmutex_api ww_rt_mutex spinlock_rt; do
	[[ -e $tree/kernel/locking/.$file.o.cmd ]] || continue
	compile_again $file "kernel/locking/$file.c" "$tmp/$file.o" "${flags[@]}"
	nm "$tmp/$file.o" >"$tmp/$file.nm"
	wrong=$(objdump -dr --no-show-raw-insn "$tmp/$file.o" | awk '
	FILENAME ~ /nm$/ { static[$NF] = $(NF - 1) == "t"; next }
	/>:$/ { name = $2; gsub(/[<>:]/, "", name); own = called = 0; next }
	called && /R_X86_64/ { to = $NF }	# what is called: said here, or in the line itself
	called { if (own && to ~ /feather|mutex_lock/) print name; own = called = 0 }
	/[ \t,]0x8\(%rbp\)/ { own = static[name] || name ~ /^feather_/; next }
	/\t(call|jmp) / { called = 1; to = $NF }' "$tmp/$file.nm" - | sort -u)
	if [[ -n $wrong ]]; then
		for name in $wrong; do
			printf 'FAIL %-32s %s.c: records itself as the caller\n' "$name" "$file"
		done
		failed=1
	else
		printf 'ok   %s.c\n' "$file"
	fi
done

if ((failed == 0)); then
	echo "# all well: $releases releases, $acquires acquisitions"
else
	echo "# FAILED: an event is not what happens"
fi
exit $failed
