# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Wrapping the lock functions of a kernel without triggers, and leaving again,
# with tasks asleep inside: it takes seconds, says who is in the way, never hangs.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ft_load
if ! ft_wraps; then
	skip "attach" "lock functions are not wrapped on this kernel"
	ft_unload
	exit 0
fi
ft_load_test ft_sleep
sleeper=$PARAMS/ft_sleep/parameters
# Tasks sleep here until they are let go, on a slow machine for minutes.
hung_tasks=$(sysctl -n kernel.hung_task_timeout_secs)
sysctl -q -w kernel.hung_task_timeout_secs=0

unwrapped() {
	[[ $(status wrapped) == 0 ]]
}

# Nothing is to be waited for any more.
left() {
	[[ $(status leaving) == 0 ]]
}

# inside N: are there N threads of ft_sleep in their function, asleep?
inside() {
	local n
	n=$(cat /proc/[0-9]*/stat 2>/dev/null | grep -c -E '^[0-9]+ \(ft_sleep\) [SDI] ')
	[[ $(cat "$sleeper/inside" 2>&1) == "$1" && $n == "$1" ]]
}

# --- what is wrapped ---

same "attach: nothing is wrapped before an event is on" 0 "$(status wrapped)"
"$FT" functions --tsv >before
same "attach: all are off" "" "$(awk -F'\t' 'NR > 1 && $3 !~ /^(off|part)$/' before)"
start=$SECONDS
check "attach: all lock events on" "$FT" enable locks --persist
echo "    $(status wrapped) functions in $((SECONDS - start)) s"
"$FT" functions --tsv >on
same "attach: every function is called directly" "" \
	"$(awk -F'\t' 'NR > 1 && $3 !~ /^(direct|part)$/' on)"
sed -n 's/^\(.*\)\tpart\t.*/    part: \1/p' on
same "attach: status says how many" "$(grep -c -P '\tdirect\t' on)" "$(status wrapped)"
check "attach: and so in words" grep -q "wrapped: $(status wrapped) functions" \
	<("$FT" status)
if ((SECONDS - start > 60)); then
	fail "attach: quickly" "it took $((SECONDS - start)) s"
fi
rmmod feather_trace 2>log
same "attach: rmmod is refused while they are wrapped" 1 $?
check "attach: and says why" grep -q 'in use' log
check "attach: off" "$FT" disable --all
check "attach: rmmod works when ft disable has returned" \
	sh -c 'rmmod ft_sleep && rmmod feather_trace'
ft_load && ft_load_test ft_sleep

# --- with one task asleep in each function that can sleep ---

echo 1 >"$sleeper/hold"
"$FT" enable locks --persist
n=0
while read -r function; do
	echo "$function" >"$sleeper/start"
	n=$((n + 1))
done <"$sleeper/functions"
check "attach: $n tasks sleep inside" wait_for 20 inside $n
# All that take a lock do, but for those that try or spin.
same "attach: one in each function that sleeps" \
	"$(awk -F'\t' '$2 ~ /_acquire$/ && $1 !~ /^_raw_|try/ { print $1 }' before | sort)" \
	"$(sort "$sleeper/functions")"

"$FT" disable --all 2>log
same "attach: disable --all is well" 0 $?
same "attach: nothing is wrapped any more" 0 "$(status wrapped)"
same "attach: status counts those inside" $n "$(status inside)"
check "attach: and says so in words" grep -q "leaving: $n tasks inside" <("$FT" status)

start=$SECONDS
"$FT" unload >log 2>&1
same "attach: unload is refused" 1 $?
check "attach: it says how many are inside" grep -q "$n tasks are still asleep" log
sed 's/^/    /' log
if ((SECONDS - start <= 30)); then
	ok "attach: after $((SECONDS - start)) s"
else
	fail "attach: unload is refused soon" "after $((SECONDS - start)) s"
fi
start=$SECONDS
timeout 20 rmmod feather_trace 2>log
same "attach: rmmod is refused, too, at once" "1 in use" \
	"$? $(grep -o 'in use' log | head -1)"
check "attach: the kernel's log says why" grep -q 'wait inside wrapped' <(dmesg)

# A new trace meanwhile, and its end.
check "attach: a trace while they sleep" "$FT" record -o again --locks -d 1
same "attach: they still sleep" $n "$(status inside)"

# They get their locks, with the events off: nothing is recorded, all leave.
echo 0 >"$sleeper/hold"
check "attach: they get their locks" wait_for 20 inside 0
check "attach: the module lets itself go, with nobody waiting for it" wait_for 60 left
check "attach: unload works now" "$FT" unload
same "attach: it is away" "" "$(grep feather_trace /proc/modules)"

# --- a trace begins, or begins and ends, while another still leaves ---

# leaving: a trace has ended, but a task still sleeps inside, and somebody waits for
# it, as $waits
leaving() {
	ft_load
	echo 1 >"$sleeper/hold"
	"$FT" enable 'mutex_*' --persist
	echo mutex_lock >"$sleeper/start"
	wait_for 20 inside 1 || return
	"$FT" disable --all
	"$FT_PROGRAMS/detach" 600 >detached 2>&1 &
	waits=$!
	wait_for 30 grep -q ft_attach_detach /proc/$waits/stack
	wait_for 30 unwrapped
	[[ $(status wrapped) == 0 && $(status inside) == 1 ]] &&
		"$FT" enable 'mutex_*' --persist
}

