// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Sessions: each is a trace of its own. Needs tests/modules/ft_bench and ft_points. */
#include "api.h"
#include "api_sessions.h"

#define BENCH_EVENT	"/sys/module/ft_bench/parameters/event"
#define POINT_FIRE	"/sys/module/ft_points/parameters/fire"

static void on(int control, __u32 id)
{
	expect_ok(enable_flags(control, FT_IOC_ENABLE, id, 0));
}

static void off(int control, __u32 id)
{
	expect_ok(enable_flags(control, FT_IOC_DISABLE, id, 0));
}

static void test_own(void)
{
	int control = open_control(), session, reader;
	struct ft_info info;

	pin(the_cpu());
	session = new_session("");
	reader = open_ring(session);
	enable(session);
	info = get_info(session);
	expect_eq(info.active, 1);
	expect_eq(info.trace, 1);
	expect_eq(get_info(control).active, 0);
	expect_eq(get_event(session, FT_ID_MARK).enabled, 1);
	expect_eq(get_event(control, FT_ID_MARK).enabled, 0);
	mark(session, 1, 10);
	mark(control, 100, 10);
	expect_eq(session_stats(session).written, 10);
	disable(session);
	expect_records(reader, FT_ID_MARK, 10);
}

/* A mark goes into the session of the descriptor. */
static void test_marks(void)
{
	int one, two;

	pin(the_cpu());
	one = new_session("");
	two = new_session("");
	enable(one);
	enable(two);
	mark(one, 1, 5);
	mark(two, 1, 7);
	expect_eq(session_stats(one).written, 5);
	expect_eq(session_stats(two).written, 7);
}

/* An event in any number of sessions: each has what fired while it was on there. */
static void test_same_event(void)
{
	int session[FT_SESSIONS_MAX], reader[FT_SESSIONS_MAX];
	unsigned int i, fired = 0, first[FT_SESSIONS_MAX];
	__u32 id;

	pin(the_cpu());
	for (i = 0; i < FT_SESSIONS_MAX; i++) {
		session[i] = i ? new_session("") : open_control();
		expect_ok(set_config(session[i], 1024, WAKE_US));
		reader[i] = i ? open_ring(session[i]) : open_cpu(O_RDONLY);
	}
	id = event_id(session[0], "bench");
	/* They come one by one, from the highest to the default one. */
	for (i = FT_SESSIONS_MAX; i--;) {
		on(session[i], id);
		first[i] = fired;
		fire(BENCH_EVENT, 5 + i);
		fired += 5 + i;
	}
	/* And go in another order. */
	for (i = 0; i < FT_SESSIONS_MAX; i++) {
		unsigned int who = i * 3 % FT_SESSIONS_MAX;

		off(session[who], id);
		expect_eq(session_stats(session[who]).written, fired - first[who]);
		expect_records(reader[who], id, fired - first[who]);
		fire(BENCH_EVENT, 3);
		fired += 3;
	}
}

/* Sessions with one event, at one time, have the same records. */
static void expect_equal(unsigned int sessions)
{
	static struct ft_record records[FT_SESSIONS_MAX][512];
	int session[FT_SESSIONS_MAX], reader[FT_SESSIONS_MAX];
	unsigned int i, k;
	__u32 id;

	for (i = 0; i < sessions; i++) {
		session[i] = i < FT_SESSIONS_MAX - 1 ? new_session("") : open_control();
		expect_ok(set_config(session[i], 1024, WAKE_US));
		reader[i] = open_ring(session[i]);
	}
	id = event_id(session[0], "bench");
	for (i = 0; i < sessions; i++)
		on(session[i], id);
	fire(BENCH_EVENT, 300);
	for (i = 0; i < sessions; i++)
		off(session[i], id);
	for (i = 0; i < sessions; i++) {
		struct ft_slots slots = { .buf = (uintptr_t)records[i], .max = 512 };

		expect_ok(ioctl(reader[i], FT_IOC_READ_SLOTS, &slots));
		expect_eq(slots.count, 300);
		close(reader[i]);
		close(session[i]);
	}
	for (k = 0; k < 300; k++) {
		const struct ft_record *first = &records[0][k];

		expect_eq(first->a, k);
		expect_eq(first->b, 300);
		expect_eq(first->tid, getpid());
		for (i = 0; i < sessions; i++) {
			/* The event comes from a task, and nothing is lost. */
			expect_eq(records[i][k].id, id);
			expect_eq(records[i][k].ctx, 0);
			expect_eq(records[i][k].gap, records[i][0].gap);
			expect_eq(records[i][k].ts, first->ts);
			expect_eq(records[i][k].a, first->a);
			expect_eq(records[i][k].b, first->b);
			expect_eq(records[i][k].tid, first->tid);
		}
	}
}

