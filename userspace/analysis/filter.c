// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Choosing critical sections. */
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>

#include "analysis/filter.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/usage.h"

#define NSEC		1000000000u
#define MAX_CPUS	65536u		/* of a range like 0-63 */

static int add_families(struct filter *f, const char *command, const char *value)
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
			f->families |= 1u << i;
			any = true;
		}
		if (any)
			continue;
		near = nearest(pattern, names, LOCKS_FAMILIES);
		ret = usage_error(command, "no family of locks is called '%s'%s%s%s",
				  pattern, near ? "; do you mean '" : "",
				  near ? near : "", near ? "'?" : "");
	}
	free(list);
	return ret;
}

/* "3" or "0-7" */
static int add_cpu_range(struct filter *f, char *text)
{
	char *dash = strchr(text, '-');
	uint64_t first, last;

	if (dash)
		*dash = '\0';
	if (parse_u64(text, &first) || first > INT32_MAX)
		return -1;
	last = first;
	if (dash && (parse_u64(dash + 1, &last) || last > INT32_MAX ||
		     last < first || last - first >= MAX_CPUS))
		return -1;
	for (; first <= last; first++) {
		f->cpus = mem_resize(f->cpus, f->n_cpus + 1, sizeof(*f->cpus));
		f->cpus[f->n_cpus++] = (uint32_t)first;
	}
	return 0;
}

static int add_cpus(struct filter *f, const char *command, const char *value)
{
	char *list = mem_strdup(value), *rest = list, *range;
	int ret = 0;

	while (!ret && (range = strsep(&rest, ",")))
		ret = add_cpu_range(f, range);
	free(list);
	if (!ret)
		return -1;
	return usage_error(command, "--cpu is not a list of numbers like 0,2-3: '%s'",
			   value);
}

/* Exact, as far as nanoseconds go: "12", "0.000002070" */
static int parse_ns(const char *s, uint64_t *ns)
{
	uint64_t value = 0, unit = NSEC;

	if (!isdigit((unsigned char)*s))
		return -1;
	for (; isdigit((unsigned char)*s); s++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*s - '0'), &value))
			return -1;
	}
	if (__builtin_mul_overflow(value, NSEC, &value))
		return -1;
	if (*s == '.') {
		for (s++; isdigit((unsigned char)*s); s++) {
			unit /= 10;
			if (__builtin_add_overflow(value, unit * (uint64_t)(*s - '0'),
						   &value))
				return -1;
		}
	}
	*ns = value;
	return *s ? -1 : 0;
}

int filter_option(struct filter *f, const char *command, int option,
		  const char *value)
{
	bool from = option == FILTER_FROM;

	if (option == FILTER_FAMILY)
		return add_families(f, command, value);
	if (option == FILTER_CPU)
		return add_cpus(f, command, value);
	if (parse_ns(value, from ? &f->from_ns : &f->to_ns))
		return usage_error(command, "--%s is not a number of seconds: '%s'",
				   from ? "from" : "to", value);
	*(from ? &f->has_from : &f->has_to) = true;
	if (f->has_from && f->has_to && f->to_ns <= f->from_ns)
		return usage_error(command, "--to is not after --from: nothing is left");
	return -1;
}

/* The first tick that is not before this time. */
static uint64_t to_ticks(const struct trace *t, uint64_t ns)
{
	unsigned __int128 ticks = ((unsigned __int128)ns * t->meta.freq + NSEC - 1) /
				  NSEC + t->start;

	return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

int filter_bind(struct filter *f, const struct trace *t)
{
	unsigned int s;
	size_t i;

	f->from = f->has_from ? to_ticks(t, f->from_ns) : 0;
	f->to = f->has_to ? to_ticks(t, f->to_ns) : UINT64_MAX;
	for (i = 0; i < f->n_cpus; i++) {
		for (s = 0; s < t->n_streams; s++) {
			if (t->streams[s].cpu == f->cpus[i])
				break;
		}
		if (s < t->n_streams)
			continue;
		warnx("%s: no CPU %u in this trace", t->dir, f->cpus[i]);
		return -1;
	}
	return 0;
}

bool filter_at(const struct filter *f, uint64_t ts, uint32_t cpu)
{
	size_t i;

	if (ts < f->from || (f->has_to && ts >= f->to))
		return false;
	for (i = 0; i < f->n_cpus; i++) {
		if (f->cpus[i] == cpu)
			return true;
	}
	return !f->n_cpus;
}

bool filter_section(const struct filter *f, const struct section *s)
{
	if (f->families && !(f->families >> s->family & 1))
		return false;
	return filter_at(f, s->start, s->cpu);
}

void filter_exit(struct filter *f)
{
	free(f->cpus);
	*f = (struct filter){ 0 };
}
