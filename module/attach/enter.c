// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Events of functions that are wrapped: of the lock functions, on a kernel without triggers,
 * and of others that are chosen at run time (chosen.h).
 *
 * Wrapping begins when the first event of a function is turned on. Turning it off leads its
 * hooks to a probe that does nothing; when no such event is on any more, the functions are
 * unwrapped in the background.
 *
 * Two works do all this, ft_attach_enter() and ft_attach_leave(), because ftrace may
 * wait for every runnable task: for ever if a real-time task does not leave a CPU to
 * others. Only two callers wait for the works: ft_attach_prepare(), until it is killed,
 * and ft_attach_detach(), until its timeout. ft_trace_mutex guards which events are
 * wanted and whether the module is pinned; it is held while text is changed, which waits for
 * others that change text, but never for a work.
 */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/static_call.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <feather_trace/event.h>

#include "attach/enter.h"
#include "attach/functions.h"
#include "attach/hook.h"
#include "attach/leave.h"
#include "attach/list.h"
#include "event/table.h"
#include "trace/trace.h"
#include "watch/watch.h"

#if FT_HAVE_ATTACH

/* After this time, a message says what ft_attach_prepare() waits for. */
#define FT_ATTACH_TELL_MS	10000

/* What the hooks of an event call: nothing, while it is off. */
#define FT_ATTACH_DEFINE(family)					\
	DEFINE_STATIC_CALL(ft_attach_acquire_##family, ft_probe_none);	\
	DEFINE_STATIC_CALL(ft_attach_release_##family, ft_probe_none);
FT_HOOK_FAMILIES(FT_ATTACH_DEFINE)

#define FT_ATTACH_CALL(id, name)					\
	[(id) - FT_ID_LOCK] = {						\
		&STATIC_CALL_KEY(ft_attach_##name),			\
		STATIC_CALL_TRAMP_ADDR(ft_attach_##name),		\
	},
#define FT_ATTACH_CALLS(family)						\
	FT_ATTACH_CALL(FT_ID_ACQUIRE(FT_LOCK_##family), acquire_##family) \
	FT_ATTACH_CALL(FT_ID_RELEASE(FT_LOCK_##family), release_##family)

static const struct {
	struct static_call_key	*key;
	void			*tramp;
} ft_attach_calls[] = { FT_HOOK_FAMILIES(FT_ATTACH_CALLS) };

/* What ft_attach_enter() has to do. A caller asks while it holds ft_attach_turn. */
static DEFINE_MUTEX(ft_attach_turn);
static u32 ft_attach_id;		/* guarded by ft_trace_mutex */
static unsigned int ft_attach_asked;	/* the same: number of the request */
static unsigned int ft_attach_answered;
static int ft_attach_answer;

/*
 * Pins the module of a function, from here on until ft_attach_unpin(). A module that is going
 * or has gone gets here first or gets ft_trace_mutex first: then it has removed its
 * function, and the event no longer has anything to do with it.
 */
static int ft_attach_pin_owner(struct ft_hook_fn *fn, u32 id)
{
	int err = 0;

	if (fn < &ft_attach_hooks[ft_attach_lock_count])
		return 0;	/* of the kernel */
	mutex_lock(&ft_trace_mutex);
	if (!ft_attach_emits(fn, id)) {
		err = -ENOENT;
	} else if (fn->owner && !fn->pinned) {
		if (try_module_get(fn->owner))
			fn->pinned = fn->owner;
		else
			err = -ENOENT;
		if (err)
			ft_hook_refuse(fn, err);
	}
	mutex_unlock(&ft_trace_mutex);
	return err;
}

/*
 * A function that is stuck stays muted: ftrace may have cleared in its ops what the
 * list of ops would use. It still emits events if it has no other ops.
 */
static int ft_attach_hook(struct ft_hook_fn *fn, u32 id)
{
	int err;

	if (fn->state == FT_HOOK_STUCK)
		return ft_hook_is_called(fn) ? 0 : -fn->error;
	if (ft_hook_is_attached(fn)) {
		ft_hook_unmute(fn);
		return 0;
	}
	err = ft_attach_pin_owner(fn, id);
	if (err)
		return err;
	if (time_after(fn->gone, ft_attach_synced)) {
		ft_trace_switch();
		synchronize_rcu_tasks();
		ft_attach_synced = ft_attach_unwrapped;
	}
	ft_hook_attach(fn);
	if (!ft_hook_is_attached(fn))
		ft_attach_gone(fn);
	return ft_hook_is_attached(fn) && fn->state != FT_HOOK_STUCK ? 0 : -fn->error;
}

/* Return: 0 if at least one function emits the event from now on. */
static int ft_attach_wrap(u32 id)
{
	unsigned int i, attached = 0;
	struct ft_hook_fn *fn;
	int err = 0, refused;

	for (i = 0; i < ft_attach_hook_count; i++) {
		fn = &ft_attach_hooks[i];
		if (!ft_attach_emits(fn, id) || fn->state == FT_HOOK_PART)
			continue;
		refused = ft_attach_hook(fn, id);
		if (refused)
			err = refused;
		else
			attached++;
	}
	return attached ? 0 : err;
}

/* Wraps the functions of the event of the last request. */
static void ft_attach_enter(struct work_struct *work)
{
	unsigned int asked, callers;
	int err = -EINTR;
	u32 id;

	mutex_lock(&ft_attach_mutex);
	mutex_lock(&ft_trace_mutex);
	asked = ft_attach_asked;
	id = ft_attach_id;
	callers = ft_attach_callers;
	mutex_unlock(&ft_trace_mutex);
	/* The caller may have been killed; then nothing pins the module. */
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

	mutex_lock(&ft_trace_mutex);
	ft_attach_id = id;
	asked = ++ft_attach_asked;
	mutex_unlock(&ft_trace_mutex);
	queue_work(ft_unbound_wq, &ft_attach_enter_work);

	left = wait_event_killable_timeout(ft_attach_news, ft_attach_is_answered(asked),
					   msecs_to_jiffies(FT_ATTACH_TELL_MS));
	if (!left)
		pr_notice("wrapping functions takes long: ftrace waits for a task that gets no CPU time. Does a real-time task occupy a CPU? See kernel.sched_rt_runtime_us\n");
	if (wait_event_killable(ft_attach_news, ft_attach_is_answered(asked)))
		return -EINTR;
	return READ_ONCE(ft_attach_answer);
}

static void ft_attach_point(const struct ft_entry *entry, u8 sessions)
{
	ft_probe_t probe = ft_probe_none;
	u32 i = entry->id - FT_ID_LOCK;

	if (sessions || entry->sensed)
		probe = ft_watch_record(entry->id, sessions, ft_trace_way(sessions));
	__static_call_update(ft_attach_calls[i].key, ft_attach_calls[i].tramp, probe);
}

void ft_attach_hold(void)
{
	lockdep_assert_held(&ft_trace_mutex);

	WRITE_ONCE(ft_attach_callers, ft_attach_callers + 1);
	/* Before the first function can be entered. */
	if (!ft_attach_pinned) {
		__module_get(THIS_MODULE);
		WRITE_ONCE(ft_attach_pinned, true);
	}
}

void ft_attach_finish(void)
{
	mutex_lock(&ft_trace_mutex);
	WRITE_ONCE(ft_attach_callers, ft_attach_callers - 1);
	if (!ft_attach_is_wanted())
		ft_attach_leave_now();
	mutex_unlock(&ft_trace_mutex);
}

int ft_attach_prepare(u32 id)
{
	int err;

	err = mutex_lock_killable(&ft_attach_turn);
	if (!err) {
		err = ft_attach_ask(id);
		mutex_unlock(&ft_attach_turn);
	}
	return err;
}

void ft_attach_want(unsigned int number, bool on)
{
	u64 others = ft_attach_events & ~BIT_ULL(number);

	lockdep_assert_held(&ft_trace_mutex);

	WRITE_ONCE(ft_attach_events, others | (on ? BIT_ULL(number) : 0));
	if (on)
		/* ft_attach_detach() need not wait any longer. */
		wake_up_all(&ft_attach_news);
	else if (!ft_attach_is_wanted())
		ft_attach_leave_now();
}

int ft_attach_set(const struct ft_entry *entry, u8 sessions)
{
	ft_attach_point(entry, sessions);
	ft_attach_want(entry->id - FT_ID_LOCK, sessions || entry->sensed);
	return 0;
}

/* The module is not pinned: no function is wrapped, no request is pending. */
void ft_attach_exit(void)
{
	cancel_work_sync(&ft_attach_enter_work);
	ft_attach_leave_exit();
}

#endif /* FT_HAVE_ATTACH */
