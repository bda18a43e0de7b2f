// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Unwind tables: see cfi.h.
 *
 * The instructions of a function's entry say, step by step through its code, where the caller's
 * registers are: relative to the canonical frame address (CFA), the stack pointer's value before
 * the call.
 *
 * Everything else than what compilers write for C and C++ on x86-64 ends the stack.
 */
#include <stddef.h>
#include <string.h>

#include "libfeathertrace/unwind/cfi.h"
#include "libfeathertrace/unwind/cfi_known.h"
#include "libfeathertrace/unwind/cfi_table.h"

/* --- where the caller's registers are ------------------------------------- */

enum where {
	WHERE_SAME,		/* unchanged */
	WHERE_NOWHERE,
	WHERE_STACK,		/* at the CFA plus an offset */
	WHERE_OTHER,		/* not understood */
};

struct rules {
	int64_t	offset[FT_CFI_REGISTERS];
	uint8_t	where[FT_CFI_REGISTERS];
	uint8_t	cfa_register;	/* FT_CFI_REGISTERS: by an expression */
	int64_t	cfa_offset;
};

#define REMEMBER_MAX	2

struct machine {
	const struct ft_cfi_function	*f;
	struct rules		rules, first, remembered[REMEMBER_MAX];
	unsigned int		n_remembered;
	uintptr_t		at;	/* the rules are those from here on */
};

static void set(struct machine *m, uint64_t reg, enum where where, int64_t offset)
{
	/* vector registers are of no interest */
	if (reg >= FT_CFI_REGISTERS)
		return;
	m->rules.where[reg] = where;
	m->rules.offset[reg] = offset;
}

static void set_cfa(struct machine *m, struct ft_cfi_table *t, uint64_t reg, int64_t offset)
{
	t->bad |= reg >= FT_CFI_REGISTERS;
	m->rules.cfa_register = (uint8_t)reg;
	m->rules.cfa_offset = offset;
}

static void restore(struct machine *m, uint64_t reg)
{
	if (reg >= FT_CFI_REGISTERS)
		return;
	m->rules.where[reg] = m->first.where[reg];
	m->rules.offset[reg] = m->first.offset[reg];
}

static void skip_block(struct ft_cfi_table *t)
{
	uint64_t len = ft_cfi_uleb(t);

	if (len > (uint64_t)(t->end - t->at))
		t->bad = true;
	else
		t->at += len;
}

enum {
	OP_ADVANCE = 0x40, OP_OFFSET = 0x80, OP_RESTORE = 0xc0, OP_KIND = 0xc0, OP_LOW = 0x3f,
	OP_NOP = 0x00, OP_SET_LOC = 0x01, OP_ADVANCE1 = 0x02, OP_ADVANCE2 = 0x03,
	OP_ADVANCE4 = 0x04, OP_OFFSET_LONG = 0x05, OP_RESTORE_LONG = 0x06, OP_UNDEFINED = 0x07,
	OP_SAME = 0x08, OP_REGISTER = 0x09, OP_REMEMBER = 0x0a, OP_RECALL = 0x0b, OP_CFA = 0x0c,
	OP_CFA_REGISTER = 0x0d, OP_CFA_OFFSET = 0x0e, OP_CFA_EXPRESSION = 0x0f,
	OP_EXPRESSION = 0x10, OP_OFFSET_SIGNED = 0x11, OP_CFA_SIGNED = 0x12,
	OP_CFA_OFFSET_SIGNED = 0x13, OP_VALUE_EXPRESSION = 0x16, OP_ARGS_SIZE = 0x2e,
};

static void remember(struct machine *m, struct ft_cfi_table *t)
{
	if (m->n_remembered == REMEMBER_MAX)
		t->bad = true;
	else
		m->remembered[m->n_remembered++] = m->rules;
}

static void recall(struct machine *m, struct ft_cfi_table *t)
{
	if (!m->n_remembered)
		t->bad = true;
	else
		m->rules = m->remembered[--m->n_remembered];
}

static void run_cfa(struct machine *m, struct ft_cfi_table *t, uint8_t op)
{
	const int64_t factor = m->f->data_factor;
	uint64_t reg;

	switch (op) {
	case OP_CFA:
		reg = ft_cfi_uleb(t);
		set_cfa(m, t, reg, (int64_t)ft_cfi_uleb(t));
		break;
	case OP_CFA_SIGNED:
		reg = ft_cfi_uleb(t);
		set_cfa(m, t, reg, ft_cfi_sleb(t) * factor);
		break;
	case OP_CFA_REGISTER:
		set_cfa(m, t, ft_cfi_uleb(t), m->rules.cfa_offset);
		break;
	case OP_CFA_OFFSET:
		m->rules.cfa_offset = (int64_t)ft_cfi_uleb(t);
		break;
	case OP_CFA_OFFSET_SIGNED:
		m->rules.cfa_offset = ft_cfi_sleb(t) * factor;
		break;
	case OP_CFA_EXPRESSION:
		skip_block(t);
		m->rules.cfa_register = FT_CFI_REGISTERS;
		break;
	default:
		t->bad = true;
	}
}

