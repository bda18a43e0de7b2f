/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What another process may set in a program that runs: which events are on, and
 * where they are recorded (ft enable --pid, ft attach).
 *
 * The program does nothing for this until an event fires: the library needs no thread,
 * socket or signal. The tool stops all of its threads for a moment, checks that none of
 * them is changing triggers (@lock; if one is, the tool lets them run and tries again),
 * fills struct ft_remote, sets the triggers, and lets the threads run. The next event
 * finds no ring, looks here, and joins the session that it finds.
 *
 * An ELF note of the library says where struct ft_remote is; a stripped static program
 * has that note, too.
 */
#ifndef FT_LIBFEATHERTRACE_REMOTE_H
#define FT_LIBFEATHERTRACE_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "libfeathertrace/wanted.h"

#define FT_REMOTE_VERSION	2u
#define FT_REMOTE_SESSION	64
#define FT_REMOTE_PATTERNS	4032

/**
 * struct ft_remote - written by the tool, except @joined and @error
 * @version:	FT_REMOTE_VERSION; the rest is understood by the same version only
 * @wanted:	how often @session was set
 * @joined:	@wanted of the session that the program has looked at last
 * @error:	why it could not join that, an errno, or 0
 * @private_at:	address of the pointer to struct ft_private
 * @events_at:	address of the pointer to the first struct ft_event
 * @wanted_at:	address of the program's own struct ft_wanted[FT_WANTED_MAX]
 * @places_at:	address of how many of ft_private.threads were ever used
 * @session:	path of the session to be joined, or that it found when it began
 * @patterns:	names, patterns and numbers of events, separated by commas
 */
struct ft_remote {
	__u32	version;
	__u32	wanted;
	__u32	joined;
	__s32	error;
	__u64	private_at;
	__u64	events_at;
	__u64	wanted_at;
	__u64	places_at;
	char	session[FT_REMOTE_SESSION];
	char	patterns[FT_REMOTE_PATTERNS];
};

extern struct ft_remote ft_remote;
extern struct ft_wanted ft_wanted[FT_WANTED_MAX];

/**
 * ft_remote_join - join the session that another process has set, if there is one
 *
 * With ft_lock() held.
 */
void ft_remote_join(void);

/** ft_remote_news - has another process set a session that was not joined yet? Context: any. */
static inline bool ft_remote_news(void)
{
	return __atomic_load_n(&ft_remote.wanted, __ATOMIC_RELAXED) !=
	       __atomic_load_n(&ft_remote.joined, __ATOMIC_RELAXED);
}

#endif /* FT_LIBFEATHERTRACE_REMOTE_H */
