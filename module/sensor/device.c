// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * /dev/ft_trace_sensors: which sensors there are, and what they have counted.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "access.h"
#include "compat.h"
#include "sensor/device.h"
#include "sensor/sensor.h"

static long ft_sensor_ioctl_new(struct file *file, void __user *arg)
{
	struct ft_sensor_range *ranges = NULL;
	struct ft_sensor def;
	u64 serial;
	int err;

	if (copy_from_user(&def, arg, sizeof(def)))
		return -EFAULT;
	if (def.n_ranges > FT_SENSOR_RANGES_MAX || (!def.n_ranges && def.ranges))
		return -EINVAL;
	if (def.n_ranges) {
		ranges = vmemdup_user(u64_to_user_ptr(def.ranges),
				      def.n_ranges * sizeof(*ranges));
		if (IS_ERR(ranges))
			return PTR_ERR(ranges);
	}
	err = ft_sensor_new(file, &def, ranges, &serial);
	if (err)
		return err;
	if (!copy_to_user(arg, &def, sizeof(def)))
		return 0;
	/* The caller does not learn its number. */
	ft_sensor_end(file, def.number, serial);
	return -EFAULT;
}

static long ft_sensor_ioctl_end(struct file *file, void __user *arg)
{
	struct ft_sensor_end end;

	if (copy_from_user(&end, arg, sizeof(end)))
		return -EFAULT;
	if (end.reserved)
		return -EINVAL;
	return ft_sensor_end(file, end.number, end.serial);
}

static long ft_sensor_ioctl_next(void __user *arg)
{
	struct ft_sensor_info info;
	u32 number;
	int err;

	if (copy_from_user(&info, arg, sizeof(info)))
		return -EFAULT;
	number = info.sensor.number;
	info.sensor.number = 0;
	if (memchr_inv(&info, 0, sizeof(info)))
		return -EINVAL;
	info.sensor.number = number;
	err = ft_sensor_next(&info);
	if (err)
		return err;
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long ft_sensor_ioctl(struct file *file, unsigned int cmd, unsigned long data)
{
	void __user *arg = (void __user *)data;

	if ((cmd == FT_IOC_SENSOR_NEW || cmd == FT_IOC_SENSOR_END) &&
	    !(file->f_mode & FMODE_WRITE))
		return -EBADF;
	switch (cmd) {
	case FT_IOC_SENSOR_NEW:
		return ft_sensor_ioctl_new(file, arg);
	case FT_IOC_SENSOR_END:
		return ft_sensor_ioctl_end(file, arg);
	case FT_IOC_SENSOR_NEXT:
		return ft_sensor_ioctl_next(arg);
	default:
		return -ENOTTY;
	}
}

static int ft_sensor_mmap(struct file *file, struct vm_area_struct *vma)
{
	const unsigned int shift = FT_SENSOR_SPAN_SHIFT - PAGE_SHIFT;

	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	if (vma->vm_pgoff & (BIT(shift) - 1))
		return -EINVAL;
	ft_vm_flags_mod(vma, 0, VM_MAYWRITE);
	return ft_sensor_map(min_t(u64, vma->vm_pgoff >> shift, U32_MAX), vma);
}

static int ft_sensor_open(struct inode *inode, struct file *file)
{
	/* Not what misc_open() put there. */
	file->private_data = NULL;
	return ft_access_check();
}

static int ft_sensor_release(struct inode *inode, struct file *file)
{
	ft_sensor_end_all(file);
	return 0;
}

static const struct file_operations ft_sensor_fops = {
	.owner		= THIS_MODULE,
	.open		= ft_sensor_open,
	.release	= ft_sensor_release,
	.unlocked_ioctl	= ft_sensor_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.mmap		= ft_sensor_mmap,
	.llseek		= noop_llseek,
};

static struct miscdevice ft_sensor_device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "ft_trace_sensors",
	.fops	= &ft_sensor_fops,
	.mode	= FT_DEVICE_MODE,
};

int __init ft_sensor_device_init(void)
{
	int err;

	err = ft_sensor_init();
	if (err)
		return err;
	err = misc_register(&ft_sensor_device);
	if (err)
		ft_sensor_exit();
	return err;
}

void ft_sensor_device_exit(void)
{
	misc_deregister(&ft_sensor_device);
	ft_sensor_end_all(NULL);
}
