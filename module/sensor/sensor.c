// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Sensors: making and removing them, and what monitors map.
 *
 * A sensor's memory is mapped as it is: a header, then a copy for each possible CPU. Only
 * the module writes it. When the sensor is removed, pages that are mapped stay until their
 * last monitor has gone.
 *
 * Each changing call does one thing after the other: what may sleep or fail first, then, with
 * ft_trace_mutex held, the lists that probes read, then the triggers, and, before anything
 * is freed, ft_trace_sync().
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include "clock.h"
#include "event/table.h"
#include "sensor/check.h"
#include "sensor/events.h"
#include "sensor/idle.h"
#include "sensor/layout.h"
#include "sensor/probes.h"
#include "sensor/row.h"
#include "sensor/sensor.h"
#include "trace/trace.h"

static_assert(sizeof(struct ft_sensor) == 256 && sizeof(struct ft_sensor_info) == 320 &&
	      sizeof(struct ft_sensor_entry) == 128 && sizeof(struct ft_sensor_mark) == 80 &&
	      sizeof(struct ft_sensor_header) == 432);

/**
 * struct ft_sensor_object - a sensor
 * @sense:	what probes need of it
 * @def:	as it was asked for
 * @serial:	no other one has it
 * @owner:	descriptor to which it belongs; NULL: it is persistent
 * @header:	of the memory that is mapped
 * @size:	of that
 * @ranges:	of &ft_sensor.ranges
 */
struct ft_sensor_object {
	struct ft_sense		sense;
	struct ft_sensor	def;
	u64			serial;
	const void		*owner;
	struct ft_sensor_header	*header;
	size_t			size;
	struct ft_sensor_range	*ranges;
};

/* Guarded by ft_trace_mutex. The first has number 1. */
static struct ft_sensor_object *ft_sensors[FT_SENSORS_MAX + 1];
/* Beside ft_trace_mutex: guards changes of ft_sensors[] against mmap(). Innermost. */
static DEFINE_MUTEX(ft_sensor_slots_mutex);
static u64 ft_sensor_serial;
static struct ft_sensor_directory *ft_sensor_directory;

/* --- directory ------------------------------------------------------------ */

static struct ft_sensor_entry *ft_sensor_entry(u32 number)
{
	return (struct ft_sensor_entry *)(ft_sensor_directory + 1) + number - 1;
}

static size_t ft_sensor_directory_size(void)
{
	return PAGE_ALIGN(sizeof(*ft_sensor_directory) +
			  FT_SENSORS_MAX * sizeof(struct ft_sensor_entry));
}

static u64 ft_sensor_offset(u32 number)
{
	return (u64)number << FT_SENSOR_SPAN_SHIFT;
}

/* @s: NULL: it is gone. A monitor that sees an odd generation reads again. */
static void ft_sensor_enter(u32 number, const struct ft_sensor_object *s)
{
	struct ft_sensor_directory *directory = ft_sensor_directory;
	struct ft_sensor_entry *entry = ft_sensor_entry(number);

	lockdep_assert_held(&ft_trace_mutex);
	WRITE_ONCE(directory->generation, directory->generation + 1);
	smp_wmb();	/* pairs with the monitors' read barriers, as the next one */
	memset(entry, 0, sizeof(*entry));
	if (s) {
		entry->serial = s->serial;
		entry->offset = ft_sensor_offset(number);
		entry->size = s->size;
		entry->kind = s->def.kind;
		entry->instance = s->def.instance;
		memcpy(entry->name, s->def.name, sizeof(entry->name));
	}
	smp_wmb();	/* the same */
	WRITE_ONCE(directory->generation, directory->generation + 1);
}

/* --- a sensor ------------------------------------------------------------- */

static void ft_axis_set(struct ft_axis *to, const struct ft_sensor_axis *axis)
{
	to->value = axis->value;
	to->linear = axis->flags & FT_AXIS_LINEAR;
	to->shift = axis->shift;
	to->bits = axis->bits;
	to->bins = axis->bins;
	to->flip = axis->flags & FT_AXIS_SIGNED ? BIT_ULL(63) : 0;
	to->low = axis->low ^ to->flip;
}

/* Do the bins of a histogram depend on nothing but a number of bits? */
static bool ft_sensor_has_gates(const struct ft_sensor *def)
{
	const struct ft_sensor_axis *axis = &def->axis[0];

	return def->kind == FT_SENSOR_HISTOGRAM && !axis->flags && !axis->shift && !axis->low &&
	       axis->value != FT_VALUE_DEPTH;
}

