// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What is measured: see load.h. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "overheads/load.h"

#define PERIOD_NS	1000000
#define CPUS_MAX	(1u << 16)

/* SCHED_FIFO: above ordinary tasks, below the kernel's threads for interrupts. */
#define PRIORITY_CALLER	10
#define PRIORITY_WOKEN	20

/* What the tasks of a CPU do; they are joined in this order. */
enum role { CALLER, IDLER, WOKEN, ROLES };

struct station {
	struct load	*load;
	unsigned int	cpu;
	int		in, out;	/* a pipe to the task that is woken here; or -1 */
	int		next;		/* where the caller writes: that of the next CPU */
	struct call	*calls;
	size_t		n, room;
	pthread_t	thread[ROLES];
	bool		runs[ROLES];
};

struct load {
	const struct run_clock	*clock;
	bool			alone;
	atomic_bool		stop;
	struct station		*station;
	size_t			n;
};

/* --- tasks ---------------------------------------------------------------- */

static bool goes_on(const struct station *s)
{
	return !atomic_load_explicit(&s->load->stop, memory_order_relaxed);
}

static void add_period(struct timespec *t)
{
	t->tv_nsec += PERIOD_NS;
	if (t->tv_nsec >= 1000000000) {
		t->tv_nsec -= 1000000000;
		t->tv_sec++;
	}
}

static void *call(void *arg)
{
	struct station *s = arg;
	uint32_t tid = (uint32_t)gettid();
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	while (goes_on(s)) {
		uint64_t ticks = run_clock_now(s->load->clock);

		syscall(SYS_getppid);
		if (s->n < s->room)
			s->calls[s->n++] = (struct call){ .tid = tid, .ticks = ticks };
		/* a full pipe has woken its reader already */
		if (s->next >= 0 && write(s->next, "", 1) < 0 && errno != EAGAIN)
			break;
		add_period(&at);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
	}
	return NULL;
}

static void *never_sleep(void *arg)
{
	static const struct sched_param none;

	/* pthread_create() does not know this policy */
	sched_setscheduler(0, SCHED_IDLE, &none);
	while (goes_on(arg))
		;
	return NULL;
}

static void *be_woken(void *arg)
{
	struct station *s = arg;
	char buf[64];

	while (read(s->in, buf, sizeof(buf)) > 0)
		;
	return NULL;
}

/* --- starting and stopping ------------------------------------------------ */

/* @priority: of SCHED_FIFO; 0: an ordinary task. Return: 0 or an error */
static int start_task(struct station *s, enum role role, void *(*run)(void *), int priority)
{
	struct sched_param param = { .sched_priority = priority };
	size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
	cpu_set_t *cpu = CPU_ALLOC(CPUS_MAX);
	pthread_attr_t attr;
	int error;

	if (!cpu)
		mem_none();
	CPU_ZERO_S(size, cpu);
	CPU_SET_S(s->cpu, size, cpu);
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, size, cpu);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, priority ? SCHED_FIFO : SCHED_OTHER);
	pthread_attr_setschedparam(&attr, &param);
	error = pthread_create(&s->thread[role], &attr, run, s);
	s->runs[role] = !error;
	pthread_attr_destroy(&attr);
	CPU_FREE(cpu);
	return error;
}

static int start_station(struct station *s)
{
	int error = 0;

	if (s->load->alone)
		return start_task(s, CALLER, call, 0);
	error = start_task(s, WOKEN, be_woken, PRIORITY_WOKEN);
	if (!error)
		error = start_task(s, CALLER, call, PRIORITY_CALLER);
	return error ? error : start_task(s, IDLER, never_sleep, 0);
}

/* Return: 0 or an error */
static int start_all(struct load *load)
{
	int error = 0;

	for (size_t i = 0; i < load->n; i++)
		load->station[i].next = load->station[(i + 1) % load->n].out;
	for (size_t i = 0; i < load->n && !error; i++)
		error = start_station(&load->station[i]);
	return error;
}

static void end_all(struct load *load)
{
	atomic_store(&load->stop, true);
	for (unsigned int role = 0; role < ROLES; role++) {
		for (size_t i = 0; i < load->n; i++) {
			struct station *s = &load->station[i];

			/* no caller will write again: this ends its input */
			if (role == WOKEN && s->out >= 0)
				close(s->out);
			if (s->runs[role])
				pthread_join(s->thread[role], NULL);
		}
	}
	for (size_t i = 0; i < load->n; i++) {
		if (load->station[i].in >= 0)
			close(load->station[i].in);
	}
}

static bool make_pipe(struct station *s)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC)) {
		warn("pipe");
		return false;
	}
	s->in = ends[0];
	s->out = ends[1];
	fcntl(s->out, F_SETFL, O_NONBLOCK);
	return true;
}

static void add_station(struct load *load, unsigned int cpu, size_t room)
{
	struct station *s;

	load->station = mem_resize(load->station, load->n + 1, sizeof(*load->station));
	s = &load->station[load->n++];
	*s = (struct station){
		.load = load, .cpu = cpu, .in = -1, .out = -1, .next = -1, .room = room,
		.calls = mem_zalloc(room, sizeof(*s->calls)),
	};
}

static void load_free(struct load *load)
{
	for (size_t i = 0; i < load->n; i++)
		mem_free(load->station[i].calls);
	mem_free(load->station);
	mem_free(load);
}

/* Return: false after a message */
static bool make_stations(struct load *load)
{
	size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
	cpu_set_t *allowed = CPU_ALLOC(CPUS_MAX);

	if (!allowed)
		mem_none();
	CPU_ZERO_S(size, allowed);
	if (sched_getaffinity(0, size, allowed))
		CPU_SET_S(0, size, allowed);
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++) {
		if (CPU_ISSET_S(cpu, size, allowed))
			add_station(load, cpu, CALLS_EACH);
	}
	CPU_FREE(allowed);
	for (size_t i = 0; i < load->n && !load->alone; i++) {
		if (!make_pipe(&load->station[i]))
			return false;
	}
	return true;
}

struct load *load_start(const struct run_clock *clock, bool alone)
{
	struct load *load = mem_zalloc(1, sizeof(*load));
	int error = -1;

	load->clock = clock;
	load->alone = alone;
	if (make_stations(load))
		error = start_all(load);
	if (!error)
		return load;
	if (error == EPERM)
		warnx("cannot start real-time tasks (SCHED_FIFO): as root it works, with "
		      "cap_sys_nice, or with limits (ulimit -r); or name a command, which is then "
		      "the load");
	else if (error > 0)
		warnx("cannot start tasks: %s", strerror(error));
	end_all(load);
	load_free(load);
	return NULL;
}

struct call *load_stop(struct load *load, size_t *n)
{
	struct call *all;

	end_all(load);
	*n = 0;
	for (size_t i = 0; i < load->n; i++)
		*n += load->station[i].n;
	all = mem_zalloc(*n + 1, sizeof(*all));
	*n = 0;
	for (size_t i = 0; i < load->n; i++) {
		struct station *s = &load->station[i];

		memcpy(all + *n, s->calls, s->n * sizeof(*all));
		*n += s->n;
	}
	load_free(load);
	return all;
}
