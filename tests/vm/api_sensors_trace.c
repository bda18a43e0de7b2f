// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What sensors of locks say of a program is what a trace of the same events says, bin by bin. */
#include "sensors.h"

/* What a program does that takes all kinds of locks. */
static void work(void)
{
	char path[64], buffer[4096] = "x";
	unsigned int i;
	void *map;
	pid_t pid;
	int fd;

	for (i = 0; i < 60; i++) {
		snprintf(path, sizeof(path), "/tmp/sensors-%u", i);
		fd = expect_ok(open(path, O_RDWR | O_CREAT, 0600));
		expect_ok(write(fd, buffer, sizeof(buffer)));
		map = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
		expect(map != MAP_FAILED);
		*(volatile char *)map = 1;
		munmap(map, 1 << 20);
		close(fd);
		expect_ok(rename(path, "/tmp/sensors"));
		expect_ok(unlink("/tmp/sensors"));
		pid = fork();
		if (!pid)
			_exit(0);
		expect_eq(waitpid(pid, NULL, 0), pid);
	}
}

/*
 * @mended: it was interrupted between the reservation of its slot and the clock, so that its
 * ring has a record with an earlier time behind it, whose time it got (ft_ring_ready()). The
 * sensor has the time that the clock said.
 */
struct record {
	struct ft_record	r;
	size_t			order;
	__u32			cpu;
	bool			mended;
};

static struct record *records;
static size_t n_records;

static void read_all(unsigned int cpus)
{
	static struct ft_record buffer[4096];
	struct ft_slots slots;
	unsigned int cpu;
	__u32 i;
	int fd;

	for (cpu = 0; cpu < cpus; cpu++) {
		fd = try_open_cpu(cpu, O_RDONLY | O_NONBLOCK);
		if (fd < 0)
			continue;
		if (get_stats(fd).lost)
			fail("records were lost on CPU %u: the rings are too small", cpu);
		for (;;) {
			slots = (struct ft_slots){ .buf = (uintptr_t)buffer, .max = 4096 };
			if (ioctl(fd, FT_IOC_READ_SLOTS, &slots) || !slots.count)
				break;
			records = realloc(records, (n_records + slots.count) * sizeof(*records));
			expect(records);
			for (i = 0; i < slots.count; i++, n_records++) {
				records[n_records] = (struct record){
					.r = buffer[i], .order = n_records, .cpu = cpu,
				};
				if (n_records && records[n_records - 1].cpu == cpu)
					records[n_records - 1].mended =
						records[n_records - 1].r.ts == buffer[i].ts;
			}
		}
		close(fd);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct record *one = a, *two = b;

	if (one->r.ts != two->r.ts)
		return one->r.ts < two->r.ts ? -1 : 1;
	return one->order < two->order ? -1 : 1;
}

/* The latest acquisition of what a record releases, before it; NULL: there is none. */
static struct record *acquisition(size_t release, bool spins)
{
	const struct record *to = &records[release];
	size_t i = release;

	while (i--) {
		struct record *from = &records[i];

		if (from->r.id == to->r.id - 1 && from->r.a == to->r.a &&
		    (spins ? from->cpu == to->cpu : from->r.tid == to->r.tid))
			return from;
	}
	return NULL;
}

static void compare(const struct monitor *m, enum ft_lock_family family, pid_t tid)
{
	const struct ft_sensor_axis *axis = &m->header->sensor.axis[0];
	bool spins = family < FT_LOCK_MUTEX && !is_rt();
	__u64 *expected = calloc(axis->bins + 1, sizeof(*expected));
	__u64 count = 0, sum = 0, differ = 0, mended = 0;
	struct record *from;
	size_t i;
	__u32 bin;

	for (i = 0; i < n_records; i++) {
		if (records[i].r.id != FT_ID_RELEASE(family) || records[i].r.tid != tid)
			continue;
		from = acquisition(i, spins);
		if (!from)
			continue;
		from->r.a = 0;		/* it is released */
		mended += from->mended || records[i].mended;
		expected[bin_of(axis, records[i].r.ts - from->r.ts)]++;
		sum += records[i].r.ts - from->r.ts;
		count++;
	}
	for (bin = 0; bin < axis->bins; bin++) {
		if (bin_at(m, -1, bin) == expected[bin])
			continue;
		differ++;
		printf("# family %d: bin %u has %llu, in the trace %llu\n", family, bin,
		       bin_at(m, -1, bin), expected[bin]);
	}
	printf("# family %d: %llu sections, %llu of them mended, in the sensor %llu; ticks %llu, %llu; %llu bins\n",
	       family, count, mended, count_at(m, -1), sum, sum_at(m, -1, m->header->sum), differ);
	expect_eq(count_at(m, -1), count);
	/* Each of them may be in another bin. */
	expect(differ <= 2 * mended);
	if (!mended)
		expect_eq(sum_at(m, -1, m->header->sum), sum);
	free(expected);
}

static void test_same_as_a_trace(void)
{
	static const enum ft_lock_family families[] = {
		FT_LOCK_SPIN, FT_LOCK_RWLOCK_READ, FT_LOCK_RWLOCK_WRITE, FT_LOCK_MUTEX,
		FT_LOCK_RWSEM_READ, FT_LOCK_RWSEM_WRITE,
	};
	struct monitor m[ARRAY_SIZE(families)];
	int control, sensors = open_sensors(), go[2];
	__u32 ids[2 * ARRAY_SIZE(families)], i;
	struct ft_set set = { .ids = (uintptr_t)ids, .count = ARRAY_SIZE(ids) };
	char byte = 0;
	pid_t pid;

	need_locks();
	expect_ok(pipe(go));
	pid = fork();
	if (!pid) {
		expect_eq(read(go[0], &byte, 1), 1);
		work();
		_exit(0);
	}
	control = open_control();
	expect_ok(set_config(control, 1 << 19, WAKE_US));
	for (i = 0; i < ARRAY_SIZE(families); i++) {
		ids[2 * i] = FT_ID_ACQUIRE(families[i]);
		ids[2 * i + 1] = FT_ID_RELEASE(families[i]);
	}
	expect_ok(ioctl(control, FT_IOC_START, &set));
	for (i = 0; i < ARRAY_SIZE(families); i++) {
		struct ft_sensor def = hold_of("lock/hold", families[i]);

		/* All that ends in this task: none is missing at an end of the trace. */
		def.test[0] = (struct ft_test){ .what = FT_TEST_TID, .mask = ~0ull, .value = pid };
		m[i] = make(sensors, def);
	}
	expect_ok(write(go[1], &byte, 1));
	join(pid);
	sleep_ms(50);
	expect_ok(ioctl(control, FT_IOC_STOP, &set));
	read_all(get_info(control).cpus);
	qsort(records, n_records, sizeof(*records), by_time);
	for (i = 0; i < ARRAY_SIZE(families); i++)
		compare(&m[i], families[i], pid);
}

static const struct api_test tests[] = {
	{ "the same as a trace", test_same_as_a_trace },
};

API_MAIN("api_sensors_trace", tests)
