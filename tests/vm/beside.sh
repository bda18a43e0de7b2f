# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Others on the same functions: the function tracer, function_graph, a kprobe, a
# kretprobe, a BPF program and a user like a live patch, before us and after us.
# Each works beside us, or one of the two gets an error that says so; the balances
# of the functions that are wrapped stay exact.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ft_load
if ! ft_wraps; then
	skip "beside" "lock functions are not wrapped on this kernel"
	ft_unload
	exit 0
fi
TRACING=/sys/kernel/tracing

# state FUNCTION: direct, redirected, refused ...
state() {
	"$FT" functions --tsv | awk -F'\t' -v f="$1" '$1 == f { print $3 }'
}

load() {
	ls -l /etc | cat >/dev/null
	hackbench -g 1 -f 2 -l "$(rounds 50 10)" >/dev/null
}

# record NAME [COMMAND]: a trace of COMMAND and then a load, whose balances are exact
# for all families but those named in $WITHOUT. Leaves the states at its start in
# ./states.
record() {
	local name=$1 command=${2:-true} status
	rm -rf t
	"$FT" record -o t --locks --slots 1048576 -- \
		bash -c "'$FT' functions --tsv >states; $command; load" >log 2>&1
	status=$?
	if ((status != 0)); then
		fail "$name: recorded" "ft record ended with status $status"
		sed 's/^/    /' log
		return
	fi
	"$FT" report t --tsv --balance | grep -v -E ":(${WITHOUT:-none})	" >report
	check "$name: balances are exact" bash "$FT_TOP/tests/vm/balance.sh" report
}

# How many callers of mutex_lock are something that others put there?
hidden() {
	"$FT" dump --raw --tsv -e mutex_acquire t | awk '
		FNR == NR { other["caller=0x" $1] = $3; next }
		FNR > 1 { n++; if ($8 in other) hidden++ }
		END { print "    " hidden + 0 " of " n " callers of mutex_lock are hidden" }' \
		FS=' ' <(grep -E ' (return_to_handler|arch_rethook_trampoline|__kretprobe_trampoline)$' \
			/proc/kallsyms | sed 's/^0*//') FS='\t' -
}

# during FUNCTION: its state in the trace that was recorded last
during() {
	awk -F'\t' -v f="$1" '$1 == f { print $3 " " $4 }' states | xargs
}

# --- the function tracer and function_graph ---

# tracer NAME: functions of each kind; of spinlocks those that are not called all the time, which
# takes an emulator half a minute more in each trace
tracer() {
	printf '%s\n' _raw_spin_lock_bh _raw_spin_unlock_bh mutex_lock mutex_unlock \
		down_read up_read rt_spin_lock rt_spin_unlock |
		grep -x -f <(cut -d' ' -f1 $TRACING/available_filter_functions) \
			>$TRACING/set_ftrace_filter
	cat $TRACING/set_ftrace_filter >$TRACING/set_graph_function 2>/dev/null
	echo "$1" >$TRACING/current_tracer
	: >$TRACING/trace
}

no_tracer() {
	echo nop >$TRACING/current_tracer
	: >$TRACING/set_ftrace_filter
	: >$TRACING/set_graph_function 2>/dev/null
}

export -f load rounds tracer
export TRACING

# traced PATTERN: does the kernel's trace have it?
traced() {
	grep -q -m1 -E "$1" $TRACING/trace
}

# wants KIND:ORDER: with --once, each kind comes first or second; without, as in make check-matrix,
# both
wants() {
	[[ -z ${FT_ONCE:-} || " function:first function_graph:second p:first r:second " == *" $1 "* ]]
}

for tracer in function function_graph; do
	if ! grep -qw $tracer $TRACING/available_tracers; then
		skip "beside: $tracer" "this kernel does not have it"
		continue
	fi
	if wants $tracer:first; then
		tracer $tracer
		record "beside: $tracer first"
		check "beside: $tracer first: it sees mutex_lock" traced 'mutex_lock'
		same "beside: $tracer first: so do we" direct "$(during mutex_lock)"
		hidden
		no_tracer
	fi
	if wants $tracer:second; then
		record "beside: $tracer second" "tracer $tracer"
		check "beside: $tracer second: it sees mutex_lock" traced 'mutex_lock'
		# We went first, and it stays.
		: >$TRACING/trace
		load
		check "beside: $tracer stays when we go" traced 'mutex_lock'
		no_tracer
	fi
done

# --- in and out, while ftrace walks its list of tracers all the time ---

tracer function
while :; do load; done &
busy=$!
bad=0
ROUNDS=$(rounds 40 5)
for ((i = 0; i < ROUNDS; i++)); do
	"$FT" enable 'mutex_*' 'rwsem_*' 'spin_*' --persist || bad=1
	"$FT" disable --all || bad=2
	# Every second time it has gone when it comes again.
	((i % 2)) || sleep 1
done
kill $busy
wait $busy 2>/dev/null
same "beside: $ROUNDS times in and out beside the function tracer" 0 $bad
: >$TRACING/trace
load
check "beside: the function tracer has seen it all" traced 'mutex_lock'
no_tracer

