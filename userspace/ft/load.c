// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft load, ft unload: their options. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/usage.h"
#include "control/load.h"
#include "ft/commands.h"

struct load {
	const char *file;
};

static const struct option_row load_options[] = {
	{ 'm', "module", "FILE", "load this file",
	  OPTION_PATH(struct load, file, COMPLETE_MODULE) },
	{ }
};

/* "a=1 b=2" from arguments; NULL after a message. */
static char *join_parameters(int argc, char **argv)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		err(FT_EXIT_ERROR, "ft load");
	for (int i = 0; i < argc; i++) {
		const char *eq = strchr(argv[i], '=');

		if (!eq || eq == argv[i]) {
			fclose(f);
			free(text);
			usage_error("load", "not PARAMETER=VALUE: '%s'", argv[i]);
			return NULL;
		}
		fprintf(f, "%s%s", i ? " " : "", argv[i]);
	}
	fclose(f);
	return text;
}

static int load_main(int argc, char **argv)
{
	struct load load = { 0 };
	char *parameters;
	int status;

	status = options_parse(&load_command, &load, &argc, &argv);
	if (status >= 0)
		return status;
	parameters = join_parameters(argc, argv);
	if (!parameters)
		return FT_EXIT_USAGE;
	status = module_load(load.file, parameters);
	free(parameters);
	return status;
}

const struct command load_command = {
	.name = "load",
	.about = "Loads the kernel module",
	.usage = "[--module FILE.ko] [PARAMETER=VALUE...]",
	.text = "Loads the kernel module. Without --module it takes the file that\n"
		"$FT_MODULE names, else the installed module, else feather_trace.ko\n"
		"from the tree in which this ft was built. If the module is loaded already,\n"
		"it stays as it is.\n",
	.options = load_options,
	.max = OPERANDS_ANY,
	.main = load_main,
};

static int unload_main(int argc, char **argv)
{
	int ret = options_parse(&unload_command, NULL, &argc, &argv);

	return ret < 0 ? module_unload() : ret;
}

const struct command unload_command = {
	.name = "unload",
	.about = "Unloads the kernel module",
	.usage = "",
	.text = "Unloads the kernel module. It stays while a program has one of its\n"
		"devices open or another module depends on it, and while tasks sleep in\n"
		"functions that it has wrapped; then it says how many.\n",
	.main = unload_main,
};
