// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Lock events on a kernel without triggers: the lock functions are wrapped.
 *
 * Wrapping begins when the first event of a function is turned on. Turning it off
 * is a flag; when no lock event is on any more, the functions are unwrapped in
 * the background.
 *
 * Leaving. While a function is wrapped, ftrace may be about to look at its ops
 * (ft_hook_mute()). When it is unwrapped, CPUs may still be in its hook, tasks may
 * have been preempted there, and may sleep inside: who waits for a mutex has the
 * hook on its stack until it has got it. So, in this order:
 *
 *	- the functions are muted;
 *	- every CPU switches to another task, and every task that was preempted
 *	  runs on until it sleeps (RCU tasks): nobody looks at the ops any more;
 *	- the functions are unwrapped;
 *	- the same grace periods: who was in the code around the counting of those
 *	  inside has left it, or is counted;
 *	- the count of those inside falls to 0; it can only fall now;
 *	- both grace periods once more, for those who were just leaving.
 *
 * Until then the module is pinned: it cannot be unloaded, which says so at once,
 * where module_exit() could but wait. So it is for good where ftrace does not let go
 * of a function, because it has disabled itself: then it is tried again, and again.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/rwsem.h>
#include <linux/semaphore.h>
#include <linux/static_call.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/ww_mutex.h>

#include "attach.h"
#include "attach_hook.h"
#include "attach_list.h"
#include "probe.h"
#include "table.h"
#include "trace.h"

u32 ft_attach_on;

#if FT_HAVE_ATTACH

/* How long the work waits at a time, and how long it leaves it at that then. */
#define FT_ATTACH_WAIT_MS	1000
#define FT_ATTACH_AGAIN_MS	1000

/* Entered and left on different CPUs: only the sum over all says something. */
DEFINE_PER_CPU(int, ft_attach_inside);

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

static struct ft_hook_fn ft_attach_hooks[] = { FT_HOOKS };

/* Guarded by ft_table_mutex. */
static bool ft_attach_pinned;
static unsigned long ft_attach_unwrapped;	/* how many functions, ever */
static unsigned long ft_attach_synced;	/* those before the last grace periods */

/*
 * One drains at a time. Not a mutex: who waits for that may do so in a wrapped
 * function, and whoever has it would wait for them.
 */
static atomic_t ft_attach_draining = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(ft_attach_drained);

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
			 ft_attach_hooks[i].state != FT_HOOK_PART;
	return count;
}

/* Is off ftrace's list, which somebody may still be walking. */
static void ft_attach_gone(struct ft_hook_fn *fn)
{
	fn->gone = ++ft_attach_unwrapped;
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

/* How many functions are wrapped, and how many of these does ftrace not let go? */
static void ft_attach_count(struct ft_detach *detach)
{
	unsigned int i;

	detach->attached = 0;
	detach->stuck = 0;
	for (i = 0; i < ARRAY_SIZE(ft_attach_hooks); i++) {
		detach->attached += ft_hook_is_attached(&ft_attach_hooks[i]);
		detach->stuck += ft_attach_hooks[i].state == FT_HOOK_STUCK;
	}
}

/*
 * In two steps, ft_attach_sync() between. @detach: how many functions are still
 * wrapped: because there is an event on, because this was the first step, or because
 * ftrace does not let go of them.
 */
static void ft_attach_unwrap(struct ft_detach *detach)
{
	struct ft_hook_fn *fn;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ft_attach_hooks) && !ft_attach_on; i++) {
		fn = &ft_attach_hooks[i];
		if (!ft_hook_is_attached(fn))
			continue;
		if (!ft_hook_is_muted(fn))
			ft_hook_mute(fn);
		else if (!ft_hook_detach(fn))
			ft_attach_gone(fn);
	}
	ft_attach_count(detach);
}

static unsigned int ft_attach_count_inside(void)
{
	int cpu, sum = 0;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(&ft_attach_inside, cpu));
	return max(sum, 0);
}

/* Return: 0; -EBUSY; -EINTR. */
static int ft_attach_wait_inside(struct ft_detach *detach)
{
	unsigned long end = jiffies + msecs_to_jiffies(detach->timeout_ms);

	for (;;) {
		detach->inside = ft_attach_count_inside();
		if (!detach->inside)
			return 0;
		if (time_after_eq(jiffies, end))
			return -EBUSY;
		if (msleep_interruptible(10))
			return -EINTR;
	}
}

/*
 * Every CPU switches to another task, hence the idle tasks, too; and every other task
 * that was preempted runs until it sleeps. That may take seconds: others can have the
 * table meanwhile.
 */
static void ft_attach_sync(void)
{
	unsigned long unwrapped;

	mutex_lock(&ft_table_mutex);
	unwrapped = ft_attach_unwrapped;
	mutex_unlock(&ft_table_mutex);

	ft_trace_switch();
	synchronize_rcu_tasks();

	mutex_lock(&ft_table_mutex);
	if (time_after(unwrapped, ft_attach_synced))
		ft_attach_synced = unwrapped;
	mutex_unlock(&ft_table_mutex);
}

