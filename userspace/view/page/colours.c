// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The colours of figures: Okabe's and Ito's for the kernel's locks, except yellow,
 * which is too pale on white; then Tol's muted ones. Dashes distinguish lines without
 * colours.
 */
#include "view/page/colours.h"

static const struct colour {
	const char	*code;
	const char	*dashes;	/* of a line; NULL: it is solid */
} colours[COLOURS] = {
	[FT_LOCK_SPIN]		= { "#0072b2", NULL },
	[FT_LOCK_RWLOCK_READ]	= { "#56b4e9", "7 3" },
	[FT_LOCK_RWLOCK_WRITE]	= { "#cc79a7", "2 3" },
	[FT_LOCK_MUTEX]		= { "#d55e00", NULL },
	[FT_LOCK_SEMAPHORE]	= { "#e69f00", "9 3 2 3" },
	[FT_LOCK_RWSEM_READ]	= { "#009e73", NULL },
	[FT_LOCK_RWSEM_WRITE]	= { "#4d4d4d", "5 2" },
	[FT_LOCK_RAW_SPIN]	= { "#b15928", NULL },
	[LOCKS_RT_SPIN]		= { "#332288", NULL },
	[LOCKS_RT_RWLOCK_READ]	= { "#44aa99", "7 3" },
	[LOCKS_RT_RWLOCK_WRITE]	= { "#aa4499", "2 3" },
	[LOCKS_PTHREAD_MUTEX]	= { "#882255", NULL },
	[LOCKS_PTHREAD_READ]	= { "#117733", "7 3" },
	[LOCKS_PTHREAD_WRITE]	= { "#661100", "2 3" },
	[LOCKS_PTHREAD_SPIN]	= { "#6699cc", NULL },
	[LOCKS_SEM]		= { "#999933", "9 3 2 3" },
	[LOCKS_COND]		= { "#888888", "5 2" },
	[COLOUR_BOTH]		= { "#8c6d31", NULL },
};

void colours_style(FILE *f)
{
	unsigned int i;

	for (i = 0; i < COLOURS; i++) {
		const struct colour *c = &colours[i];

		fprintf(f, "svg .c%u { fill: %s; } svg .l.c%u { fill: none; stroke: %s; }\n",
			i, c->code, i, c->code);
		if (c->dashes)
			fprintf(f, "svg .d.c%u { stroke-dasharray: %s; }\n", i, c->dashes);
	}
}
