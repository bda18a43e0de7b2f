// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Records the events of one CPU without a copy on the way: its ring is mapped, and
 * records go to the file from where they lie. It ends with the trace, as cat /dev/ft_traceN
 * does; if the CPU has no record at all, with one that follows.
 *
 *	cc mapped.c -o mapped
 *	ft enable mark --persist
 *	mkdir t; cat /dev/ft_trace_meta >t/metadata
 *	./mapped 0 >t/cpu0 &
 *	taskset -c 0 ft mark 1; ft disable mark --persist
 *	ft dump t
 */
#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <linux/feather_trace.h>

#define PACKETS	64	/* at a time */

static struct ft_info trace;
static unsigned int cpu;
static int control;
static __u64 seq, told, end;	/* packets, losses and time that were written */

static int device(const char *name, unsigned long command, void *answer)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, command, answer))
		err(1, "%s", name);
	return fd;
}

/* Has another trace begun? Then nothing in the ring is ours. */
static bool is_over(void)
{
	struct ft_info now;

	if (ioctl(control, FT_IOC_INFO, &now))
		err(1, "FT_IOC_INFO");
	return now.trace != trace.trace;
}

static void fill_header(struct ft_packet_header *header, const struct ft_record *records,
			unsigned int count, __u64 lost)
{
	const __u64 bits = 8 * (sizeof(*header) + count * sizeof(*records));
	const __u64 begin = count ? records[0].ts : end;

	end = count ? records[count - 1].ts : end;
	told = lost;
	*header = (struct ft_packet_header){
		.magic = FT_PACKET_MAGIC,
		.stream_instance = cpu,
		.ts_begin = begin,
		.ts_end = end,
		.content_bits = bits,
		.packet_bits = bits,
		.seq = seq++,
		.discarded = lost,
		.cpu = cpu,
		.clock_hz = trace.clock_hz,
	};
	memcpy(header->uuid, trace.uuid, sizeof(header->uuid));
}

/* Without records: a packet that tells only losses. */
static void write_packets(const struct ft_record *records, size_t count, __u64 lost)
{
	struct ft_packet_header headers[PACKETS];
	struct iovec parts[2 * PACKETS];
	size_t n, size = 0;
	ssize_t written;
	int used = 0;

	do {
		n = count < FT_PACKET_RECORDS ? count : FT_PACKET_RECORDS;
		fill_header(&headers[used / 2], records, (unsigned int)n, lost);
		parts[used] = (struct iovec){ &headers[used / 2], sizeof(headers[0]) };
		parts[used + 1] = (struct iovec){ (void *)records, n * sizeof(*records) };
		size += parts[used].iov_len + parts[used + 1].iov_len;
		used += 2;
		records += n;
		count -= n;
	} while (count);
	written = writev(STDOUT_FILENO, parts, used);
	if (written < 0)
		err(1, "write");
	if (written < (ssize_t)size)
		errx(1, "no room: the last packet is torn");
}

static __u64 count_lost(int fd)
{
	struct ft_stats stats;

	if (ioctl(fd, FT_IOC_STATS, &stats))
		err(1, "FT_IOC_STATS");
	return stats.lost;
}

/* Returns whether there was something. */
static bool pass_on(int fd, const char *ring)
{
	/* Before the records: a loss is reported before what follows it. */
	const __u64 lost = count_lost(fd);
	struct ft_range range = { .count = PACKETS * FT_PACKET_RECORDS };

	if (ioctl(fd, FT_IOC_TAKE, &range))
		err(1, "FT_IOC_TAKE");
	if (!range.count || is_over())
		return false;
	write_packets((const struct ft_record *)(ring + range.offset), range.count, lost);
	/* Fails if another trace has begun meanwhile, and may have overwritten them. */
	range = (struct ft_range){ .count = range.count };
	if (ioctl(fd, FT_IOC_GIVE_BACK, &range))
		err(1, "the last packets are void: FT_IOC_GIVE_BACK");
	return true;
}

int main(int argc, char **argv)
{
	struct pollfd ready = { .events = POLLIN };
	struct ft_stats stats;
	char name[32];
	char *ring;
	__u64 lost;

	if (argc != 2)
		errx(2, "Usage: mapped CPU >FILE");
	cpu = (unsigned int)strtoul(argv[1], NULL, 10);
	control = device("/dev/ft_trace", FT_IOC_INFO, &trace);
	snprintf(name, sizeof(name), "/dev/ft_trace%u", cpu);
	ready.fd = device(name, FT_IOC_STATS, &stats);

	ring = mmap(NULL, stats.slots * sizeof(struct ft_record), PROT_READ, MAP_SHARED,
		    ready.fd, 0);
	if (ring == MAP_FAILED)
		err(1, "%s: mmap", name);

	do {
		if (poll(&ready, 1, -1) < 0)
			err(1, "poll");
	} while (pass_on(ready.fd, ring) || !(ready.revents & POLLHUP || is_over()));

	lost = count_lost(ready.fd);
	if (lost != told && !is_over())
		write_packets(NULL, 0, lost);
	return 0;
}
