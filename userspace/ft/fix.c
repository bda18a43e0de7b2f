// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft fix: its options. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ft/commands.h"
#include "trace/repair.h"

struct fix {
	const char	*output;
	bool		dry;
};

static const struct option_row options[] = {
	{ 'o', "output", "DIR", "write the mended trace to DIR, which must not exist or be empty "
	  "(default: TRACE.fixed)", OPTION_PATH(struct fix, output, COMPLETE_DIRECTORY) },
	{ 'n', "dry-run", NULL, "only say what would be done", OPTION_FLAG(struct fix, dry) },
	{ }
};

/* TRACE.fixed, beside TRACE also where that was given with a slash. NULL: no name */
static char *name_beside(const char *trace)
{
	int len = (int)strlen(trace);

	while (len > 1 && trace[len - 1] == '/')
		len--;
	/* of "." and "..", it would be inside or in the wrong place */
	return len && trace[len - 1] != '.' ? mem_format("%.*s.fixed", len, trace) : NULL;
}

static int fix_main(int argc, char **argv)
{
	struct fix o = { 0 };
	int ret = options_parse(&fix_command, &o, &argc, &argv);
	char *beside;

	if (ret >= 0)
		return ret;
	if (o.output && o.dry)
		return usage_error("fix", "--output and --dry-run exclude each other");
	beside = name_beside(argv[0]);
	if (!beside && !o.output && !o.dry)
		return usage_error("fix", "'%s' has no name to append .fixed to: name the trace, "
				   "or use -o", argv[0]);
	ret = repair_trace(argv[0], o.dry ? NULL : o.output ? o.output : beside);
	mem_free(beside);
	return ret;
}

const struct command fix_command = {
	.name = "fix",
	.about = "Mends a damaged trace",
	.usage = "[-o DIR | --dry-run] TRACE",
	.text = "Mends a damaged trace so that ft and other readers of CTF can read it:\n"
		"copies the good packets, marks what is lost, and says what it did.\n"
		"The trace itself stays as it is.\n",
	.options = options,
	.notes = "Exit status: 0 all saved, 1 error, 2 usage, 3 records were lost.\n",
	OPERAND_TRACE,
	.main = fix_main,
};
