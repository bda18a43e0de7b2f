// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fuzz [--seed N] [--steps N | --seconds N]
 *
 * As root, with feather_trace loaded. Five processes with all rights, and two without:
 * one of another user, one that is root in a user namespace only; these have
 * descriptors that were opened before. Exit status 0 exactly if nothing was wrong; and
 * afterwards a trace must be possible, with nothing of all this left.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../number.h"
#include "fuzz.h"

#define CONTROL		"/dev/ft_trace"
#define PAGE		4096

/* A process that does not come to its end, however slow the machine. */
#define PATIENCE	300

enum who { ROOT, STRANGER, NAMESPACE };

static const enum who people[] = {
	ROOT, ROOT, ROOT, ROOT, ROOT, STRANGER, NAMESPACE,
};

static uint64_t seed = 1;
static unsigned int steps = 20000, seconds;

/* Of all processes, and those that these start. */
static struct {
	unsigned int	failures;
	unsigned int	done[32];
} *shared;

void wrong(const struct fuzzer *f, const char *format, ...)
{
	va_list args;

	printf("process %u, step %u, %s: ", f->number, f->step, f->doing);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	__atomic_fetch_add(&shared->failures, 1, __ATOMIC_RELAXED);
	_exit(EXIT_FAILURE);
}

/* --- a process ------------------------------------------------------------- */

static void on_alarm(int signal)
{
	(void)signal;	/* it is there to end what waits */
}

static void make_memory(struct fuzzer *f)
{
	f->page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	f->read_only = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (f->page == MAP_FAILED || f->read_only == MAP_FAILED ||
	    mprotect(f->page + PAGE, PAGE, PROT_NONE))
		err(EXIT_FAILURE, "no memory");
}

static void signals(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval often = { { 0, 3000 }, { 0, 3000 } };

	sigaction(SIGALRM, &action, NULL);
	signal(SIGCHLD, SIG_IGN);	/* children need nobody to wait for them */
	if (setitimer(ITIMER_REAL, &often, NULL))
		err(EXIT_FAILURE, "setitimer");
}

/* Return: false if this kernel has no such thing. */
static bool become(struct fuzzer *f, enum who who)
{
	if (who == ROOT)
		return true;
	for (unsigned int i = 0; i < MAX_FILES; i++)
		fuzz_open(f, &f->files[i]);
	if (who == STRANGER && setresuid(65534, 65534, 65534))
		err(EXIT_FAILURE, "setresuid");
	if (who == NAMESPACE && unshare(CLONE_NEWUSER))
		return false;
	f->locked_out = true;
	return true;
}

/* Only one process reads a ring: without this preference, hardly any call would hit it. */
static struct file *choose_file(struct fuzzer *f)
{
	unsigned int first = rng_below(&f->rng, MAX_FILES);

	for (unsigned int i = rng_one_in(&f->rng, 2) ? 0 : MAX_FILES; i < MAX_FILES; i++) {
		struct file *file = &f->files[(first + i) % MAX_FILES];

		if (file->fd >= 0 && file->device == DEVICE_CPU && file->access != O_WRONLY)
			return file;
	}
	return &f->files[first];
}

static void step(struct fuzzer *f)
{
	struct file *file = choose_file(f);

	if (file->fd < 0) {
		fuzz_open(f, file);
	} else if (f->locked_out && rng_one_in(&f->rng, 10)) {
		struct file another;

		fuzz_open(f, &another);	/* which must fail */
	} else if (!f->locked_out && rng_one_in(&f->rng, 20)) {
		close(file->fd);
		file->fd = -1;
	} else if (rng_one_in(&f->rng, 3)) {
		fuzz_file(f, file);
	} else {
		fuzz_ioctl(f, file);
	}
}

static void process(enum season season, unsigned int number)
{
	struct rng all = { seed };
	struct fuzzer f = {
		.rng = rng_fork(&all, season * ARRAY_SIZE(people) + number),
		.season = season,
		.number = number,
		.stranger = people[number] != ROOT,
		.cpus = sysconf(_SC_NPROCESSORS_CONF),
		.done = shared->done,
		.doing = "begin",
	};
	unsigned int end = steps / SEASONS;
	time_t late = time(NULL) + seconds / SEASONS;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	make_memory(&f);
	for (unsigned int i = 0; i < MAX_FILES; i++)
		f.files[i].fd = -1;
	signals();
	if (!become(&f, people[number])) {
		printf("process %u: no user namespaces here\n", number);
		fflush(stdout);
		_exit(EXIT_SUCCESS);
	}
	for (; seconds ? time(NULL) < late : f.step < end; f.step++)
		step(&f);
	_exit(EXIT_SUCCESS);
}

