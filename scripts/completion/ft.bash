# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# bash completion for ft. To try it: source scripts/completion/ft.bash
#
# ft itself knows what may stand where: ft complete (userspace/ft/complete.c).

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
	printf 'locks\ntracepoint:\n'
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
		_ft_words "$("$ft" "${COMP_WORDS[1]}" --help | sed -nE 's/^ +(-[a-z], )?(--[a-z-]+).*/\2/p')" "$cur" ;;
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
	unknown)
		_ft_old "$cur" "${COMP_WORDS[COMP_CWORD-1]}" ;;
	esac
}

# Commands that have no table of options yet.
_ft_dirs()
{
	compopt -o filenames
	mapfile -t COMPREPLY < <(compgen -d -- "$1")
}

_ft_report()
{
	local cur=$1 prev=$2

	case $prev in
	--html|--kallsyms|--debug)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	--sort) _ft_words 'total count min mean p50 p90 p99 p999 max wait_total
		wait_count wait_mean wait_p99 wait_max family address' "$cur" ;;
	--family) _ft_words "$_ft_families" "$cur" ;;
	-n|--top|--below|--longest|-c|--cpu|--from|--to|--task|--site|--lock) ;;
	*)
		if [[ $cur == -* ]]; then
			_ft_words '--top --sort --below --longest --internal --balance
				--kallsyms --running-kernel --no-demangle --debug --tsv --json
				--distributions --html --cpu --from --to --task --without-recorder --site
				--lock --family --help' "$cur"
		else
			_ft_dirs "$cur"
		fi ;;
	esac
}

_ft_families='spin rwlock_read rwlock_write mutex semaphore rwsem_read rwsem_write
	rt_spin rt_rwlock_read rt_rwlock_write
	pthread_mutex pthread_read pthread_write pthread_spin posix_sem pthread_cond'

_ft_export()
{
	local cur=$1 prev=$2

	case $prev in
	-f|--format) _ft_words 'csv chrome' "$cur" ;;
	-o|--output|--kallsyms)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	--family) _ft_words "$_ft_families" "$cur" ;;
	-c|--cpu|--from|--to|--task|--site|--lock) ;;
	*)
		if [[ $cur == -* ]]; then
			_ft_words '--format --output --cpu --from --to --task --without-recorder --site --lock --family
				--kallsyms --running-kernel --no-demangle --help' "$cur"
		else
			_ft_dirs "$cur"
		fi ;;
	esac
}

_ft_old()
{
	local cur=$1 prev=$2

	case ${COMP_WORDS[1]} in
	compare)
		case $prev in
		-n|--top|--limit|-c|--cpu|--from|--to|--task|--site|--lock) ;;
		--family) _ft_words "$_ft_families" "$cur" ;;
		--html) compopt -o filenames
			mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
		*) if [[ $cur == -* ]]; then
			_ft_words '--top --limit --html --tsv --json --cpu --from --to --task --without-recorder --site --lock --family --help' "$cur"
		   else
			_ft_dirs "$cur"
		   fi ;;
		esac ;;
	report)
		_ft_report "$cur" "$prev" ;;
	dump)
		case $prev in
		-c|--cpu|--from|--to|--task|--site|--lock|-e|--event) ;;
		--family) _ft_words "$_ft_families" "$cur" ;;
		--clock) _ft_words 'relative wall ticks' "$cur" ;;
		--kallsyms)
			compopt -o filenames
			mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
		*)
			if [[ $cur == -* ]]; then
				_ft_words '--cpu --from --to --task --without-recorder --site --lock --family
					--event --clock --live --raw --kallsyms --running-kernel
					--no-demangle --tsv --help' "$cur"
			else
				_ft_dirs "$cur"
			fi ;;
		esac ;;
	export)
		_ft_export "$cur" "$prev" ;;
	esac
}


complete -F _ft ft
