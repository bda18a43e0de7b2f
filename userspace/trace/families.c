// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The kinds of lock: families, their groups, and their events. */
#include <stdio.h>
#include <string.h>

#include "trace/families.h"

const struct locks_family locks_families[LOCKS_FAMILIES] = {
	[FT_LOCK_SPIN] = { .name = "spin", .title = "spin",
		.spinning = true, .exclusive = true },
	[FT_LOCK_RWLOCK_READ] = { .name = "rwlock_read", .title = "rwlock read",
		.spinning = true, .reader = true },
	[FT_LOCK_RWLOCK_WRITE] = { .name = "rwlock_write", .title = "rwlock write",
		.spinning = true, .exclusive = true },
	[FT_LOCK_MUTEX] = { .name = "mutex", .title = "mutex", .exclusive = true },
	[FT_LOCK_SEMAPHORE] = { .name = "semaphore", .title = "semaphore",
		.anybody = true },
	[FT_LOCK_RWSEM_READ] = { .name = "rwsem_read", .title = "rwsem read",
		.reader = true },
	[FT_LOCK_RWSEM_WRITE] = { .name = "rwsem_write", .title = "rwsem write",
		.exclusive = true },
	[FT_LOCK_RAW_SPIN] = { .name = "raw_spin", .title = "raw spin",
		.spinning = true, .exclusive = true },
	[LOCKS_RT_SPIN] = { .name = "rt_spin", .title = "rt spin", .exclusive = true },
	[LOCKS_RT_RWLOCK_READ] = { .name = "rt_rwlock_read", .title = "rt read",
		.again = true, .reader = true },
	[LOCKS_RT_RWLOCK_WRITE] = { .name = "rt_rwlock_write", .title = "rt write",
		.exclusive = true },
	[LOCKS_PTHREAD_MUTEX] = { .name = "pthread_mutex", .title = "pthread mutex",
		.exclusive = true, .pthread = true },
	[LOCKS_PTHREAD_READ] = { .name = "pthread_read", .title = "pthread read",
		.again = true, .pthread = true, .reader = true },
	[LOCKS_PTHREAD_WRITE] = { .name = "pthread_write", .title = "pthread write",
		.exclusive = true, .pthread = true },
	[LOCKS_PTHREAD_SPIN] = { .name = "pthread_spin", .title = "pthread spin",
		.exclusive = true, .pthread = true },
	[LOCKS_SEM] = { .name = "posix_sem", .title = "POSIX sem",
		.anybody = true, .pthread = true },
	[LOCKS_COND] = { .name = "pthread_cond", .title = "pthread cond",
		.pthread = true },
};

static const struct { const char *name, *title; } groups[LOCKS_GROUPS] = {
	[GROUP_SPINNING] = { "spinning", "all spinning" },
	[GROUP_SLEEPING] = { "sleeping", "all sleeping" },
	[GROUP_PROGRAM] = { "program", "all programs" },
};

const char *locks_group_name(enum locks_group group)
{
	return groups[group].name;
}

const char *locks_group_title(enum locks_group group)
{
	return groups[group].title;
}

uint8_t locks_kind_of(const char *event)
{
	unsigned int family, release;

	for (family = 0; family < LOCKS_FAMILIES; family++) {
		for (release = 0; release < 2; release++) {
			char name[48];

			snprintf(name, sizeof(name), "%s_%s", locks_name(family),
				 release ? "release" : "acquire");
			if (!strcmp(name, event))
				return (uint8_t)(2 * family + release);
		}
	}
	if (!strcmp(event, "contention_begin"))
		return LOCKS_KIND_WAIT_BEGIN;
	if (!strcmp(event, "contention_end"))
		return LOCKS_KIND_WAIT_END;
	if (!strcmp(event, "stack"))
		return LOCKS_KIND_STACK;
	return LOCKS_KIND_OTHER;
}
