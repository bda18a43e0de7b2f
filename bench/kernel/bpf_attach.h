/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* BPF programs at the lock functions that the benchmarks look at. */
#ifndef BENCH_BPF_ATTACH_H
#define BENCH_BPF_ATTACH_H

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "bpf_emit.h"

#define LOCK		"_raw_spin_lock"
#define UNLOCK		"_raw_spin_unlock"

/** complain - say what failed, and errno; Return: -1 */
static inline int complain(const char *what, const char *function)
{
	fprintf(stderr, "%s: cannot %s %s: %s\n", program_invocation_short_name, what, function,
		strerror(errno));
	return -1;
}

/** attach_fentry - at the entry or the exit of a function; Return: 0, or -1 after a message */
static inline int attach_fentry(const char *function, enum bpf_attach_type type,
				const struct program *p)
{
	struct bpf_prog_load_opts opts = {
		.sz = sizeof(opts),
		.expected_attach_type = type,
	};
	int btf = libbpf_find_vmlinux_btf_id(function, type), prog;

	if (btf < 0) {
		errno = -btf;
		return complain("find the type of", function);
	}
	opts.attach_btf_id = (__u32)btf;
	prog = bpf_prog_load(BPF_PROG_TYPE_TRACING, "bench", "GPL", p->insns, p->count, &opts);
	if (prog < 0)
		return complain("load a program for", function);
	return bpf_raw_tracepoint_open(NULL, prog) < 0 ? complain("attach to", function) : 0;
}

static inline int read_number(const char *path, const char *format)
{
	FILE *file = fopen(path, "re");
	int number = -1;

	if (!file || fscanf(file, format, &number) != 1)
		number = -1;
	if (file)
		fclose(file);
	return number;
}

/** name_kprobe - in @attr; Return: 0, or -1 and errno */
static inline int name_kprobe(struct perf_event_attr *attr, const char *function, bool returns)
{
	int type = read_number("/sys/bus/event_source/devices/kprobe/type", "%d");
	int bit = read_number("/sys/bus/event_source/devices/kprobe/format/retprobe",
			      "config:%d");

	if (type < 0 || bit < 0) {
		errno = ENODEV;
		return -1;
	}
	attr->type = (__u32)type;
	attr->config1 = (uintptr_t)function;
	attr->config = returns ? 1ull << bit : 0;
	return 0;
}

static inline int open_kprobe(const char *function, bool returns)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };

	if (name_kprobe(&attr, function, returns))
		return -1;
	/* A kprobe hits on all CPUs, whichever is given. */
	return (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

/** attach_kprobe - where a function begins, or @returns; Return: 0, or -1 after a message */
static inline int attach_kprobe(const char *function, bool returns, const struct program *p)
{
	struct bpf_prog_load_opts opts = { .sz = sizeof(opts) };
	int prog, event;

	prog = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "bench", "GPL", p->insns, p->count, &opts);
	if (prog < 0)
		return complain("load a program for", function);
	event = open_kprobe(function, returns);
	if (event < 0 || ioctl(event, PERF_EVENT_IOC_SET_BPF, prog) ||
	    ioctl(event, PERF_EVENT_IOC_ENABLE, 0))
		return complain("attach to", function);
	return 0;
}

#endif /* BENCH_BPF_ATTACH_H */
