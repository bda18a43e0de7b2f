// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Which losses come with records, in packets and without. Marks are numbered, so each
 * record says how many were lost before it. api.sh runs this with each look at the count
 * of losses slowed down (ft_delay).
 */
#include <sys/mman.h>

#include "api.h"

#define READS	40

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

/* Return: a descriptor of the CPU that marks come from. */
static int open_other(int control, __u32 slots)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip("it needs two CPUs");
	pin(0);
	expect_ok(set_config(control, slots, WAKE_US));
	enable(control);
	return expect_ok(try_open_cpu(1, O_RDONLY));
}

/* Somebody writes into a full ring without end. */
static void test_packets(void)
{
	static char buf[FT_PACKET_MAX] __attribute__((aligned(8)));
	const size_t header = sizeof(struct ft_packet_header);
	const struct packet *packet;
	size_t at, bytes, size;
	int control = open_control(), i;
	int reader = open_other(control, FT_SLOTS_MIN);
	pid_t writer = fork();

	if (!writer)
		write_marks(control);
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

/*
 * While the reader has been told what there is, or looks at the losses, the ring becomes
 * full and more are lost: these are not before the records that come next.
 */
#define SLOTS	256
#define FIRST	200	/* more than a packet has: nobody waits for the interval */
#define REST	156
#define ROUNDS	5

/* Steps of a round: the first are written, it is read, it was read. */
static void reach(unsigned int *step, unsigned int n)
{
	__atomic_store_n(step, n, __ATOMIC_RELEASE);
}

static void await(const unsigned int *step, unsigned int n)
{
	while (__atomic_load_n(step, __ATOMIC_ACQUIRE) < n)
		sleep_ms(1);
}

static void write_in_rounds(int control, unsigned int *step)
{
	__u64 number = 1;
	unsigned int round, i;

	pin(1);
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < FIRST; i++)
			mark(control, number++, 1);
		reach(step, 3 * round + 1);
		await(step, 3 * round + 2);
		sleep_ms(50);
		for (i = 0; i < REST; i++)
			mark(control, number++, 1);
		await(step, 3 * round + 3);
	}
	_exit(EXIT_SUCCESS);
}

static void test_slots(void)
{
	static struct ft_record buf[2 * SLOTS];
	struct ft_slots slots;
	unsigned int *step = mmap(NULL, sizeof(*step), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int control = open_control(), i;
	int reader = open_other(control, SLOTS);
	pid_t writer;

	expect(step != MAP_FAILED);
	writer = fork();
	if (!writer)
		write_in_rounds(control, step);
	for (i = 0; i < ROUNDS; i++) {
		await(step, 3 * i + 1);
		reach(step, 3 * i + 2);
		slots = (struct ft_slots){ .buf = (uintptr_t)buf, .max = 2 * SLOTS };
		expect_ok(ioctl(reader, FT_IOC_READ_SLOTS, &slots));
		look_at(buf, slots.count, 2 * SLOTS, slots.lost);
		sleep_ms(100);
		reach(step, 3 * i + 3);
	}
	expect(told > 0);
	join(writer);
}

static const struct api_test tests[] = {
	{ "a loss is told between the records it was between", test_packets },
	{ "so it is without packets", test_slots },
};

API_MAIN("api_losses", tests)
