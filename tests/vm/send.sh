# SPDX-License-Identifier: GPL-2.0-only OR MIT
# ft record --to: what was recorded arrives or is counted as lost, whoever goes away meanwhile.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ip link set lo up
fire=$PARAMS/ft_fire/parameters
TO=127.0.0.1:9118
ft_load
ft_load_test ft_fire

# receive: in the background, until it listens
receive() {
	rm -f receiver.log
	"$FT" receive -o store 2>receiver.log &
	receiver=$!
	wait_for 60 grep -q "receiving at" receiver.log || cat receiver.log
}

has_part() {
	compgen -G "store/*/*/000001" >/dev/null
}

# of_trace KEY: of the report of what arrived
of_trace() {
	"$FT" report --json store/*/* 2>/dev/null | jq ".trace[0].$1"
}

attempts() {
	awk '{ n += $2 } END { print n + 0 }' "$fire/attempts"
}

# The receiver is killed and comes again, while records are written.
receive
"$FT" record --to $TO --spool 8M -o spool -e fire --slots 256k -- \
	sh -c "echo 1000 >$fire/run; touch ran; while [ ! -e go ]; do sleep 0.1; done" 2>log &
recorder=$!
check "send: a part arrives while others are written" wait_for 120 has_part
kill -KILL $receiver
wait $receiver 2>/dev/null
check "send: recording goes on without a receiver" wait_for 120 test -e ran
receive
touch go
wait $recorder
status=$?
dropped=$(cat store/*/*/0*/info/session | awk -F'\t' '$1 == "dropped_records" { n += $2 } END { print n + 0 }')
lost=$(of_trace lost)
echo "    $(attempts) attempts, $lost lost, of these $dropped in parts that were dropped"
same "send: books balance" "$(attempts)" $(($(of_trace records) + lost))
same "send: the exit status shows losses" $((lost ? 3 : 0)) $status
same "send: what was dropped is told" "$dropped" \
	"$(sed -n 's/^ft: LOST \([0-9]*\) records in .* dropped.*/\1/p' log | grep . || echo 0)"
check "send: the spool is gone" test ! -e spool
same "send: it is one recording" 1 "$(compgen -G 'store/*/*' | wc -l)"
for part in store/*/*/0*; do
	babeltrace2 "$part" -o dummy >/dev/null 2>errors || fail "send: $part is no trace" "$(head -1 errors)"
done

# Compressed; what parts share is sent once.
rm -rf store/* go
"$FT" record --to $TO --rotate 1s --compress -o spool -e fire -- \
	sh -c "echo 50 >$fire/run; sleep 6" 2>log
status=$?
lost=$(of_trace lost)
same "send: compressed: the exit status shows losses" $((lost ? 3 : 0)) $status
echo "    $(attempts) attempts, $lost lost"
check "send: compressed: records arrive" test "$(of_trace records)" -gt "$lost"
same "send: compressed: books balance" "$(attempts)" $(($(of_trace records) + lost))
# The first part may have others: enabling events adds some.
check "send: parts have their symbols in common" test \
	"$(stat -c %i store/*/*/0*/info/kallsyms | sort -u | wc -l)" -lt "$(compgen -G 'store/*/*/0*' | wc -l)"

# Nobody is there: what is left can be sent later.
kill -TERM $receiver
wait $receiver
same "send: the receiver ends when it is told to" 0 $?
rm -rf store/*
"$FT" record --to $TO --wait 1 -o spool -e fire -- sh -c "echo 50 >$fire/run" 2>log
same "send: nobody is there: exit status" 3 $?
check "send: and where it lies" grep -q "ft send --remove spool $TO" log
receive
check "send: later it is sent" "$FT" send --remove spool $TO
same "send: sent later: books balance" "$(attempts)" $(($(of_trace records) + $(of_trace lost)))
kill -TERM $receiver
wait $receiver

rmmod ft_fire
check "send: rmmod" ft_unload
finish
