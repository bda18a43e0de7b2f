/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * /dev/ft_trace<cpu>: the records of a CPU.
 *
 *	device.c	CPUs that come get a ring and a device
 *	reader.c	open and close, ioctls
 *	take.c		read, poll, FT_IOC_READ_SLOTS: waiting for records, taking them
 *	map.c		mmap, FT_IOC_TAKE, FT_IOC_GIVE_BACK: reading them where they lie
 */
#ifndef _FT_READER_H
#define _FT_READER_H

#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/types.h>

struct ft_cpu;
struct ft_session;

/**
 * struct ft_reader - an open descriptor
 * @c:		its ring
 * @reads:	opened for reading, not for statistics only
 * @mutex:	held while records are copied, which can take as long as user
 *		memory likes; outside of @c->mutex, on which traces and hotplug wait
 * @timer:	looks for records, as writers do not wake readers
 * @trace:	the trace it reads or waits for; 0 before it did
 * @seq:	number of the next packet
 * @lost:	losses that were reported to it
 * @taken:	records handed out by FT_IOC_TAKE
 */
struct ft_reader {
	struct ft_cpu	*c;
	bool		reads;
	struct mutex	mutex;	/* see above */
	struct hrtimer	timer;
	u32		trace;
	u64		seq;
	u64		lost;
	u32		taken;
};

/*
 * Get numbers for the devices of all CPUs, and a ring for each CPU there is or will be.
 * Return: 0 or an error.
 */
int ft_reader_init(void);
void ft_reader_exit(void);

/* From here on, the devices can be opened by their numbers. Return: 0 or an error. */
int ft_reader_start(void);
void ft_reader_stop(void);

/**
 * ft_reader_is_shown() - has the session nodes?
 *
 * Only then its rings can be opened through a device: a minor number is there always.
 */
bool ft_reader_is_shown(unsigned int session);

/**
 * ft_reader_show() - make a node for each CPU there is or will be
 * @session:	whose
 * @name:	its name; NULL: of the default session
 */
void ft_reader_show(struct ft_session *session, const char *name);
void ft_reader_hide(struct ft_session *session);

/* As FT_IOC_OPEN, with flags of open(). Return: a descriptor or an error. */
int ft_reader_open_ring(struct ft_session *session, unsigned int cpu, int flags);

/* The session and the CPU of a node's minor number. */
unsigned int ft_reader_session_of(unsigned int minor);
unsigned int ft_reader_cpu_of(unsigned int minor);

extern const struct file_operations ft_reader_fops;

/* File operations and ioctls, as the names say; see device.md. */
ssize_t ft_reader_read(struct file *file, char __user *buf, size_t size,
		       loff_t *pos);
__poll_t ft_reader_poll(struct file *file, poll_table *wait);
int ft_reader_mmap(struct file *file, struct vm_area_struct *vma);
long ft_reader_ioctl_slots(struct file *file, void __user *arg);
long ft_reader_ioctl_take(struct ft_reader *reader, void __user *arg);
long ft_reader_ioctl_give_back(struct ft_reader *reader, void __user *arg);

/* Look for records from ft_reader_start_timer() on. It holds c->mutex. */
void ft_reader_init_timer(struct ft_reader *reader);
void ft_reader_start_timer(struct ft_reader *reader);

/* Give @count records that were read back to the writers. Holds c->mutex. */
void ft_reader_consume(struct ft_cpu *c, u32 count);

#endif /* _FT_READER_H */
