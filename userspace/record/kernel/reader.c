// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The thread of a ring: takes records, and writes them from where they lie.
 *
 *	ring   [          |record|record|record|record|          ]
 *	                  \___ mapped: one writev() ___/
 *	batch  [header|header]  puts a header before each packet ---> file
 *
 * The only copy is the one into the file's pages. The records stay in the ring until they
 * are in the file. So if an error cuts a file short, it can be truncated to the end of a
 * packet: CTF readers refuse torn ones.
 *
 * With --compress, packets are copied into blocks instead (blocks.h), where records do not
 * need the ring any more.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <linux/feather_trace.h>

#include "base/array.h"
#include "base/clock.h"
#include "record/compress/blocks.h"
#include "record/kernel/packets.h"
#include "record/kernel/reader.h"
#include "record/kernel/rings.h"
#include "record/kernel/seam.h"

#define HEADER	sizeof(struct ft_packet_header)
#define RECORD	sizeof(struct ft_record)

/* Packets that are written at once: 1 MiB. Then the ring gets the room back. */
#define BATCH_PACKETS	256u
#define BATCH_RECORDS	(BATCH_PACKETS * (unsigned int)FT_PACKET_RECORDS)

/* Shortest sleep between two looks. */
#define WAIT_MIN_NS	500000u

/* Records reach the file at most this long after they were recorded. */
#define FLUSH_SECONDS	1.0

struct reader_batch {
	struct ft_packet_header	header[BATCH_PACKETS];
	struct iovec		part[2 * BATCH_PACKETS];
	union {
		struct ft_packet_header header;
		uint64_t	words[FT_PACKET_MAX / sizeof(uint64_t)];
	} packet;		/* what read() returns */
};

struct reader_batch *reader_batch_new(void)
{
	return calloc(1, sizeof(struct reader_batch));
}

/* Fills the batch with packets of @n records. Return: its bytes. */
static size_t batch_fill(struct ring *ring, const struct ft_record *records, size_t n,
			 uint64_t lost)
{
	struct reader_batch *batch = ring->batch;
	size_t bytes = 0, i = 0;

	do {
		size_t here = n < FT_PACKET_RECORDS ? n : FT_PACKET_RECORDS;

		packets_begin(&ring->packets, &batch->header[i], records, here, lost,
			      ring->cpu, ring->rings->info);
		batch->part[2 * i] = (struct iovec){ &batch->header[i], HEADER };
		batch->part[2 * i + 1] = (struct iovec){ (void *)records, here * RECORD };
		bytes += HEADER + here * RECORD;
		records += here;
		n -= here;
		i++;
	} while (n);
	return bytes;
}

/* Return: the part in which the next byte is, after @done bytes of the parts from @i on. */
static size_t batch_skip(struct reader_batch *batch, size_t i, size_t done)
{
	for (; done && done >= batch->part[i].iov_len; i++)
		done -= batch->part[i].iov_len;
	if (done) {
		batch->part[i].iov_base = (char *)batch->part[i].iov_base + done;
		batch->part[i].iov_len -= done;
	}
	return i;
}

/* Writes @bytes of the batch. Return: how many were written; if not all, errno says why. */
static size_t batch_write(struct ring *ring, size_t bytes)
{
	size_t i = 0, n = 0, done = 0;
	ssize_t ret;

	for (size_t sum = 0; sum < bytes; n++)
		sum += ring->batch->part[n].iov_len;
	while (done < bytes) {
		ret = writev(ring->file, &ring->batch->part[i], (int)(n - i));
		if (ret < 0 && errno == EINTR)
			continue;
		if (!ret)
			errno = ENOSPC;
		if (ret <= 0)
			break;
		done += (size_t)ret;
		i = batch_skip(ring->batch, i, (size_t)ret);
	}
	return done;
}

/* Records in the whole packets of @bytes, with which a batch begins: all but its last are full. */
static size_t whole_records(size_t bytes)
{
	return bytes / (HEADER + FT_PACKET_RECORDS * RECORD) * FT_PACKET_RECORDS;
}

/* The bytes of a batch of @n records, as batch_fill() makes it. */
static size_t batch_bytes(size_t n)
{
	return (n + FT_PACKET_RECORDS - 1) / FT_PACKET_RECORDS * HEADER + n * RECORD;
}

/* Lets the ring have the room of @n records again. Return: false if they were not ours. */
static bool reader_give_back(struct ring *ring, size_t n)
{
	struct ft_range range = { .count = (uint32_t)n };
	int ret;

	do {
		ret = ioctl(ring->fd, FT_IOC_GIVE_BACK, &range);
	} while (ret < 0 && errno == EINTR);
	return !ret;
}

/* The file took only @done bytes of a batch with @n records. */
static bool reader_torn(struct ring *ring, size_t n, size_t done)
{
	int error = errno;
	size_t whole = whole_records(done);

	/* another trace may have overwritten them before they were written */
	if (whole && !reader_give_back(ring, whole))
		whole = 0;
	ring_count(ring, whole, batch_bytes(whole), ring->packets.lost);
	ring->unwritten += n - whole;
	ring_cut(ring);
	return ring_fail(ring, "writing", error);
}

