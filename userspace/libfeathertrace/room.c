// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Waiting for room in a full ring: see room.h.
 *
 * The thread spins. It may be anywhere: in a signal handler, in a child of vfork(), in a
 * sandbox that kills a thread for an unknown system call; so it makes none. The recorder
 * reads rings every few milliseconds, and needs nothing that the thread holds.
 *
 * It must not wait for a recorder that is killed or stopped. A running recorder counts a
 * word up, in a thread that does nothing else, so that a slow disk does not look like a
 * dead recorder. A thread that sees the same count for too long tells the other threads:
 * none waits again until the count changes.
 */
#include "libfeathertrace/room.h"

/* The count at which the recorder fell silent, + 1: one word, so it is always consistent. */
static __u64 silent;

/* When this thread has first seen a count. */
static __thread struct {
	__u64	beat;
	__u64	since;
} seen;

static bool is_silent(const struct ft_session *session, __u64 now)
{
	__u64 beat = ft_any_load(&session->beat);

	if (ft_any_load(&silent) == beat + 1)
		return true;
	if (seen.beat != beat) {
		seen.since = now;
		/* A handler that comes in between sees a new count, and does the same. */
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		seen.beat = beat;
		return false;
	}
	/* a handler that came after the clock was read can have seen it later */
	if ((__s64)(now - seen.since) < (__s64)session->silence)
		return false;
	ft_any_store(&silent, beat + 1);
	return true;
}

bool ft_room_may_wait(const struct ft_session *session, __u64 begin, __u64 now)
{
	return now - begin < session->wait && !ft_any_load(&session->closed) &&
	       !is_silent(session, now);
}
