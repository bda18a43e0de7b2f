// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Unwind tables: see cfi.h.
 *
 * A file's .eh_frame_hdr has the addresses of its functions, sorted, each with the place of its
 * entry (FDE) in .eh_frame. The entry names another one that it shares with others (CIE). Both
 * have instructions, which say step by step where the caller's registers are: relative to the
 * canonical frame address (CFA), the stack pointer's value before the call.
 *
 * Everything else than what compilers write for C and C++ on x86-64 ends the stack.
 */
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "libfeathertrace/cfi.h"

#if defined(__x86_64__) && defined(DLFO_STRUCT_HAS_EH_DBASE)

/* Of glibc 2.35: async-signal-safe, no lock. An older one lets this library load, without it. */
extern int _dl_find_object(void *pc, struct dl_find_object *result) __attribute__((weak));

bool ft_cfi_is_there(void)
{
	return _dl_find_object;
}

/* --- reading tables ------------------------------------------------------- */

/* What is left of an entry. @bad: something was read beyond it, or is not understood. */
struct table {
	const uint8_t	*at, *end;
	bool		bad;
};

static uint64_t get(struct table *t, size_t bytes)
{
	uint64_t value = 0;

	if ((size_t)(t->end - t->at) < bytes) {
		t->bad = true;
		t->at = t->end;
		return 0;
	}
	memcpy(&value, t->at, bytes);
	t->at += bytes;
	return value;
}

static uint64_t get_uleb(struct table *t)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)get(t, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

static int64_t get_sleb(struct table *t)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)get(t, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64 && byte & 0x40)
		value |= ~0ull << shift;
	return (int64_t)value;
}

/* How pointers are written. */
enum {
	ENC_ABS = 0x00, ENC_UDATA4 = 0x03, ENC_UDATA8 = 0x04, ENC_SDATA4 = 0x0b,
	ENC_SDATA8 = 0x0c, ENC_FORMAT = 0x0f, ENC_RELATIVE = 0x70, ENC_PC = 0x10, ENC_DATA = 0x30,
	ENC_OMITTED = 0xff,
};

static uintptr_t get_pointer(struct table *t, uint8_t encoding)
{
	uintptr_t from = (encoding & ENC_RELATIVE) == ENC_PC ? (uintptr_t)t->at : 0;
	uint64_t value = 0;

	switch (encoding & ENC_FORMAT) {
	case ENC_ABS:
	case ENC_UDATA8:
	case ENC_SDATA8:
		value = get(t, 8);
		break;
	case ENC_UDATA4:
		value = get(t, 4);
		break;
	case ENC_SDATA4:
		value = (uint64_t)(int64_t)(int32_t)get(t, 4);
		break;
	default:
		t->bad = true;
	}
	return from + value;
}

/* --- a function's entry --------------------------------------------------- */

struct function {
	uintptr_t	begin, size;
	struct table	common, own;	/* instructions */
	uint64_t	code_factor;
	int64_t		data_factor;
	uint8_t		encoding;	/* of addresses */
	bool		is_signal;
};

/* An entry of .eh_frame, which begins with its length. Return: false: none is there. */
static bool open_entry(struct table *t, uintptr_t at)
{
	uint32_t len;

	memcpy(&len, (const void *)at, sizeof(len));
	t->at = (const uint8_t *)at + sizeof(len);
	t->end = t->at + len;
	t->bad = false;
	/* ~0: 64 bits, which nobody writes there */
	return len && len != UINT32_MAX;
}

static void read_augmentation(struct function *f, struct table *t, const char *what)
{
	uint64_t len = get_uleb(t);
	struct table data = *t;

	if (len > (uint64_t)(t->end - t->at)) {
		t->bad = true;
		return;
	}
	t->at += len;
	data.end = t->at;
	for (what++; *what; what++) {
		if (*what == 'R')
			f->encoding = (uint8_t)get(&data, 1);
		else if (*what == 'P')
			get_pointer(&data, (uint8_t)get(&data, 1) & ENC_FORMAT);
		else if (*what == 'L')
			get(&data, 1);
		else if (*what == 'S')
			f->is_signal = true;
		else
			break;
	}
	t->bad |= data.bad;
}

static bool read_common(struct function *f, uintptr_t at)
{
	const char *augmentation;
	struct table t;

	if (!open_entry(&t, at) || get(&t, 4))
		return false;
	if (get(&t, 1) != 1)
		return false;
	augmentation = (const char *)t.at;
	while (get(&t, 1))
		;
	if (t.bad || *augmentation != 'z')
		return false;
	f->code_factor = get_uleb(&t);
	f->data_factor = get_sleb(&t);
	if (get_uleb(&t) != FT_CFI_RIP)
		return false;
	read_augmentation(f, &t, augmentation);
	f->common = t;
	return !t.bad;
}

