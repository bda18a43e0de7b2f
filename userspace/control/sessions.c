// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Sessions of the module: see sessions.h. */
#include <ctype.h>
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

static bool is_identifier(const char *name)
{
	return !isdigit((unsigned char)name[0]) && strlen(name) < FT_NAME_LEN &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")];
}

/* @flags: what was asked for */
static void explain(int control, const char *name, unsigned int flags)
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
		warnx("cannot begin a session: there are %d already, the default one included: end "
		      "one that ft status lists: stop its recorder, or: ft session end NAME",
		      FT_SESSIONS_MAX);
		break;
	case EINVAL:
		if (flags & FT_SESSION_OWN && is_identifier(name))
			warnx("the loaded module is of another version: ft unload, ft load");
		else
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
	explain(control, name, FT_SESSION_JOIN);
	close(control);
	return -1;
}

bool sessions_begin(int control, const char *name, bool own, struct ft_info *info)
{
	unsigned int flags = FT_SESSION_NEW | (name && own ? FT_SESSION_OWN : 0);

	if (name && !*name)
		errno = EINVAL;
	else if (!ask(control, name ? name : "", flags) && !ioctl(control, FT_IOC_INFO, info))
		return true;
	explain(control, name ? name : "", flags);
	return false;
}

static bool fits(const struct sessions_kind *kind, const struct ft_session_info *session)
{
	int control = open(DEVICE_CONTROL, O_RDWR | O_CLOEXEC);
	bool ok = control >= 0 &&
		  (!session->number || !ask(control, session->name, FT_SESSION_JOIN)) &&
		  kind->fits(control);

	if (control >= 0)
		close(control);
	return ok;
}

bool sessions_guess(const struct sessions_kind *kind, const char **name)
{
	char list[FT_SESSIONS_MAX * (FT_NAME_LEN + 1)];
	struct ft_session_info session = { 0 };
	static struct names found;
	struct ft_info info;
	int control, len = 0;

	*name = NULL;
	control = device_open_control(&info);
	if (control < 0)
		return false;
	for (found.n = 0; found.n < FT_SESSIONS_MAX; session.number++) {
		session = (struct ft_session_info){ .number = session.number };
		if (ioctl(control, FT_IOC_SESSIONS, &session))
			break;
		if ((session.number && !session.name[0]) || !fits(kind, &session))
			continue;
		if (!session.number)
			break;
		memcpy(found.name[found.n], session.name, FT_NAME_LEN);
		len += snprintf(list + len, sizeof(list) - len, " %s", found.name[found.n++]);
	}
	close(control);
	if (found.n == 1) {
		*name = found.name[0];
		warnx("in the session '%s'", *name);
	} else if (found.n) {
		warnx("%s?%s: name one: %s", kind->which, list, kind->how);
	}
	return found.n < 2;
}

void sessions_leave(int control)
{
	if (control < 0)
		return;
	/* now: a process that was just started may have a copy for a moment */
	ioctl(control, FT_IOC_SESSION_END);
	close(control);
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
