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
#include "record/kernel/reader.h"
#include "record/kernel/rings.h"

/* Less room than this in the buffer makes reads small: write first. */
#define READ_ROOM	(READER_BUFFER / 4)

/* Shortest sleep between two reads. */
#define WAIT_MIN_NS	500000u

/* What was read is in the file after this time, whatever happens to us. */
#define FLUSH_SECONDS	1.0

/* An ended trace that neither yields records nor ends: give up then. */
#define DRAIN_SECONDS	2.0

/* Length of the packet at @p if it lies whole within @len bytes, else 0. */
static size_t packet_length(const char *p, size_t len)
{
	struct ft_packet_header h;

	if (len < sizeof(h))
		return 0;
	memcpy(&h, p, sizeof(h));
	if (h.magic != FT_PACKET_MAGIC || h.packet_bits % 8 ||
	    h.content_bits / 8 < sizeof(h) || h.content_bits > h.packet_bits ||
	    h.packet_bits / 8 > len)
		return 0;
	return h.packet_bits / 8;
}

/*
 * Walks over the whole packets in @len bytes. Return: bytes that they take;
 * adds their records to @records and gives the last one's count of losses.
 */
static size_t packets_walk(const char *p, size_t len, uint64_t *records,
			   uint64_t *lost)
{
	struct ft_packet_header h;
	size_t at = 0, n;

	while ((n = packet_length(p + at, len - at))) {
		memcpy(&h, p + at, sizeof(h));
		*records += (h.content_bits / 8 - sizeof(h)) /
			    sizeof(struct ft_record);
		*lost = h.discarded;
		at += n;
	}
	return at;
}

static bool reader_fail(struct ring *ring, const char *doing, int error)
{
	/* the first failure is the cause of those that follow */
	if (!ring->error) {
		ring->doing = doing;
		ring->error = error;
	}
	return false;
}

/* The file took only @done bytes of the buffer: back to whole packets. */
static void reader_cut(struct ring *ring, size_t done)
{
	uint64_t records = 0, all = 0, lost;
	size_t whole = packets_walk(ring->buf, done, &records, &lost);

	packets_walk(ring->buf, ring->used, &all, &lost);
	ring->bytes += whole;
	ring->records -= all - records;
	ring->unwritten += all - records;
	if (done != whole && ftruncate(ring->file, ring->bytes))
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
	}
	ring->used = 0;
	ring->flushed = monotonic_now();
	return !ret;
}

/* Return: bytes taken; 0 at the end of the trace; -EAGAIN; -errno. */
static ssize_t reader_read(struct ring *ring)
{
	char *p = ring->buf + ring->used;
	uint64_t records = 0, lost = 0;
	ssize_t n;

	do {
		n = read(ring->fd, p, READER_BUFFER - ring->used);
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n ? -errno : 0;
	if (packets_walk(p, n, &records, &lost) != (size_t)n)
		return -EPROTO;
	ring->used += n;
	ring->records += records;
	if (lost > ring->lost_before)
		ring->lost = lost - ring->lost_before;
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
	const uint64_t one = 1;
	struct ring *ring = arg;

	ring->flushed = monotonic_now();
	ring->wait_ns = WAIT_MIN_NS;
	while (reader_step(ring))
		;
	if (!ring->error || ring->used)
		reader_flush(ring);
	atomic_fetch_sub(&ring->rings->running, 1);
	/* an eventfd refuses only when it is full of unread news */
	if (write(ring->rings->event_fd, &one, sizeof(one)) < 0)
		return NULL;
	return NULL;
}
