// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The functions of list.h, each with its hook and the event that it emits; and places for
 * those that are chosen at run time.
 */
#include <linux/errno.h>
#include <linux/spinlock.h>
#include <linux/rwsem.h>
#include <linux/semaphore.h>
#include <linux/string.h>
#include <linux/ww_mutex.h>

#include "attach/functions.h"
#include "attach/hook.h"
#include "attach/list.h"
#include "event/table.h"
#include "trace/trace.h"

#if FT_HAVE_ATTACH

/* For hooks_x86.S: ww_mutex_trylock() does not call mutex_trylock(). */
u8 ft_attach_ww_alone;

static_assert(FT_HOOK_SPIN == FT_LOCK_SPIN);
static_assert(FT_HOOK_RWLOCK_READ == FT_LOCK_RWLOCK_READ);
static_assert(FT_HOOK_RWLOCK_WRITE == FT_LOCK_RWLOCK_WRITE);
static_assert(FT_HOOK_MUTEX == FT_LOCK_MUTEX);
static_assert(FT_HOOK_SEMAPHORE == FT_LOCK_SEMAPHORE);
static_assert(FT_HOOK_RWSEM_READ == FT_LOCK_RWSEM_READ);
static_assert(FT_HOOK_RWSEM_WRITE == FT_LOCK_RWSEM_WRITE);
static_assert(FT_HOOK_RAW_SPIN == FT_LOCK_RAW_SPIN);
static_assert(FT_ID_LOCK == 16 && FT_ID_LOCK + 2 * FT_LOCK_FAMILIES <= 32);

#define FT_EVENT_ACQUIRE(family)	FT_ID_ACQUIRE(FT_LOCK_##family)
#define FT_EVENT_ACQUIRE_FLAGS(family)	FT_ID_ACQUIRE(FT_LOCK_##family)
#define FT_EVENT_ACQUIRE_IF(family)	FT_ID_ACQUIRE(FT_LOCK_##family)
#define FT_EVENT_ACQUIRE_IF_0(family)	FT_ID_ACQUIRE(FT_LOCK_##family)
#define FT_EVENT_RELEASE(family)	FT_ID_RELEASE(FT_LOCK_##family)
#define FT_EVENT_RELEASE_FLAGS(family)	FT_ID_RELEASE(FT_LOCK_##family)
#define FT_EVENT_DOWNGRADE(family)	FT_ID_RELEASE(FT_LOCK_##family)

/* downgrade_write() emits two events. */
#define FT_SECOND_ACQUIRE		0
#define FT_SECOND_ACQUIRE_FLAGS		0
#define FT_SECOND_ACQUIRE_IF		0
#define FT_SECOND_ACQUIRE_IF_0		0
#define FT_SECOND_RELEASE		0
#define FT_SECOND_RELEASE_FLAGS		0
#define FT_SECOND_DOWNGRADE		FT_ID_ACQUIRE(FT_LOCK_RWSEM_READ)

#define FT_HOOK(kind, fn, family, sleeps) \
	asmlinkage void ft_hook_##fn(void); asmlinkage void ft_hook_ip_##fn(void);
#define FT_HOOK_UPON(kind, fn, family, sleeps, upon) FT_HOOK(kind, fn, family, sleeps)
#define FT_HOOK_WW(kind, fn, family, sleeps, upon) FT_HOOK(kind, fn, family, sleeps)
#define FT_HOOK_SECOND(kind, fn, family, sleeps, upon) FT_HOOK(kind, fn, family, sleeps)
FT_HOOKS
#define FT_CHOSEN(i) \
	asmlinkage void ft_hook_chosen_##i(void); asmlinkage void ft_hook_ip_chosen_##i(void);
FT_EACH_CHOSEN(FT_CHOSEN)
#undef FT_CHOSEN
#undef FT_HOOK
#undef FT_HOOK_UPON
#undef FT_HOOK_WW
#undef FT_HOOK_SECOND

#define FT_HOOK_INIT(kind, fn, family, other) {				\
	.name		= #fn,						\
	.function	= fn,						\
	.body		= (void *)fn + FT_BODY,				\
	.hook		= ft_hook_##fn,					\
	.redirect	= ft_hook_ip_##fn,				\
	.upon		= other,					\
	.event		= FT_EVENT_##kind(family),			\
	.second		= FT_SECOND_##kind,				\
},
#define FT_HOOK(kind, fn, family, sleeps) FT_HOOK_INIT(kind, fn, family, NULL)
#define FT_HOOK_UPON(kind, fn, family, sleeps, upon) \
	FT_HOOK_INIT(kind, fn, family, upon)
#define FT_HOOK_WW(kind, fn, family, sleeps, upon) \
	FT_HOOK_INIT(kind, fn, family, NULL)
#define FT_HOOK_SECOND(kind, fn, family, sleeps, upon) \
	FT_HOOK_INIT(kind, fn, family, upon)

DEFINE_MUTEX(ft_attach_mutex);	/* see functions.h */

#define FT_CHOSEN(i) {							\
	.hook		= ft_hook_chosen_##i,				\
	.redirect	= ft_hook_ip_chosen_##i,			\
},

struct ft_hook_fn ft_attach_hooks[] = { FT_HOOKS FT_EACH_CHOSEN(FT_CHOSEN) };
const unsigned int ft_attach_hook_count = ARRAY_SIZE(ft_attach_hooks);
const unsigned int ft_attach_lock_count = ARRAY_SIZE(ft_attach_hooks) - FT_CHOSEN_COUNT;

bool ft_attach_emits(const struct ft_hook_fn *fn, u32 id)
{
	return READ_ONCE(fn->event) == id || READ_ONCE(fn->second) == id;
}

unsigned int ft_attach_triggers(const struct ft_entry *entry)
{
	unsigned int i, count = 0;

	for (i = 0; i < ft_attach_lock_count; i++)
		count += ft_attach_emits(&ft_attach_hooks[i], entry->id) &&
			 ft_hook_state(&ft_attach_hooks[i]) != FT_HOOK_PART;
	return count;
}

/* The @index-th that is in use. */
static const struct ft_hook_fn *ft_attach_nth(u32 index, bool locks)
{
	unsigned int i = locks ? 0 : ft_attach_lock_count;

	for (; i < ft_attach_hook_count; i++)
		if (ft_attach_hooks[i].name && !index--)
			return &ft_attach_hooks[i];
	return NULL;
}

int ft_attach_describe(struct ft_hook *info, bool locks)
{
	const struct ft_hook_fn *fn;

	lockdep_assert_held(&ft_trace_mutex);

	fn = ft_attach_nth(info->index, locks);
	if (!fn)
		return -ENOENT;
	info->event = fn->event;
	info->state = ft_hook_state(fn);
	info->error = info->state == FT_HOOK_REFUSED || info->state == FT_HOOK_STUCK ?
		READ_ONCE(fn->error) : 0;
	strscpy(info->name, fn->name, sizeof(info->name));
	return 0;
}

void __init ft_attach_init(void)
{
	struct ft_hook_fn *fn;
	unsigned int i;

	for (i = 0; i < ft_attach_lock_count; i++) {
		fn = &ft_attach_hooks[i];
		if (fn->upon && ft_hook_calls(fn->function, fn->upon))
			fn->state = FT_HOOK_PART;
	}
	ft_attach_ww_alone = !ft_hook_calls(ww_mutex_trylock, mutex_trylock);
}

#endif /* FT_HAVE_ATTACH */
