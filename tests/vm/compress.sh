# SPDX-License-Identifier: GPL-2.0-only OR MIT
# ft record --compress: the trace is what a plain one would be, and smaller.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$WORK" || exit 2
fire=$PARAMS/ft_fire/parameters
ft_load
ft_load_test ft_fire

"$FT" record -o plain -e fire --slots 1M -- sh -c "echo 60 >$fire/run" 2>log
same "compress: a plain recording loses nothing" 0 $?
"$FT" record --compress -o packed -e fire --slots 1M -- sh -c "echo 60 >$fire/run" 2>log
same "compress: a compressed one loses nothing" 0 $?
same "compress: the session has the level" 1 "$(session packed compress)"
check "compress: and what was stored" grep -q '^compress_stored' packed/info/session
same "compress: all was written" 0 "$(session packed unwritten)"

check "compress: becomes plain" "$FT" export -f ctf -o again packed
check "compress: the plain one opens" babeltrace2 again -o dummy
bad=0
while read -r cpu attempts; do
	[[ ! -e again/cpu$cpu ]] || "$FT_PROGRAMS/check_fire" again/cpu"$cpu" "$attempts" || bad=1
done <"$fire/attempts"
same "compress: books balance" 0 $bad
"$FT" dump --raw packed >one 2>/dev/null
"$FT" dump --raw again >two 2>/dev/null
check "compress: both have the same records" cmp one two

"$FT" record --compress=3 --rotate 1s -o parts -e fire --slots 1M -- \
	sh -c "echo 60 >$fire/run; sleep 1.2; echo 60 >$fire/run" 2>log
same "compress: with --rotate, nothing is lost" 0 $?
same "compress: no record is missing in the parts" \
	"$(cat parts/0*/info/session | awk -F'\t' '$1 == "records" { n += $2 } END { print n + 0 }')" \
	"$("$FT" dump --raw parts 2>/dev/null | grep -c ' fire ')"

rmmod ft_fire
check "compress: rmmod" ft_unload
finish
