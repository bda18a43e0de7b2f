// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Dies in the middle of a record, as a thread would that is killed between taking a
 * slot and publishing it; a handler has published another record behind it.
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <feather_trace/trigger.h>

#include "thread.h"

DEFINE_FT_EVENT(one, a);

int main(void)
{
	__u32 word = 0;

	ft_event(one, 1);
	if (!ft_thread.ring || !ft_ring_reserve(ft_thread.ring, &word))
		return 1;
	ft_event(one, 2);
	raise(SIGKILL);
	return 1;
}
