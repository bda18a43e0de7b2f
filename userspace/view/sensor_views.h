/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Sensors as text, JSON and OpenMetrics. */
#ifndef FT_VIEW_SENSOR_VIEWS_H
#define FT_VIEW_SENSOR_VIEWS_H

#include <stdio.h>

#include "sensor/grown.h"
#include "sensor/shown.h"

/** sensor_text_list - a line a sensor */
void sensor_text_list(const struct shown *shown);

/** sensor_text_rows - each with the distribution of all its rows */
void sensor_text_rows(const struct shown *shown);

/** sensor_json - all that they have counted, with their bins; times are in ns */
void sensor_json(const struct shown *shown, FILE *f);

/** sensor_tsv - a line a row */
void sensor_tsv(const struct shown *shown);

/**
 * sensor_openmetrics - text that monitoring systems read
 * @grown:	of all answers, so that rows are counters; NULL: this is the only answer, and they
 *		are gauges
 *
 * The buckets of histograms of times are the same on each machine: four for each power of
 * two of a nanosecond. So a bin of ticks may lie in two of them; its values are shared out
 * in proportion. Each series of a counter only grows, as long as the sensors are the same.
 *
 * Of several instances of lock/FAMILY/hold or wait one has the family's series and the name
 * without a number: one that stays, or the first one. Those maps' full_name is set so.
 */
void sensor_openmetrics(struct shown *shown, struct grown *grown, FILE *f);

#endif /* FT_VIEW_SENSOR_VIEWS_H */
