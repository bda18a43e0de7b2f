// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Reading an experiment: see experiment.h. */
#include <ctype.h>
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"
#include "overheads/experiment.h"
#include "trace/session_file.h"

char *experiment_path(const char *dir, const char *name)
{
	return mem_format("%s/%s", dir, name);
}

bool experiment_is(const char *dir)
{
	char *version = session_value(dir, EXPERIMENT_VERSION_KEY);
	bool is = version;

	mem_free(version);
	return is;
}

/* Return: false after a message */
static bool read_facts(struct experiment *r, const char *dir, char **clock)
{
	char *version = session_value(dir, EXPERIMENT_VERSION_KEY);
	char *status = session_value(dir, "status");
	bool known = version && !strcmp(version, EXPERIMENT_VERSION);

	r->load = session_value(dir, "load");
	r->is_incomplete = status && strcmp(status, "0");
	*clock = session_value(dir, "clock");
	if (!version)
		warnx("'%s' is not an experiment of ft overheads -o", dir);
	else if (!known || !status || !r->load || !*clock)
		warnx("'%s' is damaged, or of another version of ft", dir);
	known = known && status && r->load && *clock;
	mem_free(version);
	mem_free(status);
	return known;
}

static char *session_fact(const char *trace, const char *key)
{
	char *value = session_value(trace, key);

	return value ? value : mem_strdup("?");
}

static bool read_trace(struct experiment *r, const char *trace, struct calls *calls,
		       const char *clock)
{
	char *has = session_fact(trace, "clock");
	bool same = !strcmp(has, clock);

	mem_free(has);
	r->host = session_fact(trace, "host");
	r->kernel = session_fact(trace, "kernel_release");
	r->cpus = session_fact(trace, "cpus");
	r->seconds = session_fact(trace, "duration_s");
	return pairing_find(&r->pairing, trace, same ? calls : NULL);
}

bool experiment_read(struct experiment *r, const char *dir)
{
	char *path = experiment_path(dir, EXPERIMENT_CALLS), *clock = NULL;
	char *trace = experiment_path(dir, EXPERIMENT_TRACE);
	struct calls calls = { 0 };
	bool ok;

	*r = (struct experiment){ 0 };
	ok = read_facts(r, dir, &clock) && calls_read(&calls, path) &&
	     read_trace(r, trace, &calls, clock);
	calls_free(&calls);
	mem_free(path);
	mem_free(trace);
	mem_free(clock);
	return ok;
}

void experiment_free(struct experiment *r)
{
	mem_free(r->load);
	mem_free(r->host);
	mem_free(r->kernel);
	mem_free(r->cpus);
	mem_free(r->seconds);
	pairing_free(&r->pairing);
}

/* --- samples for other tools ---------------------------------------------- */

char *experiment_name_part(const char *text)
{
	char *part = mem_strdup(text);

	for (char *c = part; *c; c++) {
		if (!isalnum((unsigned char)*c) && *c != '.' && *c != '-')
			*c = '-';
	}
	return part;
}

char *experiment_samples_name(const struct experiment *r, enum overhead kind)
{
	char *host = experiment_name_part(r->host), *cpus = experiment_name_part(r->cpus), *name;

	name = mem_format("overheads_host=%s_scheduler=Linux_m=%s_overhead=%s.float32", host, cpus,
			  overhead_kinds[kind].field);
	mem_free(host);
	mem_free(cpus);
	return name;
}

bool experiment_write_samples(const struct experiment *r, const char *dir)
{
	bool ok = true;

	for (unsigned int k = 0; k < OVERHEADS && ok; k++) {
		const struct samples *s = &r->pairing.kind[k];
		bool in_ns = strstr(overhead_kinds[k].field, "-LATENCY");
		double unit = in_ns ? 1e9 / (double)r->pairing.hz : 1;
		char *name = experiment_samples_name(r, k);
		char *path = experiment_path(dir, name);
		FILE *f = fopen(path, "we");

		if (f) {
			for (size_t i = 0; i < s->n; i++) {
				float sample = (float)((double)s->at[i] * unit);

				fwrite(&sample, sizeof(sample), 1, f);
			}
			ok = !close_output(f, path);
		} else {
			warn("cannot write '%s'", path);
			ok = false;
		}
		mem_free(path);
		mem_free(name);
	}
	return ok;
}
