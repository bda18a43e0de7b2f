// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Sensors of ft_bench while a command runs: two counters of the same name, and a histogram of
 * the first word. The exit status is the command's.
 */
#include "sensors.h"

int main(int argc, char **argv)
{
	int sensors = open_sensors(), control = open_control(), status;
	struct ft_event_info event = { 0 };
	struct ft_sensor def;
	pid_t pid;

	if (argc < 2)
		return EXIT_FAILURE;
	while (strcmp(event.name, "bench")) {
		event = (struct ft_event_info){ .id = event.id + 1 };
		expect_ok(ioctl(control, FT_IOC_EVENT, &event));
	}
	close(control);
	def = counter_of("test/counter", event.id);
	make(sensors, def);
	make(sensors, def);
	make(sensors, histogram_of("test/histogram", event.id));
	pid = fork();
	if (!pid) {
		close(sensors);
		execvp(argv[1], argv + 1);
		_exit(EXIT_FAILURE);
	}
	expect_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}
