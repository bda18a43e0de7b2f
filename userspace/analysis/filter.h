/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which critical sections are wanted: --family, --cpu, --from, --to.
 *
 * What is not wanted is paired all the same: nesting depths stay those of the
 * whole trace.
 */
#ifndef FT_ANALYSIS_FILTER_H
#define FT_ANALYSIS_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "locks/locks.h"
#include "trace/trace.h"

/** struct filter - zeroed, it lets everything pass */
struct filter {
	uint32_t	families;	/* a bit each; 0: all */
	uint32_t	*cpus;
	size_t		n_cpus;		/* 0: all */
	bool		has_from, has_to;
	uint64_t	from_ns, to_ns;	/* since the trace began */
	uint64_t	from, to;	/* ticks: by filter_bind() */
};

/* For getopt_long(): values of the options, and their rows in the table. */
enum filter_option {
	FILTER_FAMILY = 0x100,
	FILTER_CPU,
	FILTER_FROM,
	FILTER_TO,
	FILTER_OPTION_END
};

#define FILTER_LONGOPTS \
	{ "family", required_argument, NULL, FILTER_FAMILY }, \
	{ "cpu", required_argument, NULL, FILTER_CPU }, \
	{ "from", required_argument, NULL, FILTER_FROM }, \
	{ "to", required_argument, NULL, FILTER_TO }

#define FILTER_HELP \
	"      --family LIST    only of these: spin, rwlock_read, mutex, ...; patterns\n" \
	"                       like 'rw*' will do\n" \
	"      --cpu LIST       only those that began on these CPUs: 0,2-3\n" \
	"      --from SECONDS   only those that began then or later,\n" \
	"      --to SECONDS     and before then; since the beginning of the trace\n"

/**
 * filter_option - take an option that getopt_long() found
 * @command:	for messages
 * @option:	enum filter_option
 *
 * Return: -1 to go on, else the exit status, after a message.
 */
int filter_option(struct filter *f, const char *command, int option,
		  const char *value);

/**
 * filter_bind - the options are known, the trace is open
 *
 * Return: 0, or -1 with a message: no such CPU in this trace.
 */
int filter_bind(struct filter *f, const struct trace *t);

/** filter_section - is this one wanted? */
bool filter_section(const struct filter *f, const struct section *s);

/** filter_at - is what happens at this time on this CPU wanted? */
bool filter_at(const struct filter *f, uint64_t ts, uint32_t cpu);

void filter_exit(struct filter *f);

#endif /* FT_ANALYSIS_FILTER_H */
