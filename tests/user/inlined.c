// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A trigger in a function that is inlined into one that is inlined into another. */
#include <feather_trace/trigger.h>

DEFINE_FT_EVENT(item, value);

#define INLINE	static inline __attribute__((always_inline))

INLINE void push(int value)
{
	ft_event(item, value);
}

INLINE void push_both(int value)
{
	push(value);
	push(value + 1);
}

__attribute__((noinline)) static void fill(int value)
{
	push_both(value);
}

int main(int argc, char **argv)
{
	(void)argv;
	fill(argc);
	return 0;
}
