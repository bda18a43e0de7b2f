// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft why: why locks were held so long, why waits took so long. */
#include <stdint.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/usage.h"
#include "ft/commands.h"
#include "trace/outside.h"
#include "trace/scheduler_events.h"
#include "why/show.h"

struct asked {
	struct why_asked	why;
	bool			holds, waits;
	unsigned int		by;		/* enum why_by */
	bool			json;
	const char		*html;
};

static const struct option_row options[] = {
	OPTION_TITLE("What is taken apart:"),
	{ 0, "holds", NULL, "only sections: how long locks were held",
	  OPTION_FLAG(struct asked, holds) },
	{ 0, "waits", NULL, "only waits for locks", OPTION_FLAG(struct asked, waits) },
	{ 0, "limit", "N", "take the N longest of each apart (default: 10)",
	  OPTION_NUMBER(struct asked, why.limit) },
	{ 0, "by", "lock|site|class", "sum all up by lock (the default), by call site, or by class "
	  "of lock", OPTION_CHOICE(struct asked, by, why_by_name) },
	{ 'n', "top", "N", "show N rows of each summary (default: 10; 0: all)",
	  OPTION_ROWS(struct asked, why.top) },
	OPTION_TITLE("Only sections and waits that began:"),
	OPTION_GROUP(struct asked, why.filter, filter_option_table),
	OPTION_TITLE("Names, and output:"),
	OPTION_GROUP(struct asked, why.symbols, symbols_option_table),
	{ 0, "json", NULL, "print the answer as one JSON object", OPTION_FLAG(struct asked, json) },
	{ 0, "html", "FILE", "write a page with it to FILE",
	  OPTION_PATH(struct asked, html, COMPLETE_FILE) },
	{ }
};

static int show(const struct why *w, const struct asked *o)
{
	if (o->html && why_page(w, o->html))
		return FT_EXIT_ERROR;
	if (o->json)
		why_json(w);
	else if (!o->html)
		why_text(w);
	return flush_output(trace_status(&w->trace));
}

static int why_main(int argc, char **argv)
{
	struct asked o = { .why = { .limit = 10, .top = 10 } };
	int ret = options_parse(&why_command, &o, &argc, &argv);
	const struct why *w;

	if (ret < 0)
		ret = symbols_options_check(&o.why.symbols, "why");
	if (ret < 0 && !outside_traces(o.html))
		ret = FT_EXIT_ERROR;
	if (ret < 0) {
		o.why.holds = o.holds || !o.waits;
		o.why.waits = o.waits || !o.holds;
		o.why.by = (enum why_by)o.by;
		w = why_read(&o.why, argv);
		ret = w ? show(w, &o) : FT_EXIT_ERROR;
		why_free(w);
	}
	filter_options_exit(&o.why.filter);
	return ret;
}

const struct command why_command = {
	.name = "why",
	.about = "Tells why locks were held so long, and waits took so long",
	.usage = "[OPTION]... TRACE...",
	.text = "Takes the longest sections and waits apart: how long the task was running,\n"
		"preempted and by whom, asleep and who woke it, in which interrupts, and waiting\n"
		"for which other lock, whose holder is taken apart in turn. Sums up all of them\n"
		"by cause. The trace needs events of the scheduler as well as locks:\n"
		"  " SCHEDULER_RECORD " -o TRACE\n",
	.options = options,
	.notes = "Exit status: 0 all well, 1 error, 2 usage, 3 records were lost.\n",
	OPERAND_TRACES,
	.main = why_main,
};
