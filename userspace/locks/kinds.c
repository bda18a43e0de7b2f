// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Which events of a trace are of locks, and of which family. */
#include "locks/locks.h"

/* The kernel says in its version how it preempts: "#1 SMP PREEMPT_RT Debian ..." */
bool locks_kernel_is_rt(const struct metadata *m)
{
	const char *version = metadata_env(m, "kernel_version");

	return version && strstr(version, "PREEMPT_RT");
}

/* raw_spin_* are what they are called: only kernels with PREEMPT_RT have them. */
static void rt_kinds(uint8_t kind[FT_ID_MAX + 1])
{
	uint32_t id;

	for (id = 0; id <= FT_ID_MAX; id++) {
		if (kind[id] / 2 <= FT_LOCK_RWLOCK_WRITE)
			kind[id] += 2 * LOCKS_RT_SPIN;
	}
}

/* Which ids are lock events: by their names, as the metadata gives them. */
void locks_find_kinds(uint8_t kind[METADATA_CLASSES][FT_ID_MAX + 1],
		      const struct metadata *m)
{
	unsigned int class;
	uint32_t id;

	memset(kind, LOCKS_KIND_UNKNOWN, METADATA_CLASSES * sizeof(*kind));
	for (class = 0; class < METADATA_CLASSES; class++) {
		const struct event_types *types = &m->events[class];

		for (id = 0; id < types->n; id++) {
			if (types->at[id])
				kind[class][id] = locks_kind_of(types->at[id]->name);
		}
		if (locks_kernel_is_rt(m))
			rt_kinds(kind[class]);
	}
}
