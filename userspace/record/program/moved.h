/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Libraries that come and go. An address is of the library that was there at that time,
 * but readers of a trace know one for each address. So where another one took the
 * place of a library that was unloaded, it gets a place of its own, in the half of
 * the address space that is the kernel's: in info/programs, and in the records.
 */
#ifndef FT_RECORD_PROGRAM_MOVED_H
#define FT_RECORD_PROGRAM_MOVED_H

#include "record/program/run.h"

/**
 * struct run_life - a file that a process has mapped for a time
 * @from:	index of the object that told of it
 * @gone:	of that which told of its end; or UINT32_MAX
 * @until:	when that was; or UINT64_MAX
 * @shift:	added to its addresses
 * @shared:	another file had an address of it at another time
 * @again:	an earlier one is the same file at the same place
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

/** run_lives_find - from all that the processes have told; false with a message */
bool run_lives_find(struct run *run, struct run_lives *lives);
void run_lives_free(struct run_lives *lives);

/** run_moved_save - put the shifts into the records; false with a message */
bool run_moved_save(struct run *run, const struct run_lives *lives);

#endif /* FT_RECORD_PROGRAM_MOVED_H */
