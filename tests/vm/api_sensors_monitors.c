// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Monitors: what they may map, and that nobody is disturbed, however many of them read, and
 * however they end. The modules ft_bench and ft_fire are loaded.
 *
 * FT_MONITORED: how many events the monitors read along (default: 100000)
 */
#include "sensors.h"

static void test_mapping(void)
{
	int sensors = open_sensors();
	struct monitor m = make(sensors, counter_of("test/marks", FT_ID_MARK));
	off_t offset = info_of(sensors, m.number).offset;
	size_t size = m.header->size;
	void *map;

	expect_error(mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, sensors, offset), EPERM);
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, sensors, offset);
	expect(map != MAP_FAILED);
	expect_error(mprotect(map, size, PROT_READ | PROT_WRITE), EACCES);
	expect_error(mmap(NULL, size + 4096, PROT_READ, MAP_SHARED, sensors, offset), EINVAL);
	expect_error(mmap(NULL, size, PROT_READ, MAP_SHARED, sensors, offset + 4096), EINVAL);
	expect_error(mmap(NULL, 4096, PROT_READ, MAP_SHARED, sensors, 2 * offset), ENXIO);
	expect_error(mmap(NULL, 4096, PROT_READ, MAP_SHARED, sensors, 300 * offset), ENXIO);
	expect_error(mmap(NULL, 1 << 20, PROT_READ, MAP_SHARED, sensors, 0), EINVAL);
	expect_error(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, sensors, 0), EPERM);
}

/* Someone without rights has a descriptor from someone who has them. */
static void test_unprivileged(void)
{
	int sensors = open_sensors(), reading = expect_ok(open(SENSORS, O_RDONLY));
	struct monitor m = make(sensors, counter_of("test/marks", FT_ID_MARK)), again;
	struct ft_sensor def = counter_of("test/other", FT_ID_MARK);
	pid_t pid = fork();

	if (!pid) {
		expect_ok(setgid(65534));
		expect_ok(setuid(65534));
		expect_error(open(SENSORS, O_RDONLY), EACCES);
		again = map_sensor(reading, m.number);
		expect_eq(count_at(&again, -1), 0);
		expect_error(try_make(reading, &def), EBADF);
		expect_error(end_sensor(reading, &m), EBADF);
		_exit(0);
	}
	join(pid);
	mark_it(1, 1);
	expect_eq(count_at(&m, -1), 1);
}

/* --- eight of them, as fast as they can ----------------------------------- */

#define MONITORS	8
#define ROUND_MS	500
#define FIRE_PARAM	"/sys/module/ft_fire/parameters/"

/* Of the words of an event of ft_fire. */
#define FIRE_CHECK(word)	(~(word) * 0x9e3779b97f4a7c15ull)

/* How often each has read everything: they write it, in memory of their own. */
struct polls {
	__u64	n[MONITORS];
};

/* How many events a loop of ft_bench has; their second word is that. */
#define BENCH_EVENTS	5000

/* Each context's words of the greatest value are of one event, of that CPU. */
static void expect_whole_marks(const struct monitor *m)
{
	bool fired = !strcmp(m->header->sensor.name, "test/fire");
	struct ft_sensor_mark mark;
	__u32 copy, context;

	for (copy = 0; copy < m->header->copies; copy++)
		for (context = 0; context < m->header->n_marks; context++) {
			if (!read_mark(m, copy, 0, context, &mark))
				continue;
			expect_eq(mark.most, mark.a);
			expect_eq(mark.b, fired ? FIRE_CHECK(mark.a) : BENCH_EVENTS);
			expect_eq(mark.cpu, copy);
			expect(mark.least <= mark.most);
			expect(mark.ts > m->header->since_ticks);
		}
}

/* Nothing goes back. */
static void poll_for_ever(const struct monitor *m, unsigned int n, __u64 *polls)
{
	__u64 now, last[4] = { 0 };
	unsigned int i;

	for (;;) {
		for (i = 0; i < n; i++) {
			now = count_at(&m[i], -1);
			if (now < last[i])
				fail("sensor %u went from %llu to %llu", i, last[i], now);
			last[i] = now;
			if (m[i].header->sensor.kind != FT_SENSOR_COUNTER &&
			    !m[i].header->sensor.split)
				expect_whole_marks(&m[i]);
		}
		__atomic_fetch_add(polls, 1, __ATOMIC_RELAXED);
	}
}

