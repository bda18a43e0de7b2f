# SPDX-License-Identifier: GPL-2.0-only OR MIT
# The clock of the records: read in order for who asks; through a suspend; and a TSC
# that the kernel stops trusting, from which there is no way back in this boot.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ft_load

if ! "$FT" status --tsv | grep -q -P '^clock\ttsc'; then
	skip "clock" "the clock is not the TSC"
	ft_unload
	finish
fi

meta() {
	sed -n "s/^\t$2 = \"\(.*\)\";/\1/p" "$1/metadata"
}

# marks NAME: a trace of two marks in the directory NAME
marks() {
	"$FT" record -o "$1" -e mark "${@:2}" -- sh -c "'$FT' mark 1 2; '$FT' mark 3 4" 2>log
}

# --- in order ---

check "clock: record" marks plain
check "clock: record --ordered" marks ordered --ordered
check "clock: and without it again" marks again
for trace in plain ordered again; do
	how=$trace
	[[ $trace != again ]] || how=plain
	same "clock: $trace: the metadata says so" $how "$(meta $trace acquire_clock)"
	same "clock: $trace: and the session" $how "$(session $trace acquire_clock)"
	same "clock: $trace: two records" 2 "$(session $trace records)"
done

# early: how early an acquisition was seen, in a test before the recording; nothing
# where the CPUs were too busy to take turns
early() {
	local i ns
	for ((i = 0; i < 20; i++)); do
		marks early --force || return
		ns=$(session early acquire_early_ns)
		[[ ! $ns ]] || break
	done
	echo "$ns"
}
check "clock: how early an acquisition may be is measured" grep -q -x '[0-9]\+' <<<"$(early)"

"$FT" enable --persist mark
marks late --ordered
same "clock: --ordered in a trace that is not: exit status" 125 $?
check "clock: and says the way out" grep -q 'ft disable --all' log
"$FT" disable --all

# How the clock is read: which RDTSCs are executed. One that is in order is padded for
# LFENCE. Not for spinlocks, which counting takes itself.

# rdtscs FUNCTION: lines "FUNCTION 0xOFFSET ordered|plain"
rdtscs() {
	local how base at
	objdump -d --no-show-raw-insn --disassemble="$1" "$FT_MODULES/feather_trace.ko" | awk '
		$2 == "<'"$1"'>:" { base = $1 }
		at { print ($2 == "nop" ? "ordered" : "plain"), base, at; at = "" }
		$2 == "rdtsc" { at = $1 }' | while read -r how base at; do
		printf '%s %#x %s\n' "$1" $((0x${at%:} - 0x$base)) $how
	done
}

# reads EVENT [--ordered]: how it is read for the records of an event
reads() {
	local watch=$PARAMS/ft_hits/parameters/watch function offset how
	for function in ft_probe_record_0_tsc ft_probe_record_0_ordered; do
		rdtscs "$function"
	done >rdtscs
	while read -r function offset how; do
		echo "$function $offset" >"$watch"
	done <rdtscs
	"$FT" record -o read --force -e "$1" "${@:2}" -- \
		sh -c "'$FT' mark 1 2; ls -R /etc" >/dev/null 2>log || cat log
	awk 'NR == FNR { how[$1, $2] = $3; next } $3 > 0 { print how[$1, $2] }' rdtscs "$watch"
	echo >"$watch"
}

if ! ft_load_test ft_hits; then
	skip "clock: how it is read" "no kprobes"
elif "$FT" status --tsv | grep -q '^lock_source'$'\t'none; then
	skip "clock: how it is read" "no lock events"
else
	same "clock: an event: plain" plain "$(reads mark)"
	same "clock: an event: ordered" ordered "$(reads mark --ordered)"
	same "clock: an acquisition: plain" plain "$(reads mutex_acquire)"
	same "clock: an acquisition: ordered" ordered "$(reads mutex_acquire --ordered)"
	same "clock: a release: plain" plain "$(reads mutex_release)"
	same "clock: a release needs no order" plain "$(reads mutex_release --ordered)"
	rmmod ft_hits
fi

# --- through a suspend ---

# Only as far as all tasks are frozen: what follows is the devices' business.
# suspend SECONDS
suspend() {
	echo freezer >/sys/power/pm_test
	echo "$1" >/sys/module/suspend/parameters/pm_test_delay
	local begin
	read -r begin _ </proc/uptime
	# What wakes the machine up while it falls asleep, keeps it awake.
	for _ in 1 2 3 4 5; do
		! echo mem >/sys/power/state || break
	done
	read -r slept _ </proc/uptime
	slept=$(awk "BEGIN { print $slept - $begin }")
}

# suspended DIR [SECONDS]: a trace with a mark before a suspend and one after it
suspended() {
	"$FT" record -o "$1" -e mark -- sh -c "'$FT' mark 1 2; touch before
		until [ -e after ]; do sleep 0.1; done; '$FT' mark 3 4" 2>"$1.log" &
	recorder=$!
	until [[ -e before ]]; do sleep 0.1; done
	suspend "${2:-1}"
	touch after
	wait $recorder
	local status=$?
	rm before after
	return $status
}

if [[ ! -e /sys/power/pm_test ]] || ! grep -q mem /sys/power/state || ! ft_load_test ft_tsc; then
	skip "clock: through a suspend" "this kernel has no test of suspends, or no kprobes"
	ft_unload
	finish
fi

suspended sleeps
same "clock: a trace through a suspend" 0 $?
same "clock: has the records from before and after" 2 "$(session sleeps records)"
same "clock: with its clock in order" 0 "$("$FT" status --tsv | awk -F"\t" '$1 == "cpu" { n += $9 } END { print n }')"
same "clock: and the clock is said to be stable" stable "$(session sleeps clock_state)"

