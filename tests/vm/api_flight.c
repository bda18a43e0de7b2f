// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* FT_MODE_OVERWRITE and FT_IOC_SNAPSHOT: rings that keep the latest records. */
#include "api.h"

#define SLOTS		1024u
#define HEADROOM	256u
#define ROOM		(SLOTS - 8)	/* what a ring without trimmer holds */
#define KEEP		(ROOM - HEADROOM)
#define BATCH		100u		/* less than the headroom: never lost */

static int try_config(int control, __u32 mode, __u32 headroom)
{
	const struct ft_config config = {
		.slots = SLOTS, .wake_us = WAKE_US, .mode = mode, .headroom = headroom,
	};

	return ioctl(control, FT_IOC_SET_CONFIG, &config);
}

static __u64 waiting(void)
{
	struct ft_stats stats = cpu_stats();

	return stats.written - stats.read - stats.overwritten;
}

/* The trimmer's next tick, or two; the emulator may be slow. */
static void wait_for_trimmer(void)
{
	unsigned int i;

	for (i = 0; i < 10000 && waiting() > KEEP; i++)
		sleep_ms(1);
	expect(waiting() <= KEEP);
}

/* Marks @first, ..., of which none is lost. */
static void mark_slowly(int control, __u64 first, unsigned int count)
{
	unsigned int n;

	for (; count; count -= n, first += n) {
		n = count < BATCH ? count : BATCH;
		wait_for_trimmer();
		mark(control, first, n);
	}
	wait_for_trimmer();
}

static int start_flight(void)
{
	int control = open_control();

	pin(the_cpu());
	expect_ok(try_config(control, FT_MODE_OVERWRITE, 0));
	enable(control);
	return control;
}

/* Read marks @first, ... to the end. Return: how many. */
static unsigned int read_marks(int reader, __u64 first)
{
	unsigned int count, total = 0;
	struct packet packet;
	long bytes;

	while ((bytes = expect_ok(read(reader, &packet, sizeof(packet))))) {
		count = (bytes - sizeof(packet.header)) / sizeof(struct ft_record);
		expect_marks(packet.records, first + total, count);
		total += count;
	}
	return total;
}

static struct ft_window get_window(int reader)
{
	struct ft_window window;

	memset(&window, 0xff, sizeof(window));
	expect_ok(ioctl(reader, FT_IOC_WINDOW, &window));
	expect_eq(window.reserved[0] | window.reserved[1], 0);
	return window;
}

static struct ft_snapshot take_snapshot(int control)
{
	struct ft_snapshot snapshot;

	memset(&snapshot, 0xff, sizeof(snapshot));
	expect_ok(ioctl(control, FT_IOC_SNAPSHOT, &snapshot));
	expect_eq(snapshot.reserved[0] | snapshot.reserved[1] | snapshot.reserved[2], 0);
	return snapshot;
}

static void test_config(void)
{
	int control = open_control();
	struct ft_config config;

	expect_ok(try_config(control, FT_MODE_OVERWRITE, SLOTS / 2));
	expect_ok(ioctl(control, FT_IOC_GET_CONFIG, &config));
	expect_eq(config.mode, FT_MODE_OVERWRITE);
	expect_eq(config.headroom, SLOTS / 2);
	expect_error(try_config(control, FT_MODE_OVERWRITE, SLOTS / 2 + 1), EINVAL);
	expect_error(try_config(control, FT_MODE_DISCARD, 1), EINVAL);
	expect_ok(try_config(control, FT_MODE_DISCARD, 0));
}

/* Nothing is lost, the latest are there, and the books balance. */
static void test_latest(void)
{
	const unsigned int count = 10 * SLOTS;
	int control = start_flight(), reader;
	struct ft_window window;
	struct ft_stats stats;
	unsigned int left;

	mark_slowly(control, 1, count);
	disable(control);
	stats = cpu_stats();
	expect_eq(stats.lost, 0);
	expect_eq(stats.written, count);
	expect_eq(stats.read, 0);
	left = count - stats.overwritten;
	expect(left <= KEEP && left > KEEP - BATCH);

	reader = open_cpu(O_RDONLY);
	window = get_window(reader);
	expect(window.begin > 0);
	expect_eq(window.lost, 0);
	expect_eq(read_marks(reader, stats.overwritten + 1), left);
	stats = get_stats(reader);
	expect_eq(stats.written, stats.read + stats.overwritten);
}

