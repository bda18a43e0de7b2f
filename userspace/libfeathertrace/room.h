/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft run --block: a thread whose ring is full waits until the recorder has read some of it. */
#ifndef FT_LIBFEATHERTRACE_ROOM_H
#define FT_LIBFEATHERTRACE_ROOM_H

#include <stdbool.h>

#include "libfeathertrace/session.h"

/**
 * ft_room_may_wait - is there a reason to look again?
 * @begin:	when the wait began
 * @now:	on the session's clock
 *
 * No lock, no system call. Context: any, signal handlers too.
 *
 * Return: false: waiting is off, has reached its time limit, or the recorder is gone.
 */
bool ft_room_may_wait(const struct ft_session *session, __u64 begin, __u64 now);

#endif /* FT_LIBFEATHERTRACE_ROOM_H */
