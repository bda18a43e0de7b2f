# SPDX-License-Identifier: GPL-2.0-only OR MIT
# The steps in which lock functions are unwrapped, an event that goes off while another
# program is about to enable it, and an ftrace that refuses.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ft_load
if ! ft_wraps || [[ ! -e $FT_MODULES/tests/modules/ft_leaving.ko ]]; then
	skip "leaving" "lock functions are not wrapped on this kernel, or it cannot be probed"
	ft_unload
	exit 0
fi

# ended: functions were unwrapped, and nobody waits any more
ended() {
	[[ "$(status wrapped) $(status leaving)" == "0 0" ]]
}

TRACING=/sys/kernel/tracing
ft_load_test ft_leaving
leaving=$PARAMS/ft_leaving/parameters
"$FT" enable 'mutex_*' --persist
echo 0 >"$leaving/steps"
"$FT" disable --all
check "leaving: left" wait_for 30 ended
steps=$(tr -s D <"$leaving/steps")
# The end of the trace may have a T of its own.
check "leaving: a grace period before the functions are unwrapped, two after ($steps)" \
	grep -q -E '^T*TSDTSTS$' <<<"$steps"

# While one is about to enable an event that is on, it goes off elsewhere.
unwrapped() {
	[[ $(status wrapped) == 0 ]]
}
waits() {
	[[ $(<"$leaving/waits") == Y ]]
}
id=$("$FT" list --tsv | awk '$2 == "mutex_acquire" { print $1 }')
"$FT" enable mutex_acquire --persist
n=$(status wrapped)
echo 1 >"$leaving/wait"
"$FT" enable mutex_acquire --persist &
enable=$!
check "leaving: an event is enabled that is on" wait_for 10 waits
"$FT_PROGRAMS/disable" "$id"
wait_for 10 unwrapped
same "leaving: it goes off elsewhere: its functions are kept" "$n" "$(status wrapped)"
echo 0 >"$leaving/wait"
wait $enable
same "leaving: then it is on" 0 $?
same "leaving: and has its functions" direct \
	"$("$FT" functions --tsv | awk -F'\t' '$1 == "mutex_lock" { print $3 }')"
"$FT" disable --all
check "leaving: left again" wait_for 30 ended

# ftrace fails when it has done it already, and does not let go afterwards either.
echo 19 >"$leaving/fail"
echo 16 >"$leaving/refuse"
"$FT" enable semaphore_acquire 2>log
same "leaving: ftrace fails while it wraps: the event is not on" "1 semaphore_acquire" \
	"$? $(grep -o semaphore_acquire log | head -1)"
n=$(status wrapped)
check "leaving: ftrace fails while it wraps: $n functions are stuck" \
	test "$n" -gt 0 -a "$n" = "$(status stuck)"
same "leaving: ftrace fails while it wraps: the module stays" 1 "$(<$PARAMS/feather_trace/refcnt)"
echo 0 >"$leaving/fail"
echo -1 >"$leaving/refuse"
check "leaving: ftrace fails while it wraps: they are unwrapped in the end" wait_for 30 ended

for refuse in 16 0; do
	name="leaving: ftrace refuses (errno $refuse)"
	echo $refuse >"$leaving/refuse"
	"$FT" enable 'semaphore_*' --persist
	n=$(status wrapped)
	"$FT" disable --all
	same "$name: the functions are stuck" "$n $n 1" \
		"$(status wrapped) $(status stuck) $(status leaving)"
	check "$name: status says so in words" grep -q "^stuck: *$n functions" <("$FT" status)
	same "$name: so does ft functions" "$n" "$("$FT" functions --tsv | grep -c -P '\tstuck\tftrace does not let go')"
	rmmod feather_trace 2>log
	same "$name: the module stays" "1 in use" "$? $(grep -o 'in use' log | head -1)"
	check "$name: the kernel's log says why" grep -q 'ftrace does not let go of' <(dmesg)
	"$FT" unload 2>log
	check "$name: ft unload says why" grep -q "ftrace does not let go of $n functions" log
	echo 0 >"$leaving/steps"
	check "$name: a trace works" "$FT" record -o "stuck$refuse" --locks -d 1
	# Of downgrade_write() two events tell: the second finds it attached.
	same "$name: the functions that are stuck stay muted" U \
		"$(tr -d -c U <"$leaving/steps")"
	# Another tracer comes first in up() now: nothing leads to the hook.
	echo up >"$TRACING/set_ftrace_filter"
	echo function >"$TRACING/current_tracer"
	"$FT" enable semaphore_release --persist 2>log
	same "$name: and beside another tracer there is nothing to enable" "1 semaphore_release" \
		"$? $(grep -o semaphore_release log | head -1)"
	echo nop >"$TRACING/current_tracer"
	echo >"$TRACING/set_ftrace_filter"
	echo -1 >"$leaving/refuse"
	check "$name: they are unwrapped when it does not any more" wait_for 30 ended
	same "$name: none is stuck" 0 "$(status stuck)"
done
check "leaving: rmmod works then" rmmod ft_leaving feather_trace
finish
