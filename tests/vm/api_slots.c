// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* FT_IOC_READ_SLOTS: records without packets. */
#include <sys/mman.h>

#include "api.h"

#define ROOM		(FT_SLOTS_MIN - 8)

static struct ft_record records[1024];

static int read_slots(int reader, struct ft_slots *slots, __u32 max)
{
	memset(slots, 0, sizeof(*slots));
	slots->buf = (uintptr_t)records;
	slots->max = max;
	slots->count = 0xdeadbeef;	/* an output; its value says nothing */
	slots->lost = 0xdeadbeef;
	return ioctl(reader, FT_IOC_READ_SLOTS, slots);
}

static void test_errors(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	struct ft_slots slots = { .buf = (uintptr_t)records };
	char *pages;

	mark(control, 1, 10);
	disable(control);
	expect_error(ioctl(reader, FT_IOC_READ_SLOTS, &slots), EINVAL);
	slots.max = 10;
	slots.reserved = 1ull << 63;
	expect_error(ioctl(reader, FT_IOC_READ_SLOTS, &slots), EINVAL);
	slots.reserved = 0;

	slots.buf = 8;
	expect_error(ioctl(reader, FT_IOC_READ_SLOTS, &slots), EFAULT);
	slots.buf = ~0ull;
	expect_error(ioctl(reader, FT_IOC_READ_SLOTS, &slots), EFAULT);
	pages = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	expect(pages != MAP_FAILED);
	expect_ok(mprotect(pages + 4096, 4096, PROT_NONE));
	slots.buf = (uintptr_t)pages + 4096 - 9 * 32;
	expect_error(ioctl(reader, FT_IOC_READ_SLOTS, &slots), EFAULT);
	expect_eq(cpu_stats().read, 0);

	slots.buf = (uintptr_t)pages + 4096 - 10 * 32;
	expect_ok(ioctl(reader, FT_IOC_READ_SLOTS, &slots));
	expect_eq(slots.count, 10);
	expect_marks((struct ft_record *)(pages + 4096) - 10, 1, 10);
}

static void test_counts(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	struct ft_slots slots;

	mark(control, 1, ROOM + 4);
	expect_ok(read_slots(reader, &slots, 1));
	expect_eq(slots.count, 1);
	expect_eq(slots.lost, 4);
	expect_marks(records, 1, 1);
	expect_ok(read_slots(reader, &slots, 99));
	expect_eq(slots.count, 99);
	expect_marks(records, 2, 99);
	memset(records, 0x55, sizeof(records));
	expect_ok(read_slots(reader, &slots, ARRAY_SIZE(records)));
	expect_eq(slots.count, ROOM - 100);
	expect_marks(records, 101, ROOM - 100);
	expect_eq(records[ROOM - 100].id, 0x5555);
	expect_eq(get_stats(reader).read, ROOM);

	disable(control);
	expect_ok(read_slots(reader, &slots, 1));
	expect_eq(slots.count, 0);
	expect_eq(slots.lost, 4);
	expect_ok(read_slots(reader, &slots, 1));
	expect_eq(slots.count, 0);
}

static void test_nonblock(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY | O_NONBLOCK);
	struct ft_slots slots;

	expect_error(read_slots(reader, &slots, 10), EAGAIN);
	mark(control, 1, 2);
	sleep_ms(50);
	expect_ok(read_slots(reader, &slots, 10));
	expect_eq(slots.count, 2);
	expect_error(read_slots(reader, &slots, 10), EAGAIN);
}

static void test_blocking(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	struct ft_slots slots;
	pid_t pid = fork();

	if (!pid) {
		sleep_ms(100);
		mark(control, 1, 1);
		sleep_ms(100);
		disable(control);
		_exit(EXIT_SUCCESS);
	}
	expect_ok(read_slots(reader, &slots, 10));
	expect_eq(slots.count, 1);
	expect_marks(records, 1, 1);
	expect_ok(read_slots(reader, &slots, 10));
	expect_eq(slots.count, 0);
	join(pid);
}

/* More than a full packet is there at once, though more was asked for. */
static void test_at_once(void)
{
	int control = start_waking(1024, FT_WAKE_MAX_US);
	int reader = open_cpu(O_RDONLY);
	struct ft_slots slots;

	mark(control, 1, FT_PACKET_RECORDS + 75);
	alarm(8);	/* less than the interval */
	expect_ok(read_slots(reader, &slots, ARRAY_SIZE(records)));
	expect_eq(slots.count, FT_PACKET_RECORDS + 75);
	expect_marks(records, 1, FT_PACKET_RECORDS + 75);
}

/* Records of one stream, taken in both ways. */
static void test_mixed(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	struct ft_slots slots;
	struct packet packet;
	unsigned int i;

	for (i = 0; i < 10; i++) {
		mark(control, 1, ROOM);
		expect_eq(read(reader, &packet, 96 + 5 * 32), 96 + 5 * 32);
		expect_eq(packet.header.seq, i);
		expect_marks(packet.records, 1, 5);
		expect_ok(read_slots(reader, &slots, ROOM));
		expect_eq(slots.count, ROOM - 5);
		expect_marks(records, 6, ROOM - 5);
	}
}

static const struct api_test tests[] = {
	{ "bad input", test_errors },
	{ "counts, losses and the end", test_counts },
	{ "O_NONBLOCK", test_nonblock },
	{ "blocks until there are records, or the end", test_blocking },
	{ "many records do not wait for the interval", test_at_once },
	{ "mixed with read()", test_mixed },
};

API_MAIN("api_slots", tests)
