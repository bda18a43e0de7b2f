// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What goes on beside a round: a process for each kind of disturbance, that does it
 * again and again until it is told to stop, or is killed in the middle of it.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sessions.h"
#include "torture.h"

struct disturber {
	const struct torture	*t;
	const struct round	*round;
	struct rng		rng;
};

static volatile sig_atomic_t stopped;
static pid_t pids[DISTURBERS];
static bool killed[DISTURBERS];

static void on_term(int signal)
{
	(void)signal;
	stopped = 1;
}

void sleep_us(unsigned int us)
{
	struct timespec ts = { us / 1000000, us % 1000000 * 1000l };

	nanosleep(&ts, NULL);
}

static void pause_a_little(struct disturber *d)
{
	sleep_us(rng_below(&d->rng, 5000));
}

static int open_control(void)
{
	int fd = open(CONTROL, O_RDWR | O_CLOEXEC);

	if (fd < 0 && errno != ENOMEM && errno != ENFILE && errno != EINTR)
		err(1, CONTROL);
	return fd;
}

static int enable(int control, unsigned long request, uint32_t id, uint32_t flags)
{
	struct ft_enable enable = { .id = id, .flags = flags };

	return ioctl(control, request, &enable);
}

/* Nested, given back one by one or by closing. */
static void toggle_id(struct disturber *d, uint32_t id)
{
	unsigned int times = 1 + rng_below(&d->rng, 5);
	int control = open_control();

	if (control < 0)
		return;
	for (unsigned int i = 0; i < times; i++) {
		if (enable(control, FT_IOC_ENABLE, id, 0) && errno != ENOMEM &&
		    errno != EINTR && errno != EINVAL)
			err(1, "cannot enable event %u", id);
		pause_a_little(d);
	}
	for (unsigned int i = rng_below(&d->rng, times + 1); i > 0; i--)
		enable(control, FT_IOC_DISABLE, id, 0);
	if (!enable(control, FT_IOC_DISABLE, id, FT_ENABLE_PERSIST))
		errx(1, "event %u was disabled that nobody enabled for good", id);
	close(control);
}

static void toggle(struct disturber *d)
{
	toggle_id(d, d->t->fire);
}

static void others(struct disturber *d)
{
	struct ft_tracepoint point = { .name = "sched_switch" };
	int control;

	if (rng_one_in(&d->rng, 3)) {
		control = open_control();
		if (control >= 0 && !ioctl(control, FT_IOC_TRACEPOINT, &point))
			toggle_id(d, point.id);
		close(control);
	} else {
		/* Where this kernel has no such event, it says so. */
		toggle_id(d, FT_ID_LOCK + rng_below(&d->rng, 2 * FT_LOCK_FAMILIES));
	}
}

static void close_for_a_while(struct disturber *d)
{
	int control = open_control();

	if (control < 0)
		return;
	ioctl(control, FT_IOC_PAUSE);
	if (!ioctl(control, FT_IOC_PAUSE))
		errx(1, "a second pause of a descriptor");
	pause_a_little(d);
	if (rng_one_in(&d->rng, 2))
		ioctl(control, FT_IOC_RESUME);
	close(control);
}

/* Every device, every call but those that change what is on, with what comes to hand. */
static void open_all(struct disturber *d)
{
	unsigned int cpu = rng_below(&d->rng, d->t->cpus + 1);
	char path[64], junk[512];
	int fd;

	snprintf(path, sizeof(path), "/dev/ft_trace%u", cpu);
	if (rng_one_in(&d->rng, 3))
		strcpy(path, rng_one_in(&d->rng, 2) ? CONTROL : "/dev/ft_trace_meta");
	fd = open(path, rng_one_in(&d->rng, 2) ? O_RDONLY : O_WRONLY);
	if (fd < 0)
		return;
	for (unsigned int i = 0; i < 20; i++) {
		unsigned int nr = rng_below(&d->rng, 0x28);
		unsigned int size = rng_one_in(&d->rng, 4) ? rng_below(&d->rng, 200) : 0;
		static const unsigned int usual[] = {
			FT_IOC_INFO, FT_IOC_EVENT, FT_IOC_GET_CONFIG, FT_IOC_STATS,
			FT_IOC_HOOK, FT_IOC_READ_SLOTS, FT_IOC_TAKE, FT_IOC_SET_CONFIG,
		};

		for (size_t k = 0; k < sizeof(junk); k += 8)
			*(uint64_t *)(junk + k) = rng_next(&d->rng) >>
						  rng_below(&d->rng, 64);
		if (!size)
			ioctl(fd, usual[rng_below(&d->rng, ARRAY_SIZE(usual))], junk);
		/* Not that which would end everybody's trace, rightly. */
		else if (nr != _IOC_NR(FT_IOC_DISABLE_ALL) &&
			 nr != _IOC_NR(FT_IOC_PAUSE))
			ioctl(fd, _IOC(3, FT_IOC_TYPE, nr, size), junk);
	}
	close(fd);
}

