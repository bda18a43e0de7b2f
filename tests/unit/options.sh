#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The options of each command that its --help shows are those that it takes, that its
# manual page describes, and that completion proposes.
#
# Usage: tests/unit/options.sh FT

set -uo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/lib.sh
. "$HERE/../lib.sh"
FT=$1
MAN=$HERE/../../Documentation/man

# page COMMAND: the manual page that describes it
page() {
	case $1 in
	unload) echo ft-load.1 ;;
	disable) echo ft-enable.1 ;;
	*) echo "ft-$1.1" ;;
	esac
}

# shown COMMAND: its options, short and long, as --help has them: -n --top N
shown() {
	"$FT" "$1" --help | sed -nE 's/^  ((-[a-zA-Z], |    )--[a-z-]+( [^ ]+)?).*/\1/p' |
		sed 's/, / /; s/^ *//'
}

# names COMMAND...: only the names, but those of --help, a line each
names() {
	local command
	for command; do
		shown "$command" | grep -oE -- '(^| )--?[a-zA-Z-]+' | tr -d ' '
	done | grep -vxE -- '-h|--help' | sort -u
}

# described PAGE: the options that a manual page describes
described() {
	sed -n '/^\.It Fl/{s/Fl Fl /--/g; s/Fl /-/g; p}' "$MAN/$1" |
		grep -oE -- '(^| )--?[a-zA-Z-]+' | tr -d ' ' | grep -vxE -- '-h|--help' | sort -u
}

# refused COMMAND: options of its --help that it does not take
refused() {
	local line word words said
	while read -r line; do
		read -ra words <<<"$line"
		for word in "${words[@]}"; do
			case $word in
			-h | --help | [!-]*) continue ;;
			esac
			# one with a value asks for it, behind a flag the next one is to blame
			if [[ ${words[-1]} == -* ]]; then
				said=$("$FT" "$1" "$word" --frob 2>&1)
				[[ $said == *"unknown option '--frob'"* ]] || echo "$word"
			else
				said=$("$FT" "$1" "$word" 2>&1)
				[[ $said == *"option '$word' needs a value"* ]] || echo "$word"
			fi
		done
	done < <(shown "$1")
}

commands=$("$FT" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
declare -A on_page
for command in $commands; do
	on_page[$(page "$command")]+=" $command"
	# a script takes them apart itself: completion has those of its help
	[[ $("$FT" complete "$command" --) != help ]] || continue
	same "options: $command: takes each" "" "$(refused "$command" | paste -sd' ')"
	same "options: $command: completion has the same" \
		"$({ names "$command"; echo --help; } | grep -- ^-- | sort | paste -sd' ')" \
		"$("$FT" complete "$command" -- | grep -E -- '^--.' | sort | paste -sd' ')"
done

# What getopt_long() says of letters in a cluster and of first letters of names.
said() {
	"$FT" report "$@" 2>&1 | head -1
}
same "options: a bad letter in a cluster" "ft: unknown option '-x'" "$(said --tsv -xy T)"
same "options: an ambiguous name" "ft: option '--b' is ambiguous: --by, --below, --balance" \
	"$(said --b T)"
for file in "${!on_page[@]}"; do
	# shellcheck disable=SC2086  # words
	same "options: $file has the same" "$(names ${on_page[$file]} | paste -sd' ')" \
		"$(described "$file" | paste -sd' ')"
done
finish
