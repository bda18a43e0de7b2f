// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* FT_IOC_SET_CONFIG: size of rings and wake-up interval. */
#include <sys/mman.h>

#include "api.h"

#define RESERVE		8	/* slots of a ring that are kept for nesting */

static struct ft_config get_config(int control)
{
	struct ft_config config;

	memset(&config, 0xff, sizeof(config));
	expect_ok(ioctl(control, FT_IOC_GET_CONFIG, &config));
	return config;
}

static void test_set_and_get(void)
{
	int control = open_control();
	struct ft_config config;
	unsigned int i;

	expect_ok(set_config(control, 512, 123456));
	config = get_config(control);
	expect_eq(config.slots, 512);
	expect_eq(config.mode, FT_MODE_DISCARD);
	expect_eq(config.wake_us, 123456);
	for (i = 0; i < ARRAY_SIZE(config.reserved); i++)
		expect_eq(config.reserved[i], 0);

	expect_ok(set_config(control, FT_SLOTS_MIN, FT_WAKE_MIN_US));
	expect_ok(set_config(control, FT_SLOTS_MIN, FT_WAKE_MAX_US));
}

static void test_errors(void)
{
	static const __u32 slots[] = { 0, 1, 3, 64, 127, 129, 1000, 1u << 25,
				       1u << 31, 0xffffffff };
	static const __u32 wake_us[] = { 0, 1, FT_WAKE_MIN_US - 1,
					 FT_WAKE_MAX_US + 1, 0xffffffff };
	const struct ft_config good = { .slots = 256, .wake_us = WAKE_US };
	int control = open_control();
	struct ft_config config;
	unsigned int i;

	expect_ok(ioctl(control, FT_IOC_SET_CONFIG, &good));
	for (i = 0; i < ARRAY_SIZE(slots); i++)
		expect_error(set_config(control, slots[i], WAKE_US), EINVAL);
	for (i = 0; i < ARRAY_SIZE(wake_us); i++)
		expect_error(set_config(control, 512, wake_us[i]), EINVAL);

	config = good;
	config.mode = FT_MODE_OVERWRITE + 1;
	expect_error(ioctl(control, FT_IOC_SET_CONFIG, &config), EINVAL);
	config.mode = 0xffffffff;
	expect_error(ioctl(control, FT_IOC_SET_CONFIG, &config), EINVAL);
	for (i = 0; i < ARRAY_SIZE(config.reserved); i++) {
		config = good;
		config.reserved[i] = 1u << 31;
		expect_error(ioctl(control, FT_IOC_SET_CONFIG, &config), EINVAL);
	}

	/* Nothing of a refused one is taken over. */
	config = get_config(control);
	expect(!memcmp(&config, &good, sizeof(good)));
}

static void test_busy(void)
{
	int control = start(FT_SLOTS_MIN), reader, writer;
	void *map;

	expect_error(set_config(control, 256, WAKE_US), EBUSY);
	expect_error(set_config(control, FT_SLOTS_MIN, WAKE_US), EBUSY);
	disable(control);

	reader = open_cpu(O_RDONLY);
	expect_error(set_config(control, 256, WAKE_US), EBUSY);
	map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, reader, 0);
	expect(map != MAP_FAILED);
	close(reader);
	expect_error(set_config(control, 256, WAKE_US), EBUSY);
	munmap(map, 4096);
	expect_eq(get_config(control).slots, FT_SLOTS_MIN);

	/* A descriptor for statistics is in nobody's way. */
	writer = open_cpu(O_WRONLY);
	expect_ok(set_config(control, 256, WAKE_US));
	expect_eq(get_stats(writer).slots, 256);
}

/* Also what FT_IOC_STATS says, and how much fits. */
static void test_resize(void)
{
	static const __u32 sizes[] = { 128, 256, 1024, 128, 8192, 512 };
	int control = open_control();
	struct ft_stats stats;
	unsigned int i;

	pin(the_cpu());
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		expect_ok(set_config(control, sizes[i], WAKE_US));
		enable(control);
		mark(control, 1, sizes[i] + 10);
		stats = cpu_stats();
		expect_eq(stats.slots, sizes[i]);
		expect_eq(stats.written, sizes[i] - RESERVE);
		expect_eq(stats.lost, 10 + RESERVE);
		disable(control);
	}
}