# --- kprobe and kretprobe ---

for kind in p r; do
	name="beside: kprobe"
	[[ $kind == p ]] || name="beside: kretprobe"
	if ! echo "$kind:ft_test mutex_lock" >>$TRACING/kprobe_events 2>log; then
		skip "$name" "$(cat log)"
		continue
	fi
	enable=$TRACING/events/kprobes/ft_test/enable
	if wants $kind:first; then
		: >$TRACING/trace
		echo 1 >$enable
		record "$name first"
		check "$name first: it sees mutex_lock" traced 'ft_test:'
		same "$name first: so do we" direct "$(during mutex_lock)"
		hidden
		echo 0 >$enable
	fi
	if wants $kind:second; then
		: >$TRACING/trace
		record "$name second" "echo 1 >$enable || touch refused"
		if [[ -e refused ]]; then
			check "$name second: is refused, with an error" grep -q 'write error' log
			rm refused
		else
			check "$name second: it sees mutex_lock" traced 'ft_test:'
			echo 0 >$enable
		fi
	fi
	echo "-:ft_test" >>$TRACING/kprobe_events
done

# --- BPF ---

# bpf_first FUNCTION [--exit]: a program at the entry of a function, or where it returns;
# "calls N" at its end says how often. Fails if this kernel cannot have one.
bpf_first() {
	local function=$1 name="beside: BPF fentry" i
	shift
	[[ $# == 0 ]] || name="beside: BPF fexit"
	if ! "$FT_PROGRAMS/fentry" "$@" "$function" -- true >log 2>&1; then
		skip "$name on $function" "$(tail -1 log)"
		return 1
	fi
	rm -f end
	mkfifo end
	"$FT_PROGRAMS/fentry" "$@" "$function" -- cat end >bpf 2>&1 &
	exec 3>end
	sleep 1
	record "$name first on $function"
	same "$name first: we work beside it, through ftrace" redirected "$(during "$function")"
	exec 3>&-
	for ((i = 0; i < 50; i++)); do
		grep -q calls bpf && break
		sleep 0.2
	done
	check "$name first: it was called" grep -q -E 'calls [1-9]' bpf
	sed 's/^/    /' bpf
}

# bpf_second FUNCTION [--exit]
bpf_second() {
	local function=$1 name="beside: BPF fentry"
	shift
	[[ $# == 0 ]] || name="beside: BPF fexit"
	record "$name second on $function" "'$FT_PROGRAMS/fentry' $* $function -- bash -c load >bpf 2>&1"
	if grep -q -E 'calls [1-9]' bpf; then
		ok "$name second: works"
	else
		# EBUSY; in newer kernels EINVAL.
		check "$name second: is refused, with an error" \
			grep -q -E 'Device or resource busy|Invalid argument' bpf
	fi
	sed 's/^/    /' bpf
}

bpf_first mutex_lock && bpf_second mutex_lock
# Of each kind of hook one: a release, one with a result, an acquisition.
bpf_first mutex_unlock --exit
bpf_first mutex_lock_killable --exit
bpf_first mutex_lock --exit && bpf_second mutex_lock --exit

# --- a user like a live patch ---

module=$FT_MODULES/tests/modules/ft_ipmodify.ko
calls=$PARAMS/ft_ipmodify/parameters/calls
if [[ -e $module ]]; then
	insmod "$module"
	WITHOUT=mutex record "beside: live patch first"
	check "beside: live patch first: mutex_lock is refused, with the reason" \
		test "$(during mutex_lock)" = "refused in use by a live patch or another tracer"
	check "beside: live patch first: ft record says so" \
		grep -q 'mutex_lock is not traced: in use by a live patch' log
	said=$("$FT" sensors new beside/hold 'hold(mutex)' 2>&1)
	check "beside: live patch first: ft sensors says so" \
		grep -q 'mutex_lock is not measured: in use by a live patch' <<<"$said"
	said=$("$FT" top --once 2>&1)	# until it has ended
	check "beside: live patch first: so does ft top" \
		grep -q 'mutex_lock is not measured: in use by a live patch' <<<"$said"
	"$FT" sensors end beside/hold
	same "beside: live patch first: the others are wrapped" direct "$(during mutex_unlock)"
	if (($(<"$calls") > 0)); then
		ok "beside: live patch first: it was called"
	else
		fail "beside: live patch first" "it was not called"
	fi
	rmmod ft_ipmodify
	record "beside: live patch gone"
	same "beside: live patch gone: mutex_lock is wrapped again" direct "$(during mutex_lock)"

	record "beside: live patch second" "insmod '$module' || touch refused"
	check "beside: live patch second: is refused" test -e refused
	check "beside: live patch second: with an error" grep -q 'Device or resource busy' log
	check "beside: live patch second: comes in when we have left" insmod "$module"
	rmmod ft_ipmodify
else
	skip "beside: live patch" "this kernel cannot have one"
fi
check "beside: rmmod" rmmod feather_trace
finish
