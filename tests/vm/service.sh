# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
#
# feather-trace-sensors.service, run by systemd: the first process of a PID namespace that has
# this machine's kernel, devices, mounts and control groups for itself. All is installed as by
# make install-tools.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

UNIT=feather-trace-sensors.service
URL=http://127.0.0.1:9117/metrics
SYSTEMD=/lib/systemd/systemd

if ! [[ -x $SYSTEMD ]]; then
	skip "service" "no systemd: run scripts/setup test"
	finish
fi

# inside COMMAND...: where systemd is the first process
inside() {
	nsenter --pid --mount --target "$FIRST" "$@"
}

# property NAME: of the service
property() {
	inside systemctl show --value -p "$1" $UNIT
}

is_up() {
	inside systemctl -q is-active ft-test.target
}

# Does anything of the module's do something? Prints what.
what_is_on() {
	[[ ! -e /sys/module/feather_trace ]] || echo module
	[[ ! -e /dev/ft_trace_sensors ]] || echo devices
	[[ ! -s /sys/kernel/tracing/enabled_functions ]] || cat /sys/kernel/tracing/enabled_functions
}

nothing_is_on() {
	[[ -z $(what_is_on) ]]
}

# has_sensors N
has_sensors() {
	[[ $("$FT" sensors list --tsv | awk 'NR > 1' | wc -l) == "$1" ]]
}

start() {
	inside systemctl enable --now feather-trace-sensors
}

stop() {
	inside systemctl disable --now feather-trace-sensors
}

# says TEXT: is it in the how-to?
says() {
	check "service: the how-to has: $1" grep -qF -- "$1" "$FT_TOP/Documentation/howto/watch-a-fleet.md"
}

# Says why it does not.
tell() {
	inside systemctl --no-pager --full status $UNIT feather-trace-module.service
	inside journalctl --no-pager -b -u $UNIT -u feather-trace-module.service
	ls -l /dev/ft_trace*
}

# What make install-tools has put into a directory.
check "service: it is installed" cp -a "$(dirname "$FT")/installed/." /
ldconfig
install -d /run/systemd/system/feather-trace-module.service.d
# The module is in no place where modprobe finds it.
cp "$FT_MODULES/feather_trace.ko" /run/
cat >/run/systemd/system/feather-trace-module.service.d/test.conf <<-'UNIT'
	[Service]
	Environment=FT_MODULE=/run/feather_trace.ko
UNIT
install -d /run/systemd/system/$UNIT.d
cat >/run/systemd/system/$UNIT.d/test.conf <<-'UNIT'
	[Service]
	RestartSec=1
UNIT
cat >/run/systemd/system/ft-test.target <<-'UNIT'
	[Unit]
	Requires=basic.target
	After=basic.target
UNIT
# It looks for what is old in all of the host's temporary files.
ln -s /dev/null /run/systemd/system/systemd-tmpfiles-setup.service
unshare --pid --mount --fork --mount-proc --propagation slave \
	$SYSTEMD --system --unit=ft-test.target --log-target=null --show-status=no </dev/null >systemd.log 2>&1 &
AROUND=$!
wait_for 60 pgrep -P $AROUND >/dev/null
FIRST=$(pgrep -o -P $AROUND)
trap 'kill -KILL $AROUND $FIRST 2>/dev/null; rm -rf "$WORK"' EXIT
check "service: systemd is up" wait_for 200 is_up

says "sudo systemd-sysusers"
check "service: the group of the devices" inside systemd-sysusers
says "sudo systemctl daemon-reload"
check "service: units are read" inside systemctl daemon-reload
says "sudo systemctl enable --now feather-trace-sensors"
check "service: it starts" start
says "curl $URL"
check "service: it serves" wait_for 60 curl -sf -o metrics $URL || tell
same "service: locks of all families" 7 "$(grep -c '^ft_lock_hold_seconds_count{' metrics)"
check "service: call sites have names" \
	grep -q '^ft_row_values_total{sensor="lock/spin/hold".*row="[a-z_]*[+ ]' metrics
((FAILED == 0)) || tell

# of_monitor KEY: of its process
of_monitor() {
	awk -v key="$1:" '$1 == key { print $2 }' "/proc/$(pgrep -x ft-monitor)/status"
}
check "service: a user of its own" test "$(of_monitor Uid)" -ge 61184
same "service: CAP_PERFMON and CAP_SYSLOG, and no other capability" \
	"0000004400000000 0000004400000000" "$(of_monitor CapEff) $(of_monitor CapBnd)"
same "service: nor can it get one" 1 "$(of_monitor NoNewPrivs)"
if grep -q ^Seccomp: /proc/self/status; then
	same "service: system calls are filtered" 2 "$(of_monitor Seccomp)"
else
	skip "service: system calls are filtered" "this kernel cannot"
fi
check "service: it can write nowhere" \
	nsenter --mount --target "$(pgrep -x ft-monitor)" sh -c '! touch /usr/x /etc/x /var/x /home/x'

# However it ends, its sensors end with it.
killed=$(pgrep -x ft-monitor)
kill -KILL "$killed"
check "service: killed, it has left no sensor" wait_for 60 has_sensors 0
new_monitor() {
	pgrep -x ft-monitor | grep -qvx "$killed"
}
check "service: it starts again" wait_for 60 new_monitor
check "service: and serves" wait_for 60 curl -sf -o metrics $URL
says "sudo systemctl disable --now feather-trace-sensors"
check "service: it ends" stop
check "service: stopped, it leaves nothing on" wait_for 60 nothing_is_on
nothing_is_on || what_is_on
same "service: and did not fail" "inactive success" "$(property ActiveState) $(property Result)"

# What was there before stays.
check "service: the module was loaded before" ft_load
both_are_off() {
	[[ $(inside systemctl show --value -p ActiveState $UNIT feather-trace-module.service | xargs) == \
		"inactive inactive" ]]
}
check "service: it starts with that" start
check "service: it ends" stop
check "service: so do both units" wait_for 60 both_are_off
same "service: and leave no sensor, but the module" "module devices" "$(what_is_on | xargs)"
check "service: the module has a sensor" "$FT" sensors new lock/mutex/hold 'hold(mutex)'
check "service: it starts there, too" start
check "service: it serves what was there" wait_for 60 curl -sf -o metrics $URL
check "service: with the others" wait_for 60 has_sensors 14
check "service: it ends there, too" stop
check "service: what was there stays" wait_for 60 has_sensors 1
same "service: it is that one" lock/mutex/hold "$("$FT" sensors list --tsv | awk 'NR == 2 { print $1 }')"
check "service: the sensor is removed" "$FT" sensors end '*'
check "service: the module can be unloaded" ft_unload
kill -KILL "$FIRST"
wait $AROUND 2>/dev/null
finish