/* --- all of them, and after ------------------------------------------------------ */

static bool run(enum season season)
{
	pid_t pids[ARRAY_SIZE(people)];
	bool ok = true;
	int status;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (unsigned int i = 0; i < ARRAY_SIZE(people); i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			err(EXIT_FAILURE, "fork");
		if (!pids[i])
			process(season, i);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(people); i++) {
		while (waitpid(pids[i], &status, 0) < 0 && errno == EINTR)
			;
		if (WIFSIGNALED(status))
			printf("process %u ended by signal %d\n", i, WTERMSIG(status));
		ok &= !status;
	}
	/* And for those that they have started, which still have descriptors. */
	while (wait(NULL) > 0 || errno == EINTR)
		;
	return ok && !__atomic_load_n(&shared->failures, __ATOMIC_RELAXED);
}

static void nothing_is_left(int control)
{
	struct ft_detach detach = { .timeout_ms = 20000 };
	struct ft_event_info event = { 0 };

	/* Events that were enabled with FT_ENABLE_PERSIST belong to no descriptor. */
	if (ioctl(control, FT_IOC_DISABLE_ALL) || ioctl(control, FT_IOC_DETACH, &detach))
		err(EXIT_FAILURE, "afterwards: disabling all");
	while (!ioctl(control, FT_IOC_EVENT, &event)) {
		if (event.enabled)
			errx(EXIT_FAILURE, "afterwards: %s is on", event.name);
		event.id++;
	}
}

/* A call that never succeeds has not been tried. */
static void tell_calls(void)
{
	for (unsigned int i = 0; i < calls_count; i++)
		printf("%s: done %u times\n", calls[i].name, shared->done[i]);
}

static unsigned int read_marks(unsigned int cpu)
{
	static char buf[FT_PACKET_MAX];
	struct ft_packet_header header;
	unsigned int marks = 0;
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), CONTROL "%u", cpu);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		err(EXIT_FAILURE, "afterwards: %s", path);
	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		memcpy(&header, buf, sizeof(header));
		if (header.discarded)
			errx(EXIT_FAILURE, "afterwards: CPU %u has lost records", cpu);
		marks += (n - sizeof(header)) / sizeof(struct ft_record);
	}
	if (n)
		err(EXIT_FAILURE, "afterwards: %s", path);
	close(fd);
	return marks;
}

static void clean_up(void)
{
	int control = open(CONTROL, O_RDWR);

	if (control < 0)
		err(EXIT_FAILURE, "afterwards: " CONTROL);
	nothing_is_left(control);
	close(control);
}

/* Is a trace possible, with nothing of all this left? */
static void trace(void)
{
	struct ft_config config = { .slots = 1024, .wake_us = 1000 };
	struct ft_enable enable = { .id = FT_ID_MARK };
	struct ft_mark mark = { 1, 2 };
	int control = open(CONTROL, O_RDWR);
	unsigned int marks = 0;

	if (control < 0)
		err(EXIT_FAILURE, "afterwards: " CONTROL);
	if (ioctl(control, FT_IOC_SET_CONFIG, &config) ||
	    ioctl(control, FT_IOC_ENABLE, &enable))
		err(EXIT_FAILURE, "afterwards: a trace");
	for (unsigned int i = 0; i < 100; i++)
		ioctl(control, FT_IOC_MARK, &mark);
	close(control);
	for (unsigned int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++)
		marks += read_marks(cpu);
	if (marks != 100)
		errx(EXIT_FAILURE, "afterwards: %u of 100 marks were traced", marks);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed",	required_argument, NULL, 'e' },
		{ "steps",	required_argument, NULL, 't' },
		{ "seconds",	required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 }
	};
	bool ok = true;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (c == 'e')
			seed = number(optarg);
		else if (c == 't')
			steps = number(optarg);
		else if (c == 's')
			seconds = number(optarg);
		else
			return 2;
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		err(EXIT_FAILURE, "no memory");
	if (calls_count > ARRAY_SIZE(shared->done))
		errx(EXIT_FAILURE, "more calls than are counted");
	alarm(seconds + PATIENCE);
	for (unsigned int season = 0; ok && season < SEASONS; season++) {
		ok = run(season);
		clean_up();
	}
	if (ok)
		trace();
	tell_calls();
	printf("seed %llu: %s\n", (unsigned long long)seed, ok ? "all as it should be" : "wrong");
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
