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
#include "base/options.h"
#include "base/usage.h"

#define NSEC	1000000000u

/* Each of these takes an option: see struct option_row. */

static int take_families(void *to, const struct option_given *given)
{
	struct filter_options *o = to;
	char *list = mem_strdup(given->value), *rest = list, *pattern;
	int ret = -1;

	while (ret < 0 && (pattern = strsep(&rest, ","))) {
		const char *names[LOCKS_FAMILIES];
		char hint[NEAREST_HINT];
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
		ret = option_error(given, "is not a family of locks: '%s'%s", pattern,
				   nearest_hint(hint, pattern, names, LOCKS_FAMILIES));
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

static int take_cpus(void *to, const struct option_given *given)
{
	struct filter_options *o = to;
	char *list = mem_strdup(given->value), *rest = list, *range;
	int ret = 0;

	while (!ret && (range = strsep(&rest, ",")))
		ret = add_cpu_range(&o->cpus, range);
	free(list);
	if (!ret)
		return -1;
	return option_error(given, "is not a list of numbers like 0-3,8: '%s'",
			    given->value);
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

static int take_time(const struct option_given *given, uint64_t *ns, bool *has,
		     const struct filter_options *o)
{
	if (parse_ns(given->value, ns))
		return option_error(given, "is not a number of seconds: '%s'", given->value);
	*has = true;
	if (o->has_from && o->has_to && o->to <= o->from)
		return usage_error(given->command,
				   "--to is not after --from: nothing is left");
	return -1;
}

static int take_from(void *to, const struct option_given *given)
{
	struct filter_options *o = to;

	return take_time(given, &o->from, &o->has_from, o);
}

static int take_to(void *to, const struct option_given *given)
{
	struct filter_options *o = to;

	return take_time(given, &o->to, &o->has_to, o);
}

static int take_name(struct filter_options *o, enum filter_what what, const char *name)
{
	o->names = mem_resize(o->names, o->n_names + 1, sizeof(*o->names));
	o->names[o->n_names++] = (struct filter_name){ what, name };
	return -1;
}

static int take_task(void *to, const struct option_given *given)
{
	return take_name(to, FILTER_TASK, given->value);
}

static int take_site(void *to, const struct option_given *given)
{
	return take_name(to, FILTER_SITE, given->value);
}

static int take_lock(void *to, const struct option_given *given)
{
	return take_name(to, FILTER_LOCK, given->value);
}

static const char *family_word(unsigned int i)
{
	return i < LOCKS_FAMILIES ? locks_name(i) : NULL;
}

const struct option_row filter_option_table[] = {
	{ 'c', "cpu", "LIST", "on these CPUs, like 0-3,8", OPTION_CALL_ALL(take_cpus) },
	{ 0, "from", "SECONDS", "this long after the start of the trace, or later",
	  OPTION_CALL_ALL(take_from) },
	{ 0, "to", "SECONDS", "before this time", OPTION_CALL_ALL(take_to) },
	{ 0, "task", "TID|NAME", "in this task", OPTION_CALL_ALL(take_task) },
	{ 0, "without-recorder", NULL, "not in tasks of ft record",
	  OPTION_FLAG(struct filter_options, without_recorder) },
	{ 0, "site", "SYMBOL|ADDRESS", "in this function, or at this place",
	  OPTION_CALL_ALL(take_site) },
	{ 0, "lock", "SYMBOL|ADDRESS", "of this lock", OPTION_CALL_ALL(take_lock) },
	{ 0, "family", "LIST", "of these families of locks: spin, mutex, pthread_mutex, "
	  "posix_sem, ...; patterns like 'rw*' work, too", OPTION_CALL_ALL(take_families),
	  .word = family_word, .list = true },
	{ }
};

bool filter_options_any(const struct filter_options *o)
{
	return o->cpus.given || o->n_names || o->families || o->has_from || o->has_to ||
	       o->without_recorder;
}

void filter_options_exit(struct filter_options *o)
{
	free(o->cpus.range);
	free(o->names);
	*o = (struct filter_options){ 0 };
}
