// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Tests of an event's words, task and CPU: checked, and made quick to evaluate.
 */
#include "watch/comparison.h"

static_assert(sizeof_field(struct ft_test, comm) == TASK_COMM_LEN);

bool ft_comparison_check(const struct ft_test *test)
{
	if (test->what > FT_TEST_COMM || test->op > FT_TEST_GREATER_EQUAL || test->reserved ||
	    test->flags & ~(FT_TEST_SIGNED | FT_TEST_AT_BEGIN))
		return false;
	if (test->what != FT_TEST_COMM)
		return test->mask && !memchr_inv(test->comm + sizeof(test->value), 0,
						 sizeof(test->comm) - sizeof(test->value));
	return test->op <= FT_TEST_UNEQUAL && !test->mask && !test->comm[TASK_COMM_LEN - 1] &&
	       !(test->flags & FT_TEST_SIGNED);
}

void ft_comparison_set(struct ft_comparison *to, const struct ft_test *test)
{
	static const u8 accept[] = {
		[FT_TEST_EQUAL]		= FT_IS_EQUAL,
		[FT_TEST_UNEQUAL]	= FT_IS_LESS | FT_IS_GREATER,
		[FT_TEST_LESS]		= FT_IS_LESS,
		[FT_TEST_LESS_EQUAL]	= FT_IS_LESS | FT_IS_EQUAL,
		[FT_TEST_GREATER]	= FT_IS_GREATER,
		[FT_TEST_GREATER_EQUAL]	= FT_IS_GREATER | FT_IS_EQUAL,
	};

	to->what = test->what;
	to->accept = accept[test->op];
	to->mask = test->mask;
	to->flip = test->flags & FT_TEST_SIGNED ? BIT_ULL(63) : 0;
	to->value = test->value ^ to->flip;
	memcpy(to->comm, test->comm, sizeof(to->comm));
}
