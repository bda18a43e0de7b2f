# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
#
# In the VM: one program of tests/vm, $FT_PROGRAM, as tests/vm/api.sh has it run.

# shellcheck source=tests/vm/lib.sh
. "$FT_TOP/tests/vm/lib.sh"

ft_load slots=128 wake_us=1000 || fail "loading the module" "see above"
[[ $FT_PROGRAM != api_control ]] || ft_load_test ft_bench
"$FT_PROGRAMS/$FT_PROGRAM" || FAILED=1
[[ $FT_PROGRAM != api_control ]] || rmmod ft_bench
check "unloading" ft_unload
finish
