# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# bash completion for ft. To try it: source scripts/completion/ft.bash
#
# ft knows what may stand where (userspace/ft/complete.c), from tables of options
# (userspace/base/options_complete.c).

_ft_words()
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

# Words, also behind commas: -e mark,spin_<Tab>
_ft_list()
{
	local words=$1 cur=$2 done=

	if [[ $cur == *,* ]]; then
		done=${cur%,*},
		cur=${cur##*,}
	fi
	mapfile -t COMPREPLY < <(compgen -P "$done" -W "$words" -- "$cur")
}

# Event names, as far as this user may ask for them.
_ft_events()
{
	printf 'locks\ntracepoint:\nfunction:\nkprobe:\n'
	"$1" list --tsv 2>/dev/null | tail -n +2 | cut -f2
}

_ft()
{
	local cur=${COMP_WORDS[COMP_CWORD]} ft=${COMP_WORDS[0]/#\~/$HOME} answer kind

	COMPREPLY=()
	mapfile -t answer < <("$ft" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	kind=${answer[0]-}
	[[ $kind != @(file|directory|module) ]] || compopt -o filenames
	case $kind in
	words)
		_ft_words "${answer[*]:1}" "$cur"
		[[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace ;;
	list)
		_ft_list "${answer[*]:1}" "$cur" ;;
	events)
		_ft_list "$(_ft_events "$ft")" "$cur" ;;
	help)
		_ft_words "$("$ft" "${COMP_WORDS[1]}" --help | sed -nE 's/^ +(-[a-zA-Z], )?(--[a-z-]+).*/\2/p')" "$cur" ;;
	file)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	directory)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
	module)
		mapfile -t COMPREPLY < <(compgen -f -X '!*.ko*' -- "$cur"
			compgen -d -- "$cur") ;;
	command*)
		if declare -F _command_offset >/dev/null; then
			_command_offset "${kind#command }"
		else
			mapfile -t COMPREPLY < <(compgen -c -- "$cur")
		fi ;;
	esac
}

complete -F _ft ft
