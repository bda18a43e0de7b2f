// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* How many threads read a trace. See jobs.h. */
#include <sched.h>

#include "base/crew/jobs.h"
#include "base/number.h"

/* More have nothing to do: one thread puts all records in order. */
#define MOST_UNASKED	8u
/* Less is read in less time than threads need to begin. */
#define LEAST_BYTES	(1u << 20)

static int take_jobs(void *to, const struct option_given *given)
{
	struct jobs *jobs = to;
	uint64_t n;

	if (parse_u64(given->value, &n) || !n || n > JOBS_MAX)
		return option_error(given, "is not a number from 1 to %u: '%s'", JOBS_MAX,
				    given->value);
	jobs->n = (unsigned int)n;
	return -1;
}

const struct option_row jobs_options[] = {
	{ 'j', "jobs", "N", "use N threads (default: one for each CPU; 1 if there is little to "
			    "read): the output is the same",
	  OPTION_CALL_ALL(take_jobs) },
	{ }
};

static unsigned int cpus(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return n > (int)MOST_UNASKED ? MOST_UNASKED : (unsigned int)n;
}

struct crew *jobs_crew(const struct jobs *jobs, uint64_t bytes)
{
	unsigned int n = jobs->n;

	if (!n)
		n = bytes < LEAST_BYTES ? 1 : cpus();
	return crew_new(n - 1);
}
