#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The command line of ft on a machine without the module: help, bad arguments,
# missing devices, directories that must not be touched.
#
# Usage: tests/unit/ft_cli.sh [FT]
#
# Exit status: 0, 1 when a case failed, 77 when the module is loaded.

set -uo pipefail
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
FT=${1:-${FT:-$TOP/build/userspace/ft}}
FT=$(realpath -e "$FT") || exit 1

if [ -e /dev/ft_trace ]; then
	echo "SKIP the module is loaded" >&2
	exit 77
fi

TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
cd "$TMP" || exit 1
unset FT_MODULE

FAILED=0
ok()
{
	echo "ok $1"
}

fail()
{
	echo "FAIL $1"
	sed 's/^/     | /' out err
	FAILED=1
}

# t NAME STATUS TEXT ARG...: ft ARG... exits with STATUS; its output has TEXT.
t()
{
	local name=$1 want=$2 text=$3 status
	shift 3

	"$FT" "$@" >out 2>err </dev/null
	status=$?
	if [ "$status" != "$want" ]; then
		fail "$name: exit status $status, not $want"
	elif ! cat out err | grep -qF -- "$text"; then
		fail "$name: does not say '$text'"
	else
		ok "$name"
	fi
}

# check NAME COMMAND...: a condition.
check()
{
	local name=$1
	shift

	if "$@"; then ok "$name"; else fail "$name"; fi
}

# shellcheck disable=SC2317  # called by check
empty()
{
	[ ! -s "$1" ]
}

# shellcheck disable=SC2317
missing()
{
	[ ! -e "$1" ]
}

COMMANDS='load unload list functions sites status config enable disable mark record snapshot dump report why compare plot study export fix'

# --- help and the dispatcher ---
t 'bare: help' 0 'Usage: ft COMMAND'
t '--help' 0 'Usage: ft COMMAND' --help
t 'help' 0 'Usage: ft COMMAND' help
t '--version' 0 'ABI 1' --version
for c in $COMMANDS; do
	t "$c --help" 0 "Usage: ft $c" "$c" --help
	check "$c --help: nothing on stderr" empty err
	"$FT" --help >out 2>err
	check "$c is in the help" grep -q "^  $c " out
done
t 'help COMMAND' 0 'Usage: ft record' help record
t 'unknown command' 2 "unknown command 'frobnicate'" frobnicate
check 'unknown command: nothing is near' sh -c '! grep -q "did you mean" err'
t 'unknown command: nearest' 2 "did you mean 'record'" recrod
t 'abbreviated command: nearest' 2 "did you mean 'status'" stat
t 'unknown option' 2 "unknown option '--frob'" --frob

# --- arguments ---
for c in $COMMANDS; do
	t "$c: unknown option" "$([ "$c" = record ] && echo 125 || echo 2)" \
		"option '--frob'" "$c" --frob
	check "$c: points to its help" grep -q -- "--help" err
	check "$c: nothing on stdout" empty out
done
for c in unload list functions status; do
	t "$c: no arguments" 2 "'x'" "$c" x
done
t 'sites: nothing' 2 'which file' sites
t 'sites: --sort' 2 "'size'" sites --sort size x
t 'sensors: an unknown action' 2 "new, default or end, not 'make'" sensors make --json
t 'sensors: new: how to show' 2 '--json is for list and show, not for new' sensors new x --json
t 'sensors: default: rows' 2 '--rows is for new, not for default' sensors default --rows 64
t 'sensors: show: bits' 2 '--bits is for new, not for show' sensors show --bits 2
t 'sensors: end: lines' 2 '--tsv is for list and show, not for end' sensors end x --tsv
t 'sensors: list: rows shown' 2 '--top is for show, not for list' sensors list -n 5
t 'sensors: list: by CPU' 2 '--by-cpu is for show, not for list' sensors list --by-cpu
t 'sensors: default: programs' 2 '--program is for list and show' sensors default --program
t 'sensors: no action: rows' 2 '--rows is for new' sensors --rows 64
for option in rows width bins; do
	t "sensors: --$option 0" 2 "--$option takes a number from 1 on, not '0'" sensors new x --$option 0
