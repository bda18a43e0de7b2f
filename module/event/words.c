// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Words whose source user space describes: an argument of the tracepoint, or what pointers
 * lead to from there. User space knows the types (ft, from the kernel's BTF); this code does
 * not, so it reads memory without faulting, whatever the address.
 */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#ifdef CONFIG_X86_64
#include <asm/page.h>
#include <asm/pgtable.h>
#include <uapi/asm/vsyscall.h>
#endif

#include "event/table.h"
#include "event/words.h"

/* Behind a probe's own argument. Further ones are on the stack, one behind the other. */
#define FT_WORDS_REGISTERS	5
/* A value that is always 0, behind the registers. */
#define FT_WORDS_ZERO		FT_WORDS_REGISTERS

#ifdef CONFIG_X86_64
/* An argument of this type begins where those begin that have no register. */
struct ft_words_stack {
	u64	arg[FT_WORD_ARGS - FT_WORDS_REGISTERS];
};

#define FT_WORDS_MAX		FT_WORD_ARGS
#else
struct ft_words_stack {
	u64	arg[1];
};

#define FT_WORDS_MAX		FT_WORDS_REGISTERS
#endif

/* --- making a word --------------------------------------------------------- */

/*
 * As copy_from_kernel_nofault() in fewer instructions: check that the address is the kernel's,
 * then read it in the same way, below. At a kernel address, a fault ends in the exception table
 * whether faults are disabled or not. That function asks the CPU how long addresses are. Here the
 * page tables count, which may have a level less: the kernel complains about addresses beyond
 * theirs.
 */
static __always_inline bool ft_words_may_read(u64 at)
{
#ifdef CONFIG_X86_64
	return at >= -BIT_ULL(__VIRTUAL_MASK_SHIFT) && (at & PAGE_MASK) != VSYSCALL_ADDR;
#else
	return (s64)at < 0;
#endif
}

/* Replaces an address by what is there, with zeroes above. Return: false if it cannot be read. */
static __always_inline bool ft_words_read(u64 *value, u8 size)
{
	u64 from = *value, v64;
	u32 v32;
	u16 v16;
	u8 v8;

	if (!size)
		return true;	/* the address itself */
	if (!ft_words_may_read(from))
		return false;
	switch (size) {
	case sizeof(u64):
		__get_kernel_nofault(&v64, (u64 *)(uintptr_t)from, u64, failed);
		*value = v64;
		return true;
	case sizeof(u32):
		__get_kernel_nofault(&v32, (u32 *)(uintptr_t)from, u32, failed);
		*value = v32;
		return true;
	case sizeof(u16):
		__get_kernel_nofault(&v16, (u16 *)(uintptr_t)from, u16, failed);
		*value = v16;
		return true;
	default:
		__get_kernel_nofault(&v8, (u8 *)(uintptr_t)from, u8, failed);
		*value = v8;
		return true;
	}
failed:
	return false;
}

/* In any context, as the probe. Each CPU has a count of its own: no other waits for its line. */
static noinline u64 ft_words_fail(const struct ft_words_way *way)
{
	this_cpu_inc(*way->unread);
	return 0;
}

static u64 ft_words_load(const struct ft_words_way *way, u64 value)
{
	unsigned int i;

	for (i = 0; i < way->loads; i++) {
		value += way->offset[i];
		if (!ft_words_read(&value, i + 1 < way->loads ? sizeof(u64) : way->size))
			return ft_words_fail(way);
	}
	return value;
}

/* As deep as contexts nest: a task, a softirq, a hardirq, an NMI. */
#define FT_WORDS_DEPTH		4

static DEFINE_PER_CPU(unsigned int, ft_words_depth);

/*
 * Reading bad memory causes a page fault, which is a tracepoint of its own. Its probe may be this
 * one, and read bad memory again.
 */
static u64 ft_words_follow(const struct ft_words_way *way, u64 value)
{
	preempt_disable_notrace();
	if (likely(this_cpu_inc_return(ft_words_depth) <= FT_WORDS_DEPTH))
		value = ft_words_load(way, value);
	else
		value = ft_words_fail(way);
	this_cpu_dec(ft_words_depth);
	preempt_enable_notrace();
	return value;
}

static __always_inline u64 ft_words_make(const struct ft_words_way *way, const u64 *registers,
					 const struct ft_words_stack *stack)
{
	u64 value = way->arg <= FT_WORDS_ZERO ? registers[way->arg] :
						stack->arg[way->arg - FT_WORDS_ZERO - 1];

	if (way->loads)
		value = ft_words_follow(way, value);
	value <<= way->up;
	return way->is_signed ? (s64)value >> way->down : value >> way->down;
}

/* --- probes ---------------------------------------------------------------- */

static void ft_words_probe_record(struct ft_words *words, u64 a, u64 b, u64 c, u64 d, u64 e,
				  struct ft_words_stack stack)
{
	const u64 registers[] = { a, b, c, d, e, 0 };

	ft_typed_record(&words->own, ft_words_make(&words->way[0], registers, &stack),
			ft_words_make(&words->way[1], registers, &stack));
}

static void ft_words_probe_watch(struct ft_words *words, u64 a, u64 b, u64 c, u64 d, u64 e,
				 struct ft_words_stack stack)
{
	const u64 registers[] = { a, b, c, d, e, 0 };

	ft_typed_watch(&words->own, ft_words_make(&words->way[0], registers, &stack),
		       ft_words_make(&words->way[1], registers, &stack));
}

void * const ft_words_record = ft_words_probe_record;
void * const ft_words_watch = ft_words_probe_watch;

/* --- descriptions of words -------------------------------------------------- */

static bool ft_words_is_size(u8 size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool ft_words_is_kind(u8 kind)
{
	return kind == FT_FIELD_HEX || kind == FT_FIELD_CODE || kind == FT_FIELD_UNSIGNED ||
	       kind == FT_FIELD_SIGNED;
}

static bool ft_words_is_valid(const struct ft_word *word)
{
	static const struct ft_word none = { .arg = FT_WORD_NONE };
	unsigned int read = word->loads && word->size ? 8 * word->size : 64;
	unsigned int i;

	if (word->arg == FT_WORD_NONE)
		return !memcmp(word, &none, sizeof(none));
	for (i = word->loads; i < FT_WORD_LOADS; i++)
		if (word->offset[i])
			return false;
	return word->arg >= 1 && word->arg <= FT_WORDS_MAX && ft_words_is_kind(word->kind) &&
	       word->loads <= FT_WORD_LOADS &&
	       (ft_words_is_size(word->size) ? word->loads > 0 : !word->size) &&
	       word->bits >= 1 && word->bits + word->shift <= read &&
	       !word->reserved[0] && !word->reserved[1] &&
	       memchr(word->field, 0, sizeof(word->field)) &&
	       ft_table_is_identifier(word->field, sizeof(word->field));
}

bool ft_words_are_valid(const struct ft_word word[2])
{
	if (!ft_words_are_described(word))
		return !memchr_inv(word, 0, 2 * sizeof(*word));
	return ft_words_is_valid(&word[0]) && ft_words_is_valid(&word[1]) &&
	       (!word[0].field[0] || strcmp(word[0].field, word[1].field));
}

void ft_words_trim(struct ft_word word[2])
{
	size_t i, len;

	for (i = 0; i < 2; i++) {
		len = strlen(word[i].field);
		memset(word[i].field + len, 0, sizeof(word[i].field) - len);
	}
}

static void ft_words_set_way(struct ft_words_way *way, const struct ft_word *word)
{
	memset(way, 0, sizeof(*way));
	if (word->arg == FT_WORD_NONE) {
		way->arg = FT_WORDS_ZERO;
		return;
	}
	/* Those on the stack come behind the zero. */
	way->arg = word->arg <= FT_WORDS_REGISTERS ? word->arg - 1 : word->arg;
	way->loads = word->loads;
	way->size = word->size;
	way->is_signed = word->kind == FT_FIELD_SIGNED;
	way->up = 64 - word->shift - word->bits;
	way->down = 64 - word->bits;
	memcpy(way->offset, word->offset, sizeof(way->offset));
}

void ft_words_set(struct ft_words *words, const struct ft_word word[2], u64 __percpu *unread)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		ft_words_set_way(&words->way[i], &word[i]);
		words->way[i].unread = unread;
	}
}

/* Only for described words: others have no counts. */
static u64 ft_words_sum(const struct ft_words *words)
{
	u64 sum = 0;
	int cpu;

	if (!words->way[0].unread)
		return 0;
	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(words->way[0].unread, cpu));
	return sum;
}

u64 ft_words_unread(const struct ft_words *words)
{
	return ft_words_sum(words) - words->before;
}

void ft_words_read_again(struct ft_words *words)
{
	words->before = ft_words_sum(words);
}

void ft_words_fields(struct ft_field field[2], const struct ft_word *word)
{
	unsigned int i;

	memset(field, 0, 2 * sizeof(*field));
	for (i = 0; i < 2; i++) {
		strscpy(field[i].name, word[i].field, sizeof(field[i].name));
		field[i].bits = 64;
		field[i].kind = word[i].kind;
	}
}
