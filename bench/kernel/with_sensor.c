// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * An event has a sensor, while a command runs.
 *
 *	with_sensor counter EVENT COMMAND [ARG...]
 *	with_sensor polled EVENT COMMAND [ARG...]		and eight monitors that read it all the time
 *	with_sensor histogram EVENT COMMAND [ARG...]		of its second word
 *	with_sensor first EVENT COMMAND [ARG...]		of its first word
 *	with_sensor pair BEGIN,EVENT COMMAND [ARG...]		of the time between the two
 *	with_sensor site BEGIN,EVENT COMMAND [ARG...]		the same for each call site
 *
 * No trace is on. The exit status is the command's; what was counted is told on stderr.
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/feather_trace_sensor.h>

#define MONITORS	8

static __u32 event_id(const char *name)
{
	int control = open("/dev/ft_trace", O_RDONLY);
	struct ft_event_info event = { 0 };

	while (control >= 0 && !ioctl(control, FT_IOC_EVENT, &event)) {
		if (!strcmp(event.name, name)) {
			close(control);
			return event.id;
		}
		event = (struct ft_event_info){ .id = event.id + 1 };
	}
	errx(EXIT_FAILURE, "no event %s", name);
}

static void make(int sensors, struct ft_sensor *def, const char *what, char *event)
{
	char *second = strchr(event, ',');

	def->kind = FT_SENSOR_HISTOGRAM;
	def->axis[0] = (struct ft_sensor_axis){ .value = FT_VALUE_A, .bits = 4, .bins = 16 * 37 };
	snprintf(def->name, sizeof(def->name), "bench/%s", what);
	if (!strcmp(what, "counter") || !strcmp(what, "polled")) {
		def->kind = FT_SENSOR_COUNTER;
		memset(def->axis, 0, sizeof(def->axis));
	} else if (!strcmp(what, "histogram")) {
		def->axis[0].value = FT_VALUE_B;
	} else if (strcmp(what, "first")) {
		if (!second)
			errx(EXIT_FAILURE, "%s: BEGIN,EVENT", what);
		*second++ = '\0';
		def->begin = event_id(event);
		def->axis[0].value = FT_VALUE_TIME;
		event = second;
	}
	if (!strcmp(what, "site")) {
		def->split = FT_SPLIT_SITE;
		def->rows = 512;
		def->axis[0].bits = 2;
		def->axis[0].bins = 4 * 39;
	}
	def->event = event_id(event);
	if (ioctl(sensors, FT_IOC_SENSOR_NEW, def))
		err(EXIT_FAILURE, "the sensor");
}

static const struct ft_sensor_header *map(int sensors, const struct ft_sensor *def)
{
	struct ft_sensor_info info = { .sensor.number = def->number };
	const struct ft_sensor_header *h;

	if (ioctl(sensors, FT_IOC_SENSOR_NEXT, &info))
		err(EXIT_FAILURE, "what it has counted");
	h = mmap(NULL, info.size, PROT_READ, MAP_SHARED, sensors, info.offset);
	if (h == MAP_FAILED)
		err(EXIT_FAILURE, "what it has counted");
	return h;
}

static __u64 count(const struct ft_sensor_header *h)
{
	const __u64 *bins;
	const char *row;
	__u64 sum = 0;
	__u32 i, j, k;

	for (i = 0; i < h->copies; i++)
		for (j = 0; j < h->rows; j++) {
			row = (const char *)h + h->copies_offset + (size_t)i * h->copy_bytes +
			      h->rows_offset + (size_t)j * h->row_bytes;
			if (h->count)
				sum += *(const volatile __u64 *)(row + h->count);
			bins = (const __u64 *)(row + h->bins);
			for (k = 0; k < h->n_bins; k++)
				sum += bins[k];
		}
	return sum;
}

static void monitors_begin(pid_t *monitors, const struct ft_sensor_header *h)
{
	int i;

	for (i = 0; i < MONITORS; i++) {
		monitors[i] = fork();
		if (monitors[i] < 0)
			err(EXIT_FAILURE, "a monitor");
		while (!monitors[i])
			count(h);
	}
}

static void monitors_end(const pid_t *monitors)
{
	int i;

	for (i = 0; i < MONITORS; i++) {
		kill(monitors[i], SIGKILL);
		waitpid(monitors[i], NULL, 0);
	}
}

int main(int argc, char **argv)
{
	int sensors = open("/dev/ft_trace_sensors", O_RDWR), status;
	const struct ft_sensor_header *header;
	struct ft_sensor def = { 0 };
	pid_t pid, monitors[MONITORS];
	int polled;

	if (argc < 4)
		errx(EXIT_FAILURE, "usage: with_sensor counter|polled|histogram|first|pair|site EVENT COMMAND [ARG...]");
	if (sensors < 0)
		err(EXIT_FAILURE, "/dev/ft_trace_sensors");
	make(sensors, &def, argv[1], argv[2]);
	header = map(sensors, &def);
	polled = !strcmp(argv[1], "polled");
	if (polled)
		monitors_begin(monitors, header);
	pid = fork();
	if (!pid) {
		execvp(argv[3], argv + 3);
		err(EXIT_FAILURE, "%s", argv[3]);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		err(EXIT_FAILURE, "%s", argv[3]);
	if (polled)
		monitors_end(monitors);
	fprintf(stderr, "counted %llu\n", (unsigned long long)count(header));
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}