done
t 'sensors: --bits' 2 "--bits is not a number: 'x'" sensors new x --bits x
t 'enable: nothing' 2 'which events' enable
t 'disable: nothing' 2 'which events' disable
t 'disable: --all and events' 2 "'spin_acquire'" disable --all spin_acquire
t 'mark: nothing' 2 'which number' mark
t 'mark: not a number' 2 "'12z'" mark 12z
t 'mark: negative' 2 "'-1'" mark -- -1
t 'mark: too large' 2 "'18446744073709551616'" mark 18446744073709551616
t 'mark: bare 0x' 2 "'0x'" mark 0x
t 'mark: three words' 2 "'3'" mark 1 2 3
t 'mark: of no request' 2 'begin which request?' mark begin
t 'mark: of a request without a number' 2 "'x'" mark end x
t 'mark: of no thread' 2 "not the number of a thread: '0'" mark join 1 0
t 'mark: of a request: too many' 2 "'6'" mark begin 1 5 6
t 'config: unknown key' 2 "'size=3'" config size=3
t 'config: not a power of two' 2 "'1000'" config slots=1000
t 'config: too few' 2 "'64'" config slots=64
t 'config: too many' 2 "'32M'" config slots=32M
t 'config: not a number' 2 "'many'" config slots=many
t 'config: empty' 2 "''" config slots=
t 'config: wake too short' 2 "'1'" config wake_us=1
t 'config: unknown mode' 2 "'overwritten'" config mode=overwritten
t 'config: headroom of more than any ring' 2 "'9M'" config headroom=9M
t 'load: not a parameter' 2 "'debug'" load debug
t 'load: no name' 2 "'=1'" load =1
t 'record: no events' 125 '--locks' record -d 1
check 'record: names -e' grep -q -- '-e EVENTS' err
t 'record: -e without value' 125 "'-e' needs a value" record -e
t 'record: --slots without value' 125 "'--slots' needs a value" record --slots
for bad in abc '' -1 0 1s nan inf; do
	t "record: -d '$bad'" 125 "not a number of seconds: '$bad'" \
		record -e mark -d "$bad"
done
t 'record: bad slots' 125 "'1000'" record -e mark -s 1000
t 'record: --user without a command' 125 'which command' record --locks --user
t 'record: --user-slots without --user' 125 '--user' record -e mark --user-slots 1k
t 'record: bad --user-slots' 125 "'1000'" record -e mark --user --user-slots 1000 -- true
t 'record: --flight --user: names the way out' 125 'ft run --flight' \
	record --flight --locks --user -o new -- true
t 'record: --rotate --user: names the way out' 125 'ft run --rotate' \
	record --rotate 1s --locks --user -o new -- true
t 'record: --rotate --flight' 125 'bounded room' record --rotate 1s --flight --locks -o new -- true
t 'record: --keep alone' 125 'needs --rotate' record --keep 2 --locks -o new -- true
t 'record: --rotate: a unit' 125 'needs a unit' record --rotate 10 --locks -o new -- true
t 'record: --when: where it is wrong' 125 "at '= 3'" record --flight --when 'mark.a = 3' -- true
t 'record: --when: the name of a value, and an order' 125 "at 'D': names of values are compared" record --flight --when 'x.y > D' -- true
t 'record: --when: the name of a value, too long' 125 'too long for the name of a value' record --flight --when 'x.y == abcdefghijklmnop' -- true
t 'run: --when: the name of a value' 125 'a field is compared with a number' run --flight --when 'mark.a == D' -- true
t 'record: --when: a sensor without a value' 125 "at '>= 3'" record --flight --when 'a/b >= 3' -- true
t 'record: --when: a sensor, and no time' 125 'a time is a number and ns' record --flight --when 'a/b#2 > 3m' -- true
t 'record: --when: a sensor without a name' 125 'the name of an event is missing' record --flight --when 'x: > 5' -- true
t 'record: --when: a sensor, and a sign' 125 "at '-5': a time" record --flight --when 'a/b > -5' -- true
t 'record: --when: a sensor, and nothing' 125 "at '': a time" record --flight --when 'a/b > ' -- true
t 'record: --when: a sensor, and too much' 125 "at '1152921504606846977': this is more" record --flight --when 'a/b > 1152921504606846977' -- true
t 'record: --when: a sensor, and a time apart' 125 'a time is a number and ns' record --flight --when 'a/b > 5 ms' -- true
t 'run: --when: a sensor' 125 'for programs, a condition is an event' run --flight --when 'a/b > 3' -- true
t 'record: --when without --flight' 125 'add --flight' record -e mark --when mark -- true
t 'config: an unknown mode' 2 "discard or overwrite, not: 'latest'" config mode=latest
t 'attach: --when without --flight' 2 'add --flight' attach 1 -e x --when x
t 'record: empty directory name' 125 'empty' record -e mark -o ''
t 'record: option in a cluster' 125 "'-x'" record -lx

