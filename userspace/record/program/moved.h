/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Libraries that come and go. When a library is unloaded, another one may be loaded at the
 * same addresses; but a reader of a trace expects one library for each address. So the
 * later one is moved, in info/programs and in the records, to addresses that no program
 * uses: the kernel's half of the address space.
 */
#ifndef FT_RECORD_PROGRAM_MOVED_H
#define FT_RECORD_PROGRAM_MOVED_H

#include "record/program/run.h"

/**
 * struct run_life - a file that a process has mapped for a time
 * @from:	index of the object that recorded its loading
 * @gone:	index of the object that ended it: its unloading, or what was loaded over it;
 *		or UINT32_MAX
 * @until:	when that was; or UINT64_MAX
 * @shift:	added to its addresses
 * @shared:	at another time, another file had one of its addresses
 * @again:	the same file was at the same place before
 */
struct run_life {
	__u32	process, from, gone;
	__u64	start, end, bias, until, shift;
	bool	shared, again;
	char	path[sizeof(((struct ft_user_object *)0)->path)];
};

struct run_lives {
	struct run_life	*life;
	size_t		n;
	bool		moved;		/* some of them have a shift */
};

/** run_lives_find - find all files in the session's objects. Return: false with a message */
bool run_lives_find(struct run *run, struct run_lives *lives);
void run_lives_free(struct run_lives *lives);

/** run_moved_save - apply the shifts to the records. Return: false with a message */
bool run_moved_save(struct run *run, const struct run_lives *lives);

#endif /* FT_RECORD_PROGRAM_MOVED_H */
