// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Where the loop runs: see place.h. */
#include <ctype.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/number.h"
#include "npt/place.h"
#include "process/proc.h"

#define CPUS_MAX	8192
#define NAMED_TASKS	3

static cpu_set_t *allowed;
static size_t allowed_size;

/* Return: false after a message */
static bool find_allowed(void)
{
	allowed = CPU_ALLOC(CPUS_MAX);
	allowed_size = CPU_ALLOC_SIZE(CPUS_MAX);
	if (!allowed)
		mem_none();
	CPU_ZERO_S(allowed_size, allowed);
	if (!sched_getaffinity(0, allowed_size, allowed))
		return true;
	warn("sched_getaffinity");
	return false;
}

static bool may_use(uint32_t cpu)
{
	return cpu < CPUS_MAX && CPU_ISSET_S(cpu, allowed_size, allowed);
}

/* @list: "1,4-7\n", as in /sys/devices/system/cpu */
static bool is_in_list(const char *list, uint32_t cpu)
{
	while (*list >= '0' && *list <= '9') {
		char *end;
		unsigned long from = strtoul(list, &end, 10), to = from;

		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		if (cpu >= from && cpu <= to)
			return true;
		list = end + (*end == ',');
	}
	return false;
}

/* Return: is the CPU in this list of the kernel's? */
static bool kernel_lists(const char *name, uint32_t cpu)
{
	char path[64], *text = NULL;
	bool found;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/%s", name);
	found = read_path(path, &text) >= 0 && is_in_list(text, cpu);
	free(text);
	return found;
}

/* "0-3", of those that this process may use */
static void list_allowed(char *text, size_t size)
{
	size_t len = 0;

	*text = '\0';
	for (uint32_t cpu = 0; cpu < CPUS_MAX && len + 24 < size; cpu++) {
		uint32_t last = cpu;

		if (!may_use(cpu) || (cpu && may_use(cpu - 1)))
			continue;
		while (may_use(last + 1))
			last++;
		len += (size_t)snprintf(text + len, size - len, last > cpu ? "%s%u-%u" : "%s%u",
					len ? "," : "", cpu, last);
	}
}

static const char *why_not(uint32_t cpu)
{
	if (kernel_lists("online", cpu))
		return "this process is not allowed to (taskset, cpusets)";
	return kernel_lists("present", cpu) ? "it is offline" : "there is no such CPU";
}

bool place_choose(struct place *p)
{
	uint32_t last = PLACE_ANY_CPU, isolated = PLACE_ANY_CPU;
	char list[512];

	if (!find_allowed())
		return false;
	if (p->cpu != PLACE_ANY_CPU) {
		if (may_use(p->cpu))
			return true;
		list_allowed(list, sizeof(list));
		warnx("CPU %" PRIu32 " cannot be used: %s; there are %s", p->cpu,
		      why_not(p->cpu), list);
		return false;
	}
	for (uint32_t cpu = 0; cpu < CPUS_MAX; cpu++) {
		if (!may_use(cpu))
			continue;
		last = cpu;
		if (kernel_lists("isolated", cpu))
			isolated = cpu;
	}
	p->cpu = isolated != PLACE_ANY_CPU ? isolated : last;
	return true;
}

/* --- warnings ------------------------------------------------------------- */

/* Return: the number in a file of the kernel's, or @none */
static long long number_in(const char *path, long long none)
{
	char *text = NULL, *end;
	long long n = none;

	if (read_path(path, &text) > 0) {
		n = strtoll(text, &end, 10);
		if (end == text)
			n = none;
	}
	free(text);
	return n;
}

__attribute__((format(printf, 2, 3)))
static void add(struct place_warnings *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	w->text[w->n++] = mem_vformat(fmt, ap);
	va_end(ap);
}

void place_warnings_free(struct place_warnings *w)
{
	while (w->n)
		free(w->text[--w->n]);
}

/* Since Linux 6.12, ordinary tasks have a part of each CPU that no priority takes away. */
static bool has_fair_server(struct place_warnings *w, uint32_t cpu)
{
	char path[80];
	long long runtime;

	snprintf(path, sizeof(path), "/sys/kernel/debug/sched/fair_server/cpu%" PRIu32 "/runtime",
		 cpu);
	runtime = number_in(path, -1);
	if (runtime > 0)
		add(w, "the kernel may run ordinary tasks for %lld ms in each second, which is "
		    "measured, too; to prevent that: echo 0 >%s", runtime / 1000000, path);
	return runtime >= 0;
}

