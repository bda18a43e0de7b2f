// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Events of points inside functions, by the kernel's kprobes: two registers for the words.
 *
 * The kernel may wait for every runnable task when it removes a kprobe. So no kprobe is
 * registered or unregistered with ft_trace_mutex held: &ft_source.prepare registers it, and a
 * work unregisters those whose events are off. In between, an event that is off leads to a probe
 * that does nothing. (The kernel's optimiser waits so with the mutex that guards text held:
 * a real-time task that keeps a CPU can still delay others that change text.)
 *
 * One that the kernel cannot unregister, as ftrace has failed, stays in its tables: it pins the
 * module for good.
 */
#include <linux/err.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include <feather_trace/event.h>

#include "event/kprobe.h"
#include "event/table.h"
#include "probe.h"
#include "trace/trace.h"
#include "watch/watch.h"

#if FT_HAVE_KPROBES

#define FT_KPROBE_OWNER	"kprobe"

/**
 * struct ft_point - a point; as the event, it is never freed before the module goes
 * @list:	changed with both mutexes held, read with either
 * @kp:		of the kernel
 * @function:	where it is
 * @id:		the event
 * @reg:	which words of struct pt_regs are the record's
 * @probe:	what writes it
 * @missed:	in earlier registrations, how often another kprobe was being handled; guarded by
 *		ft_trace_mutex
 * @on:		the same
 * @inside:	the same: the kernel has it where it is to be. Until that is known it may be in
 *		another function, and records nothing
 * @registered:	guarded by ft_kprobe_mutex
 * @stuck:	the same: it could not be unregistered
 */
struct ft_point {
	struct list_head	list;
	struct kprobe		kp;
	char			function[FT_NAME_LEN];
	u32			id;
	u8			reg[2];
	ft_probe_t		probe;
	u64			missed;
	bool			on;
	bool			inside;
	bool			registered;
	bool			stuck;
};

/* Taken before ft_trace_mutex. */
static DEFINE_MUTEX(ft_kprobe_mutex);
static LIST_HEAD(ft_points);
/* Between ft_kprobe_hold() and ft_kprobe_finish(); guarded by ft_trace_mutex. */
static unsigned int ft_kprobe_callers;

/* Preemption is disabled. */
static int ft_kprobe_hit(struct kprobe *kp, struct pt_regs *regs)
{
	const struct ft_point *point = container_of(kp, struct ft_point, kp);
	const unsigned long *word = (const unsigned long *)regs;
	ft_probe_t probe = READ_ONCE(point->probe);

	probe(point->id, word[point->reg[0]], word[point->reg[1]]);
	return 0;
}

NOKPROBE_SYMBOL(ft_kprobe_hit);

/* --- registering ---------------------------------------------------------- */

static struct ft_point *ft_kprobe_of(u32 id)
{
	struct ft_point *point;

	list_for_each_entry(point, &ft_points, list)
		if (point->id == id)
			return point;
	return NULL;
}

static int ft_kprobe_register(struct ft_point *point, u32 offset)
{
	if (point->stuck)
		return -EBUSY;
	mutex_lock(&ft_trace_mutex);
	point->inside = false;
	WRITE_ONCE(point->probe, ft_probe_none);
	point->missed += point->kp.nmissed;
	point->kp = (struct kprobe){
		.symbol_name	= point->function,
		.offset		= offset,
		.pre_handler	= ft_kprobe_hit,
	};
	mutex_unlock(&ft_trace_mutex);
	return register_kprobe(&point->kp);
}

/* Return: whether the kernel has let go of it. It says so by its address alone. */
static bool ft_kprobe_unregister(struct ft_point *point)
{
	unregister_kprobe(&point->kp);
	point->registered = false;
	point->stuck = !point->kp.addr;
	if (point->stuck) {
		__module_get(THIS_MODULE);
		pr_err_once("the kernel does not let go of a kprobe in %s, which still calls this module: it stays loaded until a reboot\n",
			    point->function);
	}
	return !point->stuck;
}

