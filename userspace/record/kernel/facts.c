// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Facts of the kernel's trace, for session files: see facts.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/uuid.h"
#include "control/device.h"
#include "record/early_bound.h"
#include "record/kernel/facts.h"
#include "trace/session_file.h"

static void put_events(FILE *f, const struct events *events)
{
	char *text = NULL;
	size_t len;
	FILE *names = open_memstream(&text, &len);

	if (names) {
		events_print_chosen(events, names, ",");
		fclose(names);
	}
	session_put(f, "events", "%s", text ? text : "");
	free(text);
}

void record_facts_trace(FILE *f, const struct events *events, const struct ft_info *info,
			int64_t early)
{
	char uuid[UUID_LEN];

	put_events(f, events);
	uuid_format(uuid, info->uuid);
	session_put(f, "uuid", "%s", uuid);
	session_put(f, "clock", "%s", device_clock_name(info->clock));
	session_put(f, "clock_hz", "%llu", info->clock_hz);
	record_early_put(f, early, info->clock_hz);
	session_put(f, "acquire_clock", "%s", device_acquire_clock(info));
}

void record_facts_lost(FILE *f, unsigned int cpu, uint64_t lost)
{
	char key[32];

	snprintf(key, sizeof(key), "lost.cpu%u", cpu);
	session_put(f, key, "%" PRIu64, lost);
}
