// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The memory of a sensor, as monitors map it: a header, then a copy for each possible CPU. */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "sensor/layout.h"
#include "sensor/sense.h"

/* Copies do not share cache lines, nor pairs of them, which are fetched together. */
#define FT_COPY_ALIGN		128

static u32 ft_layout_bins(const struct ft_sensor *def)
{
	return def->kind == FT_SENSOR_HISTOGRAM2 ? def->axis[0].bins * def->axis[1].bins :
						   def->axis[0].bins;
}

static u32 ft_layout_row_bytes(const struct ft_sensor *def)
{
	if (def->kind == FT_SENSOR_COUNTER)
		return offsetof(struct ft_row, mark);
	return offsetof(struct ft_row, bin) + ft_layout_bins(def) * sizeof(u64);
}

static u64 ft_layout_copy_bytes(const struct ft_sensor *def)
{
	return ALIGN(sizeof(struct ft_sensor_copy) +
		     (1ull + def->rows) * ft_layout_row_bytes(def), FT_COPY_ALIGN);
}

/* Says where the numbers are that a monitor needs. */
static void ft_layout_describe(struct ft_sensor_header *header, const struct ft_sensor *def)
{
	bool counter = def->kind == FT_SENSOR_COUNTER;
	bool counts = counter || def->kind == FT_SENSOR_SCALAR;

	header->magic = FT_SENSOR_MAGIC;
	header->version = FT_SENSOR_VERSION;
	header->header_bytes = sizeof(*header);
	header->copies = nr_cpu_ids;
	header->copies_offset = ALIGN(sizeof(*header), FT_COPY_ALIGN);
	header->copy_bytes = ft_layout_copy_bytes(def);
	header->rows_offset = sizeof(struct ft_sensor_copy);
	header->row_bytes = ft_layout_row_bytes(def);
	header->rows = 1 + def->rows;
	header->key = offsetof(struct ft_row, key);
	header->count = counts ? offsetof(struct ft_row, count) : 0;
	header->sum = counter ? 0 : offsetof(struct ft_row, sum);
	header->under = counts ? 0 : offsetof(struct ft_row, under);
	header->over = counts ? 0 : offsetof(struct ft_row, over);
	header->marks = counter ? 0 : offsetof(struct ft_row, mark);
	header->bins = counts ? 0 : offsetof(struct ft_row, bin);
	header->n_marks = counter ? 0 : FT_SENSOR_CONTEXTS;
	header->mark_bytes = sizeof(struct ft_sensor_mark);
	header->n_bins = ft_layout_bins(def);
}

struct ft_row *ft_layout_first_row(const struct ft_sensor_header *header, unsigned int cpu)
{
	return (void *)header + header->copies_offset + (size_t)cpu * header->copy_bytes +
	       header->rows_offset;
}

static void ft_layout_set_rows(struct ft_sensor_header *header, const struct ft_sensor *def,
			       unsigned int cpu)
{
	struct ft_row *row = ft_layout_first_row(header, cpu);
	u32 i;

	for (i = 0; i < header->rows; i++) {
		row->low = U64_MAX;	/* every value needs a closer look */
		row->bits = def->axis[0].bits;
		row->least = 1ull << row->bits;
		row->bytes = header->row_bytes;
		row->mask = def->rows ? def->rows - 1 : 0;
		row = ft_row_at(row, 1);
	}
}

int ft_layout_make(const struct ft_sensor *def, struct ft_sensor_header **made)
{
	u64 copy = ft_layout_copy_bytes(def);
	struct ft_sensor_header *header;
	unsigned int cpu;
	size_t size;

	if (copy > FT_SENSOR_BYTES_MAX)
		return -E2BIG;
	size = PAGE_ALIGN(ALIGN(sizeof(*header), FT_COPY_ALIGN) + copy * nr_cpu_ids);
	header = vmalloc_user(size);
	if (!header)
		return -ENOMEM;
	ft_layout_describe(header, def);
	header->size = size;
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		ft_layout_set_rows(header, def, cpu);
	*made = header;
	return 0;
}
