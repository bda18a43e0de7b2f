# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Events of functions that are chosen at run time: their words, checked against what programs
# did; functions that sleep; and those that cannot be traced. What races with them is in
# function-races.sh.
# shellcheck shell=bash source=tests/vm/lib.sh
HERE=$(dirname "$0")
. "$HERE/lib.sh"

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

cp "$HERE"/{reads,opens}.py .
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

"$FT" record -o p -e kprobe:ksys_read+0 -e kprobe:vfs_read+0:dx:di -- python3 reads.py 2>>log
same "points: recorded, and nothing lost" "0 0" "$? $(session p lost)"
same "points: the first argument, each time" 1000 \
	"$("$FT" dump --raw --tsv -e ksys_read_0x0 p | grep -cP 'di=0x4d\t')"
same "points: registers that were chosen" "$(seq 0 999 | sum)" \
	"$("$FT" dump --raw --tsv -e vfs_read_0x0 p | awk -F'\t' '$7 ~ /^dx=/ { print substr($7, 4) }' |
		while read -r n; do ((n >= 1000)) || echo $((n)); done | sort -nu | sum)"
"$FT" record -o pv -e kprobe:vmlinux:ksys_read+0 -- python3 reads.py 2>>log
same "points: the kernel's, by its name" "0 1000" \
	"$? $("$FT" dump --raw --tsv -e ksys_read_0x0 pv | grep -cP 'di=0x4d\t')"
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
"$FT" record -o m --force -e kprobe:kprobed_inner:di -- bash -c 'call outside 6' 2>said
# and the one from before
same "points: the module is back, while the point is on" "0 7" \
	"$? $("$FT" dump --tsv -e kprobed_inner_0x0 m | tail -n +2 | wc -l)"
"$FT" disable kprobed_inner_0x0
"$FT" record -o m --force -e kprobe:kprobed_inner:di -- bash -c 'call outside 5' 2>said
same "points: the module is back" "0 5" \
	"$? $("$FT" dump --tsv -e kprobed_inner_0x0 m | tail -n +2 | wc -l)"
rmmod ft_kprobed

# --- functions of one name in several modules

if modprobe -a crc32c_generic crct10dif_generic 2>>log &&
	[[ -e /sys/kernel/btf/crc32c_generic && -e /sys/kernel/btf/crct10dif_generic ]]; then
	"$FT" record -o n --force -d 0.1 \
		-e function:crc32c_generic:chksum_final,function:crct10dif_generic:chksum_final 2>>log
	same "functions: of one name: both are recorded" 0 $?
	same "functions: of one name: the second has its module's name, too" \
		"chksum_final_entry chksum_final_exit crct10dif_generic_chksum_final_entry \
crct10dif_generic_chksum_final_exit" "$("$FT" list --tsv | cut -f2 | grep chksum_final | sort | xargs)"
	"$FT" record -o n --force -d 0.1 -e function:crct10dif_generic:chksum_final 2>>log
	same "functions: of one name: it keeps that" 0 $?
else
	skip "functions: of one name" "no two modules with type information have one"
fi

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

# --- functions of modules: of one that the kernel's package has

if modprobe tun && [[ -e /sys/kernel/btf/tun && -e /dev/net/tun ]]; then
	for name in tun:tun_chr_open tun_chr_open; do
		"$FT" record -o u --force -e "function:$name" -- python3 opens.py 50 2>>log
		same "functions: $name: recorded, and nothing lost" "0 0" "$? $(session u lost)"
		same "functions: $name: each call, with its words" "50 inode 50" \
			"$("$FT" dump --tsv -e tun_chr_open_entry u | grep -c 'caller=chrdev_open\|caller=misc_open') $(
			   "$FT" list --tsv | awk -F'\t' '$2 == "tun_chr_open_entry" { print $9 }' |
				cut -d, -f1) $(
			   "$FT" dump --tsv -e tun_chr_open_exit u | grep -c -P 'result=0\t')"
	done
	released
	check "functions: of a module: it goes when nothing is wrapped" rmmod tun
	same "functions: of a module: and so do its events" 0 \
		"$("$FT" list --tsv | cut -f2 | grep -c '^tun_chr_open')"

	modprobe tun
	"$FT" enable --persist function:tun:tun_chr_open 2>>log
	said=$(rmmod tun 2>&1)
	same "functions: of a module: it stays while it is wrapped" "1 in use" \
		"$? $(grep -o 'in use' <<<"$said")"
	python3 opens.py 3
	# waits until nobody is in its hook
	"$FT" disable --all 2>>log
	released
	check "functions: of a module: then it goes" rmmod tun
	modprobe tun
	"$FT" record -o u --force -e function:tun:tun_chr_open -- python3 opens.py 7 2>>log
	same "functions: of a module: it is back" "0 7" \
		"$? $("$FT" dump --tsv -e tun_chr_open_exit u | grep -c -P 'result=0\t')"

	# By force, while it is wrapped and a task is in the function again and again.
	"$FT" enable --persist function:tun:tun_chr_open 2>>log
	"$FT" record -o f -e function:tun:tun_chr_open,function:ksys_read -- \
		bash -c "python3 opens.py 5; rmmod -f tun && echo 1 >removed" 2>>log
	if [[ -e removed ]]; then
		same "functions: of a module: removed by force: until then" 5 \
			"$("$FT" dump --tsv -e tun_chr_open_exit f | grep -c -P 'result=0\t')"
		same "functions: of a module: removed by force: its events go, others stay" "0 1" \
			"$("$FT" list --tsv | cut -f2 | grep -c '^tun_chr_open') $(
			   "$FT" list --tsv | cut -f2 | grep -c '^ksys_read_exit')"
		modprobe tun
		python3 opens.py 2
		"$FT" record -o f --force -e function:tun:tun_chr_open -- python3 opens.py 6 2>>log
		same "functions: of a module: removed by force: it is back" "0 6" \
			"$? $("$FT" dump --tsv -e tun_chr_open_exit f | grep -c -P 'result=0\t')"
		"$FT" disable --all 2>>log
		released
		check "functions: of a module: removed by force: it goes as before" rmmod tun
		modprobe tun
	else
		skip "functions: of a module: removed by force" "not on this kernel"
		"$FT" disable --all 2>>log
		released
	fi

	# The kernel's own beside it, from before to after: what one of them wraps keeps both.
	"$FT" enable --persist function:ksys_read,function:tun:tun_chr_open 2>>log
	"$FT" disable tun_chr_open_entry,tun_chr_open_exit 2>>log
	same "functions: of a module: it stays while any function is wrapped" 1 \
		"$(rmmod tun 2>>log; echo $?)"
	"$FT" disable --all 2>>log
	released

	"$FT" record -o p --force -e kprobe:tun:tun_chr_open+0 -- python3 opens.py 4 2>>log
	same "points: of a module, by its name" "0 4" \
		"$? $("$FT" dump --tsv -e tun_tun_chr_open_0x0 p | tail -n +2 | wc -l)"
	"$FT" record -o p --force -e kprobe:tun:tun_chr_open:si:di -- python3 opens.py 2 2>>log
	same "points: of a module: other registers have another event" 125 $?
