# SPDX-License-Identifier: GPL-2.0-only OR MIT
# ftrace disables itself, as it does after an error of its own, while lock functions are
# wrapped: these call the module as long as the kernel runs, so it stays. There is no way
# back: the last test of a boot.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ft_load
if ! ft_wraps || [[ ! -e $FT_MODULES/tests/modules/ft_leaving.ko ]]; then
	skip "ftrace dies" "lock functions are not wrapped on this kernel"
	ft_unload
	exit 0
fi
ft_load_test ft_leaving

# A module goes by force, and ftrace does not let go of its function: nobody gets that place of 16.
gone_by_force() {
	modprobe tun && [[ -e /sys/kernel/btf/tun ]] || return
	"$FT" enable --persist function:tun:tun_chr_open 2>>log || return
	echo 12 >"$PARAMS/ft_leaving/parameters/refuse"
	rmmod -f tun 2>>log
	[[ ! -e /sys/module/tun ]]
}
if gone_by_force; then
	same "ftrace dies: a module goes by force: its function is stuck" 1 "$(status stuck)"
	taken=0
	for name in ksys_read ksys_write vfs_{read,write,open,fsync,unlink,rename,mkdir,rmdir,symlink,link} \
		vfs_{mknod,getattr,statfs,truncate,llseek,fallocate,create}; do
		"$FT" enable --persist "function:$name" 2>>log && taken=$((taken + 1))
	done
	same "ftrace dies: a module goes by force: its place stays taken" 15 $taken
else
	skip "ftrace dies: a module goes by force" "not on this kernel"
fi
echo -1 >"$PARAMS/ft_leaving/parameters/refuse"
"$FT" disable --all 2>>log
only_stuck() {
	[[ $(status wrapped) == "$(status stuck)" ]]
}
check "ftrace dies: a module goes by force: all others are unwrapped" wait_for 30 only_stuck

"$FT" enable 'mutex_*' --persist
n=$(status wrapped)
check "ftrace dies: $n functions are wrapped" test "$n" -gt 0
echo 1 >"$PARAMS/ft_leaving/parameters/kill"
"$FT" disable --all
same "ftrace dies: all are stuck" "$n $n" "$(status wrapped) $(status stuck)"
check "ftrace dies: ft functions says why" \
	grep -q -P '^mutex_lock\t.*\tstuck\tftrace has disabled itself' <("$FT" functions --tsv)
rmmod feather_trace 2>log
same "ftrace dies: the module stays" "1 in use" "$? $(grep -o 'in use' log | head -1)"
check "ftrace dies: the kernel's log says why" grep -q 'ftrace does not let go of' <(dmesg)
"$FT" unload 2>log
same "ftrace dies: unload is refused" 1 $?
check "ftrace dies: and says why" grep -q "ftrace does not let go of $n functions" log
sed 's/^/    /' log

# What is wrapped still works, and what is not says so.
check "ftrace dies: mutexes can still be traced" "$FT" record -o t -e mutex_acquire -d 1
check "ftrace dies: there are records" test "$("$FT" dump --tsv t | wc -l)" -gt 1
"$FT" record -o t2 -e semaphore_acquire -d 1 2>log
same "ftrace dies: semaphores cannot" 1 "$(($? != 0))"
sed 's/^/    /' log
check "ftrace dies: which says why" grep -q -i 'ftrace' log
finish
