# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
#
# Lockdown: what shows the kernel's memory is out of bounds, for root, too. There
# is no way back, so this is the last test of a boot.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

LOCKDOWN=/sys/kernel/security/lockdown

[[ -e $LOCKDOWN ]] || mount -t securityfs none /sys/kernel/security 2>/dev/null
if [[ ! -e $LOCKDOWN ]]; then
	skip "lockdown" "this kernel has none"
	finish
fi
if ! grep -q '\[none\]' "$LOCKDOWN"; then
	skip "lockdown" "this kernel is locked down already: $(<"$LOCKDOWN")"
	finish
fi

# opens PATH: prints what opening for reading comes to.
opens() {
	local out
	if out=$( (exec 3<"$1") 2>&1); then
		echo "opened"
	else
		echo "${out##*: }"
	fi
}

DEVICES=(/dev/ft_trace /dev/ft_trace_meta /dev/ft_trace0)

check "lockdown: load" ft_load slots=128
for device in "${DEVICES[@]}"; do
	same "lockdown: none: $device" opened "$(opens "$device")"
done

# What was opened before stays open; what it is good for is another matter.
exec 4</dev/ft_trace_meta

echo integrity >"$LOCKDOWN"
same "lockdown: integrity" opened "$(opens /dev/ft_trace0)"
echo confidentiality >"$LOCKDOWN"
check "lockdown: set" grep -q '\[confidentiality\]' "$LOCKDOWN"
for device in "${DEVICES[@]}"; do
	same "lockdown: confidentiality: $device" "Operation not permitted" \
		"$(opens "$device")"
done
same "lockdown: a descriptor from before" 1 "$(grep -c '^trace {' <&4)"
exec 4<&-
check "lockdown: unload" ft_unload
finish