# active N: is a trace on?
active() {
	[[ $(status active) == "$1" ]]
}

leaving
same "attach: a trace begins while another leaves" 0 $?
again=$(status wrapped)
check "attach: its functions are wrapped" test "$again" -gt 0
echo 0 >"$sleeper/hold"
check "attach: the task leaves, with the trace on" wait_for 20 inside 0
wait $waits
same "attach: who waited need not any more" 0 $?
check "attach: and is told that functions stay wrapped" test "$(cat detached)" -gt 0
rmmod feather_trace 2>log
same "attach: and the module stays for them" "1 in use" "$? $(grep -o 'in use' log | head -1)"
before=$("$FT" status --tsv | awk '$1 == "cpu" { n += $4 } END { print n }')
ls -lR /etc >/dev/null
after=$("$FT" status --tsv | awk '$1 == "cpu" { n += $4 } END { print n }')
check "attach: records still come" test "$after" -gt "$before"
check "attach: off" "$FT" disable --all
check "attach: rmmod works then" rmmod feather_trace

leaving
same "attach: once more" 0 $?
wait $waits
"$FT" disable --all &
disables=$!
check "attach: the new trace has ended, too" wait_for 60 active 0
"$FT_PROGRAMS/detach" 600 >detached 2>&1 &
waits=$!
same "attach: while the task of the first still sleeps" 1 "$(status inside)"
echo 0 >"$sleeper/hold"
check "attach: it leaves" wait_for 20 inside 0
wait $waits
same "attach: who waits now waits for both" "0 0" "$? $(cat detached)"
wait $disables
same "attach: disable of the second is well" 0 $?
same "attach: nothing is wrapped, nobody inside" "0 0 0" \
	"$(status wrapped) $(status inside) $(status leaving)"
check "attach: rmmod works at once" rmmod feather_trace

# --- a signal ends who waits for them ---

ft_load
echo 1 >"$sleeper/hold"
"$FT" enable 'mutex_*' --persist
echo mutex_lock >"$sleeper/start"
check "attach: one task sleeps inside" wait_for 20 inside 1
"$FT" disable --all
# A shell lets background commands ignore Ctrl-C.
env --default-signal=INT "$FT" unload 2>log &
waits=$!
sleep 0.5
kill -INT $waits 2>/dev/null
wait $waits
echo "    ft unload ended with $?"
echo 0 >"$sleeper/hold"
check "attach: it gets its lock" wait_for 20 inside 0
check "attach: unload works then" "$FT" unload
rmmod ft_sleep

# --- in and out under load, with a task asleep each time ---

while :; do
	hackbench -g 1 -f 2 -l 500 >/dev/null 2>&1
done &
load=$!
bad=0 longest=0
ROUNDS=$(rounds 20 4)
for ((i = 0; i < ROUNDS; i++)); do
	ft_load || bad=1
	ft_load_test ft_sleep || bad=2
	echo 1 >"$sleeper/hold"
	"$FT" enable locks --persist || bad=3
	echo mutex_lock >"$sleeper/start"
	wait_for 20 inside 1 || bad=4
	start=$SECONDS
	"$FT" disable --all || bad=5
	((SECONDS - start <= longest)) || longest=$((SECONDS - start))
	rmmod feather_trace 2>/dev/null && bad=6
	echo 0 >"$sleeper/hold"
	wait_for 20 inside 0 || bad=7
	"$FT" unload >/dev/null || bad=8
	rmmod ft_sleep || bad=9
done
same "attach: $ROUNDS times in and out under load, a task asleep inside" 0 $bad
echo "    disabling took $longest s at most"
kill $load
wait $load 2>/dev/null
sysctl -q -w kernel.hung_task_timeout_secs="$hung_tasks"

# --- ftrace is off ---

ft_load
if sysctl -q -w kernel.ftrace_enabled=0; then
	"$FT" record -o off --locks -d 1 2>log
	same "attach: with kernel.ftrace_enabled=0: exit status" 125 $?
	check "attach: with kernel.ftrace_enabled=0: says the way out" \
		grep -q kernel.ftrace_enabled=1 log
	sed 's/^/    /' log
	check "attach: with kernel.ftrace_enabled=0: ft functions, too" \
		grep -q kernel.ftrace_enabled=1 <("$FT" functions)
	sysctl -q -w kernel.ftrace_enabled=1
	check "attach: and on again" "$FT" record -o back --locks -d 1
else
	skip "attach: ftrace off" "kernel.ftrace_enabled cannot be set"
fi
# That would end the records without a word.
"$FT" enable 'mutex_*' --persist
sysctl -q -w kernel.ftrace_enabled=0 2>log
check "attach: ftrace cannot be turned off while they are wrapped" \
	grep -q 1 /proc/sys/kernel/ftrace_enabled
check "attach: which is an error" grep -q 'busy' log
"$FT" disable --all
sysctl -q -w kernel.ftrace_enabled=1 2>/dev/null
check "attach: rmmod" rmmod feather_trace
finish
