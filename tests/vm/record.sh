# SPDX-License-Identifier: GPL-2.0-only OR MIT
# ft record: how it ends, what it leaves, what it says.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ft_load
ft_load_test ft_example

# opens DIR: does the reference reader open it, without a word?
opens() {
	babeltrace2 "$1" >/dev/null 2>errors && [[ ! -s errors ]]
}

"$FT" record -o a -e example_beat -- sh -c 'sleep 0.5; exit 7' 2>log
same "record: ends with the command, and as it did" 7 $?
check "record: and says how that ended" grep -q 'exited with 7\|status 7' log
same "record: and keeps it" 7 "$(session a command_status)"
check "record: the trace opens" opens a
check "record: the kernel's symbols are there" grep -q ' _raw_spin_lock$' a/info/kallsyms
check "record: the metadata is there" grep -q example_beat a/metadata

"$FT" record -o a -e example_beat -d 1 2>log
same "record: does not overwrite a trace" 125 $?
check "record: and names it" grep -q "a" log
check "record: unless forced" "$FT" record -o a --force -e example_beat -d 1

"$FT" record -o ends -e example_beat -d 1 -- sleep 60 2>log
same "record: a command that is ended with the recording counts as 0" 0 $?
# shellcheck disable=SC2016 # the shell that is killed has this number
"$FT" record -o dies -e example_beat -d 1 -- \
	sh -c 'trap "kill -SEGV $$" TERM; while :; do sleep 0.1; done' 2>log
same "record: one that dies of something else then does not" 139 $?

# A shell lets background commands ignore Ctrl-C.
env --default-signal=INT "$FT" record -o b -e example_beat 2>log &
recorder=$!
sleep 2
kill -INT $recorder
wait $recorder
same "record: ends on Ctrl-C" 0 $?
check "record: the trace opens then" opens b

"$FT" record -o c -e no_such_event -d 1 2>log
same "record: unknown event: exit status" 125 $?
check "record: unknown event: is named" grep -q no_such_event log

"$FT" record -o d -e example_beat -- /no/such/program 2>log
same "record: unknown command: exit status" 127 $?
check "record: unknown command: is named" grep -q /no/such/program log

# The command's status, as from strace and timeout; 3 for losses only where it was 0.
"$FT" record -o e -e example_beat -- sh -c 'exit 7' 2>log
same "record: the status is the command's" 7 $?
"$FT" record -o f -e example_beat -- bash -c 'kill -TERM $$' 2>log
same "record: of a command that was killed: 128 and the signal" 143 $?
ft_load_test ft_fire
fire="echo 300 >$PARAMS/ft_fire/parameters/run"
"$FT" record -o g -e fire --slots 128 -- sh -c "$fire" 2>log
same "record: lost records: exit status" 3 $?
check "record: lost records: are told" grep -q LOST log
"$FT" record -o h -e fire --slots 128 -- sh -c "$fire; exit 7" 2>log
same "record: losses do not hide the command's status" 7 $?
check "record: and are told" grep -q LOST log

# Out of disk, some megabytes after the kernel's symbols: what was written stays a trace.
mkdir full && mount -t tmpfs -o size=$(($(wc -c </proc/kallsyms) / 1048576 + 7))m none full
"$FT" record -o full/t -e fire -- sh -c "echo 1500 >$PARAMS/ft_fire/parameters/run" 2>log
same "record: disk full: exit status" 125 $?
check "record: disk full: is named" grep -qi 'space' log
# It is cut short, so the reader may report losses.
check "record: disk full: the trace opens" babeltrace2 full/t -o dummy
umount full
rmmod ft_fire

if ft_has_locks; then
	check "record: --locks" "$FT" record -o l --locks -d 1
	check "record: --locks: the trace opens" babeltrace2 l -o dummy
else
	"$FT" record -o l --locks -d 1 2>log
	same "record: --locks without lock events: exit status" 125 $?
	check "record: --locks without lock events: says the way out" grep -q patch log
fi

"$FT" list --tsv | awk -F'\t' '$5 ~ /^[0-9]+$/ && $5 > 0 { exit 1 }'
same "record: nothing is left enabled" 0 $?
rmmod ft_example
check "record: rmmod" ft_unload
finish
