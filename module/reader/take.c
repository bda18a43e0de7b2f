// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Waiting for records, and taking them.
 *
 * Writers do not wake readers, so a timer looks for records while there is a reader.
 * A reader gets records when a packet is full or the timer has expired. Otherwise it
 * would keep reading the events that its own reading causes, in packets of a few
 * records each.
 *
 * Records are copied without c->mutex. If a new trace empties the ring meanwhile, the
 * copy is dropped, and the reader is at the end of its trace.
 */
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "reader/reader.h"
#include "ring/packet.h"
#include "ring/rings.h"
#include "trace/trace.h"

/* --- waiting -------------------------------------------------------------- */

static enum hrtimer_restart ft_reader_look(struct hrtimer *timer)
{
	struct ft_cpu *c = container_of(timer, struct ft_reader, timer)->c;

	if (ft_ring_used(c->ring)) {
		WRITE_ONCE(c->tick, true);
		wake_up_interruptible(&c->wait);
	}
	hrtimer_forward_now(timer, ns_to_ktime(ft_rings_wake_us(c->rings) * 1000ull));
	return HRTIMER_RESTART;
}

void ft_reader_init_timer(struct ft_reader *reader)
{
	ft_hrtimer_setup(&reader->timer, ft_reader_look, CLOCK_MONOTONIC,
			 HRTIMER_MODE_REL_SOFT);
}

/* Runs from when a reader first finds too few records until it closes. */
void ft_reader_start_timer(struct ft_reader *reader)
{
	if (!hrtimer_active(&reader->timer))
		hrtimer_start(&reader->timer,
			      ns_to_ktime(ft_rings_wake_us(reader->c->rings) * 1000ull),
			      HRTIMER_MODE_REL_SOFT);
}

/*
 * Is this trace over for the reader, except for what is still in the ring? So it is at the
 * mark of a snapshot.
 */
static bool ft_reader_is_over(const struct ft_reader *reader)
{
	const struct ft_cpu *c = reader->c;

	return (reader->trace && reader->trace != READ_ONCE(c->trace)) ||
	       !ft_trace_active(ft_session_of(c)) || !ft_rings_before_mark(c);
}

static bool ft_reader_may_go_on(const struct ft_reader *reader)
{
	const struct ft_cpu *c = reader->c;

	if (ft_reader_is_over(reader))
		return true;
	if (!READ_ONCE(c->tick) && ft_ring_used(c->ring) < FT_PACKET_RECORDS &&
	    !READ_ONCE(c->mark))
		return false;
	return c->slots && ft_ring_is_ready(c->ring, ft_any_load(&c->ring->r));
}

/* --- taking --------------------------------------------------------------- */

/*
 * The number of records to take now; none rather than a few too early. Holds
 * c->mutex. Return: the number; 0: none yet; -ENODATA: the end of the trace.
 */
static int ft_reader_records(struct ft_reader *reader, u32 max)
{
	struct ft_cpu *c = reader->c;
	bool over;
	u32 count;

	if (reader->trace && reader->trace != c->trace)
		return -ENODATA;

	/* Before the ring is read: so it sees all records from before the end. */
	over = ft_reader_is_over(reader);
	count = c->slots ? ft_packet_records(c, max) : 0;

	/* The reader is in this trace now, unless the next one is just beginning. */
	if (over || count || c->trace == READ_ONCE(ft_session_of(c)->trace.number))
		reader->trace = c->trace;
	if (!count)
		return over ? -ENODATA : 0;
	/* The condition of ft_reader_may_go_on(); another one would make waiting spin. */
	if (count < min_t(u32, max, FT_PACKET_RECORDS) && !over && !c->tick &&
	    !c->mark)
		return 0;

	/* The next incomplete packet waits for the timer again. */
	if (count < max)
		WRITE_ONCE(c->tick, false);
	return count;
}

void ft_reader_consume(struct ft_cpu *c, u32 count)
{
	c->floor = ft_ring_slot(c->ring, c->ring->r + (u64)(count - 1) *
				sizeof(struct ft_record))->ts;
	c->read += count;
	ft_ring_release(c->ring, count);
	ft_rings_opened(c);
	ft_rings_pass_losses(c, true);
}

/* Losses after the last record: a packet without records has their number. */
static ssize_t ft_reader_fill_last(struct ft_reader *reader, char __user *buf)
{
	struct ft_cpu *c = reader->c;
	u64 lost = ft_rings_lost_before_mark(c);
	struct ft_packet packet;
	ssize_t bytes;

	if (reader->trace != c->trace || lost == reader->lost)
		return 0;

	ft_packet_prepare(&packet, c, 0, reader->seq, lost);
	mutex_unlock(&c->mutex);
	bytes = ft_packet_copy(&packet, c->ring, buf);
	mutex_lock(&c->mutex);
	if (bytes < 0)
		return bytes;
	if (reader->trace != c->trace)
		return 0;

	reader->seq++;
	reader->lost = lost;
	return bytes;
}

/*
 * Fill the buffer with packets, up to the end of the buffer or of what there is.
 * Holds c->mutex, but not while it copies. Return: bytes; 0: end of file; -EAGAIN:
 * nothing yet; -EFAULT.
 */
