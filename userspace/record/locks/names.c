// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft record: names of locks: see names.h. */
#include <err.h>
#include <stdlib.h>

#include "record/locks/names.h"
#include "trace/families.h"
#include "trace/session_file.h"

#define NO_THREAD	"no memory or no thread to ask for them"

/* Return: is there an event of a lock that is acquired? */
static bool find_families(uint8_t *family, const struct events *events)
{
	bool any = false;

	for (size_t i = 0; i < events->n; i++) {
		const struct ft_event_info *info = &events->info[i];
		uint8_t kind = locks_kind_of(info->name);

		if (!events->chosen[i] || info->id > FT_ID_MAX ||
		    kind >= 2 * FT_LOCK_FAMILIES || kind % 2)
			continue;
		family[info->id] = kind / 2 + 1;
		any = true;
	}
	return any;
}

void record_locks_start(struct record_locks *locks, const struct events *events)
{
	if (locks->unwanted)
		return;
	locks->family = calloc(FT_ID_MAX + 1, sizeof(*locks->family));
	if (locks->family && !find_families(locks->family, events))
		return;
	locks->names = locks->family ? lock_names_start() : NULL;
	locks->failed = !locks->names;
	if (locks->failed)
		warnx("locks have no names but those of variables: " NO_THREAD);
}

void record_locks_save(struct record_locks *locks, const struct record_dir *dir)
{
	size_t len;
	char *text = locks->names ? lock_names_text(locks->names, &len) : NULL;

	if (text)
		record_dir_replace(dir, SESSION_LOCKS, text, len);
	free(text);
	text = locks->names ? lock_names_calls(locks->names, &len) : NULL;
	if (text)
		record_dir_replace(dir, SESSION_LOCK_CALLS, text, len);
	free(text);
}

void record_locks_stop(struct record_locks *locks, const struct record_dir *dir)
{
	const char *why;

	if (!locks->names || locks->done)
		return;
	locks->done = true;
	lock_names_stop(locks->names);
	record_locks_save(locks, dir);
	why = lock_names_missing(locks->names);
	if (why)
		warnx("locks have no names but those of variables: %s", why);
}

const char *record_locks_state(const struct record_locks *locks, char *buf, size_t len)
{
	return locks->names ? lock_names_state(locks->names, buf, len) :
	       locks->failed ? "none: " NO_THREAD :
	       locks->unwanted ? "none: --no-lock-names" : NULL;
}

void record_locks_free(struct record_locks *locks)
{
	if (locks->names && !locks->done)
		lock_names_stop(locks->names);
	lock_names_free(locks->names);
	free(locks->family);
	*locks = (struct record_locks){ .names = NULL };
}
