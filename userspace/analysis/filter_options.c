// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The options that select sections and records. See filter.h. */
#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/filter.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/usage.h"

#define NSEC	1000000000u

static int add_families(struct filter_options *o, const char *command,
			const char *value)
{
	char *list = mem_strdup(value), *rest = list, *pattern;
	int ret = -1;

	while (ret < 0 && (pattern = strsep(&rest, ","))) {
		const char *names[LOCKS_FAMILIES], *near;
		unsigned int i;
		bool any = false;

		for (i = 0; i < LOCKS_FAMILIES; i++) {
			names[i] = locks_name(i);
			if (fnmatch(pattern, names[i], 0))
				continue;
			o->families |= 1u << i;
			any = true;
		}
		if (any)
			continue;
		near = nearest(pattern, names, LOCKS_FAMILIES);
		ret = usage_error(command, "--family: no family of locks is called '%s'%s%s%s",
				  pattern, near ? "; do you mean '" : "",
				  near ? near : "", near ? "'?" : "");
	}
	free(list);
	return ret;
}

/* "3" or "0-7" */
static int add_cpu_range(struct filter_set *cpus, char *text)
{
	char *dash = strchr(text, '-');
	struct filter_range r;

	if (dash)
		*dash++ = '\0';
	if (parse_u64(text, &r.low))
		return -1;
	r.high = r.low;
	if (dash && (parse_u64(dash, &r.high) || r.high < r.low))
		return -1;
	cpus->range = mem_resize(cpus->range, cpus->n + 1, sizeof(r));
	cpus->range[cpus->n++] = r;
	cpus->given = true;
	return 0;
}

static int add_cpus(struct filter_options *o, const char *command, const char *value)
{
	char *list = mem_strdup(value), *rest = list, *range;
	int ret = 0;

	while (!ret && (range = strsep(&rest, ",")))
		ret = add_cpu_range(&o->cpus, range);
	free(list);
	if (!ret)
		return -1;
	return usage_error(command, "--cpu is not a list of numbers like 0-3,8: '%s'",
			   value);
}

/* Exact to the nanosecond: "12", "0.000002070", "2e-6" */
static int parse_ns(const char *s, uint64_t *ns)
{
	long double seconds;
	char *end;

	if ((!isdigit((unsigned char)*s) && *s != '.') || strpbrk(s, "xX"))
		return -1;
	seconds = strtold(s, &end);
	if (end == s || *end || !(seconds * NSEC < 0x1p63L))
		return -1;
	*ns = (uint64_t)roundl(seconds * NSEC);
	return 0;
}

static int set_time(struct filter_options *o, const char *command, int option,
		    const char *value)
{
	bool from = option == FILTER_FROM;

	if (parse_ns(value, from ? &o->from : &o->to))
		return usage_error(command, "--%s is not a number of seconds: '%s'",
				   from ? "from" : "to", value);
	*(from ? &o->has_from : &o->has_to) = true;
	if (o->has_from && o->has_to && o->to <= o->from)
		return usage_error(command, "--to is not after --from: nothing is left");
	return -1;
}

int filter_option(struct filter_options *o, const char *command, int option,
		  const char *value)
{
	switch (option) {
	case FILTER_CPU:
		return add_cpus(o, command, value);
	case FILTER_FROM:
	case FILTER_TO:
		return set_time(o, command, option, value);
	case FILTER_FAMILY:
		return add_families(o, command, value);
	default:
		o->names = mem_resize(o->names, o->n_names + 1, sizeof(*o->names));
		o->names[o->n_names++] = (struct filter_name){ option, value };
		return -1;
	}
}

void filter_options_exit(struct filter_options *o)
{
	free(o->cpus.range);
	free(o->names);
	*o = (struct filter_options){ 0 };
}