/* The least headroom is free for a record, too. */
static void test_least_headroom(void)
{
	int control = open_control();
	struct ft_stats stats;
	unsigned int i;

	pin(the_cpu());
	expect_ok(try_config(control, FT_MODE_OVERWRITE, 1));
	enable(control);
	mark(control, 1, SLOTS);
	for (i = 0; i < 10000 && waiting() >= ROOM; i++)
		sleep_ms(1);
	stats = cpu_stats();
	expect(stats.overwritten > 0);
	mark(control, 1, 1);
	expect_eq(cpu_stats().lost, stats.lost);
}

/* A burst that no trimmer comes between is lost where it does not fit. */
static void test_burst(void)
{
	int control = start_flight(), reader;
	struct ft_stats stats;

	reader = open_cpu(O_RDONLY);	/* so that it is the reader's to make room */
	mark(control, 1, SLOTS);
	sleep_ms(50);	/* long enough for a trimmer that does not stand off */
	stats = get_stats(reader);
	expect_eq(stats.lost, SLOTS - ROOM);
	expect_eq(stats.overwritten, 0);
	expect_eq(get_window(reader).lost, 0);
	expect_eq(get_window(reader).begin, 0);
	close(reader);

	/* The place of the loss is overwritten with the records around it. */
	mark_slowly(control, SLOTS + 1, 2 * SLOTS);
	disable(control);
	reader = open_cpu(O_RDONLY);
	stats = get_stats(reader);
	expect_eq(stats.lost, SLOTS - ROOM);
	expect_eq(get_window(reader).lost, SLOTS - ROOM);
	expect_eq(read_marks(reader, stats.overwritten + stats.lost + 1),
		  stats.written - stats.overwritten);
}

/* It ends at its mark, whatever is written meanwhile, and with its descriptor. */
static void test_snapshot(void)
{
	int control = start_flight(), other = open_control(), reader;
	struct ft_stats stats;
	struct packet packet;
	unsigned int count;

	mark_slowly(control, 1, 3 * SLOTS);
	reader = open_cpu(O_RDONLY | O_NONBLOCK);
	stats = get_stats(reader);
	expect(take_snapshot(other).ts > get_window(reader).begin);
	expect_error(ioctl(control, FT_IOC_SNAPSHOT, &packet), EBUSY);
	mark(control, 3 * SLOTS + 1, 10);
	count = read_marks(reader, stats.overwritten + 1);
	expect_eq(count, 3 * SLOTS - stats.overwritten);
	expect_end(reader);

	/* Anew, by the same descriptor. */
	expect(take_snapshot(other).ts >= packet.header.ts_end);
	mark(control, 3 * SLOTS + 11, 10);
	expect_eq(read_marks(reader, 3 * SLOTS + 1), 10);

	close(other);
	disable(control);
	expect_eq(read_marks(reader, 3 * SLOTS + 11), 10);
	expect_eq(get_stats(reader).lost, 0);
}

/* Nothing is left of it where the records before its mark were overwritten. */
static void test_overwritten_snapshot(void)
{
	int control = start_flight(), reader;

	mark_slowly(control, 1, 2 * SLOTS);
	take_snapshot(control);
	mark_slowly(control, 2 * SLOTS + 1, 2 * SLOTS);
	reader = open_cpu(O_RDONLY | O_NONBLOCK);
	expect_end(reader);
	expect_eq(get_stats(reader).read, 0);
	take_snapshot(control);
	expect(read_marks(reader, get_stats(reader).overwritten + 1) > 0);
}

/* Of losses, those from before the mark are told. */
static void test_lost_behind_mark(void)
{
	int control = start_flight(), reader;
	struct packet packet;
	unsigned int i;

	reader = open_cpu(O_RDONLY);
	mark(control, 1, ROOM);
	take_snapshot(control);
	mark(control, 1, 5);
	for (i = 0; i < ROOM; i += read_packet(reader, &packet))
		;
	expect_eq(i, ROOM);
	expect_eq(packet.header.discarded, 0);
	expect_end(reader);
	expect_eq(get_stats(reader).lost, 5);
	expect_eq(get_window(reader).lost, 0);	/* the next snapshot tells them */
	take_snapshot(control);
	expect_eq(read(reader, &packet, sizeof(packet)), sizeof(packet.header));
	expect_eq(packet.header.discarded, 5);
	expect_end(reader);
}

