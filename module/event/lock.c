// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Events of the kernel's locks: from the triggers that the kernel patch adds to the
 * lock primitives (patches/), or from lock functions that the module wraps while
 * they are traced (attach/).
 */
#include <linux/err.h>
#include <linux/string.h>

#include "attach/enter.h"
#include "attach/functions.h"
#include "compat.h"
#include "event/lock.h"
#include "event/table.h"
#include "probe.h"
#include "trace/trace.h"
#include "watch/watch.h"

#if FT_HAVE_LOCK_TRIGGERS || FT_HAVE_ATTACH

static const char *const ft_lock_names[FT_LOCK_FAMILIES][2] = {
	[FT_LOCK_SPIN]		= { "spin_acquire", "spin_release" },
	[FT_LOCK_RWLOCK_READ]	= { "rwlock_read_acquire", "rwlock_read_release" },
	[FT_LOCK_RWLOCK_WRITE]	= { "rwlock_write_acquire", "rwlock_write_release" },
	[FT_LOCK_MUTEX]		= { "mutex_acquire", "mutex_release" },
	[FT_LOCK_SEMAPHORE]	= { "semaphore_acquire", "semaphore_release" },
	[FT_LOCK_RWSEM_READ]	= { "rwsem_read_acquire", "rwsem_read_release" },
	[FT_LOCK_RWSEM_WRITE]	= { "rwsem_write_acquire", "rwsem_write_release" },
	[FT_LOCK_RAW_SPIN]	= { "raw_spin_acquire", "raw_spin_release" },
};

/* @raw: does the source have events of raw_spinlock_t of their own? */
static int __init ft_lock_add(const struct ft_source *source, bool raw)
{
	struct ft_entry *entry;
	unsigned int i;
	int err = 0;

	mutex_lock(&ft_trace_mutex);
	for (i = 0; i < 2 * FT_LOCK_FAMILIES && !err; i++) {
		if (i / 2 == FT_LOCK_RAW_SPIN && !raw)
			continue;
		entry = ft_table_add(FT_ID_LOCK + i, ft_lock_names[i / 2][i % 2],
				     "lock", "caller", "vmlinux", source, NULL);
		err = PTR_ERR_OR_ZERO(entry);
	}
	mutex_unlock(&ft_trace_mutex);
	return err;
}

static void ft_lock_retire(void)
{
	struct ft_entry *entry;

	mutex_lock(&ft_trace_mutex);
	for (entry = ft_table_next(FT_ID_LOCK); entry && FT_ID_IS_LOCK(entry->id);
	     entry = ft_table_next(entry->id + 1))
		ft_table_retire(entry);
	mutex_unlock(&ft_trace_mutex);
}

#endif

#if FT_HAVE_LOCK_TRIGGERS

/* Numbers of events are ids as they are. */
#define FT_LOCK_SAME(ours, theirs) \
	static_assert((theirs) == (ours))

FT_LOCK_SAME(FT_ID_ACQUIRE(FT_LOCK_SPIN), FEATHER_SPIN_ACQUIRE);
FT_LOCK_SAME(FT_ID_RELEASE(FT_LOCK_RWLOCK_READ), FEATHER_RWLOCK_READ_RELEASE);
FT_LOCK_SAME(FT_ID_RELEASE(FT_LOCK_RWLOCK_WRITE), FEATHER_RWLOCK_WRITE_RELEASE);
FT_LOCK_SAME(FT_ID_RELEASE(FT_LOCK_MUTEX), FEATHER_MUTEX_RELEASE);
FT_LOCK_SAME(FT_ID_RELEASE(FT_LOCK_SEMAPHORE), FEATHER_SEMAPHORE_RELEASE);
FT_LOCK_SAME(FT_ID_RELEASE(FT_LOCK_RWSEM_READ), FEATHER_RWSEM_READ_RELEASE);
FT_LOCK_SAME(FT_ID_RELEASE(FT_LOCK_RWSEM_WRITE), FEATHER_RWSEM_WRITE_RELEASE);

/* Both types of a probe have three registers. */
static_assert(sizeof(u64) == sizeof(unsigned long));

