// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Record a tracepoint of two words while a command runs, as others do.
 *
 * Usage: event_peers perf|bpf NAME ID -- COMMAND [ARG...]
 *
 * NAME is the tracepoint, ID its number as tracefs has it.
 *
 *	perf	perf_event_open(), every event: its time, and its words as the tracepoint
 *		lays them out
 *	bpf	a program at the raw tracepoint: time and words, 24 bytes, into a BPF
 *		ring buffer
 *
 * The command should be bound to CPU 0, which is the one that perf looks at.
 * Afterwards a line "records N" on stderr. Exit status: that of the command; 125 it
 * cannot be recorded, or not all of it, and says so.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf_emit.h"
#include "command.h"
#include "perf_ring.h"

#define RING_BYTES	(32u << 20)

struct record {
	uint64_t	ts;
	uint64_t	a, b;
};

static int complain(const char *what)
{
	fprintf(stderr, "event_peers: cannot %s: %s\n", what, strerror(errno));
	return -1;
}

/* --- perf --------------------------------------------------------------------- */

static struct perf_event_mmap_page *perf_ring;

static int perf_begin(const char *id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.config = strtoul(id, NULL, 10),
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
	};

	perf_ring = perf_ring_open(&attr);
	return perf_ring ? 0 : complain("open the event");
}

static int perf_end(size_t *records)
{
	return perf_ring_count(perf_ring, records, NULL) ?
	       complain("record all in perf's ring") : 0;
}

/* --- BPF ---------------------------------------------------------------------- */

static int bpf_ring;

/* The arguments of the tracepoint are an array that R1 points to. */
static void emit_event(struct program *p)
{
	load(p, BPF_REG_6, BPF_REG_1, 0);
	load(p, BPF_REG_8, BPF_REG_1, 8);
	begin_record(p, bpf_ring, sizeof(struct record));
	store(p, BPF_DW, BPF_REG_7, offsetof(struct record, ts), BPF_REG_0);
	store(p, BPF_DW, BPF_REG_7, offsetof(struct record, a), BPF_REG_6);
	store(p, BPF_DW, BPF_REG_7, offsetof(struct record, b), BPF_REG_8);
	end_record(p, BPF_RB_NO_WAKEUP);
}

static int bpf_begin(const char *name)
{
	struct bpf_prog_load_opts opts = { .sz = sizeof(opts) };
	struct program p = { 0 };
	int prog;

	bpf_ring = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, RING_BYTES, NULL);
	if (bpf_ring < 0)
		return complain("make the ring buffer");
	emit_event(&p);
	prog = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "bench", "GPL", p.insns, p.count,
			     &opts);
	if (prog < 0)
		return complain("load the program");
	return bpf_raw_tracepoint_open(name, prog) < 0 ? complain("attach the program") : 0;
}

static int bpf_end(size_t *records)
{
	return command_count(bpf_ring, sizeof(struct record), records) ?
	       complain("read the ring buffer") : 0;
}

int main(int argc, char **argv)
{
	bool perf = argc > 1 && !strcmp(argv[1], "perf");
	size_t records = 0;
	int status;

	if (argc < 6 || strcmp(argv[4], "--") || (!perf && strcmp(argv[1], "bpf"))) {
		fprintf(stderr, "Usage: event_peers perf|bpf NAME ID -- COMMAND [ARG...]\n");
		return 2;
	}
	libbpf_set_print(command_quiet);
	if (perf ? perf_begin(argv[3]) : bpf_begin(argv[2]))
		return FAILED;
	status = command_run(argv + 5);
	if (perf ? perf_end(&records) : bpf_end(&records))
		return FAILED;
	fprintf(stderr, "records %zu\n", records);
	return status;
}
