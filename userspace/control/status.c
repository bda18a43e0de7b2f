// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Asking the module for its status. */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/uuid.h"
#include "control/config.h"
#include "control/device.h"
#include "control/sessions.h"
#include "control/status.h"

static bool status_load_rings(struct status *st, int session)
{
	st->rings = calloc(st->info.cpus + 1, sizeof(*st->rings));
	if (!st->rings) {
		warn("cannot read the rings");
		return false;
	}
	for (unsigned int cpu = 0; cpu < st->info.cpus; cpu++) {
		struct ring_row *row = &st->rings[st->nrings];
		char path[DEVICE_PATH_LEN];
		int ret = device_ring_stats(session, cpu, &row->stats);

		if (device_absent(-ret))
			continue;
		if (ret == -EACCES) {
			st->hidden = true;
			st->nrings = 0;
			break;
		}
		if (ret) {
			device_explain(device_ring_path(path, cpu), -ret);
			free(st->rings);
			return false;
		}
		row->cpu = cpu;
		st->nrings++;
	}
	return true;
}

static void status_load_sessions(struct status *st, int control)
{
	struct ft_session_info info = { 0 };

	while (st->nsessions < FT_SESSIONS_MAX &&
	       !ioctl(control, FT_IOC_SESSIONS, &info)) {
		st->sessions[st->nsessions++] = info;
		info = (struct ft_session_info){ .number = info.number + 1 };
	}
}

/* Return: a descriptor that has joined the session, or -1 after a message. */
static int status_open(struct status *st, const char *session)
{
	int control = device_look_control(&st->info);

	if (control < 0)
		return -1;
	status_load_sessions(st, control);	/* before this one joins */
	if (!session)
		return control;
	close(control);
	return sessions_open(session, &st->info);
}

bool status_load(struct status *st, const char *session)
{
	int control;
	bool ok;

	memset(st, 0, sizeof(*st));
	control = status_open(st, session);
	if (control < 0)
		return false;
	st->session = session;
	uuid_format(st->uuid, st->info.uuid);
	/* with a timeout of 0: it only looks */
	st->leaving = ioctl(control, FT_IOC_DETACH, &st->wrapped) < 0 &&
		      errno == EBUSY;
	ok = config_get(control, &st->config) &&
	     events_load(&st->events, control);
	if (ok && !status_load_rings(st, session ? control : -1)) {
		events_free(&st->events);
		ok = false;
	}
	close(control);
	return ok;
}

void status_free(struct status *st)
{
	events_free(&st->events);
	free(st->rings);
}
