// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft list: the events that can be traced. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/json.h"
#include "base/output.h"
#include "control/device.h"
#include "control/events.h"
#include "ft/commands.h"
#include "ft/pid.h"

static void list_text(const struct events *events)
{
	int width = 5;

	for (size_t i = 0; i < events->n; i++) {
		int len = strlen(events->info[i].name);

		width = len > width ? len : width;
	}
	printf("%5s  %-*s  %-9s %6s  %-21s %s\n",
	       "id", width, "event", "on", "places", "fields", "owner");
	for (size_t i = 0; i < events->n; i++) {
		const struct ft_event_info *e = &events->info[i];
		char on[32] = "-", fields[2 * FT_FIELD_LEN + 2];

		if (e->persistent)
			snprintf(on, sizeof(on), "%u (%u)",
				 e->enabled, e->persistent);
		else if (e->enabled)
			snprintf(on, sizeof(on), "%u", e->enabled);
		snprintf(fields, sizeof(fields), "%s, %s",
			 e->field[0], e->field[1]);
		printf("%5u  %-*s  %-9s %6u  %-21s %s\n", e->id, width, e->name,
		       on, e->triggers, fields, e->owner);
	}
}

static void list_tsv(const struct events *events)
{
	puts("id\tname\tfield_a\tfield_b\tenabled\tpersistent\ttriggers\towner");
	for (size_t i = 0; i < events->n; i++) {
		const struct ft_event_info *e = &events->info[i];

		printf("%u\t%s\t%s\t%s\t%u\t%u\t%u\t%s\n", e->id, e->name,
		       e->field[0], e->field[1], e->enabled, e->persistent,
		       e->triggers, e->owner);
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
		json_text(&j, NULL, e->field[0]);
		json_text(&j, NULL, e->field[1]);
		json_end(&j);
		json_number(&j, "enabled", "%u", e->enabled);
		json_number(&j, "persistent", "%u", e->persistent);
		json_number(&j, "triggers", "%u", e->triggers);
		json_text(&j, "owner", e->owner);
		json_end(&j);
	}
	json_end(&j);
}

static int list_kernel(enum output_format format)
{
	struct events events;
	struct ft_info info;
	int control;

	control = device_look_control(&info);
	if (control < 0)
		return FT_EXIT_ERROR;
	if (!events_load(&events, control)) {
		close(control);
		return FT_EXIT_ERROR;
	}
	if (format == OUTPUT_TSV)
		list_tsv(&events);
	else if (format == OUTPUT_JSON)
		list_json(&events);
	else
		list_text(&events);
	events_free(&events);
	close(control);
	return flush_output(FT_EXIT_OK);
}

struct list {
	struct output	output;
	pid_t		pid;
};

static const struct option_row options[] = {
	{ 0, "pid", "PID", "events of a program that runs (libfeathertrace)",
	  OPTION_CALL(struct list, pid, pid_take) },
	OPTION_GROUP(struct list, output, output_options),
	{ }
};

static int list_main(int argc, char **argv)
{
	struct list l = { 0 };
	int ret = options_parse(&list_command, &l, &argc, &argv);

	if (ret >= 0)
		return ret;
	return l.pid ? pid_list(l.pid, l.output.format) : list_kernel(l.output.format);
}

const struct command list_command = {
	.name = "list",
	.about = "Lists the events that can be traced",
	.usage = "[--pid PID] [--tsv | --json]",
	.text = "Lists the events that can be traced. 'on' says how often an event is\n"
		"enabled at present, and in parentheses how many of these last until\n"
		"'ft disable'; 'places' is how many places in the code announce it.\n",
	.options = options,
	.main = list_main,
};
