// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Record spin_unlock() while a command runs, with the kernel's call stack or without, as others do.
 *
 * Usage: stack_peers perf|bpf with|without -- COMMAND [ARG...]
 *
 * Both are at a kprobe where _raw_spin_unlock() begins.
 *
 *	perf	a sample of place, thread, time and CPU; with the call chain, too, as
 *		'perf record -g' has it, but without the program's part
 *	bpf	time, thread and lock, and with bpf_get_stackid() the number of the stack,
 *		which stands once in a table, into a BPF ring buffer
 *
 * The command should be bound to CPU 0, which is the one that perf looks at. Afterwards lines
 * "records N" and "depth N" on stderr: how many functions most of the stacks have.
 *
 * Exit status: that of the command; 125 it cannot be recorded, or not all of it, and says so.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <asm/ptrace.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf_attach.h"
#include "bpf_emit.h"
#include "command.h"
#include "perf_ring.h"

#define RING_BYTES	(16u << 20)
#define STACKS		1024u
#define DEPTH_MAX	127u		/* sysctl kernel.perf_event_max_stack */

struct record {
	uint64_t	ts;
	uint64_t	lock;
	uint32_t	tid;
	int32_t		stack;
};

static bool with;		/* stacks */
static size_t of_depth[DEPTH_MAX + 1];

/* --- perf --------------------------------------------------------------------- */

static struct perf_event_mmap_page *perf_ring;

static int perf_begin(void)
{
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | (with ? PERF_SAMPLE_CALLCHAIN : 0),
		.exclude_callchain_user = 1,
	};

	if (!name_kprobe(&attr, UNLOCK, false))
		perf_ring = perf_ring_open(&attr);
	return perf_ring ? 0 : complain("open a kprobe of", UNLOCK);
}

/* As the sample's type has it. The chain begins with a mark that the kernel's part follows. */
static void perf_look(const void *sample)
{
	const struct {
		uint64_t	ip, thread, ts, cpu, n;
	} *s = sample;

	if (with && s->n && s->n - 1 <= DEPTH_MAX)
		of_depth[s->n - 1]++;
}

static int perf_end(size_t *records)
{
	return perf_ring_count(perf_ring, records, perf_look) ?
	       complain("record all in", "perf's ring") : 0;
}

/* --- BPF ---------------------------------------------------------------------- */

static int ring_fd, stacks_fd;

/* R6 is the lock, R8 the number of the stack, R9 the context. */
static void emit_unlock(struct program *p)
{
	move(p, BPF_REG_9, BPF_REG_1);
	load(p, BPF_REG_6, BPF_REG_9, offsetof(struct pt_regs, rdi));
	constant(p, BPF_REG_8, 0);
	if (with) {
		map_address(p, BPF_REG_2, stacks_fd);
		constant(p, BPF_REG_3, 0);
		call(p, BPF_FUNC_get_stackid);
		move(p, BPF_REG_8, BPF_REG_0);
	}
	begin_record(p, ring_fd, sizeof(struct record));
	store(p, BPF_DW, BPF_REG_7, offsetof(struct record, ts), BPF_REG_0);
	call(p, BPF_FUNC_get_current_pid_tgid);
	store(p, BPF_W, BPF_REG_7, offsetof(struct record, tid), BPF_REG_0);
	store(p, BPF_DW, BPF_REG_7, offsetof(struct record, lock), BPF_REG_6);
	store(p, BPF_W, BPF_REG_7, offsetof(struct record, stack), BPF_REG_8);
	end_record(p, BPF_RB_NO_WAKEUP);
}

static int bpf_begin(void)
{
	struct program p = { 0 };

	ring_fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, RING_BYTES, NULL);
	stacks_fd = bpf_map_create(BPF_MAP_TYPE_STACK_TRACE, "stacks", 4, DEPTH_MAX * 8, STACKS,
				   NULL);
	if (ring_fd < 0 || stacks_fd < 0)
		return complain("make", "the maps");
	emit_unlock(&p);
	return attach_kprobe(UNLOCK, false, &p);
}

static size_t bpf_depth(int32_t stack)
{
	uint64_t addr[DEPTH_MAX] = { 0 };
	size_t n = 0;

	if (stack >= 0 && !bpf_map_lookup_elem(stacks_fd, &stack, addr))
		while (n < DEPTH_MAX && addr[n])
			n++;
	return n;
}

static int bpf_look(void *count, void *data, size_t size)
{
	const struct record *r = data;
	size_t *records = count;

	if (size != sizeof(*r))
		return 0;
	++*records;
	if (with)
		of_depth[bpf_depth(r->stack)]++;
	return 0;
}

static int bpf_end(size_t *records)
{
	struct ring_buffer *ring = ring_buffer__new(ring_fd, bpf_look, records, NULL);

	if (!ring)
		return complain("read", "the ring buffer");
	ring_buffer__consume(ring);
	ring_buffer__free(ring);
	return 0;
}

/* --- the command -------------------------------------------------------------- */

static size_t usual_depth(void)
{
	size_t usual = 0;

	for (size_t i = 1; i <= DEPTH_MAX; i++)
		if (of_depth[i] > of_depth[usual])
			usual = i;
	return usual;
}

int main(int argc, char **argv)
{
	bool perf = argc > 1 && !strcmp(argv[1], "perf");
	size_t records = 0;
	int status;

	if (argc < 5 || strcmp(argv[3], "--") || (!perf && strcmp(argv[1], "bpf")) ||
	    (strcmp(argv[2], "with") && strcmp(argv[2], "without"))) {
		fprintf(stderr, "Usage: stack_peers perf|bpf with|without -- COMMAND [ARG...]\n");
		return 2;
	}
	libbpf_set_print(command_quiet);
	with = !strcmp(argv[2], "with");
	if (perf ? perf_begin() : bpf_begin())
		return FAILED;
	status = command_run(argv + 4);
	if (perf ? perf_end(&records) : bpf_end(&records))
		return FAILED;
	fprintf(stderr, "records %zu\ndepth %zu\n", records, usual_depth());
	return status;
}