static void run_register(struct machine *m, struct ft_cfi_table *t, uint8_t op)
{
	const int64_t factor = m->f->data_factor;
	uint64_t reg;

	switch (op) {
	case OP_OFFSET_LONG:
		reg = ft_cfi_uleb(t);
		set(m, reg, WHERE_STACK, (int64_t)ft_cfi_uleb(t) * factor);
		break;
	case OP_OFFSET_SIGNED:
		reg = ft_cfi_uleb(t);
		set(m, reg, WHERE_STACK, ft_cfi_sleb(t) * factor);
		break;
	case OP_RESTORE_LONG:
		restore(m, ft_cfi_uleb(t));
		break;
	case OP_UNDEFINED:
		set(m, ft_cfi_uleb(t), WHERE_NOWHERE, 0);
		break;
	case OP_SAME:
		set(m, ft_cfi_uleb(t), WHERE_SAME, 0);
		break;
	case OP_REGISTER:
		reg = ft_cfi_uleb(t);
		ft_cfi_uleb(t);
		set(m, reg, WHERE_OTHER, 0);
		break;
	case OP_EXPRESSION:
	case OP_VALUE_EXPRESSION:
		reg = ft_cfi_uleb(t);
		skip_block(t);
		set(m, reg, WHERE_OTHER, 0);
		break;
	default:
		run_cfa(m, t, op);
	}
}

static void run_plain(struct machine *m, struct ft_cfi_table *t, uint8_t op)
{
	switch (op) {
	case OP_NOP:
		break;
	case OP_SET_LOC:
		m->at = ft_cfi_pointer(t, m->f->encoding);
		break;
	case OP_ADVANCE1:
		m->at += ft_cfi_get(t, 1) * m->f->code_factor;
		break;
	case OP_ADVANCE2:
		m->at += ft_cfi_get(t, 2) * m->f->code_factor;
		break;
	case OP_ADVANCE4:
		m->at += ft_cfi_get(t, 4) * m->f->code_factor;
		break;
	case OP_REMEMBER:
		remember(m, t);
		break;
	case OP_RECALL:
		recall(m, t);
		break;
	case OP_ARGS_SIZE:
		ft_cfi_uleb(t);
		break;
	default:
		run_register(m, t, op);
	}
}

/* Up to the rules for @pc. */
static bool run(struct machine *m, struct ft_cfi_table t, uintptr_t pc)
{
	while (t.at < t.end && !t.bad) {
		uint8_t op = (uint8_t)ft_cfi_get(&t, 1), low = op & OP_LOW;

		switch (op & OP_KIND) {
		case OP_ADVANCE:
			m->at += low * m->f->code_factor;
			break;
		case OP_OFFSET:
			set(m, low, WHERE_STACK, (int64_t)ft_cfi_uleb(&t) * m->f->data_factor);
			break;
		case OP_RESTORE:
			restore(m, low);
			break;
		default:
			run_plain(m, &t, op);
		}
		if (m->at > pc)
			break;
	}
	return !t.bad;
}

/*
 * An instruction that advances beyond @pc ends run() before the rules behind it are read. The
 * callee may have changed what it need not save.
 */
static bool find_rules(struct machine *m, const struct ft_cfi_function *f, uintptr_t pc)
{
	memset(m, 0, offsetof(struct machine, remembered));
	m->n_remembered = 0;
	m->f = f;
	m->at = f->begin;
	if (!run(m, f->common, pc))
		return false;
	m->first = m->rules;
	m->at = f->begin;
	return run(m, f->own, pc);
}

/* --- the caller ----------------------------------------------------------- */

#define CALLEE_SAVES	(1u << FT_CFI_RBX | 1u << FT_CFI_RBP | 0xfu << FT_CFI_R12)

/* It reads frames of callers, which sanitizers would report. */
__attribute__((no_sanitize("address", "thread")))
bool ft_cfi_load(uintptr_t at, const struct ft_cfi_bounds *stack, uintptr_t *value)
{
	if (at % sizeof(*value) || at < stack->begin || at >= stack->end ||
	    stack->end - at < sizeof(*value))
		return false;
	*value = *(const volatile uintptr_t *)at;
	return true;
}

static const uint8_t saved_registers[FT_CFI_SAVED] = {
	FT_CFI_RBX, FT_CFI_RBP, FT_CFI_R12, FT_CFI_R12 + 1, FT_CFI_R12 + 2, FT_CFI_R12 + 3,
};

static int16_t shortened(const struct rules *r, uint8_t reg)
{
	if (r->where[reg] == WHERE_SAME)
		return FT_CFI_SAME;
	/* the return address is at the CFA itself, below it */
	if (r->where[reg] != WHERE_STACK || r->offset[reg] >= 0 || r->offset[reg] <= FT_CFI_LOST)
		return FT_CFI_LOST;
	return (int16_t)r->offset[reg];
}

