/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft run --sensors: what is shown at the end, and where names of addresses are kept. */
#ifndef FT_RUN_SENSORS_H
#define FT_RUN_SENSORS_H

#include "record/program/job.h"

/** run_sensors_place - without a trace, a directory that goes at the end. Return: NULL */
const char *run_sensors_place(void);

/** run_sensors_show - print what was counted, or write it. Return: false after a message */
bool run_sensors_show(const struct run_job *job);

#endif /* FT_RUN_SENSORS_H */
