# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Debian's source of a kernel series: the tarball of its package linux-source-SERIES.
#
# Taken from /usr/src if that package is installed; else it is downloaded, from this
# machine's own release or a newer one, and kept in the cache.  Needs common.sh and
# apt.sh; the caller calls apt_drop_all in the end.

SOURCE_CACHE=$FT_CACHE/source
SOURCE_TARBALL=''	# set by source_get: the file
SOURCE_VERSION=''	# and the version of the package

# shellcheck disable=SC2034  # used by those who source this
# source_installed SERIES: true if it is installed.
source_installed()
{
	local tarball=/usr/src/linux-source-$1.tar.xz version
	[ -e "$tarball" ] || return 1
	version=$(dpkg-query -W -f '${Version}' "linux-source-$1" 2>/dev/null) || return 1
	SOURCE_TARBALL=$tarball SOURCE_VERSION=$version
}

# shellcheck disable=SC2034
# source_cached SERIES [VERSION]: true if it is in the cache: VERSION, or any, the
# newest of them.
source_cached()
{
	local name
	name=$(find "$SOURCE_CACHE" -name "linux-source-${1}_${2:-*}.tar.xz" -printf '%f\n' 2>/dev/null |
		sort -V | tail -n 1)
	[ -n "$name" ] || return 1
	SOURCE_TARBALL=$SOURCE_CACHE/$name
	name=${name#linux-source-"$1"_}
	SOURCE_VERSION=${name%.tar.xz}
}

# source_candidate SERIES: the newest version that apt can get in the present view.
source_candidate()
{
	apt-cache "${APT_VIEW[@]}" show "linux-source-$1" 2>/dev/null |
		sed -n 's/^Version: //p' | sort -V | tail -n 1
}

# source_download SERIES VERSION: into the cache.
source_download()
{
	local work
	mkdir -p "$SOURCE_CACHE"
	work=$(mktemp -d "$SOURCE_CACHE/.new.XXXXXX")
	note "getting Debian's source of Linux $2 (150 MB)"
	if (cd "$work" && apt_download "linux-source-$1=$2" && dpkg -x ./*.deb .) >"$work/log" 2>&1; then
		mv "$work/usr/src/linux-source-$1.tar.xz" "$SOURCE_CACHE/linux-source-${1}_$2.tar.xz"
		rm -rf "$work"
	else
		cat "$work/log" >&2
		rm -rf "$work"
		return 1
	fi
}

# source_newest SERIES: as source_get, but what Debian has now, not what is here.
source_newest()
{
	apt_need_tools
	apt_seek source_candidate "$1" || return 1
	if source_installed "$1" && [ "$SOURCE_VERSION" = "$FOUND" ]; then
		return 0
	fi
	source_cached "$1" "$FOUND" && return 0
	source_download "$1" "$FOUND" && source_cached "$1" "$FOUND"
}

# source_get SERIES: sets SOURCE_TARBALL and SOURCE_VERSION; downloads only if there
# is no source of this series here.
source_get()
{
	source_installed "$1" || source_cached "$1" || source_newest "$1"
}

# source_files PATCH...: the files of the source that a series changes, without those
# that it makes
source_files()
{
	awk '/^--- / { from = $2 }
		/^\+\+\+ b\// {
			name = substr($2, 3)
			if (from == "/dev/null")
				made[name]
			else if (!(name in made) && !had[name]++)
				print name
		}' "$@"
}
