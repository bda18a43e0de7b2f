// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Lock functions that could not be wrapped, and why. */
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>

#include "control/events.h"
#include "control/functions.h"

const char *functions_reason(const struct ft_hook *hook)
{
	bool stuck = hook->state == FT_HOOK_STUCK;

	if (hook->state != FT_HOOK_REFUSED && !stuck)
		return "";
	if (hook->error == ENODEV)
		return "ftrace has disabled itself after an error: see dmesg";
	if (stuck)
		return "ftrace does not let go of it";
	switch (hook->error) {
	case EBUSY:
		return "in use by a live patch or another tracer";
	case ENOENT:
		return "the function tracer does not know it";
	case EAGAIN:
		return "ftrace is off: sysctl kernel.ftrace_enabled=1";
	}
	return strerror((int)hook->error);
}

static bool is_chosen(const struct events *events, __u32 id)
{
	ssize_t at = events_find(events, id);

	return at >= 0 && events->chosen[at];
}

void functions_warn_refused(const struct events *events, int control, const char *participle)
{
	struct ft_hook hook = { 0 };

	for (__u32 i = 0; ; i++) {
		hook.index = i;
		if (ioctl(control, FT_IOC_HOOK, &hook))
			return;
		if (hook.state == FT_HOOK_REFUSED && is_chosen(events, hook.event))
			warnx("%s is not %s: %s", hook.name, participle, functions_reason(&hook));
	}
}
