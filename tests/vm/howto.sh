# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Documentation/howto/catch-a-rare-event.md, as who reads it: each command of it does what it
# says there.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
howto=$FT_TOP/Documentation/howto/catch-a-rare-event.md
PATH=$(dirname "$FT"):$PATH
ft_load

# says TEXT: is this command in the how-to?
says() {
	check "how-to: has: $1" grep -qF -- "$1" "$howto"
}

# begin TEXT: run that command of the how-to, until it records
begin() {
	says "$1"
	# What the one before has said is not to be taken for the beginning of this one.
	rm -rf flight log
	eval "env --default-signal=INT $1 >log 2>&1 &"
	recorder=$!
	wait_for 30 grep -q 'latest records are in the rings' log
}

# end STATUS: Ctrl-C
end() {
	kill -INT $recorder 2>/dev/null
	wait $recorder
	status=$?
	sed 's/^/    /' log
	same "how-to: it ends: exit status" "$1" $((status == 3 ? 0 : status))
}

if ! ft_has_locks; then
	skip "how-to" "this kernel has no lock events"
	ft_unload
	finish
fi

begin "ft record --flight --locks -o flight"
sleep 0.5
says "ft snapshot -o slow"
ft snapshot -o slow >out 2>&1
check "how-to: a snapshot from anywhere" grep -q "^ft: snapshot (asked): " out
says "ft report slow"
ft report slow >out 2>&1
check "how-to: it is read" grep -q "Critical sections" out
says "kill -USR1"
kill -USR1 $recorder
check "how-to: a signal takes one" wait_for 30 test -s flight/1/info/session
end 0
check "how-to: and the end" test -e flight/2

begin "ft record --flight --locks -o flight --when 'hold(spin) > 1ms'"
ft_load_test ft_spike
echo 100 >"$PARAMS/ft_spike/parameters/run"
check "how-to: a spinlock held for 5 ms is caught" wait_for 30 test -s flight/1/info/session
end 0
rmmod ft_spike
says "flight/1/info/session"
check "how-to: which condition, when, which task, which CPU" \
	test "$(grep -c '^condition\(_time\|_tid\|_cpu\)\?	' flight/1/info/session)" = 4
says "ft report flight/1"
check "how-to: what led to it" ft report flight/1

begin "ft record --flight --locks -o flight --when 'slow: wait(mutex) > 50ms && comm == postgres' --times 10"
sleep 0.2
end 0

begin "ft record --flight -e tracepoint:sched:sched_switch -e mark -o flight --when 'mark.a == 7' --then stop"
sleep 0.2
ft mark 6
ft mark 7
check "how-to: --then stop ends it" wait_for 30 gone $recorder
end 0
# Of the CPU that met it: others write until they see that their rings are closed.
same "how-to: at the very event" condition "$(ft dump flight/1 --raw --tsv |
	awk -F'\t' '{ last[$3] = $6 } $6 == "condition" { cpu = $3 } END { print last[cpu] }')"

says '$FT_SNAPSHOT'
rm -rf flight
ft record --flight -e mark -o flight --when mark --then snapshot --then 'exec ls $FT_SNAPSHOT >ran' -- \
	sh -c "ft mark 1; sleep 1" 2>log
check "how-to: a command finds the snapshot" wait_for 30 grep -q metadata ran

says "ft snapshot -o /var/tmp/slow-\$(date +%s)"
rm -rf flight
ft record --flight -e mark -o flight -- sh -c 'ft mark 1; true && ft snapshot -o slow-$(date +%s)' 2>log
check "how-to: by the program that notices" eval 'ls -d slow-[0-9]*'

says "--slots 4M"
says "ft record --flight --headroom N"
rm -rf flight
ft record --flight -s 64k --headroom 8k -e mark -o flight -- \
	sh -c 'ft mark 1; ft status --session "$(ft status --tsv | cut -f 1,3 | sed -n "s/^session\trecord/record/p")" --tsv >status' 2>log
check "how-to: ft status shows what each CPU has written" grep -q '^#cpu.*written' status
same "how-to: more headroom" 8192 "$(sed -n 's/^headroom	//p' status)"

says "ft record --flight --session web"
says "ft snapshot web"
rm -rf flight
ft record --flight --session web -e mark -o flight -- \
	sh -c "ft mark --session web 1; ft status >status; ft snapshot web -o web" 2>log
check "how-to: a session of one's own" grep -q web/ <(ls -d web/)
check "how-to: ft status shows it" grep -q web status
same "how-to: ft status is for who may open the devices" 1 \
	"$(setpriv --reuid=65534 --clear-groups ft status >out 2>&1; echo $?)"
check "how-to: and says so" grep -qi "permission\|root" out

says "ft run --flight"
rm -rf flight
ft run --flight --locks -o flight -- sh -c 'kill -SEGV $$' 2>log
same "how-to: a program that crashes" 139 $?
check "how-to: rmmod" ft_unload
finish
