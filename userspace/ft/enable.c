// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft enable, ft disable: events on and off by hand. */
#include <err.h>
#include <getopt.h>
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

static const char enable_help[] =
	"Usage: ft enable EVENT... [--persist]\n"
	"       ft enable --pid PID EVENT... [--persist]\n"
	"\n"
	"Turns events on until Ctrl-C or a signal ends this command. EVENT is a\n"
	"name, a pattern ('spin_*'), a number, the group 'locks' (see 'ft list'),\n"
	"or a tracepoint ('tracepoint:sched:sched_switch'). All are turned on, or,\n"
	"where one fails, none.\n"
	"\n"
	"      --ordered  acquisitions read the clock in order, see 'ft record'\n"
	"      --pid PID  events of a program that runs (libfeathertrace)\n"
	"      --persist  return at once and leave them on, until 'ft disable'\n";

static const char disable_help[] =
	"Usage: ft disable EVENT...\n"
	"       ft disable --all\n"
	"       ft disable --pid PID EVENT...|--all\n"
	"\n"
	"Takes back one 'ft enable --persist' of each EVENT, which is a name, a\n"
	"pattern ('spin_*'), a number, or the group 'locks'.\n"
	"\n"
	"      --all      turn off every event, whoever turned it on: ends a running\n"
	"                 trace\n"
	"      --pid PID  of a program that runs: what 'ft enable --pid' turned on;\n"
	"                 what the program has turned on itself, stays on\n";

/* Opens the control device and chooses the events in argv[optind...]. */
static int open_and_choose(struct events *events, int argc, char **argv)
{
	struct ft_info info;
	int control;

	control = device_open_control(&info);
	if (control < 0)
		return -1;
	if (!events_load(events, control))
		goto err_close;
	for (int i = optind; i < argc; i++) {
		if (!events_choose(events, argv[i], &info))
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
static int enable_run(int argc, char **argv, __u32 flags)
{
	struct events events;
	sigset_t signals;
	int control, status = FT_EXIT_OK;

	control = open_and_choose(&events, argc, argv);
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

int enable_main(int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "persist", no_argument, NULL, 'p' },
		{ "ordered", no_argument, NULL, 'o' },
		{ "pid", required_argument, NULL, 'P' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	__u32 flags = 0;
	pid_t pid = 0;
	int c;

	while ((c = getopt_long(argc, argv, ":h", longopts, NULL)) != -1) {
		switch (c) {
		case 'p':
			flags |= FT_ENABLE_PERSIST;
			break;
		case 'o':
			flags |= FT_ENABLE_ORDERED;
			break;
		case 'P':
			pid = pid_parse(optarg);
			if (!pid)
				return pid_bad(argv[0], optarg);
			break;
		case 'h':
			fputs(enable_help, stdout);
			return flush_output(FT_EXIT_OK);
		default:
			return usage_bad_option(c, argv);
		}
	}
	if (optind == argc)
		return usage_error(argv[0], "enable which events? "
				   "To see all: ft list");
	if (pid && flags & FT_ENABLE_ORDERED)
		return usage_error(argv[0], "--ordered is for the kernel's events");
	if (pid)
		return pid_enable(pid, argv + optind, flags & FT_ENABLE_PERSIST);
	return enable_run(argc, argv, flags);
}

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

static int disable_run(int argc, char **argv)
{
	struct events events;
	bool ok;
	int control;

	control = open_and_choose(&events, argc, argv);
	if (control < 0)
		return FT_EXIT_ERROR;
	ok = drop_not_persistent(&events);
	ok &= events_disable(&events, control, FT_ENABLE_PERSIST);
	events_free(&events);
	device_detach(control, DEVICE_DETACH_SECONDS);
	close(control);
	return ok ? FT_EXIT_OK : FT_EXIT_ERROR;
}

int disable_main(int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "all", no_argument, NULL, 'a' },
		{ "pid", required_argument, NULL, 'P' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	bool all = false;
	pid_t pid = 0;
	int c;

	while ((c = getopt_long(argc, argv, ":ah", longopts, NULL)) != -1) {
		switch (c) {
		case 'a':
			all = true;
			break;
		case 'P':
			pid = pid_parse(optarg);
			if (!pid)
				return pid_bad(argv[0], optarg);
			break;
		case 'h':
			fputs(disable_help, stdout);
			return flush_output(FT_EXIT_OK);
		default:
			return usage_bad_option(c, argv);
		}
	}
	if (all && optind < argc)
		return usage_error(argv[0], "--all or events, not both: '%s'",
				   argv[optind]);
	if (!all && optind == argc)
		return usage_error(argv[0], "disable which events? --all?");
	if (pid)
		return pid_disable(pid, argv + optind, all);
	if (all)
		return disable_all();
	return disable_run(argc, argv);
}
