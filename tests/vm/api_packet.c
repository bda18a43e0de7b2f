// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What read() returns: packets, their records and their losses. */
#include <pthread.h>
#include <sys/mman.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

#include "api.h"

#define ROOM		(FT_SLOTS_MIN - 8)	/* records the smallest ring holds */

/* --- form ----------------------------------------------------------------- */

static void expect_header(const struct packet *packet, const struct ft_info *info,
			  unsigned int count)
{
	const struct ft_packet_header *header = &packet->header;

	expect_eq(header->magic, 0xc1fc1fc1);
	expect(!memcmp(header->uuid, info->uuid, 16));
	expect_eq(header->stream_id, 0);
	expect_eq(header->stream_instance, the_cpu());
	expect_eq(header->cpu, the_cpu());
	expect_eq(header->clock_hz, info->clock_hz);
	expect_eq(header->content_bits, (96 + 32 * count) * 8);
	expect_eq(header->packet_bits, header->content_bits);
	if (count) {
		expect_eq(header->ts_begin, packet->records[0].ts);
		expect_eq(header->ts_end, packet->records[count - 1].ts);
	}
}

static void test_form(void)
{
	int control = start(512), reader = open_cpu(O_RDONLY);
	struct ft_info info = get_info(control);
	static struct packet packets[4];
	long bytes;

	mark(control, 1, 2 * FT_PACKET_RECORDS + 7);
	disable(control);
	bytes = expect_ok(read(reader, packets, sizeof(packets)));
	expect_eq(bytes, 2 * 4096 + 96 + 7 * 32);
	expect_header(&packets[0], &info, FT_PACKET_RECORDS);
	expect_header(&packets[1], &info, FT_PACKET_RECORDS);
	expect_header(&packets[2], &info, 7);
	expect_marks(packets[0].records, 1, FT_PACKET_RECORDS);
	expect_marks(packets[1].records, 1 + FT_PACKET_RECORDS, FT_PACKET_RECORDS);
	expect_marks(packets[2].records, 1 + 2 * FT_PACKET_RECORDS, 7);
	expect_eq(packets[0].header.seq, 0);
	expect_eq(packets[1].header.seq, 1);
	expect_eq(packets[2].header.seq, 2);
	expect(packets[0].header.ts_end <= packets[1].header.ts_begin);
	expect(packets[1].header.ts_end <= packets[2].header.ts_begin);
	expect_eq(packets[2].header.discarded, 0);
	expect_end(reader);
}

static unsigned long long ticks(const struct ft_info *info)
{
	struct timespec ts;

#ifdef __x86_64__
	if (info->clock == FT_CLOCK_TSC) {
		unsigned long long tsc;

		_mm_lfence();
		tsc = __rdtsc();
		_mm_lfence();
		return tsc;
	}
#endif
	expect_eq(info->clock, FT_CLOCK_MONO);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static void test_record(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	const struct ft_mark words = { 0xfedcba9876543210, 0x0123456789abcdef };
	struct ft_info info = get_info(control);
	unsigned long long before, after;
	struct ft_record *record;
	struct packet packet;

	before = ticks(&info);
	expect_ok(ioctl(control, FT_IOC_MARK, &words));
	after = ticks(&info);
	expect_eq(read_packet(reader, &packet), 1);
	record = &packet.records[0];
	expect_eq(record->id, FT_ID_MARK);
	expect_eq(record->ctx, 0);
	expect_eq(record->tid, gettid());
	expect_eq(record->a, words.a);
	expect_eq(record->b, words.b);
	if (record->ts < before || record->ts > after)
		fail("the time %llu is not between %llu and %llu",
		     (unsigned long long)record->ts, before, after);
}

static void *mark_of_a_thread(void *control)
{
	mark(*(int *)control, 1, 1);
	return (void *)(long)gettid();
}

/* And which thread, where a process has several. */
static void test_thread(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	struct packet packet;
	pthread_t thread;
	void *tid;

	expect_eq(pthread_create(&thread, NULL, mark_of_a_thread, &control), 0);
	expect_eq(pthread_join(thread, &tid), 0);
	expect_eq(read_packet(reader, &packet), 1);
	expect((long)tid != getpid());
	expect_eq(packet.records[0].tid, (long)tid);
}

/* While the event is off, a mark is no error and leaves nothing. */
static void test_mark_off(void)
{
	int control = configure(FT_SLOTS_MIN, WAKE_US), reader;
	struct packet packet;

	mark(control, 1, 5);
	enable(control);
	mark(control, 6, 1);
	disable(control);
	mark(control, 7, 5);
	expect_eq(cpu_stats().written, 1);
	expect_eq(cpu_stats().lost, 0);
	reader = open_cpu(O_RDONLY);
	expect_eq(read_packet(reader, &packet), 1);
	expect_marks(packet.records, 6, 1);
	expect_end(reader);
}

/* A record is in the ring of the CPU that made it, and nowhere else. */
static void test_cpus(void)
{
	unsigned int cpu, cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int control, reader;
	struct packet packet;

	control = start(FT_SLOTS_MIN);
	for (cpu = 0; cpu < cpus; cpu++) {
		pin(cpu);
		mark(control, 100 * cpu, 1 + cpu);
	}
	disable(control);
	for (cpu = 0; cpu < cpus; cpu++) {
		reader = expect_ok(try_open_cpu(cpu, O_RDONLY));
		expect_eq(read_packet(reader, &packet), 1 + cpu);
		expect_eq(packet.header.cpu, cpu);
		expect_eq(packet.header.stream_instance, cpu);
		expect_marks(packet.records, 100 * cpu, 1 + cpu);
		expect_end(reader);
	}
}

/* --- buffers -------------------------------------------------------------- */

static void test_sizes(void)
{
	/* size of the buffer, and what comes */
	static const unsigned int sizes[][2] = {
		{ 128, 128 }, { 159, 128 }, { 160, 160 }, { 4095, 4064 },
		{ 4096, 4096 }, { 4096 + 127, 4096 }, { 4096 + 128, 4096 + 128 },
		{ 8192 + 200, 8192 + 192 }, { 191, 160 }, { 128, 128 },
	};
	int control = start(1024), reader = open_cpu(O_RDONLY);
	static char buf[8192 + 200 + 1];
	const struct packet *packet = (const struct packet *)buf;
	unsigned int i;
	__u64 seq = 0;

	mark(control, 1, 1000);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		memset(buf, 0x55, sizeof(buf));
		expect_eq(read(reader, buf, sizes[i][0]), sizes[i][1]);
		expect_eq(buf[sizes[i][1]], 0x55);
		expect_eq(packet->header.seq, seq);
		expect_eq(packet->header.packet_bits / 8,
			  sizes[i][1] < 4096 ? sizes[i][1] : 4096);
		seq += 1 + (sizes[i][1] - 1) / 4096;
	}
}