/*
 * Writes the batch, @bytes of packets with @n records, or puts it into a block. @before: where
 * the stream was, if the records were taken from the ring, which gets their room back; else NULL.
 * Return: false if that fails, or if the records were not ours: see reader_write().
 */
static bool batch_out(struct ring *ring, const struct packets *before,
		      const struct ft_record *records, size_t n, size_t bytes)
{
	size_t done = bytes;

	if (ring->stream)
		blocks_copy(ring, ring->batch->part, bytes);
	else
		done = batch_write(ring, bytes);
	if (done < bytes)
		return reader_torn(ring, n, done);
	locks_seen_scan(ring->locks, records, n);
	if (before && !reader_give_back(ring, n)) {
		ring->packets = *before;
		if (!ring->stream)
			ring_cut(ring);
		return false;
	}
	if (ring->stream)
		return blocks_keep(ring, n, bytes);
	ring_count(ring, n, bytes, ring->packets.lost);
	return true;
}

/*
 * Writes @n taken records, at most a batch, to the current file. Return: false if that
 * fails; or if another trace has begun and may have overwritten them, and the file is as
 * if they had never been.
 */
static bool reader_write(struct ring *ring, const struct ft_record *records, size_t n,
			 uint64_t lost)
{
	const struct packets before = ring->packets;

	return batch_out(ring, &before, records, n, batch_fill(ring, records, n, lost));
}

/* Return: how many of @n records are from before @at. */
static size_t records_before(const struct ft_record *records, size_t n, uint64_t at)
{
	return array_first(n, i, records[i].ts < at);
}

/* Counts @n taken records that will not be written, in the file to which each belongs. */
static void reader_miss(struct ring *ring, const struct ft_record *records, size_t n)
{
	size_t before = ring->changing ? 0 : n;

	if (seam_is_ahead(ring))
		before = records_before(records, n, ring->rings->seam.at);
	ring->unwritten += before;
	ring->unwritten_next += n - before;
}

/* Writes @n taken records. Return: how many, before anything failed. */
static size_t reader_pass_on(struct ring *ring, const struct ft_record *records, size_t n,
			     uint64_t lost)
{
	size_t done = 0, here, most;

	while (done < n) {
		most = ring->stream ? blocks_room(ring) : BATCH_RECORDS;
		here = n - done < most ? n - done : most;
		if (seam_is_ahead(ring)) {
			here = records_before(records + done, here, ring->rings->seam.at);
			if (!here) {
				seam_cross(ring);
				if (!ring->error)
					continue;
				reader_miss(ring, records + done, n - done);
				break;
			}
		}
		if (!reader_write(ring, records + done, here, lost)) {
			/* if that failed, it has counted its own */
			if (ring->error)
				reader_miss(ring, records + done + here, n - done - here);
			else
				reader_miss(ring, records + done, n - done);
			break;
		}
		done += here;
	}
	return done;
}

/* A ring gets its memory when the first trace starts, or never if that is short. */
static bool reader_map(struct ring *ring, uint32_t slots)
{
	void *map;

	if (ring->map)
		return true;
	ring->ring_bytes = (uint64_t)slots * RECORD;
	map = mmap(NULL, ring->ring_bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, ring->fd, 0);
	if (map == MAP_FAILED)
		return ring_fail(ring, "reading", errno);
	ring->map = map;
	return true;
}

/* Takes at most @max records in one piece. Return: how many were written; or -errno. */
static ssize_t reader_take_piece(struct ring *ring, uint64_t max, uint64_t lost)
{
	struct ft_range range = { .count = max < UINT32_MAX ? (uint32_t)max : UINT32_MAX };

	if (ioctl(ring->fd, FT_IOC_TAKE, &range))
		return -errno;
	if (!range.count)
		return 0;
	if (range.offset % RECORD ||
	    range.offset + (uint64_t)range.count * RECORD > ring->ring_bytes)
		return -EPROTO;
	return (ssize_t)reader_pass_on(ring,
				       (const struct ft_record *)(ring->map + range.offset),
				       range.count, lost);
}

/* Takes what is ready of @used records; two pieces if it goes round the ring's end. */
static ssize_t reader_take(struct ring *ring, uint64_t used, uint64_t lost)
{
	ssize_t n = 0, done = 0;

	for (int piece = 0; piece < 2 && used > (uint64_t)done; piece++) {
		n = reader_take_piece(ring, used - done, lost);
		if (n <= 0 || ring->error)
			break;
		done += n;
	}
	ring->flushed = monotonic_now();
	if (n < 0)
		return n;
	return done ? done * (ssize_t)RECORD : -EAGAIN;
}

/* Does a running trace leave the thread time to let more records come? */
static bool reader_may_wait(const struct ring *ring, uint64_t used)
{
	return used * RECORD < ring->ring_bytes / 16 && !seam_is_ahead(ring) &&
	       monotonic_now() - ring->flushed <= FLUSH_SECONDS;
}

