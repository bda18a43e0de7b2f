// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * /dev/ft_trace: conditions.
 */
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/uaccess.h>

#include "control/control.h"
#include "event/table.h"
#include "sensor/sensor.h"
#include "trace/trace.h"
#include "watch/condition.h"

/* Without triggers, an event has a name, but is not listed and cannot be enabled. */
int ft_control_add_condition_event(void)
{
	struct ft_entry *entry;

	mutex_lock(&ft_trace_mutex);
	entry = ft_table_add(FT_ID_CONDITION, "condition", "number", "ticks", KBUILD_MODNAME,
			     NULL, NULL);
	mutex_unlock(&ft_trace_mutex);
	return PTR_ERR_OR_ZERO(entry);
}

bool ft_control_is_on(const struct ft_session *session, u32 id)
{
	const struct ft_entry *entry = ft_table_next(id);

	return entry && entry->id == id &&
	       entry->sessions & BIT(ft_session_number(session));
}

/* Removes a condition. Its events' triggers bypass it before it is freed. */
static void ft_control_end_condition(struct ft_wants *wants, u32 number, const u32 event[2])
{
	struct ft_session *session = wants->session;

	wants->conditions--;
	ft_sensor_untell(ft_condition_told_by(session, number));
	ft_condition_mute(session, number);
	ft_table_set_again(event[0]);
	ft_table_set_again(event[1]);
	ft_trace_sync();
	ft_condition_end(session, number);
}

static int ft_control_new_condition(struct ft_wants *wants, struct ft_when *when)
{
	struct ft_session *session = wants->session;
	const u32 event[2] = { when->event, when->begin };
	int err;

	/* It would stop the traces of all who record there. */
	if (when->flags & FT_WHEN_STOP && session == FT_SESSION_DEFAULT)
		return -EOPNOTSUPP;
	if (!ft_trace_active(session))
		return -ENODATA;
	if (!(when->flags & FT_WHEN_SENSOR) &&
	    (!ft_control_is_on(session, when->event) ||
	     (when->begin && !ft_control_is_on(session, when->begin))))
		return -ENOENT;
	err = ft_condition_new(session, wants, when);
	if (err)
		return err;
	wants->conditions++;
	/* From here on, probes evaluate it. */
	if (when->flags & FT_WHEN_SENSOR)
		err = ft_sensor_tell(when->sensor, when->longer_ns,
				     ft_condition_told_by(session, when->number));
	else
		err = ft_table_set_again(event[0]) ?: ft_table_set_again(event[1]);
	if (err)
		ft_control_end_condition(wants, when->number, event);
	return err;
}

long ft_control_when(struct ft_wants *wants, void __user *arg)
{
	struct ft_when when;
	u32 event[2];
	int err;

	if (copy_from_user(&when, arg, sizeof(when)))
		return -EFAULT;
	err = ft_condition_check(&when);
	if (err)
		return err;

	mutex_lock(&ft_trace_mutex);
	err = ft_control_new_condition(wants, &when);
	mutex_unlock(&ft_trace_mutex);
	if (err)
		return err;
	if (!copy_to_user(arg, &when, sizeof(when)))
		return 0;

	/* The caller could not be told its number: remove it. */
	event[0] = when.event;
	event[1] = when.begin;
	mutex_lock(&ft_trace_mutex);
	ft_control_end_condition(wants, when.number, event);
	mutex_unlock(&ft_trace_mutex);
	return -EFAULT;
}

long ft_control_when_state(struct ft_wants *wants, void __user *arg)
{
	struct ft_when_state state;
	int err;

	if (copy_from_user(&state, arg, sizeof(state)))
		return -EFAULT;
	if (memchr_inv(&state.fulfilled, 0,
		       sizeof(state) - offsetof(typeof(state), fulfilled)))
		return -EINVAL;
	mutex_lock(&ft_trace_mutex);
	err = ft_condition_describe(wants->session, wants, &state);
	mutex_unlock(&ft_trace_mutex);
	if (err)
		return err;
	if (copy_to_user(arg, &state, sizeof(state)))
		return -EFAULT;
	mutex_lock(&ft_trace_mutex);
	ft_condition_told(wants->session, wants, &state);
	mutex_unlock(&ft_trace_mutex);
	return 0;
}

void ft_control_end_conditions(struct ft_wants *wants)
{
	u32 event[2];
	int number;

	mutex_lock(&ft_trace_mutex);
	while ((number = ft_condition_next(wants->session, wants, event)) >= 0)
		ft_control_end_condition(wants, number, event);
	mutex_unlock(&ft_trace_mutex);
}
