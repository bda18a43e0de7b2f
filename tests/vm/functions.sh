# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Events of functions that are chosen at run time: their words, checked against what programs
# did; functions that sleep; and those that cannot be traced.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ft_load

if [[ ! -e /sys/kernel/btf/vmlinux ]]; then
	said=$("$FT" enable function:ksys_read 2>&1)
	same "functions: without type information: status" 1 $?
	check "functions: without type information: says why" grep -q "no type information" <<<"$said"
	ft_unload
	same "functions: without type information: unload" 0 $?
	finish
fi

# fields TRACE EVENT: what its records have, a line each
fields() {
	"$FT" dump --raw --tsv -e "$2" "$1" | awk -F'\t' 'NR > 1 && $6 != "LOST" { print $7, $8 }'
}

# Until nothing is wrapped any more.
released() {
	for _ in $(seq 200); do
		[[ $(cat /sys/module/feather_trace/refcnt) != 0 ]] || return
		sleep 0.1
	done
}

# --- words

cat >reads.py <<-'END'
	import os
	zero = os.open("/dev/zero", os.O_RDONLY)
	os.dup2(zero, 77)
	for size in range(1000):
	    os.read(77, size)
	try:
	    os.read(7777, 1)
	except OSError:
	    pass
END
"$FT" record -o t -e function:ksys_read,function:capable -- python3 reads.py 2>log
same "functions: recorded, and nothing lost" "0 0" "$? $(session t lost)"
same "functions: an argument is called as in the source" "fd,caller" \
	"$("$FT" list --tsv | awk -F'\t' '$2 == "ksys_read_entry" { print $9 }')"
same "functions: each call, with its result in order" "$(seq 0 999 | sum)" \
	"$("$FT" dump --tsv -e ksys_read_exit t | grep -oP 'result=\K[0-9]*(?=\tfd=77$)' | sum)"
same "functions: as many entries as exits" "1000 1000" \
	"$("$FT" dump --tsv -e ksys_read_entry t | grep -c 'fd=77\b') $(
	   "$FT" dump --tsv -e ksys_read_exit t | grep -c 'fd=77\b')"
same "functions: a result with a sign" "result=-9 fd=7777" \
	"$("$FT" dump --tsv -e ksys_read_exit t | grep -P 'fd=7777$' | grep -o 'result=.*' | xargs)"
same "functions: a bool is a bool" "" \
	"$(fields t capable_exit | grep -oP 'result=0x\K[0-9a-f]*' | grep -vP '^[01]$' | head -n 3)"
check "functions: there are some" [ "$(fields t capable_exit | wc -l)" -gt 0 ]

"$FT" record -o i -e function:vfs_statx -- sh -c '[ ! -e /nowhere ]' 2>>log
same "functions: an int has its sign" "result=-2 dfd=-100" \
	"$("$FT" dump --tsv -e vfs_statx_exit i | grep -oP 'result=-2\tdfd=-100$' | sort -u | xargs)"

# One within the other: in each task, an exit belongs to the last entry.
"$FT" record -o n -e function:ksys_read,function:vfs_read -- python3 reads.py 2>>log
same "functions: nested calls, and none without its end" "0 0" "$(
	"$FT" dump --tsv n | awk -F'\t' '
	NR == 1 || $6 !~ /_(entry|exit)$/ { next }
	{ fn = $6; sub(/_(entry|exit)$/, "", fn) }
	$6 ~ /_entry$/ { stack[$5, ++depth[$5]] = fn }
	$6 ~ /_exit$/ && depth[$5] { bad += stack[$5, depth[$5]--] != fn; n++ }
	END { print n < 2000, bad + 0 }')"

same "functions: the caller" ksys_read \
	"$("$FT" dump --tsv -e vfs_read_entry n | grep -oP 'caller=\Kksys_read(?=\+)' | sort -u)"

# --- how long they take, without a trace

check "functions: a sensor" "$FT" sensors new f/read 'time(function:ksys_read) by task'
python3 reads.py &
reader=$!
wait $reader
same "functions: each call is timed" 1 "$("$FT" sensors show --json --top 0 f/read |
	jq "[.sensors[0].rows[] | select(.count >= 1001)] | length")"
check "functions: the sensor is removed" "$FT" sensors end f/read

# --- points inside

failed=0

