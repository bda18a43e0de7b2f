# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Events of functions that are chosen at run time go on and off while their functions are called,
# and while the module comes and goes in which they are.
# shellcheck shell=bash source=tests/vm/lib.sh
HERE=$(dirname "$0")
. "$HERE/lib.sh"

cd "$WORK" || exit 2
if [[ ! -e /sys/kernel/btf/vmlinux ]]; then
	skip "function races" "this kernel has no type information"
	finish
fi
ft_load
cp "$HERE"/{reads,opens}.py .

# on_and_off EVENTS: while they happen
on_and_off() {
	local failed=0
	python3 reads.py 40 &
	reader=$!
	for _ in $(seq "$(rounds 10 4 2)"); do
		"$FT" record -o l -d 0.2 --force -e "$1" 2>>log || failed=1
	done
	same "function races: on and off: $1" 0 $failed
	wait $reader
	same "function races: whoever calls them goes on" 0 $?
}
on_and_off function:ksys_read,function:vfs_read
on_and_off kprobe:ksys_read+0,kprobe:vfs_read+0

# --- a point of a module that comes back as another build

# The point lies in the next function then: a second user finds that out, and until it has,
# nothing is recorded for the first one.
ft_load_test ft_kprobed
"$FT" enable --persist kprobe:kprobed_moves+64:di 2>>log
"$FT" record -o k -e kprobed_moves_0x40 2>>log &
pid=$!
recorded() { "$FT" status --json | jq -e '.events[] | select(.name == "kprobed_moves_0x40" and .enabled > 1)' >>log; }
wait_for 20 recorded
check "function races: of a shorter function: the longer one goes" rmmod ft_kprobed
ft_load_test ft_kprobed_too
(for _ in $(seq 1000); do
	[[ ! -e stop ]] && echo 20000 >"$PARAMS/ft_kprobed_too/parameters/near"
done) &
calling=$!
refused_all=yes
for _ in $(seq "$(rounds 20 10 5)"); do
	"$FT" enable kprobed_moves_0x40 --persist 2>said && refused_all=no
	cat said >>log
done
check "function races: of a shorter function: says why" grep -q "its function has changed" said
touch stop
wait $calling
kill -TERM $pid
wait $pid
same "function races: of a shorter function: refused, and nothing of the next one" "yes 0 0" \
	"$refused_all $? $("$FT" dump --tsv -e kprobed_moves_0x40 k 2>>log | tail -n +2 | wc -l)"
rmmod ft_kprobed_too
ft_load_test ft_kprobed
"$FT" record -o k --force -e kprobed_moves_0x40 -- \
	bash -c "echo 1 >$PARAMS/ft_kprobed/parameters/outside" 2>>log
same "function races: the longer one is back" "0 1" \
	"$? $("$FT" dump --tsv -e kprobed_moves_0x40 k | tail -n +2 | wc -l)"
"$FT" disable kprobed_moves_0x40
rmmod ft_kprobed

# --- a function of a module that comes and goes

# moves [-f]: by force, it does not wait for who looks at the function
moves() {
	local failed=0
	(for _ in $(seq "$(rounds 20 10 3)"); do
		rmmod "$@" tun 2>>gone
		modprobe tun 2>>gone
	done) &
	moving=$!
	while kill -0 $moving 2>>log; do
		"$FT" enable function:tun:tun_chr_open --persist >>raced 2>&1
		case $? in 0 | 1) ;; *) failed=1 ;; esac
		"$FT" disable --all >>raced 2>&1 || failed=2
	done
	wait $moving
	same "function races: a module comes and goes meanwhile${1:+ ($1)}" 0 $failed
}

if modprobe tun && [[ -e /sys/kernel/btf/tun && -e /dev/net/tun ]]; then
	moves
	if rmmod -f tun 2>>log; then
		modprobe tun
		moves -f
	else
		skip "function races: a module goes by force" "not on this kernel"
	fi
	same "function races: what is said of a module that is not there" "" \
		"$(grep -v -e 'not loaded, or has no functions' -e 'ftrace cannot wrap it' -e 'no event' \
			-e 'has no function' -e 'no type information' -e 'cannot enable' raced | head -n 3)"
	check "function races: nothing is wrapped" wait_for 20 eval '[[ $(status wrapped) == 0 ]]'
	modprobe tun 2>>log
	"$FT" record -o u --force -e function:tun:tun_chr_open -- python3 opens.py 9 2>>log
	same "function races: the module is traced as before" "0 9" \
		"$? $("$FT" dump --tsv -e tun_chr_open_exit u | grep -c -P 'result=0\t')"
else
	skip "function races: of a module" "no module tun with type information"
fi
sed 's/^/    /' log
# Tasks may still be inside for a moment.
check "function races: unload" "$FT" unload
finish
