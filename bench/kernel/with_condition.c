// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * An event has a condition that is never fulfilled, while a command runs.
 *
 *	with_condition EVENT COMMAND [ARG...]		its first word is 2^64 - 1
 *	with_condition BEGIN,EVENT COMMAND [ARG...]	an hour is between the two
 *	with_condition BEGIN,EVENT:NS COMMAND [ARG...]	no condition: a stack, where it is longer
 *
 * The events are on in the default session. The exit status is the command's.
 */
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/feather_trace.h>

static __u32 turn_on(int control, const char *name)
{
	struct ft_event_info event = { 0 };
	struct ft_enable enable = { 0 };

	while (!ioctl(control, FT_IOC_EVENT, &event)) {
		if (!strcmp(event.name, name)) {
			enable.id = event.id;
			if (ioctl(control, FT_IOC_ENABLE, &enable))
				err(EXIT_FAILURE, "%s", name);
			return event.id;
		}
		event = (struct ft_event_info){ .id = event.id + 1 };
	}
	errx(EXIT_FAILURE, "no event %s", name);
}

/* Of locks, in which both are. */
static void take_stacks(int control, const char *longer_ns)
{
	struct ft_stacks stacks = {
		.what = FT_STACKS_SECTIONS, .room = FT_STACKS_ROOM_MIN,
		.sections_ns = strtoull(longer_ns, NULL, 10),
	};

	if (ioctl(control, FT_IOC_STACKS, &stacks))
		err(EXIT_FAILURE, "stacks");
}

int main(int argc, char **argv)
{
	int control = open("/dev/ft_trace", O_RDWR);
	struct ft_when when = { 0 };
	char *second, *longer = NULL;

	if (argc < 3)
		errx(EXIT_FAILURE, "usage: with_condition [BEGIN,]EVENT COMMAND [ARG...]");
	if (control < 0)
		err(EXIT_FAILURE, "/dev/ft_trace");
	second = strchr(argv[1], ',');
	if (second) {
		*second++ = '\0';
		longer = strchr(second, ':');
		if (longer)
			*longer++ = '\0';
		when.begin = turn_on(control, argv[1]);
		when.event = turn_on(control, second);
		when.longer_ns = 3600 * 1000000000ull;
	} else {
		when.event = turn_on(control, argv[1]);
		when.test[0] = (struct ft_test){
			.what = FT_TEST_A, .mask = ~0ull, .value = ~0ull,
		};
	}
	if (longer)
		take_stacks(control, longer);
	else if (ioctl(control, FT_IOC_WHEN, &when))
		err(EXIT_FAILURE, "the condition");
	/* The descriptor stays open in the command, and what it has asked for with it. */
	execvp(argv[2], argv + 2);
	err(EXIT_FAILURE, "%s", argv[2]);
}
