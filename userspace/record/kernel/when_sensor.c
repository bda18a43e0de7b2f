// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Conditions on what sensors measure: see when_sensor.h. */
#include <err.h>
#include <stdio.h>
#include <unistd.h>

#include "control/sensors.h"
#include "record/kernel/when_sensor.h"

static bool find(const char *name, struct ft_sensor *sensor)
{
	int fd = sensors_open(false);
	bool found = fd >= 0 && sensors_find(fd, name, sensor);

	if (fd >= 0)
		close(fd);
	return found;
}

/* Has it values, and those that the condition compares? */
static bool fits(const struct condition *c, const struct ft_sensor *sensor)
{
	bool is_time = sensor->axis[0].value == FT_VALUE_TIME;

	if (sensor->kind == FT_SENSOR_COUNTER)
		warnx("--when '%s': '%s' counts, and measures nothing", c->name, c->sensor);
	else if (sensor->axis[0].flags & FT_AXIS_SIGNED)
		warnx("--when '%s': the values of '%s' have a sign: they cannot be compared",
		      c->name, c->sensor);
	else if (is_time && c->is_number)
		warnx("--when '%s': '%s' measures times: write ns, us, ms or s behind the number",
		      c->name, c->sensor);
	else if (!is_time && !c->is_number)
		warnx("--when '%s': '%s' does not measure times: write a number without a unit",
		      c->name, c->sensor);
	else
		return true;
	return false;
}

/* @id: 0: none. Return: false after a message. */
static bool name_event(const struct condition *c, const struct events *events, __u32 id,
		       char name[FT_NAME_LEN])
{
	ssize_t i = id ? events_find(events, id) : -1;

	if (i >= 0)
		snprintf(name, FT_NAME_LEN, "%s", events->info[i].name);
	else if (id)
		warnx("--when '%s': the event of '%s' is not there: load its module first",
		      c->name, c->sensor);
	return !id || i >= 0;
}

bool when_sensor_find(struct condition *c, struct ft_sensor *sensor, const struct events *events)
{
	return find(c->sensor, sensor) && fits(c, sensor) &&
	       name_event(c, events, sensor->event, c->event) &&
	       name_event(c, events, sensor->begin, c->begin);
}

/* Of a pair the module has the first word of its end, and the second one of its beginning. */
enum ft_test_what when_sensor_word(const struct condition *c, const struct ft_sensor *sensor,
				   const struct ft_event_info *of, unsigned int word)
{
	__u32 second = sensor->begin ? sensor->begin : sensor->event;

	if (!word && of->id == sensor->event)
		return FT_TEST_A;
	if (word && of->id == second)
		return FT_TEST_B;
	warnx("--when '%s': where a sensor measures, only the first word of '%s' and the second one "
	      "of '%s' are known", c->name, c->event, sensor->begin ? c->begin : c->event);
	return 0;
}
