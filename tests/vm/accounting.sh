# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Every attempt is read or counted as lost, on each CPU, from every context at
# full speed, whatever the size of the rings and the reader's speed; and every record
# says in which context it was made.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
fire=$PARAMS/ft_fire/parameters

# run NAME SLOTS MILLISECONDS
run() {
	local name="accounting: $1" slots=$2 ms=$3

	rm -rf t
	"$FT" record -o t -e fire --slots "$slots" -- \
		sh -c "echo $ms >$fire/run; [ ! -e \"\$FT_CTL\" ] || :" >/dev/null 2>log
	local status=$?
	books "$name" t

	local lost
	lost=$(session t lost)
	if ((lost)); then
		same "$name: exit status shows losses" 3 $status
	else
		same "$name: exit status shows no losses" 0 $status
	fi
	if ! babeltrace2 t -o dummy 2>errors; then
		fail "$name: babeltrace2 reads it" "$(grep -v discarded errors | head -3)"
	fi
}

ft_load
ft_load_test ft_fire

run "large rings" 262144 "$(rounds 800 500 200)"
run "small rings" 1024 "$(rounds 800 500 200)"
run "smallest rings" 128 "$(rounds 800 500 200)"

# NMIs from outside while it runs, if the VM's host sends them.
if [[ -n ${FT_CTL:-} && -e ${FT_CTL:-} ]]; then
	(
		for ((i = 0; i < 30; i++)); do
			echo nmi >"$FT_CTL"
			sleep 0.05
		done
	) &
	run "injected NMIs" 256 1800
	wait
fi

same "accounting: every context fired" "task bh-off softirq hardirq ipi nmi" \
	"$(awk '$2 > 0 { printf "%s%s", s, $1; s = " " }' $fire/contexts)"
sed 's/^/    /' $fire/contexts

# A reader that stops for a while, as slow as can be: all but a ring is lost.
rm -rf t
"$FT" record -o t -e fire --slots 1024 -- sh -c "
	echo 400 >$fire/run & kill -STOP \$PPID; wait; kill -CONT \$PPID" >/dev/null 2>&1 &
recorder=$!
for ((i = 0; i < 100; i++)); do
	sleep 0.2
	kill -CONT $recorder 2>/dev/null || break
done
wait $recorder
books "accounting: stopped reader" t

rmmod ft_fire
check "accounting: rmmod" ft_unload
finish