/* The kernel takes an offset past the function's end for a point of the next one. */
static bool ft_kprobe_is_inside(const struct ft_point *point)
{
	char text[KSYM_SYMBOL_LEN], *plus;
	unsigned long offset;

	/* name+0x1c/0x1f0 */
	sprint_symbol(text, (unsigned long)point->kp.addr);
	plus = strchr(text, '+');
	if (!plus || sscanf(plus, "+0x%lx/", &offset) != 1)
		return false;
	/* For the beginning, it takes what is behind an ENDBR. */
	return offset == point->kp.offset || (!point->kp.offset && offset < FT_BODY);
}

/* Return: 0, or why it is not registered. */
static int ft_kprobe_register_inside(struct ft_point *point, u32 offset)
{
	int err = ft_kprobe_register(point, offset);

	if (err)
		return err;
	point->registered = true;
	if (!ft_kprobe_is_inside(point))
		return ft_kprobe_unregister(point) ? -EILSEQ : -EBUSY;
	mutex_lock(&ft_trace_mutex);
	point->inside = true;
	/* For those for whom it is on already; a new one has no id yet. */
	ft_table_set_again(point->id);
	mutex_unlock(&ft_trace_mutex);
	return 0;
}

static bool ft_kprobe_is_idle(const struct ft_point *point)
{
	bool idle;

	mutex_lock(&ft_trace_mutex);
	idle = !point->on && !ft_kprobe_callers;
	mutex_unlock(&ft_trace_mutex);
	return idle;
}

/* Unregisters those whose events are off. */
static void ft_kprobe_leave(struct work_struct *work)
{
	struct ft_point *point;

	mutex_lock(&ft_kprobe_mutex);
	/* Points are added with both mutexes held. */
	list_for_each_entry(point, &ft_points, list) {
		/* Callers that want it from now on wait for the mutex in ft_kprobe_prepare(). */
		if (!point->registered || !ft_kprobe_is_idle(point))
			continue;
		ft_kprobe_unregister(point);
	}
	mutex_unlock(&ft_kprobe_mutex);
}

static DECLARE_WORK(ft_kprobe_leave_work, ft_kprobe_leave);

/* --- switching ------------------------------------------------------------ */

static void ft_kprobe_hold(void)
{
	lockdep_assert_held(&ft_trace_mutex);
	ft_kprobe_callers++;
}

static void ft_kprobe_finish(void)
{
	mutex_lock(&ft_trace_mutex);
	if (!--ft_kprobe_callers)
		queue_work(ft_unbound_wq, &ft_kprobe_leave_work);
	mutex_unlock(&ft_trace_mutex);
}

static int ft_kprobe_prepare(u32 id)
{
	struct ft_point *point;
	int err;

	err = mutex_lock_killable(&ft_kprobe_mutex);
	if (err)
		return err;
	point = ft_kprobe_of(id);
	/* Its function was in a module that went away, and may be back. */
	if (point->registered && kprobe_gone(&point->kp))
		ft_kprobe_unregister(point);
	/* Another build of the module may have a shorter function. */
	if (!point->registered)
		err = ft_kprobe_register_inside(point, point->kp.offset);
	mutex_unlock(&ft_kprobe_mutex);
	return err;
}

static int ft_kprobe_set(const struct ft_entry *entry, u8 sessions)
{
	struct ft_point *point = entry->data;
	ft_probe_t probe = ft_probe_none;

	point->on = sessions || entry->sensed;
	if (point->on && point->inside)
		probe = ft_watch_record(entry->id, sessions, ft_trace_way(sessions));
	WRITE_ONCE(point->probe, probe);
	if (!point->on)
		queue_work(ft_unbound_wq, &ft_kprobe_leave_work);
	return 0;
}

/* The kernel counts, without a lock. */
static u64 ft_kprobe_missed(const struct ft_entry *entry)
{
	const struct ft_point *point = entry->data;

	return point->missed + READ_ONCE(point->kp.nmissed);
}

static const struct ft_source ft_kprobe_source = {
	.hold		= ft_kprobe_hold,
	.prepare	= ft_kprobe_prepare,
	.renews		= true,
	.finish		= ft_kprobe_finish,
	.set		= ft_kprobe_set,
	.missed		= ft_kprobe_missed,
};

/* --- choosing ------------------------------------------------------------- */