/* Until nobody can be in a function that was unwrapped before. */
static int ft_attach_settle(struct ft_detach *detach)
{
	int err;

	/* While somebody sleeps there, grace periods are of no use. */
	err = ft_attach_wait_inside(detach);
	if (err)
		return err;
	ft_attach_sync();
	err = ft_attach_wait_inside(detach);
	if (err)
		return err;
	ft_attach_sync();
	return 0;
}

/*
 * Unwrap what is not needed, and wait until nobody is inside; then let the module
 * go. A new trace may begin meanwhile: it finds the module pinned, and keeps it so.
 * If it has come to its end, too, there is more to be unwrapped, and waited for.
 * A function that ftrace does not let go keeps the module, as it still calls it.
 */
static int ft_attach_drain(struct ft_detach *detach)
{
	bool settled = false, done;
	int err;

	for (;;) {
		mutex_lock(&ft_table_mutex);
		ft_attach_count(detach);
		if (settled && !detach->attached) {
			ft_attach_pinned = false;
			module_put(THIS_MODULE);
		}
		ft_attach_unwrap(detach);
		done = !ft_attach_pinned || ft_attach_on;
		mutex_unlock(&ft_table_mutex);
		detach->inside = 0;
		if (done)
			return 0;
		if (detach->stuck) {
			detach->inside = ft_attach_count_inside();
			return -EBUSY;
		}

		settled = !detach->attached;
		if (settled) {
			err = ft_attach_settle(detach);
			if (err)
				return err;
		} else {
			ft_attach_sync();
		}
	}
}

/* Acquire: what who drained last did is seen; pairs with ft_attach_drain_end(). */
static bool ft_attach_drain_begin(void)
{
	return !atomic_cmpxchg_acquire(&ft_attach_draining, 0, 1);
}

static void ft_attach_drain_end(void)
{
	atomic_set_release(&ft_attach_draining, 0);
	wake_up(&ft_attach_drained);
}

static void ft_attach_leave(struct work_struct *work);
static DECLARE_DELAYED_WORK(ft_attach_work, ft_attach_leave);

static void ft_attach_leave(struct work_struct *work)
{
	struct ft_detach detach = { .timeout_ms = FT_ATTACH_WAIT_MS };
	int err = -EBUSY;

	if (ft_attach_drain_begin()) {
		err = ft_attach_drain(&detach);
		ft_attach_drain_end();
	}
	if (!err)
		return;
	if (detach.stuck)
		pr_err_once("ftrace does not let go of %u lock functions, which still call this module: it stays until ftrace does, or the machine is restarted\n",
			    detach.stuck);
	else if (detach.inside)
		pr_notice_once("%u tasks still wait inside wrapped lock functions; the module stays until they have left\n",
			       detach.inside);
	schedule_delayed_work(&ft_attach_work,
			      msecs_to_jiffies(FT_ATTACH_AGAIN_MS));
}

static int ft_attach_look(struct ft_detach *detach)
{
	bool pinned;

	mutex_lock(&ft_table_mutex);
	pinned = ft_attach_pinned;
	ft_attach_count(detach);
	mutex_unlock(&ft_table_mutex);
	detach->inside = ft_attach_count_inside();
	return pinned && detach->attached == detach->stuck ? -EBUSY : 0;
}

int ft_attach_detach(struct ft_detach *detach)
{
	long left;
	int err;

	if (!detach->timeout_ms)
		return ft_attach_look(detach);
	left = wait_event_interruptible_timeout(ft_attach_drained,
						ft_attach_drain_begin(),
						msecs_to_jiffies(detach->timeout_ms));
	if (left < 0)
		return -EINTR;
	if (!left) {
		ft_attach_look(detach);
		return -EBUSY;
	}
	err = ft_attach_drain(detach);
	ft_attach_drain_end();
	return err;
}

int ft_attach_set(const struct ft_entry *entry, bool on)
{
	int err;

	lockdep_assert_held(&ft_table_mutex);

	if (!on) {
		WRITE_ONCE(ft_attach_on, ft_attach_on & ~(1u << entry->id));
		if (!ft_attach_on)
			schedule_delayed_work(&ft_attach_work, 0);
		return 0;
	}

	static_call_update(ft_attach_record, ft_probe_attach());
	/* Before the first function can be entered. */
	if (!ft_attach_pinned) {
		__module_get(THIS_MODULE);
		ft_attach_pinned = true;
	}
	err = ft_attach_wrap(entry->id);
	if (err) {
		if (!ft_attach_on)
			schedule_delayed_work(&ft_attach_work, 0);
		return err;
	}
	WRITE_ONCE(ft_attach_on, ft_attach_on | 1u << entry->id);
	return 0;
}

int ft_attach_describe(struct ft_hook *info)
{
	const struct ft_hook_fn *fn;

	if (info->index >= ARRAY_SIZE(ft_attach_hooks))
		return -ENOENT;
	fn = &ft_attach_hooks[info->index];
	mutex_lock(&ft_table_mutex);
	info->event = fn->event;
	info->state = fn->state;
	info->error = fn->error;
	strscpy(info->name, fn->name, sizeof(info->name));
	mutex_unlock(&ft_table_mutex);
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

/* The module was not pinned any more, so nothing is attached. */
void ft_attach_exit(void)
{
	cancel_delayed_work_sync(&ft_attach_work);
}

#endif /* FT_HAVE_ATTACH */
