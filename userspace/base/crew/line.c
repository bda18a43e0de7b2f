// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A ring of blocks. See line.h. */
#include "base/crew/line.h"
#include "base/mem.h"

/* Some for each thread, as they do not take equally long; and a bound for memory. */
#define BLOCKS		4u
#define BLOCKS_MOST	64u

struct line_place {
	struct crew_job	job;	/* the first member */
	struct line	*line;
	void		*block;
	bool		given;
};

struct line {
	struct crew		*crew;
	struct line_asked	asked;
	struct line_place	*at;
	unsigned int		now;	/* is filled; behind it comes the oldest one */
};

static void run(struct crew_job *job, unsigned int worker)
{
	struct line_place *p = (struct line_place *)job;

	p->line->asked.work(p->line->asked.arg, p->block, worker);
}

unsigned int line_blocks(const struct crew *c)
{
	unsigned int n = BLOCKS * (crew_workers(c) + 1);

	return n < BLOCKS_MOST ? n : BLOCKS_MOST;
}

struct line *line_new(struct crew *c, const struct line_asked *asked)
{
	struct line *l = mem_zalloc(1, sizeof(*l));

	l->crew = c;
	l->asked = *asked;
	l->at = mem_zalloc(asked->blocks, sizeof(*l->at));
	for (unsigned int i = 0; i < asked->blocks; i++) {
		l->at[i].job.run = run;
		l->at[i].line = l;
		l->at[i].block = mem_zalloc_lines(1, asked->size);
	}
	return l;
}

void *line_block(const struct line *l)
{
	return l->at[l->now].block;
}

static void give(struct line *l, struct line_place *p)
{
	unsigned int before = (l->now ? l->now : l->asked.blocks) - 1;

	p->given = true;
	if (l->asked.in_turn)
		crew_give_behind(l->crew, &p->job, &l->at[before].job);
	else
		crew_give(l->crew, &p->job);
}

/* The oldest one that was given: nothing is in front of it. */
static void finish(struct line *l, struct line_place *p)
{
	if (!p->given)
		return;
	crew_finish(l->crew, &p->job);
	p->given = false;
	if (l->asked.empty)
		l->asked.empty(l->asked.arg, p->block);
}

void *line_next(struct line *l)
{
	give(l, &l->at[l->now]);
	l->now = (l->now + 1) % l->asked.blocks;
	finish(l, &l->at[l->now]);
	return line_block(l);
}

void line_wait(struct line *l)
{
	for (unsigned int i = 1; i < l->asked.blocks; i++)
		finish(l, &l->at[(l->now + i) % l->asked.blocks]);
}

void line_flush(struct line *l)
{
	line_next(l);
	line_wait(l);
}

void line_end(struct line *l, void (*each)(void *block))
{
	if (!l)
		return;
	/* the latest first: in turn, nothing is behind what is taken back */
	for (unsigned int i = l->asked.blocks - 1; i; i--) {
		struct line_place *p = &l->at[(l->now + i) % l->asked.blocks];

		if (p->given)
			crew_take_back(l->crew, &p->job);
	}
	for (unsigned int i = 0; i < l->asked.blocks; i++) {
		if (each)
			each(l->at[i].block);
		mem_free(l->at[i].block);
	}
	mem_free(l->at);
	mem_free(l);
}
