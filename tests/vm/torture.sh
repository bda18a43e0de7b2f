# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Rounds of everything at once (tests/vm/torture/), each with books that balance.
#
# FT_TORTURE: arguments instead of the usual ones: --seconds 3600, --seed 7 --round 12
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

# Faults are for allocations that may wait, too, and need no stack in the log.
failslab=/sys/kernel/debug/failslab
if [[ -d $failslab ]]; then
	echo N >$failslab/ignore-gfp-wait
	echo 0 >$failslab/verbose
fi

ft_load
ft_load_test ft_fire

read -r -a arguments <<<"${FT_TORTURE:---seed 1 --rounds $(rounds 30 20 8)}"
"$FT_PROGRAMS/torture" "${arguments[@]}" --ft "$FT" \
	--module "$FT_MODULES/tests/modules/ft_example.ko" --work "$WORK" >"$WORK/rounds" 2>&1
status=$?
sed 's/^/    /' "$WORK/rounds"
if ((status)); then
	fail "torture: ${arguments[*]}" "$(grep again: "$WORK/rounds" | tr -s ' \n' ' ')"
else
	ok "torture: $(tail -1 "$WORK/rounds")"
fi

rmmod ft_example 2>/dev/null
rmmod ft_fire
same "torture: nothing is left enabled" 0 \
	"$(status active)"
check "torture: rmmod" ft_unload
finish
