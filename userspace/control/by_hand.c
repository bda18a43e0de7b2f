// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Turning events of the kernel on and off. */
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/end_signals.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "control/by_hand.h"
#include "control/device.h"
#include "control/events.h"
#include "control/sessions.h"

/* Opens the control device and chooses these events. */
static int open_and_choose(const char *session, struct events *events, char **names)
{
	struct ft_info info;
	int control;

	control = sessions_open(session, &info);
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

bool kernel_enable(const char *session, char **names, __u32 flags)
{
	struct events events;
	sigset_t signals;
	int control;
	bool ok;

	control = open_and_choose(session, &events, names);
	if (control < 0)
		return false;
	/* Otherwise a signal may end this at any time: closing turns the events off. */
	if (flags & FT_ENABLE_PERSIST)
		end_signals_block(&signals);
	ok = events_enable(&events, control, flags);
	if (ok && !(flags & FT_ENABLE_PERSIST)) {
		end_signals_block(&signals);
		wait_for_end(&signals, &events);
	}
	events_free(&events);
	close(control);		/* turns off what does not persist */
	return ok;
}

bool kernel_disable_all(const char *session)
{
	struct ft_info info;
	int control;
	bool ok;

	control = sessions_open(session, &info);
	if (control < 0)
		return false;
	ok = !ioctl(control, FT_IOC_DISABLE_ALL);
	if (!ok)
		warn("cannot disable all events");
	device_detach(control, DEVICE_DETACH_SECONDS);
	close(control);
	return ok;
}

/* Keeps of the chosen events those that 'enable --persist' turned on. */
static bool drop_not_persistent(struct events *events, const char *session)
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
		      "--persist': end that program, or turn off all events of its session: "
		      "ft disable%s%s --all", e->name, session ? " --session " : "",
		      session ? session : "");
		ok = false;
	}
	return ok;
}

bool kernel_disable(const char *session, char **names)
{
	struct events events;
	bool ok;
	int control;

	control = open_and_choose(session, &events, names);
	if (control < 0)
		return false;
	ok = drop_not_persistent(&events, session);
	ok &= events_disable(&events, control, FT_ENABLE_PERSIST);
	events_free(&events);
	device_detach(control, DEVICE_DETACH_SECONDS);
	close(control);
	return ok;
}
