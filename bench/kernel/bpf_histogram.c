// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * How long spin_lock() to spin_unlock() takes, as a histogram of BPF programs, while a
 * command runs.
 *
 * Usage: bpf_histogram kprobe|fentry -- COMMAND [ARG...]
 *
 * The shortest programs that pair the two: a per-CPU array of one value, which has the lock,
 * the time of its acquisition, and the bins, one for each power of two of nanoseconds. So a
 * lock that is taken while another one is held takes the place of that, whose release then
 * counts as nothing. There is no sum, no maximum and no call site.
 *
 *	kprobe	the lock is noted at the entry of _raw_spin_lock(), the time when it returns
 *	fentry	fexit has the argument at hand
 *
 * Afterwards a line "counted N" on stderr.
 *
 * Exit status: that of the command; 125 the programs cannot be attached, and says so.
 */
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <asm/ptrace.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf_attach.h"
#include "bpf_emit.h"
#include "command.h"

#define BINS	64

struct held {
	uint64_t	lock;
	uint64_t	ts;
	uint64_t	bin[BINS];
};

static int held_fd;

/* --- programs ---------------------------------------------------------------- */

/* R6 is the lock, R7 a time. */

/* R0: this CPU's value. */
static void emit_held(struct program *p)
{
	emit(p, BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, -4, 0);
	stack_address(p, BPF_REG_2, -4);
	map_address(p, BPF_REG_1, held_fd);
	call(p, BPF_FUNC_map_lookup_elem);
	leave_if_null(p);
}

static void emit_now(struct program *p)
{
	call(p, BPF_FUNC_ktime_get_ns);
	move(p, BPF_REG_7, BPF_REG_0);
}

/* R1: the power of two of R7, which is spoilt. BPF has no instruction for it. */
static void emit_log2(struct program *p)
{
	constant(p, BPF_REG_1, 0);
	for (int bits = BINS / 2; bits; bits /= 2) {
		move(p, BPF_REG_2, BPF_REG_7);
		emit(p, BPF_ALU64 | BPF_RSH | BPF_K, BPF_REG_2, 0, 0, bits);
		emit(p, BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_2, 0, 2, 0);
		move(p, BPF_REG_7, BPF_REG_2);
		emit(p, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_1, 0, 0, bits);
	}
}

static void emit_acquired(struct program *p)
{
	emit_now(p);
	emit_held(p);
	store(p, BPF_DW, BPF_REG_0, offsetof(struct held, lock), BPF_REG_6);
	store(p, BPF_DW, BPF_REG_0, offsetof(struct held, ts), BPF_REG_7);
	leave(p);
}

static void emit_release(struct program *p)
{
	emit_now(p);
	emit_held(p);
	load(p, BPF_REG_1, BPF_REG_0, offsetof(struct held, lock));
	emit(p, BPF_JMP | BPF_JEQ | BPF_X, BPF_REG_1, BPF_REG_6, 2, 0);
	leave(p);
	load(p, BPF_REG_1, BPF_REG_0, offsetof(struct held, ts));
	emit(p, BPF_ALU64 | BPF_SUB | BPF_X, BPF_REG_7, BPF_REG_1, 0, 0);
	emit(p, BPF_ST | BPF_MEM | BPF_DW, BPF_REG_0, 0, offsetof(struct held, lock), 0);
	emit_log2(p);
	emit(p, BPF_ALU64 | BPF_LSH | BPF_K, BPF_REG_1, 0, 0, 3);
	emit(p, BPF_ALU64 | BPF_ADD | BPF_X, BPF_REG_0, BPF_REG_1, 0, 0);
	/* An atomic addition would have a LOCK prefix; the CPU is the only one. */
	load(p, BPF_REG_1, BPF_REG_0, offsetof(struct held, bin));
	emit(p, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_1, 0, 0, 1);
	store(p, BPF_DW, BPF_REG_0, offsetof(struct held, bin), BPF_REG_1);
	leave(p);
}

/* --- attaching --------------------------------------------------------------- */

/* fentry and fexit: the function's arguments are an array that R1 points to. */
static int attach_typed(void)
{
	struct program acquired = { 0 }, release = { 0 };

	load(&acquired, BPF_REG_6, BPF_REG_1, 0);
	emit_acquired(&acquired);
	load(&release, BPF_REG_6, BPF_REG_1, 0);
	emit_release(&release);
	return attach_fentry(UNLOCK, BPF_TRACE_FENTRY, &release) ||
	       attach_fentry(LOCK, BPF_TRACE_FEXIT, &acquired);
}

static int attach_probes(void)
{
	struct program entry = { 0 }, returns = { 0 }, release = { 0 };

	load(&entry, BPF_REG_6, BPF_REG_1, offsetof(struct pt_regs, rdi));
	emit_held(&entry);
	store(&entry, BPF_DW, BPF_REG_0, offsetof(struct held, lock), BPF_REG_6);
	leave(&entry);

	emit_now(&returns);
	emit_held(&returns);
	store(&returns, BPF_DW, BPF_REG_0, offsetof(struct held, ts), BPF_REG_7);
	leave(&returns);

	load(&release, BPF_REG_6, BPF_REG_1, offsetof(struct pt_regs, rdi));
	emit_release(&release);
	return attach_kprobe(UNLOCK, false, &release) ||
	       attach_kprobe(LOCK, true, &returns) ||
	       attach_kprobe(LOCK, false, &entry);
}

/* --- the command, and the histogram -------------------------------------------- */

static int count_held(void)
{
	int cpus = libbpf_num_possible_cpus();
	struct held *held = cpus > 0 ? calloc((size_t)cpus, sizeof(*held)) : NULL;
	uint64_t count = 0;
	uint32_t key = 0;

	if (!held || bpf_map_lookup_elem(held_fd, &key, held)) {
		free(held);
		return complain("read", "the histogram");
	}
	for (int cpu = 0; cpu < cpus; cpu++)
		for (int i = 0; i < BINS; i++)
			count += held[cpu].bin[i];
	free(held);
	fprintf(stderr, "counted %llu\n", (unsigned long long)count);
	return 0;
}

int main(int argc, char **argv)
{
	bool typed = argc > 1 && !strcmp(argv[1], "fentry");
	int status;

	if (argc < 4 || strcmp(argv[2], "--") || (!typed && strcmp(argv[1], "kprobe"))) {
		fprintf(stderr, "Usage: bpf_histogram kprobe|fentry -- COMMAND [ARG...]\n");
		return 2;
	}
	libbpf_set_print(command_quiet);
	held_fd = bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "held", sizeof(uint32_t),
				 sizeof(struct held), 1, NULL);
	if (held_fd < 0) {
		complain("make", "the map");
		return FAILED;
	}
	if (typed ? attach_typed() : attach_probes())
		return FAILED;
	status = command_run(argv + 3);
	return count_held() ? FAILED : status;
}
