// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Putting a mark into the running trace. */
#include <err.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "control/device.h"
#include "control/mark.h"
#include "control/sessions.h"

static bool is_on(int control)
{
	struct ft_event_info event = { .id = FT_ID_MARK };

	return !ioctl(control, FT_IOC_EVENT, &event) && event.id == FT_ID_MARK && event.enabled;
}

static const struct sessions_kind marked = {
	.fits = is_on,
	.which = "into which session",
	.how = "ft mark --session NAME",
};

/* Without the event the kernel drops the mark silently. */
static void warn_if_off(int control, const char *session)
{
	if (!is_on(control))
		warnx("the event 'mark' is off, nothing was recorded: try: ft %s%s%s mark",
		      session ? "enable --session " : "record", session ? session : "",
		      session ? "" : " -e");
}

bool mark_set(const char *session, const struct ft_mark *mark)
{
	struct ft_info info;
	int control;
	bool ok;

	if (!session && !sessions_guess(&marked, &session))
		return false;
	control = sessions_open(session, &info);
	if (control < 0)
		return false;
	ok = !ioctl(control, FT_IOC_MARK, mark);
	if (ok)
		warn_if_off(control, session);
	else
		warn("cannot set the mark");
	close(control);
	return ok;
}