static int ft_lock_set(const struct ft_entry *entry, u8 sessions)
{
	ft_probe_t probe = NULL;

	if (sessions || entry->sensed)
		probe = ft_watch_record(entry->id, sessions, ft_trace_way(sessions));
	return feather_lock_set(entry->id, (void *)probe);
}

static unsigned int ft_lock_triggers(const struct ft_entry *entry)
{
	return feather_lock_sites(entry->id);
}

static const struct ft_source ft_lock_patch = {
	.set		= ft_lock_set,
	.triggers	= ft_lock_triggers,
};

static int __init ft_lock_init_patch(void)
{
	int err;

	err = feather_lock_take();
	if (err) {
		pr_err("another module uses the kernel's lock triggers\n");
		return err;
	}
	/* Triggers that are older than these events have none of them: no site. */
	err = ft_lock_add(&ft_lock_patch, feather_lock_sites(FT_ID_ACQUIRE(FT_LOCK_RAW_SPIN)));
	if (err)
		feather_lock_give_back();
	return err;
}

static void ft_lock_exit_patch(void)
{
	ft_lock_retire();
	feather_lock_give_back();
}

#else

static inline int ft_lock_init_patch(void)
{
	return -ENODEV;
}

static inline void ft_lock_exit_patch(void)
{
}

#endif

#if FT_HAVE_ATTACH

static const struct ft_source ft_lock_attach = {
	.hold		= ft_attach_hold,
	.prepare	= ft_attach_prepare,
	.finish		= ft_attach_finish,
	.set		= ft_attach_set,
	.triggers	= ft_attach_triggers,
};

static int __init ft_lock_init_attach(void)
{
	ft_attach_init();
	return ft_lock_add(&ft_lock_attach, FT_HAVE_ATTACH_RAW);
}

static void ft_lock_exit_attach(void)
{
	ft_lock_retire();
	ft_attach_exit();
}

#else

static inline int ft_lock_init_attach(void)
{
	return -ENODEV;
}

static inline void ft_lock_exit_attach(void)
{
}

#endif

static enum ft_lock_source ft_lock_chosen;

/* Prefers triggers: they cost less, and no function has to be unwrapped. */
static enum ft_lock_source __init ft_lock_best(void)
{
	if (FT_HAVE_LOCK_TRIGGERS)
		return FT_LOCKS_PATCH;
	return FT_HAVE_ATTACH ? FT_LOCKS_ATTACH : FT_LOCKS_NONE;
}

static int __init ft_lock_choose(const char *name)
{
	if (!strcmp(name, "auto")) {
		ft_lock_chosen = ft_lock_best();
	} else if (!strcmp(name, "patch")) {
		ft_lock_chosen = FT_LOCKS_PATCH;
	} else if (!strcmp(name, "attach")) {
		ft_lock_chosen = FT_LOCKS_ATTACH;
	} else {
		pr_err("locks=%s: no such source; use auto, patch or attach\n", name);
		return -EINVAL;
	}
	if ((ft_lock_chosen == FT_LOCKS_PATCH && !FT_HAVE_LOCK_TRIGGERS) ||
	    (ft_lock_chosen == FT_LOCKS_ATTACH && !FT_HAVE_ATTACH)) {
		pr_err("locks=%s: this kernel does not support it; use locks=auto\n",
		       name);
		return -ENODEV;
	}
	return 0;
}

int __init ft_lock_init(const char *name)
{
	int err;

	err = ft_lock_choose(name);
	if (err)
		return err;
	if (ft_lock_chosen == FT_LOCKS_PATCH)
		return ft_lock_init_patch();
	if (ft_lock_chosen == FT_LOCKS_ATTACH)
		return ft_lock_init_attach();
	return 0;
}

void ft_lock_exit(void)
{
	if (ft_lock_chosen == FT_LOCKS_PATCH)
		ft_lock_exit_patch();
	else if (ft_lock_chosen == FT_LOCKS_ATTACH)
		ft_lock_exit_attach();
}

enum ft_lock_source ft_lock_source(void)
{
	return ft_lock_chosen;
}
