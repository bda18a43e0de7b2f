/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* How many elements an array has. */
#ifndef FT_BASE_ARRAY_H
#define FT_BASE_ARRAY_H

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#endif /* FT_BASE_ARRAY_H */
