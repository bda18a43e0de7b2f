// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A reader that takes what it is to do next from its chances. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "torture.h"

#define BUF_SIZE	(1 << 16)

struct reader {
	struct rng	rng;
	struct books	books;
	unsigned int	cpu;
	int		fd;
	const char	*ring;		/* mapped */
	size_t		size;		/* of that */
	char		buf[BUF_SIZE] __attribute__((aligned(8)));
	bool		end;
};

/* A pointer to where nothing is, of which the compiler knows nothing. */
static void *nowhere(void)
{
	void *volatile pointer = (void *)8;

	return pointer;
}

/* These say "not now". */
static bool is_later(void)
{
	return errno == EAGAIN || errno == EINTR;
}

static void by_read(struct reader *r)
{
	size_t least = sizeof(struct ft_packet_header) + sizeof(struct ft_record);
	size_t size = least + rng_below(&r->rng, BUF_SIZE - least);
	ssize_t bytes = read(r->fd, r->buf, size);

	if (bytes < 0 && !is_later())
		err(1, "read of %zu bytes", size);
	if (bytes > 0 && books_packets(&r->books, r->buf, bytes) != (size_t)bytes)
		errx(1, "read gave a part of a packet");
	r->end = !bytes;
}

static void by_slots(struct reader *r)
{
	struct ft_slots slots = {
		.buf = (uintptr_t)r->buf,
		.max = 1 + rng_below(&r->rng, BUF_SIZE / sizeof(struct ft_record)),
	};

	if (ioctl(r->fd, FT_IOC_READ_SLOTS, &slots)) {
		if (!is_later())
			err(1, "FT_IOC_READ_SLOTS of %u", slots.max);
		return;
	}
	if (slots.count > slots.max)
		errx(1, "FT_IOC_READ_SLOTS: %u of %u", slots.count, slots.max);
	for (unsigned int i = 0; i < slots.count; i++)
		books_record(&r->books, &((struct ft_record *)r->buf)[i]);
	r->end = !slots.count;
}

/* Takes some, looks at them where they lie, and gives them back bit by bit. */
static void by_range(struct reader *r)
{
	struct ft_range range = { .count = 1 + rng_below(&r->rng, 4096) };
	const struct ft_record *records;
	unsigned int i, n;

	if (ioctl(r->fd, FT_IOC_TAKE, &range)) {
		if (errno != EINTR)
			err(1, "FT_IOC_TAKE");
		return;
	}
	records = (const void *)(r->ring + range.offset);
	for (i = 0; i < range.count; i += n) {
		struct ft_range back = { .count = n = 1 + rng_below(&r->rng, range.count - i) };

		for (unsigned int k = 0; k < n; k++)
			books_record(&r->books, &records[i + k]);
		while (ioctl(r->fd, FT_IOC_GIVE_BACK, &back)) {
			if (errno != EINTR)
				err(1, "FT_IOC_GIVE_BACK of %u", n);
		}
	}
}

static void by_poll(struct reader *r)
{
	struct pollfd fd = { .fd = r->fd, .events = POLLIN };

	if (poll(&fd, 1, (int)rng_below(&r->rng, 20)) < 0 && errno != EINTR)
		err(1, "poll");
}

/* Calls that are wrong, and must not take anything. */
static void by_mistake(struct reader *r)
{
	struct ft_slots slots = { .max = 100, .buf = 8 };
	struct ft_range range = { .count = 1 };

	switch (rng_below(&r->rng, 4)) {
	case 0:
		if (read(r->fd, nowhere(), FT_PACKET_MAX) > 0)
			errx(1, "read to nowhere gave something");
		break;
	case 1:
		if (read(r->fd, r->buf, 1) > 0)
			errx(1, "read of one byte gave it");
		break;
	case 2:
		if (!ioctl(r->fd, FT_IOC_READ_SLOTS, &slots) && slots.count)
			errx(1, "FT_IOC_READ_SLOTS to nowhere gave something");
		break;
	case 3:
		if (!ioctl(r->fd, FT_IOC_GIVE_BACK, &range))
			errx(1, "FT_IOC_GIVE_BACK took what was not taken");
		break;
	}
}

