// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Reading records in place: the reader maps the ring, takes ranges of it and returns
 * them.
 */
#include <linux/mm.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "reader/reader.h"
#include "ring/packet.h"
#include "ring/rings.h"

/*
 * What both calls do first. Return: 0, holding both mutexes;
 * -EFAULT, -EINVAL, -ERESTARTSYS.
 */
static int ft_reader_begin_range(struct ft_reader *reader,
				 struct ft_range *range, const void __user *arg)
{
	struct ft_cpu *c = reader->c;

	if (copy_from_user(range, arg, sizeof(*range)))
		return -EFAULT;
	if (!range->count || range->reserved)
		return -EINVAL;

	if (mutex_lock_interruptible(&reader->mutex))
		return -ERESTARTSYS;
	mutex_lock(&c->mutex);
	if (reader->trace != c->trace)
		reader->taken = 0;
	return 0;
}

static void ft_reader_end_range(struct ft_reader *reader)
{
	mutex_unlock(&reader->c->mutex);
	mutex_unlock(&reader->mutex);
}

long ft_reader_ioctl_take(struct ft_reader *reader, void __user *arg)
{
	struct ft_cpu *c = reader->c;
	struct ft_range range;
	u64 offset, rest;
	int count, err;

	err = ft_reader_begin_range(reader, &range, arg);
	if (err)
		return err;

	count = 0;
	offset = c->slots ? c->ring->r & c->ring->mask : 0;
	if (c->slots && !(reader->trace && reader->trace != c->trace)) {
		/* Contiguous: not beyond the ring's end. */
		rest = (c->ring->mask + 1 - offset) / sizeof(struct ft_record);
		count = ft_packet_records(c, min_t(u64, range.count, rest));
		/* These include the slots that were taken before, which stay taken. */
		count = max_t(u32, count, reader->taken);
	}
	if (count) {
		reader->trace = c->trace;
		reader->taken = count;
	} else {
		ft_reader_start_timer(reader);
	}
	WRITE_ONCE(c->tick, false);
	ft_reader_end_range(reader);

	range.offset = offset;
	range.count = count;
	return copy_to_user(arg, &range, sizeof(range)) ? -EFAULT : 0;
}

long ft_reader_ioctl_give_back(struct ft_reader *reader, void __user *arg)
{
	struct ft_range range;
	int err;

	err = ft_reader_begin_range(reader, &range, arg);
	if (err)
		return err;

	if (range.count > reader->taken) {
		err = -EINVAL;
	} else {
		ft_reader_consume(reader->c, range.count);
		reader->taken -= range.count;
	}
	ft_reader_end_range(reader);
	return err;
}

/* The ring's memory stays while a reader has it open, so also while it is mapped. */
static vm_fault_t ft_reader_fault(struct vm_fault *vmf)
{
	struct ft_reader *reader = vmf->vma->vm_file->private_data;
	const struct ft_ring *ring = reader->c->ring;
	u64 offset = (u64)vmf->pgoff << PAGE_SHIFT;

	if (offset > ring->mask)
		return VM_FAULT_SIGBUS;
	vmf->page = vmalloc_to_page((char *)ring->slots + offset);
	get_page(vmf->page);
	return 0;
}

static const struct vm_operations_struct ft_reader_vm_ops = {
	.fault	= ft_reader_fault,
};

int ft_reader_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct ft_reader *reader = file->private_data;
	struct ft_cpu *c = reader->c;
	u64 size = (u64)READ_ONCE(c->slots) * sizeof(struct ft_record);

	if (!reader->reads)
		return -EBADF;
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	if (!size)
		return -ENODATA;
	if (vma->vm_pgoff || vma->vm_end - vma->vm_start > PAGE_ALIGN(size))
		return -EINVAL;

	ft_vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE);
	vma->vm_ops = &ft_reader_vm_ops;
	return 0;
}
