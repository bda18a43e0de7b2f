/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The description of a long section and of those inside it, for text and page. */
#ifndef FT_VIEW_LONG_SECTION_H
#define FT_VIEW_LONG_SECTION_H

#include "analysis/report.h"

/* How many of the sections inside a section are shown: the longest, by time. */
#define LONG_SHOWN	12

/** struct long_inside - something that began inside */
struct long_inside {
	uint64_t	since;		/* ticks after the outer one's begin */
	uint64_t	held;		/* ticks; at least, where it goes on */
	bool		goes_on;	/* beyond the end of the outer one */
	unsigned int	level;		/* in how many others of these it lies */
	const char	*family;
	const char	*context;	/* NULL: that of the outer one */
	uint64_t	site;
};

#define LONG_WORDS	(2 * SYMBOLS_LEN)

/** struct long_shown - a long section as it is shown */
struct long_shown {
	uint64_t		held;			/* ticks */
	char			what[LONG_WORDS];	/* its family, and where it began */
	char			where[LONG_WORDS];	/* when, which CPU, task and lock */
	const char		*line;			/* of the source code, or NULL */
	char			*stack;			/* its functions, or NULL; long_end() */
	struct long_inside	inside[LONG_SHOWN];
	unsigned int		n_inside;
	char			left_out[160];		/* of what is inside; may be "" */
};

/** long_show - how @l is shown */
void long_show(struct long_shown *shown, const struct report *r,
	       const struct long_section *l);

/** long_end - free what long_show() has made */
void long_end(struct long_shown *shown);

#endif /* FT_VIEW_LONG_SECTION_H */
