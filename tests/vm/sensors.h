/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the api_sensors*.c programs share: making sensors, mapping and reading them. */
#ifndef FT_TESTS_SENSORS_H
#define FT_TESTS_SENSORS_H

#include <stddef.h>
#include <sys/mman.h>

#include <linux/feather_trace_sensor.h>

#include "api.h"

#define SENSORS		"/dev/ft_trace_sensors"

/* A sensor that is mapped. */
struct monitor {
	const struct ft_sensor_header	*header;
	__u64				serial;
	__u32				number;
};

static inline int open_sensors(void)
{
	return expect_ok(open(SENSORS, O_RDWR));
}

static inline void name_it(struct ft_sensor *def, const char *name)
{
	snprintf(def->name, sizeof(def->name), "%s", name);
}

static inline struct ft_sensor counter_of(const char *name, __u32 event)
{
	struct ft_sensor def = { .kind = FT_SENSOR_COUNTER, .event = event };

	name_it(&def, name);
	return def;
}

/* Of the first word: 16 bins in each power of two, enough for 2^40. */
static inline struct ft_sensor histogram_of(const char *name, __u32 event)
{
	struct ft_sensor def = {
		.kind = FT_SENSOR_HISTOGRAM, .event = event,
		.axis[0] = { .value = FT_VALUE_A, .bits = 4, .bins = 16 * 37 },
	};

	name_it(&def, name);
	return def;
}

/* How long locks of a family are held. */
static inline struct ft_sensor hold_of(const char *name, enum ft_lock_family family)
{
	struct ft_sensor def = histogram_of(name, FT_ID_RELEASE(family));

	def.begin = FT_ID_ACQUIRE(family);
	def.axis[0].value = FT_VALUE_TIME;
	return def;
}

static inline int try_make(int sensors, struct ft_sensor *def)
{
	return ioctl(sensors, FT_IOC_SENSOR_NEW, def);
}

static inline struct ft_sensor_info info_of(int sensors, __u32 number)
{
	struct ft_sensor_info info = { .sensor.number = number };

	expect_ok(ioctl(sensors, FT_IOC_SENSOR_NEXT, &info));
	expect_eq(info.sensor.number, number);
	return info;
}

static inline struct monitor map_sensor(int sensors, __u32 number)
{
	struct ft_sensor_info info = info_of(sensors, number);
	void *header = mmap(NULL, info.size, PROT_READ, MAP_SHARED, sensors, info.offset);
	struct monitor m = { header, info.serial, number };

	if (header == MAP_FAILED)
		fail("mmap of sensor %u: %s", number, strerror(errno));
	expect_eq(m.header->magic, FT_SENSOR_MAGIC);
	expect_eq(m.header->version, FT_SENSOR_VERSION);
	expect_eq(m.header->serial, info.serial);
	expect_eq(m.header->size, info.size);
	return m;
}

static inline struct monitor make(int sensors, struct ft_sensor def)
{
	expect_ok(try_make(sensors, &def));
	return map_sensor(sensors, def.number);
}

static inline int end_sensor(int sensors, const struct monitor *m)
{
	struct ft_sensor_end end = { .number = m->number, .serial = m->serial };

	return ioctl(sensors, FT_IOC_SENSOR_END, &end);
}

/* --- reading -------------------------------------------------------------- */

static inline const void *row_of(const struct monitor *m, __u32 copy, __u32 row)
{
	return (const char *)m->header + m->header->copies_offset +
	       (size_t)copy * m->header->copy_bytes + m->header->rows_offset +
	       (size_t)row * m->header->row_bytes;
}

static inline __u64 word_at(const void *row, __u32 offset)
{
	return __atomic_load_n((const __u64 *)((const char *)row + offset), __ATOMIC_RELAXED);
}

/* Of one row, or of all (-1), in all copies: what is at an offset. */
static inline __u64 sum_at(const struct monitor *m, int row, __u32 offset)
{
	__u32 copy, i;
	__u64 sum = 0;

	for (copy = 0; copy < m->header->copies; copy++)
		for (i = 0; i < m->header->rows; i++)
			if (row < 0 || i == (__u32)row)
				sum += word_at(row_of(m, copy, i), offset);
	return sum;
}

static inline __u64 bin_at(const struct monitor *m, int row, __u32 bin)
{
	return sum_at(m, row, m->header->bins + bin * 8);
}