else
	skip "functions: of a module" "no module tun with type information"
fi

# --- what cannot be traced

refused() {
	local said
	said=$(timeout 60 "$FT" enable "$2" 2>&1)
	same "functions: $1: status" 1 $?
	check "functions: $1: says why" grep -qF "$3" <<<"$said"
	grep -qF "$3" <<<"$said" || sed 's/^/    /' <<<"$said"
}

refused "none of that name" function:ksys_raed "did you mean 'ksys_read'"
refused "it is inlined" function:arch_static_branch "It may be inlined where it is called"
# NAME.isra.0, where nothing else is called NAME
changed=$(awk '
	$2 ~ /^[tT]$/ { n[$3]++ }
	END {
		for (name in n) {
			base = substr(name, 1, length(name) - 7)
			if (name == base ".isra.0" && n[name] == 1 && !(base in n))
				print name
		}
	}' /proc/kallsyms | sort | head -n 1)
if [[ $changed ]]; then
	refused "the compiler has changed it" "function:${changed%.isra.0}" \
		"but '$changed': the compiler has changed it"
	refused "the compiler has changed its arguments" "function:$changed" \
		"the compiler has changed its arguments"
	refused "a point of what the compiler has changed" "kprobe:${changed%.isra.0}+0" \
		"but '$changed': the compiler has changed it"
else
	skip "functions: the compiler has changed it" "this kernel has none of these"
fi
refused "no name at all" function: "names no function"
refused "it never returns" function:do_exit "it may not return"
refused "it may not return" function:get_signal "it may not return"
refused "the events of locks have it" function:mutex_lock "events of locks wrap it"
refused "it has arguments on the stack" function:do_mmap "arguments on the stack"
refused "as many arguments as it likes" function:_printk "arguments on the stack"
refused "it is of our module" function:ft_table_start "belongs to the module feather_trace"
ft_load_test ft_namesake 2>>log
refused "of a module without type information" function:ft_namesake:namesake_exit \
	"the module ft_namesake: it has no type information"
refused "of several modules" function:cleanup_module "functions 'cleanup_module': name one of them: "
refused "a point of several modules" kprobe:cleanup_module+0 "name one of them: "
rmmod ft_namesake
if modprobe cifs 2>>log && [[ -e /sys/kernel/btf/cifs ]]; then
	refused "a thread of a module ends in it" function:cifs:cifs_demultiplex_thread "it may not return"
	modprobe -r cifs
else
	skip "functions: a thread of a module" "no module cifs with type information"
fi
refused "of a module that is not there" function:no_such:thing "'no_such' is not loaded"
refused "of no module" function::thing "names no function"
refused "not in that module" function:feather_trace:ksys_read "has no function 'ksys_read'"
refused "the kernel's, by its name" function:vmlinux:ksys_raed "did you mean 'ksys_read'"
refused "a point of a module that is not there" kprobe:no_such:thing+0 "'no_such' is not loaded"
refused "ftrace does not know it" function:ktime_get_mono_fast_ns "ftrace cannot wrap it"

refused "a point between instructions" "kprobe:vfs_read+$((behind - 4))" "no instruction begins there"
refused "a point of no function" kprobe:ksys_raed+0 "did you mean 'ksys_read'"
refused "a point of what is inlined" kprobe:arch_static_branch+0 "It may be inlined where it is called"
refused "a point that no kprobe may have" kprobe:asm_exc_int3+0 "allows no kprobe there"
refused "a point behind the end" kprobe:vfs_read+0x10000 "no instruction begins there"
refused "a register that there is not" kprobe:vfs_read+0:dj "'dj' is not a register"
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
