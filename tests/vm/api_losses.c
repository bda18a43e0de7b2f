// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Which losses a packet tells of, while somebody writes into a full ring without end.
 * Marks are numbered, so each record says how many were lost before it. api.sh runs
 * this with each look at the count of losses slowed down (ft_delay).
 */
#include "api.h"

#define READS	40

static void write_marks(int control)
{
	__u64 number = 1;

	pin(1);
	for (;;)
		mark(control, number++, 1);
}

/* What is known after a packet. */
static unsigned long long records, told;
static bool was_all;

static void look_at(const struct packet *packet, unsigned int count, size_t room)
{
	unsigned long long before;

	expect(count > 0);
	before = packet->records[0].a - 1 - records;
	/* If it was all that the ring had, what came later was not lost before it. */
	if (was_all && told > before)
		fail("%llu losses were told before a packet, %llu of them came later",
		     told, told - before);
	records += count;
	told = packet->header.discarded;
	before = packet->records[count - 1].a - records;
	if (told < before)
		fail("a packet tells of %llu losses, %llu came before its end", told,
		     before);
	was_all = count < room;
}

static void test_order(void)
{
	static char buf[FT_PACKET_MAX] __attribute__((aligned(8)));
	const size_t header = sizeof(struct ft_packet_header);
	const struct packet *packet;
	int control = open_control(), reader, i;
	size_t at, bytes, size;
	pid_t writer;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip("it needs two CPUs");
	pin(0);
	expect_ok(set_config(control, FT_SLOTS_MIN, WAKE_US));
	enable(control);
	reader = expect_ok(try_open_cpu(1, O_RDONLY));
	writer = fork();
	if (!writer)
		write_marks(control);

	for (i = 0; i < READS; i++) {
		bytes = expect_ok(read(reader, buf, sizeof(buf)));
		expect(bytes > 0);
		for (at = 0; at < bytes; at += size) {
			packet = (const void *)(buf + at);
			size = packet->header.packet_bits / 8;
			look_at(packet, (size - header) / sizeof(struct ft_record),
				(sizeof(buf) - at - header) / sizeof(struct ft_record));
		}
	}
	expect(told > 0);
	kill(writer, SIGKILL);
}

static const struct api_test tests[] = {
	{ "a loss is told between the records it was between", test_order },
};

API_MAIN("api_losses", tests)
