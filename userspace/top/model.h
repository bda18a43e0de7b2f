/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What ft top shows: sensors of locks, and rows that are made of them. */
#ifndef FT_TOP_MODEL_H
#define FT_TOP_MODEL_H

#include "control/events.h"
#include "sensor/program.h"
#include "sensor/shown.h"

/** enum model_by - what has a row */
enum model_by {
	BY_FAMILY,
	BY_SITE,
	BY_LOCK,
	BY_TASK,
	MODEL_BYS
};

/** enum model_sort - which column decides the order of the rows */
enum model_sort {
	SORT_COUNT,
	SORT_TIME,
	SORT_P50,
	SORT_P99,
	SORT_MAX,
	MODEL_SORTS
};

/**
 * struct model_row - a row
 * @sensor:	index of the sensor in the model
 * @sums:	what was counted in the time that is shown; @sums->most is since the beginning
 * @order:	what rows are sorted by: the largest first
 * @name:	what it is the row of
 */
struct model_row {
	size_t			sensor;
	const struct sums_row	*sums;
	uint64_t		order;
	char			name[LABEL_LEN];
};

/* A sensor that is looked at. */
struct model_sensor {
	struct sensor_map	map;
	char			family[48];	/* "spin" */
	const char		*what;		/* "hold", "wait" */
	struct sums		first;		/* when ft top began to look */
	struct sums		before;		/* at the last refresh */
	struct sums		now;
	struct sums		shown;		/* the difference */
};

/**
 * struct model - what is looked at
 * @program:	sensors of programs: see sensor_program_open(); SENSOR_NO_PROGRAM: the kernel's
 * @whose:	the ft run that they are of
 * @counted_by: what these sensors have rows for, beside families; where there are some
 * @wanted:	what rows were asked for; MODEL_BYS: nothing was said
 * @since_start: show what was counted since the beginning, not since the last refresh
 * @filter:	only rows whose name has this in it; "": all
 * @interval:	seconds between the last two looks
 * @seconds:	of the time that is shown
 * @row:	in order
 */
struct model {
	pid_t			program, whose;
	enum model_by		counted_by;
	int			fd, control;
	struct ft_info		info;
	struct events		events;
	struct symbols		*symbols;
	enum model_by		by, wanted;
	enum model_sort		sort;
	bool			since_start;
	char			filter[64];
	struct model_sensor	*sensor;
	size_t			n_sensors;
	struct model_row	*row;
	size_t			n_rows;
	double			began, looked, interval, seconds;
};

/**
 * model_open - begin to look
 * @by:	MODEL_BYS: call sites; of programs, what their sensors have rows for
 *
 * Return: false after a message.
 */
bool model_open(struct model *m, enum model_by by);
void model_close(struct model *m);

/** model_set_by - look at other rows; counts begin anew. Return: as model_open(). */
bool model_set_by(struct model *m, enum model_by by);

/**
 * model_find_again - look at the sensors that there are now
 *
 * The rows are those that were asked for, or if the programs do not have them, those that they
 * have. Return: as model_open().
 */
bool model_find_again(struct model *m);

/** model_look - read the sensors again, and make the rows */
void model_look(struct model *m);

/**
 * model_waits - are there no sensors yet? Then model_find_again() would find none, either.
 *
 * An ft run shows its sensors when it knows its clock, and removes them just before it ends.
 */
bool model_waits(const struct model *m);

/**
 * model_is_gone - has somebody removed one of the sensors? Then model_find_again() is needed.
 *
 * Also where there are none: do not ask while model_waits().
 */
bool model_is_gone(const struct model *m);

/** model_rows - make the rows again, after @sort, @filter or @since_start has changed */
void model_rows(struct model *m);

/**
 * model_has_by - can there be such rows?
 *
 * Programs count by families and one of the others; which one is known when they have sensors.
 */
bool model_has_by(const struct model *m, enum model_by by);

/** model_quantile - @permille of a row's times are at most so many ticks */
uint64_t model_quantile(const struct model *m, const struct model_row *row, unsigned int permille);

const char *model_by_name(enum model_by by);
const char *model_sort_name(enum model_sort sort);

#endif /* FT_TOP_MODEL_H */
