/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Call stacks of what is worth one: long waits and sections, some acquisitions, sleeps. */
#ifndef _FT_CALLERS_H
#define _FT_CALLERS_H

#include <linux/types.h>
#include <uapi/linux/feather_trace.h>

struct ft_session;

/* Return: 0; -EINVAL; -EOPNOTSUPP. */
int ft_callers_check(const struct ft_stacks *stacks);

/**
 * ft_callers_new() - begin to take stacks in a session
 * @session:	its trace is running
 * @stacks:	that ft_callers_check() has accepted; out: what there are events of
 * @on:		which events below 32 are on in the session, a bit each
 * @switches:	whether sched_switch is
 *
 * The caller holds ft_trace_mutex, and sets the triggers of these events afterwards.
 *
 * Return: 0; -ENOENT; -EBUSY; -ENOSPC; -ENOMEM.
 */
int ft_callers_new(struct ft_session *session, struct ft_stacks *stacks, u32 on,
		   bool switches);

/* Take no more. The caller holds ft_trace_mutex, and sets the triggers afterwards. */
void ft_callers_mute(struct ft_session *session);

/* Free them. As ft_callers_mute(), and after that and ft_trace_sync(). */
void ft_callers_end(struct ft_session *session);

/* A struct ft_stacks_read that is being filled. */
struct ft_callers_reading {
	u64	addr[FT_STACKS_DEPTH + 1];
	u32	words;
};

/**
 * ft_callers_get() - the next stack, as FT_IOC_STACKS_READ has it
 * @from:	in: the least id; out: that of the stack, 0: there is none
 *
 * The caller holds ft_trace_mutex. Return: 0; -ENODATA the session has no stacks.
 */
int ft_callers_get(const struct ft_session *session, u32 *from,
		   struct ft_callers_reading *reading);

/* The books. The same. */
int ft_callers_look(const struct ft_session *session, struct ft_stacks_read *read);

#endif /* _FT_CALLERS_H */
