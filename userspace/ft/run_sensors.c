// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft run --sensors: see run_sensors.h. */
#include <err.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ft/run_sensors.h"
#include "view/sensor_views.h"

#define ROWS	20	/* of each sensor, for people */

const char *run_sensors_place(void)
{
	static char path[PATH_MAX];
	const char *tmp = getenv("TMPDIR");

	snprintf(path, sizeof(path), "%s/ft-sensors-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (mkdtemp(path))
		return path;
	warn("cannot make a directory '%s'", path);
	return NULL;
}

/* Return: how many sensors have counted anything; the others are not shown. */
static size_t choose(struct shown *shown)
{
	size_t n = 0;

	for (size_t i = 0; i < shown->maps.n; i++) {
		const struct sums *sums = &shown->sums[i];

		shown->wanted[i] = sums->all.count || sums->alone || sums->forgotten;
		n += shown->wanted[i];
	}
	return n;
}

/* The program's output is the program's. */
static void print(const struct shown *shown, size_t n)
{
	if (!n) {
		warnx("nothing was counted: no lock was taken, and no sensor of the programs' own "
		      "was called");
		return;
	}
	fflush(stdout);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	sensor_text_rows(shown);
	fflush(stdout);
}

static bool write_to(const struct shown *shown, const char *path)
{
	FILE *f = fopen(path, "we");
	bool failed = !f;

	if (f) {
		sensor_json(shown, f);
		failed = ferror(f);
		failed |= !!fclose(f);
	}
	if (failed)
		warn("cannot write the sensors to '%s'", path);
	return !failed;
}

bool run_sensors_show(const struct run_job *job)
{
	struct shown shown = { .top = *job->sensors_file ? SIZE_MAX : ROWS };
	bool ok = shown_take(&shown, job->run.sensors);

	if (ok) {
		size_t n = choose(&shown);

		shown.symbols = symbols_open(job->part->dir.path, NULL);
		if (*job->sensors_file)
			ok = write_to(&shown, job->sensors_file);
		else
			print(&shown, n);
		symbols_free(shown.symbols);
		sensor_maps_warn(&shown.maps);
		ok &= !shown.maps.n_unreadable;
	}
	shown_free(&shown);
	return ok;
}
