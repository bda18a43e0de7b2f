/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A sensor as the module would map it, in a file of the test's own. */
#ifndef FT_TEST_SENSOR_FILE_H
#define FT_TEST_SENSOR_FILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/distribution/loglinear.h"
#include "sensor/map.h"

#define COPIES	2
#define ROWS	4
#define BINS	32
#define ROW	(5 * 8 + 8 * BINS)
#define COPY	(sizeof(struct ft_sensor_copy) + ROWS * ROW)
#define AT	1024		/* of the first copy */
#define SIZE	(AT + COPIES * COPY)

/* A histogram by call site, log-linear with 2 bits. */
struct file {
	int			fd;
	char			*base;
	struct ft_sensor_header	*head;
};

static inline struct file new_file(void)
{
	struct file f = { .fd = memfd_create("sensor", 0) };

	assert_int_equal(ftruncate(f.fd, SIZE), 0);
	f.base = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, f.fd, 0);
	assert_ptr_not_equal(f.base, MAP_FAILED);
	f.head = (struct ft_sensor_header *)f.base;
	*f.head = (struct ft_sensor_header){
		.magic = FT_SENSOR_MAGIC, .version = FT_SENSOR_VERSION,
		.header_bytes = sizeof(*f.head), .size = SIZE, .clock_hz = 1000000000,
		.copies = COPIES, .copies_offset = AT, .copy_bytes = COPY,
		.rows_offset = sizeof(struct ft_sensor_copy), .row_bytes = ROW, .rows = ROWS,
		.key = 32, .sum = 8, .under = 16, .over = 24, .bins = 40, .n_bins = BINS,
		.sensor = {
			.kind = FT_SENSOR_HISTOGRAM, .split = FT_SPLIT_SITE, .rows = ROWS,
			.instance = 1, .name = "a/b",
			.axis[0] = { .value = FT_VALUE_TIME, .bits = 2, .bins = BINS },
		},
	};
	return f;
}

static inline void free_file(struct file *f)
{
	munmap(f->base, SIZE);
	close(f->fd);
}

static inline uint64_t *number(struct file *f, unsigned int copy, unsigned int row,
			       unsigned int offset)
{
	return (uint64_t *)(f->base + AT + copy * COPY + sizeof(struct ft_sensor_copy) + row * ROW +
			    offset);
}

/* What the module does. */
static inline void count(struct file *f, unsigned int copy, unsigned int row, uint64_t key,
			 uint64_t value)
{
	*number(f, copy, row, 32) = key;
	*number(f, copy, row, 8) += value;
	++*number(f, copy, row, 40 + 8 * loglinear_bin(value, 2));
}

#endif /* FT_TEST_SENSOR_FILE_H */
