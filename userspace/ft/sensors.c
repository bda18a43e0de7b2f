// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft sensors: makes, shows and removes sensors. */
#include <err.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "base/number.h"
#include "control/device.h"
#include "control/events.h"
#include "control/functions.h"
#include "control/sensor_defaults.h"
#include "control/sensor_definition.h"
#include "control/sensors.h"
#include "ft/commands.h"
#include "ft/sensors_sites.h"
#include "sensor/program.h"
#include "view/sensor_views.h"

/* How sensors are shown. */
enum as {
	AS_TEXT,
	AS_TSV,
	AS_JSON,
	AS_OPENMETRICS,
};

/* What it is asked to do; in options, a set of these says which of them take it. */
static const char *const actions[] = { "list", "show", "new", "default", "end" };

#define LIST	(1u << 0)
#define SHOW	(1u << 1)
#define NEW	(1u << 2)

struct sensors {
	unsigned int		as;
	size_t			top;
	pid_t			program;
	bool			by_cpu;
	struct sensor_bins	bins;
};

/* Bins of 2^0 are something else than the usual ones. */
static int take_bits(void *to, const struct option_given *given)
{
	struct sensor_bins *bins = to;
	uint64_t n;

	if (parse_u64(given->value, &n))
		return option_error(given, "is not a number: '%s'", given->value);
	bins->bits = n;
	bins->bits_set = true;
	return -1;
}

static int take_some(void *to, const struct option_given *given)
{
	uint64_t n;

	if (parse_u64(given->value, &n) || !n)
		return option_error(given, "takes a number from 1 on, not '%s'", given->value);
	*(size_t *)to = n;
	return -1;
}

static const struct option_row options[] = {
	OPTION_TITLE("Showing"),
	{ 0, "tsv", NULL, "show: a line for each row, for programs",
	  OPTION_SET(struct sensors, as, AS_TSV), .only = LIST | SHOW },
	{ 0, "json", NULL, "show: all, with bins, as JSON",
	  OPTION_SET(struct sensors, as, AS_JSON), .only = LIST | SHOW },
	{ 0, "openmetrics", NULL, "show: as OpenMetrics text, for monitoring systems",
	  OPTION_SET(struct sensors, as, AS_OPENMETRICS), .only = LIST | SHOW },
	{ 'n', "top", "N", "show: at most N rows of each sensor (20; 0: all)",
	  OPTION_ROWS(struct sensors, top), .only = SHOW },
	{ 0, "by-cpu", NULL, "show: a row for each CPU, instead of those of the sensor",
	  OPTION_FLAG(struct sensors, by_cpu), .only = SHOW },
	SENSOR_PROGRAM_OPTION(struct sensors, program, .only = LIST | SHOW),
	OPTION_TITLE("Making"),
	{ 0, "rows", "N", "new: rows of a split, a power of two (128); others share one row",
	  OPTION_CALL(struct sensors, bins.rows, take_some), .only = NEW },
	{ 0, "bits", "N", "new: cut each power of two into 2^N bins (3): an error of at most "
	  "1 in 2^(N+1)", OPTION_CALL(struct sensors, bins, take_bits), .only = NEW },
	{ 0, "width", "N", "new: linear bins of this width, a power of two",
	  OPTION_CALL(struct sensors, bins.width, take_some), .only = NEW },
	{ 0, "low", "N", "new: the least value that has a bin",
	  OPTION_NUMBER(struct sensors, bins.low), .only = NEW },
	{ 0, "bins", "N", "new: how many bins",
	  OPTION_CALL(struct sensors, bins.bins, take_some), .only = NEW },
	{ }
};

/* --- making -------------------------------------------------------------------- */

static bool make(int fd, struct events *events, const char *name, const char *text,
		 const struct sensor_bins *bins)
{
	struct ft_sensor sensor;

	if (text ? !sensor_define(&sensor, name, text, bins, events, sensors_sites) :
		   !sensor_define_own(&sensor, name, bins, events))
		return false;
	sensor.flags |= FT_SENSOR_PERSIST;
	return sensors_new(fd, &sensor);
}

static bool sensors_make(const char *name, const char *text, const struct sensor_bins *bins)
{
	struct ft_info info;
	struct events events;
	int control = device_open_control(&info), fd;
	bool ok = false;

	if (control < 0)
		return false;
	fd = sensors_open(true);
	if (fd >= 0 && events_load(&events, control)) {
		ok = make(fd, &events, name, text, bins);
		if (ok)
			functions_warn_refused(&events, control, "measured");
		events_free(&events);
	}
	if (fd >= 0)
		close(fd);
	close(control);
	return ok;
}

