// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Turns a persistent event off by one ioctl, where ft disable pauses first.
 *
 * Usage: disable ID
 */
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include <linux/feather_trace.h>

int main(int argc, char **argv)
{
	struct ft_enable enable = { .flags = FT_ENABLE_PERSIST };
	int control = open("/dev/ft_trace", O_RDWR);

	if (argc != 2 || control < 0)
		err(EXIT_FAILURE, "/dev/ft_trace");
	enable.id = atoi(argv[1]);
	if (ioctl(control, FT_IOC_DISABLE, &enable))
		err(EXIT_FAILURE, "event %u", enable.id);
	return EXIT_SUCCESS;
}
