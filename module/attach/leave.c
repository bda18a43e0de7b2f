// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Unwrapping the functions that enter.c has wrapped.
 *
 * While a function is wrapped, ftrace may be about to read its ops (ft_hook_mute()).
 * After it is unwrapped, CPUs may still execute its hook, and tasks may have been
 * preempted there or sleep inside: a task that waits for a mutex has the hook on its
 * stack until it owns the mutex. So this file does, in this order:
 *
 *	- mute the functions;
 *	- wait until every CPU has switched to another task, and every preempted task
 *	  has run until it slept (RCU tasks): then no CPU reads the ops any more;
 *	- unwrap the functions;
 *	- wait for the same grace periods: then every task that was just before or
 *	  after the counting of tasks inside is counted, or has left the hook;
 *	- wait until the count of tasks inside is 0; it can only fall now;
 *	- wait for both grace periods again, for tasks that were just leaving.
 *
 * Until then the module is pinned: unloading it fails at once, while module_exit()
 * could only wait. If ftrace has disabled itself and cannot unwrap a function, the
 * module stays pinned and tries again each second.
 */
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "attach/functions.h"
#include "attach/hook.h"
#include "attach/leave.h"
#include "trace/trace.h"

#if FT_HAVE_ATTACH

/* How long the work waits for tasks inside, and when it tries again. */
#define FT_ATTACH_WAIT_MS	1000
#define FT_ATTACH_AGAIN_MS	1000

/* How long ft_attach_detach() waits at most when no task is inside. */
#define FT_ATTACH_GRACE_MS	10000

/* Tasks may enter and leave on different CPUs: only the sum has a meaning. */
DEFINE_PER_CPU(int, ft_attach_inside);

bool ft_attach_pinned;
unsigned int ft_attach_callers;
u64 ft_attach_events;
unsigned long ft_attach_unwrapped;
unsigned long ft_attach_synced;
DECLARE_WAIT_QUEUE_HEAD(ft_attach_news);

/* A function was muted since the last grace period. Used by ft_attach_leave_work. */
static bool ft_attach_fresh;

/* How often ft_attach_leave() has begun, and ended. */
static unsigned int ft_attach_begun, ft_attach_ended;

/*
 * Is there a function to unwrap, or a task to wait for? A caller that holds ft_attach_mutex
 * may unwrap then: no event is on or held, and one that is off gets its functions from
 * ft_attach_enter(), which waits for that mutex.
 */
static bool ft_attach_is_leaving(void)
{
	bool leaving;

	mutex_lock(&ft_trace_mutex);
	leaving = ft_attach_pinned && !ft_attach_is_wanted();
	mutex_unlock(&ft_trace_mutex);
	return leaving;
}

void ft_attach_gone(struct ft_hook_fn *fn)
{
	fn->gone = ++ft_attach_unwrapped;
}

/* The number of wrapped functions, and of those that ftrace failed to unwrap. */
static void ft_attach_count(struct ft_detach *detach)
{
	unsigned int i;

	detach->attached = 0;
	detach->stuck = 0;
	for (i = 0; i < ft_attach_hook_count; i++) {
		detach->attached += ft_hook_is_attached(&ft_attach_hooks[i]);
		detach->stuck += ft_hook_state(&ft_attach_hooks[i]) == FT_HOOK_STUCK;
	}
}

/*
 * Mutes each function in a first call and unwraps it in a second, after
 * ft_attach_sync(). @detach: the number of functions that are still wrapped: after the
 * first call, if they are wanted, or if ftrace failed to unwrap them.
 */
