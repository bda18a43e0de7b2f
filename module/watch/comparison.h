/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Tests of an event's words, task and CPU. */
#ifndef _FT_COMPARISON_H
#define _FT_COMPARISON_H

#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/types.h>
#include <uapi/linux/feather_trace.h>

/* What may be: bits of &ft_comparison.accept. */
#define FT_IS_LESS	BIT(0)
#define FT_IS_EQUAL	BIT(1)
#define FT_IS_GREATER	BIT(2)

/**
 * struct ft_comparison - a struct ft_test, in a form that is quickly evaluated
 * @what:	enum ft_test_what; FT_TEST_NONE: there are no more
 * @accept:	what the word may be in relation to @value: FT_IS_*
 * @mask:	the bits that count
 * @flip:	makes signed numbers comparable as unsigned ones
 * @value:	flipped
 * @comm:	FT_TEST_COMM
 */
struct ft_comparison {
	u8	what;
	u8	accept;
	u64	mask;
	u64	flip;
	u64	value;
	u64	comm[TASK_COMM_LEN / sizeof(u64)];
};

/* Is it a test that can be evaluated? */
bool ft_comparison_check(const struct ft_test *test);
void ft_comparison_set(struct ft_comparison *to, const struct ft_test *test);

/* The kernel pads names with zeroes. */
static inline bool ft_comparison_is_called(const struct ft_comparison *test)
{
	u64 name[ARRAY_SIZE(test->comm)];

	memcpy(name, current->comm, sizeof(name));
	return name[0] == test->comm[0] && name[1] == test->comm[1];
}

static __always_inline bool ft_comparison_holds(const struct ft_comparison *test,
						u64 a, u64 b)
{
	u8 is = FT_IS_LESS;
	u64 word;

	if (test->what == FT_TEST_A) {
		word = a;
	} else if (test->what == FT_TEST_B) {
		word = b;
	} else if (test->what == FT_TEST_TID) {
		word = current->pid;
	} else if (test->what == FT_TEST_CPU) {
		word = smp_processor_id();
	} else {
		is = ft_comparison_is_called(test) ? FT_IS_EQUAL : FT_IS_LESS;
		return is & test->accept;
	}

	word = (word & test->mask) ^ test->flip;
	if (word == test->value)
		is = FT_IS_EQUAL;
	else if (word > test->value)
		is = FT_IS_GREATER;
	return is & test->accept;
}

/* Do all of them hold? The last one is FT_TEST_NONE. */
static __always_inline bool ft_comparison_all_hold(const struct ft_comparison *test,
						   u64 a, u64 b)
{
	for (; test->what; test++)
		if (!ft_comparison_holds(test, a, b))
			return false;
	return true;
}

#endif /* _FT_COMPARISON_H */