"$FT" record -o p -e kprobe:ksys_read+0 -e kprobe:vfs_read+0:dx:di -- python3 reads.py 2>>log
same "points: recorded, and nothing lost" "0 0" "$? $(session p lost)"
same "points: the first argument, each time" 1000 \
	"$("$FT" dump --raw --tsv -e ksys_read_0x0 p | grep -cP 'di=0x4d\t')"
same "points: registers that were chosen" "$(seq 0 999 | sum)" \
	"$("$FT" dump --raw --tsv -e vfs_read_0x0 p | awk -F'\t' '$7 ~ /^dx=/ { print substr($7, 4) }' |
		while read -r n; do ((n >= 1000)) || echo $((n)); done | sort -nu | sum)"
# Behind the entry: 5 bytes of NOP, or 9 with an ENDBR.
said=
for behind in 5 9; do
	"$FT" record -o b --force -e "kprobe:vfs_read+$behind:dx" -- python3 reads.py 2>said || continue
	said=$behind
	break
done
check "points: an instruction inside" [ -n "$said" ]
same "points: its registers" "$(seq 0 999 | sum)" \
	"$("$FT" dump --raw --tsv -e "vfs_read_0x$behind" b |
		awk -F'\t' '$7 ~ /^dx=/ { print substr($7, 4) }' |
		while read -r n; do ((n >= 1000)) || echo $((n)); done | sort -nu | sum)"
python3 -c 'exec(open("reads.py").read() * 40)' &
reader=$!
for _ in $(seq "$(rounds 10 4 2)"); do
	"$FT" record -o l -d 0.2 --force -e kprobe:ksys_read+0 -e "kprobe:vfs_read+$behind:dx" 2>>log ||
		failed=1
done
same "points: on and off while they are reached" 0 $failed
wait $reader
same "points: whoever reaches them goes on" 0 $?

# While another kprobe is handled, the kernel leaves a point out: that is told.
ft_load_test ft_kprobed
call() { echo "$2" >"$PARAMS/ft_kprobed/parameters/$1"; }
export -f call
export PARAMS
"$FT" record -o m -e kprobe:kprobed_inner:di -- bash -c 'call outside 20; call inside 7' 2>said
same "points: missed: exit status" 3 $?
check "points: missed: how many" grep -q "kprobed_inner_0x0: MISSED at least 7 times" said
same "points: missed: the others are there" 20 "$("$FT" dump --tsv -e kprobed_inner_0x0 m | tail -n +2 | wc -l)"
"$FT" record -o m --force -e kprobe:kprobed_inner:di -- bash -c 'call outside 20' 2>said
same "points: nothing is missed: exit status" 0 $?
"$FT" record --flight -o mf -e kprobe:kprobed_inner:di -- bash -c 'call inside 3' 2>said
same "points: missed by a flight recorder: exit status" 3 $?
check "points: missed by a flight recorder: how many" grep -q "MISSED at least 3 times" said

# In a module that goes, while the point is on, and comes back.
"$FT" enable --persist kprobe:kprobed_inner:di 2>>log
call outside 1
check "points: the module goes" rmmod ft_kprobed
ft_load_test ft_kprobed
"$FT" disable kprobed_inner_0x0
"$FT" record -o m --force -e kprobe:kprobed_inner:di -- bash -c 'call outside 5' 2>said
same "points: the module is back" "0 5" \
	"$? $("$FT" dump --tsv -e kprobed_inner_0x0 m | tail -n +2 | wc -l)"
rmmod ft_kprobed

# --- others at the same function

cd /sys/kernel/tracing || exit 2
echo ksys_read >set_ftrace_filter
echo 'p:ft_read ksys_read' >kprobe_events
echo function >current_tracer
echo 1 >events/kprobes/ft_read/enable
cd "$WORK" || exit 2
"$FT" record -o o -e function:ksys_read -- python3 reads.py 2>>log
same "functions: beside a kprobe and ftrace at the same function" 1000 \
	"$("$FT" dump --tsv -e ksys_read_exit o | grep -c 'fd=77\b')"
echo 0 >/sys/kernel/tracing/events/kprobes/ft_read/enable
echo nop >/sys/kernel/tracing/current_tracer
echo >/sys/kernel/tracing/kprobe_events
echo >/sys/kernel/tracing/set_ftrace_filter

# --- functions that sleep

