# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Debian packages that tests run without installing them, unpacked in the cache.
# Needs common.sh and apt.sh.

UNPACKED_WORK=''	# the caller removes it with unpacked_clean_up, from a trap

unpacked_clean_up()
{
	[ -z "$UNPACKED_WORK" ] || rm -rf "$UNPACKED_WORK"
}

# unpacked_fetch PLACE WHAT PACKAGE...: unpack packages below PLACE, unless it is there.
# WHAT says what is fetched. Unpacked elsewhere and then moved: the cache never holds
# half of it.
unpacked_fetch()
{
	local place=$1 what=$2 deb
	shift 2
	mkdir -p "$FT_CACHE"
	UNPACKED_WORK=$(mktemp -d "$FT_CACHE/.unpacked.XXXXXX")
	mkdir "$UNPACKED_WORK/deb" "$UNPACKED_WORK/root"
	note "getting $what"
	(cd "$UNPACKED_WORK/deb" && apt_download "$@") >"$UNPACKED_WORK/log" 2>&1 ||
		{ tail -n 5 "$UNPACKED_WORK/log" >&2; die "cannot download $what (package lists old? run apt-get update)"; }
	for deb in "$UNPACKED_WORK"/deb/*.deb; do
		dpkg -x "$deb" "$UNPACKED_WORK/root"
	done
	mv -T "$UNPACKED_WORK/root" "$place" 2>/dev/null || [ -d "$place" ] || die "cannot write $place"
}
