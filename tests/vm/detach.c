// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Wait until no lock function is wrapped that need not be, and nobody is inside.
 *
 * Usage: detach SECONDS
 *
 * Prints how many functions stay wrapped. Exit status: 0; 1 with the reason.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include <linux/feather_trace.h>

int main(int argc, char **argv)
{
	struct ft_detach detach = { 0 };
	int control;

	if (argc != 2) {
		fprintf(stderr, "Usage: detach SECONDS\n");
		return 2;
	}
	detach.timeout_ms = (__u32)strtoul(argv[1], NULL, 10) * 1000;
	control = open("/dev/ft_trace", O_RDWR | O_CLOEXEC);
	if (control < 0 || ioctl(control, FT_IOC_DETACH, &detach)) {
		perror("detach");
		return 1;
	}
	printf("%u\n", detach.attached);
	return 0;
}
