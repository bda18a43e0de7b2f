# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Programs of another release of Debian, run in this one.
#
# What a kernel's headers bring along (objtool, modpost) and the compiler that the
# kernel was built with want the C library of their own release.  They are unpacked
# together with it, in a directory in the cache, and each program is replaced by a
# script that runs it with the loader and the libraries from there.  Nothing of this
# is seen by the programs of this machine.  Needs common.sh and apt.sh.

FOREIGN_LIBS=usr/lib/x86_64-linux-gnu
FOREIGN_LOADER=$FOREIGN_LIBS/ld-linux-x86-64.so.2
FOREIGN_REAL=usr/lib/feather-trace	# where the programs are moved to

# foreign_closure NAME...: NAME=VERSION of all that these packages need on a system
# where nothing is installed, one a line.
foreign_closure()
{
	apt-get -s "${APT_VIEW[@]}" --no-install-recommends -o Debug::NoLocking=1 -y install "$@" |
		awk '$1 == "Inst" { sub(/^\(/, "", $3); print $2 "=" $3 }'
}

# is_program FILE: an ELF file with an interpreter?
is_program()
{
	local magic
	IFS= read -r -d '' -n 4 magic <"$1" 2>/dev/null
	[ "$magic" = $'\x7fELF' ] && LC_ALL=C readelf -lW "$1" 2>/dev/null | grep -q '^ *INTERP'
}

# foreign_wrap TREE FINAL: make the programs in TREE, which will lie in FINAL, run here.
foreign_wrap()
{
	local tree=$1 final=$2 dir file name
	[ -e "$tree/$FOREIGN_LOADER" ] || die "no $FOREIGN_LOADER among the packages of that release"
	for dir in "$tree"/usr/bin "$tree"/usr/libexec "$tree"/usr/lib/gcc "$tree"/usr/lib/linux-kbuild-*; do
		[ ! -d "$dir" ] || find "$dir" -type f -perm -u+x ! -name '*.so*' -print
	done | while IFS= read -r file; do
		is_program "$file" || continue
		name=$FOREIGN_REAL/${file#"$tree"/usr/}
		mkdir -p "$tree/${name%/*}"
		mv "$file" "$tree/$name"
		printf '#!/bin/sh\nexec %q --argv0 "$0" --library-path %q %q "$@"\n' \
			"$final/$FOREIGN_LOADER" "$final/$FOREIGN_LIBS" "$final/$name" >"$file"
		chmod 755 "$file"
	done
	# Where the compiler looks for the assembler before it looks in PATH.
	mkdir -p "$tree/usr/x86_64-linux-gnu/bin"
	ln -sfn ../../bin/x86_64-linux-gnu-as "$tree/usr/x86_64-linux-gnu/bin/as"
	ln -sfn ../../bin/x86_64-linux-gnu-ld "$tree/usr/x86_64-linux-gnu/bin/ld"
	for file in "$tree"/usr/src/linux-headers-*/.kernelvariables; do
		sed -i '/^\(override \)\{0,1\}CROSS_COMPILE *=/d' "$file"
		echo "override CROSS_COMPILE = $final/usr/bin/x86_64-linux-gnu-" >>"$file"
	done
}