static bool read_function(struct function *f, uintptr_t at)
{
	struct table t;
	uintptr_t common;

	memset(f, 0, sizeof(*f));
	if (!open_entry(&t, at))
		return false;
	common = (uintptr_t)t.at;
	common -= get(&t, 4);
	if (t.bad || common == at + 4 || !read_common(f, common))
		return false;
	f->begin = get_pointer(&t, f->encoding);
	f->size = get_pointer(&t, f->encoding & ENC_FORMAT);
	t.at += get_uleb(&t);
	if (t.at > t.end)
		return false;
	f->own = t;
	return !t.bad;
}

/* A row of .eh_frame_hdr: relative to its beginning. */
struct row {
	int32_t	begin, entry;
};

/* Return: false: the tables know no function at @pc. */
static bool find_function(struct function *f, uintptr_t pc)
{
	struct dl_find_object object;
	const struct row *row;
	const uint8_t *head;
	uint32_t low = 0, high;
	uintptr_t base;

	if (_dl_find_object((void *)pc, &object) || !object.dlfo_eh_frame)
		return false;
	head = object.dlfo_eh_frame;
	base = (uintptr_t)head;
	/* version, and how the rest is written: as every linker does */
	if (head[0] != 1 || (head[1] & ENC_FORMAT) != ENC_SDATA4 || head[2] != ENC_UDATA4 ||
	    head[3] != (ENC_DATA | ENC_SDATA4))
		return false;
	memcpy(&high, head + 8, sizeof(high));
	row = (const struct row *)(head + 12);
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (base + (uintptr_t)(intptr_t)row[mid].begin <= pc)
			low = mid + 1;
		else
			high = mid;
	}
	return low && read_function(f, base + (uintptr_t)(intptr_t)row[low - 1].entry) &&
	       pc >= f->begin && pc - f->begin < f->size;
}

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
	const struct function	*f;
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

static void set_cfa(struct machine *m, struct table *t, uint64_t reg, int64_t offset)
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

