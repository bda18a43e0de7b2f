/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* How long the waits of ft_waits.c take, at least. */
#ifndef FT_WAITS_H
#define FT_WAITS_H

#define WAITS_OUTER_US	200	/* without the inner one */
#define WAITS_INNER_US	20

#endif /* FT_WAITS_H */
