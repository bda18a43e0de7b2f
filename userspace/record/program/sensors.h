/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft run --sensors: the memory in which programs count. */
#ifndef FT_RECORD_PROGRAM_SENSORS_H
#define FT_RECORD_PROGRAM_SENSORS_H

#include "record/program/run.h"

/** run_sensors_make - make them; before the session. Return: false with a message */
bool run_sensors_make(struct run *run);

/** run_sensors_show_clock - tell monitors the rate of the clock, once it is known */
void run_sensors_show_clock(struct run *run);

/**
 * run_sensors_look - save what names addresses, for monitors, if there is more of it
 *
 * After run_look(). Return: false after a message.
 */
bool run_sensors_look(struct run *run, double now);

/** run_sensors_settle - a copy's thread was killed, and no other one has it: its marks are whole */
void run_sensors_settle(struct run *run, __u32 copy);

/** run_sensors_end - tell monitors that nothing is counted any more */
void run_sensors_end(struct run *run);

void run_sensors_free(struct run *run);

#endif /* FT_RECORD_PROGRAM_SENSORS_H */
