// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft run --sensors: see sensors.h. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libfeathertrace/sensors_init.h"
#include "record/program/sensors.h"
#include "trace/families.h"

/* Reading the symbols of a large program takes a while. */
#define NAMES_SECONDS	2.0

static void make_directory(struct ft_sensed *sensed)
{
	sensed->directory = (struct ft_sensor_directory){
		.magic = FT_SENSOR_DIRECTORY_MAGIC,
		.version = FT_SENSOR_VERSION,
		.header_bytes = offsetof(struct ft_sensed, entry),
		.entry_bytes = sizeof(struct ft_sensor_entry),
		.size = offsetof(struct ft_sensed, state),
	};
}

static void make_locks(struct run *run, struct ft_sensed *sensed)
{
	struct ft_sense senses[FT_SENSED_LOCKS];
	struct ft_sense_name name = { .unit = "ticks", .clock = run->clock.source,
				      .split = FT_SPLIT_SITE + run->senses_by };

	sensed->free = ft_sensed_locks(senses);
	name.ticks = run_clock_now(&run->clock);
	for (__u32 i = 0; i < FT_SENSED_LOCKS; i++) {
		sensed->state[i] = FT_ENTRY_BUSY;
		if (!(i % 2) && !ft_sensed_is_held((enum ft_user_family)(i / 2)))
			continue;
		snprintf(name.name, sizeof(name.name), "lock/%s/%s",
			 locks_name(LOCKS_USER + i / 2), i % 2 ? "wait" : "hold");
		ft_sense_enter(sensed, i, &senses[i], &name);
	}
}

/*
 * With vm.overcommit_memory = 2 a page of the file that is touched first may be one that the
 * kernel does not have.
 */
static bool memory_is_promised(void)
{
	FILE *f = fopen("/proc/sys/vm/overcommit_memory", "re");
	int mode = f ? fgetc(f) : '2';

	if (f)
		fclose(f);
	return mode != '2';
}

/* Not descriptor 0, which means that there are none. */
static int new_memory(void)
{
	int fd = memfd_create(FT_SENSED_MEMORY, MFD_CLOEXEC | MFD_ALLOW_SEALING), other;

	if (fd)
		return fd;
	other = fcntl(fd, F_DUPFD_CLOEXEC, 1);
	close(fd);
	return other;
}

