/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The names of tasks, for TRACE/info/tasks.
 *
 * /proc names the tasks that exist at the start; perf events report later forks, names
 * and exits. Without these, or if news was lost, /proc is read again at the end. Names
 * are a convenience: no recording fails because of them.
 */
#ifndef FT_RECORD_KERNEL_TASKS_H
#define FT_RECORD_KERNEL_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "record/kernel/names.h"
#include "record/kernel/news.h"
#include "record/kernel/perf.h"
#include "trace/directory.h"

struct record_tasks {
	struct record_names	names;
	struct record_news	news;
	struct record_perf	perf;
	unsigned int		cpus;	/* CPUs have numbers below this */
	int			online;	/* the kernel's list of CPUs online */
	char			online_text[256];
	bool			started;
	bool			gaps;	/* CPUs came or went: news may be missing */
	char			state[80];	/* for the session file */
};

#define RECORD_TASKS_INIT	{ .perf.fd = -1, .online = -1 }

/** record_tasks_are_ours - do tasks have the same numbers here as in the records? */
bool record_tasks_are_ours(void);

/** record_tasks_add - set a name, if there is none; before record_tasks_stop() */
void record_tasks_add(struct record_tasks *tasks, uint32_t tid, const char *name);

/** record_tasks_start - write the first names; call it before the first event */
void record_tasks_start(struct record_tasks *tasks, const struct record_dir *dir,
			unsigned int cpus);

/** record_tasks_fd - readable when record_tasks_take() is due; may be -1 */
static inline int record_tasks_fd(const struct record_tasks *tasks)
{
	return tasks->perf.fd;
}

void record_tasks_take(struct record_tasks *tasks);

/**
 * record_tasks_scan - check whether CPUs, or threads of the kernel, came or went
 *
 * Call it now and then: once such a thread has ended, its name cannot be found.
 */
void record_tasks_scan(struct record_tasks *tasks);

/** record_tasks_save - write the names known so far to another directory */
void record_tasks_save(struct record_tasks *tasks, const struct record_dir *dir);

/** record_tasks_stop - write the file; call it after the last event */
void record_tasks_stop(struct record_tasks *tasks, const struct record_dir *dir);

void record_tasks_free(struct record_tasks *tasks);

#endif /* FT_RECORD_KERNEL_TASKS_H */
