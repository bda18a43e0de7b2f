// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The module's event table as text, TSV and JSON. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/output.h"
#include "control/events.h"

static void list_text(const struct events *events)
{
	int width = 5;

	for (size_t i = 0; i < events->n; i++) {
		int len = strlen(events->info[i].name);

		width = len > width ? len : width;
	}
	printf("%5s  %-*s  %-9s %6s  %-12s %s\n",
	       "id", width, "event", "on", "places", "owner", "fields");
	for (size_t i = 0; i < events->n; i++) {
		const struct ft_event_info *e = &events->info[i];
		char on[32] = "-";

		if (e->persistent)
			snprintf(on, sizeof(on), "%u (%u)",
				 e->enabled, e->persistent);
		else if (e->enabled)
			snprintf(on, sizeof(on), "%u", e->enabled);
		printf("%5u  %-*s  %-9s %6u  %-12s ", e->id, width, e->name, on,
		       e->triggers, e->owner);
		events_print_fields(events, i, stdout, ", ");
		putchar('\n');
	}
}

static void list_tsv(const struct events *events)
{
	puts("id\tname\tfield_a\tfield_b\tenabled\tpersistent\ttriggers\towner\tfields");
	for (size_t i = 0; i < events->n; i++) {
		const struct ft_event_info *e = &events->info[i];

		printf("%u\t%s\t%s\t%s\t%u\t%u\t%u\t%s\t", e->id, e->name,
		       e->field[0], e->field[1], e->enabled, e->persistent,
		       e->triggers, e->owner);
		events_print_fields(events, i, stdout, ",");
		putchar('\n');
	}
}

static void list_json(const struct events *events)
{
	struct json j = { .f = stdout, .flat = 1 };

	json_array(&j, NULL);
	for (size_t i = 0; i < events->n; i++) {
		const struct ft_event_info *e = &events->info[i];

		json_object(&j, NULL);
		json_number(&j, "id", "%u", e->id);
		json_text(&j, "name", e->name);
		json_array(&j, "fields");
		for (unsigned int k = 0; k < events->fields[i].count; k++) {
			if (events->fields[i].field[k].name[0])
				json_text(&j, NULL, events->fields[i].field[k].name);
		}
		json_end(&j);
		json_number(&j, "enabled", "%u", e->enabled);
		json_number(&j, "persistent", "%u", e->persistent);
		json_number(&j, "triggers", "%u", e->triggers);
		json_text(&j, "owner", e->owner);
		json_end(&j);
	}
	json_end(&j);
}

void events_list(const struct events *events, enum output_format format)
{
	if (format == OUTPUT_TSV)
		list_tsv(events);
	else if (format == OUTPUT_JSON)
		list_json(events);
	else
		list_text(events);
}
