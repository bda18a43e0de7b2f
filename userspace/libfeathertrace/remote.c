// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Settings that another process has written: see remote.h. */
#include <stdint.h>

#include "libfeathertrace/events.h"
#include "libfeathertrace/process.h"
#include "libfeathertrace/remote.h"

struct ft_remote ft_remote = {
	.version	= FT_REMOTE_VERSION,
	.private_at	= (uintptr_t)&ft_private,
	.events_at	= (uintptr_t)&ft_events,
	.wanted_at	= (uintptr_t)ft_wanted,
	.places_at	= (uintptr_t)&ft_thread_places,
};

/* The note must refer to a local name, which no other file can preempt. */
extern struct ft_remote ft_remote_here
	__attribute__((alias("ft_remote"), visibility("hidden"), used));

__asm__(".pushsection .note.feather_trace.remote, \"a\", @note\n"
	".balign 4\n"
	".long 14, 4, 2\n"
	".asciz \"Feather-Trace\"\n"
	".balign 4\n"
	".long ft_remote_here - .\n"
	".popsection\n");

void ft_remote_join(void)
{
	__u32 wanted = ft_remote.wanted;

	if (ft_remote.joined == wanted)
		return;
	ft_remote.error = ft_process_switch(ft_remote.session);
	__atomic_store_n(&ft_remote.joined, wanted, __ATOMIC_RELEASE);
}