sleep 1 &
outside=$!
"$FT" enable function:hrtimer_nanosleep --persist 2>>log
sleep 5 &
inside=$!
sleep 0.5
# waits for it
"$FT" disable --all 2>>log &
disabling=$!
wait $outside
same "functions: a task inside keeps the module" 1 "$(status inside)"
check "functions: it still sleeps" kill -0 $inside
wait $inside
same "functions: and wakes up as it would alone" 0 $?
wait $disabling
released
ft_unload
same "functions: then the module goes" 0 $?
ft_load

# Turned on and off while they are called.
python3 -c 'exec(open("reads.py").read() * 40)' &
reader=$!
for _ in $(seq "$(rounds 10 4 2)"); do
	"$FT" record -o l -d 0.2 --force -e function:ksys_read,function:vfs_read 2>>log || failed=1
done
same "functions: on and off while they are called" 0 $failed
wait $reader
same "functions: whoever calls them goes on" 0 $?

# --- what cannot be traced

refused() {
	local said
	said=$(timeout 60 "$FT" enable "$2" 2>&1)
	same "functions: $1: status" 1 $?
	check "functions: $1: says why" grep -qF "$3" <<<"$said"
	grep -qF "$3" <<<"$said" || sed 's/^/    /' <<<"$said"
}

refused "none of that name" function:ksys_raed "did you mean 'ksys_read'"
refused "no name at all" function: "names no function"
refused "it never returns" function:do_exit "it may not return"
refused "it may not return" function:get_signal "it may not return"
refused "the events of locks have it" function:mutex_lock "events of locks wrap it"
refused "it has arguments on the stack" function:do_mmap "arguments on the stack"
refused "as many arguments as it likes" function:_printk "arguments on the stack"
refused "it is of a module" function:ft_table_start "belongs to the module feather_trace"
refused "ftrace does not know it" function:ktime_get_mono_fast_ns "ftrace cannot wrap it"

refused "a point between instructions" "kprobe:vfs_read+$((behind - 4))" "no instruction begins there"
refused "a point of no function" kprobe:no_such_function+0 "no such function"
refused "a point that no kprobe may have" kprobe:asm_exc_int3+0 "allows no kprobe there"
refused "a point behind the end" kprobe:vfs_read+0x10000 "no instruction begins there"
refused "a register that there is not" kprobe:vfs_read+0:dj "'dj' is no register"
refused "the same register twice" kprobe:vfs_read+0:di:di "not the same one twice"
refused "three registers" kprobe:vfs_read+0:di:si:dx "two registers"
"$FT" record -o l -d 0.1 --force -e kprobe:vfs_read+0:dx:di 2>>log
refused "other registers than before" kprobe:vfs_read+0:ax:di "of other registers"
refused "no number" kprobe:vfs_read+x "names no point"

# --- more than there are places

many=$(for f in vfs_write vfs_open vfs_statx vfs_fstat vfs_getattr vfs_readv vfs_llseek vfs_fsync \
	vfs_mkdir vfs_rmdir vfs_unlink vfs_link vfs_symlink vfs_rename vfs_truncate vfs_create \
	vfs_mknod vfs_lock_file vfs_setxattr vfs_getxattr; do
		grep -qw "$f" /sys/kernel/tracing/available_filter_functions && echo "function:$f"
	done | head -n 16 | paste -sd,)
"$FT" enable "$many" --persist 2>>log
same "functions: all places are taken" 0 $?
said=$(timeout 60 "$FT" enable function:ksys_write 2>&1)
check "functions: there is no place left: says why" grep -q "all 16 places are taken" <<<"$said"
"$FT" disable --all 2>>log
released
"$FT" record -o w -e function:ksys_write -- sh -c 'for i in 1 2 3; do echo $i; done' >out 2>>log
same "functions: a place that is free again" "0 3" \
	"$? $("$FT" dump --tsv -e ksys_write_exit w | grep -cP 'result=2\tfd=1$')"
"$FT" record -o v -e function:vfs_write -- sh -c 'for i in 1 2 3; do echo $i; done' >out 2>>log
same "functions: one that had lost its place" 0 $?
check "functions: is recorded again" [ "$("$FT" dump --tsv -e vfs_write_exit v | wc -l)" -ge 3 ]

same "functions: and a name of an old trace stays" 1000 \
	"$("$FT" dump --tsv -e ksys_read_exit t | grep -c 'fd=77\b')"
sed 's/^/    /' log
ft_unload
same "functions: unload" 0 $?
finish
