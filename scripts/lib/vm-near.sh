# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
#
# Part of scripts/vm: the files that the guest has in its own memory.
#
# Each opening of a file over 9p takes some round trips to QEMU, which waits for the
# host's CPUs in between; a link among its directories takes one more. A script is
# hundreds of small programs. So those that nearly each one runs, and those that are
# named to scripts/vm, are copied when the guest boots (vm-init.sh); in a stock kernel
# a program starts three times as fast then, and one that asks for its language, too.

NEAR='sh bash awk basename bc cat chrt cmp cp cut date dd dirname env find grep head kill ls
	mkdir mktemp mount mv nproc od paste pgrep readlink rm rmdir sed seq sleep sort stat
	tail taskset tee timeout touch tr true umount uname uniq wc xargs insmod lsmod
	modinfo rmmod dmesg sysctl hackbench'

# near_names FILE: all names under which it is found, from link to link.
near_names()
{
	local file=$1 to n
	for ((n = 0; n < 8; n++)); do
		echo "$file"
		[ -L "$file" ] || break
		to=$(readlink "$file")
		case $to in
		/*)	file=$to ;;
		*)	file=${file%/*}/$to ;;
		esac
	done
}

# near_locale: what a program reads when it learns its language, which is vm-run.sh's
# LANG, and its time: more files than it has libraries.
near_locale()
{
	printf '%s\n' /usr/share/locale/locale.alias /etc/localtime
	find /usr/lib/locale/C.utf8 /usr/lib/*/gconv/gconv-modules.cache -type f 2>/dev/null
}

# near_kmod: what insmod, rmmod and the like read each time.
near_kmod()
{
	printf '%s\n' /etc/modprobe.d/*.conf /lib/modprobe.d/*.conf
	[ -z "$MODULES_DIR" ] ||
		printf '%s\n' "$MODULES_DIR"/modules.{softdep,builtin.bin,dep.bin,alias.bin,symbols.bin}
}

# near_files: those of root alone, as the guest makes the copies root's.
near_files()
{
	local name file programs=("${NEAR_PROGRAMS[@]}")
	for name in $NEAR; do
		file=$(type -P "$name" || type -P "/usr/sbin/$name" || type -P "/sbin/$name") || continue
		programs+=("$file")
	done
	{
		printf '%s\n' /bin /sbin /lib /lib64 /etc/ld.so.cache
		near_locale
		near_kmod
		printf '%s\n' "${programs[@]}"
		ldd "${programs[@]}" 2>/dev/null | grep -o '[[:space:]]/[^ :]*' | tr -d '[:blank:]'
	} | sort -u | while read -r file; do
		near_names "$file"
	done | sort -u | while read -r file; do
		# A directory would be without what is in it below.
		[ -L "$file" ] || [ -f "$file" ] || continue
		[ "$(stat -c %u:%g "$file")" != 0:0 ] || echo "$file"
	done
}
