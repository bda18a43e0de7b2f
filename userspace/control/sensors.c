// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Sensors of the module: see sensors.h. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/nearest.h"
#include "control/device.h"
#include "control/sensors.h"

int sensors_open(bool write)
{
	return device_open(SENSORS_DEVICE, write ? O_RDWR : O_RDONLY);
}

bool sensors_name_fits(const char *pattern, const char *name, unsigned int instance)
{
	char full[FT_NAME_LEN + 12];

	snprintf(full, sizeof(full), "%s#%u", name, instance);
	return !fnmatch(pattern, name, 0) || !fnmatch(pattern, full, 0);
}

static void explain(const struct ft_sensor *sensor)
{
	switch (errno) {
	case ENOSPC:
		warnx("cannot make the sensor '%s': there are %d already, or too many of its "
		      "event: see ft sensors list", sensor->name, FT_SENSORS_MAX);
		break;
	case E2BIG:
		warnx("cannot make the sensor '%s': it would need more than %u KiB for each "
		      "CPU: use fewer --rows or --bins", sensor->name,
		      FT_SENSOR_BYTES_MAX / 1024);
		break;
	case EBADF:
		warnx("cannot make the sensor '%s': that needs write permission for "
		      SENSORS_DEVICE, sensor->name);
		break;
	case EINVAL:
		warnx("the module refuses the sensor '%s': a name has letters, digits, '_', '-', "
		      "'.' and single '/'; rows are a power of two from 4 to %u, bins at most %u",
		      sensor->name, FT_SENSOR_ROWS_MAX, FT_SENSOR_BINS_MAX);
		break;
	case EOPNOTSUPP:
		device_no_locks();
		break;
	default:
		warn("cannot make the sensor '%s'", sensor->name);
	}
}

bool sensors_new(int fd, struct ft_sensor *sensor)
{
	if (!ioctl(fd, FT_IOC_SENSOR_NEW, sensor))
		return true;
	explain(sensor);
	return false;
}

/* Return: false if there are no more. */
static bool next(int fd, struct ft_sensor_info *info)
{
	unsigned int number = info->sensor.number + 1;

	*info = (struct ft_sensor_info){ .sensor.number = number };
	return !ioctl(fd, FT_IOC_SENSOR_NEXT, info);
}

bool sensors_stay(int fd, const char *name)
{
	struct ft_sensor_info info = { 0 };

	while (next(fd, &info)) {
		if (info.sensor.flags & FT_SENSOR_PERSIST && !strcmp(info.sensor.name, name))
			return true;
	}
	return false;
}

static bool end_one(int fd, const struct ft_sensor_info *info)
{
	struct ft_sensor_end end = { .number = info->sensor.number, .serial = info->serial };

	if (!ioctl(fd, FT_IOC_SENSOR_END, &end) || errno == ENOENT)
		return true;
	if (errno == EPERM)
		warnx("the sensor '%s#%u' belongs to a program that runs: it goes when that ends",
		      info->sensor.name, info->sensor.instance);
	else if (errno == EBADF)
		warnx("cannot remove the sensor '%s': that needs write permission for "
		      SENSORS_DEVICE, info->sensor.name);
	else
		warn("cannot remove the sensor '%s'", info->sensor.name);
	return false;
}

static void tell_none(int fd, const char *name)
{
	struct ft_sensor_info info = { 0 };
	char names[FT_SENSORS_MAX][FT_NAME_LEN];
	const char *list[FT_SENSORS_MAX];
	char hint[NEAREST_HINT];
	size_t n = 0;

	while (n < FT_SENSORS_MAX && next(fd, &info)) {
		memcpy(names[n], info.sensor.name, FT_NAME_LEN);
		list[n] = names[n];
		n++;
	}
	warnx("there is no sensor '%s'%s; see: ft sensors list", name,
	      nearest_hint(hint, name, list, n));
}

bool sensors_find(int fd, const char *name, struct ft_sensor_info *found)
{
	struct ft_sensor_info info = { 0 };
	unsigned int first = 0;

	while (next(fd, &info)) {
		if (!sensors_name_fits(name, info.sensor.name, info.sensor.instance) ||
		    (first && info.sensor.instance > first))
			continue;
		first = info.sensor.instance;
		*found = info;
	}
	if (!first)
		tell_none(fd, name);
	return first;
}

bool sensors_look(int fd, unsigned int number, struct ft_sensor_info *info)
{
	*info = (struct ft_sensor_info){ .sensor.number = number - 1 };
	return next(fd, info) && info->sensor.number == number;
}

bool sensors_end(int fd, const char *name)
{
	struct ft_sensor_info info = { 0 };
	bool any = false, ok = true;

	while (next(fd, &info)) {
		if (!sensors_name_fits(name, info.sensor.name, info.sensor.instance))
			continue;
		any = true;
		ok &= end_one(fd, &info);
	}
	if (!any)
		tell_none(fd, name);
	return any && ok;
}

const char *sensors_word(unsigned int i)
{
	static struct ft_sensor_info info;
	int fd = open(SENSORS_DEVICE, O_RDONLY | O_CLOEXEC);
	bool found = fd >= 0;

	info = (struct ft_sensor_info){ 0 };
	for (unsigned int k = 0; found && k <= i; k++)
		found = next(fd, &info);
	if (fd >= 0)
		close(fd);
	return found ? info.sensor.name : NULL;
}
