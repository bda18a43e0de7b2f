// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * /dev/ft_trace: call stacks.
 */
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "control/control.h"
#include "event/table.h"
#include "trace/trace.h"
#include "watch/callers.h"

/* As the event "condition": without triggers. */
int ft_control_add_stack_event(void)
{
	struct ft_entry *entry;

	mutex_lock(&ft_trace_mutex);
	entry = ft_table_add(FT_ID_STACK, "stack", "stack", "lock", KBUILD_MODNAME, NULL, NULL);
	mutex_unlock(&ft_trace_mutex);
	return PTR_ERR_OR_ZERO(entry);
}

/* The events that stacks are of have ids below 32. */
static u32 ft_control_on(const struct ft_session *session)
{
	u32 id, on = 0;

	for (id = 0; id < 32; id++)
		on |= ft_control_is_on(session, id) ? BIT(id) : 0;
	return on;
}

/* Stacks of sleeps are of this event, which has no id of its own. */
static bool ft_control_has_switches(const struct ft_session *session)
{
	const struct ft_entry *entry;

	for (entry = ft_table_next(0); entry; entry = ft_table_next(entry->id + 1))
		if (!strcmp(entry->name, "sched_switch"))
			return ft_control_is_on(session, entry->id);
	return false;
}

static int ft_control_set_again(u32 on)
{
	int err = 0;
	u32 id;

	for (id = 0; id < 32; id++)
		if (on & BIT(id))
			err = ft_table_set_again(id) ?: err;
	return err;
}

/* Their events' triggers bypass them before they are freed. */
static void ft_control_drop_stacks(struct ft_wants *wants)
{
	wants->stacks = false;
	ft_callers_mute(wants->session);
	ft_control_set_again(U32_MAX);
	ft_trace_sync();
	ft_callers_end(wants->session);
}

static int ft_control_new_stacks(struct ft_wants *wants, struct ft_stacks *stacks)
{
	u32 on;
	int err;

	if (!ft_trace_active(wants->session))
		return -ENODATA;
	on = ft_control_on(wants->session);
	err = ft_callers_new(wants->session, stacks, on,
			     ft_control_has_switches(wants->session));
	if (err)
		return err;
	wants->stacks = true;
	err = ft_control_set_again(on);
	if (err)
		ft_control_drop_stacks(wants);
	return err;
}

long ft_control_stacks(struct ft_wants *wants, void __user *arg)
{
	struct ft_stacks stacks;
	int err;

	if (copy_from_user(&stacks, arg, sizeof(stacks)))
		return -EFAULT;
	err = ft_callers_check(&stacks);
	if (err)
		return err;
	mutex_lock(&ft_trace_mutex);
	err = ft_control_new_stacks(wants, &stacks);
	mutex_unlock(&ft_trace_mutex);
	if (err || !copy_to_user(arg, &stacks, sizeof(stacks)))
		return err;

	/* The caller does not know of them. */
	ft_control_end_stacks(wants);
	return -EFAULT;
}

static int ft_control_next_stack(const struct ft_wants *wants, u32 *from,
				 struct ft_callers_reading *reading)
{
	int err;

	mutex_lock(&ft_trace_mutex);
	err = ft_callers_get(wants->session, from, reading);
	mutex_unlock(&ft_trace_mutex);
	return err;
}

/* A page fault of user space does not wait for ft_trace_mutex. Return: 0 or an error. */
static int ft_control_copy_stacks(const struct ft_wants *wants, struct ft_stacks_read *read)
{
	u64 __user *to = u64_to_user_ptr(read->buf);
	struct ft_callers_reading reading;
	u32 from = read->from;
	int err;

	while ((err = ft_control_next_stack(wants, &from, &reading)) == 0) {
		read->from = from;
		if (!from || reading.words > read->max - read->count)
			break;
		if (copy_to_user(to + read->count, reading.addr,
				 reading.words * sizeof(*reading.addr)))
			return -EFAULT;
		read->count += reading.words;
		from++;
	}
	return err;
}

long ft_control_stacks_read(const struct ft_wants *wants, void __user *arg)
{
	struct ft_stacks_read read;
	int err;

	if (copy_from_user(&read, arg, sizeof(read)))
		return -EFAULT;
	if (read.max <= FT_STACKS_DEPTH || read.count || read.reserved0 || read.taken ||
	    read.full || read.failed || memchr_inv(read.reserved, 0, sizeof(read.reserved)))
		return -EINVAL;
	err = ft_control_copy_stacks(wants, &read);
	if (err)
		return err;
	mutex_lock(&ft_trace_mutex);
	err = ft_callers_look(wants->session, &read);
	mutex_unlock(&ft_trace_mutex);
	if (err)
		return err;
	return copy_to_user(arg, &read, sizeof(read)) ? -EFAULT : 0;
}

void ft_control_end_stacks(struct ft_wants *wants)
{
	mutex_lock(&ft_trace_mutex);
	if (wants->stacks)
		ft_control_drop_stacks(wants);
	mutex_unlock(&ft_trace_mutex);
}
