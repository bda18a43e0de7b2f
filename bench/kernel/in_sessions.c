// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Events are on in some sessions, beside the default one, while a command runs.
 *
 *	in_sessions COUNT EVENT[,EVENT...] COMMAND [ARG...]
 *
 * The exit status is the command's.
 */
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/feather_trace.h>

static __u32 id_of(int control, const char *name)
{
	struct ft_event_info event = { 0 };

	while (!ioctl(control, FT_IOC_EVENT, &event)) {
		if (!strcmp(event.name, name))
			return event.id;
		event = (struct ft_event_info){ .id = event.id + 1 };
	}
	errx(EXIT_FAILURE, "no event %s", name);
}

/* The descriptor stays open in the command, and the session with it. */
static void begin(const char *names)
{
	char *list = strdup(names), *rest = list, *name;
	struct ft_session_info session = { .flags = FT_SESSION_NEW };
	struct ft_enable enable = { 0 };
	int control = open("/dev/ft_trace", O_RDWR);

	if (control < 0 || ioctl(control, FT_IOC_SESSION, &session))
		err(EXIT_FAILURE, "a session");
	while ((name = strsep(&rest, ","))) {
		enable.id = id_of(control, name);
		if (ioctl(control, FT_IOC_ENABLE, &enable))
			err(EXIT_FAILURE, "%s", name);
	}
	free(list);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		errx(EXIT_FAILURE, "usage: in_sessions COUNT EVENT[,EVENT...] COMMAND [ARG...]");
	for (int i = atoi(argv[1]); i > 0; i--)
		begin(argv[2]);
	execvp(argv[3], argv + 3);
	err(EXIT_FAILURE, "%s", argv[3]);
}
