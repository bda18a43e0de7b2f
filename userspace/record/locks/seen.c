// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Finds locks in records: see seen.h. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/map.h"
#include "record/locks/seen.h"
#include "record/kernel/packets.h"

/* Of a thread's time; and how far ahead of that it may be. */
#define SHARE		0.01
#define AHEAD_SECONDS	0.02

struct locks_seen *locks_seen_new(struct lock_names *names, const uint8_t *family)
{
	struct locks_seen *seen = calloc(1, sizeof(*seen));

	if (seen)
		*seen = (struct locks_seen){ .names = names, .family = family,
					     .begun = monotonic_now() };
	return seen;
}

static void look(struct locks_seen *seen, const char *record)
{
	uint64_t lock, key, site, *place;
	uint8_t family;
	uint16_t id;

	memcpy(&id, record + offsetof(struct ft_record, id), sizeof(id));
	family = seen->family[id];
	if (!family)
		return;
	memcpy(&lock, record + offsetof(struct ft_record, a), sizeof(lock));
	/* a raw spinlock may be in a lock at the same address (names/names.c); bit 0 is free */
	key = lock | (family == FT_LOCK_RAW_SPIN + 1);
	place = &seen->place[map_hash(key) % LOCKS_SEEN_PLACES];
	if (*place == key)
		return;
	*place = key;
	memcpy(&site, record + offsetof(struct ft_record, b), sizeof(site));
	lock_names_offer(seen->names, lock, site, family - 1);
}

static void look_at_packet(struct locks_seen *seen, const char *records, size_t n)
{
	for (size_t i = 0; i < n; i++)
		look(seen, records + i * sizeof(struct ft_record));
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
