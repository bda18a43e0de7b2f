// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * torture [--seed N] [--rounds N | --seconds N | --round K] [--ft PROGRAM]
 *	   [--module ft_example.ko] --work DIR
 *
 * With feather_trace and ft_fire loaded, as root. A line for each round; exit status
 * 0 exactly if all balanced. For a round that failed, it prints how to repeat it.
 */
#include <err.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../number.h"
#include "torture.h"

#define RUN		"/sys/module/ft_fire/parameters/run"
#define ATTEMPTS	"/sys/module/ft_fire/parameters/attempts"

/* No round takes so long, however slow the machine. */
#define ROUND_SECONDS	300

static const char *const names[DISTURBANCES] = {
	[DISTURB_TOGGLE]	= "toggle",
	[DISTURB_OTHERS]	= "others",
	[DISTURB_PAUSE]		= "pause",
	[DISTURB_OPEN]		= "open",
	[DISTURB_RESIZE]	= "resize",
	[DISTURB_HOTPLUG]	= "hotplug",
	[DISTURB_MODULE]	= "module",
	[DISTURB_CONDITIONS]	= "conditions",
	[DISTURB_SESSIONS]	= "sessions",
	[DISTURB_MEMORY]	= "memory",
	[DISTURB_SIGNALS]	= "signals",
	[DISTURB_STOP]		= "stop",
	[DISTURB_KILL]		= "kill",
	[DISTURB_FULL]		= "full",
};

void fire(const struct round *r)
{
	struct rng rng = rng_fork(&r->rng, 60);
	char text[16];
	int fd = open(RUN, O_WRONLY);
	int len = snprintf(text, sizeof(text), "%u", r->fire_ms);

	/* Some of what disturbs has to wait while it fires, and comes before or after. */
	sleep_us(rng_below(&rng, 30000));
	if (fd < 0 || write(fd, text, len) != len)
		err(1, RUN);
	sleep_us(rng_below(&rng, 150000));
	close(fd);
}

void fire_attempts(uint64_t attempts[MAX_CPUS])
{
	FILE *f = fopen(ATTEMPTS, "r");
	unsigned long long n;
	unsigned int cpu;

	if (!f)
		err(1, ATTEMPTS);
	memset(attempts, 0, MAX_CPUS * sizeof(*attempts));
	while (fscanf(f, "%u %llu", &cpu, &n) == 2) {
		if (cpu < MAX_CPUS)
			attempts[cpu] = n;
	}
	fclose(f);
}

bool check_books(const struct books *b, unsigned int cpu, uint64_t attempts, bool exact)
{
	const char *wrong = books_balance(b, attempts, exact);

	printf("      CPU %u: ", cpu);
	if (b->overwritten)
		printf("overwritten %llu ", (unsigned long long)b->overwritten);
	books_tell(b, attempts);
	if (wrong)
		printf("    CPU %u: %s\n", cpu, wrong);
	return !wrong;
}

/* Readers come and go then: nobody else may take what is theirs meanwhile. */
static void choose_headroom(struct round *r)
{
	r->headroom = 1 + rng_below(&r->rng, r->slots / 2);
	r->flags &= ~(1u << DISTURB_OPEN | 1u << DISTURB_MEMORY);
}

static void choose(const struct torture *t, unsigned int number, struct round *r)
{
	r->rng.state = t->seed;
	r->rng = rng_fork(&r->rng, number + 1000);
	r->slots = FT_SLOTS_MIN << rng_below(&r->rng, 6);
	r->wake_us = FT_WAKE_MIN_US << rng_below(&r->rng, 8);
	r->fire_ms = 30 + rng_below(&r->rng, 250);
	r->recorder = t->ft && rng_one_in(&r->rng, 3);
	/* The last two leave little to be looked at. */
	for (unsigned int i = 0; i < DISTURBANCES; i++)
		r->flags |= rng_one_in(&r->rng, i < DISTURB_KILL ? 3 : 6) << i;
	if (!t->hotplug)
		r->flags &= ~(1u << DISTURB_HOTPLUG);
	if (!t->module)
		r->flags &= ~(1u << DISTURB_MODULE);
	if (!t->fail)
		r->flags &= ~(1u << DISTURB_MEMORY);
	if (r->recorder)
		r->flags &= ~(1u << DISTURB_SIGNALS);
	else
		r->flags &= ~(1u << DISTURB_KILL | 1u << DISTURB_FULL);
	if (!r->recorder && rng_one_in(&r->rng, 2))
		choose_headroom(r);
}

static void describe(unsigned int number, const struct round *r)
{
	printf("    round %u: %u slots, headroom %u, looks every %u us, fire %u ms, %s:", number,
	       r->slots, r->headroom, r->wake_us, r->fire_ms,
	       r->recorder ? "ft record" : "all calls");
	for (unsigned int i = 0; i < DISTURBANCES; i++) {
		if (round_has(r, i))
			printf(" %s", names[i]);
	}
	printf("\n");
	fflush(stdout);
}

/* --- rounds with readers of our own ---------------------------------------- */

struct readers {
	pid_t	pid[MAX_CPUS];
	int	result[MAX_CPUS];
};

static void start_reader(const struct torture *t, const struct round *r,
			 unsigned int cpu, struct readers *readers)
{
	int ready[2], result[2];
	char byte;

	if (pipe(ready) || pipe(result))
		err(1, "pipe");
	readers->pid[cpu] = fork();
	if (readers->pid[cpu] < 0)
		err(1, "fork");
	if (!readers->pid[cpu]) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		reader_main(t, r, cpu, ready[1], result[1]);
	}
	close(ready[1]);
	close(result[1]);
	if (read(ready[0], &byte, 1) != 1)
		errx(1, "the reader of CPU %u did not begin", cpu);
	close(ready[0]);
	readers->result[cpu] = result[0];
}