bool run_sensors_make(struct run *run)
{
	const __u64 size = ft_sensed_size();
	struct ft_sensed *sensed;

	if (!run->senses)
		return true;
	if (!memory_is_promised()) {
		warnx("--sensors needs memory that the kernel gives when it is touched; here "
		      "vm.overcommit_memory is 2");
		return false;
	}
	run->sensors = new_memory();
	/* sealed: if a program could truncate it, monitors would die of SIGBUS */
	if (run->sensors < 0 || ftruncate(run->sensors, (off_t)size) ||
	    fcntl(run->sensors, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		goto err;
	sensed = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
		      run->sensors, 0);
	if (sensed == MAP_FAILED)
		goto err;
	run->sensed = sensed;
	make_directory(sensed);
	make_locks(run, sensed);
	if (!realpath(run->dir->path, sensed->names))
		sensed->names[0] = '\0';
	return true;
err:
	warn("no memory for the sensors (%llu MiB, most of which would not be used)",
	     size >> 20);
	return false;
}

/* Return: NULL if there is no sensor @i; what programs have written there may be anything. */
static struct ft_sensor_header *header_of(struct ft_sensed *sensed, __u32 i)
{
	__u64 at;

	if (__atomic_load_n(&sensed->state[i], __ATOMIC_SEQ_CST) != FT_ENTRY_READY)
		return NULL;
	at = ft_any_load(&sensed->entry[i].offset);
	if (!at || at % 4096 || at >= ft_sensed_size())
		return NULL;
	return (struct ft_sensor_header *)((char *)sensed + at);
}

/* A program enters its sensor, then reads the rate: one of the two sees the other's store. */
void run_sensors_show_clock(struct run *run)
{
	struct ft_sensed *sensed = run->sensed;

	if (!sensed || !run->clock.hz || ft_any_load(&sensed->directory.entries))
		return;
	__atomic_store_n(&sensed->clock_hz, run->clock.hz, __ATOMIC_SEQ_CST);
	for (__u32 i = 0; i < FT_SENSORS_MAX; i++) {
		struct ft_sensor_header *h = header_of(sensed, i);

		if (h)
			ft_any_store(&h->clock_hz, run->clock.hz);
	}
	__atomic_store_n(&sensed->directory.entries, FT_SENSORS_MAX, __ATOMIC_RELEASE);
	__atomic_fetch_add(&sensed->directory.generation, 2, __ATOMIC_RELEASE);
}

/*
 * What a thread was writing when it was killed would seem to be written for ever. A greatest value
 * may have the time and the place of the one before it then.
 */
static void settle_mark(struct ft_sensor_mark *mark)
{
	__u64 seq = ft_any_load(&mark->seq);

	if (seq % 2)		/* the first time, not all of it is there */
		__atomic_store_n(&mark->seq, seq == 1 ? 0 : seq + 1, __ATOMIC_RELEASE);
}

/* Not by the mapping: to look at a copy that was never used would give it memory. */
static bool is_used(const struct run *run, __u64 at)
{
	__u64 used = 0;

	return pread(run->sensors, &used, sizeof(used), (off_t)at) == sizeof(used) && used;
}

/* @at: where the sensor is; @h: a copy of its header, which may say anything. */
static void settle_copy(struct run *run, __u64 at, const struct ft_sensor_header *h, __u32 copy)
{
	const __u64 end = ft_sensed_size(), rows = (__u64)h->rows * h->row_bytes;
	const __u64 marks = h->marks + FT_SENSED_MARKS * sizeof(struct ft_sensor_mark);

	at += h->copies_offset + (__u64)copy * h->copy_bytes;
	if (h->n_marks != FT_SENSED_MARKS || h->mark_bytes != sizeof(struct ft_sensor_mark) ||
	    h->marks % 8 || h->row_bytes % 8 || h->rows_offset % 8 || at % 8 ||
	    h->rows > FT_SENSOR_ROWS_MAX + 1 || marks > h->row_bytes ||
	    at + h->used + sizeof(__u64) > end || at + h->rows_offset + rows > end ||
	    !is_used(run, at + h->used))
		return;
	at += h->rows_offset + h->marks;
	for (__u32 row = 0; row < h->rows; row++, at += h->row_bytes) {
		struct ft_sensor_mark *mark = (void *)((char *)run->sensed + at);

		for (__u32 i = 0; i < FT_SENSED_MARKS; i++)
			settle_mark(&mark[i]);
	}
}

void run_sensors_settle(struct run *run, __u32 copy)
{
	for (__u32 i = 0; run->sensed && copy < FT_SENSED_COPIES && i < FT_SENSORS_MAX; i++) {
		const struct ft_sensor_header *shared = header_of(run->sensed, i);
		struct ft_sensor_header h;

		if (!shared)
			continue;
		memcpy(&h, shared, sizeof(h));
		__atomic_signal_fence(__ATOMIC_SEQ_CST);	/* from here on, the copy */
		settle_copy(run, (__u64)((const char *)shared - (char *)run->sensed), &h, copy);
	}
}

bool run_sensors_look(struct run *run, double now)
{
	__u32 objects = run_objects(run);

	if (!run->sensed || objects == run->named_objects || now < run->next_names)
		return true;
	run->named_objects = objects;
	run->next_names = now + NAMES_SECONDS;
	return run_objects_save(run);
}

void run_sensors_end(struct run *run)
{
	for (__u32 i = 0; run->sensed && i < FT_SENSORS_MAX; i++) {
		struct ft_sensor_header *h = header_of(run->sensed, i);

		if (h)
			ft_any_store(&h->state, FT_SENSOR_GONE);
	}
}

void run_sensors_free(struct run *run)
{
	if (run->sensed)
		munmap(run->sensed, ft_sensed_size());
	if (run->sensors >= 0)
		close(run->sensors);
	run->sensed = NULL;
	run->sensors = -1;
}