static void resize(struct disturber *d)
{
	struct ft_config config = {
		.slots = FT_SLOTS_MIN << rng_below(&d->rng, 8),
		.wake_us = FT_WAKE_MIN_US,
	};
	int control = open_control();

	if (control < 0)
		return;
	/* It may, once a recorder is gone. */
	if (!ioctl(control, FT_IOC_SET_CONFIG, &config) &&
	    !round_has(d->round, DISTURB_KILL) && !round_has(d->round, DISTURB_FULL))
		errx(1, "rings were resized while they are read");
	close(control);
	pause_a_little(d);
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	/* The CPU may be on its way already. */
	if (fd >= 0 && write(fd, text, strlen(text)) < 0 && errno != EBUSY &&
	    errno != EINTR && errno != ENOMEM)
		warn("%s", path);
	if (fd >= 0)
		close(fd);
}

static void hotplug(struct disturber *d)
{
	static const char online[] = "/sys/devices/system/cpu/cpu1/online";

	write_text(online, "0");
	pause_a_little(d);
	write_text(online, "1");
	pause_a_little(d);
}

static void module(struct disturber *d)
{
	int file = open(d->t->module, O_RDONLY | O_CLOEXEC), control;
	struct ft_event_info event = { .id = FT_ID_DYNAMIC };

	if (file < 0)
		err(1, "%s", d->t->module);
	if (syscall(SYS_finit_module, file, "", 0) && errno != EEXIST)
		err(1, "cannot load %s", d->t->module);
	close(file);
	control = open_control();
	while (control >= 0 && !ioctl(control, FT_IOC_EVENT, &event)) {
		if (!strncmp(event.name, "example_", 8))
			enable(control, FT_IOC_ENABLE, event.id, 0);
		event.id++;
	}
	pause_a_little(d);
	if (rng_one_in(&d->rng, 2) && control >= 0) {
		close(control);
		control = -1;
	}
	if (syscall(SYS_delete_module, "ft_example", O_NONBLOCK) && errno != EAGAIN)
		warn("cannot unload ft_example");
	if (control >= 0)
		close(control);
}

static void conditions(struct disturber *d)
{
	sessions_conditions(&d->rng, d->t->fire);
}

static void sessions(struct disturber *d)
{
	sessions_come_and_go(&d->rng, d->t->fire, d->t->cpus);
}

/* From now on one allocation of this process in some fails. */
static void memory(struct disturber *d)
{
	static void (*const tries[])(struct disturber *d) = {
		toggle, open_all, resize, conditions, sessions,
	};
	char nth[16];

	snprintf(nth, sizeof(nth), "%u", 1 + rng_below(&d->rng, 20));
	write_text("/proc/self/fail-nth", nth);
	tries[rng_below(&d->rng, ARRAY_SIZE(tries))](d);
	write_text("/proc/self/fail-nth", "0");
}

static void (*const disturb[DISTURBERS])(struct disturber *d) = {
	[DISTURB_TOGGLE]	= toggle,
	[DISTURB_OTHERS]	= others,
	[DISTURB_PAUSE]		= close_for_a_while,
	[DISTURB_OPEN]		= open_all,
	[DISTURB_RESIZE]	= resize,
	[DISTURB_HOTPLUG]	= hotplug,
	[DISTURB_MODULE]	= module,
	[DISTURB_CONDITIONS]	= conditions,
	[DISTURB_SESSIONS]	= sessions,
	[DISTURB_MEMORY]	= memory,
};

static void disturber_main(struct disturber *d, unsigned int what)
{
	struct sigaction action = { .sa_handler = on_term };

	sigaction(SIGTERM, &action, NULL);
	while (!stopped)
		disturb[what](d);
	_exit(0);
}

void disturb_start(const struct torture *t, const struct round *round)
{
	for (unsigned int i = 0; i < DISTURBERS; i++) {
		struct disturber d = { t, round, rng_fork(&round->rng, i) };

		pids[i] = 0;
		if (!round_has(round, i))
			continue;
		/* Not one that would leave the machine with a CPU less. */
		killed[i] = i != DISTURB_HOTPLUG && i != DISTURB_MODULE &&
			    rng_one_in(&d.rng, 3);
		pids[i] = fork();
		if (pids[i] < 0)
			err(1, "fork");
		if (!pids[i])
			disturber_main(&d, i);
	}
}

bool disturb_stop(void)
{
	bool ok = true;

	for (unsigned int i = 0; i < DISTURBERS; i++) {
		if (pids[i])
			kill(pids[i], killed[i] ? SIGKILL : SIGTERM);
	}
	for (unsigned int i = 0; i < DISTURBERS; i++) {
		int status;

		if (!pids[i])
			continue;
		if (waitpid(pids[i], &status, 0) != pids[i])
			err(1, "waitpid");
		if (WIFSIGNALED(status) ? !killed[i] || WTERMSIG(status) != SIGKILL :
					  WEXITSTATUS(status))
			ok = false;
	}
	return ok;
}