/* NAME, or MODULE:NAME */
static bool ft_kprobe_is_name(const char *name)
{
	char whole[FT_NAME_LEN], *colon;

	memcpy(whole, name, sizeof(whole));
	if (!memchr(whole, 0, sizeof(whole)))
		return false;
	colon = strchr(whole, ':');
	if (colon) {
		if (!ft_table_is_symbol(colon + 1, whole + sizeof(whole) - (colon + 1)))
			return false;
		*colon = '\0';
	}
	return ft_table_is_symbol(whole, sizeof(whole));
}

static bool ft_kprobe_is_good(const struct ft_kprobe *info)
{
	const unsigned int words = sizeof(struct pt_regs) / sizeof(unsigned long);

	return !memchr_inv(info->reserved, 0, sizeof(info->reserved)) &&
	       ft_kprobe_is_name(info->name) &&
	       memchr(info->field[0], 0, FT_FIELD_LEN) && memchr(info->field[1], 0, FT_FIELD_LEN) &&
	       info->reg[0] < words && info->reg[1] < words;
}

/* NAME_0x1c; if an event has that name, ft_table_add() refuses other fields. */
static int ft_kprobe_enter(struct ft_point *point, const struct ft_kprobe *info)
{
	char name[2 * FT_NAME_LEN];
	struct ft_entry *entry;

	snprintf(name, sizeof(name), "%s_0x%x", info->name, info->offset);
	strreplace(name, '.', '_');
	strreplace(name, ':', '_');
	entry = ft_table_add(0, name, info->field[0], info->field[1], FT_KPROBE_OWNER,
			     &ft_kprobe_source, point);
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	point->id = entry->id;
	list_add_tail(&point->list, &ft_points);
	return 0;
}

static struct ft_point *ft_kprobe_known(const struct ft_kprobe *info)
{
	struct ft_point *point;

	list_for_each_entry(point, &ft_points, list)
		if (!strcmp(point->function, info->name) && point->kp.offset == info->offset)
			return point;
	return NULL;
}

static int ft_kprobe_make(const struct ft_kprobe *info)
{
	struct ft_point *point = kzalloc(sizeof(*point), GFP_KERNEL);
	int err;

	if (!point)
		return -ENOMEM;
	strscpy(point->function, info->name, sizeof(point->function));
	memcpy(point->reg, info->reg, sizeof(point->reg));
	point->probe = ft_probe_none;
	/* Would the kernel? Until the event is on, the probe does nothing. */
	err = ft_kprobe_register_inside(point, info->offset);
	if (!err && !ft_kprobe_unregister(point))
		err = -EBUSY;
	/* One that is stuck is never freed. */
	if (point->stuck)
		return err;
	if (!err) {
		mutex_lock(&ft_trace_mutex);
		err = ft_kprobe_enter(point, info);
		mutex_unlock(&ft_trace_mutex);
	}
	if (err)
		kfree(point);
	return err;
}

int ft_kprobe_add(struct ft_kprobe *info)
{
	const struct ft_point *point;
	int err;

	if (!ft_kprobe_is_good(info))
		return -EINVAL;
	err = mutex_lock_killable(&ft_kprobe_mutex);
	if (err)
		return err;
	point = ft_kprobe_known(info);
	if (!point)
		err = ft_kprobe_make(info);
	else if (memcmp(point->reg, info->reg, sizeof(point->reg)))
		err = -EEXIST;
	if (!err)
		info->id = ft_kprobe_known(info)->id;
	mutex_unlock(&ft_kprobe_mutex);
	return err;
}

/* Its handlers do not sleep, so the kernel waits for them here. */
void ft_kprobe_exit(void)
{
	struct ft_point *point, *next;

	mutex_lock(&ft_trace_mutex);
	list_for_each_entry(point, &ft_points, list)
		ft_table_retire(ft_table_at(point->id));
	mutex_unlock(&ft_trace_mutex);
	cancel_work_sync(&ft_kprobe_leave_work);
	ft_kprobe_leave(NULL);
	list_for_each_entry_safe(point, next, &ft_points, list)
		if (!point->stuck)
			kfree(point);
}

#endif /* FT_HAVE_KPROBES */