static void test_one_by_one(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	struct ft_info info = get_info(control);
	struct packet packet;
	unsigned int i;

	mark(control, 1, 50);
	for (i = 0; i < 50; i++) {
		expect_eq(read(reader, &packet, 128), 128);
		expect_header(&packet, &info, 1);
		expect_eq(packet.header.seq, i);
		expect_marks(packet.records, 1 + i, 1);
	}
	disable(control);
	expect_eq(read(reader, &packet, 128), 0);
}

static void test_bad_buffer(void)
{
	int control = start(512), reader = open_cpu(O_RDONLY);
	struct packet packet;
	char *pages;

	pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	expect(pages != MAP_FAILED);
	expect_ok(mprotect(pages + 2 * 4096, 4096, PROT_NONE));

	mark(control, 1, 2 * FT_PACKET_RECORDS);
	disable(control);
	expect_error(read(reader, nowhere(), 4096), EFAULT);
	/* The header fits, the records do not; not even the header fits. */
	expect_error(read(reader, pages + 2 * 4096 - 2000, 4096), EFAULT);
	expect_error(read(reader, pages + 2 * 4096 - 50, 4096), EFAULT);
	expect_eq(cpu_stats().read, 0);

	/* The first packet fits, the second does not: then the first it is. */
	expect_eq(read(reader, pages + 4096, 2 * 4096), 4096);
	expect_marks(((struct packet *)(pages + 4096))->records, 1,
		     FT_PACKET_RECORDS);
	expect_eq(cpu_stats().read, FT_PACKET_RECORDS);
	expect_eq(read_packet(reader, &packet), FT_PACKET_RECORDS);
	expect_eq(packet.header.seq, 1);
	expect_marks(packet.records, 1 + FT_PACKET_RECORDS, FT_PACKET_RECORDS);
	expect_end(reader);
}

/* Many times round a small ring, with reads of many sizes. */
static void test_wrap(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY | O_NONBLOCK);
	unsigned int i, left, count, want;
	struct packet packet;
	__u64 next = 1, seq = 0, last_ts = 0;

	for (i = 0; i < 60; i++) {
		mark(control, next, ROOM - i);
		for (left = ROOM - i; left; left -= count) {
			want = left < 1 + i % 37 ? left : 1 + i % 37;
			expect_eq(read(reader, &packet, 96 + 32 * want),
				  96 + 32 * want);
			count = want;
			expect_eq(packet.header.seq, seq++);
			expect(packet.header.ts_begin >= last_ts);
			last_ts = packet.header.ts_end;
			expect_marks(packet.records, next, count);
			next += count;
		}
	}
	expect_eq(cpu_stats().read, next - 1);
	expect_eq(cpu_stats().lost, 0);
}

/* --- losses --------------------------------------------------------------- */

static void test_losses(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	struct packet packet;
	unsigned int i;
	__u8 gap;

	mark(control, 1, ROOM);
	expect_eq(cpu_stats().lost, 0);
	mark(control, 1000, 17);
	expect_eq(cpu_stats().lost, 17);
	expect_eq(cpu_stats().written, ROOM);

	/* What was lost after these records is known, and told. */
	expect_eq(read_packet(reader, &packet), ROOM);
	expect_marks(packet.records, 1, ROOM);
	expect_eq(packet.header.discarded, 17);
	gap = packet.records[0].gap;
	for (i = 1; i < ROOM; i++)
		expect_eq(packet.records[i].gap, gap);

	/* The gap is where they were lost, and nowhere else. */
	mark(control, 2000, 3);
	expect_eq(read_packet(reader, &packet), 3);
	expect(packet.records[0].gap != gap);
	expect_eq(packet.records[1].gap, packet.records[0].gap);
	expect_eq(packet.records[2].gap, packet.records[0].gap);
	expect_eq(packet.header.discarded, 17);
}

