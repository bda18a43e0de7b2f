// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Finds locks in records: see seen.h. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/map.h"
#include "record/locks/seen.h"

/* Share of a thread's time; and how far it may run ahead of that. */
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

static void look(struct locks_seen *seen, const struct ft_record *record)
{
	uint8_t family = seen->family[record->id];
	uint64_t key, *place;

	if (!family)
		return;
	/* a raw spinlock may be in a lock at the same address (names/names.c); bit 0 is free */
	key = record->a | (family == FT_LOCK_RAW_SPIN + 1);
	place = &seen->place[map_hash(key) % LOCKS_SEEN_PLACES];
	if (*place == key)
		return;
	*place = key;
	lock_names_offer(seen->names, record->a, record->b, family - 1);
}

void locks_seen_scan(struct locks_seen *seen, const struct ft_record *records, size_t n)
{
	double before, may;

	if (!seen)
		return;
	before = thread_seconds();
	may = (monotonic_now() - seen->begun) * SHARE + AHEAD_SECONDS;
	if (seen->spent >= may) {
		seen->skipped += n;
		return;
	}
	for (size_t i = 0; i < n; i++)
		look(seen, &records[i]);
	seen->spent += thread_seconds() - before;
}

void locks_seen_end(struct locks_seen *seen)
{
	if (!seen)
		return;
	lock_names_skipped(seen->names, seen->skipped);
	free(seen);
}
