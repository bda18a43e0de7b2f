// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * /dev/ft_trace: what is traced, and how.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <feather_trace/event.h>

#include "access.h"
#include "attach/functions.h"
#include "attach/leave.h"
#include "compat.h"
#include "control/control.h"
#include "event/function.h"
#include "event/kprobe.h"
#include "event/lock.h"
#include "event/table.h"
#include "event/tracepoint.h"
#include "probe.h"
#include "ring/flight.h"
#include "ring/rings.h"
#include "sensor/probes.h"
#include "trace/session.h"
#include "trace/trace.h"
#include "watch/watch.h"

/* Announced by FT_IOC_MARK, so that a program can put marks into a trace. */
DEFINE_FT_EVENT(mark, a, b);
static struct ft_event *const ft_control_events[] = { &ft_event_mark };

static long ft_control_info(const struct ft_session *session, void __user *arg)
{
	const struct ft_trace *trace = &session->trace;
	struct ft_info info = { .abi = FT_ABI_VERSION };

	mutex_lock(&ft_trace_mutex);
	info.clock = trace->clock.source;
	info.clock_hz = trace->clock.hz;
	export_uuid(info.uuid, &trace->uuid);
	info.trace = trace->number;
	info.active = ft_trace_active(session);
	info.cpus = nr_cpu_ids;
	info.lock_source = ft_lock_source();
	info.flags = ft_trace_flags(session);
	mutex_unlock(&ft_trace_mutex);

	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long ft_control_fields(void __user *arg)
{
	struct ft_fields info;
	int err;

	if (copy_from_user(&info, arg, sizeof(info)))
		return -EFAULT;
	err = ft_table_fields(&info);
	if (err)
		return err;
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long ft_control_event(const struct ft_session *session, void __user *arg)
{
	struct ft_event_info info;
	int err;

	if (copy_from_user(&info, arg, sizeof(info)))
		return -EFAULT;
	if (info.unread)
		return -EINVAL;
	err = ft_table_describe(session, &info);
	if (err)
		return err;
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long ft_control_enable(struct ft_wants *wants, void __user *arg,
			      bool on)
{
	u32 known = FT_ENABLE_PERSIST | (on ? FT_ENABLE_ORDERED : 0);
	struct ft_enable enable;
	u32 failed;

	if (copy_from_user(&enable, arg, sizeof(enable)))
		return -EFAULT;
	if (enable.flags & ~known || enable.reserved)
		return -EINVAL;

	return on ? ft_table_start(wants, &enable.id, 1, enable.flags, &failed)
		  : ft_table_stop(wants, &enable.id, 1,
				  enable.flags & FT_ENABLE_PERSIST, &failed);
}

static long ft_control_set(struct ft_wants *wants, void __user *arg, bool on)
{
	u32 known = FT_ENABLE_PERSIST | (on ? FT_ENABLE_ORDERED : 0);
	struct ft_set set;
	long err;
	u32 *ids;

	if (copy_from_user(&set, arg, sizeof(set)))
		return -EFAULT;
	if (set.flags & ~known || set.failed || set.reserved || !set.count ||
	    set.count > FT_SET_MAX)
		return -EINVAL;
	ids = vmemdup_user(u64_to_user_ptr(set.ids), set.count * sizeof(*ids));
	if (IS_ERR(ids))
		return PTR_ERR(ids);

	if (on)
		err = ft_table_start(wants, ids, set.count, set.flags, &set.failed);
	else
		err = ft_table_stop(wants, ids, set.count,
				    set.flags & FT_ENABLE_PERSIST, &set.failed);
	kvfree(ids);
	if (err && copy_to_user(arg, &set, sizeof(set)))
		return -EFAULT;
	return err;
}

static long ft_control_get_config(const struct ft_session *session,
				  void __user *arg)
{
	struct ft_config config;

	ft_rings_get_config(&session->rings, &config);
	return copy_to_user(arg, &config, sizeof(config)) ? -EFAULT : 0;
}

static long ft_control_set_config(struct ft_session *session,
				  void __user *arg)
{
	struct ft_config config;
	int err;

	if (copy_from_user(&config, arg, sizeof(config)))
		return -EFAULT;

	mutex_lock(&ft_trace_mutex);
	err = ft_trace_active(session) ? -EBUSY :
	      ft_rings_configure(&session->rings, &config);
	mutex_unlock(&ft_trace_mutex);
	return err;
}

static long ft_control_snapshot(const struct ft_wants *wants, void __user *arg)
{
	struct ft_snapshot snapshot = {};
	struct ft_session *session;
	int err = -ENODATA;

	mutex_lock(&ft_trace_mutex);
	session = wants->session;	/* FT_IOC_SESSION changes it with the mutex held */
	if (session->trace.number)
		err = ft_flight_mark(&session->rings, wants, &session->trace.clock,
				     &snapshot.ts);
	mutex_unlock(&ft_trace_mutex);
	if (err)
		return err;
	if (!copy_to_user(arg, &snapshot, sizeof(snapshot)))
		return 0;

	/* The caller does not learn of the marks: let others set theirs. */
	mutex_lock(&ft_trace_mutex);
	ft_flight_unmark(&session->rings, wants);
	mutex_unlock(&ft_trace_mutex);
	return -EFAULT;
}

/*
 * Into the descriptor's own session alone, so not through the static call. Being the
 * event's trigger, this looks at its key.
 */
static long ft_control_mark(const struct ft_session *session, void __user *arg)
{
	const u8 own = BIT(ft_session_number(session));
	struct ft_mark mark;

	if (copy_from_user(&mark, arg, sizeof(mark)))
		return -EFAULT;
	if (!static_branch_unlikely(&ft_event_mark.key))
		return 0;
	preempt_disable_notrace();
	if (ft_probe_announced(FT_ID_MARK) & own) {
		ft_probe_record(own, READ_ONCE(session->way))(FT_ID_MARK, mark.a, mark.b);
		ft_watch_call(FT_ID_MARK, own, mark.a, mark.b);
	}
	if (ft_sensor_is_any(FT_ID_MARK))
		ft_sensor_see(FT_ID_MARK, mark.a, mark.b, ft_sensor_now());
	preempt_enable_notrace();
	return 0;
}

static long ft_control_hook(void __user *arg)
{
	struct ft_hook info;
	int err;

	if (copy_from_user(&info, arg, sizeof(info)))
		return -EFAULT;
	if (memchr_inv(info.reserved, 0, sizeof(info.reserved)))
		return -EINVAL;
	mutex_lock(&ft_trace_mutex);
	err = ft_attach_describe(&info, ft_lock_source() == FT_LOCKS_ATTACH);
	mutex_unlock(&ft_trace_mutex);
	if (err)
		return err;
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

/* Does a request change the trace, or its events or configuration? */
static bool ft_control_changes(unsigned int cmd)
{
	switch (cmd) {
	case FT_IOC_ENABLE:
	case FT_IOC_DISABLE:
	case FT_IOC_DISABLE_ALL:
	case FT_IOC_SET_CONFIG:
	case FT_IOC_MARK:
	case FT_IOC_PAUSE:
	case FT_IOC_RESUME:
	case FT_IOC_TRACEPOINT:
	case FT_IOC_FUNCTION:
	case FT_IOC_KPROBE:
	case FT_IOC_SNAPSHOT:
	case FT_IOC_SESSION:
	case FT_IOC_SESSION_END:
	case FT_IOC_START:
	case FT_IOC_STOP:
	case FT_IOC_WHEN:
	case FT_IOC_WHEN_STATE:
	case FT_IOC_STACKS:
		return true;
	default:
		return false;
	}
}

static long ft_control_detach(void __user *arg, bool may_change)
{
	struct ft_detach detach;
	int err;

	if (copy_from_user(&detach, arg, sizeof(detach)))
		return -EFAULT;
	if (detach.stuck)
		return -EINVAL;
	if (detach.timeout_ms && !may_change)
		return -EBADF;
	err = ft_attach_detach(&detach);
	if (copy_to_user(arg, &detach, sizeof(detach)))
		return -EFAULT;
	return err;
}

static long ft_control_tracepoint(void __user *arg)
{
	struct ft_tracepoint info;
	int err;

	if (copy_from_user(&info, arg, sizeof(info)))
		return -EFAULT;
	if (info.reserved)
		return -EINVAL;
	err = ft_tracepoint_add(&info);
	if (err)
		return err;
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long ft_control_function(void __user *arg)
{
	struct ft_function info;
	int err;

	if (copy_from_user(&info, arg, sizeof(info)))
		return -EFAULT;
	err = ft_function_add(&info);
	if (err)
		return err;
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long ft_control_kprobe(void __user *arg)
{
	struct ft_kprobe info;
	int err;

	if (copy_from_user(&info, arg, sizeof(info)))
		return -EFAULT;
	err = ft_kprobe_add(&info);
	if (err)
		return err;
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long ft_control_ioctl(struct file *file, unsigned int cmd,
			     unsigned long data)
{
	struct ft_wants *wants = file->private_data;
	void __user *arg = (void __user *)data;
	bool may_change = file->f_mode & FMODE_WRITE;

	if (ft_control_changes(cmd) && !may_change)
		return -EBADF;

	switch (cmd) {
	case FT_IOC_INFO:
		return ft_control_info(wants->session, arg);
	case FT_IOC_EVENT:
		return ft_control_event(wants->session, arg);
	case FT_IOC_FIELDS:
		return ft_control_fields(arg);
	case FT_IOC_ENABLE:
		return ft_control_enable(wants, arg, true);
	case FT_IOC_DISABLE:
		return ft_control_enable(wants, arg, false);
	case FT_IOC_DISABLE_ALL:
		ft_table_disable_all(wants->session);
		return 0;
	case FT_IOC_GET_CONFIG:
		return ft_control_get_config(wants->session, arg);
	case FT_IOC_SET_CONFIG:
		return ft_control_set_config(wants->session, arg);
	case FT_IOC_MARK:
		return ft_control_mark(wants->session, arg);
	case FT_IOC_PAUSE:
		return ft_table_pause(wants, true);
	case FT_IOC_RESUME:
		return ft_table_pause(wants, false);
	case FT_IOC_HOOK:
		return ft_control_hook(arg);
	case FT_IOC_DETACH:
		return ft_control_detach(arg, may_change);
	case FT_IOC_TRACEPOINT:
		return ft_control_tracepoint(arg);
	case FT_IOC_FUNCTION:
		return ft_control_function(arg);
	case FT_IOC_KPROBE:
		return ft_control_kprobe(arg);
	case FT_IOC_SNAPSHOT:
		return ft_control_snapshot(wants, arg);
	case FT_IOC_SESSION:
		return ft_control_session(wants, arg);
	case FT_IOC_SESSIONS:
		return ft_control_sessions(arg);
	case FT_IOC_SESSION_END:
		return ft_control_session_end(wants);
	case FT_IOC_OPEN:
		return ft_control_open_ring(file, arg);
	case FT_IOC_START:
		return ft_control_set(wants, arg, true);
	case FT_IOC_STOP:
		return ft_control_set(wants, arg, false);
	case FT_IOC_WHEN:
		return ft_control_when(wants, arg);
	case FT_IOC_WHEN_STATE:
		return ft_control_when_state(wants, arg);
	case FT_IOC_STACKS:
		return ft_control_stacks(wants, arg);
	case FT_IOC_STACKS_READ:
		return ft_control_stacks_read(wants, arg);
	default:
		return -ENOTTY;
	}
}

static int ft_control_open(struct inode *inode, struct file *file)
{
	struct ft_wants *wants;
	int err;

	err = ft_access_check();
	if (err)
		return err;

	wants = kmalloc(sizeof(*wants), GFP_KERNEL);
	if (!wants)
		return -ENOMEM;
	ft_wants_init(wants, FT_SESSION_DEFAULT);
	file->private_data = wants;
	return stream_open(inode, file);
}

static int ft_control_release(struct inode *inode, struct file *file)
{
	struct ft_wants *wants = file->private_data;

	mutex_lock(&ft_trace_mutex);
	ft_flight_unmark(&wants->session->rings, wants);
	mutex_unlock(&ft_trace_mutex);
	ft_control_end_conditions(wants);
	ft_control_end_stacks(wants);
	ft_table_drop(wants);
	ft_control_leave_session(wants);
	kfree(wants);
	return 0;
}

static const struct file_operations ft_control_fops = {
	.owner		= THIS_MODULE,
	.open		= ft_control_open,
	.release	= ft_control_release,
	.unlocked_ioctl	= ft_control_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

static struct miscdevice ft_control_device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "ft_trace",
	.fops	= &ft_control_fops,
	.mode	= FT_DEVICE_MODE,
};

int __init ft_control_init(void)
{
	int err;

	err = ft_control_add_condition_event() ?: ft_control_add_stack_event();
	if (err)
		return err;
	ft_event_mark.id = FT_ID_MARK;
	err = ft_events_register(ft_control_events, ARRAY_SIZE(ft_control_events));
	if (err)
		return err;

	err = misc_register(&ft_control_device);
	if (err)
		ft_events_unregister(ft_control_events,
				     ARRAY_SIZE(ft_control_events));
	return err;
}

void ft_control_exit(void)
{
	misc_deregister(&ft_control_device);
	ft_control_end_sessions();
	ft_events_unregister(ft_control_events, ARRAY_SIZE(ft_control_events));
}
