// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Events of tracepoints and functions. See events_made.h. */
#include <err.h>
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include <linux/feather_trace.h>

#include "base/array.h"
#include "control/btf.h"
#include "control/events.h"
#include "control/events_made.h"
#include "control/kernel_function.h"

#define TRACEPOINT	"tracepoint:"
#define FUNCTION	"function:"

static bool begins_with(const char *word, const char *prefix)
{
	return !strncmp(word, prefix, strlen(prefix));
}

bool events_is_tracepoint(const char *word)
{
	return begins_with(word, TRACEPOINT);
}

bool events_is_made(const char *word)
{
	return events_is_tracepoint(word) || begins_with(word, FUNCTION);
}

/* tracepoint:NAME or tracepoint:SYSTEM:NAME; names are unique without the system. */
static bool make_tracepoint(struct events *events, const char *word)
{
	const char *name = strrchr(word, ':') + 1;
	struct ft_tracepoint tp = { 0 };

	if (!*name || strlen(name) >= sizeof(tp.name)) {
		warnx("'%s' names no tracepoint", word);
		return false;
	}
	strcpy(tp.name, name);
	btf_kernel_words(name, tp.word);
	if (!ioctl(events->control, FT_IOC_TRACEPOINT, &tp) &&
	    events_append(events, tp.id))
		return true;
	if (errno == ENOENT)
		warnx("the kernel has no tracepoint '%s'; those of modules cannot "
		      "be traced; see: ls /sys/kernel/tracing/events/*", name);
	else if (errno == EEXIST)
		warnx("cannot make an event of the tracepoint '%s': an event "
		      "of another kind has that name", name);
	else
		warn("cannot make an event of the tracepoint '%s'", name);
	return false;
}

static void explain_no_function(const char *name, int error)
{
	static const struct { int error; const char *why; } reasons[] = {
		{ ENOENT, "ftrace cannot wrap it; see: "
			  "/sys/kernel/tracing/available_filter_functions" },
		{ EPERM, "a task may end in it, or the module itself needs it to read the clock" },
		{ EBUSY, "events of locks wrap it: -e locks" },
		{ EINVAL, "its name is too long" },
		{ ENODEV, "ftrace, which wraps functions, has disabled itself after an error (see "
			  "dmesg): restart the machine" },
		{ EEXIST, "another event, or another function, has that name" },
		{ ENOSPC, "too many functions are traced at a time: end a trace of others first" },
		{ EOPNOTSUPP, "this kernel's functions cannot be wrapped: trace it with ftrace" },
		{ ENOTTY, "the module that is loaded is older than this: ft unload, ft load" },
	};
	const char *why = strerror(error);

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		if (reasons[i].error == error)
			why = reasons[i].why;
	}
	warnx("cannot trace the function '%s': %s", name, why);
}

static bool make_function(struct events *events, const char *word)
{
	const char *name = word + strlen(FUNCTION);
	struct ft_function function = { 0 };

	if (!kernel_function_find(name, &function))
		return false;
	if (ioctl(events->control, FT_IOC_FUNCTION, &function) < 0) {
		explain_no_function(name, errno);
		return false;
	}
	if (events_append(events, function.id[0]) && events_append(events, function.id[1]))
		return true;
	warn("cannot list the events of the function '%s'", name);
	return false;
}

bool events_make(struct events *events, const char *word)
{
	return events_is_tracepoint(word) ? make_tracepoint(events, word) :
					    make_function(events, word);
}