static bool join_reader(const struct round *r, unsigned int cpu, uint64_t attempts,
			const struct readers *readers)
{
	struct books books;
	int status;
	bool ok = read(readers->result[cpu], &books, sizeof(books)) == sizeof(books);

	close(readers->result[cpu]);
	if (waitpid(readers->pid[cpu], &status, 0) < 0)
		err(1, "waitpid");
	if (!ok || status) {
		printf("    the reader of CPU %u ended with status %#x\n", cpu, status);
		return false;
	}
	/* It came from another process, and with it what it points to. */
	books.seen = NULL;
	books.bits = 0;
	return check_books(&books, cpu, attempts, round_is_exact(r));
}

static int begin_trace(const struct torture *t)
{
	struct ft_enable enable = { .id = t->fire };
	int control = open(CONTROL, O_RDWR | O_CLOEXEC);

	if (control < 0)
		err(1, CONTROL);
	if (ioctl(control, FT_IOC_ENABLE, &enable))
		err(1, "cannot enable fire");
	return control;
}

static bool readers_round(const struct torture *t, const struct round *r)
{
	struct ft_enable enable = { .id = t->fire };
	uint64_t attempts[MAX_CPUS];
	struct readers readers;
	int control;
	bool ok;

	control = begin_trace(t);
	for (unsigned int cpu = 0; cpu < t->cpus; cpu++)
		start_reader(t, r, cpu, &readers);
	disturb_start(t, r);
	fire(r);
	ok = disturb_stop();
	fire_attempts(attempts);
	if (ioctl(control, FT_IOC_DISABLE, &enable))
		err(1, "cannot disable fire");
	for (unsigned int cpu = 0; cpu < t->cpus; cpu++)
		ok &= join_reader(r, cpu, attempts[cpu], &readers);
	close(control);
	return ok;
}

/* --- all of them ------------------------------------------------------------ */

/* ft record has slots of its own, and leaves the mode as it is. */
static void configure(const struct round *r)
{
	struct ft_config config = {
		.slots = r->slots, .wake_us = r->wake_us, .headroom = r->headroom,
		.mode = r->headroom ? FT_MODE_OVERWRITE : FT_MODE_DISCARD,
	};
	int control = open(CONTROL, O_RDWR | O_CLOEXEC);

	if (control < 0)
		err(1, CONTROL);
	if (ioctl(control, FT_IOC_SET_CONFIG, &config))
		err(1, "cannot have %u slots", r->slots);
	close(control);
}

static void play(const struct torture *t, const struct round *r)
{
	bool ok;

	alarm(ROUND_SECONDS);
	configure(r);
	ok = r->recorder ? recorder_round(t, r) : readers_round(t, r);
	fflush(stdout);
	_exit(!ok);
}

/* In a process of its own, whose children end with it. */
static bool run_round(const struct torture *t, unsigned int number)
{
	struct round r = { 0 };
	pid_t pid;
	int status;

	choose(t, number, &r);
	describe(number, &r);
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		setpgid(0, 0);
		play(t, &r);
	}
	if (waitpid(pid, &status, 0) < 0)
		err(1, "waitpid");
	kill(-pid, SIGKILL);
	if (!status)
		return true;
	recorder_clean_up(t);
	if (WIFSIGNALED(status))
		printf("    ended by signal %d%s\n", WTERMSIG(status),
		       WTERMSIG(status) == SIGALRM ? ": it hung" : "");
	printf("    again: --seed %llu --round %u\n", (unsigned long long)t->seed, number);
	return false;
}

static uint32_t find_event(const char *name)
{
	struct ft_event_info event = { .id = 0 };
	int control = open(CONTROL, O_RDONLY);

	if (control < 0)
		err(1, CONTROL);
	while (!ioctl(control, FT_IOC_EVENT, &event) && strcmp(event.name, name))
		event.id++;
	close(control);
	if (strcmp(event.name, name))
		errx(1, "there is no event '%s'", name);
	return event.id;
}

static time_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", 1, NULL, 's' }, { "rounds", 1, NULL, 'n' },
		{ "seconds", 1, NULL, 't' }, { "round", 1, NULL, 'r' },
		{ "ft", 1, NULL, 'f' }, { "module", 1, NULL, 'm' },
		{ "work", 1, NULL, 'w' }, { }
	};
	unsigned int first = 0, rounds = 10, failed = 0, i;
	struct torture t = { .seed = 1, .work = "/tmp" };
	time_t end = 0;
	int opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 's': t.seed = number(optarg); break;
		case 'n': rounds = number(optarg); break;
		case 't': end = now() + number(optarg); rounds = ~0u; break;
		case 'r': first = number(optarg); rounds = 1; break;
		case 'f': t.ft = optarg; break;
		case 'm': t.module = optarg; break;
		case 'w': t.work = optarg; break;
		default: return 2;
		}
	}
	t.fire = find_event("fire");
	t.cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (t.cpus > MAX_CPUS)
		errx(1, "more than %u CPUs", MAX_CPUS);
	t.hotplug = t.cpus > 1 && !access("/sys/devices/system/cpu/cpu1/online", W_OK);
	t.fail = !access("/proc/self/fail-nth", W_OK);
	for (i = 0; i < rounds && (!end || now() < end); i++)
		failed += !run_round(&t, first + i);
	printf("%u rounds from seed %llu, %u failed\n", i, (unsigned long long)t.seed,
	       failed);
	return failed != 0;
}
