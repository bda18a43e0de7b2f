/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Why long turns were long: what the kernel did on their CPU meanwhile, as far as a trace
 * of the same time has it.
 */
#ifndef FT_NPT_CAUSES_H
#define FT_NPT_CAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "npt/turns.h"

/* An interrupt, or another task; cut to the turn. @depth: how many others it lies inside */
struct cause {
	uint64_t	start, end;
	unsigned int	depth;
	unsigned int	told;		/* its number, in the order in which they ended */
	char		*name;
};

/* The longest wait for a lock, or else critical section, on the CPU. */
struct cause_lock {
	uint64_t	length;		/* 0: none, or no locks were recorded */
	bool		waited;
	char		*name, *site;
	const char	*family;
};

/**
 * struct long_turn - @known: ticks of it that the causes of depth 0 explain
 * @gap: records were lost in it
 */
struct long_turn {
	struct turn		turn;
	struct cause		*cause;		/* in the order of their beginning */
	size_t			causes, room;
	uint64_t		known;
	bool			gap;
	struct cause_lock	lock;
};

struct causes {
	struct long_turn	*turn;
	size_t			n;
	uint64_t		lost;		/* records, in the trace */
	bool			found;		/* they were looked for */
};

/**
 * causes_begin - begin without any cause
 * @turns: find causes for the long ones of these
 */
void causes_begin(struct causes *c, const struct turns *turns);
void causes_free(struct causes *c);

/**
 * causes_find - look for them in a trace
 * @dir:	the trace
 * @clock:	of the turns, as a session file has it; that of the trace must be the same
 * @tid:	the task whose turns they are
 *
 * Return: false after a message.
 */
bool causes_find(struct causes *c, const char *dir, const char *clock, uint32_t cpu, pid_t tid);

/** causes_text - "local_timer 229 us: hrtimer_expire stall 228 us"; to be freed */
char *causes_text(const struct causes *c, const struct long_turn *turn, uint64_t hz);

#endif /* FT_NPT_CAUSES_H */