# A program that hibernates the machine has /dev/snapshot open: a suspend inside another.
if [[ -c /dev/snapshot ]] && exec {snapshot}</dev/snapshot; then
	"$FT" record -o inside -e mark -- "$FT" mark 1 2 2>log
	suspend 1
	"$FT" record -o between -e mark -- "$FT" mark 1 2 2>log
	exec {snapshot}<&-
	check "clock: a suspend inside another" marks nested
	same "clock: nothing is recorded between their ends" "0 0" \
		"$(session inside records) $(session between records)"
	same "clock: and all of the next trace" 2 "$(session nested records)"
else
	skip "clock: a suspend inside another" "this kernel does not hibernate"
fi

# A probe in the module makes it believe that the TSC was further before.
echo restart >/sys/module/ft_tsc/parameters/make
suspended restarts
same "clock: the TSC restarts in a suspend" 0 $?
same "clock: this ends the trace" 1 "$(session restarts records)"
check "clock: and is told" grep -q 'restarted or stopped while the machine was suspended' restarts.log
same "clock: and kept" restarted "$(session restarts clock_state)"
same "clock: ft status says so" restarted "$(status clock_state)"
check "clock: so does the log" sh -c 'dmesg | grep -q "feather_trace: the TSC restarted or stopped during a suspend"'
same "clock: no event is on" 0 "$(status active)"
check "clock: the next trace" marks next
same "clock: is as ever" "2 stable" "$(session next records) $(session next clock_state)"

# So it may for a sensor, while a mutex is held. With the default sensors' bins, a time that is not
# between those which a call site had before takes the way on which it falls here.
if ft_has_locks && echo backwards >/sys/module/ft_tsc/parameters/make; then
	"$FT" sensors new clock/fell 'hold(mutex) by site' --bits 2 >/dev/null
	cat /proc/kallsyms >/dev/null
	said=$("$FT" sensors show --json clock/fell | jq -c '.sensors[0] | [.all.min > 0, .alone > 0]')
	echo forwards >/sys/module/ft_tsc/parameters/make
	same "clock: it falls while a mutex is held: no time, and that is counted" "[true,true]" "$said"
	"$FT" sensors end clock/fell >/dev/null
else
	skip "clock: it falls while a mutex is held" "no lock events, or no kprobes"
fi

# It was less before, but seconds have passed: more than the two that are no difference.
echo stop >/sys/module/ft_tsc/parameters/make
suspended stops 8
same "clock: the TSC stops in a suspend" 0 $?
echo "# this suspend took $slept s"
same "clock: this, too, ends the trace" "1 restarted" \
	"$(session stops records) $(session stops clock_state)"

# --- not to be trusted any more ---

# As clock=tsc was asked for, nothing else is taken.
"$FT" unload >/dev/null
ft_load clock=tsc
check "clock: clock=tsc" marks only-tsc
echo distrust >/sys/module/ft_tsc/parameters/make
marks refused
same "clock: clock=tsc, and the TSC is unstable: exit status" 125 $?
check "clock: and the way out" grep -q 'ft load clock=auto' log
check "clock: in the log, too" sh -c 'dmesg | grep -q "load the module with clock=auto"'
same "clock: no event is on then" 0 "$(status active)"
echo trust >/sys/module/ft_tsc/parameters/make
"$FT" sensors new t/marks 'count(mark)'
echo distrust >/sys/module/ft_tsc/parameters/make
marks beside
same "clock: so it is beside a sensor: exit status" 125 $?
"$FT" sensors end t/marks
echo trust >/sys/module/ft_tsc/parameters/make
check "clock: the last trace is as it was" grep -q 'description = "TSC"' /dev/ft_trace_meta
"$FT" unload >/dev/null
ft_load

"$FT" record -o unstable -e mark -- sh -c "'$FT' mark 1 2
	echo unstable >/sys/module/ft_tsc/parameters/make; '$FT' mark 3 4" 2>log
same "clock: the TSC becomes unstable in a trace" 0 $?
check "clock: it is told" grep -q 'TSC became unstable' log
same "clock: and kept" "unstable TSC" \
	"$(session unstable clock_state) $(sed -n 's/^\tdescription = "\(.*\)";/\1/p' unstable/metadata)"
same "clock: ft status says so" unstable "$(status clock_state)"
# The clocks change when no task can write a record with the old one's time: see spinner.sh.
if can_spin; then
	spin
	taskset -c 1 true &
	starved=$!
	"$FT" enable mark --persist &
	enable=$!
	sleep 1
	if [[ -e /proc/$enable ]]; then
		echo "    ft enable waits"
		"$FT" status >log 2>&1 &
		check "clock: while one waits for the next clock: ft status" wait_for 20 gone $!
		kill -KILL $enable
		check "clock: who waits for it can be killed" wait_for 10 gone $enable
		same "clock: and no event is on" 0 "$(status active)"
	fi
	let_go
	wait $starved $enable
	"$FT" disable --all
fi
check "clock: the next trace" marks changed
same "clock: has the kernel's clock" "monotonic 1000000000 2 stable" \
	"$(session changed clock) $(session changed clock_hz) $(session changed records) $(session changed clock_state)"
check "clock: its records have the right wall clock time" "$FT_PROGRAMS/api_meta" 'its clock'
check "clock: and the log says it" sh -c 'dmesg | grep -q "the time of the kernel.s monotonic clock"'
check "clock: --ordered is no question then" marks ordered-mono --ordered
same "clock: as it is always read in order" ordered "$(meta changed acquire_clock)"
rmmod ft_tsc
check "clock: rmmod" ft_unload

insmod "$FT_MODULES/feather_trace.ko" clock=tsc 2>insmod.log
same "clock: clock=tsc is refused now" 1 "$(grep -c 'No such device' insmod.log)"
finish