static void ft_sensor_set_limit(struct ft_sensor_object *s);

static void ft_sense_set(struct ft_sensor_object *s)
{
	struct ft_comparison *begin = s->sense.at_begin, *end = s->sense.at_end;
	const struct ft_sensor *def = &s->def;
	struct ft_sense *sense = &s->sense;
	const struct ft_test *test;
	unsigned int i;

	sense->gates = ft_sensor_has_gates(def);
	sense->first = ft_layout_first_row(s->header, 0);
	sense->copy_bytes = s->header->copy_bytes;
	sense->rows = def->rows;
	sense->kind = def->kind;
	sense->split = def->split;
	sense->outside = def->flags & FT_SENSOR_OUTSIDE;
	sense->ranges = s->ranges;
	sense->n_ranges = def->n_ranges;
	sense->event = def->event;
	sense->begin = def->begin;
	sense->key = def->key;
	for (i = 0; i < ARRAY_SIZE(def->axis); i++)
		ft_axis_set(&sense->axis[i], &def->axis[i]);
	ft_sensor_set_limit(s);
	for (i = 0; i < FT_SENSOR_TESTS && def->test[i].what; i++) {
		test = &def->test[i];
		ft_comparison_set(test->flags & FT_TEST_AT_BEGIN ? begin++ : end++, test);
	}
}

static void ft_sensor_free(struct ft_sensor_object *s)
{
	if (!s)
		return;
	vfree(s->header);
	kvfree(s->ranges);
	kfree(s);
}

static struct ft_sensor_object *ft_sensor_make(const void *owner, const struct ft_sensor *def,
					       struct ft_sensor_range *ranges)
{
	struct ft_sensor_object *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int err;

	if (!s) {
		kvfree(ranges);
		return ERR_PTR(-ENOMEM);
	}
	s->ranges = ranges;
	s->def = *def;
	s->def.ranges = 0;
	s->owner = def->flags & FT_SENSOR_PERSIST ? NULL : owner;
	err = ft_layout_make(def, &s->header);
	if (err) {
		ft_sensor_free(s);
		return ERR_PTR(err);
	}
	s->size = s->header->size;
	ft_sense_set(s);
	return s;
}

/* A number, and the lowest instance of its name that is free. */
static u32 ft_sensor_number(struct ft_sensor *def)
{
	u32 i, number = 0;
	bool taken;

	def->instance = 0;
	do {
		def->instance++;
		taken = false;
		for (i = 1; i <= FT_SENSORS_MAX; i++)
			taken |= ft_sensors[i] && ft_sensors[i]->def.instance == def->instance &&
				 !strcmp(ft_sensors[i]->def.name, def->name);
	} while (taken);
	for (i = FT_SENSORS_MAX; i; i--)
		if (!ft_sensors[i])
			number = i;
	return number;
}

static bool ft_sensor_is_event(u32 id)
{
	const struct ft_entry *entry = ft_table_next(id);

	return entry && entry->id == id && entry->source;
}

/* A sensor that is being made, and where its numbers go. */
struct ft_sensor_making {
	struct ft_sensor_object	*s;
	struct ft_sensor	*def;
	u64			*serial;
};

static void ft_sensor_set_slot(u32 number, struct ft_sensor_object *s)
{
	mutex_lock(&ft_sensor_slots_mutex);
	ft_sensors[number] = s;
	mutex_unlock(&ft_sensor_slots_mutex);
}

/* Before its events are on. Others may remove it as soon as the mutex is released. */
static int ft_sensor_attach(void *data)
{
	struct ft_sensor_making *making = data;
	struct ft_sensor_object *s = making->s;
	struct ft_sensor *def = &s->def;
	struct ft_clock clock;
	enum ft_clock_way way;
	int err;

	lockdep_assert_held(&ft_trace_mutex);
	if (!ft_sensor_is_event(def->event) || (def->begin && !ft_sensor_is_event(def->begin)))
		return -ENOENT;
	def->number = ft_sensor_number(def);
	if (!def->number)
		return -ENOSPC;
	err = ft_trace_sense(&way);
	if (err)
		return err;

	WRITE_ONCE(ft_sensor_way, way);
	ft_clock_get(&clock, way);
	s->header->clock = clock.source;
	s->header->clock_hz = clock.hz;
	s->header->since_ticks = ft_clock_now(&clock);
	s->header->since_ns = ktime_get_real_ns();
	err = ft_sense_add(&s->sense);
	if (err) {
		ft_trace_unsense();
		return err;
	}
	s->serial = ++ft_sensor_serial;
	s->header->serial = s->serial;
	s->header->sensor = *def;
	ft_sensor_set_slot(def->number, s);
	ft_sensor_enter(def->number, s);
	/* Contexts do not come and go. */
	if (def->split && def->split != FT_SPLIT_CONTEXT)
		ft_idle_watch(def->number, &s->sense);
	making->def->number = def->number;
	making->def->instance = def->instance;
	*making->serial = s->serial;
	return 0;
}

