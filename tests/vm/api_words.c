// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Words of a tracepoint that are described: FT_IOC_TRACEPOINT with struct ft_word. */
#include <stddef.h>

#include "../modules/ft_points_node.h"
#include "when.h"

#define WORDS		"/sys/module/ft_points/parameters/words"
#define POINT		"ft_points_words"

#define AT(member)	offsetof(struct ft_points_node, member)

static const struct ft_word none = { .arg = FT_WORD_NONE };

/* The event of these words; the first one's name makes the event's. */
static struct ft_tracepoint describe(const char *event, struct ft_word a, struct ft_word b)
{
	struct ft_tracepoint point = { .name = POINT };

	strcpy(point.event, event);
	point.word[0] = a;
	point.word[1] = b;
	return point;
}

/* Passes the tracepoint; the words of the last record of @point. Return: how many there are. */
static unsigned int words_of(struct ft_tracepoint point, __u64 *a, __u64 *b)
{
	int control = configure(128, WAKE_US), fd;

	if (ioctl(control, FT_IOC_TRACEPOINT, &point)) {
		if (errno == ENOENT)
			skip("this kernel does not show tracepoints of modules");
		fail("%s: %s", point.event, strerror(errno));
	}
	expect_ok(enable_flags(control, FT_IOC_ENABLE, point.id, 0));
	fd = expect_ok(open(WORDS, O_WRONLY));
	expect_eq(write(fd, "1", 1), 1);
	close(fd);
	close(control);
	return records_of(point.id, a, b);
}

static void expect_words(struct ft_tracepoint point, __u64 a, __u64 b)
{
	__u64 is_a = 1, is_b = 1;

	expect(words_of(point, &is_a, &is_b) > 5);
	expect_eq(is_a, a);
	expect_eq(is_b, b);
}

static void test_arguments(void)
{
	expect_words(describe("words_c_d",
			      (struct ft_word){ .arg = 3, .bits = 32, .field = "c",
						.kind = FT_FIELD_UNSIGNED },
			      (struct ft_word){ .arg = 4, .bits = 64, .field = "d",
						.kind = FT_FIELD_SIGNED }),
		     FT_POINTS_C, FT_POINTS_D);
	expect_words(describe("words_e_none",
			      (struct ft_word){ .arg = 5, .bits = 32, .field = "e",
						.kind = FT_FIELD_SIGNED }, none),
		     FT_POINTS_E, 0);
}

static void test_on_stack(void)
{
	expect_words(describe("words_f_g",
			      (struct ft_word){ .arg = 6, .bits = 64, .field = "f" },
			      (struct ft_word){ .arg = 7, .bits = 32, .field = "g",
						.kind = FT_FIELD_SIGNED }),
		     FT_POINTS_F, FT_POINTS_G);
}

/* All sizes, and through pointers. */
static void test_memory(void)
{
	expect_words(describe("words_small_bits",
			      (struct ft_word){ .arg = 1, .bits = 8, .field = "small", .loads = 1,
						.size = 1, .kind = FT_FIELD_SIGNED,
						.offset = { AT(small) } },
			      (struct ft_word){ .arg = 1, .bits = 16, .field = "bits", .loads = 1,
						.size = 2, .offset = { AT(bits) } }),
		     FT_POINTS_SMALL, FT_POINTS_BITS);
	expect_words(describe("words_number_wide",
			      (struct ft_word){ .arg = 1, .bits = 32, .field = "number",
						.loads = 2, .size = 4, .kind = FT_FIELD_SIGNED,
						.offset = { AT(next), AT(number) } },
			      (struct ft_word){ .arg = 1, .bits = 64, .field = "wide", .loads = 3,
						.size = 8,
						.offset = { AT(next), AT(next), AT(wide) } }),
		     FT_POINTS_NUMBER + 1, FT_POINTS_WIDE + 2);
}

