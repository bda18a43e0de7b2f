# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# bash completion for ft. To try it: source scripts/completion/ft.bash

# Event names, as far as this user may ask for them.
_ft_events()
{
	printf 'locks\ntracepoint:\n'
	ft list --tsv 2>/dev/null | tail -n +2 | cut -f2
}

# Events, also behind commas: -e mark,spin_<Tab>
_ft_complete_events()
{
	local cur=$1 done=

	if [[ $cur == *,* ]]; then
		done=${cur%,*},
		cur=${cur##*,}
	fi
	mapfile -t COMPREPLY < <(compgen -P "$done" -W "$(_ft_events)" -- "$cur")
}

_ft_words()
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

_ft_dirs()
{
	compopt -o filenames
	mapfile -t COMPREPLY < <(compgen -d -- "$1")
}

# Behind "--" or the first word that is no option: a command. False if not there.
_ft_command()
{
	local cur=$1 i

	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-e|--events|-o|--output|-d|--duration|-s|--slots|--user-slots) ((i++)) ;;
		--) ((i++)); break ;;
		-*) ;;
		*) break ;;
		esac
	done
	((i < COMP_CWORD)) || [[ ${COMP_WORDS[i-1]} == -- ]] || return
	if declare -F _command_offset >/dev/null; then
		_command_offset "$i"
	else
		mapfile -t COMPREPLY < <(compgen -c -- "$cur")
	fi
}

_ft_run()
{
	local cur=$1 prev=$2

	_ft_command "$cur" && return
	case $prev in
	-e|--events) ;;
	-o|--output) _ft_dirs "$cur" ;;
	-s|--slots) _ft_words '16k 32k 64k 128k 256k 512k 1M' "$cur" ;;
	*) _ft_words '--events --locks --ordered --output --slots --force --help --' "$cur" ;;
	esac
}

_ft_record()
{
	local cur=$1 prev=$2

	_ft_command "$cur" && return
	case $prev in
	-e|--events) _ft_complete_events "$cur" ;;
	-o|--output) _ft_dirs "$cur" ;;
	-d|--duration) ;;
	-s|--slots) _ft_words '64k 128k 256k 512k 1M 2M 4M' "$cur" ;;
	--user-slots) _ft_words '16k 32k 64k 128k 256k 512k 1M' "$cur" ;;
	*) _ft_words '--events --locks --user --output --duration --slots
		--user-slots --ordered --force --help --' "$cur" ;;
	esac
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
	-n|--top|--below|--longest|--cpu|--from|--to|--task|--site|--lock) ;;
	*)
		if [[ $cur == -* ]]; then
			_ft_words '--top --sort --below --longest --internal --balance
				--kallsyms --running-kernel --no-demangle --debug --tsv --json
				--distributions --html --cpu --from --to --task --site --lock --family
				--help' "$cur"
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
	--cpu|--from|--to) ;;
	*)
		if [[ $cur == -* ]]; then
			_ft_words '--format --output --family --cpu --from --to
				--kallsyms --running-kernel --no-demangle --help' "$cur"
		else
			_ft_dirs "$cur"
		fi ;;
	esac
}

_ft()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	local commands='load unload list functions sites status config enable disable
		mark record run attach dump report compare plot study export fix'

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		_ft_words "$commands help --help --version" "$cur"
		return
	fi
	case ${COMP_WORDS[1]} in
	help)
		_ft_words "$commands" "$cur" ;;
	load)
		if [[ $prev == -m || $prev == --module ]]; then
			compopt -o filenames
			mapfile -t COMPREPLY < <(compgen -f -X '!*.ko*' -- "$cur"
				compgen -d -- "$cur")
		else
			_ft_words '--module --help' "$cur"
		fi ;;
	unload|mark)
		_ft_words '--help' "$cur" ;;
	list)
		[[ $prev == --pid ]] ||
			_ft_words '--pid --tsv --json --help' "$cur" ;;
	functions|status)
		_ft_words '--tsv --json --help' "$cur" ;;
	sites)
		case $prev in
		--sort) _ft_words 'file event address' "$cur" ;;
		*)
			if [[ $cur == -* ]]; then
				_ft_words '--sort --no-demangle --tsv --json --help' "$cur"
			else
				compopt -o filenames
				mapfile -t COMPREPLY < <(compgen -f -- "$cur")
			fi ;;
		esac ;;
	config)
		compopt -o nospace
		_ft_words 'slots= wake_us= --help' "$cur" ;;
	enable)
		if [[ $prev == --pid ]]; then
			:
		elif [[ $cur == -* ]]; then
			_ft_words '--ordered --pid --persist --help' "$cur"
		else
			_ft_complete_events "$cur"
		fi ;;
	disable)
		if [[ $prev == --pid ]]; then
			:
		elif [[ $cur == -* ]]; then
			_ft_words '--pid --all --help' "$cur"
		else
			_ft_complete_events "$cur"
		fi ;;
	record)
		_ft_record "$cur" "$prev" ;;
	run)
		_ft_run "$cur" "$prev" ;;
	attach)
		case $prev in
		-e|--events|-d|--duration) ;;
		-s|--slots) _ft_words '16k 64k 256k 1M' "$cur" ;;
		-o|--output) _ft_dirs "$cur" ;;
		*) _ft_words '--events --duration --output --slots --force --help' "$cur" ;;
		esac ;;
	compare)
		case $prev in
		-n|--top|--limit) ;;
		--html) compopt -o filenames
			mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
		*) if [[ $cur == -* ]]; then
			_ft_words '--top --limit --html --tsv --json --help' "$cur"
		   else
			_ft_dirs "$cur"
		   fi ;;
		esac ;;
	plot)
		case $COMP_CWORD in
		3) _ft_words 'depth length shorter rate site lock task family group --help' "$cur" ;;
		4) _ft_words 'spinning sleeping program both total_ns count max_ns --help' "$cur" ;;
		*) if [[ $cur == -* ]]; then
			_ft_words '--help' "$cur"
		   else
			compopt -o filenames
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		   fi ;;
		esac ;;
	study)
		case $prev in
		-w|--workloads) _ft_words 'idle compile stress idle,compile,stress ffplay mplayer doom ffplay,mplayer,doom' "$cur" ;;
		-d|--duration) ;;
		-s|--slots) _ft_words '64k 128k 256k 512k 1M 2M 4M' "$cur" ;;
		-o|--output|--page|--sources|--work) _ft_dirs "$cur" ;;
		*) _ft_words '--here --vm --page --workloads --duration --output --slots
			--sources --work --record-only --force --help' "$cur" ;;
		esac ;;
	report)
		_ft_report "$cur" "$prev" ;;
	dump)
		case $prev in
		-c|--cpu|-e|--event) ;;
		--clock) _ft_words 'relative wall ticks' "$cur" ;;
		--kallsyms)
			compopt -o filenames
			mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
		*)
			if [[ $cur == -* ]]; then
				_ft_words '--cpu --event --clock --live --raw --kallsyms --running-kernel
					--no-demangle --tsv --help' "$cur"
			else
				_ft_dirs "$cur"
			fi ;;
		esac ;;
	export)
		_ft_export "$cur" "$prev" ;;
	fix)
		if [[ $cur == -* ]]; then
			_ft_words '--output --in-place --dry-run --help' "$cur"
		else
			_ft_dirs "$cur"
		fi ;;
	esac
}

complete -F _ft ft
