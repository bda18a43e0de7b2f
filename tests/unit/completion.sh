#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Completion in bash knows each command, and each option that the command's help has.
#
# Usage: tests/unit/completion.sh FT

set -uo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/lib.sh
. "$HERE/../lib.sh"
FT=$1
# shellcheck source=scripts/completion/ft.bash
. "$HERE/../../scripts/completion/ft.bash"

# As bash has it while it completes.
compopt() {
	:
}

# The tool has no device here: events are these.
ft() {
	case $1 in
	complete | plot | study) "$FT" "$@" ;;
	*) printf 'id\tname\n3\tmark\n16\tspin_acquire\n17\tspin_release\n' ;;
	esac
}

# completed WORD...: what may stand in the place of the last one
completed() {
	COMP_WORDS=(ft "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_ft
	printf '%s\n' "${COMPREPLY[@]}"
}

# options COMMAND: the long ones of its help
options() {
	"$FT" "$1" --help | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u
}

# missing LINES OTHERS: lines that are not among the others
missing() {
	comm -23 <(sort -u <<<"$1") <(sort -u <<<"$2")
}

commands=$("$FT" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
same "completion: each command" "" \
	"$(missing "$commands" "$(completed '')")"
for command in $commands; do
	same "completion: $command: each option" "" \
		"$(missing "$(options "$command")" "$(completed "$command" --)")"
done
same "completion: an event behind another" "mark,spin_acquire mark,spin_release" \
	"$(completed record -e mark,spin_ | xargs)"
same "completion: mark: what it says of a request, as the first word" \
	"begin end join leave nothing" "$(completed mark '' | xargs) $("$FT" complete mark begin '')"
same "completion: the traced command's own words are not ours" "" \
	"$(completed record -e mark -- sleep --ev)"
same "completion: top: words for a value, which only ft-top knows" "p50 p99" \
	"$(completed top --once --sort p | xargs)"
same "completion: study: a workload behind another" "idle,compile" \
	"$(completed study -w idle,com | xargs)"
same "completion: study: each workload, of a long option, too" \
	"$(sed '/^#/d; /^name\t/d; s/\t.*//' "$HERE/../../userspace/scripts/study-workloads.tsv" | xargs)" \
	"$(completed study --workloads = '' | xargs)"
same "completion: plot: a table behind the output" "shorter" "$(completed plot x.svg sh | xargs)"
same "completion: plot: only tables that a report has" "" "$("$FT" complete plot x.svg '' |
	sed 1d | while read -r table; do
	grep -qE "(table\(f, |= )\"$table\"" "$HERE"/../../userspace/view/data/fields*.c || echo "$table"
done)"
finish