static void ft_attach_unwrap(struct ft_detach *detach)
{
	struct ft_hook_fn *fn;
	unsigned int i;

	for (i = 0; i < ft_attach_hook_count && ft_attach_is_leaving(); i++) {
		fn = &ft_attach_hooks[i];
		if (!ft_hook_is_attached(fn))
			continue;
		if (!ft_hook_is_muted(fn)) {
			ft_hook_mute(fn);
			ft_attach_fresh = true;
		} else if (!ft_hook_detach(fn)) {
			ft_attach_gone(fn);
		}
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

/* Return: 0; -EBUSY. */
static int ft_attach_wait_inside(struct ft_detach *detach)
{
	unsigned long end = jiffies + msecs_to_jiffies(detach->timeout_ms);

	for (;;) {
		detach->inside = ft_attach_count_inside();
		if (!detach->inside)
			return 0;
		if (time_after_eq(jiffies, end))
			return -EBUSY;
		msleep_interruptible(10);
	}
}

/*
 * Waits until every CPU has switched to another task, also from its idle task, and
 * every other preempted task has run until it slept.
 */
static void ft_attach_wait_tasks(void)
{
	ft_trace_switch();
	synchronize_rcu_tasks();
}

static void ft_attach_sync(void)
{
	unsigned long unwrapped;

	mutex_lock(&ft_attach_mutex);
	unwrapped = ft_attach_unwrapped;
	mutex_unlock(&ft_attach_mutex);

	ft_attach_wait_tasks();

	mutex_lock(&ft_attach_mutex);
	if (time_after(unwrapped, ft_attach_synced))
		ft_attach_synced = unwrapped;
	mutex_unlock(&ft_attach_mutex);
	ft_attach_fresh = false;
}

/* Waits until no task can be in a function that was unwrapped before. */
static int ft_attach_settle(struct ft_detach *detach)
{
	int err;

	/* Grace periods have no use while a task sleeps there. */
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

static void ft_attach_unpin_owner(struct ft_hook_fn *fn)
{
	lockdep_assert_held(&ft_attach_mutex);
	lockdep_assert_held(&ft_trace_mutex);

	module_put(fn->pinned);
	fn->pinned = NULL;
}

/* For functions that were wrapped: no task is in their hooks, or will return to one. */
static void ft_attach_unpin_owners(void)
{
	unsigned int i;

	for (i = 0; i < ft_attach_hook_count; i++)
		ft_attach_unpin_owner(&ft_attach_hooks[i]);
}

/* Waits for what the functions of a module did before they were muted, or unwrapped. */
static void ft_attach_sync_held(void)
{
	lockdep_assert_held(&ft_attach_mutex);

	ft_attach_wait_tasks();
	ft_attach_synced = ft_attach_unwrapped;
}

static bool ft_attach_mute_of(const struct module *owner)
{
	struct ft_hook_fn *fn;
	bool any = false;
	unsigned int i;

	for (i = ft_attach_lock_count; i < ft_attach_hook_count; i++) {
		fn = &ft_attach_hooks[i];
		if (fn->pinned != owner || !ft_hook_is_attached(fn))
			continue;
		ft_hook_mute(fn);
		any = true;
	}
	return any;
}

/* A module that goes is not pinned again: ft_attach_pin_owner(). */
static bool ft_attach_is_owner_pinned(const struct module *owner)
{
	bool pinned = false;
	unsigned int i;

	mutex_lock(&ft_trace_mutex);
	for (i = ft_attach_lock_count; i < ft_attach_hook_count; i++)
		pinned |= ft_attach_hooks[i].pinned == owner;
	mutex_unlock(&ft_trace_mutex);
	return pinned;
}

/*
 * No task enters the hooks of its functions afterwards. It does not wait for tasks inside: the
 * code that they return to goes anyway, with a hook or without. A module that goes in the normal
 * way was not pinned, and does not wait for ft_attach_mutex for long.
 */
void ft_attach_owner_goes(const struct module *owner)
{
	struct ft_hook_fn *fn;
	unsigned int i;
	bool any;

	if (!ft_attach_is_owner_pinned(owner))
		return;
	mutex_lock(&ft_attach_mutex);
	any = ft_attach_mute_of(owner);
	if (any)
		ft_attach_sync_held();
	for (i = ft_attach_lock_count; i < ft_attach_hook_count; i++) {
		fn = &ft_attach_hooks[i];
		if (fn->pinned != owner)
			continue;
		if (ft_hook_is_attached(fn) && !ft_hook_detach(fn))
			ft_attach_gone(fn);
		mutex_lock(&ft_trace_mutex);
		ft_attach_unpin_owner(fn);
		mutex_unlock(&ft_trace_mutex);
	}
	/* Tasks that were on the way to a hook are now in the function, or have left it. */
	if (any)
		ft_attach_sync_held();
	mutex_unlock(&ft_attach_mutex);
}

/* From here on the module can be unloaded: ft_attach_leave_exit(). */
static void ft_attach_unpin(void)
{
	mutex_lock(&ft_trace_mutex);
	if (!ft_attach_is_wanted()) {
		ft_attach_unpin_owners();
		module_put(THIS_MODULE);
		WRITE_ONCE(ft_attach_pinned, false);
	}
	mutex_unlock(&ft_trace_mutex);
}

/*
 * Unwraps what is not needed, waits until no task is inside, then unpins the module.
 * A new trace may begin meanwhile; it keeps the module pinned. If that trace has ended
 * as well, or failed after it had wrapped a function, there is more to unwrap and to wait
 * for. A function that ftrace failed to unwrap still calls the module and keeps it pinned.
 */
static int ft_attach_drain(struct ft_detach *detach)
{
	bool settled = false, leaving;
	unsigned long unwrapped = 0;
	int err;

	/* The last run may have ended after it had muted a function. */
	if (ft_attach_fresh)
		ft_attach_sync();
	for (;;) {
		mutex_lock(&ft_attach_mutex);
		ft_attach_count(detach);
		if (settled && !detach->attached && unwrapped == ft_attach_unwrapped)
			ft_attach_unpin();
		ft_attach_unwrap(detach);
		unwrapped = ft_attach_unwrapped;
		leaving = ft_attach_is_leaving();
		mutex_unlock(&ft_attach_mutex);
		detach->inside = 0;
		if (!leaving)
			return 0;
		/* Only stuck functions are left. */
		if (detach->stuck && detach->stuck == detach->attached) {
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

static void ft_attach_leave(struct work_struct *work);
static DECLARE_DELAYED_WORK(ft_attach_leave_work, ft_attach_leave);

/* An unbound worker: a real-time task may keep a CPU's own worker from running. */
void ft_attach_leave_now(void)
{
	mod_delayed_work(ft_unbound_wq, &ft_attach_leave_work, 0);
}

void ft_attach_leave_exit(void)
{
	cancel_delayed_work_sync(&ft_attach_leave_work);
}

static void ft_attach_leave(struct work_struct *work)
{
	struct ft_detach detach = { .timeout_ms = FT_ATTACH_WAIT_MS };
	unsigned long again;
	int err;

	WRITE_ONCE(ft_attach_begun, ft_attach_begun + 1);
	err = ft_attach_drain(&detach);
	/* Pairs with the acquire in ft_attach_is_left(). */
	smp_store_release(&ft_attach_ended, ft_attach_begun);
	wake_up_all(&ft_attach_news);
	if (!err)
		return;
	if (detach.stuck)
		pr_err_once("ftrace does not let go of %u functions, which still call this module: it stays loaded until ftrace does, or until a reboot\n",
			    detach.stuck);
	else if (detach.inside)
		pr_notice_once("%u tasks still wait inside wrapped functions; the module stays loaded until they leave\n",
			       detach.inside);
	again = wq_has_sleeper(&ft_attach_news) ? 0 : msecs_to_jiffies(FT_ATTACH_AGAIN_MS);
	/* Does nothing if ft_attach_leave_now() has queued the work meanwhile. */
	queue_delayed_work(ft_unbound_wq, &ft_attach_leave_work, again);
}

static int ft_attach_look(struct ft_detach *detach)
{
	ft_attach_count(detach);
	detach->inside = ft_attach_count_inside();
	return ft_attach_is_leaving() ? -EBUSY : 0;
}

/* Is there nothing to wait for? @begun: the last attempt begun before the request. */
static bool ft_attach_is_left(unsigned int begun, struct ft_detach *detach)
{
	if (!READ_ONCE(ft_attach_pinned) || READ_ONCE(ft_attach_events))
		return true;
	/* An event is being turned on: functions may stay wrapped. */
	if (ft_attach_is_wanted())
		return false;
	/* Pairs with the release in ft_attach_leave(). */
	if ((int)(smp_load_acquire(&ft_attach_ended) - begun) <= 0)
		return false;
	ft_attach_count(detach);
	return detach->stuck;
}

/* Return: 0 after the timeout; negative after a signal */
static long ft_attach_wait_left(unsigned int begun, struct ft_detach *detach,
				unsigned int ms)
{
	return wait_event_interruptible_timeout(ft_attach_news,
						ft_attach_is_left(begun, detach),
						msecs_to_jiffies(ms));
}

int ft_attach_detach(struct ft_detach *detach)
{
	unsigned int begun;
	long left;

	if (!detach->timeout_ms)
		return ft_attach_look(detach);

	begun = READ_ONCE(ft_attach_begun);
	mutex_lock(&ft_trace_mutex);
	if (ft_attach_pinned && !ft_attach_is_wanted())
		ft_attach_leave_now();
	mutex_unlock(&ft_trace_mutex);
	left = ft_attach_wait_left(begun, detach, detach->timeout_ms);
	if (!left && ft_attach_is_leaving() && !ft_attach_count_inside())
		left = ft_attach_wait_left(begun, detach, FT_ATTACH_GRACE_MS);
	ft_attach_look(detach);
	if (left < 0)
		return -EINTR;
	/* It is leaving, or an event is still being turned on: both keep the module. */
	return READ_ONCE(ft_attach_pinned) && !READ_ONCE(ft_attach_events) ? -EBUSY : 0;
}

#endif /* FT_HAVE_ATTACH */