static void test_bits(void)
{
	expect_words(describe("words_low_high",
			      (struct ft_word){ .arg = 1, .bits = 5, .shift = 4, .field = "low",
						.loads = 1, .size = 2,
						.offset = { AT(bits) } },
			      (struct ft_word){ .arg = 1, .bits = 3, .shift = 13, .field = "high",
						.loads = 1, .size = 2, .kind = FT_FIELD_SIGNED,
						.offset = { AT(bits) } }),
		     FT_POINTS_BITS >> 4 & 0x1f, (__s64)-8 | FT_POINTS_BITS >> 13);
}

/* The address of the second node is what the first one has. */
static void test_address(void)
{
	__u64 a = 0, b = 0;

	expect(words_of(describe("words_next_address",
				 (struct ft_word){ .arg = 1, .bits = 64, .field = "next",
						   .loads = 1, .size = 8,
						   .offset = { AT(next) } },
				 (struct ft_word){ .arg = 1, .bits = 64, .field = "address",
						   .loads = 1,
						   .offset = { sizeof(struct ft_points_node) } }),
			&a, &b) > 5);
	expect(a >> 63);
	expect_eq(a, b);
}

/* Whatever is there, or not: no fault, and the word is 0. */
static void test_nowhere(void)
{
	static const __u8 sizes[] = { 1, 2, 4, 8 };

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		char event[FT_NAME_LEN];

		snprintf(event, sizeof(event), "words_nowhere%u", i);
		expect_words(describe(event,
				      (struct ft_word){ .arg = 2, .bits = 8, .field = "once",
							.loads = 1, .size = sizes[i] },
				      (struct ft_word){ .arg = 2, .bits = 64, .field = "twice",
							.loads = 2, .size = 8,
							.offset = { 0, 8 } }), 0, 0);
	}
}

/* So many words could not be read, in this trace; a sensor or condition of it counts apart. */
static void test_counted(void)
{
	struct ft_tracepoint bad = describe("words_counted",
		(struct ft_word){ .arg = 2, .bits = 8, .field = "once", .loads = 1, .size = 1 },
		(struct ft_word){ .arg = 2, .bits = 64, .field = "twice", .loads = 2, .size = 8 });
	struct ft_tracepoint good = describe("words_read",
		(struct ft_word){ .arg = 1, .bits = 32, .field = "number", .loads = 1, .size = 4,
				  .offset = { AT(number) } }, none);
	struct ft_when always = { .test = { { .what = FT_TEST_A, .op = FT_TEST_EQUAL,
					      .mask = ~0ull } } };
	unsigned int count, again;
	int control, fd;
	__u64 a, b;

	count = words_of(bad, &a, &b);
	again = words_of(bad, &a, &b);
	expect_eq(again, count);
	control = open_control();
	expect_ok(ioctl(control, FT_IOC_TRACEPOINT, &bad));
	expect_eq(get_event(control, bad.id).unread, 2 * count);
	close(control);

	words_of(good, &a, &b);
	control = open_control();
	expect_ok(ioctl(control, FT_IOC_TRACEPOINT, &good));
	expect_eq(get_event(control, good.id).unread, 0);
	/* That was another trace. */
	expect_eq(get_event(control, bad.id).unread, 0);

	/* Twice in one trace, and with a condition. */
	expect_ok(enable_flags(control, FT_IOC_ENABLE, good.id, 0));
	for (unsigned int i = 0; i < 2; i++) {
		expect_ok(enable_flags(control, FT_IOC_ENABLE, bad.id, 0));
		always.event = bad.id;
		if (i)
			when(control, &always);
		fd = expect_ok(open(WORDS, O_WRONLY));
		expect_eq(write(fd, "1", 1), 1);
		close(fd);
		expect_ok(enable_flags(control, FT_IOC_DISABLE, bad.id, 0));
	}
	expect_eq(get_event(control, bad.id).unread, 4 * count);
	close(control);

	/* The first traces of two sessions, one after the other in the same place. */
	for (unsigned int i = 0; i < 2; i++) {
		control = new_session("api_words");
		expect_ok(enable_flags(control, FT_IOC_ENABLE, bad.id, 0));
		if (!i) {
			fd = expect_ok(open(WORDS, O_WRONLY));
			expect_eq(write(fd, "1", 1), 1);
			close(fd);
		}
		expect_eq(get_event(control, bad.id).unread, i ? 0 : 2 * count);
		expect_ok(ioctl(control, FT_IOC_SESSION_END));
		close(control);
	}
}

