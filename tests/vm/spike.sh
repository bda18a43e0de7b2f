# SPDX-License-Identifier: GPL-2.0-only OR MIT
# A lock that is held for 5 ms, once, while others are busy: one command catches it, with all
# that led to it.
#
# FT_SPIKE: seconds of load before it, instead of the usual few: 600
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
spike=$PARAMS/ft_spike/parameters
ms=$((${FT_SPIKE:-0} ? FT_SPIKE * 1000 : $(rounds 3000 1000 1000)))

ft_load slots=262144 wake_us=1000
ft_load_test ft_spike

# count EVENT WORD: records of an event in the snapshot, with this first word
count() {
	"$FT" dump s/1 --raw --tsv | awk -F'\t' -v event="$1" -v word="$2" '
		$6 == event && $7 == word { n++ } END { print n + 0 }'
}

# address SYMBOL: of a variable of ft_spike
address() {
	awk -v name="$1" '$3 == name { sub(/^0*/, "", $1); print "0x" $1 }' /proc/kallsyms
}

busy() {
	while :; do find /proc/self /sys/module >/dev/null 2>&1; done
}

if ft_has_locks; then
	busy &
	load=$!
	# Which lock: on a busy host the task may be stopped while it holds another one.
	"$FT" record --flight --locks -o s \
		--when "long: hold(spin) > 5ms && comm == ft_spike && spin_release.lock == $(address spike_lock)" -- \
		sh -c "echo $ms >$spike/run; sleep 0.2" 2>log
	status=$?
	kill $load
	wait $load 2>/dev/null
	sed 's/^/    /' log
	same "spike after $ms ms: exit status" 0 $status
	same "spike: it is caught" "condition long" "$(session s/1 snapshot) $(session s/1 condition)"
	same "spike: by whom, and where" "$(cat "$spike/tid") $(cat "$spike/cpu")" \
		"$(session s/1 condition_tid) $(session s/1 condition_cpu)"
	same "spike: nothing was lost" 0 "$(session s/1 lost)"
	lock=lock=$(address spike_steps)
	same "spike: all that the task did before is there" "100 100" \
		"$(count spin_acquire "$lock") $(count spin_release "$lock")"
	"$FT" export s/1 -f csv -o sections.csv
	same "spike: the section has its length" 1 \
		"$(awk -F, -v lock="$(address spike_lock)" '$12 "" == lock "" && $3 >= 5e6' sections.csv | wc -l)"
else
	skip "spike" "this kernel has no lock events"
fi

rmmod ft_spike
check "spike: rmmod" ft_unload
finish
