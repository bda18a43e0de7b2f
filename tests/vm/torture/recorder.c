// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Rounds that ft record reads: stopped, killed, or out of disk. */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "torture.h"

#define PATH_LEN	512

/* How long the recorder may take to begin, and to end: it is slow in an emulator. */
#define PATIENCE_US	60000000

static pid_t start(const struct torture *t, const struct round *r, const char *log,
		   const char *dir)
{
	char slots[16];
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	snprintf(slots, sizeof(slots), "%u", r->slots);
	fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || dup2(fd, STDERR_FILENO) < 0)
		_exit(126);
	execl(t->ft, "ft", "record", "-e", "fire", "--slots", slots, "-o", dir,
	      (char *)NULL);
	_exit(127);
}

static bool is_active(void)
{
	int control = open(CONTROL, O_RDONLY);
	struct ft_info info;

	if (control < 0 || ioctl(control, FT_IOC_INFO, &info))
		err(1, CONTROL);
	close(control);
	return info.active;
}

/*
 * Does it say that it records? The trace is active before the rings accept records;
 * events that fire in between belong to no trace.
 */
static bool says_begun(const char *log)
{
	char text[4096];
	size_t n = 0;
	FILE *f = fopen(log, "r");

	if (f) {
		n = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
	}
	text[n] = '\0';
	return strstr(text, "recording into");
}

static bool await_begin(pid_t recorder, const char *log)
{
	for (unsigned int us = 0; us < PATIENCE_US; us += 20000) {
		if (says_begun(log))
			return true;
		if (waitpid(recorder, NULL, WNOHANG))
			return false;
		sleep_us(20000);
	}
	return false;
}

/* All but some room for records is taken by somebody else. */
static void fill_disk(const char *disk)
{
	static const char block[1 << 16];
	char path[PATH_LEN + 16];
	off_t size = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/ballast", disk);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	if (fd < 0)
		err(1, "%s", path);
	while (write(fd, block, sizeof(block)) == sizeof(block))
		size += sizeof(block);
	if (ftruncate(fd, size - (off_t)sizeof(block)))
		err(1, "%s", path);
	close(fd);
}

/* While fire lasts, in a process of its own. */
static pid_t disturb_recorder(const struct round *r, pid_t recorder)
{
	struct rng rng = rng_fork(&r->rng, 50);
	pid_t pid = fork();

	if (pid)
		return pid;
	if (round_has(r, DISTURB_KILL)) {
		sleep_us(rng_below(&rng, r->fire_ms * 1000));
		kill(recorder, SIGKILL);
	} else if (round_has(r, DISTURB_STOP)) {
		for (unsigned int i = 0; i < 10; i++) {
			kill(recorder, SIGSTOP);
			sleep_us(rng_below(&rng, r->fire_ms * 200));
			kill(recorder, SIGCONT);
			sleep_us(rng_below(&rng, r->fire_ms * 50));
		}
	}
	_exit(0);
}

static bool check_trace(const struct torture *t, const struct round *r,
			const char *dir, bool cut, uint64_t *lost)
{
	uint64_t attempts[MAX_CPUS];
	bool ok = true;

	fire_attempts(attempts);
	for (unsigned int cpu = 0; cpu < t->cpus; cpu++) {
		struct books books = { .fire = t->fire };
		char path[PATH_LEN + 16];

		snprintf(path, sizeof(path), "%s/cpu%u", dir, cpu);
		/* It is made for the first packet. */
		books_file(&books, path, cut, cut || !attempts[cpu] ||
			   round_has(r, DISTURB_PAUSE));
		ok &= check_books(&books, cpu, attempts[cpu], !cut && round_is_exact(r));
		*lost += books.lost;
	}
	return ok;
}

static bool check_status(const struct round *r, int status, uint64_t lost)
{
	if (round_has(r, DISTURB_KILL))
		return true;	/* it may have had enough before */
	if (!WIFEXITED(status)) {
		printf("    ft record ended by signal %d\n", WTERMSIG(status));
		return false;
	}
	if (round_has(r, DISTURB_FULL))
		return true;	/* whether it was too much depends */
	if (WEXITSTATUS(status) != (lost ? 3 : 0)) {
		printf("    ft record ended with status %d, %llu records lost\n",
		       WEXITSTATUS(status), (unsigned long long)lost);
		return false;
	}
	return true;
}

static int end(pid_t recorder)
{
	int status;

	kill(recorder, SIGCONT);
	kill(recorder, SIGINT);
	for (unsigned int us = 0; us < PATIENCE_US; us += 20000) {
		if (waitpid(recorder, &status, WNOHANG) == recorder)
			return status;
		sleep_us(20000);
	}
	errx(1, "ft record does not end");
}

bool recorder_round(const struct torture *t, const struct round *r)
{
	bool full = round_has(r, DISTURB_FULL), ok;
	char disk[PATH_LEN - 16], dir[PATH_LEN - 8], log[PATH_LEN];
	pid_t recorder, disturber;
	uint64_t lost = 0;
	int status;

	snprintf(disk, sizeof(disk), "%s/disk", t->work);
	snprintf(dir, sizeof(dir), "%s/t", disk);
	mkdir(disk, 0700);
	if (mount("torture", disk, "tmpfs", 0, full ? "size=32m" : "size=1g"))
		err(1, "%s", disk);
	snprintf(log, sizeof(log), "%s/log", t->work);
	unlink(log);	/* of the round before */
	recorder = start(t, r, log, dir);
	if (!await_begin(recorder, log))
		errx(1, "ft record did not begin: see %s", log);
	if (full)
		fill_disk(disk);
	disturb_start(t, r);
	disturber = disturb_recorder(r, recorder);
	fire(r);
	waitpid(disturber, NULL, 0);
	ok = disturb_stop();
	status = end(recorder);
	ok &= check_trace(t, r, dir, full || round_has(r, DISTURB_KILL), &lost);
	ok &= check_status(r, status, lost);
	if (is_active()) {
		printf("    something is still enabled\n");
		ok = false;
	}
	if (umount(disk))
		err(1, "umount %s", disk);
	return ok;
}

void recorder_clean_up(const struct torture *t)
{
	char disk[PATH_LEN];

	snprintf(disk, sizeof(disk), "%s/disk", t->work);
	umount2(disk, MNT_DETACH);
}