static void look_at_throttling(struct place_warnings *w, uint32_t cpu)
{
	long long run = number_in("/proc/sys/kernel/sched_rt_runtime_us", -1);
	long long period = number_in("/proc/sys/kernel/sched_rt_period_us", 1000000);

	if (!has_fair_server(w, cpu) && run >= 0 && run < period)
		add(w, "the kernel may stop real-time tasks for %lld ms in each %lld ms, which "
		    "is measured, too; to prevent that: sysctl kernel.sched_rt_runtime_us=-1",
		    (period - run) / 1000, period / 1000);
}

/* Adds the threads of a process, of no kernel thread, that ran last on @cpu. */
static void count_threads(pid_t pid, uint32_t cpu, unsigned int *count, char *names, size_t size)
{
	const struct dirent *entry;
	struct proc_stat st;
	char path[48];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks))) {
		if (!isdigit(*entry->d_name) || !proc_stat(pid, atoi(entry->d_name), &st) ||
		    st.of_kernel || st.cpu != cpu)
			continue;
		if (++*count <= NAMED_TASKS)
			snprintf(names + strlen(names), size - strlen(names), "%s%s %.20s",
				 *count > 1 ? ", " : "", st.name, entry->d_name);
	}
	if (tasks)
		closedir(tasks);
}

static void look_at_tasks(struct place_warnings *w, uint32_t cpu)
{
	const struct dirent *entry;
	unsigned int count = 0;
	char names[160] = "";
	DIR *proc;

	if (!kernel_lists("isolated", cpu))
		return;
	proc = opendir("/proc");
	while (proc && (entry = readdir(proc))) {
		if (isdigit(*entry->d_name) && atoi(entry->d_name) != getpid())
			count_threads(atoi(entry->d_name), cpu, &count, names, sizeof(names));
	}
	if (proc)
		closedir(proc);
	if (count)
		add(w, "CPU %" PRIu32 " is isolated, but other tasks run there: %s%s", cpu, names,
		    count > NAMED_TASKS ? ", and others" : "");
}

void place_look(const struct place *p, struct place_warnings *w)
{
	look_at_tasks(w, p->cpu);
	if (p->priority)
		look_at_throttling(w, p->cpu);
	if (CPU_COUNT_S(allowed_size, allowed) == 1 && p->priority)
		add(w, "CPU %" PRIu32 " is the only one: everything else stands still meanwhile",
		    p->cpu);
}

/* --- taking it ------------------------------------------------------------ */

static bool no_right(const char *what)
{
	warnx("%s: %s; as root it works, with cap_sys_nice and cap_ipc_lock, or with limits "
	      "(ulimit -r, -l); --priority 0 measures what any task sees", what,
	      strerror(errno));
	return false;
}

/* As it was before. */
static int old_policy;
static struct sched_param old_param;

bool place_take(const struct place *p)
{
	struct sched_param param = { .sched_priority = (int)p->priority };
	cpu_set_t *one = CPU_ALLOC(CPUS_MAX);
	int failed;

	if (!one)
		mem_none();
	CPU_ZERO_S(allowed_size, one);
	CPU_SET_S(p->cpu, allowed_size, one);
	failed = sched_setaffinity(0, allowed_size, one);
	CPU_FREE(one);
	if (failed) {
		warn("cannot run on CPU %" PRIu32, p->cpu);
		return false;
	}
	old_policy = sched_getscheduler(0);
	sched_getparam(0, &old_param);
	if (!p->priority)
		return !old_param.sched_priority || !sched_setscheduler(0, SCHED_OTHER, &param) ||
		       no_right("cannot give up its real-time priority");
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return no_right("cannot lock memory");
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		return no_right("cannot run as a real-time task (SCHED_FIFO)");
	return true;
}

void place_leave(void)
{
	sched_setscheduler(0, old_policy, &old_param);
	sched_setaffinity(0, allowed_size, allowed);
	munlockall();
}