static void test_equal(void)
{
	pin(the_cpu());
	expect_equal(2);
}

static void test_equal_in_many(void)
{
	unsigned int sessions;

	pin(the_cpu());
	for (sessions = 3; sessions <= FT_SESSIONS_MAX; sessions++)
		expect_equal(sessions);
}

static void test_different_events(void)
{
	int one, two, read_one, read_two;
	struct ft_tracepoint tp = { .name = "ft_points_fire" };
	__u32 bench;

	pin(the_cpu());
	one = new_session("");
	two = new_session("");
	read_one = open_ring(one);
	read_two = open_ring(two);
	bench = event_id(one, "bench");
	expect_ok(ioctl(two, FT_IOC_TRACEPOINT, &tp));
	on(one, bench);
	on(two, tp.id);
	fire(BENCH_EVENT, 20);
	fire(POINT_FIRE, 30);
	off(one, bench);
	/* One has ended, and the other goes on. */
	fire(BENCH_EVENT, 20);
	fire(POINT_FIRE, 30);
	off(two, tp.id);
	expect_records(read_one, bench, 20);
	expect_records(read_two, tp.id, 60);
}

static void test_tracepoint_in_two(void)
{
	int one, two, read_one, read_two;
	struct ft_tracepoint tp = { .name = "ft_points_fire" };

	pin(the_cpu());
	one = new_session("");
	two = new_session("");
	read_one = open_ring(one);
	read_two = open_ring(two);
	expect_ok(ioctl(two, FT_IOC_TRACEPOINT, &tp));
	on(one, tp.id);
	fire(POINT_FIRE, 10);
	on(two, tp.id);
	fire(POINT_FIRE, 10);
	off(one, tp.id);
	fire(POINT_FIRE, 10);
	off(two, tp.id);
	expect_records(read_one, tp.id, 20);
	expect_records(read_two, tp.id, 20);
}

/* A full ring of one loses, and the others have all. Its next record says that some miss. */
static void expect_losses(unsigned int sessions)
{
	static struct ft_record records[512];
	struct ft_slots slots = { .buf = (uintptr_t)records, .max = 512 };
	int session[FT_SESSIONS_MAX], reader[FT_SESSIONS_MAX];
	unsigned int i;
	__u32 id;
	__u8 gap;

	for (i = 0; i < sessions; i++) {
		session[i] = new_session("");
		expect_ok(set_config(session[i], i ? 1024 : 128, WAKE_US));
		reader[i] = open_ring(session[i]);
	}
	id = event_id(session[0], "bench");
	for (i = 0; i < sessions; i++)
		on(session[i], id);
	fire(BENCH_EVENT, 500);
	expect_eq(session_stats(session[0]).written, 120);
	expect_eq(session_stats(session[0]).lost, 380);
	expect_ok(ioctl(reader[0], FT_IOC_READ_SLOTS, &slots));
	expect_eq(slots.count, 120);
	gap = records[119].gap;
	fire(BENCH_EVENT, 2);
	expect_ok(ioctl(reader[0], FT_IOC_READ_SLOTS, &slots));
	expect_eq(slots.count, 2);
	expect(records[0].gap != gap);
	expect_eq(records[1].gap, records[0].gap);
	for (i = 0; i < sessions; i++)
		off(session[i], id);
	for (i = 1; i < sessions; i++) {
		expect_records(reader[i], id, 502);
		expect_eq(session_stats(session[i]).lost, 0);
	}
	for (i = 0; i < sessions; i++) {
		close(reader[i]);
		close(session[i]);
	}
}

static void test_losses(void)
{
	pin(the_cpu());
	expect_losses(2);
	expect_losses(3);
	expect_losses(FT_SESSIONS_MAX - 1);
}

