// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft enable, ft disable: events on and off by hand. */
#include <err.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/usage.h"
#include "control/device.h"
#include "control/events.h"
#include "ft/commands.h"
#include "ft/end_signals.h"
#include "ft/pid.h"

/* Opens the control device and chooses these events. */
static int open_and_choose(struct events *events, char **names)
{
	struct ft_info info;
	int control;

	control = device_open_control(&info);
	if (control < 0)
		return -1;
	if (!events_load(events, control))
		goto err_close;
	for (; *names; names++) {
		if (!events_choose(events, *names, &info))
			goto err_free;
	}
	return control;

err_free:
	events_free(events);
err_close:
	close(control);
	return -1;
}

static void wait_for_end(const sigset_t *signals, const struct events *events)
{
	int sig;

	printf("on: ");
	events_print_chosen(events, stdout, " ");
	printf("\nCtrl-C turns them off again\n");
	flush_output(FT_EXIT_OK);
	sigwait(signals, &sig);
}

/* @flags: of &struct ft_enable */
static int enable_run(char **names, __u32 flags)
{
	struct events events;
	sigset_t signals;
	int control, status = FT_EXIT_OK;

	control = open_and_choose(&events, names);
	if (control < 0)
		return FT_EXIT_ERROR;
	/* Else they end it at any time: what is on then goes off with it. */
	if (flags & FT_ENABLE_PERSIST)
		end_signals_block(&signals);
	if (!events_enable(&events, control, flags)) {
		status = FT_EXIT_ERROR;
	} else if (!(flags & FT_ENABLE_PERSIST)) {
		end_signals_block(&signals);
		wait_for_end(&signals, &events);
	}
	events_free(&events);
	close(control);		/* and what does not persist is off */
	return status;
}

struct enable {
	pid_t	pid;
	bool	ordered, persist;
};

static const struct option_row enable_options[] = {
	{ 0, "ordered", NULL, "acquisitions read the clock in order, see 'ft record'",
	  OPTION_FLAG(struct enable, ordered) },
	{ 0, "pid", "PID", "events of a program that runs (libfeathertrace)",
	  OPTION_CALL(struct enable, pid, pid_take) },
	{ 0, "persist", NULL, "return at once and leave them on, until 'ft disable'",
	  OPTION_FLAG(struct enable, persist) },
	{ }
};

static int enable_main(int argc, char **argv)
{
	struct enable e = { 0 };
	int ret = options_parse(&enable_command, &e, &argc, &argv);

	if (ret >= 0)
		return ret;
	if (e.pid && e.ordered)
		return usage_error("enable", "--ordered is for the kernel's events");
	if (e.pid)
		return pid_enable(e.pid, argv, e.persist);
	return enable_run(argv, (e.persist ? FT_ENABLE_PERSIST : 0) |
				(e.ordered ? FT_ENABLE_ORDERED : 0));
}

const struct command enable_command = {
	.name = "enable",
	.about = "Turns events on",
	.usage = "EVENT... [--persist]\n"
		 "--pid PID EVENT... [--persist]",
	.text = "Turns events on until Ctrl-C or a signal ends this command. EVENT is a\n"
		"name, a pattern ('spin_*'), a number, the group 'locks' (see 'ft list'),\n"
		"or a tracepoint ('tracepoint:sched:sched_switch'). All are turned on, or,\n"
		"where one fails, none.\n",
	.options = enable_options,
	.complete = COMPLETE_EVENTS,
	.min = 1,
	.max = OPERANDS_ANY,
	.missing = "enable which events? To see all: ft list",
	.main = enable_main,
};

static int disable_all(void)
{
	struct ft_info info;
	int control, status = FT_EXIT_OK;

	control = device_open_control(&info);
	if (control < 0)
		return FT_EXIT_ERROR;
	if (ioctl(control, FT_IOC_DISABLE_ALL) < 0) {
		warn("cannot disable all events");
		status = FT_EXIT_ERROR;
	}
	device_detach(control, DEVICE_DETACH_SECONDS);
	close(control);
	return status;
}

/* Keeps of the chosen events those that 'enable --persist' turned on. */
static bool drop_not_persistent(struct events *events)
{
	bool ok = true;

	for (size_t i = 0; i < events->n; i++) {
		const struct ft_event_info *e = &events->info[i];

		if (!events->chosen[i] || e->persistent)
			continue;
		events->chosen[i] = false;
		if (!e->enabled)
			continue;
		warnx("%s is kept on by a running program, not by 'ft enable "
		      "--persist': end that, or: ft disable --all", e->name);
		ok = false;
	}
	return ok;
}

static int disable_run(char **names)
{
	struct events events;
	bool ok;
	int control;

	control = open_and_choose(&events, names);
	if (control < 0)
		return FT_EXIT_ERROR;
	ok = drop_not_persistent(&events);
	ok &= events_disable(&events, control, FT_ENABLE_PERSIST);
	events_free(&events);
	device_detach(control, DEVICE_DETACH_SECONDS);
	close(control);
	return ok ? FT_EXIT_OK : FT_EXIT_ERROR;
}

struct disable {
	pid_t	pid;
	bool	all;
};

static const struct option_row disable_options[] = {
	{ 'a', "all", NULL, "turn off every event, whoever turned it on: ends a running trace",
	  OPTION_FLAG(struct disable, all) },
	{ 0, "pid", "PID", "of a program that runs: what 'ft enable --pid' turned on; what the "
	  "program has turned on itself, stays on", OPTION_CALL(struct disable, pid, pid_take) },
	{ }
};

static int disable_main(int argc, char **argv)
{
	struct disable d = { 0 };
	int ret = options_parse(&disable_command, &d, &argc, &argv);

	if (ret >= 0)
		return ret;
	if (d.all && argc)
		return usage_error("disable", "--all or events, not both: '%s'", argv[0]);
	if (!d.all && !argc)
		return usage_error("disable", "disable which events? --all?");
	if (d.pid)
		return pid_disable(d.pid, argv, d.all);
	return d.all ? disable_all() : disable_run(argv);
}

const struct command disable_command = {
	.name = "disable",
	.about = "Turns events off",
	.usage = "EVENT...\n"
		 "--all\n"
		 "--pid PID EVENT...|--all",
	.text = "Takes back one 'ft enable --persist' of each EVENT, which is a name, a\n"
		"pattern ('spin_*'), a number, or the group 'locks'.\n",
	.options = disable_options,
	.complete = COMPLETE_EVENTS,
	.max = OPERANDS_ANY,
	.main = disable_main,
};
