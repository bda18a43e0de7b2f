// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft list: the events that can be traced. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "control/device.h"
#include "control/events.h"
#include "ft/commands.h"
#include "ft/output.h"
#include "ft/pid.h"

static const char help[] =
	"Usage: ft list [--pid PID] [--tsv | --json]\n"
	"\n"
	"Lists the events that can be traced. 'on' says how often an event is\n"
	"enabled at present, and in parentheses how many of these last until\n"
	"'ft disable'; 'places' is how many places in the code announce it.\n"
	"\n"
	"      --pid PID  events of a program that runs (libfeathertrace)\n"
	"      --tsv   tab separated, with a line of titles\n"
	"      --json  an array of objects\n";

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
	putchar('[');
	for (size_t i = 0; i < events->n; i++) {
		const struct ft_event_info *e = &events->info[i];

		printf("%s\n  {\"id\": %u, \"name\": ", i ? "," : "", e->id);
		json_string(stdout, e->name);
		printf(", \"fields\": [");
		json_string(stdout, e->field[0]);
		printf(", ");
		json_string(stdout, e->field[1]);
		printf("], \"enabled\": %u, \"persistent\": %u, "
		       "\"triggers\": %u, \"owner\": ",
		       e->enabled, e->persistent, e->triggers);
		json_string(stdout, e->owner);
		putchar('}');
	}
	puts("\n]");
}

int list_main(int argc, char **argv)
{
	enum output_format format;
	struct events events;
	struct ft_info info;
	int control, ret;
	pid_t pid = 0;

	ret = output_options(argc, argv, help, &format, &pid);
	if (ret >= 0)
		return ret;
	if (pid)
		return pid_list(pid, format);
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