/* What others do with theirs while a session runs. */
static void test_undisturbed(void)
{
	int control = open_control(), one, two, reader;
	__u32 id;

	pin(the_cpu());
	one = new_session("");
	two = new_session("");
	expect_ok(set_config(one, 1024, WAKE_US));
	reader = open_ring(one);
	id = event_id(one, "bench");
	on(one, id);
	fire(BENCH_EVENT, 10);
	expect_error(set_config(one, 2048, WAKE_US), EBUSY);
	expect_ok(set_config(two, 2048, WAKE_US));
	expect_ok(set_config(control, 256, WAKE_US));
	fire(BENCH_EVENT, 10);
	expect_ok(ioctl(two, FT_IOC_PAUSE));
	expect_ok(ioctl(control, FT_IOC_PAUSE));
	fire(BENCH_EVENT, 10);
	on(two, id);
	fire(BENCH_EVENT, 10);
	expect_eq(session_stats(two).written, 0);
	expect_ok(ioctl(two, FT_IOC_RESUME));
	expect_ok(ioctl(control, FT_IOC_RESUME));
	fire(BENCH_EVENT, 10);
	expect_eq(session_stats(two).written, 10);
	expect_ok(ioctl(two, FT_IOC_DISABLE_ALL));
	expect_ok(ioctl(control, FT_IOC_DISABLE_ALL));
	fire(BENCH_EVENT, 10);
	close(two);
	fire(BENCH_EVENT, 10);
	expect_eq(get_info(one).active, 1);
	off(one, id);
	expect_records(reader, id, 70);
}

/* A session ends with its descriptor, also what was to persist in it. */
static void test_end(void)
{
	struct ft_session_info info = { .number = 1 };
	int session, reader, copy;

	pin(the_cpu());
	session = new_session("");
	expect_ok(ioctl(session, FT_IOC_SESSIONS, &info));
	expect_eq(info.joined, 1);
	reader = open_ring(session);
	expect_ok(enable_flags(session, FT_IOC_ENABLE, FT_ID_MARK, FT_ENABLE_PERSIST));
	mark(session, 1, 3);
	copy = dup(session);
	close(session);
	mark(copy, 4, 3);
	expect_eq(get_info(copy).active, 1);
	close(copy);
	expect_records(reader, FT_ID_MARK, 6);
	close(reader);
	info = (struct ft_session_info){ .number = 1 };
	session = open_control();
	expect_error(ioctl(session, FT_IOC_SESSIONS, &info), ENOENT);
	expect_eq(get_event(session, FT_ID_MARK).enabled, 0);
}

/* What the default session has chosen is not the choice of another. */
static void test_defaults(void)
{
	int control = open_control(), session;
	struct ft_config config;

	expect_ok(ioctl(control, FT_IOC_GET_CONFIG, &config));
	config.slots = 256;
	config.mode = FT_MODE_OVERWRITE;
	config.headroom = 128;
	expect_ok(ioctl(control, FT_IOC_SET_CONFIG, &config));
	session = new_session("");
	expect_ok(ioctl(session, FT_IOC_GET_CONFIG, &config));
	expect_eq(config.mode, FT_MODE_DISCARD);
	expect_eq(config.headroom, 0);
	expect_eq(config.slots, 256);
	config.mode = FT_MODE_OVERWRITE;
	expect_ok(ioctl(session, FT_IOC_SET_CONFIG, &config));
	expect_eq(config.headroom, 0);
	/* The next program expects it as it was. */
	expect_ok(set_config(control, 256, WAKE_US));
}

static void test_too_many(void)
{
	int session[FT_SESSIONS_MAX], i, control = open_control();

	for (i = 1; i < FT_SESSIONS_MAX; i++)
		session[i] = new_session("");
	expect_error(request_session(control, FT_SESSION_NEW, ""), ENOSPC);
	expect_error(request_session(control, FT_SESSION_NEW, "named"), ENOSPC);
	close(session[3]);
	expect_ok(request_session(control, FT_SESSION_NEW, ""));
	expect_error(request_session(open_control(), FT_SESSION_NEW, ""), ENOSPC);
}

