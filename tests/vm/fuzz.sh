# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Whatever can be called, right and wrong, by several processes at once
# (tests/vm/fuzz/); and parameters that a module cannot be loaded with.
#
# FT_FUZZ: arguments instead of the usual ones: --seed 7 --seconds 3600
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

ft_load slots=1024 wake_us=1000
# Events of a module, among those that are tried.
ft_load_test ft_points

read -r -a arguments <<<"${FT_FUZZ:---seed 1 --steps $(rounds 20000 8000 1500)}"
"$FT_PROGRAMS/fuzz" "${arguments[@]}" >"$WORK/fuzz" 2>&1
status=$?
sed 's/^/    /' "$WORK/fuzz"
if ((status)); then
	fail "fuzz: ${arguments[*]}" "$(head -1 "$WORK/fuzz")"
else
	ok "fuzz: ${arguments[*]}"
fi

# Each call must have succeeded at least once. Slow kernels make too few steps for that.
if [[ -z ${FT_FUZZ:-} && $FT_KERNEL != debug && $FT_KERNEL != kcsan ]]; then
	# Kernels with triggers of their own wrap no functions.
	never=$(sed -n 's/: done 0 times$//p' "$WORK/fuzz" | tr '\n' ' ')
	[[ $FT_KERNEL == stock ]] || never=${never/HOOK /}
	# Needs a mode that can be set only while there is no trace, which is seldom here.
	never=${never/SNAPSHOT /}
	check "fuzz: each call has succeeded${never:+, but not $never}" test -z "$never"
fi

rmmod ft_points
check "fuzz: rmmod" ft_unload

# refused PARAMETER
refused() {
	if ft_load "$1" 2>/dev/null; then
		fail "parameters: ${1:0:40}" "the module was loaded"
		ft_unload
	else
		ok "parameters: ${1:0:40}"
	fi
}

for value in 0 1 127 129 33554432 4294967295 4294967296 -1 '' x 128x; do
	refused "slots=$value"
done
for value in 0 99 10000001 4294967295 -1 '' 1e3; do
	refused "wake_us=$value"
done
for value in '' x tscx "$(printf 'a%.0s' {1..900})"; do
	refused "clock=$value"
	refused "locks=$value"
done
check "parameters: the usual ones" ft_load
check "parameters: rmmod" ft_unload
finish
