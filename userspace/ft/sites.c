// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft sites: its options. */
#include "base/array.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "base/output.h"
#include "elf/sites_list.h"
#include "ft/commands.h"
#include "symbols/options.h"
#include "trace/families.h"

struct asked {
	struct output		output;
	struct symbols_options	symbols;	/* of which only @mangled is asked */
	enum sites_order	order;
};

static const char *order_name(unsigned int i)
{
	static const char *const keys[] = {
		[SITES_BY_FILE] = "file",
		[SITES_BY_EVENT] = "event",
		[SITES_BY_ADDRESS] = "address",
	};

	return i < ARRAY_SIZE(keys) ? keys[i] : NULL;
}

static const struct option_row options[] = {
	{ 0, "sort", "KEY", "file (as they are in the file; default), event or address",
	  OPTION_CHOICE(struct asked, order, order_name) },
	OPTION_GROUP(struct asked, output, output_options),
	OPTION_GROUP(struct asked, symbols, symbols_mangled_option),
	{ }
};

static int sites_main(int argc, char **argv)
{
	struct asked o = { 0 };
	int ret = options_parse(&sites_command, &o, &argc, &argv);
	struct sites_list list;
	bool ok;

	if (ret >= 0)
		return ret;
	list = (struct sites_list){
		.format = o.output.format,
		.order = o.order,
		.mangled = o.symbols.mangled,
		.family = locks_name,
	};
	ok = sites_list(&list, argv, argc);
	return flush_output(ok ? FT_EXIT_OK : FT_EXIT_ERROR);
}

const struct command sites_command = {
	.name = "sites",
	.about = "Lists the triggers in a program, a module, a kernel",
	.usage = "[OPTION]... FILE...",
	.text = "Lists the triggers in programs, libraries, object files, kernel modules (.ko)\n"
		"and kernels (vmlinux with the patch): the event that each announces, its\n"
		"address, the function that it is in, and the line of source code, if there\n"
		"is debug information. Nothing is run.\n",
	.options = options,
	.notes = "Exit status: 0 all well (a file without triggers, too), 1 error, 2 usage.\n",
	.complete = COMPLETE_FILE,
	.min = 1,
	.max = OPERANDS_ANY,
	.missing = "which file? Name a program, a library, a module",
	.main = sites_main,
};