/*
 * Reading at a bad address is a fault, and a fault passes a tracepoint: the probe there does
 * not read at that address for ever.
 */
static void test_fault_in_a_fault(void)
{
	struct ft_tracepoint fault = {
		.name = "page_fault_kernel", .event = "fault_again", .word = {
			{ .arg = 1, .bits = 64, .field = "there", .loads = 1, .size = 8 },
			{ .arg = 1, .bits = 64, .field = "address" },
		},
	};
	struct ft_tracepoint bad = describe("words_fault",
		(struct ft_word){ .arg = 2, .bits = 64, .field = "once", .loads = 1, .size = 8 }, none);
	int control = configure(128, WAKE_US), fd;
	unsigned int found;
	__u64 a, b;

	if (ioctl(control, FT_IOC_TRACEPOINT, &bad) || ioctl(control, FT_IOC_TRACEPOINT, &fault))
		skip("this kernel does not show these tracepoints");
	expect_ok(enable_flags(control, FT_IOC_ENABLE, fault.id, 0));
	expect_ok(enable_flags(control, FT_IOC_ENABLE, bad.id, 0));
	fd = expect_ok(open(WORDS, O_WRONLY));
	expect_eq(write(fd, "1", 1), 1);
	close(fd);
	close(control);
	found = records_of(fault.id, &a, &b);
	expect(found >= 4);
	expect_eq(a, 0);
}

/* Events of one tracepoint beside each other, with a condition that compares what is read. */
static void test_beside(void)
{
	struct ft_tracepoint one = describe("words_beside_c",
		(struct ft_word){ .arg = 3, .bits = 32, .field = "c" }, none);
	struct ft_tracepoint two = describe("words_beside_number",
		(struct ft_word){ .arg = 1, .bits = 32, .field = "number", .loads = 1, .size = 4,
				  .kind = FT_FIELD_SIGNED, .offset = { AT(number) } }, none);
	struct ft_when below = {
		.test = { { .what = FT_TEST_A, .op = FT_TEST_LESS, .flags = FT_TEST_SIGNED,
			    .mask = ~0ull, .value = 0 } },
	};
	int control = configure(128, WAKE_US), fd;
	__u64 a = 0, b = 0, fulfilled;

	if (ioctl(control, FT_IOC_TRACEPOINT, &one))
		skip("this kernel does not show tracepoints of modules");
	expect_ok(ioctl(control, FT_IOC_TRACEPOINT, &two));
	expect(one.id != two.id);
	expect_ok(enable_flags(control, FT_IOC_ENABLE, one.id, 0));
	expect_ok(enable_flags(control, FT_IOC_ENABLE, two.id, 0));
	below.event = two.id;
	when(control, &below);
	fd = expect_ok(open(WORDS, O_WRONLY));
	expect_eq(write(fd, "1", 1), 1);
	close(fd);
	fulfilled = state(control, below.number).fulfilled;
	expect(fulfilled > 5);
	close(control);
	expect_eq(records_of(one.id, &a, &b), fulfilled);
	expect_eq(a, FT_POINTS_C);
}

