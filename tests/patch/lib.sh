# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Looking into a compiled kernel with the patch, without running it. The one who
# sources this has been given VMLINUX as its only argument; sets vmlinux, tree and
# tmp, a directory that goes with the script.

export LC_ALL=C
script=${0##*/}

die() { echo "$script: $*" >&2; exit 2; }

[ $# -eq 1 ] || die "usage: $script VMLINUX"
vmlinux=$(readlink -f "$1")
[ -r "$vmlinux" ] || die "cannot read $1"
tree=$(dirname "$vmlinux")
[ -r "$tree/kernel/locking/.spinlock.o.cmd" ] ||
	die "$1 is not in the directory that it was built in: no .cmd files"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

nm -n "$vmlinux" > "$tmp/nm"

# symbol NAME: its address, as a number that bash can count with
symbol() {
	local address

	address=$(awk -v name="$1" '$3 == name { print $1; exit }' "$tmp/nm")
	[ -n "$address" ] || die "no symbol $1 in $vmlinux: is the patch in it?"
	echo $((16#$address))
}

# offset ADDRESS: where in the file that address is
offset() {
	local address file size

	while read -r _ address file size; do
		if (($1 >= 16#$address && $1 < 16#$address + 16#$size)); then
			echo $(($1 - 16#$address + 16#$file))
			return
		fi
	done < "$tmp/sections"
	die "no section has address $(printf %x "$1")"
}
readelf -SW "$vmlinux" | sed 's/^ *\[ *[0-9]*\] *//' |
	awk '$2 == "PROGBITS" { print $1, $3, $4, $5 }' > "$tmp/sections"

# The entries of the jump table that belong to our keys: "code target event".
# An entry is { s32 code; s32 target; s64 key; }, each relative to itself.
start=$(symbol __start___jump_table)
stop=$(symbol __stop___jump_table)
keys=$(symbol feather_keys)
events=(spin_acquire spin_release rwlock_read_acquire rwlock_read_release
	rwlock_write_acquire rwlock_write_release mutex_acquire mutex_release
	semaphore_acquire semaphore_release rwsem_read_acquire
	rwsem_read_release rwsem_write_acquire rwsem_write_release)
rt=0
! grep -q '^CONFIG_PREEMPT_RT=y' "$tree/.config" || rt=1
[ $rt -eq 0 ] || events+=(raw_spin_acquire raw_spin_release)
key_size=16
od -An -v -t d4 -w16 -j "$(offset "$start")" -N $((stop - start)) "$vmlinux" |
	while read -r code target low high; do
		key=$(((start + 8 + (high << 32 | low & 0xffffffff)) & ~3))
		if ((key >= keys && key < keys + ${#events[@]} * key_size)); then
			printf '%x %x %s\n' $((start + code)) \
				$((start + 4 + target)) \
				"${events[(key - keys) / key_size]}"
		fi
		start=$((start + 16))
	done > "$tmp/sites"
[ -s "$tmp/sites" ] || die "no triggers in $vmlinux"

# compile_again NAME SOURCE OBJECT FLAG...: kernel/locking/NAME.c, or what SOURCE has
# in its place, with the command that the kernel was compiled with and more flags
compile_again() {
	local name=$1 source=$2 object=$3 compile

	shift 3
	compile=$(sed -n 's/^[a-z]*cmd_[^ ]* := //p' "$tree/kernel/locking/.$name.o.cmd" |
		sed -e 's/ ;.*//' -e 's/-Wp,-MMD,[^ ]*//' -e "s|-o [^ ]*$name\\.o |-o $object |" \
			-e "s|[^ ]*/$name\\.c *\$|$* $source|")
	(cd "$tree" && eval "$compile") || die "cannot compile $name.c again"
}

