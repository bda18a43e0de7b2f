// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * One ring's thread: read packets, collect them, write them.
 *
 *	ring --read()--> buf [packet|packet|packet|   free   ] --write()--> file
 *
 * The buffer always holds whole packets, so a file that was cut short by an
 * error can be cut back to the end of a packet: CTF readers refuse torn ones.
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

/* Less room than this in the buffer makes reads small: write first. */
#define READ_ROOM	(READER_BUFFER / 4)

/* Shortest sleep between two reads. */
#define WAIT_MIN_NS	500000u

/* What was read is in the file after this time, whatever happens to us. */
#define FLUSH_SECONDS	1.0

/* An ended trace that neither yields records nor ends: give up then. */
#define DRAIN_SECONDS	2.0

static bool reader_fail(struct ring *ring, const char *doing, int error)
{
	/* the first failure is the cause of those that follow */
	if (!ring->error) {
		ring->doing = doing;
		ring->where = ring->dir;
		ring->error = error;
	}
	return false;
}

/* The file took only @done bytes of the buffer: back to whole packets. */
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

/* The buffer goes into the file there is; what comes is for the next one. */
static void reader_cross(struct ring *ring)
{
	/* what it fails at is in the ring's error, and ends the thread */
	if (ring->used && !ring->error)
		reader_flush(ring);
	seam_cross(ring);
}

static void reader_take_part(struct ring *ring, size_t len)
{
	uint64_t records = 0;

	packets_number(&ring->packets, ring->buf + ring->used, len);
	packets_walk(ring->buf + ring->used, len, &records);
	ring->used += len;
	ring->records += records;
	if (ring->packets.lost > ring->lost_before)
		ring->lost = ring->packets.lost - ring->lost_before;
}

/* @len bytes of packets have come behind those in the buffer. */
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

/* Sleeps, but not through the order to stop. */
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
 * How long until the next read: shorter as soon as a read empties more than an
 * eighth of the ring, so that a burst finds room; longer again when it calms.
 * Not at all where a quarter was full.
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
 * How long a ring may stay silent while draining. An ended one is silent only
 * while an interrupted writer has yet to publish its record. One that goes on
 * hands out what does not fill a packet at the tick of the kernel's timer.
 */
static double drain_patience(const struct ring *ring, enum rings_stop stop)
{
	if (stop == RINGS_DRAIN)
		return DRAIN_SECONDS;
	return 2e-6 * ring->rings->wake_us + 1e-3;
}

/* Nothing came while draining. Return: true to try again. */
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

/* Something came while draining. Return: true to go on. */
static bool drain_more(struct ring *ring, enum rings_stop stop, ssize_t n)
{
	if (stop == RINGS_DRAIN) {
		ring->idle_since = 0;
		return true;
	}
	/* it goes on for ever: once silent or once round is enough */
	ring->drained += n;
	return ring->drained < ring->ring_bytes;
}

/* One round. Return: false when the thread's work is done. */
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
	 * The end of the trace is for the main thread to see: a CPU that came
	 * up late may end early, and get records after all.
	 */
	reader_pace(ring, n > 0 ? n : 0);
	return true;
}

void *reader_thread(void *arg)
{
	struct ring *ring = arg;

	ring->flushed = monotonic_now();
	ring->wait_ns = WAIT_MIN_NS;
	while (reader_step(ring))
		;
	if (!ring->error || ring->used)
		reader_flush(ring);
	/* so that those that wait for all threads do not wait for this one */
	if (seam_is_ahead(ring))
		seam_cross(ring);
	atomic_fetch_sub(&ring->rings->running, 1);
	rings_tell(ring->rings);
	return NULL;
}
