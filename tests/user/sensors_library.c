// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A library with sensors, which sensors.c loads and unloads. */
#include <feather_trace/trigger.h>

DEFINE_FT_COUNTER(rounds);
DEFINE_FT_HISTOGRAM(in_library, "things");
DEFINE_FT_COUNTER(sizes);	/* the program has a histogram of this name */

void count_here(int n);

void count_here(int n)
{
	for (int i = 0; i < n; i++) {
		ft_counter(rounds);
		ft_counter(sizes);
		ft_histogram(in_library, n - i);	/* the least comes last */
	}
}