static struct polls *begin_monitors(const struct monitor *m, unsigned int n, pid_t *pid)
{
	struct polls *polls = mmap(NULL, sizeof(*polls), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	expect(polls != MAP_FAILED);
	for (i = 0; i < MONITORS; i++) {
		pid[i] = fork();
		if (!pid[i])
			poll_for_ever(m, n, &polls->n[i]);
		expect_ok(pid[i]);
	}
	return polls;
}

/* Those that have not been stopped still read; now they are killed, in the middle of it. */
static void end_monitors(const struct polls *before, const struct polls *polls, const pid_t *pid)
{
	unsigned int i;

	for (i = 0; i < MONITORS; i++) {
		expect_eq(waitpid(pid[i], NULL, WNOHANG), 0);
		expect(i < 2 || polls->n[i] > before->n[i]);
		kill(pid[i], SIGKILL);
		expect_eq(waitpid(pid[i], NULL, 0), pid[i]);
	}
}

/* Adds up what each CPU, and what each context has fired since it was asked last. */
static void add_attempts(__u64 *by_cpu, __u64 *by_context)
{
	static const char *const names[] = {
		"task", "bh-off", "softirq", "hardirq", "ipi", "nmi",
	};
	/* bh-off is a task's, an IPI comes as a hardirq */
	static const unsigned int rows[] = { 0, 0, 1, 2, 2, 3 };
	unsigned long long n;
	unsigned int cpu, i;
	char name[16];
	FILE *f = fopen(FIRE_PARAM "attempts", "r");

	expect(f);
	while (fscanf(f, "%u %llu", &cpu, &n) == 2)
		by_cpu[cpu] += n;
	fclose(f);
	f = fopen(FIRE_PARAM "contexts", "r");
	expect(f);
	while (fscanf(f, "%15s %llu", name, &n) == 2)
		for (i = 0; i < ARRAY_SIZE(names); i++)
			if (!strcmp(name, names[i]))
				by_context[rows[i]] += n;
	fclose(f);
}

/* What one CPU's copy has counted, in all rows or in the one with this key. */
static __u64 copy_count(const struct monitor *m, __u32 copy, __u64 key)
{
	const struct ft_sensor_header *h = m->header;
	__u64 sum = 0;
	const void *row;
	__u32 i, j;

	for (i = 0; i < h->rows; i++) {
		row = row_of(m, copy, i);
		if (key && (!i || word_at(row, h->key) != key))
			continue;
		sum += h->count ? word_at(row, h->count) :
				  word_at(row, h->under) + word_at(row, h->over);
		for (j = 0; j < h->n_bins; j++)
			sum += word_at(row, h->bins + j * 8);
	}
	return sum;
}

/*
 * @n sensors of ft_fire's event, which comes from tasks, interrupts and NMIs of all CPUs. The
 * module counts how often, too. One monitor is stopped, one is killed while it goes on.
 */
static void expect_books(const struct monitor *m, unsigned int n, __u64 events)
{
	__u64 by_cpu[64] = { 0 }, by_context[FT_SENSOR_CONTEXTS] = { 0 }, in_context, all = 0;
	struct polls *polls, before;
	pid_t pid[MONITORS];
	unsigned int cpu, i, context, rounds;
	unsigned long long began = now_ms();

	expect(m->header->copies <= ARRAY_SIZE(by_cpu));
	polls = begin_monitors(m, n, pid);
	for (rounds = 0; all < events || rounds < 3; rounds++) {
		before = *polls;
		fire(FIRE_PARAM "run", ROUND_MS);
		add_attempts(by_cpu, by_context);
		for (all = cpu = 0; cpu < m->header->copies; cpu++)
			all += by_cpu[cpu];
		if (rounds)
			continue;
		kill(pid[0], SIGSTOP);
		kill(pid[1], SIGKILL);
		expect_eq(waitpid(pid[1], NULL, 0), pid[1]);
		pid[1] = fork();
		if (!pid[1])
			poll_for_ever(m, n, &polls->n[1]);
	}
	end_monitors(&before, polls, pid);
	printf("# %s: %llu events in %u rounds, %llu of them in NMIs, %llu ms\n", api_name, all,
	       rounds, by_context[3], now_ms() - began);
	for (i = 0; i < n; i++) {
		for (cpu = 0; cpu < m->header->copies; cpu++)
			expect_eq(copy_count(&m[i], cpu, 0), by_cpu[cpu]);
		if (m[i].header->sensor.split != FT_SPLIT_CONTEXT)
			continue;
		for (context = 0; context < FT_SENSOR_CONTEXTS; context++) {
			for (in_context = cpu = 0; cpu < m->header->copies; cpu++)
				in_context += copy_count(&m[i], cpu, context + 1);
			expect_eq(in_context, by_context[context]);
		}
	}
}

static __u64 monitored(void)
{
	const char *text = getenv("FT_MONITORED");
	__u64 events = text ? strtoull(text, NULL, 0) : 100000;

	/* So many take more than a test's usual time. */
	if (events > 10000000)
		alarm(1100);
	return events;
}

/* The shortest way: an instruction and nothing else. */
static void test_counter(void)
{
	struct monitor m = make(open_sensors(), counter_of("test/fire", id_of("fire")));

	expect_books(&m, 1, monitored());
}

/* It gets company, and is alone again, while the events come. */
static void test_company(void)
{
	__u64 by_cpu[64] = { 0 }, by_context[FT_SENSOR_CONTEXTS] = { 0 };
	struct ft_sensor def = counter_of("test/fire", id_of("fire"));
	int sensors = open_sensors(), others = open_sensors(), status;
	struct monitor m = make(sensors, def), other;
	unsigned int i = 0, cpu;
	pid_t pid = fork();

	if (!pid) {
		fire(FIRE_PARAM "run", 2 * ROUND_MS);
		_exit(0);
	}
	while (!waitpid(pid, &status, WNOHANG)) {
		def = i++ % 2 ? counter_of("test/other", id_of("fire")) :
				histogram_of("test/other", id_of("fire"));
		other = make(others, def);
		expect_ok(end_sensor(others, &other));
	}
	expect_eq(status, 0);
	expect(i);
	add_attempts(by_cpu, by_context);
	for (cpu = 0; cpu < m.header->copies; cpu++)
		expect_eq(copy_count(&m, cpu, 0), by_cpu[cpu]);
}

/* All ways of counting, at an event with several sensors, with words that grow and grow. */
static void test_all_kinds(void)
{
	__u32 fired = id_of("fire");
	struct ft_sensor def = histogram_of("test/fire", fired);
	int sensors = open_sensors();
	struct monitor m[4];

	m[0] = make(sensors, counter_of("test/fire", fired));
	m[1] = make(sensors, def);
	def.split = FT_SPLIT_CONTEXT;
	def.rows = FT_SENSOR_CONTEXTS;
	m[2] = make(sensors, def);
	def = counter_of("test/fire", fired);
	def.kind = FT_SENSOR_SCALAR;
	def.axis[0].value = FT_VALUE_A;
	m[3] = make(sensors, def);
	expect_books(m, ARRAY_SIZE(m), monitored() < 1000000 ? monitored() : 1000000);
}

/* The short way of a histogram: bins and sum. */
static void test_histogram(void)
{
	struct monitor m = make(open_sensors(), histogram_of("test/bench", id_of("bench")));
	struct polls *polls, before;
	pid_t pid[MONITORS];
	unsigned int i;

	polls = begin_monitors(&m, 1, pid);
	before = *polls;
	for (i = 0; i < 20; i++)
		bench(BENCH_EVENTS);
	kill(pid[0], SIGSTOP);
	kill(pid[1], SIGSTOP);
	for (i = 2; i < MONITORS; i++)
		while (__atomic_load_n(&polls->n[i], __ATOMIC_RELAXED) == before.n[i])
			sched_yield();
	end_monitors(&before, polls, pid);
	expect_eq(count_at(&m, -1), 20 * BENCH_EVENTS);
	expect_eq(sum_at(&m, -1, m.header->sum), 20ull * BENCH_EVENTS * (BENCH_EVENTS - 1) / 2);
}

static const struct api_test tests[] = {
	{ "mappings are read-only", test_mapping },
	{ "without rights", test_unprivileged },
	{ "eight poll a counter", test_counter },
	{ "a counter that gets company", test_company },
	{ "eight poll all kinds", test_all_kinds },
	{ "eight poll a histogram", test_histogram },
};

API_MAIN("api_sensors_monitors", tests)
