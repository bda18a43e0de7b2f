// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Lock events on a kernel without triggers: the lock functions are wrapped.
 *
 * Wrapping begins when the first event of a function is turned on. Turning it off
 * is a flag; when no lock event is on any more, the functions are unwrapped in
 * the background.
 *
 * Works. Two works do all this, ft_attach_enter() and ft_attach_leave(), for ftrace may
 * wait for every task that wants to run, so for ever beside a real-time task that keeps
 * a CPU for itself. Nobody waits for them but who asked: ft_attach_prepare(), until it
 * is killed, and ft_attach_detach(), as long as it wants to. What is wanted, and whether
 * the module is pinned, is guarded by ft_table_mutex, which nobody keeps for long.
 */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/rwsem.h>
#include <linux/semaphore.h>
#include <linux/static_call.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/ww_mutex.h>

#include "attach.h"
#include "attach_hook.h"
#include "attach_leave.h"
#include "attach_list.h"
#include "probe.h"
#include "table.h"
#include "trace.h"

u32 ft_attach_on;

#if FT_HAVE_ATTACH

/* After which time the log says what ft_attach_prepare() waits for. */
#define FT_ATTACH_TELL_MS	10000

/* For attach_x86.S: ww_mutex_trylock() does not call mutex_trylock(). */
u8 ft_attach_ww_alone;

static void ft_attach_none(unsigned long lock, unsigned long ip, unsigned int id)
{
}

DEFINE_STATIC_CALL(ft_attach_record, ft_attach_none);

static_assert(FT_HOOK_SPIN == FT_LOCK_SPIN);
static_assert(FT_HOOK_RWLOCK_READ == FT_LOCK_RWLOCK_READ);
static_assert(FT_HOOK_RWLOCK_WRITE == FT_LOCK_RWLOCK_WRITE);
static_assert(FT_HOOK_MUTEX == FT_LOCK_MUTEX);
static_assert(FT_HOOK_SEMAPHORE == FT_LOCK_SEMAPHORE);
static_assert(FT_HOOK_RWSEM_READ == FT_LOCK_RWSEM_READ);
static_assert(FT_HOOK_RWSEM_WRITE == FT_LOCK_RWSEM_WRITE);
static_assert(FT_ID_LOCK == 16 && FT_ID_LOCK + 2 * FT_LOCK_FAMILIES <= 32);

#define FT_EVENT_ACQUIRE(family)	FT_ID_ACQUIRE(FT_LOCK_##family)
#define FT_EVENT_ACQUIRE_IF(family)	FT_ID_ACQUIRE(FT_LOCK_##family)
#define FT_EVENT_ACQUIRE_IF_0(family)	FT_ID_ACQUIRE(FT_LOCK_##family)
#define FT_EVENT_RELEASE(family)	FT_ID_RELEASE(FT_LOCK_##family)
#define FT_EVENT_DOWNGRADE(family)	FT_ID_RELEASE(FT_LOCK_##family)

#define FT_HOOK(kind, fn, family, sleeps) \
	asmlinkage void ft_hook_##fn(void); asmlinkage void ft_hook_ip_##fn(void);
#define FT_HOOK_UPON(kind, fn, family, sleeps, upon) FT_HOOK(kind, fn, family, sleeps)
#define FT_HOOK_WW(kind, fn, family, sleeps, upon) FT_HOOK(kind, fn, family, sleeps)
#define FT_HOOK_SECOND(kind, fn, family, sleeps, upon) FT_HOOK(kind, fn, family, sleeps)
FT_HOOKS
#undef FT_HOOK
#undef FT_HOOK_UPON
#undef FT_HOOK_WW
#undef FT_HOOK_SECOND

