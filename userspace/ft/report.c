// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft report: the critical sections of a trace. */
#include <getopt.h>

#include "analysis/report.h"
#include "analysis/series.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "ft/commands.h"
#include "ft/report_options.h"
#include "symbols/lines.h"
#include "symbols/tasks.h"
#include "trace/fact.h"
#include "view/data/fields.h"
#include "view/page/page.h"
#include "view/text/text.h"

/* The names of everything, which filters and depths need before the first record. */
static int open_names(struct report *r, const struct report_options *o)
{
	char release[256];
	bool known = trace_fact(&r->trace, "kernel_release", release, sizeof(release));

	r->symbols = symbols_open(r->trace.dir, &o->symbols);
	r->names = names_open(r->trace.dir);
	r->lines = lines_open(o->debug, known ? release : NULL, r->symbols);
	if (o->debug && r->symbols && !r->lines)
		return -1;
	return filter_bind(&r->filter, &o->filter, &r->trace, r->symbols, r->names);
}

/* Files where they were asked for, else text. Return: 0, or -1 with a message */
static int show(const struct report *r, const struct report_options *o)
{
	if (o->html && report_html(r, o->html))
		return -1;
	if (o->json)
		report_json(r);
	else if (o->tsv)
		report_tsv(r);
	else if (!o->html)
		report_text(r);
	return 0;
}

int report_main(int argc, char **argv)
{
	struct report r = { 0 };
	struct report_options o = { 0 };
	int ret = report_options(argc, argv, &r, &o);

	if (ret < 0 && trace_open(&r.trace, argv[optind]))
		ret = FT_EXIT_ERROR;
	if (ret >= 0) {
		filter_options_exit(&o.filter);
		return ret;
	}
	ret = FT_EXIT_ERROR;
	if (o.html || r.distributions)
		r.series = report_series_new(&r.trace);
	if (!open_names(&r, &o) && !report_collect(&r) && !show(&r, &o))
		ret = flush_output(trace_status(&r.trace));
	report_exit(&r);
	filter_options_exit(&o.filter);
	return ret;
}