/* One slot at a time: a gap before each record. */
static void test_gaps(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	struct packet packet;
	unsigned int i;
	__u8 gap;

	mark(control, 1, ROOM);
	for (i = 0; i < 20; i++) {
		mark(control, 1000, 1 + i);
		expect_eq(read(reader, &packet, 128), 128);
		mark(control, 1 + ROOM + i, 1);
	}
	disable(control);
	expect_eq(read_packet(reader, &packet), ROOM);
	expect_marks(packet.records, 21, ROOM);
	expect_eq(packet.header.discarded, 20 * 21 / 2);
	gap = packet.records[0].gap;
	for (i = 1; i < ROOM; i++) {
		if (i < ROOM - 20)
			expect_eq(packet.records[i].gap, gap);
		else
			expect_eq((__u8)(packet.records[i].gap -
					 packet.records[i - 1].gap), 1);
	}
	expect_end(reader);
}

/* Losses after the last record: a packet without records reports them. */
static void test_last_packet(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	struct ft_info info = get_info(control);
	struct packet packet;
	__u64 end;

	mark(control, 1, ROOM + 5);
	expect_eq(read_packet(reader, &packet), ROOM);
	expect_eq(packet.header.discarded, 5);
	end = packet.header.ts_end;
	disable(control);
	expect_end(reader);
	close(reader);

	/* Now there are losses only, and a reader that has not heard of them. */
	reader = open_cpu(O_RDONLY);
	expect_error(read(reader, nowhere(), 4096), EFAULT);
	expect_eq(read(reader, &packet, 128), 96);
	expect_header(&packet, &info, 0);
	expect_eq(packet.header.seq, 0);
	expect_eq(packet.header.discarded, 5);
	expect_eq(packet.header.ts_begin, end);
	expect_eq(packet.header.ts_end, end);
	expect_end(reader);
	expect_end(reader);
}

/* Give back all records, so that no packet reports losses. Return: how many. */
static unsigned int drop_records(int reader)
{
	struct ft_range range;
	unsigned int count = 0;

	for (;;) {
		memset(&range, 0, sizeof(range));
		range.count = FT_SLOTS_MIN;
		expect_ok(ioctl(reader, FT_IOC_TAKE, &range));
		if (!range.count)
			return count;
		expect_ok(ioctl(reader, FT_IOC_GIVE_BACK, &range));
		count += range.count;
	}
}

/* The same at the end of a stream with other packets. */
static void test_last_loss(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	struct packet packet;
	__u64 end;

	mark(control, 1, 1);
	expect_eq(read_packet(reader, &packet), 1);
	end = packet.header.ts_end;
	mark(control, 2, ROOM + 9);
	expect_eq(drop_records(reader), ROOM);
	disable(control);
	expect_eq(read_packet(reader, &packet), 0);
	expect_eq(packet.header.seq, 1);
	expect_eq(packet.header.discarded, 9);
	expect(packet.header.ts_begin >= end);
	expect_end(reader);
}

static void test_books(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	struct ft_stats stats;
	struct packet packet;
	unsigned int i;

	for (i = 0; i < 10; i++) {
		mark(control, 1, 50);
		expect_eq(read(reader, &packet, 96 + 32 * 40), 96 + 32 * 40);
		stats = get_stats(reader);
		expect_eq(stats.read, 40 * (i + 1));
		expect_eq(stats.written + stats.lost, 50 * (i + 1));
		expect(stats.written - stats.read <= ROOM);
	}
	disable(control);
	while (read(reader, &packet, sizeof(packet)) > 0)
		;
	stats = get_stats(reader);
	expect_eq(stats.written, stats.read);
	expect_eq(stats.written + stats.lost, 500);
	expect_eq(stats.backsteps, 0);
	expect_eq(stats.online, 1);
}

static const struct api_test tests[] = {
	{ "packets are well formed", test_form },
	{ "a record says when, who and what", test_record },
	{ "a record of a thread", test_thread },
	{ "FT_IOC_MARK while the event is off", test_mark_off },
	{ "each CPU has its own records", test_cpus },
	{ "buffers of many sizes", test_sizes },
	{ "the smallest buffer: one record a packet", test_one_by_one },
	{ "bad buffers: EFAULT, and nothing is consumed", test_bad_buffer },
	{ "round and round", test_wrap },
	{ "a full ring: losses are counted and told", test_losses },
	{ "gaps are where records were lost", test_gaps },
	{ "losses that a new reader learns of", test_last_packet },
	{ "losses after the last record: an empty packet", test_last_loss },
	{ "written, read and lost add up", test_books },
};

API_MAIN("api_packet", tests)
