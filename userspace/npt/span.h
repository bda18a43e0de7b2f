/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Spans of a clock as text and in nanoseconds. */
#ifndef FT_NPT_SPAN_H
#define FT_NPT_SPAN_H

#include <stdint.h>

#include "view/text/text.h"

#define SPAN_LEN	CELL

/** span_text - "12.3 us"; @ticks may have a fraction */
static inline const char *span_text(char buf[SPAN_LEN], double ticks, uint64_t hz)
{
	return text_ps(buf, (report_ps)((long double)ticks * 1e12L / (long double)hz));
}

/** span_ns - with a fraction */
static inline double span_ns(double ticks, uint64_t hz)
{
	return (double)((long double)ticks * 1e9L / (long double)hz);
}

#endif /* FT_NPT_SPAN_H */