# --- no module ---
WAY_OUT='is the module loaded? try: sudo ft load'
t 'list: no device' 1 "$WAY_OUT" list
t 'functions: no device' 1 "$WAY_OUT" functions
t 'status: no device' 1 "$WAY_OUT" status
t 'config: no device' 1 "$WAY_OUT" config slots=64k
t 'enable: no device' 1 "$WAY_OUT" enable spin_acquire
t 'sensors: no action: rows shown' 1 "$WAY_OUT" sensors -n 5
t 'sensors: new: options of its own' 1 "$WAY_OUT" sensors new x --bits 0 --low 0 --rows 4 --bins 8
t 'enable: options after names' 1 "$WAY_OUT" enable spin_acquire --persist
t 'disable: no device' 1 "$WAY_OUT" disable --all
t 'mark: no device' 1 "$WAY_OUT" mark 0xdeadbeef 2
t 'record: no device' 125 "$WAY_OUT" record -e mark -d 1 -o new -- touch ran
check 'record: names the device' grep -q /dev/ft_trace err
check 'record: leaves no directory' missing new
check 'record: did not run the command' missing ran
t 'record: --user: no device' 125 "$WAY_OUT" record --user --locks -o new -- touch ran
check 'record: --user: leaves no directory' missing new
check 'record: --user: did not run the command' missing ran
t 'unload: is not loaded' 0 'not loaded' unload
t 'load: no such file' 1 '/no/such.ko' load --module /no/such.ko
t 'load: no such relative file' 1 'No such file' load -m no.ko
export FT_MODULE=/no/variable.ko
t 'load: from the environment' 1 '/no/variable.ko' load
unset FT_MODULE
echo 'not a module' > bad.ko
t 'load: not a module' 1 'bad.ko' load --module bad.ko

# --- directories ---
mkdir full
echo precious > full/thesis.tex
t 'record: not empty' 125 "'thesis.tex'" record -e mark -o full
check 'record: offers --force' grep -q -- --force err
t 'record: --force takes no foreign file' 125 'not part of a trace' \
	record -e mark -o full --force
check 'record: it is still there' grep -q precious full/thesis.tex
mkdir old
echo old > old/metadata
echo old > old/cpu0
t 'record: an older trace' 125 'is not empty' record -e mark -o old
t 'record: --force, but no device' 125 "$WAY_OUT" record -e mark -o old --force
check 'record: the older trace is still there' test -s old/cpu0
echo x > file
t 'record: a file' 125 'file' record -e mark -o file
t 'record: no parent' 125 'no/such' record -e mark -o no/such

# --- files ---
t 'sites: no such file' 1 '/no/such' sites /no/such
t 'sites: no ELF file' 1 'no ELF file' sites bad.ko
t 'sites: without triggers' 0 'no triggers' sites "$FT"
check 'sites: and nothing on stdout' empty out

# --- output that cannot be written ---
"$FT" --help >/dev/full 2>err
status=$?
: >out
check 'full output: exit status 1' test "$status" = 1
check 'full output: says so' grep -q 'cannot write' err

exit "$FAILED"
