/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* How long the waits of ft_waits.c take; nearly, as clocks differ a little. */
#ifndef FT_WAITS_H
#define FT_WAITS_H

#define WAITS_OUTER_US	200	/* without the inner one */
#define WAITS_INNER_US	20

/* The outer one is longer than this, and not yet so when the inner one ends. */
#define WAITS_LONG_US	150
/* Both are longer than this. */
#define WAITS_SHORT_US	10

#endif /* FT_WAITS_H */