static void on_alarm(int signal)
{
	(void)signal;
}

/* A signal every so often: some calls are restarted by the kernel, some are not. */
static void signals_on(struct reader *r)
{
	suseconds_t us = 200 + rng_below(&r->rng, 5000);
	struct itimerval every = { { 0, us }, { 0, us } };
	struct sigaction action = { .sa_handler = on_alarm };

	action.sa_flags = rng_one_in(&r->rng, 2) ? SA_RESTART : 0;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

static void open_ring(struct reader *r)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/ft_trace%u", r->cpu);
	r->fd = open(path, O_RDONLY);
	if (r->fd < 0)
		err(1, "%s", path);
	r->ring = mmap(NULL, r->size, PROT_READ, MAP_SHARED, r->fd, 0);
	if (r->ring == MAP_FAILED)
		err(1, "mmap of %zu bytes", r->size);
}

/* The trimmer releases what comes meanwhile. A descriptor counts its packets from 0. */
static void leave_to_trimmer(struct reader *r)
{
	munmap((void *)r->ring, r->size);
	close(r->fd);
	sleep_us(rng_below(&r->rng, 20000));
	open_ring(r);
	r->books.seq = 0;
}

static void step(struct reader *r, const struct round *round)
{
	unsigned int what = rng_below(&r->rng, 100);

	if (round->headroom && rng_one_in(&r->rng, 20))
		leave_to_trimmer(r);
	else if (what < 35)
		by_read(r);
	else if (what < 65)
		by_slots(r);
	else if (what < 85)
		by_range(r);
	else if (what < 93)
		by_poll(r);
	else if (what < 96)
		by_mistake(r);
	else if (what < 98)
		fcntl(r->fd, F_SETFL, rng_one_in(&r->rng, 2) ? O_NONBLOCK : 0);
	else if (round_has(round, DISTURB_STOP))
		sleep_us(rng_one_in(&r->rng, 20) ? 2000000 : rng_below(&r->rng, 50000));
}

/* At the end all that was written has been read, by this reader, or overwritten. */
static void check_stats(struct reader *r, bool flight)
{
	struct ft_stats stats;
	uint64_t mine = r->books.records + r->books.others;

	if (ioctl(r->fd, FT_IOC_STATS, &stats))
		err(1, "FT_IOC_STATS");
	if (stats.written != stats.read + stats.overwritten || stats.read != mine)
		errx(1, "%llu written, %llu overwritten, %llu read, of these %llu here",
		     stats.written, stats.overwritten, stats.read, (unsigned long long)mine);
	if (stats.overwritten && !flight)
		errx(1, "%llu overwritten, which were to be kept", stats.overwritten);
	if (r->books.lost > stats.lost)
		errx(1, "packets report %llu losses, there are %llu",
		     (unsigned long long)r->books.lost, stats.lost);
	r->books.lost = stats.lost;
	r->books.overwritten = stats.overwritten;
}

void reader_main(const struct torture *t, const struct round *round, unsigned int cpu,
		 int ready, int result)
{
	static struct reader r;

	r.rng = rng_fork(&round->rng, 100 + cpu);
	r.books.fire = t->fire;
	r.cpu = cpu;
	r.size = (size_t)round->slots * sizeof(struct ft_record);
	open_ring(&r);
	if (round_has(round, DISTURB_SIGNALS))
		signals_on(&r);
	if (write(ready, "", 1) != 1)
		err(1, "cannot say that it is ready");
	while (!r.end)
		step(&r, round);
	signal(SIGALRM, SIG_IGN);
	check_stats(&r, round->headroom);
	if (write(result, &r.books, sizeof(r.books)) != sizeof(r.books))
		err(1, "cannot give its books");
	_exit(0);
}
