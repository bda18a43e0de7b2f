// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft report: the critical sections of a trace. */
#include <getopt.h>

#include "analysis/report.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "ft/commands.h"
#include "ft/report_options.h"
#include "view/data/fields.h"
#include "view/page/page.h"
#include "view/text/text.h"

/* Files where they were asked for, else text. Return: 0, or -1 with a message */
static int show(const struct report *r, const struct report_options *o)
{
	if (o->html && report_html(r, o->html))
		return -1;
	if (o->json)
		report_json(r, o->distributions);
	else if (o->tsv)
		report_tsv(r, o->distributions);
	else if (!o->html)
		report_text(r, o->balance);
	return 0;
}

int report_main(int argc, char **argv)
{
	struct report_options o = { 0 };
	const struct report *r;
	int ret = report_options(argc, argv, &o);

	if (ret < 0) {
		o.question.series = o.html || o.distributions;
		r = report_read(&o.question, argv[optind]);
		ret = FT_EXIT_ERROR;
		if (r && !show(r, &o))
			ret = flush_output(trace_status(&r->trace));
		report_free(r);
	}
	filter_options_exit(&o.question.filter);
	return ret;
}
