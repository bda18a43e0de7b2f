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

/*
 * What this thread has seen of a count: how many steps of silence, and when the last began. A
 * thread that is preempted, or whose machine stands still, counts one step, however long
 * that takes: the recorder may not have run meanwhile, either. A handler of a signal may
 * come anywhere and does the same; a step more or less does not matter.
 */
#define STEPS	16u

static __thread struct {
	__u64	beat_steps;	/* count * STEPS + steps: one word, so it is always consistent */
	__u64	since;
} seen;

static bool is_silent(const struct ft_session *session, __u64 now)
{
	__u64 beat = ft_any_load(&session->beat), steps;

	if (ft_any_load(&silent) == beat + 1)
		return true;
	steps = seen.beat_steps - beat * STEPS;
	if (steps >= STEPS) {
		seen.beat_steps = beat * STEPS;
		seen.since = now;
		return false;
	}
	/* negative: a handler has seen the clock later */
	if ((__s64)(now - seen.since) < (__s64)(session->silence / STEPS))
		return false;
	if (steps + 1 == STEPS) {
		ft_any_store(&silent, beat + 1);
		return true;
	}
	seen.beat_steps = beat * STEPS + steps + 1;
	seen.since = now;
	return false;
}

bool ft_room_may_wait(const struct ft_session *session, __u64 begin, __u64 now)
{
	return now - begin < session->wait && !ft_any_load(&session->closed) &&
	       !is_silent(session, now);
}
