// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Conditions on what sensors measure: see when_sensor.h. */
#include <err.h>
#include <stdio.h>
#include <unistd.h>

#include "control/sensors.h"
#include "record/kernel/when_sensor.h"

static bool find(const char *name, struct ft_sensor_info *found)
{
	int fd = sensors_open(false);
	bool ok = fd >= 0 && sensors_find(fd, name, found);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* Is the word of the event signed? The sensor takes it as a number without a sign. */
static bool is_signed(const struct ft_sensor *sensor, const struct events *events)
{
	const struct ft_sensor_axis *axis = &sensor->axis[0];
	bool is_word = axis->value == FT_VALUE_A || axis->value == FT_VALUE_B;
	ssize_t i = events_find(events, sensor->event);

	return axis->flags & FT_AXIS_SIGNED ||
	       (is_word && i >= 0 &&
		events_word_is_signed(events, (size_t)i, axis->value == FT_VALUE_B));
}

/* Has it values, and those that the condition compares? */
static bool fits(const struct condition *c, const struct ft_sensor *sensor,
		 const struct events *events)
{
	bool is_time = sensor->axis[0].value == FT_VALUE_TIME;

	if (sensor->kind == FT_SENSOR_COUNTER)
		warnx("--when '%s': '%s' counts, and measures nothing", c->name, c->sensor);
	else if (is_signed(sensor, events))
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
		warnx("--when '%s': the event of '%s' does not exist yet: load its module first",
		      c->name, c->sensor);
	return !id || i >= 0;
}

bool when_sensor_find(struct condition *c, struct ft_sensor_info *sensor,
		      const struct events *events)
{
	const struct ft_sensor *def = &sensor->sensor;

	return find(c->sensor, sensor) && fits(c, def, events) &&
	       name_event(c, events, def->event, c->event) &&
	       name_event(c, events, def->begin, c->begin);
}

bool when_sensor_is_there(const struct ft_sensor_info *sensor)
{
	int fd = sensors_open(false);
	struct ft_sensor_info now;
	bool same;

	if (fd < 0)
		return false;
	same = sensors_look(fd, sensor->sensor.number, &now) && now.serial == sensor->serial;
	close(fd);
	return same;
}

/* For a pair, the module has the first word of its end, and the second of its beginning. */
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
