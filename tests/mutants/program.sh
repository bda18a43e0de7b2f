# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
#
# In the VM: one program of tests/vm, $FT_PROGRAM, as tests/vm/api.sh has it run.

# shellcheck source=tests/vm/lib.sh
. "$FT_TOP/tests/vm/lib.sh"

ft_load slots=128 wake_us=1000 || fail "loading the module" "see above"
modules=()
[[ $FT_PROGRAM != api_control ]] || modules=(ft_bench)
[[ $FT_PROGRAM != api_sessions ]] || modules=(ft_bench ft_points)
[[ $FT_PROGRAM != api_words ]] || modules=(ft_points)
[[ $FT_PROGRAM != api_when* && $FT_PROGRAM != api_sensors* ]] || modules=(ft_bench ft_fire ft_nested ft_points ft_waits)
for module in "${modules[@]}"; do
	ft_load_test "$module"
done
"$FT_PROGRAMS/$FT_PROGRAM" || FAILED=1
((${#modules[@]} == 0)) || rmmod "${modules[@]}"
check "unloading" ft_unload
finish
