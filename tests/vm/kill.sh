# SPDX-License-Identifier: GPL-2.0-only OR MIT
# A recorder that is killed leaves nothing enabled, and a trace that opens: as it is,
# or, if the kill tore the packet that was being written, once mended.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
ft_load
ft_load_test ft_example
events=(-e example_beat)
ft_has_locks && events+=(--locks)

bad=0 torn=0
for ((i = 0; i < $(rounds 12 4 2); i++)); do
	"$FT" record -o "t$i" "${events[@]}" 2>/dev/null &
	recorder=$!
	# Every second time as soon as there is a byte, in the middle of a write.
	end=$((SECONDS + 60))
	until [[ -s t$i/cpu0 ]] || ((SECONDS > end)); do
		((i % 2)) || sleep 0.1
	done
	kill -KILL $recorder
	wait $recorder 2>/dev/null
	[[ -s t$i/cpu0 ]] || bad=1
	[[ $(status active) == 0 ]] || bad=2
	if ! babeltrace2 "t$i" -o dummy 2>errors; then
		torn=$((torn + 1))
		"$FT" fix "t$i" >fixed 2>&1
		status=$?
		((status == 0 || status == 3)) || bad=3
		if ! babeltrace2 "t$i.fixed" -o dummy 2>errors; then
			bad=4
			sed 's/^/    /' fixed errors | head -20
		fi
	fi
	rm -rf "t$i" "t$i.fixed"
done
echo "    $torn traces had a torn packet at their end"
same "kill: nothing is left enabled, the trace opens, each time" 0 $bad

rmmod ft_example
check "kill: rmmod" ft_unload
finish
