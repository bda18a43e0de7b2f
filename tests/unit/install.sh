#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# make install-tools installs what the README says, and make uninstall removes it.
#
# Usage: tests/unit/install.sh

set -uo pipefail
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"
cd "$TOP" || exit 2
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
LOCAL=$WORK/usr/local

# Headers that there are not: the tools need none.
run_make() {
	make -s PREFIX=/usr/local KDIR="$WORK/none" DESTDIR="$WORK" "$@"
}

check "install: the tools need no kernel headers" run_make install-tools

# The first column of the README's table: paths below /usr/local, or from the root.
mapfile -t named < <(sed -n '/^## Install/,/^## /s/^| `\([^`]*\)`.*/\1/p' README.md)
missing=
for path in "${named[@]}"; do
	[[ $path == /* ]] && path=$WORK$path || path=$LOCAL/$path
	compgen -G "$path" >/dev/null || missing+=" $path"
done
check "install: the README names files" test ${#named[@]} -gt 5
same "install: what the README names is there" "" "$missing"
check "install: ft finds its scripts" "$LOCAL/bin/ft" plot --help
check "install: ft finds its library" "$LOCAL/bin/ft" run --locks -o "$WORK/t" -- true
rm -rf "$WORK/t"
check "install: each command has its man page" bash -c '
	for page in Documentation/man/*.[134]; do
		[[ -f $1/share/man/man${page##*.}/${page##*/} ]] || exit 1
	done' - "$LOCAL"

# A module of each place that kernels install modules to, and files of others.
mkdir -p "$WORK"/lib/modules/6.{1,12}/{extra,updates}
touch "$WORK"/lib/modules/6.1/extra/feather_trace.ko \
	"$WORK"/lib/modules/6.12/updates/feather_trace.ko.xz \
	"$WORK"/lib/modules/6.12/updates/other.ko "$LOCAL/bin/other"
check "install: it can be removed" run_make uninstall
same "install: nothing is left, nothing else is gone" "/lib/modules/6.12/updates/other.ko
/usr/local/bin/other" "$(find "$WORK" ! -type d -printf '/%P\n' | sort)"
same "install: no directory of its own is left" "" "$(find "$WORK" -name '*feather*')"
check "install: it can be removed again" run_make uninstall
finish
