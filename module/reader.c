// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * /dev/ft_trace<cpu>: open and close, ioctls.
 *
 * One descriptor at a time reads; it reads one trace, and ends with it. Any
 * number of descriptors opened for writing only can ask for statistics.
 */
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "access.h"
#include "reader.h"
#include "rings.h"
#include "trace.h"

static long ft_reader_ioctl_stats(struct ft_cpu *c, void __user *arg)
{
	struct ft_stats stats = {};

	mutex_lock(&c->mutex);
	/* Before @written, as the trimmer goes on. Pairs with ft_flight_trim(). */
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

static int ft_reader_open(struct inode *inode, struct file *file)
{
	struct ft_reader *reader;
	int err;

	err = ft_access_check();
	if (err)
		return err;

	reader = kzalloc(sizeof(*reader), GFP_KERNEL);
	if (!reader)
		return -ENOMEM;

	mutex_init(&reader->mutex);
	ft_reader_init_timer(reader);
	reader->reads = file->f_mode & FMODE_READ;
	reader->c = ft_rings_get(&FT_SESSION_DEFAULT->rings, iminor(inode));
	err = reader->c ? 0 : -ENXIO;
	if (!err && reader->reads)
		err = ft_rings_claim(reader->c);
	if (err) {
		kfree(reader);
		return err;
	}

	file->private_data = reader;
	return stream_open(inode, file);
}

static int ft_reader_release(struct inode *inode, struct file *file)
{
	struct ft_reader *reader = file->private_data;

	if (reader->reads) {
		hrtimer_cancel(&reader->timer);
		ft_rings_unclaim(reader->c);
	}
	kfree(reader);
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
