// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* poll() of /dev/ft_trace<cpu>. */
#include <poll.h>

#include "api.h"

static short poll_for(int fd, int ms)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	expect_ok(poll(&pollfd, 1, ms));
	return pollfd.revents;
}

static void test_nothing(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	unsigned long long begin = now_ms();

	expect_eq(poll_for(reader, 0), 0);
	expect_eq(poll_for(reader, 100), 0);
	expect(now_ms() - begin >= 90);
	expect_eq(get_info(control).active, 1);
}

static void test_data(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY | O_NONBLOCK);
	struct packet packet;
	pid_t pid = fork();

	if (!pid) {
		sleep_ms(100);
		mark(control, 1, 1);
		_exit(EXIT_SUCCESS);
	}
	expect_eq(poll_for(reader, -1), POLLIN);
	join(pid);
	expect_eq(read_packet(reader, &packet), 1);
	expect_eq(poll_for(reader, 20), 0);
}

static void test_end(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY | O_NONBLOCK);
	struct packet packet;
	pid_t pid;

	/* While there are records it has not hung up. */
	mark(control, 1, 2);
	disable(control);
	expect_eq(poll_for(reader, 1000), POLLIN);
	expect_eq(read(reader, &packet, 128), 128);
	expect_eq(poll_for(reader, 1000), POLLIN);
	expect_eq(read(reader, &packet, 128), 128);
	expect_eq(poll_for(reader, 1000), POLLIN | POLLHUP);
	expect_end(reader);
	expect_eq(poll_for(reader, 1000), POLLIN | POLLHUP);

	/* The next trace is not its own. */
	enable(control);
	mark(control, 1, 1);
	expect_eq(poll_for(reader, 1000), POLLIN | POLLHUP);
	close(reader);

	/* The end wakes who waits. */
	disable(control);
	enable(control);
	reader = open_cpu(O_RDONLY);
	pid = fork();
	if (!pid) {
		sleep_ms(100);
		disable(control);
		_exit(EXIT_SUCCESS);
	}
	expect_eq(poll_for(reader, -1), POLLIN | POLLHUP);
	join(pid);
}

static void test_stats_only(void)
{
	expect_eq(poll_for(open_cpu(O_WRONLY), 1000), POLLERR);
}

/* What is ready can be had, in each of the ways to get it. */
static void test_full_packet(void)
{
	static struct ft_record records[512];
	struct ft_slots slots = { .buf = (uintptr_t)records, .max = 512 };
	int control = start_waking(512, FT_WAKE_MAX_US);
	int reader = open_cpu(O_RDONLY | O_NONBLOCK);
	struct packet packet;

	mark(control, 1, FT_PACKET_RECORDS - 1);
	expect_eq(poll_for(reader, 0), 0);
	mark(control, FT_PACKET_RECORDS, 1);
	expect_eq(poll_for(reader, 0), POLLIN);
	expect_eq(read_packet(reader, &packet), FT_PACKET_RECORDS);
	expect_eq(poll_for(reader, 0), 0);

	mark(control, 1, FT_PACKET_RECORDS + 5);
	expect_eq(poll_for(reader, 0), POLLIN);
	expect_ok(ioctl(reader, FT_IOC_READ_SLOTS, &slots));
	expect_eq(slots.count, FT_PACKET_RECORDS + 5);
	expect_eq(poll_for(reader, 0), 0);
}

/* A stream of single events does not make a stream of tiny packets. */
static void test_no_spin(void)
{
	const unsigned int interval = 50, duration = 1000;
	unsigned long long begin, passed;
	int control = start_waking(8192, interval * 1000);
	int reader = open_cpu(O_RDONLY | O_NONBLOCK);
	unsigned int packets = 0, polls = 0;
	struct packet packet;
	long bytes;
	pid_t pid;

	pid = fork();
	if (!pid) {
		begin = now_ms();
		while (now_ms() - begin < duration) {
			mark(control, 1, 1);
			sleep_ms(5);
		}
		disable(control);
		_exit(EXIT_SUCCESS);
	}

	begin = now_ms();
	for (;;) {
		expect(poll_for(reader, -1) & POLLIN);
		polls++;
		bytes = read(reader, &packet, sizeof(packet));
		if (!bytes)
			break;
		if (bytes < 0)
			expect_eq(errno, EAGAIN);
		else
			packets++;
	}
	passed = now_ms() - begin;
	join(pid);
	expect(packets >= 2);
	if (packets > passed / interval + 3 || polls > 2 * packets + 3)
		fail("%u polls for %u packets in %llu ms", polls, packets, passed);
}

/* Ways to take the one record that there is. */
static void take_by_read(int control, int reader)
{
	struct packet packet;

	(void)control;
	expect_eq(read_packet(reader, &packet), 1);
}

static void take_by_slots(int control, int reader)
{
	static struct ft_record records[4];
	struct ft_slots slots = { .buf = (uintptr_t)records, .max = 4 };

	(void)control;
	expect_ok(ioctl(reader, FT_IOC_READ_SLOTS, &slots));
	expect_eq(slots.count, 1);
}

static void take_by_map(int control, int reader)
{
	struct ft_range range = { .count = 4 };

	(void)control;
	expect_ok(ioctl(reader, FT_IOC_TAKE, &range));
	expect_eq(range.count, 1);
	expect_ok(ioctl(reader, FT_IOC_GIVE_BACK, &range));
}

/* It goes with its trace; who has read none of that waits for the next. */
static void take_by_trace(int control, int reader)
{
	(void)reader;
	disable(control);
	enable(control);
}

/* Between two rounds of the timer, what it found is found once. */
static void found_once(void (*take)(int control, int reader))
{
	int control = start_waking(1024, 500000);
	int reader = open_cpu(O_RDONLY | O_NONBLOCK), tries;

	/* The timer may come round in between, but not each time. */
	for (tries = 0; tries < 5; tries++) {
		mark(control, 1, 1);
		expect_eq(poll_for(reader, 10000), POLLIN);
		take(control, reader);
		mark(control, 2, 1);
		if (!poll_for(reader, 0))
			return;
		take(control, reader);
	}
	fail("a reader is woken for each record");
}

static void test_found_by_read(void)
{
	found_once(take_by_read);
}

static void test_found_by_slots(void)
{
	found_once(take_by_slots);
}

static void test_found_by_map(void)
{
	found_once(take_by_map);
}

static void test_found_by_trace(void)
{
	found_once(take_by_trace);
}

static const struct api_test tests[] = {
	{ "nothing: a timeout", test_nothing },
	{ "records: POLLIN", test_data },
	{ "the end: POLLHUP, and not before", test_end },
	{ "for statistics only: POLLERR", test_stats_only },
	{ "POLLIN means that reading does not block", test_full_packet },
	{ "no tiny packets", test_no_spin },
	{ "read() takes what the timer found", test_found_by_read },
	{ "READ_SLOTS takes what the timer found", test_found_by_slots },
	{ "TAKE takes what the timer found", test_found_by_map },
	{ "a new trace forgets what the timer found", test_found_by_trace },
};

API_MAIN("api_poll", tests)