static void skip_block(struct table *t)
{
	uint64_t len = get_uleb(t);

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

static void remember(struct machine *m, struct table *t)
{
	if (m->n_remembered == REMEMBER_MAX)
		t->bad = true;
	else
		m->remembered[m->n_remembered++] = m->rules;
}

static void recall(struct machine *m, struct table *t)
{
	if (!m->n_remembered)
		t->bad = true;
	else
		m->rules = m->remembered[--m->n_remembered];
}

static void run_cfa(struct machine *m, struct table *t, uint8_t op)
{
	const int64_t factor = m->f->data_factor;
	uint64_t reg;

	switch (op) {
	case OP_CFA:
		reg = get_uleb(t);
		set_cfa(m, t, reg, (int64_t)get_uleb(t));
		break;
	case OP_CFA_SIGNED:
		reg = get_uleb(t);
		set_cfa(m, t, reg, get_sleb(t) * factor);
		break;
	case OP_CFA_REGISTER:
		set_cfa(m, t, get_uleb(t), m->rules.cfa_offset);
		break;
	case OP_CFA_OFFSET:
		m->rules.cfa_offset = (int64_t)get_uleb(t);
		break;
	case OP_CFA_OFFSET_SIGNED:
		m->rules.cfa_offset = get_sleb(t) * factor;
		break;
	case OP_CFA_EXPRESSION:
		skip_block(t);
		m->rules.cfa_register = FT_CFI_REGISTERS;
		break;
	default:
		t->bad = true;
	}
}

static void run_register(struct machine *m, struct table *t, uint8_t op)
{
	const int64_t factor = m->f->data_factor;
	uint64_t reg;

	switch (op) {
	case OP_OFFSET_LONG:
		reg = get_uleb(t);
		set(m, reg, WHERE_STACK, (int64_t)get_uleb(t) * factor);
		break;
	case OP_OFFSET_SIGNED:
		reg = get_uleb(t);
		set(m, reg, WHERE_STACK, get_sleb(t) * factor);
		break;
	case OP_RESTORE_LONG:
		restore(m, get_uleb(t));
		break;
	case OP_UNDEFINED:
		set(m, get_uleb(t), WHERE_NOWHERE, 0);
		break;
	case OP_SAME:
		set(m, get_uleb(t), WHERE_SAME, 0);
		break;
	case OP_REGISTER:
		reg = get_uleb(t);
		get_uleb(t);
		set(m, reg, WHERE_OTHER, 0);
		break;
	case OP_EXPRESSION:
	case OP_VALUE_EXPRESSION:
		reg = get_uleb(t);
		skip_block(t);
		set(m, reg, WHERE_OTHER, 0);
		break;
	default:
		run_cfa(m, t, op);
	}
}

static void run_plain(struct machine *m, struct table *t, uint8_t op)
{
	switch (op) {
	case OP_NOP:
		break;
	case OP_SET_LOC:
		m->at = get_pointer(t, m->f->encoding);
		break;
	case OP_ADVANCE1:
		m->at += get(t, 1) * m->f->code_factor;
		break;
	case OP_ADVANCE2:
		m->at += get(t, 2) * m->f->code_factor;
		break;
	case OP_ADVANCE4:
		m->at += get(t, 4) * m->f->code_factor;
		break;
	case OP_REMEMBER:
		remember(m, t);
		break;
	case OP_RECALL:
		recall(m, t);
		break;
	case OP_ARGS_SIZE:
		get_uleb(t);
		break;
	default:
		run_register(m, t, op);
	}
}

/* Up to the rules for @pc. */
static bool run(struct machine *m, struct table t, uintptr_t pc)
{
	while (t.at < t.end && !t.bad) {
		uint8_t op = (uint8_t)get(&t, 1), low = op & OP_LOW;

		switch (op & OP_KIND) {
		case OP_ADVANCE:
			m->at += low * m->f->code_factor;
			break;
		case OP_OFFSET:
			set(m, low, WHERE_STACK, (int64_t)get_uleb(&t) * m->f->data_factor);
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
static bool find_rules(struct machine *m, const struct function *f, uintptr_t pc)
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

/* Return: false: it is outside. What a sanitizer thinks of the caller's frame is its own. */
__attribute__((no_sanitize("address", "thread")))
static bool load(uintptr_t at, const struct ft_cfi_bounds *stack, uintptr_t *value)
{
	if (at % sizeof(*value) || at < stack->begin || at >= stack->end ||
	    stack->end - at < sizeof(*value))
		return false;
	*value = *(const volatile uintptr_t *)at;
	return true;
}

static enum ft_cfi_result go(const struct machine *m, struct ft_cfi_frame *frame,
			     const struct ft_cfi_bounds *stack)
{
	const struct rules *r = &m->rules;
	struct ft_cfi_frame caller = { .known = frame->known & CALLEE_SAVES };
	uintptr_t cfa;

	if (r->where[FT_CFI_RIP] == WHERE_NOWHERE)
		return FT_CFI_END;
	if (r->cfa_register >= FT_CFI_REGISTERS || !(frame->known & 1u << r->cfa_register))
		return FT_CFI_BAD;
	cfa = frame->reg[r->cfa_register] + (uintptr_t)r->cfa_offset;
	/* Frames follow each other upwards: so every walk ends. */
	if (cfa <= frame->reg[FT_CFI_RSP] || cfa > stack->end ||
	    r->where[FT_CFI_RIP] != WHERE_STACK)
		return FT_CFI_BAD;
	for (unsigned int i = 0; i < FT_CFI_REGISTERS; i++) {
		caller.reg[i] = frame->reg[i];
		if (r->where[i] == WHERE_SAME)
			continue;
		caller.known &= ~(1u << i);
		if (r->where[i] == WHERE_STACK &&
		    load(cfa + (uintptr_t)r->offset[i], stack, &caller.reg[i]))
			caller.known |= 1u << i;
	}
	if (!(caller.known & 1u << FT_CFI_RIP))
		return FT_CFI_BAD;
	caller.reg[FT_CFI_RSP] = cfa;
	caller.known |= 1u << FT_CFI_RSP;
	*frame = caller;
	return FT_CFI_CALLER;
}

enum ft_cfi_result ft_cfi_step(struct ft_cfi_frame *frame, const struct ft_cfi_bounds *stack)
{
	/* of the call, which is before the address it returns to */
	uintptr_t pc = frame->reg[FT_CFI_RIP] - 1;
	struct machine m;
	struct function f;

	if (!find_function(&f, pc)) {
		/* the kernel has put no call before its frame */
		if (find_function(&f, pc + 1) && f.is_signal)
			return FT_CFI_SIGNAL;
		return FT_CFI_END;
	}
	if (f.is_signal)
		return FT_CFI_SIGNAL;
	return find_rules(&m, &f, pc) ? go(&m, frame, stack) : FT_CFI_BAD;
}

/* A call is 0xe8 and a distance, or 0xff with 2 in the middle of the byte behind it. */
bool ft_cfi_is_return(uintptr_t addr)
{
	const uint8_t *code = (const uint8_t *)addr;
	struct function f;
	uintptr_t len;

	if (!find_function(&f, addr - 1))
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

#else

bool ft_cfi_is_there(void)
{
	return false;
}

enum ft_cfi_result ft_cfi_step(struct ft_cfi_frame *frame, const struct ft_cfi_bounds *stack)
{
	(void)frame;
	(void)stack;
	return FT_CFI_END;
}

bool ft_cfi_is_return(uintptr_t addr)
{
	(void)addr;
	return false;
}

#endif
