// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The sensors of a session: joining and leaving them; sensors that this program makes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libfeathertrace/event_sensors.h"
#include "libfeathertrace/process.h"
#include "libfeathertrace/sense.h"
#include "libfeathertrace/sensors_init.h"
#include "libfeathertrace/text.h"

struct ft_sensed *ft_sensed;
struct ft_sensing ft_sensing;

/* --- joining -------------------------------------------------------------- */

/* Another descriptor of the process that has the session open. Return: false: too long. */
static bool sibling(char *to, size_t size, const char *path, __u32 fd)
{
	const char *end = strrchr(path, '/');
	int n = end ? snprintf(to, size, "%.*s%u", (int)(end + 1 - path), path, fd) : -1;

	return n > 0 && (size_t)n < size;
}

int ft_sensors_join(const char *path, const struct ft_session *session)
{
	const __u64 size = ft_sensed_size();
	struct ft_sensed *sensed;
	char name[64];
	struct stat st;
	int fd;

	if (!session->sensors)
		return 0;
	if (!sibling(name, sizeof(name), path, session->sensors))
		return ENAMETOOLONG;
	fd = open(name, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return errno;
	if (fstat(fd, &st) || (__u64)st.st_size < size) {
		close(fd);
		return EBADMSG;
	}
	sensed = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	close(fd);
	if (sensed == MAP_FAILED)
		return errno;
	madvise(sensed, size, MADV_DONTDUMP);
	ft_sense_init_locks();
	ft_sensing = (struct ft_sensing){ true, session->recorded, session->sensors_by };
	__atomic_store_n(&ft_sensed, sensed, __ATOMIC_RELEASE);
	return 0;
}

void ft_sensors_forget(void)
{
	__atomic_store_n(&ft_sensed, NULL, __ATOMIC_SEQ_CST);
	ft_sensing.on = false;
}

/* --- leaving -------------------------------------------------------------- */

#define WAIT_ROUNDS	1000	/* ms */

static bool wait_for_counters(void)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	__u32 rounds = 0;

	for (__u32 i = 0; i < FT_SENSED_COPIES;) {
		if (!__atomic_load_n(&ft_private->counting[i], __ATOMIC_ACQUIRE))
			i++;
		else if (rounds++ < WAIT_ROUNDS)
			nanosleep(&ms, NULL);
		else
			return false;
	}
	return true;
}

/* A thread says that it counts before it looks at @ft_sensed: see count_begin(). */
void ft_sensors_leave(void)
{
	struct ft_sensed *sensed = ft_sensed;

	if (!sensed)
		return;
	/* what is not recorded is not recorded from now on, either */
	__atomic_store_n(&ft_sensed, NULL, __ATOMIC_SEQ_CST);
	ft_text_sync();		/* each thread is before the one, or behind the other */
	if (wait_for_counters())
		munmap(sensed, ft_sensed_size());
	ft_message("this program locks its memory: its sensors end here", NULL);
}

/* --- sensors that programs make -------------------------------------------- */

/* By their numbers. This process counts by these, and no other can change them. */
static struct ft_sense made[FT_SENSORS_MAX];

static void name_it(struct ft_sense_name *name, const struct ft_event_sensor *s)
{
	struct timespec now;

	memset(name, 0, sizeof(*name));
	strncpy(name->name, s->event->name, sizeof(name->name) - 1);
	strncpy(name->unit, s->unit, sizeof(name->unit) - 1);
	name->clock = ft_session->clock;
	clock_gettime(CLOCK_MONOTONIC, &now);
	name->ticks = (__u64)now.tv_sec * 1000000000u + (__u64)now.tv_nsec;
#ifdef __x86_64__
	if (ft_session->clock == FT_CLOCK_TSC)
		name->ticks = __builtin_ia32_rdtsc();
#endif
}

static bool is_same(const struct ft_sensor_header *h, const struct ft_sense *sense,
		    const struct ft_sense_name *name)
{
	return h->sensor.kind == sense->kind && !memcmp(h->sensor.name, name->name, FT_NAME_LEN) &&
	       !memcmp(h->sensor.unit, name->unit, sizeof(name->unit));
}

/* Is there room for a sensor there, whatever another process has written? */
static bool fits(__u64 at, const struct ft_sense *sense)
{
	__u64 end = ft_sensed_size(), size = ft_sense_size(sense);

	return at >= end - FT_SENSED_ROOM && !(at % 4096) && at <= end && size <= end - at;
}

static const struct ft_sense *keep(__u32 i, const struct ft_sense *wanted, __u64 at)
{
	made[i] = *wanted;
	made[i].at = at;
	return &made[i];
}

/* Return: the sensor @i, if it is the one that is wanted; @i is READY. */
static const struct ft_sense *find(__u32 i, const struct ft_sense *wanted,
				   const struct ft_sense_name *name)
{
	struct ft_sense there = *wanted;

	there.at = ft_sensed->entry[i].offset;
	if (!fits(there.at, wanted) || !is_same(ft_sensed_header(ft_sensed, &there), wanted, name))
		return NULL;
	return keep(i, wanted, there.at);
}

/* Return: the sensor @i, which is ours to fill; NULL: there is no room. */
static const struct ft_sense *make(__u32 i, const struct ft_sense *wanted,
				   const struct ft_sense_name *name)
{
	__u64 size = ft_sense_size(wanted);
	__u64 at = __atomic_fetch_add(&ft_sensed->free, size, __ATOMIC_RELAXED);
	const struct ft_sense *sense;

	if (!fits(at, wanted))
		return NULL;
	sense = keep(i, wanted, at);
	ft_sense_enter(ft_sensed, i, sense, name);
	return sense;
}

/*
 * As events get their numbers: two processes that enter a name at one moment may both
 * succeed. Monitors add up nothing then, but show both.
 */
const struct ft_sense *ft_event_sensor_make(const struct ft_event_sensor *s)
{
	const struct ft_sense *sense;
	struct ft_sense_name name;
	struct ft_sense wanted;

	name_it(&name, s);
	ft_sense_init(&wanted, 0, (enum ft_sensor_kind)s->kind, 0,
		      s->kind == FT_SENSOR_HISTOGRAM ? FT_SENSED_WORDS : 0);
	for (__u32 i = FT_SENSED_LOCKS; i < FT_SENSORS_MAX; i++) {
		__u32 state = FT_ENTRY_FREE;

		if (__atomic_compare_exchange_n(&ft_sensed->state[i], &state, FT_ENTRY_BUSY, false,
						__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
			return make(i, &wanted, &name);
		sense = state == FT_ENTRY_READY ? find(i, &wanted, &name) : NULL;
		if (sense)
			return sense;
	}
	return NULL;
}