#define FT_HOOK_INIT(kind, fn, family, other) {				\
	.name		= #fn,						\
	.function	= fn,						\
	.hook		= ft_hook_##fn,					\
	.redirect	= ft_hook_ip_##fn,				\
	.upon		= other,					\
	.event		= FT_EVENT_##kind(family),			\
},
#define FT_HOOK(kind, fn, family, sleeps) FT_HOOK_INIT(kind, fn, family, NULL)
#define FT_HOOK_UPON(kind, fn, family, sleeps, upon) \
	FT_HOOK_INIT(kind, fn, family, upon)
#define FT_HOOK_WW(kind, fn, family, sleeps, upon) \
	FT_HOOK_INIT(kind, fn, family, NULL)
#define FT_HOOK_SECOND(kind, fn, family, sleeps, upon) \
	FT_HOOK_INIT(kind, fn, family, upon)

struct ft_hook_fn ft_attach_hooks[] = { FT_HOOKS };
const unsigned int ft_attach_hook_count = ARRAY_SIZE(ft_attach_hooks);

/* What ft_attach_enter() is to do. One caller at a time asks, who has the turn. */
static DEFINE_MUTEX(ft_attach_turn);
static u32 ft_attach_id;		/* guarded by ft_table_mutex */
static unsigned int ft_attach_asked;	/* the same: the number of the question */
static unsigned int ft_attach_answered;
static int ft_attach_answer;

/* Does a function tell of this event? A downgrade tells of two. */
static bool ft_attach_tells(const struct ft_hook_fn *fn, u32 id)
{
	return fn->event == id ||
	       (fn->function == downgrade_write &&
		id == FT_ID_ACQUIRE(FT_LOCK_RWSEM_READ));
}

unsigned int ft_attach_triggers(const struct ft_entry *entry)
{
	unsigned int i, count = 0;

	for (i = 0; i < ARRAY_SIZE(ft_attach_hooks); i++)
		count += ft_attach_tells(&ft_attach_hooks[i], entry->id) &&
			 ft_hook_state(&ft_attach_hooks[i]) != FT_HOOK_PART;
	return count;
}

/*
 * A function that is stuck stays muted: ftrace may have taken from its ops what the
 * list of ops would use. It still tells if nobody else is on it.
 */
static bool ft_attach_hook(struct ft_hook_fn *fn)
{
	if (fn->state == FT_HOOK_STUCK)
		return ft_hook_is_called(fn);
	if (ft_hook_is_attached(fn)) {
		ft_hook_unmute(fn);
		return true;
	}
	if (time_after(fn->gone, ft_attach_synced)) {
		ft_trace_switch();
		synchronize_rcu_tasks();
		ft_attach_synced = ft_attach_unwrapped;
	}
	ft_hook_attach(fn);
	if (!ft_hook_is_attached(fn))
		ft_attach_gone(fn);
	return ft_hook_is_attached(fn) && fn->state != FT_HOOK_STUCK;
}

/* Return: 0 if the event can be told now by one function at least. */
static int ft_attach_wrap(u32 id)
{
	unsigned int i, attached = 0;
	struct ft_hook_fn *fn;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(ft_attach_hooks); i++) {
		fn = &ft_attach_hooks[i];
		if (!ft_attach_tells(fn, id) || fn->state == FT_HOOK_PART)
			continue;
		if (ft_attach_hook(fn))
			attached++;
		else
			err = -fn->error;
	}
	return attached ? 0 : err;
}

/* Wraps the functions of the event that was asked for last. */
static void ft_attach_enter(struct work_struct *work)
{
	unsigned int asked, callers;
	int err = -EINTR;
	u32 id;

	mutex_lock(&ft_attach_mutex);
	mutex_lock(&ft_table_mutex);
	asked = ft_attach_asked;
	id = ft_attach_id;
	callers = ft_attach_callers;
	mutex_unlock(&ft_table_mutex);
	/* Whoever asked may have been killed: then nothing pins the module. */
	if (callers)
		err = ft_attach_wrap(id);
	mutex_unlock(&ft_attach_mutex);

	WRITE_ONCE(ft_attach_answer, err);
	/* Pairs with the acquire in ft_attach_is_answered(). */
	smp_store_release(&ft_attach_answered, asked);
	wake_up_all(&ft_attach_news);
}