/* How many values there are. */
static inline __u64 count_at(const struct monitor *m, int row)
{
	const struct ft_sensor_header *h = m->header;
	__u64 count;
	__u32 i;

	if (h->count)
		return sum_at(m, row, h->count);
	count = sum_at(m, row, h->under) + sum_at(m, row, h->over);
	for (i = 0; i < h->n_bins; i++)
		count += bin_at(m, row, i);
	return count;
}

static inline __u64 copies_sum(const struct monitor *m, size_t offset)
{
	__u64 sum = 0;
	__u32 copy;

	for (copy = 0; copy < m->header->copies; copy++)
		sum += word_at((const char *)row_of(m, copy, 0) - m->header->rows_offset, offset);
	return sum;
}

#define copies_of(m, field)	copies_sum(m, offsetof(struct ft_sensor_copy, field))

/* A mark, read as it is to be read. Return: false: nothing was noted there. */
static inline bool read_mark(const struct monitor *m, __u32 copy, __u32 row, __u32 context,
			     struct ft_sensor_mark *out)
{
	const struct ft_sensor_mark *mark = (const void *)
		((const char *)row_of(m, copy, row) + m->header->marks +
		 context * m->header->mark_bytes);
	__u64 seq;

	do {
		seq = __atomic_load_n(&mark->seq, __ATOMIC_ACQUIRE);
		memcpy(out, mark, sizeof(*out));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (seq & 1 || __atomic_load_n(&mark->seq, __ATOMIC_RELAXED) != seq);
	return seq;
}

/* The mark with the greatest value of a row, or of all rows (-1), in all copies. */
static inline bool most_of(const struct monitor *m, int row, struct ft_sensor_mark *most)
{
	struct ft_sensor_mark mark;
	__u32 copy, i, context;
	bool found = false;

	for (copy = 0; copy < m->header->copies; copy++)
		for (i = 0; i < m->header->rows; i++)
			for (context = 0; context < m->header->n_marks; context++) {
				if ((row >= 0 && i != (__u32)row) ||
				    !read_mark(m, copy, i, context, &mark))
					continue;
				if (!found || mark.most > most->most)
					*most = mark;
				found = true;
			}
	return found;
}

/* The least value of a row in all copies; there is one. */
static inline __u64 least_of(const struct monitor *m, __u32 row)
{
	const __u64 flip = m->header->sensor.axis[0].flags & FT_AXIS_SIGNED ? 1ull << 63 : 0;
	struct ft_sensor_mark mark;
	__u64 least = ~0ull;
	__u32 copy, context;

	for (copy = 0; copy < m->header->copies; copy++)
		for (context = 0; context < m->header->n_marks; context++)
			if (read_mark(m, copy, row, context, &mark) &&
			    (mark.least ^ flip) < least)
				least = mark.least ^ flip;
	return least ^ flip;
}

/* The bin of a value, as the header says. */
static inline __u32 bin_of(const struct ft_sensor_axis *axis, __u64 v)
{
	__u64 x = (v - axis->low) >> axis->shift;
	unsigned int e;

	if (axis->flags & FT_AXIS_LINEAR || x < 1ull << axis->bits)
		return x < axis->bins ? x : axis->bins;
	e = 63 - __builtin_clzll(x) - axis->bits;
	x = ((__u64)e << axis->bits) + (x >> e);
	return x < axis->bins ? x : axis->bins;
}

/* --- events ---------------------------------------------------------------- */

#define BENCH	"/sys/module/ft_bench/parameters/event"

/* Marks are events of a program, with any words. */
static inline void mark_it(__u64 a, __u64 b)
{
	struct ft_mark words = { a, b };
	static int control = -1;

	if (control < 0)
		control = open_control();
	expect_ok(ioctl(control, FT_IOC_MARK, &words));
}

static inline __u32 id_of(const char *name)
{
	int control = open_control();
	__u32 id = event_id(control, name);

	close(control);
	return id;
}

static inline void need_locks(void)
{
	if (get_info(open_control()).lock_source == FT_LOCKS_NONE)
		skip("this kernel has no lock events");
}

/* An event of a module, with first words from 0 on. */
static inline void bench(unsigned int times)
{
	fire(BENCH, times);
}

/* From an event of a module, with words from 0 on, to a mark. */
static inline struct ft_sensor from_bench(__u32 key)
{
	struct ft_sensor def = histogram_of("test/pair", FT_ID_MARK);

	def.begin = id_of("bench");
	def.key = key;
	def.axis[0].value = FT_VALUE_TIME;
	return def;
}

#endif /* FT_TESTS_SENSORS_H */
