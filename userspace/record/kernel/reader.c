// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The thread of a ring: reads packets, collects them, writes them.
 *
 *	ring --read()--> buf [packet|packet|packet|   free   ] --write()--> file
 *
 * The buffer always holds whole packets. So if an error cuts a file short, it can be
 * truncated to the end of a packet: CTF readers refuse torn ones.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/feather_trace.h>

#include "base/clock.h"
#include "base/file.h"
#include "record/kernel/packets.h"
#include "record/kernel/reader.h"
#include "record/kernel/rings.h"
#include "record/kernel/seam.h"

/* With less free room than this, write before reading. */
#define READ_ROOM	(READER_BUFFER / 4)

/* Shortest sleep between two reads. */
#define WAIT_MIN_NS	500000u

/* Records reach the file at most this long after they were read. */
#define FLUSH_SECONDS	1.0

/* Give up on an ended trace that yields neither records nor its end. */
#define DRAIN_SECONDS	2.0

static bool reader_fail(struct ring *ring, const char *doing, int error)
{
	/* later failures follow from the first */
	if (!ring->error) {
		ring->doing = doing;
		ring->where = ring->dir;
		ring->error = error;
	}
	return false;
}

/* The file took only @done bytes of the buffer: truncate it to whole packets. */
static void reader_cut(struct ring *ring, size_t done)
{
	uint64_t records = 0, all = 0;
	size_t whole = packets_walk(ring->buf, done, &records);

	packets_walk(ring->buf, ring->used, &all);
	ring->bytes += whole;
	ring->records -= all - records;
	ring->unwritten += all - records;
	if (done != whole && ftruncate(ring->file, ring_books(ring).bytes))
		reader_fail(ring, "cutting", errno);
}

static bool reader_flush(struct ring *ring)
{
	size_t done;
	int ret;

	ret = write_full(ring->file, ring->buf, ring->used, &done);
	if (ret) {
		reader_fail(ring, "writing", -ret);
		reader_cut(ring, done);
	} else {
		ring->bytes += done;
		rings_written(ring->rings, done);
	}
	ring->used = 0;
	ring->flushed = monotonic_now();
	return !ret;
}

/* Writes the buffer to the old file; what follows goes to the next one. */
static void reader_cross(struct ring *ring)
{
	/* a failure sets the ring's error and ends the thread */
	if (ring->used && !ring->error)
		reader_flush(ring);
	seam_cross(ring);
}

static void reader_take_part(struct ring *ring, size_t len)
{
	uint64_t records = 0;

	packets_number(&ring->packets, ring->buf + ring->used, len);
	packets_walk(ring->buf + ring->used, len, &records);
	locks_seen_scan(ring->locks, ring->buf + ring->used, len);
	ring->used += len;
	ring->records += records;
	if (ring->packets.lost > ring->lost_before)
		ring->lost = ring->packets.lost - ring->lost_before;
}

/* Adds @len bytes of packets, which follow those in the buffer. */
static void reader_take(struct ring *ring, size_t len)
{
	char *p = ring->buf + ring->used;
	size_t before;

	if (seam_is_ahead(ring)) {
		before = packets_split(p, &len, ring->rings->seam.at);
		if (before < len) {
			reader_take_part(ring, before);
			reader_cross(ring);
			len -= before;
			memmove(ring->buf, p + before, len);
		}
	}
	reader_take_part(ring, len);
}