static DECLARE_WORK(ft_attach_enter_work, ft_attach_enter);

static bool ft_attach_is_answered(unsigned int asked)
{
	/* Pairs with the release in ft_attach_enter(). */
	return smp_load_acquire(&ft_attach_answered) == asked;
}

static int ft_attach_ask(u32 id)
{
	unsigned int asked;
	long left;

	mutex_lock(&ft_table_mutex);
	ft_attach_id = id;
	asked = ++ft_attach_asked;
	mutex_unlock(&ft_table_mutex);
	queue_work(ft_unbound_wq, &ft_attach_enter_work);

	left = wait_event_killable_timeout(ft_attach_news, ft_attach_is_answered(asked),
					   msecs_to_jiffies(FT_ATTACH_TELL_MS));
	if (!left)
		pr_notice("wrapping lock functions takes long: ftrace waits for a task that wants to run, and does not: does a real-time task keep a CPU for itself? See kernel.sched_rt_runtime_us\n");
	if (wait_event_killable(ft_attach_news, ft_attach_is_answered(asked)))
		return -EINTR;
	return READ_ONCE(ft_attach_answer);
}

int ft_attach_prepare(u32 id)
{
	int err;

	mutex_lock(&ft_table_mutex);
	WRITE_ONCE(ft_attach_callers, ft_attach_callers + 1);
	/* Before the first function can be entered. */
	if (!ft_attach_pinned) {
		__module_get(THIS_MODULE);
		WRITE_ONCE(ft_attach_pinned, true);
	}
	/*
	 * As the last trace, most likely: then ft_attach_set() changes no text while the
	 * wrapped functions run it, of which changing text calls some.
	 */
	static_call_update(ft_attach_record, ft_probe_attach());
	mutex_unlock(&ft_table_mutex);

	err = mutex_lock_killable(&ft_attach_turn);
	if (!err) {
		err = ft_attach_ask(id);
		mutex_unlock(&ft_attach_turn);
	}
	if (err)
		ft_attach_finish();
	return err;
}

void ft_attach_finish(void)
{
	mutex_lock(&ft_table_mutex);
	/* Pairs with the acquire in ft_attach_is_wanted(): the event is on before this. */
	smp_store_release(&ft_attach_callers, ft_attach_callers - 1);
	if (!ft_attach_is_wanted())
		ft_attach_leave_now();
	mutex_unlock(&ft_table_mutex);
}

int ft_attach_set(const struct ft_entry *entry, bool on)
{
	lockdep_assert_held(&ft_table_mutex);

	if (on) {
		static_call_update(ft_attach_record, ft_probe_attach());
		WRITE_ONCE(ft_attach_on, ft_attach_on | 1u << entry->id);
		/* Who waits until they are unwrapped does not any more. */
		wake_up_all(&ft_attach_news);
		return 0;
	}
	WRITE_ONCE(ft_attach_on, ft_attach_on & ~(1u << entry->id));
	if (!ft_attach_is_wanted())
		ft_attach_leave_now();
	return 0;
}

int ft_attach_describe(struct ft_hook *info)
{
	const struct ft_hook_fn *fn;

	if (info->index >= ARRAY_SIZE(ft_attach_hooks))
		return -ENOENT;
	fn = &ft_attach_hooks[info->index];
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

	for (i = 0; i < ARRAY_SIZE(ft_attach_hooks); i++) {
		fn = &ft_attach_hooks[i];
		if (fn->upon && ft_hook_calls(fn->function, fn->upon))
			fn->state = FT_HOOK_PART;
	}
	ft_attach_ww_alone = !ft_hook_calls(ww_mutex_trylock, mutex_trylock);
}

/* The module was not pinned any more: nothing is attached, and nobody asks. */
void ft_attach_exit(void)
{
	cancel_work_sync(&ft_attach_enter_work);
	ft_attach_leave_exit();
}

#endif /* FT_HAVE_ATTACH */
