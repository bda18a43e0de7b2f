// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * /dev/ft_trace: sessions.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/uaccess.h>

#include "control/control.h"
#include "event/table.h"
#include "reader/reader.h"
#include "trace/meta.h"
#include "trace/session.h"
#include "trace/trace.h"

/*
 * Others can end a session as soon as its name is known, before its devices exist. This
 * mutex makes both orders safe: devices are only created if the session has not ended,
 * and its end removes those that were created.
 */
static DEFINE_MUTEX(ft_control_show_mutex);
static bool ft_control_shown[FT_SESSIONS];

/* A session with a name can be read with cat. */
static int ft_control_show(struct ft_session *session, const char *name)
{
	int err = 0;

	mutex_lock(&ft_control_show_mutex);
	if (!session->ended)
		err = ft_meta_show(session, name);
	if (!session->ended && !err) {
		ft_reader_show(session, name);
		ft_control_shown[ft_session_number(session)] = true;
	}
	mutex_unlock(&ft_control_show_mutex);
	return err;
}

static void ft_control_hide(struct ft_session *session)
{
	bool *shown = &ft_control_shown[ft_session_number(session)];

	if (!*shown)
		return;
	*shown = false;
	ft_reader_hide(session);
	ft_meta_hide(session);
}

static int ft_control_end(struct ft_session *session)
{
	int err;

	mutex_lock(&ft_control_show_mutex);
	err = ft_session_end(session);
	if (!err) {
		ft_control_hide(session);
		ft_session_forget(session);
	}
	mutex_unlock(&ft_control_show_mutex);
	return err;
}

static struct ft_session *ft_control_new_session(const char *name)
{
	struct ft_session *session = ft_session_new(name);
	int err;

	if (IS_ERR(session) || !name[0])
		return session;
	err = ft_control_show(session, name);
	if (!err)
		return session;
	/* Others may have ended it. */
	ft_control_end(session);
	ft_session_leave(session);
	return ERR_PTR(err);
}

long ft_control_session(struct ft_wants *wants, void __user *arg)
{
	struct ft_session *session;
	struct ft_session_info info;
	bool owns;
	int err;

	if (copy_from_user(&info, arg, sizeof(info)))
		return -EFAULT;
	if (info.number || info.trace || info.events || info.joined || info.slots ||
	    info.mode || memchr_inv(info.reserved, 0, sizeof(info.reserved)) ||
	    !memchr(info.name, 0, sizeof(info.name)))
		return -EINVAL;

	owns = info.flags & FT_SESSION_OWN;
	if (info.flags == FT_SESSION_NEW ||
	    (info.flags == (FT_SESSION_NEW | FT_SESSION_OWN) && info.name[0]))
		session = ft_control_new_session(info.name);
	else if (info.flags == FT_SESSION_JOIN)
		session = ft_session_join(info.name);
	else
		return -EINVAL;
	if (IS_ERR(session))
		return PTR_ERR(session);

	err = ft_table_move(wants, session);
	if (err) {
		if (info.flags & FT_SESSION_NEW)
			ft_control_end(session);
		ft_session_leave(session);
		return err;
	}

	wants->owns_session = owns;
	info.number = ft_session_number(session);
	ft_session_describe(&info);
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

long ft_control_sessions(void __user *arg)
{
	struct ft_session_info info;
	int err;

	if (copy_from_user(&info, arg, sizeof(info)))
		return -EFAULT;
	if (memchr_inv(&info.flags, 0, sizeof(info) - offsetof(typeof(info), flags)))
		return -EINVAL;
	err = ft_session_describe(&info);
	if (err)
		return err;
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

long ft_control_session_end(struct ft_wants *wants)
{
	return ft_control_end(wants->session);
}

void ft_control_leave_session(struct ft_wants *wants)
{
	if (wants->owns_session)
		ft_control_end(wants->session);	/* fails if it has been ended before */
	ft_session_leave(wants->session);
}

void ft_control_end_sessions(void)
{
	struct ft_session *session;
	unsigned int i;

	for (i = 0; i < FT_SESSIONS; i++) {
		session = ft_session_get(i);
		if (!session)
			continue;
		ft_control_end(session);
		ft_session_put(session);
	}
}

long ft_control_open_ring(struct file *file, void __user *arg)
{
	struct ft_wants *wants = file->private_data;
	struct ft_open how;
	int flags;

	if (copy_from_user(&how, arg, sizeof(how)))
		return -EFAULT;
	if (how.flags & ~(FT_OPEN_STATS | FT_OPEN_NONBLOCK) || how.reserved ||
	    (how.cpu == FT_OPEN_META && how.flags))
		return -EINVAL;
	/* The rings' nodes may be restricted to fewer users than this one. */
	if (!(file->f_mode & FMODE_READ) || !(file->f_mode & FMODE_WRITE))
		return -EBADF;

	if (how.cpu == FT_OPEN_META)
		return ft_meta_open_session(wants->session);
	flags = (how.flags & FT_OPEN_STATS ? O_WRONLY : O_RDONLY) |
		(how.flags & FT_OPEN_NONBLOCK ? O_NONBLOCK : 0);
	return ft_reader_open_ring(wants->session, how.cpu, flags);
}
