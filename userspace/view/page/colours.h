/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The colours of figures, by number: that of a family of locks is the family's. A chart
 * refers to them as classes of the page's style.
 */
#ifndef FT_VIEW_COLOURS_H
#define FT_VIEW_COLOURS_H

#include <stdio.h>

#include "trace/families.h"

enum {
	COLOUR_BOTH = LOCKS_FAMILIES,	/* spinning and sleeping locks together */
	COLOURS
};

/** colours_style - the rules for all of them: classes c0, c1 ... */
void colours_style(FILE *f);

#endif /* FT_VIEW_COLOURS_H */
