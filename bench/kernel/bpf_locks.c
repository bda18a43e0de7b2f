// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Record spin_lock() and spin_unlock() with BPF programs while a command runs.
 *
 * Usage: bpf_locks kprobe|bcc|fentry -- COMMAND [ARG...]
 *
 * An acquisition is recorded when _raw_spin_lock() returns, a release when
 * _raw_spin_unlock() begins: 32 bytes each (struct record) in a BPF ring buffer.
 *
 *	kprobe	at the entry of the lock function its argument is put into a
 *		per-CPU array, and taken from there when it returns. An interrupt
 *		that takes a lock meanwhile overwrites it: no less can be done
 *	bcc	the same with a hash by thread, as the programs of bcc have it. The
 *		hash takes spinlocks, too, that cost the way into the kprobe
 *	fentry	fexit has the argument at hand; but who called the function is
 *		not told, so the function itself is recorded in its place, which
 *		is cheap
 *
 * Afterwards a line "records N" on stderr.
 *
 * Exit status: that of the command; 125 the programs cannot be attached, or the
 * buffer was full, and says so.
 */
#include <errno.h>
#include <linux/bpf.h>
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

#define RING_BYTES	(16u << 20)
#define THREADS		10240		/* as bcc's BPF_HASH has */

enum { ACQUIRE = 1, RELEASE };

struct record {
	uint64_t	ts;
	uint32_t	id;
	uint32_t	tid;
	uint64_t	lock;
	uint64_t	caller;
};

/* The ring has a header of 8 bytes before each record. */
#define RECORD_BYTES	(sizeof(struct record) + 8)

static int ring_fd, locks_fd;
static bool by_thread;		/* locks_fd is a hash */

/* --- programs ---------------------------------------------------------------- */

/*
 * R6 is the lock and R8 the caller until they are recorded; R9 the context. On
 * the stack: the key of locks_fd at -4, a value at -16.
 */
/* The record of R6 and R8, and the end. */
static void emit_record(struct program *p, int32_t id)
{
	begin_record(p, ring_fd, sizeof(struct record));
	store(p, BPF_DW, BPF_REG_7, offsetof(struct record, ts), BPF_REG_0);
	call(p, BPF_FUNC_get_current_pid_tgid);
	store(p, BPF_W, BPF_REG_7, offsetof(struct record, tid), BPF_REG_0);
	emit(p, BPF_ST | BPF_MEM | BPF_W, BPF_REG_7, 0, offsetof(struct record, id), id);
	store(p, BPF_DW, BPF_REG_7, offsetof(struct record, lock), BPF_REG_6);
	store(p, BPF_DW, BPF_REG_7, offsetof(struct record, caller), BPF_REG_8);
	end_record(p, 0);
}

/* Both fexit of the lock function and fentry of the unlock function. */
static void emit_fentry(struct program *p, int32_t id)
{
	load(p, BPF_REG_6, BPF_REG_1, 0);
	call(p, BPF_FUNC_get_func_ip);
	move(p, BPF_REG_8, BPF_REG_0);
	emit_record(p, id);
}

/* The context in R9, the map in R1, the address of the key in R2. */
static void emit_key(struct program *p)
{
	move(p, BPF_REG_9, BPF_REG_1);
	if (by_thread)
		call(p, BPF_FUNC_get_current_pid_tgid);
	else
		constant(p, BPF_REG_0, 0);
	store(p, BPF_W, BPF_REG_10, -4, BPF_REG_0);
	stack_address(p, BPF_REG_2, -4);
	map_address(p, BPF_REG_1, locks_fd);
}

static void emit_lock_entry(struct program *p)
{
	emit_key(p);
	load(p, BPF_REG_6, BPF_REG_9, offsetof(struct pt_regs, rdi));
	if (by_thread) {
		store(p, BPF_DW, BPF_REG_10, -16, BPF_REG_6);
		stack_address(p, BPF_REG_3, -16);
		constant(p, BPF_REG_4, BPF_ANY);
		call(p, BPF_FUNC_map_update_elem);
	} else {
		call(p, BPF_FUNC_map_lookup_elem);
		leave_if_null(p);
		store(p, BPF_DW, BPF_REG_0, 0, BPF_REG_6);
	}
	leave(p);
}