static unsigned int ft_sensor_events(const struct ft_sensor *def, u32 ids[2])
{
	ids[0] = def->event;
	ids[1] = def->begin;
	return def->begin && def->begin != def->event ? 2 : 1;
}

/* @on: its events are on for it. */
static void ft_sensor_detach(struct ft_sensor_object *s, bool on)
{
	struct ft_pairing *pairing;
	unsigned int i, count;
	u32 ids[2];

	lockdep_assert_held(&ft_trace_mutex);
	/*
	 * Before the events are off: they go off one after the other, and acquisitions whose
	 * release is not seen would fill the stack that all spinning locks share.
	 */
	pairing = ft_sense_remove(&s->sense);
	count = on ? ft_sensor_events(&s->def, ids) : 0;
	for (i = 0; i < count; i++)
		ft_table_unsense(ids[i]);
	ft_idle_watch(s->def.number, NULL);
	ft_sensor_set_slot(s->def.number, NULL);
	ft_sensor_enter(s->def.number, NULL);
	ft_trace_unsense();
	ft_table_set_again(s->def.event);
	ft_table_set_again(s->def.begin);
	ft_trace_sync();
	/* Now nothing is counted any more: whoever sees this reads the last counts. */
	smp_store_release(&s->header->state, FT_SENSOR_GONE);
	ft_pairing_free(pairing);
}

static void ft_sensor_undo(void *data)
{
	struct ft_sensor_making *making = data;

	ft_sensor_detach(making->s, false);
}

int ft_sensor_new(const void *owner, struct ft_sensor *def, struct ft_sensor_range *ranges,
		  u64 *serial)
{
	struct ft_sensor_making making = { .def = def, .serial = serial };
	unsigned int count;
	u32 ids[2];
	int err;

	err = ft_sensor_check(def, ranges);
	if (err) {
		kvfree(ranges);
		return err;
	}
	making.s = ft_sensor_make(owner, def, ranges);
	if (IS_ERR(making.s))
		return PTR_ERR(making.s);
	count = ft_sensor_events(def, ids);
	err = ft_table_sense(ids, count, ft_sensor_attach, ft_sensor_undo, &making);
	if (err)
		ft_sensor_free(making.s);
	return err;
}

static void ft_sensor_remove(struct ft_sensor_object *s)
{
	ft_sensor_detach(s, true);
	ft_sensor_free(s);
}

int ft_sensor_end(const void *owner, u32 number, u64 serial)
{
	struct ft_sensor_object *s;
	int err = 0;

	mutex_lock(&ft_trace_mutex);
	s = number <= FT_SENSORS_MAX ? ft_sensors[number] : NULL;
	if (!s || s->serial != serial)
		err = -ENOENT;
	else if (s->owner && s->owner != owner)
		err = -EPERM;
	else
		ft_sensor_remove(s);
	mutex_unlock(&ft_trace_mutex);
	return err;
}

void ft_sensor_end_all(const void *owner)
{
	u32 number;

	mutex_lock(&ft_trace_mutex);
	for (number = 1; number <= FT_SENSORS_MAX; number++)
		if (ft_sensors[number] && (!owner || ft_sensors[number]->owner == owner))
			ft_sensor_remove(ft_sensors[number]);
	mutex_unlock(&ft_trace_mutex);
}

int ft_sensor_next(struct ft_sensor_info *info)
{
	u32 number = max(info->sensor.number, 1u);
	const struct ft_sensor_object *s = NULL;

	mutex_lock(&ft_trace_mutex);
	while (number <= FT_SENSORS_MAX && !ft_sensors[number])
		number++;
	if (number <= FT_SENSORS_MAX) {
		s = ft_sensors[number];
		memset(info, 0, sizeof(*info));
		info->sensor = s->def;
		info->serial = s->serial;
		info->offset = ft_sensor_offset(number);
		info->size = s->size;
	}
	mutex_unlock(&ft_trace_mutex);
	return s ? 0 : -ENOENT;
}