/* A snapshot that nobody read has told nothing: the next one tells what was lost at its mark. */
static void test_lost_at_unread_mark(void)
{
	int control = start_flight(), reader;
	struct packet packet;

	reader = open_cpu(O_RDONLY);
	mark(control, 1, ROOM + 5);
	take_snapshot(control);
	close(reader);
	mark_slowly(control, 1, KEEP);	/* the ring begins at the mark */
	reader = open_cpu(O_RDONLY);
	expect_eq(get_stats(reader).overwritten, ROOM);
	expect_eq(get_window(reader).lost, 0);
	take_snapshot(control);
	read_packet(reader, &packet);
	expect_eq(packet.header.discarded, 5);
}

/* It is read by FT_IOC_READ_SLOTS and FT_IOC_TAKE, too. */
static void test_other_ways(void)
{
	static struct ft_record records[SLOTS];
	struct ft_slots slots = { .buf = (uintptr_t)records, .max = SLOTS };
	int control = start_flight(), reader;
	struct ft_range range = { 0 };
	unsigned int taken;

	reader = open_cpu(O_RDONLY);
	mark(control, 1, 20);
	take_snapshot(control);
	mark(control, 21, 200);
	/* In two where they go over the ring's end. */
	for (taken = 0; taken < 20; taken += range.count) {
		range.count = SLOTS;
		expect_ok(ioctl(reader, FT_IOC_TAKE, &range));
		expect(range.count && range.count <= 20 - taken);
		expect_ok(ioctl(reader, FT_IOC_GIVE_BACK, &range));
	}
	range.count = SLOTS;
	expect_ok(ioctl(reader, FT_IOC_TAKE, &range));
	expect_eq(range.count, 0);
	take_snapshot(control);
	mark(control, 221, 10);
	expect_ok(ioctl(reader, FT_IOC_READ_SLOTS, &slots));
	expect_eq(slots.count, 200);
	expect_marks(records, 21, 200);
	expect_ok(ioctl(reader, FT_IOC_READ_SLOTS, &slots));
	expect_eq(slots.count, 0);
}

static void test_errors(void)
{
	struct ft_session_info session = { .flags = FT_SESSION_NEW };
	int control = open_control(), other;
	struct ft_snapshot snapshot;

	expect_ok(try_config(control, FT_MODE_DISCARD, 0));
	enable(control);
	expect_error(ioctl(control, FT_IOC_SNAPSHOT, &snapshot), EOPNOTSUPP);
	disable(control);
	expect_ok(try_config(control, FT_MODE_OVERWRITE, 0));
	expect_error(ioctl(control, FT_IOC_SNAPSHOT, nowhere()), EFAULT);
	other = open_control();
	take_snapshot(other);		/* its marks are not in the way */
	/* They would stay behind, where the descriptor is no more. */
	expect_error(ioctl(other, FT_IOC_SESSION, &session), EBUSY);
	expect_error(ioctl(expect_ok(open(CONTROL, O_RDONLY)), FT_IOC_SNAPSHOT,
			   &snapshot), EBADF);
	expect_ok(try_config(control, FT_MODE_DISCARD, 0));
}

static const struct api_test tests[] = {
	{ "headroom is at most half of a ring", test_config },
	{ "a ring keeps the latest", test_latest },
	{ "the least headroom", test_least_headroom },
	{ "a burst is lost, and forgotten with its place", test_burst },
	{ "a snapshot ends at its mark", test_snapshot },
	{ "a snapshot that was overwritten", test_overwritten_snapshot },
	{ "losses behind the mark are not its own", test_lost_behind_mark },
	{ "losses at a mark that nobody read are told", test_lost_at_unread_mark },
	{ "a snapshot without packets", test_other_ways },
	{ "no snapshot", test_errors },
};

API_MAIN("api_flight", tests)
