/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Numbers of ft compare as people read them, beside those of text.h. */
#ifndef FT_VIEW_COMPARE_FORMAT_H
#define FT_VIEW_COMPARE_FORMAT_H

#include "view/text/text.h"

/** format_seconds - as text_ps() */
static inline const char *format_seconds(char *buf, double seconds)
{
	return text_ps(buf, (report_ps)(seconds * 1e12 + 0.5));
}

/** format_change - "+30 %", "-4.5 %"; "x2.5" and "/3.1" from a factor of 2 on */
const char *format_change(char *buf, double relative);

#endif /* FT_VIEW_COMPARE_FORMAT_H */