/* --- callbacks of great values ---------------------------------------------------------- */

static void ft_sensor_set_limit(struct ft_sensor_object *s)
{
	const struct ft_sensor *def = &s->def;
	const struct ft_told *told;
	u64 limit;

	if (!s->sense.gates)
		return;
	limit = ft_sensor_limit(def->axis[0].bins, def->axis[0].bits);
	for (told = s->sense.told; told; told = told->next)
		limit = min(limit, told->longer);
	WRITE_ONCE(s->sense.limit, limit);
}

/* A probe that is running may still open a gate to the old limit, so they are waited for. */
static void ft_sensor_close_gates(struct ft_sensor_object *s)
{
	struct ft_row *row;
	unsigned int cpu;
	u32 i;

	ft_trace_sync();
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		row = ft_layout_first_row(s->header, cpu);
		for (i = 0; i < s->header->rows; i++, row = ft_row_at(row, 1))
			ft_row_close(row, s->sense.limit);
	}
}

int ft_sensor_tell(u32 number, u64 longer, struct ft_told *told)
{
	struct ft_sensor_object *s;

	lockdep_assert_held(&ft_trace_mutex);
	s = number <= FT_SENSORS_MAX ? ft_sensors[number] : NULL;
	if (!s)
		return -ENOENT;
	if (s->def.kind == FT_SENSOR_COUNTER || s->def.axis[0].flags & FT_AXIS_SIGNED)
		return -EINVAL;
	told->longer = s->def.axis[0].value == FT_VALUE_TIME ?
		       mul_u64_u64_div_u64(longer, s->header->clock_hz, NSEC_PER_SEC) : longer;
	told->next = s->sense.told;
	/* Pairs with the acquire in ft_sense_tell(). */
	smp_store_release(&s->sense.told, told);
	ft_sensor_set_limit(s);
	ft_sensor_close_gates(s);
	return 0;
}

void ft_sensor_untell(struct ft_told *told)
{
	struct ft_told **at;
	u32 number;

	lockdep_assert_held(&ft_trace_mutex);
	for (number = 1; number <= FT_SENSORS_MAX; number++) {
		if (!ft_sensors[number])
			continue;
		for (at = &ft_sensors[number]->sense.told; *at; at = &(*at)->next) {
			if (*at != told)
				continue;
			/* A reader that is at it still finds the next one. */
			WRITE_ONCE(*at, told->next);
			ft_sensor_set_limit(ft_sensors[number]);
			return;
		}
	}
}

/* All pages at once: one that is mapped keeps its memory whatever becomes of the sensor. */
int ft_sensor_map(u32 number, struct vm_area_struct *vma)
{
	size_t length = vma->vm_end - vma->vm_start;
	struct ft_sensor_object *s;
	int err;

	if (!number)
		return length > ft_sensor_directory_size() ? -EINVAL :
		       remap_vmalloc_range(vma, ft_sensor_directory, 0);
	/*
	 * mmap_lock is held. The holder of ft_trace_mutex may wait for the lock of CPU hotplug,
	 * whose holder may wait for an mmap_lock.
	 */
	mutex_lock(&ft_sensor_slots_mutex);
	s = number <= FT_SENSORS_MAX ? ft_sensors[number] : NULL;
	if (!s)
		err = -ENXIO;
	else if (length > s->size)
		err = -EINVAL;
	else
		err = remap_vmalloc_range(vma, s->header, 0);
	mutex_unlock(&ft_sensor_slots_mutex);
	return err;
}

int ft_sensor_init(void)
{
	struct ft_sensor_directory *directory;
	int err;

	directory = vmalloc_user(ft_sensor_directory_size());
	if (!directory)
		return -ENOMEM;
	err = ft_idle_init();
	if (err) {
		vfree(directory);
		return err;
	}
	directory->magic = FT_SENSOR_DIRECTORY_MAGIC;
	directory->version = FT_SENSOR_VERSION;
	directory->header_bytes = sizeof(*directory);
	directory->entry_bytes = sizeof(struct ft_sensor_entry);
	directory->entries = FT_SENSORS_MAX;
	directory->size = ft_sensor_directory_size();
	ft_sensor_directory = directory;
	ft_sense_init();
	return 0;
}

void ft_sensor_exit(void)
{
	ft_sense_exit();
	ft_idle_exit();
	vfree(ft_sensor_directory);
}
