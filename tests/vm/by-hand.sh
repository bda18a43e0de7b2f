# SPDX-License-Identifier: GPL-2.0-only OR MIT
# What the README shows: a trace with insmod, ft enable, cat, and nothing else. In place of
# one cat, an example that maps the ring.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
check "by-hand: insmod" ft_load

if ft_has_locks; then
	events=(spin_acquire spin_release)
else
	events=(mark)
fi
check "by-hand: enable" "$FT" enable "${events[@]}" --persist

mkdir t
cat /dev/ft_trace_meta >t/metadata
"$FT_PROGRAMS/mapped" 0 >t/cpu0 &
cats[0]=$!
for ((cpu = 1; cpu < $(nproc); cpu++)); do
	cat "/dev/ft_trace$cpu" >"t/cpu$cpu" &
	cats[cpu]=$!
done
# With lock events on, there is enough without.
if ! ft_has_locks; then
	for ((i = 1; i <= 50; i++)); do
		taskset -c $((i % $(nproc))) "$FT" mark $i
	done
fi
sleep 0.5
check "by-hand: disable --all" "$FT" disable --all

# That ends each reader: cat by an end of file.
for cpu in "${!cats[@]}"; do
	for ((i = 0; i < 300; i++)); do
		kill -0 "${cats[cpu]}" 2>/dev/null || break
		sleep 0.1
	done
	if kill "${cats[cpu]}" 2>/dev/null; then
		fail "by-hand: the reader of CPU $cpu ends" "it was still running after 30 s"
	else
		wait "${cats[cpu]}"
		same "by-hand: the reader of CPU $cpu ends well" 0 $?
	fi
done

babeltrace2 t >text 2>errors
same "by-hand: babeltrace2 reads it" 0 $?
same "by-hand: babeltrace2 has nothing to complain about" "" "$(head -3 errors)"
lines=$(wc -l <text)
if ((lines >= 50)); then
	ok "by-hand: $lines events"
else
	fail "by-hand: events" "babeltrace2 printed only $lines lines"
fi

# Records that packets account for are those that a reader sees.
same "by-hand: all that was written was read" "$("$FT" status --tsv | awk '
	$1 == "cpu" { sum += $4 } END { print sum }')" "$lines"

check "by-hand: rmmod" ft_unload
finish