/* Return: false if the rules do not fit the short form, which compilers' rules do. */
static bool shorten(const struct rules *from, struct ft_cfi_rules *to)
{
	if (from->where[FT_CFI_RIP] == WHERE_NOWHERE) {
		*to = (struct ft_cfi_rules){ .is_last = 1 };
		return true;
	}
	if (from->cfa_register >= FT_CFI_REGISTERS || from->where[FT_CFI_RIP] != WHERE_STACK ||
	    from->offset[FT_CFI_RIP] != -(int64_t)sizeof(uintptr_t) ||
	    from->cfa_offset != (int32_t)from->cfa_offset)
		return false;
	*to = (struct ft_cfi_rules){
		.cfa_register = from->cfa_register, .cfa_offset = (int32_t)from->cfa_offset,
	};
	for (unsigned int i = 0; i < FT_CFI_SAVED; i++)
		to->saved[i] = shortened(from, saved_registers[i]);
	return true;
}

static void restore_saved(const struct ft_cfi_rules *r, uintptr_t cfa, struct ft_cfi_frame *frame,
			  const struct ft_cfi_bounds *stack)
{
	for (unsigned int i = 0; i < FT_CFI_SAVED; i++) {
		uint8_t reg = saved_registers[i];

		if (r->saved[i] == FT_CFI_SAME)
			continue;
		if (r->saved[i] == FT_CFI_LOST ||
		    !ft_cfi_load(cfa + (uintptr_t)(intptr_t)r->saved[i], stack, &frame->reg[reg]))
			frame->known &= ~(1u << reg);
		else
			frame->known |= 1u << reg;
	}
}

static enum ft_cfi_result go(const struct ft_cfi_rules *r, struct ft_cfi_frame *frame,
			     const struct ft_cfi_bounds *stack)
{
	uintptr_t cfa, ret;

	if (r->is_last)
		return FT_CFI_END;
	if (!(frame->known & 1u << r->cfa_register))
		return FT_CFI_BAD;
	cfa = frame->reg[r->cfa_register] + (uintptr_t)(intptr_t)r->cfa_offset;
	/* Frames follow each other upwards: so every walk ends. */
	if (cfa <= frame->reg[FT_CFI_RSP] || cfa > stack->end ||
	    !ft_cfi_load(cfa - sizeof(ret), stack, &ret))
		return FT_CFI_BAD;
	frame->known &= CALLEE_SAVES;
	restore_saved(r, cfa, frame, stack);
	frame->reg[FT_CFI_RIP] = ret;
	frame->reg[FT_CFI_RSP] = cfa;
	frame->known |= 1u << FT_CFI_RIP | 1u << FT_CFI_RSP;
	return FT_CFI_CALLER;
}

/* Return: FT_CFI_CALLER: @rules say where that is. */
static enum ft_cfi_result read_rules(uintptr_t pc, struct ft_cfi_rules *rules)
{
	struct machine m;
	struct ft_cfi_function f;

	if (!ft_cfi_function_at(&f, pc)) {
		/* the kernel has put no call before its frame */
		if (ft_cfi_function_at(&f, pc + 1) && f.is_signal)
			return FT_CFI_SIGNAL;
		return FT_CFI_END;
	}
	if (f.is_signal)
		return FT_CFI_SIGNAL;
	return find_rules(&m, &f, pc) && shorten(&m.rules, rules) ? FT_CFI_CALLER : FT_CFI_BAD;
}

enum ft_cfi_result ft_cfi_step(struct ft_cfi_frame *frame, const struct ft_cfi_bounds *stack)
{
	/* of the call, which is before the address it returns to */
	uintptr_t pc = frame->reg[FT_CFI_RIP] - 1;
	enum ft_cfi_result result;
	struct ft_cfi_rules rules;

	if (!ft_cfi_known_rules(pc, &rules)) {
		result = read_rules(pc, &rules);
		if (result != FT_CFI_CALLER)
			return result;
		ft_cfi_keep_rules(pc, &rules);
	}
	return go(&rules, frame, stack);
}

/* A call is 0xe8 and a distance, or 0xff with 2 in the middle of the byte behind it. */
static bool is_behind_call(uintptr_t addr)
{
	const uint8_t *code = (const uint8_t *)addr;
	struct ft_cfi_function f;
	uintptr_t len;

	if (!ft_cfi_function_at(&f, addr - 1))
		return false;
	len = addr - f.begin;
	if (len >= 5 && code[-5] == 0xe8)
		return true;
	for (unsigned int n = 2; n <= 7 && n <= len; n++) {
		if (code[-(int)n] == 0xff && (code[1 - (int)n] & 0x38) == 0x10)
			return true;
	}
	return false;
}

bool ft_cfi_is_return(uintptr_t addr)
{
	if (ft_cfi_known_return(addr))
		return true;
	if (!is_behind_call(addr))
		return false;
	ft_cfi_keep_return(addr);
	return true;
}
