// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Finds locks in records: see locks_seen.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/map.h"
#include "record/kernel/locks_seen.h"
#include "record/kernel/packets.h"

/* Of a thread's time; and how far ahead of that it may be. */
#define SHARE		0.01
#define AHEAD_SECONDS	0.02

static double thread_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

struct locks_seen *locks_seen_new(struct lock_names *names, const uint8_t *family)
{
	struct locks_seen *seen = calloc(1, sizeof(*seen));

	if (seen)
		*seen = (struct locks_seen){ .names = names, .family = family,
					     .begun = monotonic_now() };
	return seen;
}

static void look(struct locks_seen *seen, const struct ft_record *rec)
{
	uint8_t family = seen->family[rec->id];
	uint64_t *place;

	if (!family)
		return;
	place = &seen->place[map_hash(rec->a) % LOCKS_SEEN_PLACES];
	if (*place == rec->a)
		return;
	*place = rec->a;
	lock_names_offer(seen->names, rec->a, rec->b, family - 1);
}

static void look_at_packet(struct locks_seen *seen, const char *records, size_t n)
{
	struct ft_record rec;

	for (size_t i = 0; i < n; i++) {
		memcpy(&rec, records + i * sizeof(rec), sizeof(rec));
		look(seen, &rec);
	}
}

void locks_seen_scan(struct locks_seen *seen, const char *p, size_t len)
{
	double before, may;
	const char *records;
	size_t bytes, n;

	if (!seen)
		return;
	before = thread_seconds();
	may = (monotonic_now() - seen->begun) * SHARE + AHEAD_SECONDS;
	for (; (bytes = packets_first(p, len, &records, &n)); p += bytes, len -= bytes) {
		if (seen->spent < may)
			look_at_packet(seen, records, n);
		else
			seen->skipped += n;
	}
	seen->spent += thread_seconds() - before;
}

void locks_seen_end(struct locks_seen *seen)
{
	if (!seen)
		return;
	lock_names_skipped(seen->names, seen->skipped);
	free(seen);
}
