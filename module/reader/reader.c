// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * /dev/ft_trace<cpu>: open and close, ioctls.
 *
 * One descriptor at a time reads; it reads one trace, and ends with it. Any
 * number of descriptors opened for writing only can ask for statistics.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "access.h"
#include "reader/reader.h"
#include "ring/rings.h"
#include "trace/session.h"
#include "trace/trace.h"

static long ft_reader_ioctl_stats(struct ft_cpu *c, void __user *arg)
{
	struct ft_stats stats = {};

	mutex_lock(&c->mutex);
	/* Read before @written, as the trimmer goes on. Pairs with ft_flight_trim(). */
	stats.overwritten = smp_load_acquire(&c->overwritten);
	stats.written = (ft_any_load(&c->ring->w) - c->start) /
			sizeof(struct ft_record);
	stats.read = c->read;
	stats.lost = ft_rings_lost(c);
	stats.backsteps = c->backsteps;
	stats.slots = c->slots;
	stats.online = cpu_online(c->cpu);
	mutex_unlock(&c->mutex);

	return copy_to_user(arg, &stats, sizeof(stats)) ? -EFAULT : 0;
}

static long ft_reader_ioctl_window(struct ft_cpu *c, void __user *arg)
{
	struct ft_window window = {};

	mutex_lock(&c->mutex);
	window.begin = READ_ONCE(c->floor);
	window.lost = READ_ONCE(c->lost_passed);
	mutex_unlock(&c->mutex);

	return copy_to_user(arg, &window, sizeof(window)) ? -EFAULT : 0;
}

static long ft_reader_ioctl(struct file *file, unsigned int cmd,
			    unsigned long data)
{
	struct ft_reader *reader = file->private_data;
	void __user *arg = (void __user *)data;

	switch (cmd) {
	case FT_IOC_STATS:
		return ft_reader_ioctl_stats(reader->c, arg);
	case FT_IOC_WINDOW:
		return ft_reader_ioctl_window(reader->c, arg);
	case FT_IOC_READ_SLOTS:
	case FT_IOC_TAKE:
	case FT_IOC_GIVE_BACK:
		if (!reader->reads)
			return -EBADF;
		break;
	default:
		return -ENOTTY;
	}

	switch (cmd) {
	case FT_IOC_READ_SLOTS:
		return ft_reader_ioctl_slots(file, arg);
	case FT_IOC_TAKE:
		return ft_reader_ioctl_take(reader, arg);
	default:
		return ft_reader_ioctl_give_back(reader, arg);
	}
}

/* A reader of a session's ring, which it keeps. */
static struct ft_reader *ft_reader_new(unsigned int number, unsigned int cpu, bool reads)
{
	struct ft_session *session = ft_session_get(number);
	struct ft_reader *reader;
	int err = -ENXIO;

	if (!session)
		return ERR_PTR(-ENXIO);
	reader = kzalloc(sizeof(*reader), GFP_KERNEL);
	if (!reader) {
		ft_session_put(session);
		return ERR_PTR(-ENOMEM);
	}

	mutex_init(&reader->mutex);
	ft_reader_init_timer(reader);
	reader->reads = reads;
	reader->c = ft_rings_get(&session->rings, cpu);
	if (reader->c)
		err = reads ? ft_rings_claim(reader->c) : 0;
	if (err) {
		kfree(reader);
		ft_session_put(session);
		return ERR_PTR(err);
	}
	return reader;
}

static void ft_reader_free(struct ft_reader *reader)
{
	struct ft_session *session = ft_session_of(reader->c);

	if (reader->reads) {
		hrtimer_cancel(&reader->timer);
		ft_rings_unclaim(reader->c);
	}
	kfree(reader);
	ft_session_put(session);
}

static int ft_reader_open(struct inode *inode, struct file *file)
{
	unsigned int number = ft_reader_session_of(iminor(inode));
	struct ft_reader *reader = ERR_PTR(-ENXIO);
	struct ft_session *session;
	int err;

	err = ft_access_check();
	if (err)
		return err;
	/* The reference keeps the number from being given to another session meanwhile. */
	session = ft_session_get(number);
	if (!session)
		return -ENXIO;
	/* Even if somebody made a node: a session without a name is its descriptors' alone. */
	if (ft_reader_is_shown(number))
		reader = ft_reader_new(number, ft_reader_cpu_of(iminor(inode)),
				       file->f_mode & FMODE_READ);
	ft_session_put(session);
	if (IS_ERR(reader))
		return PTR_ERR(reader);
	file->private_data = reader;
	return stream_open(inode, file);
}

int ft_reader_open_ring(struct ft_session *session, unsigned int cpu, int flags)
{
	struct ft_reader *reader;
	struct file *file;
	int fd;

	reader = ft_reader_new(ft_session_number(session), cpu, !(flags & O_WRONLY));
	if (IS_ERR(reader))
		return PTR_ERR(reader);
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		goto err_free_reader;
	file = anon_inode_getfile("ft_trace", &ft_reader_fops, reader, flags);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		fd = PTR_ERR(file);
		goto err_free_reader;
	}
	stream_open(file_inode(file), file);
	fd_install(fd, file);
	return fd;

err_free_reader:
	ft_reader_free(reader);
	return fd;
}

static int ft_reader_release(struct inode *inode, struct file *file)
{
	ft_reader_free(file->private_data);
	return 0;
}

const struct file_operations ft_reader_fops = {
	.owner		= THIS_MODULE,
	.open		= ft_reader_open,
	.release	= ft_reader_release,
	.read		= ft_reader_read,
	.poll		= ft_reader_poll,
	.unlocked_ioctl	= ft_reader_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.mmap		= ft_reader_mmap,
};