static void test_bad(void)
{
	struct ft_session_info info = { .flags = FT_SESSION_NEW };
	struct ft_open how = { .cpu = 1u << 20 };
	int control = open_control(), session;

	expect_error(request_session(control, 0, ""), EINVAL);
	expect_error(request_session(control, FT_SESSION_NEW | FT_SESSION_JOIN, ""), EINVAL);
	expect_error(request_session(control, FT_SESSION_NEW, "a-b"), EINVAL);
	expect_error(request_session(control, FT_SESSION_JOIN, ""), ENOENT);
	memset(info.name, 'a', sizeof(info.name));
	expect_error(ioctl(control, FT_IOC_SESSION, &info), EINVAL);
	info = (struct ft_session_info){ .flags = FT_SESSION_NEW, .reserved = { 1 } };
	expect_error(ioctl(control, FT_IOC_SESSION, &info), EINVAL);
	expect_error(ioctl(control, FT_IOC_SESSION, nowhere()), EFAULT);
	expect_error(ioctl(control, FT_IOC_SESSION_END), EINVAL);
	enable(control);
	expect_error(request_session(control, FT_SESSION_NEW, ""), EBUSY);
	disable(control);
	expect_ok(request_session(control, FT_SESSION_NEW, ""));
	expect_error(request_session(control, FT_SESSION_NEW, ""), EBUSY);

	session = new_session("");
	expect_error(ioctl(session, FT_IOC_OPEN, &how), ENXIO);
	expect_error(try_open_ring(session, 4), EINVAL);
	expect_ok(try_open_ring(session, 0));
	expect_error(try_open_ring(session, 0), EBUSY);
	expect_error(ioctl(session, FT_IOC_SESSION_END), EINVAL);
	expect_error(try_open_ring(expect_ok(open(CONTROL, O_RDONLY)), 0), EBADF);
	expect_error(try_open_ring(expect_ok(open(CONTROL, O_WRONLY)), 0), EBADF);
}

static int set(int control, unsigned long request, const __u32 *ids, __u32 count,
	       __u32 *failed)
{
	struct ft_set set = { .ids = (uintptr_t)ids, .count = count };
	int ret = ioctl(control, request, &set);

	*failed = set.failed;
	return ret;
}

/* All of a set, or none; and a trace that cannot begin leaves the last one. */
static void test_set(void)
{
	int session, reader;
	__u32 ids[4], failed;

	pin(the_cpu());
	session = new_session("");
	ids[0] = FT_ID_MARK;
	ids[1] = event_id(session, "bench");
	ids[2] = FT_ID_MARK;
	ids[3] = FT_ID_USER_LOCK;
	expect_ok(set(session, FT_IOC_START, ids, 3, &failed));
	expect_eq(get_event(session, FT_ID_MARK).enabled, 2);
	mark(session, 1, 5);
	expect_error(set(session, FT_IOC_STOP, ids, 4, &failed), EINVAL);
	expect_eq(failed, 3);
	expect_eq(get_event(session, FT_ID_MARK).enabled, 2);
	expect_ok(set(session, FT_IOC_STOP, ids, 3, &failed));
	expect_eq(get_info(session).active, 0);
	expect_error(set(session, FT_IOC_STOP, ids, 1, &failed), EINVAL);

	expect_error(set(session, FT_IOC_START, ids, 4, &failed), EINVAL);
	expect_eq(failed, 3);
	expect_eq(get_info(session).trace, 1);
	expect_eq(get_event(session, FT_ID_MARK).enabled, 0);
	reader = open_ring(session);
	expect_records(reader, FT_ID_MARK, 5);
	expect_error(set(session, FT_IOC_START, ids, 0, &failed), EINVAL);
	expect_error(set(session, FT_IOC_START, nowhere(), 1, &failed), EFAULT);
}

static const struct api_test tests[] = {
	{ "a session has its own trace", test_own },
	{ "a mark is the descriptor's own session's", test_marks },
	{ "one event in eight sessions", test_same_event },
	{ "one event in two: equal records", test_equal },
	{ "one event in more: equal records", test_equal_in_many },
	{ "different events", test_different_events },
	{ "a tracepoint in two", test_tracepoint_in_two },
	{ "a full ring of one is not full for another", test_losses },
	{ "a session runs while others pause, resize and end", test_undisturbed },
	{ "the end with the descriptor", test_end },
	{ "a session begins with the defaults", test_defaults },
	{ "one session too many", test_too_many },
	{ "bad requests", test_bad },
	{ "a set of events", test_set },
};

API_MAIN("api_sessions", tests)
