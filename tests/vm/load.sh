# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
#
# Loading and unloading: parameters, devices, and what is left behind.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

MODULE=$FT_MODULES/feather_trace.ko

# Is the module, and all that came with it, away?
gone() {
	local left
	left=$(find /dev -name 'ft_trace*'
		find /sys/class -name '*feather_trace*' -o -name 'ft_trace*'
		grep -E 'ft_trace|feather' /proc/devices /proc/misc /proc/modules)
	[[ -z $left ]] || echo "left: $left"
	[[ -z $left ]]
}

# refused EXPECTED-LOG PARAMETER...: insmod says EINVAL, the log says why.
refused() {
	local log=$1 out
	shift
	dmesg -C
	if out=$(ft_load "$@" 2>&1); then
		echo "loaded"
		ft_unload
		return 1
	fi
	# So kmod says EINVAL.
	grep -q 'Invalid parameters' <<<"$out" || { echo "$out"; return 1; }
	# The kernel itself complains of what is no number.
	[[ -z $log ]] || dmesg | grep -q "feather_trace: $log" || { dmesg; return 1; }
	gone
}

parameter() {
	cat "$PARAMS/feather_trace/parameters/$1"
}

# --- what the file says ---

same "load: licence" "Dual MIT/GPL" "$(modinfo -F license "$MODULE")"
same "load: parameters" "clock locks slots wake_us" \
	"$(modinfo -F parm "$MODULE" | cut -d: -f1 | sort | xargs)"

# --- bad parameters ---

many='0 64 100 1000 33554432'
for slots in $(rounds "$many" "$many" 100); do
	check "load: slots=$slots is refused" refused "slots=$slots " "slots=$slots"
done
check "load: slots=many is refused" refused '' slots=many
many='0 99 10000001'
for wake_us in $(rounds "$many" "$many" 99); do
	check "load: wake_us=$wake_us is refused" \
		refused ".*wake_us=$wake_us:" "wake_us=$wake_us"
done
check "load: clock=foo is refused" refused 'clock=foo:' clock=foo
check "load: clock= is refused" refused 'clock=:' clock=
check "load: locks=foo is refused" refused 'locks=foo:' locks=foo
check "load: locks=PATCH is refused" refused 'locks=PATCH:' locks=PATCH

# While the module may still fail to load, no process may open a device, as the module
# would be freed under it. So the kernel must not even have announced one (uevents).
listen() {
	python3 - "$@" <<-'EOF'
	import socket, subprocess, sys
	events = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, 15)
	events.bind((0, 1))
	subprocess.run(sys.argv[1:], stderr=subprocess.DEVNULL)
	events.setblocking(False)
	try:
	    while True:
	        print(events.recv(65536).split(b"\0")[0].decode())
	except BlockingIOError:
	    pass
	EOF
}

same "load: a module that is refused has shown no device" "" \
	"$(listen insmod "$MODULE" locks=foo | grep ft_trace)"
same "load: one that is not shows each once" "$(find /sys/devices/system/cpu -maxdepth 1 \
	-name 'cpu[0-9]*' | wc -l)" \
	"$(listen insmod "$MODULE" | grep -c 'add@.*/ft_trace[0-9]')"
ft_unload

# Nor can one be opened that is there already.
# early: the error of each device that is opened while the module is being loaded
early() {
	local device loading
	insmod "$MODULE" &
	loading=$!
	for device in /dev/ft_trace_meta /dev/ft_trace; do
		until [[ -e $device || ! -e /proc/$loading ]]; do :; done
		cat 2>&1 <$device >"$WORK/early" && echo opened
	done 2>&1 | sed 's/.*: //'
	[[ -e /proc/$loading ]] || echo "loading was over"
	wait $loading
}

if grep -q ' register_kprobe$' /proc/kallsyms; then
	# The last step that may fail.
	check "load: a slow last step" ft_load_test ft_delay symbol=cdev_add ms=3000
	same "load: a module that is being loaded: no device can be opened" \
		"No such device No such device" "$(early | xargs)"
	rmmod ft_delay
	ft_unload
else
	skip "load: a module that is being loaded" "this kernel has no kprobes"
fi

# --- good ones ---

check "load: without parameters" ft_load
same "load: default slots" 131072 "$(parameter slots)"
same "load: default wake_us" 10000 "$(parameter wake_us)"
same "load: default clock" auto "$(parameter clock)"

same "load: a device for each CPU, and three more" "$(($(nproc) + 3))" \
	"$(find /dev -name 'ft_trace*' | wc -l)"
same "load: mode and owner of the devices" "640 root" \
	"$(stat -c '%a %U' /dev/ft_trace* | sort -u)"
same "load: they are character devices" "character special file" \
	"$(stat -c %F /dev/ft_trace* | sort -u)"

twice=$(ft_load 2>&1)
same "load: twice is refused" 1 "$(grep -c 'File exists' <<<"$twice")"
check "load: and leaves the first as it was" \
	grep -q '^trace {' /dev/ft_trace_meta

exec 3</dev/ft_trace_meta
busy=$(ft_unload 2>&1)
same "load: an open device keeps the module" 1 "$(grep -c 'in use' <<<"$busy")"
exec 3<&-
check "load: unload" ft_unload
check "load: nothing is left" gone

check "load: slots, wake_us" ft_load slots=256 wake_us=5000
same "load: slots=256" 256 "$(parameter slots)"
same "load: wake_us=5000" 5000 "$(parameter wake_us)"
ft_unload

check "load: clock=mono" ft_load clock=mono slots=128
same "load: clock=mono, in the metadata" 'description = "CLOCK_MONOTONIC"; freq = 1000000000;' \
	"$(grep -E 'description|freq' /dev/ft_trace_meta | xargs -d '\n' | tr -d '\t')"
check "load: clock=mono, in the records" \
	"$FT_PROGRAMS/api_packet" 'a record says'
check "load: clock=mono, as wall clock time" \
	"$FT_PROGRAMS/api_meta" 'its clock'
ft_unload

if [[ $(cat /sys/devices/system/clocksource/clocksource0/current_clocksource) == tsc ]]; then
	check "load: clock=tsc" ft_load clock=tsc
	same "load: clock=tsc, in the metadata" 1 \
		"$(grep -c 'description = "TSC";' /dev/ft_trace_meta)"
	ft_unload
else
	skip "load: clock=tsc" "the TSC of this machine is not usable"
fi

# --- in and out ---

cycles() {
	local i
	for ((i = 0; i < 5; i++)); do
		ft_load slots=128 && ft_unload || return 1
	done
	gone
}

persistent() {
	ft_load slots=128 || return 1
	"$FT" enable mark --persist || return 1
	"$FT_PROGRAMS/api_control" 'FT_IOC_EVENT describes' || return 1
	"$FT" enable mark --persist || return 1
	ft_unload && gone
}

check "load: five times in and out" cycles
check "load: unload with persistent events on" persistent
finish
