# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Names of locks.
# shellcheck shell=bash source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$WORK" || exit 2
ft_load
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) { printf("x\n"); return 0; }
END
time "$FT" record -o t -l --slots 4M -- bash -c 'for i in 1 2 3; do gcc -O2 -o a$i a.c; done; (hackbench -l 30 -g 2 || perf bench sched messaging) 2>&1' 2>&1 | sed 's/^/    /'
session t lock_names
session t lost
head -3 t/info/locks; wc t/info/locks
awk -F'\t' 'NR > 1 { n[$2 " " ($3 == 1 ? "typed" : $3 > 1 ? "several" : "none")]++ } END { for (k in n) print n[k], k }' t/info/locks
"$FT" dump --raw --tsv t | awk -F'\t' 'NR == 1 { print > "/dev/stderr" } NR == 5 { print > "/dev/stderr" } $6 ~ /_acquire$/ { split($7, f, "="); n[f[2]]++ } END { for (a in n) print n[a] "\t" a }' > counts
wc counts
awk -F'\t' 'NR == FNR { if (FNR > 1) { k[$1] = $2; t[$1] = $3; c[$1] = $5 } next }
 { a = $2; all += $1; kind = (a in k) ? k[a] " " (t[a] == 1 ? "typed" : t[a] > 1 ? "several" : "none") : "missing"; n[kind] += $1; cl[kind "\t" c[a]] += $1 }
 END { for (x in n) printf "%5.1f %% %s\n", 100 * n[x] / all, x; for (x in cl) printf "%6.2f\t%s\n", 100 * cl[x] / all, x > "/tmp/cl" }' t/info/locks counts | sort -rn
sort -rn /tmp/cl | grep -v typed | head -60
echo ----
sort -rn /tmp/cl | grep typed | head -60
echo ---- sites of what has no type
"$FT" dump --tsv t | awk -F'\t' '$6 ~ /_acquire$/ && $7 ~ /\(pages\)|\+0x|unknown/ { sub(/ 0xff[0-9a-f]*/, "", $7); n[$6 "\t" $7 "\t" $8]++ } END { for (a in n) print n[a] "\t" a }' | sort -rn | head -70
"$FT" report -n 12 --by class t | head -80
"$FT" report -n 2 --json --by class,lock t | head -c 1500
mkdir -p "$FT_OUT"; cp -r t/info/locks /tmp/cl "$FT_OUT/"
finish