/* An event keeps its words; who asks for others by its name is told so. */
static void test_again(void)
{
	struct ft_word c = { .arg = 3, .bits = 32, .field = "c" };
	struct ft_tracepoint point = describe("words_again", c, none), again = point;
	int control = open_control();

	if (ioctl(control, FT_IOC_TRACEPOINT, &point))
		skip("this kernel does not show tracepoints of modules");
	expect_ok(ioctl(control, FT_IOC_TRACEPOINT, &again));
	expect_eq(again.id, point.id);
	again.word[0].bits = 16;
	expect_error(ioctl(control, FT_IOC_TRACEPOINT, &again), EEXIST);
	again = point;
	strcpy(again.name, "ft_points_narrow");
	expect_error(ioctl(control, FT_IOC_TRACEPOINT, &again), EEXIST);
	again = point;
	strcpy(again.event, "mark");
	expect_error(ioctl(control, FT_IOC_TRACEPOINT, &again), EEXIST);
	strcpy(again.event, "sched_switch");
	expect_error(ioctl(control, FT_IOC_TRACEPOINT, &again), EEXIST);

	/* Nor does another tracepoint get it that is called so. */
	again = describe("sched_process_hang", c, none);
	expect_ok(ioctl(control, FT_IOC_TRACEPOINT, &again));
	memset(&again, 0, sizeof(again));
	strcpy(again.name, "sched_process_hang");
	expect_error(ioctl(control, FT_IOC_TRACEPOINT, &again), EEXIST);

	/* What is behind the end of a name means nothing. */
	again = point;
	strcpy(again.word[0].field + 4, "behind");
	expect_ok(ioctl(control, FT_IOC_TRACEPOINT, &again));
	expect_eq(again.id, point.id);

	/* Without a name of its own: what is there is found, with its words. */
	again.event[0] = '\0';
	expect_ok(ioctl(control, FT_IOC_TRACEPOINT, &again));
	expect(again.id != point.id);
	again.word[0].bits = 8;
	expect_ok(ioctl(control, FT_IOC_TRACEPOINT, &again));
	expect_eq(again.word[0].bits, 32);
}

static void test_refused(void)
{
	const struct ft_tracepoint good = describe("words_refused",
		(struct ft_word){ .arg = 1, .bits = 8, .field = "a", .loads = 2, .size = 4,
				  .offset = { 8, 16 } },
		(struct ft_word){ .arg = 2, .bits = 64, .field = "b" });
	int control = open_control();

#define REFUSED(member, value)								\
	do {										\
		struct ft_tracepoint bad = good;					\
		bad.member = value;							\
		expect_error(ioctl(control, FT_IOC_TRACEPOINT, &bad), EINVAL);		\
	} while (0)
	REFUSED(word[0].arg, 0);
	REFUSED(word[0].arg, FT_WORD_ARGS + 1);
	REFUSED(word[0].arg, FT_WORD_NONE);
	REFUSED(word[0].bits, 0);
	REFUSED(word[0].bits, 33);
	REFUSED(word[1].bits, 65);
	REFUSED(word[0].shift, 25);
	REFUSED(word[1].shift, 1);
	REFUSED(word[0].size, 3);
	REFUSED(word[0].size, 16);
	REFUSED(word[1].size, 8);
	REFUSED(word[0].loads, FT_WORD_LOADS + 1);
	REFUSED(word[0].loads, 1);
	REFUSED(word[1].offset[0], 8);
	REFUSED(word[0].offset[2], 8);
	REFUSED(word[0].kind, FT_FIELD_TID);
	REFUSED(word[0].reserved[1], 1);
	REFUSED(word[0].field[0], '\0');
	REFUSED(word[0].field[0], '1');
	REFUSED(word[0].field[0], 'b');
	REFUSED(reserved, 1);
	REFUSED(word[0], (struct ft_word){ 0 });
	REFUSED(word[1], (struct ft_word){ 0 });
#undef REFUSED
	{
		struct ft_tracepoint bad = good;

		memset(bad.word[0].field, 'x', sizeof(bad.word[0].field));
		expect_error(ioctl(control, FT_IOC_TRACEPOINT, &bad), EINVAL);
		bad = good;
		memset(bad.event, 'x', sizeof(bad.event));
		expect_error(ioctl(control, FT_IOC_TRACEPOINT, &bad), EINVAL);
		bad = good;
		memset(bad.word, 0, sizeof(bad.word));
		expect_error(ioctl(control, FT_IOC_TRACEPOINT, &bad), EINVAL);
	}
}

static const struct api_test tests[] = {
	{ "arguments in registers", test_arguments },
	{ "arguments on the stack", test_on_stack },
	{ "memory", test_memory },
	{ "bits", test_bits },
	{ "an address", test_address },
	{ "memory that is not there", test_nowhere },
	{ "what could not be read is counted", test_counted },
	{ "a fault in a fault", test_fault_in_a_fault },
	{ "events beside each other", test_beside },
	{ "the same again", test_again },
	{ "what cannot be", test_refused },
};

API_MAIN("api_words", tests)
