# SPDX-License-Identifier: GPL-2.0-only OR MIT
# ft study: the three workloads, short, and the page of them.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
"$FT" study --here -d 1 -o none 2>log
same "study: without the module: exit status" 1 $?
check "study: without the module: says the way out" grep -q 'ft load' log
check "study: without the module: writes nothing" test ! -e none

ft_load
if ! ft_has_locks; then
	"$FT" study --here -d 1 -o none 2>log
	same "study: without lock events: exit status" 1 $?
	check "study: without lock events: says the way out" grep -q patch log
	ft_unload
	finish
fi

mkdir full && mount -t tmpfs -o size=80m none full
"$FT" study --here -d 100000 --workloads stress --work "$WORK/w" -o full/s 2>log
same "study: no room: exit status" 1 $?
check "study: no room: says how much is needed, and the way out" grep -q 'has room for.*-d' log
check "study: no room: the workload has ended" test -z "$(pgrep stress-ng)"
check "study: no room: nothing is left of the work" test ! -e w
umount full

PATH_WITHOUT=$WORK/bin
mkdir "$PATH_WITHOUT"
ln -s "$(command -v python3)" "$PATH_WITHOUT"
PATH=$PATH_WITHOUT "$FT" study --here -d 1 -o none 2>log
same "study: programs are missing: exit status" 1 $?
check "study: programs are missing: says which" grep -q 'apt install stress-ng' log

"$FT" study --here -d 3 -o s >out 2>log
status=$?
sed 's/^/    /' out
lost=$(cat s/*/info/session | awk -F'\t' '$1 == "lost" { n += $2 } END { print n }')
same "study: exit status" "$((lost ? 3 : 0))" $status
((status == 0 || status == 3)) || sed 's/^/    /' log
# reads WORKLOAD: with the exit status that fits what was lost, on a busy machine
reads() {
	local lost
	lost=$(awk -F'\t' '$1 == "lost" { print $2 }' "s/$1/info/session")
	"$FT" report --tsv "s/$1" >report.tsv
	(($? == (lost ? 3 : 0)))
}
for workload in idle compile stress; do
	check "study: $workload: a trace" reads $workload
	check "study: $workload: as long as asked for, at least" awk -F'\t' \
		'$1 == "duration_s" { s = $2 } END { exit !(s >= 3) }' s/$workload/info/session
done
# spins TRACE
spins() {
	"$FT" report --tsv "s/$1" | awk -F'\t' '$1 == "family" && $2 == "spin" && $3 == "count" { print $4 }'
}
check "study: compiling takes more locks than nothing" test "$(spins compile)" -gt "$(spins idle)"
check "study: so does stress" test "$(spins stress)" -gt "$(spins idle)"
# but_ours TRACE: the same without those of the recorder, which the page leaves out
but_ours() {
	local n task own
	n=$(spins "$1")
	for task in $(cut -f2 "s/$1/info/tasks" | grep -xE 'ft(-cpu[0-9]+)?' | sort -u); do
		own=$("$FT" report --tsv --task "$task" "s/$1" |
			awk -F'\t' '$1 == "family" && $2 == "spin" && $3 == "count" { print $4 }')
		n=$((n - own))
	done
	echo "$n"
}
sed 's/\xe2\x80\xaf//g' s/study.html >page	# thin spaces between thousands
check "study: the page has the paper's number" grep -q 70807495 page
check "study: the page has ours" grep -q "\b$(but_ours stress)\b" page
if grep -q -i 'tcg' s/idle/info/session; then
	check "study: emulated times are marked" grep -q 'emulated' s/study.html
fi
check "study: nothing is left of the work" test ! -e s/work
check "study: no workload is left running" test -z "$(pgrep 'stress-ng|cc1')"

"$FT" study --here -d 1 -o s 2>log
same "study: does not overwrite a study" 1 $?
check "study: and names it" grep -q 's/idle' log

# Ctrl-C ends it, and the workload. A longer time needs more room, on a fast machine
# more than there is.
rm -rf s
env --default-signal=INT "$FT" study --here -d 6 --workloads stress -o i >/dev/null 2>log &
study=$!
for ((i = 0; i < 100; i++)); do
	grep -q 'recording 6 s' log && break
	sleep 0.2
done
((i < 100)) || sed 's/^/    /' log
check "study: interrupted: it was recording" grep 'recording 6 s' log
sleep 1
kill -INT $study
wait $study
same "study: interrupted: exit status" 1 $?
check "study: interrupted: no workload is left running" test -z "$(pgrep stress-ng)"
check "study: interrupted: says so" grep -q interrupted log
check "study: interrupted: nothing is left of the work" test ! -e i/work

# --sources compiles another project; if its make fails, a message says so.
mkdir project
printf 'int main(void) { return 0; }\n' >project/a.c
printf 'a: a.c\n\tcc -o a a.c\n' >project/Makefile
check "study: another project" "$FT" study --here --record-only -d 1 -w compile --sources project -o p
check "study: another project stays as it was" test ! -e project/a
echo 'error' >>project/a.c
"$FT" study --here --record-only -d 1 -w compile --sources project -o q 2>log
same "study: a project that does not compile: exit status" 1 $?
check "study: a project that does not compile: says so" grep -q 'ended by itself' log
check "study: and keeps the compiler's words" grep -q error q/work/compile.log
"$FT" list --tsv | awk -F'\t' '$5 ~ /^[0-9]+$/ && $5 > 0 { exit 1 }'
same "study: no event is left enabled" 0 $?

check "study: rmmod" ft_unload
finish
