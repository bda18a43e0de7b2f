// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft enable, ft disable: their options. */
#include <linux/feather_trace.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/usage.h"
#include "control/by_hand.h"
#include "control/sessions.h"
#include "ft/commands.h"
#include "process/by_hand.h"

struct enable {
	const char	*session;
	pid_t		pid;
	bool		ordered, persist;
};

static const struct option_row enable_options[] = {
	{ 0, "ordered", NULL, "stamp acquisitions in order: see 'ft record'",
	  OPTION_FLAG(struct enable, ordered) },
	{ 0, "pid", "PID", "events of a running program (libfeathertrace)",
	  OPTION_CALL(struct enable, pid, pid_take) },
	{ 0, "persist", NULL, "return at once; the events stay on until 'ft disable'",
	  OPTION_FLAG(struct enable, persist) },
	SESSIONS_OPTION(struct enable, session),
	{ }
};

static int enable_main(int argc, char **argv)
{
	struct enable e = { 0 };
	int ret = options_parse(&enable_command, &e, &argc, &argv);
	bool ok;

	if (ret >= 0)
		return ret;
	if (e.pid && e.ordered)
		return usage_error("enable", "--ordered is for the kernel's events");
	if (e.pid && e.session)
		return usage_error("enable", "--session is for the kernel's events");
	if (e.pid)
		ok = program_enable(e.pid, argv, e.persist);
	else
		ok = kernel_enable(e.session, argv,
				   (e.persist ? FT_ENABLE_PERSIST : 0) |
				   (e.ordered ? FT_ENABLE_ORDERED : 0));
	return ok ? flush_output(FT_EXIT_OK) : FT_EXIT_ERROR;
}

const struct command enable_command = {
	.name = "enable",
	.about = "Turns events on",
	.usage = "EVENT... [--persist]\n"
		 "--pid PID EVENT... [--persist]",
	.text = "Turns events on until Ctrl-C or a signal ends this command. EVENT is a\n"
		"name, a pattern ('spin_*'), a number, the group 'locks' (see 'ft list'),\n"
		"a tracepoint ('tracepoint:kmem:kmalloc'), also with expressions over its\n"
		"arguments ('tracepoint:block_rq_issue(rq->__sector)'), the entry and exit of\n"
		"a function of the kernel ('function:vfs_read'), or a point in one\n"
		"('kprobe:vfs_read+0:dx'). If one of them fails, none is turned on.\n",
	.options = enable_options,
	.complete = COMPLETE_EVENTS,
	.min = 1,
	.max = OPERANDS_ANY,
	.missing = "enable which events? To see all: ft list",
	.main = enable_main,
};

struct disable {
	const char	*session;
	pid_t		pid;
	bool		all;
};

static const struct option_row disable_options[] = {
	{ 'a', "all", NULL, "turn off every event of the session, whoever turned it on: ends its "
	  "trace; other sessions, such as those of flight recorders, go on",
	  OPTION_FLAG(struct disable, all) },
	{ 0, "pid", "PID", "events of a running program that 'ft enable --pid' turned on; those "
	  "that the program itself turned on stay on", OPTION_CALL(struct disable, pid, pid_take) },
	SESSIONS_OPTION(struct disable, session),
	{ }
};

static int disable_main(int argc, char **argv)
{
	struct disable d = { 0 };
	int ret = options_parse(&disable_command, &d, &argc, &argv);
	bool ok;

	if (ret >= 0)
		return ret;
	if (d.all && argc)
		return usage_error("disable", "--all or events, not both: '%s'", argv[0]);
	if (!d.all && !argc)
		return usage_error("disable", "disable which events? --all?");
	if (d.pid && d.session)
		return usage_error("disable", "--session is for the kernel's events");
	if (d.pid)
		ok = program_disable(d.pid, argv, d.all);
	else
		ok = d.all ? kernel_disable_all(d.session) : kernel_disable(d.session, argv);
	return ok ? FT_EXIT_OK : FT_EXIT_ERROR;
}

const struct command disable_command = {
	.name = "disable",
	.about = "Turns events off",
	.usage = "EVENT...\n"
		 "--all\n"
		 "--pid PID EVENT...|--all",
	.text = "Takes back one 'ft enable --persist' of each EVENT, which is a name, a\n"
		"pattern ('spin_*'), a number, the group 'locks', or what made the event, as in\n"
		"'ft enable' ('tracepoint:kmem:kmalloc', 'function:vfs_read').\n",
	.options = disable_options,
	.complete = COMPLETE_EVENTS,
	.max = OPERANDS_ANY,
	.main = disable_main,
};
