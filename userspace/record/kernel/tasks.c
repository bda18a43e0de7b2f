// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Collects the names of tasks while a trace is recorded: see tasks.h. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "record/kernel/tasks.h"
#include "trace/session_file.h"

/*
 * After this time news is complete: other CPUs write theirs with preemption disabled, so
 * it is in their rings by then.
 */
#define SETTLED_SECONDS	0.05

/* The inode of the initial PID namespace, whose numbers the records have. */
#define FIRST_PID_NAMESPACE	0xeffffffcu

/* The PID of kthreadd, whose children are threads of the kernel. */
#define KTHREADD	2

/* --- /proc ------------------------------------------------------------------ */

#define COMM_LEN	64	/* the most bytes in a file comm */

/* /proc appends to a worker's name what it is working on: kworker/0:1-events. */
static size_t name_length(const char *name, size_t len)
{
	static const char worker[] = "kworker/";

	if (len && name[len - 1] == '\n')
		len--;
	if (len > sizeof(worker) && !memcmp(name, worker, sizeof(worker) - 1)) {
		for (size_t i = 0; i < len; i++) {
			if (name[i] == '-' || name[i] == '+')
				return i;
		}
	}
	return len;
}

/* Return: the length of the name, not terminated; 0: the task has ended meanwhile */
static size_t read_comm(int dir, const char *task, char name[COMM_LEN])
{
	char path[48];
	ssize_t len;
	int fd;

	if (snprintf(path, sizeof(path), "%s/comm", task) >= (int)sizeof(path))
		return 0;
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	len = read(fd, name, COMM_LEN);
	close(fd);
	return len < 0 ? 0 : name_length(name, (size_t)len);
}

static void read_name(struct record_tasks *tasks, int dir, const char *tid)
{
	char name[COMM_LEN];
	size_t len = read_comm(dir, tid, name);

	/* without memory the task stays without a name */
	if (len)
		record_names_set(&tasks->names, strtoul(tid, NULL, 10), name, len);
}

/* Calls @each for every entry of @path in @dir that is a number. */
static void each_number(struct record_tasks *tasks, int dir, const char *path,
			void (*each)(struct record_tasks *tasks, int dir,
				     const char *number))
{
	int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *entry;
	DIR *entries;

	if (fd < 0)
		return;
	entries = fdopendir(fd);
	if (!entries) {
		close(fd);
		return;
	}
	while ((entry = readdir(entries))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			each(tasks, fd, entry->d_name);
	}
	closedir(entries);
}

static void read_process(struct record_tasks *tasks, int dir, const char *pid)
{
	char path[32];

	if (snprintf(path, sizeof(path), "%s/task", pid) < (int)sizeof(path))
		each_number(tasks, dir, path, read_name);
}

static void read_all(struct record_tasks *tasks)
{
	each_number(tasks, AT_FDCWD, "/proc", read_process);
}

/* --- CPUs -------------------------------------------------------------------- */

/* Return: has the list changed since the last call? */
static bool online_changed(struct record_tasks *tasks)
{
	char text[sizeof(tasks->online_text)] = "";

	if (tasks->online < 0 ||
	    pread(tasks->online, text, sizeof(text) - 1, 0) <= 0 ||
	    !strcmp(text, tasks->online_text))
		return false;
	memcpy(tasks->online_text, text, sizeof(text));
	return true;
}

/* --- news --------------------------------------------------------------------- */

/*
 * A thread of the kernel has its name from its beginning, since Linux 6.4, so there is no
 * news of it: /proc has it, if the thread is still there.
 */
static void name_kernel_threads(struct record_news *news, size_t since)
{
	for (size_t i = since; i < news->n; i++) {
		struct record_news_item *item = &news->item[i];
		char dir[32], name[COMM_LEN];
		size_t len;

		if (item->parent != KTHREADD)
			continue;
		snprintf(dir, sizeof(dir), "/proc/%" PRIu32, item->tid);
		len = read_comm(AT_FDCWD, dir, name);
		item->parent = 0;
		memcpy(item->name, name, len < RECORD_NAME_LEN ? len : RECORD_NAME_LEN - 1);
	}
}

