// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft requests: where the time of requests went, and what slow ones have that others have not. */
#include <string.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/usage.h"
#include "ft/commands.h"
#include "trace/scheduler_events.h"
#include "why/requests.h"

struct asked {
	struct requests_asked	requests;
	bool			json, tsv;
};

static const struct option_row options[] = {
	OPTION_TITLE("Events that delimit requests:"),
	{ 0, "begin", "EVENT", "begins one, or a thread joins it (default: request_begin)",
	  OPTION_TEXT(struct asked, requests.event[REQUEST_BEGIN]) },
	{ 0, "end", "EVENT", "ends one (default: request_end)",
	  OPTION_TEXT(struct asked, requests.event[REQUEST_END]) },
	{ 0, "join", "EVENT", "a thread joins one (default: request_join)",
	  OPTION_TEXT(struct asked, requests.event[REQUEST_JOIN]) },
	{ 0, "leave", "EVENT", "a thread leaves one (default: request_leave)",
	  OPTION_TEXT(struct asked, requests.event[REQUEST_LEAVE]) },
	{ 0, "id", "FIELD", "the field with the request's id (default: the first of each event)",
	  OPTION_TEXT(struct asked, requests.id) },
	OPTION_TITLE("What is shown:"),
	{ 0, "limit", "N", "show the N slowest (default: 10)",
	  OPTION_NUMBER(struct asked, requests.limit) },
	{ 'n', "top", "N", "show N rows of each table (default: 10; 0: all)",
	  OPTION_ROWS(struct asked, requests.top) },
	OPTION_TITLE("Names, and output:"),
	OPTION_GROUP(struct asked, requests.symbols, symbols_option_table),
	{ 0, "json", NULL, "print the answer as one JSON object", OPTION_FLAG(struct asked, json) },
	{ 0, "tsv", NULL, "print a line for each request, with tabs",
	  OPTION_FLAG(struct asked, tsv) },
	{ }
};

/* Return: -1, or the exit status after a message */
static int check_events(const char *const event[REQUEST_ROLES])
{
	static const char *const roles[] = REQUEST_ROLE_WORDS;

	for (unsigned int i = 0; i < REQUEST_ROLES; i++) {
		for (unsigned int k = 0; k < i; k++) {
			if (!strcmp(event[i], event[k]))
				return usage_error("requests", "--%s and --%s are the same event: "
						   "'%s'", roles[k], roles[i], event[i]);
		}
	}
	return -1;
}

static int show(const struct requests *r, const struct asked *o)
{
	if (o->json)
		requests_json(r);
	else if (o->tsv)
		requests_tsv(r);
	else
		requests_text(r);
	return flush_output(trace_status(&r->why->trace));
}

static int requests_main(int argc, char **argv)
{
	struct asked o = {
		.requests = {
			.event = REQUEST_EVENTS,
			.limit = 10, .top = 10,
		},
	};
	int ret = options_parse(&requests_command, &o, &argc, &argv);
	const struct requests *r;

	if (ret < 0)
		ret = symbols_options_check(&o.requests.symbols, "requests");
	if (ret < 0 && o.json && o.tsv)
		ret = usage_error("requests", "--json or --tsv, not both");
	if (ret < 0)
		ret = check_events(o.requests.event);
	if (ret >= 0)
		return ret;
	r = requests_read(&o.requests, argv);
	ret = r ? show(r, &o) : FT_EXIT_ERROR;
	requests_free(r);
	return ret;
}

const struct command requests_command = {
	.name = "requests",
	.about = "Tells where the time of requests went, and what slow ones waited for",
	.usage = "[OPTION]... TRACE...",
	.text = "Takes each request apart, from the mark that begins it to the one that ends it,\n"
		"in all threads that worked for it: as 'ft why' does. Sets the requests around\n"
		"p50 and those from p99 on side by side: by cause, by class of lock, by holder.\n"
		"Marks are events of a program whose first word is the request's id, or 'ft mark\n"
		"begin ID' and 'ft mark end ID'. Causes need events of the scheduler:\n"
		"  " SCHEDULER_RECORD " -o TRACE\n",
	.options = options,
	.notes = "Exit status: 0 all well, 1 error, 2 usage, 3 records were lost.\n",
	OPERAND_TRACES,
	.main = requests_main,
};