/*
 * Looks once at the ring. Return: bytes of records that were taken; 0 at the end of the
 * trace; -EAGAIN; -errno.
 */
static ssize_t reader_look(struct ring *ring, enum rings_stop stop, uint64_t *used)
{
	struct ft_stats stats;

	/* before the records: a loss is counted before the records after it */
	if (ioctl(ring->fd, FT_IOC_STATS, &stats))
		return -errno;
	*used = stats.written - stats.read - stats.overwritten;
	if (!*used || !stats.slots)
		return stop == RINGS_DRAIN ? 0 : -EAGAIN;
	if (stop == RINGS_RUN && reader_may_wait(ring, *used))
		return -EAGAIN;
	if (!reader_map(ring, stats.slots))
		return -ring->error;
	return reader_take(ring, *used, stats.lost);
}

/* Writes a packet of @n records that the device has made. Return: true to go on. */
static bool reader_pass_packet(struct ring *ring, const struct ft_packet_header *header, size_t n)
{
	const struct ft_record *records = (const void *)(header + 1);

	if (!n && header->discarded <= ring->packets.lost)
		return false;
	/* without records, the device knows best when it was */
	if (ring->packets.end < header->ts_end)
		ring->packets.end = header->ts_end;
	return batch_out(ring, NULL, records, n,
			 batch_fill(ring, records, n, header->discarded));
}

/*
 * Writes packets that the device makes: behind one that is not full, another one may have
 * found room. Return: were there any?
 */
static bool reader_read(struct ring *ring)
{
	const char *p = (const char *)&ring->batch->packet;
	ssize_t len = read(ring->fd, &ring->batch->packet, sizeof(ring->batch->packet));
	size_t at = 0, bytes, n;

	while (len > 0 && (bytes = packets_first(p + at, (size_t)len - at, &n))) {
		if (!reader_pass_packet(ring, (const void *)(p + at), n))
			return false;
		at += bytes;
	}
	return at;
}

/*
 * A packet without records has what was lost after the last one. The device knows
 * whether there is still the same trace.
 */
static void reader_last(struct ring *ring)
{
	while (!ring->error && reader_read(ring))
		;
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
 * Sets the time until the next look, by the @n bytes that were in the ring. Shorter if
 * these were more than an eighth of it, so that a burst finds room; longer when it calms
 * down; none if a quarter was full.
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

/* A read while draining found nothing. Return: true to try again. */
static bool drain_idle(const struct ring *ring, ssize_t n)
{
	if (!n || monotonic_now() > ring->rings->patience)
		return false;
	usleep(1000);
	return true;
}

/* A read while draining found packets. Return: true to go on. */
static bool drain_more(struct ring *ring, enum rings_stop stop, ssize_t n)
{
	if (stop == RINGS_DRAIN)
		return true;
	/* the trace runs on: stop when silent, or once round the ring */
	ring->drained += n;
	return ring->drained < ring->ring_bytes;
}

/* Looks once. Return: false when the thread is done. */
static bool reader_step(struct ring *ring)
{
	enum rings_stop stop = atomic_load_explicit(&ring->rings->stop, memory_order_acquire);
	uint64_t used = 0;
	ssize_t n;

	if (stop == RINGS_ABORT)
		return false;
	n = reader_look(ring, stop, &used);
	if (n < 0 && n != -EAGAIN)
		return ring_fail(ring, "reading", -n);
	if (ring->stream)
		blocks_look(ring);
	if (ring->error)
		return false;
	if (n <= 0 && seam_is_due(ring))
		seam_cross(ring);
	if (stop != RINGS_RUN)
		return n > 0 ? drain_more(ring, stop, n) : drain_idle(ring, n);
	/*
	 * Leave it to the main thread to detect the end of the trace: a CPU that came up
	 * late may see an end and still get records.
	 */
	if (n <= 0 && used * RECORD >= ring->ring_bytes / 16)
		/* not ready, or of another trace: there is nothing to hurry for */
		reader_wait(ring, WAIT_MIN_NS);
	else
		reader_pace(ring, used * RECORD);
	return true;
}

void *reader_thread(void *arg)
{
	struct ring *ring = arg;

	ring->flushed = monotonic_now();
	ring->wait_ns = WAIT_MIN_NS;
	if (ring->rings->names)
		ring->locks = locks_seen_new(ring->rings->names, ring->rings->family);
	/* binds the device to this trace: it does not let us take records of another one */
	reader_read(ring);
	while (!ring->error && reader_step(ring))
		;
	if (atomic_load(&ring->rings->stop) == RINGS_DRAIN)
		reader_last(ring);
	if (ring->stream)
		blocks_finish(ring);
	/* those who wait for all threads must not wait for this one */
	if (seam_is_ahead(ring))
		seam_cross(ring);
	locks_seen_end(ring->locks);
	ring->locks = NULL;
	atomic_fetch_sub(&ring->rings->running, 1);
	rings_tell(ring->rings);
	return NULL;
}