static void emit_lock_return(struct program *p)
{
	emit_key(p);
	call(p, BPF_FUNC_map_lookup_elem);
	leave_if_null(p);
	load(p, BPF_REG_6, BPF_REG_0, 0);
	load(p, BPF_REG_8, BPF_REG_9, offsetof(struct pt_regs, rip));
	if (by_thread) {
		stack_address(p, BPF_REG_2, -4);
		map_address(p, BPF_REG_1, locks_fd);
		call(p, BPF_FUNC_map_delete_elem);
	}
	emit_record(p, ACQUIRE);
}

static void emit_unlock_entry(struct program *p)
{
	load(p, BPF_REG_6, BPF_REG_1, offsetof(struct pt_regs, rdi));
	load(p, BPF_REG_3, BPF_REG_1, offsetof(struct pt_regs, rsp));
	constant(p, BPF_REG_2, 8);
	stack_address(p, BPF_REG_1, -16);
	call(p, BPF_FUNC_probe_read_kernel);
	load(p, BPF_REG_8, BPF_REG_10, (size_t)-16);
	emit_record(p, RELEASE);
}

/* --- attaching --------------------------------------------------------------- */

static int attach_probe(const char *function, bool returns,
			void (*emit_program)(struct program *p))
{
	struct program p = { 0 };

	emit_program(&p);
	return attach_kprobe(function, returns, &p);
}

static int attach_function(const char *function, enum bpf_attach_type type, int32_t id)
{
	struct program p = { 0 };

	emit_fentry(&p, id);
	return attach_fentry(function, type, &p);
}

static int attach(const char *how)
{
	if (!strcmp(how, "fentry"))
		return attach_function(UNLOCK, BPF_TRACE_FENTRY, RELEASE) ||
		       attach_function(LOCK, BPF_TRACE_FEXIT, ACQUIRE);
	return attach_probe(UNLOCK, false, emit_unlock_entry) ||
	       attach_probe(LOCK, true, emit_lock_return) ||
	       attach_probe(LOCK, false, emit_lock_entry);
}

/* --- the command, and the records --------------------------------------------- */

/* All that came is still there, unless there was no room. */
static int count_records(void)
{
	size_t count, room = RING_BYTES / RECORD_BYTES;

	if (command_count(ring_fd, sizeof(struct record), &count))
		return complain("read", "the ring buffer");
	fprintf(stderr, "records %zu\n", count);
	if (count + 1 < room)
		return 0;
	errno = ENOSPC;
	return complain("record all in", "the ring buffer");
}

static bool make_maps(void)
{
	ring_fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, RING_BYTES, NULL);
	if (by_thread)
		locks_fd = bpf_map_create(BPF_MAP_TYPE_HASH, "locks", 4, 8, THREADS, NULL);
	else
		locks_fd = bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "locks", 4, 8, 1, NULL);
	return ring_fd >= 0 && locks_fd >= 0;
}

int main(int argc, char **argv)
{
	int status;

	if (argc < 4 || strcmp(argv[2], "--") || (strcmp(argv[1], "kprobe") &&
	    strcmp(argv[1], "bcc") && strcmp(argv[1], "fentry"))) {
		fprintf(stderr, "Usage: bpf_locks kprobe|bcc|fentry -- COMMAND [ARG...]\n");
		return 2;
	}
	libbpf_set_print(command_quiet);
	by_thread = !strcmp(argv[1], "bcc");
	if (!make_maps()) {
		complain("make", "the maps");
		return FAILED;
	}
	if (attach(argv[1]))
		return FAILED;
	status = command_run(argv + 3);
	return count_records() ? FAILED : status;
}
