/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Arrays: how many elements there are, and where one is. */
#ifndef FT_BASE_ARRAY_H
#define FT_BASE_ARRAY_H

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/**
 * array_first - of an array in order, the first for which @below does not hold
 * @n:	length of the array; and the answer if it holds for all
 * @i:	name of the index in @below, which holds for all before the answer, and for none else
 */
#define array_first(n, i, below) ({					\
	size_t low_ = 0, high_ = (n);					\
									\
	while (low_ < high_) {						\
		size_t i = low_ + (high_ - low_) / 2;			\
									\
		if (below)						\
			low_ = i + 1;					\
		else							\
			high_ = i;					\
	}								\
	low_;								\
})

#endif /* FT_BASE_ARRAY_H */
