// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Which losses come with records, in packets and without, while somebody writes into a full ring without end.
 * Marks are numbered, so each record says how many were lost before it. api.sh runs
 * this with each look at the count of losses slowed down (ft_delay).
 */
#include "api.h"

#define READS	40
#define SLOTS	256	/* more than a packet has: nobody waits for the interval */

static void write_marks(int control)
{
	__u64 number = 1;

	pin(1);
	for (;;)
		mark(control, number++, 1);
}

/* What is known after some records. */
static unsigned long long records, told;
static bool was_all;

static void look_at(const struct ft_record *record, unsigned int count, size_t room,
		    unsigned long long lost)
{
	unsigned long long before;

	expect(count > 0);
	before = record[0].a - 1 - records;
	/* If it was all that the ring had, what came later was not lost before it. */
	if (was_all && told > before)
		fail("%llu losses were told before a record, %llu of them came later",
		     told, told - before);
	records += count;
	told = lost;
	before = record[count - 1].a - records;
	if (told < before)
		fail("%llu losses are told with a record, %llu came before it", told,
		     before);
	was_all = count < room;
}

/* Return: a descriptor of the CPU that *writer marks on. */
static int start_losing(__u32 slots, pid_t *writer)
{
	int control = open_control(), reader;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip("it needs two CPUs");
	pin(0);
	expect_ok(set_config(control, slots, WAKE_US));
	enable(control);
	reader = expect_ok(try_open_cpu(1, O_RDONLY));
	*writer = fork();
	if (!*writer)
		write_marks(control);
	return reader;
}

static void test_packets(void)
{
	static char buf[FT_PACKET_MAX] __attribute__((aligned(8)));
	const size_t header = sizeof(struct ft_packet_header);
	const struct packet *packet;
	size_t at, bytes, size;
	pid_t writer;
	int reader = start_losing(FT_SLOTS_MIN, &writer), i;

	for (i = 0; i < READS; i++) {
		bytes = expect_ok(read(reader, buf, sizeof(buf)));
		expect(bytes > 0);
		for (at = 0; at < bytes; at += size) {
			packet = (const void *)(buf + at);
			size = packet->header.packet_bits / 8;
			look_at(packet->records,
				(size - header) / sizeof(struct ft_record),
				(sizeof(buf) - at - header) / sizeof(struct ft_record),
				packet->header.discarded);
		}
	}
	expect(told > 0);
	kill(writer, SIGKILL);
}

static void test_slots(void)
{
	static struct ft_record buf[SLOTS];
	struct ft_slots slots;
	pid_t writer;
	int reader = start_losing(SLOTS, &writer), i;

	for (i = 0; i < READS; i++) {
		slots = (struct ft_slots){ .buf = (uintptr_t)buf, .max = SLOTS };
		expect_ok(ioctl(reader, FT_IOC_READ_SLOTS, &slots));
		look_at(buf, slots.count, SLOTS, slots.lost);
	}
	expect(told > 0);
	kill(writer, SIGKILL);
}

static const struct api_test tests[] = {
	{ "a loss is told between the records it was between", test_packets },
	{ "so it is without packets", test_slots },
};

API_MAIN("api_losses", tests)
