/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * BPF programs, instruction by instruction: what the benchmarks of the kernel need,
 * with no compiler for BPF. Registers are arguments and results as the kernel has
 * them: R1 to R5, R0; R6 to R9 stay over calls.
 */
#ifndef BENCH_BPF_EMIT_H
#define BENCH_BPF_EMIT_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

/** struct program - a program that is being written */
struct program {
	struct bpf_insn	insns[80];
	size_t		count;
};

static inline struct bpf_insn *emit(struct program *p, uint8_t code, int dst, int src,
			     int16_t off, int32_t imm)
{
	struct bpf_insn *insn = &p->insns[p->count++];

	*insn = (struct bpf_insn) {
		.code = code,
		.dst_reg = (uint8_t)dst & 0xf,
		.src_reg = (uint8_t)src & 0xf,
		.off = off,
		.imm = imm,
	};
	return insn;
}

static inline void move(struct program *p, int dst, int src)
{
	emit(p, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static inline void constant(struct program *p, int dst, int32_t value)
{
	emit(p, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value);
}

static inline void load(struct program *p, int dst, int src, size_t off)
{
	emit(p, BPF_LDX | BPF_MEM | BPF_DW, dst, src, (int16_t)off, 0);
}

static inline void store(struct program *p, uint8_t size, int dst, int off, int src)
{
	emit(p, BPF_STX | BPF_MEM | size, dst, src, (int16_t)off, 0);
}

static inline void stack_address(struct program *p, int dst, int off)
{
	move(p, dst, BPF_REG_10);
	emit(p, BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, off);
}

static inline void map_address(struct program *p, int dst, int fd)
{
	emit(p, BPF_LD | BPF_IMM | BPF_DW, dst, BPF_PSEUDO_MAP_FD, 0, fd);
	emit(p, 0, 0, 0, 0, 0);
}

static inline void call(struct program *p, int32_t helper)
{
	emit(p, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

static inline void leave(struct program *p)
{
	constant(p, BPF_REG_0, 0);
	emit(p, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* Leave if R0 is NULL. */
static inline void leave_if_null(struct program *p)
{
	emit(p, BPF_JMP | BPF_JNE | BPF_K, BPF_REG_0, 0, 2, 0);
	leave(p);
}

/* R7: a record of @size in the ring buffer; R0: the time. Leave if there is no room. */
static inline void begin_record(struct program *p, int ring_fd, size_t size)
{
	map_address(p, BPF_REG_1, ring_fd);
	constant(p, BPF_REG_2, (int32_t)size);
	constant(p, BPF_REG_3, 0);
	call(p, BPF_FUNC_ringbuf_reserve);
	leave_if_null(p);
	move(p, BPF_REG_7, BPF_REG_0);
	call(p, BPF_FUNC_ktime_get_ns);
}

/* Publish the record of R7, and leave. */
static inline void end_record(struct program *p, int32_t flags)
{
	move(p, BPF_REG_1, BPF_REG_7);
	constant(p, BPF_REG_2, flags);
	call(p, BPF_FUNC_ringbuf_submit);
	leave(p);
}

#endif /* BENCH_BPF_EMIT_H */