static bool sensors_make_default(void)
{
	int fd = sensors_open(true);
	bool ok = fd >= 0 && sensor_defaults_make(fd, FT_SENSOR_PERSIST, NULL);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* --- showing ------------------------------------------------------------------- */

static bool left_out_fits(const struct sensor_left_out *out, const char *name)
{
	return sensors_name_fits(name, out->name, out->instance);
}

/* Of those that are left out, and are wanted. Return: is the rest all that there is to show? */
static bool tell_left_out(const struct sensor_maps *maps, char **names)
{
	bool complete = true;

	for (size_t i = 0; i < maps->n_left_out; i++) {
		const struct sensor_left_out *out = &maps->left_out[i];
		bool wanted = !*names;

		for (char **name = names; *name; name++)
			wanted |= left_out_fits(out, *name);
		if (wanted)
			sensor_left_out_warn(out);
		complete &= !wanted || out->is_signed;
	}
	return complete;
}

/*
 * @complete: becomes false if only some that are left out have a name.
 * Return: false after a message: no sensor has it.
 */
static bool choose(struct shown *shown, char **names, bool *complete)
{
	for (size_t i = 0; *names && i < shown->maps.n; i++)
		shown->wanted[i] = false;
	for (; *names; names++) {
		bool any = false, left_out = false;

		for (size_t i = 0; i < shown->maps.n; i++) {
			const struct ft_sensor *sensor = &shown->maps.map[i].head.sensor;

			if (sensors_name_fits(*names, sensor->name, sensor->instance))
				any = shown->wanted[i] = true;
		}
		for (size_t i = 0; i < shown->maps.n_left_out; i++)
			left_out |= left_out_fits(&shown->maps.left_out[i], *names);
		if (!any && !left_out) {
			warnx("there is no sensor '%s'; see: ft sensors list", *names);
			return false;
		}
		*complete &= any;
	}
	return true;
}

static void show_as(struct shown *shown, unsigned int as)
{
	switch (as) {
	case AS_TSV:
		sensor_tsv(shown);
		break;
	case AS_JSON:
		sensor_json(shown, stdout);
		break;
	case AS_OPENMETRICS:
		sensor_openmetrics(shown, NULL, stdout);
		break;
	default:
		sensor_text_rows(shown);
	}
}

static struct symbols *names_of(const struct sensors *s, int fd)
{
	return s->program == SENSOR_NO_PROGRAM ? symbols_load("/proc/kallsyms", "/proc/modules") :
						 sensor_program_symbols(fd);
}

static bool sensors_show(const struct sensors *s, char **names, bool list)
{
	struct shown shown = { .top = s->top, .by_cpu = s->by_cpu };
	int fd = s->program == SENSOR_NO_PROGRAM ? sensors_open(false) :
						   sensor_program_open(s->program, NULL);
	bool ok, complete;

	if (fd < 0)
		return false;
	ok = shown_take(&shown, fd);
	complete = tell_left_out(&shown.maps, names);
	ok = ok && choose(&shown, names, &complete);
	if (ok && list && s->as == AS_TEXT) {
		sensor_text_list(&shown);
	} else if (ok) {
		if (!list)
			shown.symbols = names_of(s, fd);
		if (list)
			shown.top = 0;
		show_as(&shown, s->as);
		symbols_free(shown.symbols);
	}
	shown_free(&shown);
	close(fd);
	return ok && complete;
}

static bool sensors_remove(char **names)
{
	int fd = sensors_open(true);
	bool ok = fd >= 0;

	for (; fd >= 0 && *names; names++)
		ok &= sensors_end(fd, *names);
	if (fd >= 0)
		close(fd);
	return ok;
}

/* --- the command ---------------------------------------------------------------- */

static const char *action_word(unsigned int i)
{
	return i < ARRAY_SIZE(actions) ? actions[i] : sensors_word(i - ARRAY_SIZE(actions));
}

/* Without a word, it shows if an option says how, and lists otherwise. */
static const char *action_of(const struct sensors *s, const struct options_given *given)
{
	for (unsigned int i = 0; i < given->n; i++) {
		if (given->row[i]->only == SHOW)
			return "show";
	}
	return s->as == AS_TEXT ? "list" : "show";
}

/* An option that another action takes would do nothing. Return: -1 to go on, else the status. */
static int check_options(const struct options_given *given, const char *action)
{
	size_t at = 0;

	while (at < ARRAY_SIZE(actions) && strcmp(actions[at], action))
		at++;
	if (at == ARRAY_SIZE(actions))
		return usage_error("sensors", "list, show, new, default or end, not '%s'", action);
	for (unsigned int i = 0; i < given->n; i++) {
		unsigned int only = given->row[i]->only;

		if (only && !(only & 1u << at))
			return usage_error("sensors", "--%s is for %s, not for %s",
					   given->row[i]->name, only == NEW ? "new" :
					   only == SHOW ? "show" : "list and show", action);
	}
	return -1;
}

static int sensors_main(int argc, char **argv)
{
	struct sensors s = { .top = 20, .program = SENSOR_NO_PROGRAM };
	struct options_given given;
	int ret = options_parse_given(&sensors_command, &s, &argc, &argv, &given);
	const char *action = argc ? argv[0] : action_of(&s, &given);
	bool ok;

	if (ret >= 0)
		return ret;
	argv += !!argc;
	argc -= !!argc;
	ret = check_options(&given, action);
	if (ret >= 0)
		return ret;
	if (s.by_cpu && s.program != SENSOR_NO_PROGRAM)
		return usage_error("sensors", "--by-cpu is for the kernel's sensors: programs have "
				   "a copy for each thread, not for each CPU");
	if (s.by_cpu && s.as == AS_OPENMETRICS)
		return usage_error("sensors", "--by-cpu is for text, --tsv and --json");
	if (!strcmp(action, "list")) {
		ok = sensors_show(&s, argv, true);
	} else if (!strcmp(action, "show")) {
		ok = sensors_show(&s, argv, false);
	} else if (!strcmp(action, "default")) {
		if (argc)
			return usage_error("sensors", "default takes no name, not '%s'", argv[0]);
		ok = sensors_make_default();
	} else if (!strcmp(action, "new")) {
		if (argc != 1 && argc != 2)
			return usage_error("sensors", "new needs a name and what it is: "
					   "ft sensors new NAME 'hold(spin) by site'");
		ok = sensors_make(argv[0], argc > 1 ? argv[1] : NULL, &s.bins);
	} else {
		if (!argc)
			return usage_error("sensors", "end which? Name a sensor, or '*'");
		ok = sensors_remove(argv);
	}
	return ok ? flush_output(FT_EXIT_OK) : FT_EXIT_ERROR;
}

const struct command sensors_command = {
	.name = "sensors",
	.about = "Makes, shows and removes sensors: counters and histograms that are always on",
	.usage = "[list | show] [NAME...] [--program[=PID]] [OPTION...]\n"
		 "new NAME [WHAT] [OPTION...]\n"
		 "default\n"
		 "end NAME...",
	.text = "A sensor counts or measures events in the kernel as they happen, without a trace.\n"
		"It stays until 'end', or until the module is unloaded; 'default' makes those that\n"
		"show how long all locks are held and waited for. A NAME may be a pattern, or\n"
		"NAME#2 for the second sensor of a name. WHAT is one of\n"
		"\n"
		"  count(EVENT)        how often it happens\n"
		"  EVENT.FIELD         a histogram of a word\n"
		"  hold(FAMILY)        of the times for which locks are held: spin, mutex, ...\n"
		"  wait(FAMILY)        of the times for which tasks wait for them\n"
		"  time(EVENT, EVENT)  from one to the next one with the same first word\n"
		"  last(VALUE)         of one of these only the last, least and greatest value\n"
		"\n"
		"and may be followed by 'by site', 'by lock', 'by word', 'by task', 'by context',\n"
		"for a row each, or 'by depth', for hold() by nesting depth. 'outside sleeping locks'\n"
		"in front of that leaves out the spinlocks which sleeping locks take inside\n"
		"themselves, as ft report does; 'inside sleeping locks' has only these. Without WHAT\n"
		"it is the sensor that a module has for its event NAME (DEFINE_FT_COUNTER() and others).\n"
		"'show --by-cpu' has a row for each CPU, whatever a sensor is split by.\n"
		"--program lists and shows what programs under ft run count.\n",
	.options = options,
	.word = action_word,
	.max = OPERANDS_ANY,
	.main = sensors_main,
};