/* Return: bytes taken; 0 at the end of the trace; -EAGAIN; -errno. */
static ssize_t reader_read(struct ring *ring)
{
	char *p = ring->buf + ring->used;
	uint64_t records = 0;
	ssize_t n;

	do {
		n = read(ring->fd, p, READER_BUFFER - ring->used - PACKETS_SPLIT_ROOM);
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n ? -errno : 0;
	if (packets_walk(p, n, &records) != (size_t)n)
		return -EPROTO;
	reader_take(ring, n);
	return n;
}

/* Sleeps, but wakes up to stop. */
static void reader_wait(struct ring *ring, uint64_t ns)
{
	struct pollfd pfd = { .fd = ring->rings->stop_fd, .events = POLLIN };
	struct timespec ts = {
		.tv_sec = ns / 1000000000,
		.tv_nsec = ns % 1000000000,
	};

	ppoll(&pfd, 1, &ts, NULL);
}

/*
 * Sets the time until the next read. Shorter if a read emptied more than an eighth of the
 * ring, so that a burst finds room; longer when it calms down; none if a quarter was
 * full.
 */
static void reader_pace(struct ring *ring, uint64_t n)
{
	uint64_t longest = ring->rings->wake_us * 1000ull;

	if (n >= ring->ring_bytes / 4)
		return;
	if (n >= ring->ring_bytes / 8)
		ring->wait_ns /= 2;
	else if (n < ring->ring_bytes / 32)
		ring->wait_ns *= 2;
	if (ring->wait_ns > longest)
		ring->wait_ns = longest;
	if (ring->wait_ns < WAIT_MIN_NS)
		ring->wait_ns = WAIT_MIN_NS;
	reader_wait(ring, ring->wait_ns);
}

/*
 * How long a ring may stay silent while draining. After the end of the trace, it is only
 * silent until an interrupted writer publishes its record. In a running trace, the timer
 * of the module hands out packets that are not full.
 */
static double drain_patience(const struct ring *ring, enum rings_stop stop)
{
	if (stop == RINGS_DRAIN)
		return DRAIN_SECONDS;
	return 2e-6 * ring->rings->wake_us + 1e-3;
}

/* A read while draining found nothing. Return: true to try again. */
static bool drain_idle(struct ring *ring, enum rings_stop stop, ssize_t n)
{
	double now = monotonic_now();

	if (!n)
		return false;
	if (!ring->idle_since)
		ring->idle_since = now;
	if (now - ring->idle_since > drain_patience(ring, stop))
		return false;
	usleep(1000);
	return true;
}

/* A read while draining found packets. Return: true to go on. */
static bool drain_more(struct ring *ring, enum rings_stop stop, ssize_t n)
{
	if (stop == RINGS_DRAIN) {
		ring->idle_since = 0;
		return true;
	}
	/* the trace runs on: stop when silent, or once round the ring */
	ring->drained += n;
	return ring->drained < ring->ring_bytes;
}

/* Reads once. Return: false when the thread is done. */
static bool reader_step(struct ring *ring)
{
	enum rings_stop stop = atomic_load(&ring->rings->stop);
	ssize_t n;

	if (stop == RINGS_ABORT)
		return false;
	if (READER_BUFFER - ring->used < READ_ROOM ||
	    (ring->used && monotonic_now() - ring->flushed > FLUSH_SECONDS)) {
		if (!reader_flush(ring))
			return false;
	}
	n = reader_read(ring);
	if (n < 0 && n != -EAGAIN)
		return reader_fail(ring, "reading", -n);
	if (ring->error)
		return false;
	if (n <= 0 && seam_is_due(ring))
		reader_cross(ring);
	if (stop != RINGS_RUN)
		return n > 0 ? drain_more(ring, stop, n) :
			       drain_idle(ring, stop, n);
	/*
	 * Leave it to the main thread to detect the end of the trace: a CPU that came up
	 * late may see an end and still get records.
	 */
	reader_pace(ring, n > 0 ? n : 0);
	return true;
}

void *reader_thread(void *arg)
{
	struct ring *ring = arg;

	ring->flushed = monotonic_now();
	ring->wait_ns = WAIT_MIN_NS;
	if (ring->rings->names)
		ring->locks = locks_seen_new(ring->rings->names, ring->rings->family);
	while (reader_step(ring))
		;
	if (!ring->error || ring->used)
		reader_flush(ring);
	/* those who wait for all threads must not wait for this one */
	if (seam_is_ahead(ring))
		seam_cross(ring);
	locks_seen_end(ring->locks);
	ring->locks = NULL;
	atomic_fetch_sub(&ring->rings->running, 1);
	rings_tell(ring->rings);
	return NULL;
}