/* The old records go with the old rings; where the size is the same they stay. */
static void test_old_records(void)
{
	int control = start(FT_SLOTS_MIN), reader;
	struct packet packet;

	mark(control, 1, 5);
	disable(control);
	expect_ok(set_config(control, FT_SLOTS_MIN, 2 * WAKE_US));
	reader = open_cpu(O_RDONLY);
	expect_eq(read_packet(reader, &packet), 5);
	expect_marks(packet.records, 1, 5);
	close(reader);

	enable(control);
	mark(control, 6, 7);
	disable(control);
	expect_ok(set_config(control, 256, WAKE_US));
	expect_eq(cpu_stats().written, 0);
	expect_end(open_cpu(O_RDONLY));
}

/* --- no memory ------------------------------------------------------------ */

#define MIN_FREE	"/proc/sys/vm/min_free_kbytes"

static unsigned long long read_kib(const char *path, const char *format)
{
	unsigned long long value;
	FILE *file = fopen(path, "r");
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, format, &value) == 1) {
			fclose(file);
			return value;
		}
	}
	fail("cannot read %s", path);
}

static void write_min_free(unsigned long long kib)
{
	FILE *file = fopen(MIN_FREE, "w");

	expect(file);
	expect(fprintf(file, "%llu\n", kib) > 0);
	expect_eq(fclose(file), 0);
}

/* Set the largest size while the kernel keeps much memory for itself. */
static int set_config_in_need(int control)
{
	unsigned long long free_before = read_kib(MIN_FREE, "%llu");
	unsigned long long available = read_kib("/proc/meminfo",
						"MemAvailable: %llu kB");
	unsigned long long need = sysconf(_SC_NPROCESSORS_ONLN) *
				  (FT_SLOTS_MAX / 1024ull * sizeof(struct ft_record));
	int ret, error;

	if (available > need)
		write_min_free(free_before + (available - need) * 2 / 3);
	available = read_kib("/proc/meminfo", "MemAvailable: %llu kB");
	if (available / 2 >= need) {
		write_min_free(free_before);
		skip("this machine has too much memory");
	}

	ret = set_config(control, FT_SLOTS_MAX, 3 * WAKE_US);
	error = errno;
	write_min_free(free_before);
	errno = error;
	return ret;
}

static void test_no_memory(void)
{
	int control = start(FT_SLOTS_MIN), reader;
	struct ft_config config;
	struct packet packet;

	mark(control, 1, 200);
	disable(control);
	expect_error(set_config_in_need(control), ENOMEM);

	config = get_config(control);
	expect_eq(config.slots, FT_SLOTS_MIN);
	expect_eq(config.wake_us, WAKE_US);
	reader = open_cpu(O_RDONLY);
	expect_eq(get_stats(reader).lost, 200 - (FT_SLOTS_MIN - RESERVE));
	expect_eq(read_packet(reader, &packet), FT_SLOTS_MIN - RESERVE);
	expect_marks(packet.records, 1, FT_SLOTS_MIN - RESERVE);
	expect_eq(packet.header.discarded, 200 - (FT_SLOTS_MIN - RESERVE));
	expect_end(reader);

	/* And they are as good as before. */
	enable(control);
	mark(control, 1, 2);
	expect_eq(cpu_stats().written, 2);
}

static const struct api_test tests[] = {
	{ "what is set is got", test_set_and_get },
	{ "bad values: EINVAL", test_errors },
	{ "EBUSY in a trace and while a ring is open", test_busy },
	{ "rings of many sizes", test_resize },
	{ "what becomes of old records", test_old_records },
	{ "ENOMEM leaves the old rings as they are", test_no_memory },
};

API_MAIN("api_config", tests)
