// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft status: its options. */
#include "base/exit_status.h"
#include "base/file.h"
#include "base/output.h"
#include "control/sessions.h"
#include "control/status.h"
#include "ft/commands.h"

struct asked {
	const char		*session;
	enum output_format	format;
};

static const struct option_row options[] = {
	SESSIONS_OPTION(struct asked, session),
	{ 0, "tsv", NULL, "lines of key and value; lines 'cpu', 'event' and 'session' have "
	  "more columns, named by the lines '#cpu' and so on",
	  OPTION_SET(struct asked, format, OUTPUT_TSV) },
	{ 0, "json", NULL, "an object", OPTION_SET(struct asked, format, OUTPUT_JSON) },
	{ }
};

static int status_main(int argc, char **argv)
{
	struct asked asked = { 0 };
	struct status st;
	int ret;

	ret = options_parse(&status_command, &asked, &argc, &argv);
	if (ret >= 0)
		return ret;
	if (!status_load(&st, asked.session))
		return FT_EXIT_ERROR;
	status_print(&st, asked.format);
	status_free(&st);
	return flush_output(FT_EXIT_OK);
}

const struct command status_command = {
	.name = "status",
	.about = "Shows what is traced, and what was lost",
	.usage = "[--session NAME] [--tsv | --json]",
	.text = "Shows the module, the trace, which events are on, and for each CPU how\n"
		"many records were written, read, lost, and are waiting to be read: all that of\n"
		"the default session, or of the one that is named. Then come all sessions but\n"
		"the default one.\n",
	.options = options,
	.main = status_main,
};
