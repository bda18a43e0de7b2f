/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Blocks that one thread fills, a crew works on, and the same thread empties, as on an
 * assembly line: in the order in which they were filled. There are a few blocks, which are
 * used in turn; when all of them are full, the thread that fills helps with the oldest.
 *
 *	struct line *line = line_new(crew, &asked);
 *	struct lot *lot = line_block(line);
 *
 *	for (...) {
 *		... fill lot ...
 *		if (full)
 *			lot = line_next(line);
 *	}
 *	line_flush(line);
 *	line_end(line, NULL);
 */
#ifndef FT_BASE_LINE_H
#define FT_BASE_LINE_H

#include <stddef.h>

#include "base/crew/crew.h"

/**
 * struct line_asked - what is to be done
 * @size:	of a block; blocks are zeroed in the beginning
 * @blocks:	how many
 * @in_turn:	a block is worked on after the one before it: never two at once
 * @work:	on a block, in any thread, whose number it gets; see crew.h for what it may not do
 * @empty:	a block that was worked on, by the thread that filled it; or NULL
 * @arg:	of both
 */
struct line_asked {
	size_t		size;
	unsigned int	blocks;
	bool		in_turn;
	void		(*work)(void *arg, void *block, unsigned int worker);
	void		(*empty)(void *arg, void *block);
	void		*arg;
};

struct line;

/** line_blocks - how many blocks keep a crew busy whose jobs may finish in any order */
unsigned int line_blocks(const struct crew *c);

/** line_new - of a crew that stays longer than the line */
struct line *line_new(struct crew *c, const struct line_asked *asked);

/** line_block - the one that is to be filled now */
void *line_block(const struct line *l);

/** line_next - that one is full. Return: another one to be filled */
void *line_next(struct line *l);

/** line_flush - all blocks were worked on and emptied, the one at hand, too */
void line_flush(struct line *l);

/** line_wait - the same, except the one at hand */
void line_wait(struct line *l);

/**
 * line_end - give back the memory; what was not flushed is not emptied, nor worked on unless
 *	that has begun
 * @each:	what hangs on a block, or NULL
 * @l:		or NULL
 */
void line_end(struct line *l, void (*each)(void *block));

#endif /* FT_BASE_LINE_H */
