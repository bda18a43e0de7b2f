// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Sessions of the module: see sessions.h. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/nearest.h"
#include "control/device.h"
#include "control/sessions.h"

/* Names of the sessions that have one. */
struct names {
	char		name[FT_SESSIONS_MAX][FT_NAME_LEN];
	const char	*list[FT_SESSIONS_MAX];
	size_t		n;
};

static void names_load(struct names *names, int control)
{
	struct ft_session_info info = { 0 };

	for (names->n = 0; names->n < FT_SESSIONS_MAX;) {
		if (ioctl(control, FT_IOC_SESSIONS, &info))
			break;
		if (info.number && info.name[0]) {
			memcpy(names->name[names->n], info.name, FT_NAME_LEN);
			names->list[names->n] = names->name[names->n];
			names->n++;
		}
		info = (struct ft_session_info){ .number = info.number + 1 };
	}
}

static void explain(int control, const char *name)
{
	char hint[NEAREST_HINT];
	struct names names;

	switch (errno) {
	case ENOENT:
		names_load(&names, control);
		warnx("there is no session '%s'%s; see: ft status", name,
		      nearest_hint(hint, name, names.list, names.n));
		break;
	case EEXIST:
		warnx("there is a session '%s' already: choose another name, or end that "
		      "session: ft session end %s", name, name);
		break;
	case ENOSPC:
		warnx("cannot begin a session: there are %d already, with the one of /dev/ft_trace*: "
		      "end one of those that ft status lists: its recorder, or: ft session end NAME",
		      FT_SESSIONS_MAX);
		break;
	case EINVAL:
		warnx("not a valid name of a session: '%s': use letters, digits and _, no digit "
		      "first, fewer than %d characters", name, FT_NAME_LEN);
		break;
	default:
		warn("session '%s'", name);
	}
}

/* Return: 0 or -1, with errno. */
static int ask(int control, const char *name, unsigned int flags)
{
	struct ft_session_info session = { .flags = flags };
	size_t len = strlen(name);

	if (len >= sizeof(session.name) || (flags == FT_SESSION_JOIN && !len)) {
		errno = EINVAL;
		return -1;
	}
	memcpy(session.name, name, len);
	return ioctl(control, FT_IOC_SESSION, &session);
}

int sessions_open(const char *name, struct ft_info *info)
{
	int control = device_open_control(info);

	if (control < 0 || !name)
		return control;
	if (!ask(control, name, FT_SESSION_JOIN) && !ioctl(control, FT_IOC_INFO, info))
		return control;
	explain(control, name);
	close(control);
	return -1;
}

bool sessions_begin(int control, const char *name, struct ft_info *info)
{
	if (name && !*name)
		errno = EINVAL;
	else if (!ask(control, name ? name : "", FT_SESSION_NEW) &&
		 !ioctl(control, FT_IOC_INFO, info))
		return true;
	explain(control, name ? name : "");
	return false;
}

bool sessions_end(int control)
{
	if (!ioctl(control, FT_IOC_SESSION_END))
		return true;
	if (errno == ESHUTDOWN)
		warnx("the session has ended already; it goes with its last recorder or reader");
	else
		warn("cannot end the session");
	return false;
}

const char *sessions_word(unsigned int i)
{
	static struct names names;
	int control;

	if (!i) {
		control = open(DEVICE_CONTROL, O_RDONLY | O_CLOEXEC);
		names.n = 0;
		if (control >= 0) {
			names_load(&names, control);
			close(control);
		}
	}
	return i < names.n ? names.list[i] : NULL;
}
