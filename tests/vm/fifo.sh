# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash source=tests/vm/lib.sh
#
# <feather_trace/fifo.h> in a module of its own: all that threads and an interrupt try to write
# is a record, whole and in its order, or counted as lost.
. "$(dirname "$0")/lib.sh"

dmesg -C
check "fifo: load" ft_load_test ft_fifo
for n in 1 $(rounds 200000 50000 5000); do
	check "fifo: $n records by each thread" \
		sh -c "echo $n >/sys/module/ft_fifo/parameters/run"
done
said=$(dmesg | grep -o 'ft_fifo: .*' | tail -n 1)
check "fifo: an interrupt has written, too: $said" \
	awk '{ exit !($4 > 0 && $8 > 0) }' <<<"$said"
check "fifo: unload" rmmod ft_fifo
finish