static ssize_t ft_reader_fill(struct ft_reader *reader, char __user *buf,
			      size_t size)
{
	const size_t least = sizeof(struct ft_packet_header) +
			     sizeof(struct ft_record);
	struct ft_cpu *c = reader->c;
	ssize_t bytes = 0, done = 0;
	struct ft_packet packet;
	int count = 0;
	u32 room;
	u64 lost;

	while (size - done >= least) {
		room = (size - done - sizeof(struct ft_packet_header)) /
			sizeof(struct ft_record);
		room = min_t(u32, room, FT_PACKET_RECORDS);

		/* Before the records: a loss is counted before the records after it. */
		lost = ft_rings_lost_before_mark(c);
		count = ft_reader_records(reader, room);
		if (count <= 0)
			break;

		ft_packet_prepare(&packet, c, count, reader->seq, lost);
		mutex_unlock(&c->mutex);
		bytes = ft_packet_copy(&packet, c->ring, buf + done);
		mutex_lock(&c->mutex);
		if (bytes < 0)
			return done ?: bytes;
		if (reader->trace != c->trace)
			return done;
		reader->seq++;
		reader->lost = lost;
		ft_reader_consume(c, count);
		done += bytes;
	}

	if (done)
		return done;
	if (count == -ENODATA)
		return ft_reader_fill_last(reader, buf);
	return -EAGAIN;
}

static ssize_t ft_reader_fill_slots(struct ft_reader *reader,
				    struct ft_slots *slots)
{
	struct ft_cpu *c = reader->c;
	int count, err;
	u64 pos;

	/* Before the records: a loss is counted before the records after it. */
	slots->lost = ft_rings_lost_before_mark(c);
	count = ft_reader_records(reader, slots->max);
	if (count == 0)
		return -EAGAIN;
	if (count == -ENODATA) {
		/* All losses; for a previous trace, those that were reported. */
		slots->lost = reader->trace == c->trace ?
			      ft_rings_lost_before_mark(c) : reader->lost;
		return 0;
	}

	pos = c->ring->r;
	mutex_unlock(&c->mutex);
	err = ft_packet_copy_records(c->ring, u64_to_user_ptr(slots->buf), pos,
				     count);
	mutex_lock(&c->mutex);
	if (err)
		return err;
	if (reader->trace != c->trace)
		return 0;
	reader->lost = slots->lost;
	ft_reader_consume(c, count);
	slots->count = count;
	return count;
}

/*
 * Waits for records, then takes them into @slots, or into @buf of @size bytes.
 */
static ssize_t ft_reader_wait(struct file *file, char __user *buf, size_t size,
			      struct ft_slots *slots)
{
	struct ft_reader *reader = file->private_data;
	struct ft_cpu *c = reader->c;
	ssize_t ret;

	for (;;) {
		if (mutex_lock_interruptible(&reader->mutex))
			return -ERESTARTSYS;
		mutex_lock(&c->mutex);
		if (reader->taken && reader->trace == c->trace)
			ret = -EBUSY;
		else if (slots)
			ret = ft_reader_fill_slots(reader, slots);
		else
			ret = ft_reader_fill(reader, buf, size);
		if (ret == -EAGAIN)
			ft_reader_start_timer(reader);
		mutex_unlock(&c->mutex);
		mutex_unlock(&reader->mutex);

		if (ret != -EAGAIN || (file->f_flags & O_NONBLOCK))
			return ret;
		ret = wait_event_interruptible(c->wait,
					       ft_reader_may_go_on(reader));
		if (ret)
			return ret;
	}
}

ssize_t ft_reader_read(struct file *file, char __user *buf, size_t size,
		       loff_t *pos)
{
	if (size < sizeof(struct ft_packet_header) + sizeof(struct ft_record))
		return -EINVAL;
	/* The result must fit into an int. */
	return ft_reader_wait(file, buf, min_t(size_t, size, INT_MAX & PAGE_MASK),
			      NULL);
}

__poll_t ft_reader_poll(struct file *file, poll_table *wait)
{
	struct ft_reader *reader = file->private_data;
	struct ft_cpu *c = reader->c;
	__poll_t mask = 0;

	if (!reader->reads)
		return EPOLLERR;

	poll_wait(file, &c->wait, wait);
	mutex_lock(&c->mutex);
	ft_reader_start_timer(reader);
	if (ft_reader_may_go_on(reader))
		mask |= EPOLLIN | EPOLLRDNORM;
	/* Only after the last record, even if none was read yet. */
	if (ft_reader_is_over(reader) &&
	    ((reader->trace && reader->trace != c->trace) ||
	     !ft_rings_before_mark(c) || !ft_ring_used(c->ring)))
		mask |= EPOLLHUP;
	mutex_unlock(&c->mutex);
	return mask;
}

long ft_reader_ioctl_slots(struct file *file, void __user *arg)
{
	struct ft_slots slots;
	ssize_t ret;

	if (copy_from_user(&slots, arg, sizeof(slots)))
		return -EFAULT;
	if (!slots.max || slots.reserved)
		return -EINVAL;

	slots.max = min(slots.max, FT_SLOTS_MAX);
	slots.count = 0;
	ret = ft_reader_wait(file, NULL, 0, &slots);
	if (ret < 0)
		return ret;
	return copy_to_user(arg, &slots, sizeof(slots)) ? -EFAULT : 0;
}
