/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * An experiment: a directory with the trace, the times of system calls, and a session file
 * (trace/session_file.h), which is written last: its keys are EXPERIMENT_VERSION_KEY, clock,
 * status (that of ft record), load.
 */
#ifndef FT_OVERHEADS_EXPERIMENT_H
#define FT_OVERHEADS_EXPERIMENT_H

#include <stdbool.h>

#include "overheads/pairing.h"

#define EXPERIMENT_CALLS	"calls"
#define EXPERIMENT_TRACE	"trace"
#define EXPERIMENT_VERSION_KEY	"overheads_version"
#define EXPERIMENT_VERSION	"1"

/**
 * struct experiment_asked - what is to be done
 * @dir:	where it goes
 * @slots:	of each ring, as ft record takes it; or NULL
 * @command:	the load, with its arguments; NULL: our own, for @seconds
 * @force:	replace the experiment in @dir
 */
struct experiment_asked {
	const char	*dir, *slots;
	char		**command;
	double		seconds;
	bool		force;
};

/**
 * experiment_record - record it
 * @recorded: out: is there an experiment? Also where its command failed
 *
 * Return: exit status, after a message.
 */
int experiment_record(const struct experiment_asked *asked, bool *recorded);

/**
 * struct experiment - what a directory says
 * @load:	"own", or the command
 * @is_incomplete: records were lost, or the kernel left out a kprobe
 * @host, @kernel, @cpus, @seconds: of the trace's session; "?" where it has none
 */
struct experiment {
	char		*load, *host, *kernel, *cpus, *seconds;
	bool		is_incomplete;
	struct pairing	pairing;
};

/** experiment_path - of a file in @dir, to be freed */
char *experiment_path(const char *dir, const char *name);

/** experiment_is - is there an experiment in @dir? */
bool experiment_is(const char *dir);

/** experiment_read - Return: false after a message; @r is to be freed in any case */
bool experiment_read(struct experiment *r, const char *dir);
void experiment_free(struct experiment *r);

/** experiment_remove - an experiment that was for this process alone */
void experiment_remove(const char *dir);

/** experiment_lacks - are samples missing: records were lost, or the kernel left out a kprobe? */
static inline bool experiment_lacks(const struct experiment *r)
{
	return r->is_incomplete || r->pairing.lost;
}

/** experiment_name_part - of a file's name, where '_' begins the next key; to be freed */
char *experiment_name_part(const char *text);

/**
 * experiment_samples_name - of a file for the tools of LITMUS^RT, to be freed
 *
 * overheads_host=HOST_scheduler=Linux_m=CPUS_overhead=SCHED.float32
 */
char *experiment_samples_name(const struct experiment *r, enum overhead kind);

/**
 * experiment_write_samples - such a file for each kind, in @dir
 *
 * Cycles, or nanoseconds where the name ends in -LATENCY, as numbers of 32 bits in the order of
 * their ends.
 * Return: false after a message.
 */
bool experiment_write_samples(const struct experiment *r, const char *dir);

#endif /* FT_OVERHEADS_EXPERIMENT_H */
