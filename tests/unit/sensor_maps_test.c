// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* All sensors of a directory: those that cannot be mapped are known, those that have gone not. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "sensor_file.h"

#define PLACE	8192		/* of each sensor */
#define SENSORS	3

void *__real_mmap64(void *at, size_t size, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *at, size_t size, int prot, int flags, int fd, off_t offset);

/* What mmap() says of the second sensor. */
static int fails;

void *__wrap_mmap64(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	if (fails && offset == (off_t)2 * PLACE) {
		errno = fails;
		return MAP_FAILED;
	}
	return __real_mmap64(at, size, prot, flags, fd, offset);
}

/* "s1" to "s3", with the serials 1 to 3. */
static char *new_directory(int *fd)
{
	struct ft_sensor_directory *d;
	char *base;

	*fd = memfd_create("sensors", 0);
	assert_int_equal(ftruncate(*fd, (off_t)(SENSORS + 1) * PLACE), 0);
	base = mmap(NULL, (SENSORS + 1) * PLACE, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	assert_ptr_not_equal(base, MAP_FAILED);
	d = (struct ft_sensor_directory *)base;
	*d = (struct ft_sensor_directory){
		.magic = FT_SENSOR_DIRECTORY_MAGIC, .version = FT_SENSOR_VERSION,
		.header_bytes = sizeof(*d), .entry_bytes = sizeof(struct ft_sensor_entry),
		.entries = SENSORS, .size = 4096,
	};
	for (unsigned int i = 1; i <= SENSORS; i++) {
		struct ft_sensor_entry *entry = (struct ft_sensor_entry *)(d + 1) + i - 1;
		struct file file = new_file();

		file.head->serial = i;
		snprintf(file.head->sensor.name, FT_NAME_LEN, "s%u", i);
		*entry = (struct ft_sensor_entry){
			.serial = i, .offset = (uint64_t)i * PLACE, .size = SIZE, .instance = i,
		};
		snprintf(entry->name, FT_NAME_LEN, "s%u", i);
		memcpy(base + (size_t)i * PLACE, file.base, SIZE);
		free_file(&file);
	}
	return base;
}

static struct ft_sensor_header *sensor(char *base, unsigned int i)
{
	return (struct ft_sensor_header *)(base + (size_t)i * PLACE);
}

static void expect(int fd, size_t n, size_t left_out, size_t unreadable)
{
	struct sensor_maps maps;

	assert_true(sensor_maps_open(&maps, fd));
	assert_int_equal(maps.n, n);
	assert_int_equal(maps.n_left_out, left_out);
	assert_int_equal(maps.n_unreadable, unreadable);
	if (left_out) {
		assert_string_equal(maps.left_out[0].name, "s2");
		assert_int_equal(maps.left_out[0].instance, 2);
		assert_int_equal(maps.left_out[0].is_signed, !unreadable);
	}
	sensor_maps_close(&maps);
	assert_int_equal(maps.n_unreadable, 0);
}

static void those_without_memory_are_left_out(void **state)
{
	static const int gone[] = { ENXIO, ENOENT, EINVAL };
	char *base;
	int fd;

	(void)state;
	base = new_directory(&fd);
	expect(fd, 3, 0, 0);
	fails = ENOMEM;
	expect(fd, 2, 1, 1);
	fails = EAGAIN;
	expect(fd, 2, 1, 1);
	for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++) {
		fails = gone[i];
		expect(fd, 2, 0, 0);
	}
	fails = 0;
	munmap(base, (SENSORS + 1) * PLACE);
	close(fd);
}

static void those_that_are_damaged_are_left_out(void **state)
{
	char *base;
	int fd;

	(void)state;
	base = new_directory(&fd);
	sensor(base, 2)->serial = 9;		/* another one has its place */
	expect(fd, 2, 0, 0);
	sensor(base, 2)->clock_hz = 0;		/* not complete yet */
	expect(fd, 2, 0, 0);
	sensor(base, 2)->clock_hz = 1000000000;
	sensor(base, 2)->sensor.axis[0].flags = FT_AXIS_SIGNED;
	expect(fd, 2, 1, 0);
	sensor(base, 2)->magic = 0;
	expect(fd, 2, 1, 1);
	munmap(base, (SENSORS + 1) * PLACE);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_without_memory_are_left_out),
		cmocka_unit_test(those_that_are_damaged_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
