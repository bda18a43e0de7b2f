# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Names of locks: those that a module has planted are as in its source; of a compiler and of
# hackbench, how many acquisitions have a type; and what is said where nothing can be asked.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ft_load
if ! ft_has_locks; then
	skip "lock names" "this kernel has no lock events"
	ft_unload
	finish
fi

# --- planted

ft_load_test ft_named
NAMED=$PARAMS/ft_named/parameters
# a slow machine leaves out records, and tells so: those of the planted locks may be among them
for _ in {1..8}; do
	rm -rf planted
	"$FT" record -q -o planted --locks -- bash -c "echo 1 >$NAMED/take" 2>log
	status=$? names=$(session planted lock_names)
	[[ $names == *" records were not looked at" ]] || break
	[[ $(cut -f1 planted/info/locks) != *"0x$(head -n 1 "$NAMED/locks" | cut -d' ' -f1)"* ]] || break
done
same "lock names: recorded" 0 "$status"
check "lock names: the trace says whether all were asked" \
	grep -Eqx 'complete|[0-9]+ records were not looked at' <<<"$names"
cat log | sed 's/^/    /'
same "lock names: the file has a version" "lock names 1" "$(head -n 1 planted/info/locks)"
cat "$NAMED/locks" >truth
while read -r address kind class; do
	found=$(awk -F'\t' -v address="0x$address" '$1 "" == address "" { print $2, $5 }' planted/info/locks)
	case $kind in
	# memory of any type, and who takes it knows the part of it alone
	part) check "lock names: a wait queue is of no type that is certain" awk -F'\t' -v \
		address="0x$address" '$1 "" == address "" { n++; bad += $3 == 1 && $5 !~ /^wait_queue_head/ }
		END { exit !n || bad }' planted/info/locks ;;
	# the function may be called otherwise
	vmalloc) same "lock names: in vmalloc" "vmalloc (vmalloc of" "${found% *}" ;;
	*) same "lock names: $class" "$kind $class" "$found" ;;
	esac
done <truth
same "lock names: each variable of a CPU has its CPU" "$(nproc)" \
	"$(awk -F'\t' '$5 == "named_percpu [ft_named]" { print $4 }' planted/info/locks | sort -u | wc -l)"
# a raw spinlock: of a family of its own on PREEMPT_RT
same "lock names: each runqueue's lock" "$(nproc) 1" "$(awk -F'\t' '$5 == "runqueues.__lock" {
	cpus[$4]; types[$3] } END { print length(cpus), length(types) }' planted/info/locks)"
"$FT" report --top 0 --by class --json planted >classes.json
same "lock names: a class has all CPUs' locks" "$(nproc) $(nproc) 1" "$(jq -r '.class[] |
	select(.class == "named_percpu [ft_named]") | "\(.count) \(.locks) \(.types)"' classes.json)"
same "lock names: classes have all the time" 1 \
	"$(jq '[.class[].share] | add | . * 1000 | round / 1000' classes.json)"
same "lock names: the sections of a class" "$(nproc)" "$("$FT" report --top 0 --by class --json \
	--lock 'named_percpu [ft_named]' planted | jq '[.class[].count] | add')"
check "lock names: in text" grep -q 'ft_named_box+0x28' <("$FT" report --top 0 --by class planted)
check "lock names: on a page" "$FT" report --html page.html --top 0 planted
check "lock names: the page has them" grep -q 'ft_named_box+0x28' page.html
check "lock names: in a dump" grep -q 'lock=mm_struct.mmap_lock' <("$FT" dump planted)
rmmod ft_named

# --- a process that lives longer than the recording, and takes the lock of its memory all the time

if grep -q '^memory' /proc/cgroups; then
	python3 -c 'while True:
		__import__("mmap").mmap(-1, 4096).close()
		__import__("time").sleep(.005)' &
	OWNER=$!
	sleep 1
	"$FT" record -q -o owned --locks -d 1 2>log
	kill $OWNER
	same "lock names: who owns the memory" "mm_struct.mmap_lock python3 $OWNER" \
		"$(awk -F'\t' -v pid=$OWNER '$6 ~ (" " pid "$") && $5 ~ /mmap_lock$/ { print $5, $6 }' owned/info/locks)"
	check "lock names: a report shows who" grep -q "mm_struct.mmap_lock 0x[0-9a-f]* of python3 $OWNER" \
		<("$FT" report --top 0 --by lock owned)
else
	skip "lock names: who owns the memory" "without CONFIG_MEMCG, the kernel does not say"
fi

# --- where nothing can be asked

"$FT" record -q -o without --locks --no-lock-names -d 0.2
same "lock names: not wanted" "none: --no-lock-names gone" \
	"$(session without lock_names) $([[ -e without/info/locks ]] || echo gone)"
setpriv --bounding-set -sys_rawio --inh-caps -sys_rawio "$FT" record -q -o forbidden --locks -d 0.2 2>log
same "lock names: not allowed: it is recorded" 0 $?
check "lock names: not allowed: that is said" grep -q 'CAP_SYS_RAWIO' log
check "lock names: not allowed: the trace has it" grep -q '^none: /proc/kcore:' \
	<(session forbidden lock_names)
check "lock names: not allowed: variables have theirs" \
	grep -q 'rcu_state' <("$FT" report --by class --top 0 forbidden)

# --- how much has a type

# share TRACE: percent of acquisitions by kind, and how many have a type, of locks that were asked
share() {
	"$FT" report --top 0 --by class --json "$1" | jq -r '[.class[] | select(.class != "(not asked)") |
		{ count, kind: (if .types == 1 then "typed" else (.kind // "no kind") end) }] |
		(map(.count) | add) as $all | group_by(.kind)[] |
		"\(.[0].kind) \((map(.count) | add) * 1000 / $all | round / 10)"' | tee -a shares
}

cat >a.c <<-'END'
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	int main(void) { return !puts("lock names"); }
END
# allocated for each CPU: the local locks of PREEMPT_RT, which are spinlocks there
least=85
[[ $(uname -v) != *PREEMPT_RT* ]] || least=50
for work in compile hackbench; do
	case $work in
	compile) set -- bash -c 'for i in 1 2 3; do gcc -O2 -o a$i a.c; done' ;;
	hackbench) set -- hackbench -l 20 -g 2 ;;
	esac
	if ! command -v "$3" >/dev/null && ! command -v "$1" >/dev/null; then
		skip "lock names: $work" "there is no $work here"
		continue
	fi
	"$FT" record -q -o $work --locks --slots 4M -- "$@" >/dev/null 2>log
	same "lock names: $work" "0" "$?"
	share $work >kinds
	echo "    $work: $(session $work lock_names); percent of acquisitions: $(xargs <kinds)"
	check "lock names: $work: most acquisitions have a type" \
		awk -v least="$least" '$1 == "typed" { ok = $2 > least } END { exit !ok }' kinds
	"$FT" report --top 0 --by class --json $work | jq -r '.class[] | select(.types != 1) |
		"\(.count) \(.class)"' | sort -rn | head -n 8 | sed 's/^/        /'
done
ft_unload
finish