static void read_news(struct record_tasks *tasks)
{
	size_t since = tasks->news.n;

	record_perf_read(&tasks->perf, &tasks->news);
	name_kernel_threads(&tasks->news, since);
}

/* --- start, go on, stop -------------------------------------------------------- */

static void save(struct record_tasks *tasks, const struct record_dir *dir)
{
	size_t len;
	char *text = record_names_text(&tasks->names, &len);

	if (text)
		record_dir_replace(dir, SESSION_TASKS, text, len);
	free(text);
}

/* In a container, /proc and perf events use other numbers than the records. */
bool record_tasks_are_ours(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) &&
	       st.st_ino == FIRST_PID_NAMESPACE;
}

void record_tasks_start(struct record_tasks *tasks, const struct record_dir *dir,
			unsigned int cpus)
{
	int ret;

	if (!record_tasks_are_ours()) {
		snprintf(tasks->state, sizeof(tasks->state),
			 "none: not in the first PID namespace");
		return;
	}
	tasks->started = true;
	tasks->cpus = cpus;
	tasks->online = open("/sys/devices/system/cpu/online",
			     O_RDONLY | O_CLOEXEC);
	online_changed(tasks);
	/* first, so that no news is missed while /proc is read */
	ret = record_perf_open(&tasks->perf, cpus);
	if (ret)
		snprintf(tasks->state, sizeof(tasks->state),
			 "of the start and the end: perf events: %s",
			 strerror(-ret));
	else
		snprintf(tasks->state, sizeof(tasks->state), "complete");
	read_all(tasks);
	save(tasks, dir);
}

void record_tasks_take(struct record_tasks *tasks)
{
	double settled = monotonic_now() - SETTLED_SECONDS;

	read_news(tasks);
	record_news_apply(&tasks->news, &tasks->names,
			  settled > 0 ? (uint64_t)(settled * 1e9) : 0);
}

/*
 * If a CPU goes offline, its event is lost, even if the CPU comes back. So when the list
 * has changed, all events are opened anew, before the old ones are closed: news that
 * comes twice does no harm.
 */
void record_tasks_scan(struct record_tasks *tasks)
{
	struct record_perf perf;

	if (tasks->perf.fd < 0)
		return;
	record_tasks_take(tasks);
	if (!online_changed(tasks))
		return;
	tasks->gaps = true;
	if (record_perf_open(&perf, tasks->cpus))
		return;		/* keep the old events */
	read_news(tasks);
	record_perf_close(&tasks->perf);
	tasks->perf = perf;
}

void record_tasks_add(struct record_tasks *tasks, uint32_t tid, const char *name)
{
	if (!*record_names_get(&tasks->names, tid))
		record_names_set(&tasks->names, tid, name, strlen(name));
}

void record_tasks_stop(struct record_tasks *tasks, const struct record_dir *dir)
{
	bool told = tasks->perf.fd >= 0, all;

	if (!tasks->started)
		return;
	read_news(tasks);
	record_perf_close(&tasks->perf);
	record_news_apply(&tasks->news, &tasks->names, UINT64_MAX);
	all = told && !tasks->news.missed && !tasks->news.full && !tasks->gaps;
	if (told && tasks->news.missed)
		snprintf(tasks->state, sizeof(tasks->state), "%" PRIu64
			 " notices of the kernel were lost", tasks->news.missed);
	else if (told && tasks->news.full)
		snprintf(tasks->state, sizeof(tasks->state),
			 "some notices of the kernel may be lost");
	else if (told && tasks->gaps)
		snprintf(tasks->state, sizeof(tasks->state),
			 "with gaps: CPUs came or went");
	if (!all)
		read_all(tasks);
	save(tasks, dir);
}

void record_tasks_save(struct record_tasks *tasks, const struct record_dir *dir)
{
	if (!tasks->started)
		return;
	record_tasks_take(tasks);
	save(tasks, dir);
}

void record_tasks_free(struct record_tasks *tasks)
{
	record_perf_close(&tasks->perf);
	record_news_free(&tasks->news);
	record_names_free(&tasks->names);
	if (tasks->online >= 0)
		close(tasks->online);
	tasks->online = -1;
}
