// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft run: what happens when.
 *
 *	prepare:  everything that can fail, fails here, before the command runs
 *	run:      read the rings, until the command and all that it started has ended,
 *		  or the process that we are attached to, or the user has seen enough
 *	finish:   close the rings, read the rest, tell
 */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ft.h"
#include "record_share.h"
#include "report_map.h"
#include "run.h"
#include "util.h"

/* How long the reader sleeps between its rounds, in ms: rings fill in few of these. */
#define SLEEP_MS	1

/* It would like to be in time; the others may have what it leaves. */
#define READER_NICE	-10

/* Records that do not fill a packet wait no longer than this. */
#define FLUSH_SECONDS	0.5

/* Who is alive is looked at this often; earlier where so many rings were taken. */
#define LOOK_SECONDS	0.1
#define LOOK_STREAMS	8
#define LOOK_SOON	0.005

/* Threads that are in the middle of a record at the end have this long. */
#define SETTLE_US	20000

/* How long the command may take to end after a signal. */
#define STOP_SECONDS	5.0

/* When it is told that the command has ended and others go on. */
#define TELL_SECONDS	1.0

/* --- prepare -------------------------------------------------------------- */

/* A file for each ring. The command gets back what it had. */
static void raise_files(struct rlimit *old)
{
	struct rlimit most;

	if (getrlimit(RLIMIT_NOFILE, old))
		return;
	most = *old;
	most.rlim_cur = most.rlim_max;
	setrlimit(RLIMIT_NOFILE, &most);
}

static bool prepare_files(struct run *run)
{
	if (!record_dir_clear(&run->dir))
		return false;
	run->session_file = record_dir_create(&run->dir, SESSION_FILE);
	return run->session_file >= 0 && run_meta_save(run);
}

static void make_uuid(struct run *run)
{
	if (getrandom(run->uuid, sizeof(run->uuid), 0) !=
	    (ssize_t)sizeof(run->uuid))
		memcpy(run->uuid, &run->clock, sizeof(run->uuid));
	run->uuid[6] = (run->uuid[6] & 0x0f) | 0x40;
	run->uuid[8] = (run->uuid[8] & 0x3f) | 0x80;
}

static bool prepare(struct run *run)
{
	if (!record_dir_open(&run->dir, run->path, run->force))
		return false;
	run->signal_fd = record_share_signals(&run->signals, &run->old_signals);
	if (run->signal_fd < 0)
		return false;
	run_clock_find(&run->clock);
	make_uuid(run);
	return (!run->pid || run_attach_open(run)) && run_session_make(run) &&
	       prepare_files(run);
}

/* --- the command ---------------------------------------------------------- */

static bool add_library(void)
{
	const char *others = getenv("LD_PRELOAD");
	char library[4096], *value;
	int n;

	if (!run_library(library, sizeof(library)))
		return false;
	n = others && *others ? asprintf(&value, "%s:%s", library, others) :
				asprintf(&value, "%s", library);
	if (n < 0)
		return false;
	setenv("LD_PRELOAD", value, 1);
	free(value);
	return true;
}

static bool start_command(struct run *run)
{
	int ret;

	if (run_command_check(run, run->child.argv[0])) {
		if (run->locks && !add_library())
			return false;
		setenv(FT_SESSION_ENV, run->name, 1);
	}
	/* what it leaves behind becomes ours, so that we see it end */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	ret = record_child_start(&run->child, &run->old_signals);
	if (ret)
		warnx("cannot run '%s': %s", run->child.argv[0], strerror(ret));
	return !ret;
}

static bool start(struct run *run)
{
	struct rlimit files = { 0 };
	int ret;

	run->start = time(NULL);
	run->began = monotonic_now();
	ret = run_tell_session(run);
	if (ret) {
		warnx("cannot write %s/" SESSION_FILE ": %s", run->path,
		      strerror(-ret));
		return false;
	}
	if (!(run->pid ? run_attach_begin(run) : start_command(run)))
		return false;
	raise_files(&files);
	/* not everybody may */
	setpriority(PRIO_PROCESS, 0, READER_NICE);
	return true;
}

/*
 * The command's end is kept; of others it is enough that they are waited for. All
 * that it started are our children, or will be when their parents have ended.
 */
static void reap(struct run *run)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != run->child.pid)
			continue;
		run->child.status = status;
		run->child.ended = true;
	}
	run->childless = pid < 0 && errno == ECHILD;
}

/* --- run ------------------------------------------------------------------ */

static void take_signal(struct run *run)
{
	struct signalfd_siginfo info;

	while (read(run->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		if (!run->pid)
			record_child_pass_on(&run->child, &info);
		if (run->stop)	/* the user is impatient */
			run->end = "signal";
		run->stop = monotonic_now() + STOP_SECONDS;
	}
	reap(run);
}

/* Has it come to its end? The command may take a while to follow a signal. */
static bool is_over(struct run *run, double now)
{
	if (run->pid)
		run->end = run->stop ? "signal" : run_attach_look(run, now);
	else if (run->stop && (run->child.ended || now >= run->stop))
		run->end = "signal";
	else if (run->childless && !run->end)
		run->end = "command";
	return run->end || run->failed;
}

/* Those that the command has left behind go on: once it is told. */
static void tell_left(struct run *run, double now)
{
	static double ended;

	if (!run->child.ended || run->left_told)
		return;
	if (!ended)
		ended = now;
	if (now < ended + TELL_SECONDS)
		return;
	warnx("'%s' has ended; what it started goes on, and is recorded; Ctrl-C "
	      "ends this", run->child.argv[0]);
	run->left_told = true;
}

static void look(struct run *run, double now)
{
	run_look(run);
	run->looked_streams = run->n_streams;
	if (!run_meta_save(run))
		run->failed = true;
	if (!run->pid)
		tell_left(run, now);
}

/* Is it time? Also where more and more rings are used. */
static bool should_look(const struct run *run, double now, double last)
{
	return now >= last + LOOK_SECONDS ||
	       (run->n_streams > run->looked_streams + LOOK_STREAMS &&
		now >= last + LOOK_SOON);
}

static void read_until_end(struct run *run)
{
	struct pollfd pfd = { .fd = run->signal_fd, .events = POLLIN };
	double next_flush = 0, last_look = 0, now;
	bool busy;

	for (now = monotonic_now(); !is_over(run, now); now = monotonic_now()) {
		busy = run_read(run, now >= next_flush) > run->slots / 4;
		if (now >= next_flush)
			next_flush = now + FLUSH_SECONDS;
		if (should_look(run, now, last_look)) {
			look(run, now);
			last_look = now;
		}
		if (poll(&pfd, 1, busy ? 0 : SLEEP_MS) > 0)
			take_signal(run);
	}
}

/* --- finish --------------------------------------------------------------- */

static void close_rings(struct run *run)
{
	__atomic_store_n(&run->session->closed, 1, __ATOMIC_RELEASE);
	for (__u32 i = 0; i < run->session->rings; i++) {
		ft_ring_close(&run->streams[i].ring);
		ft_ring_close(&ft_session_ring(run->session, i)->ring);
	}
	run_read(run, true);
	run_look(run);
	if (run->alive)
		usleep(SETTLE_US);
}

static bool finish_files(struct run *run)
{
	int ret;

	if (!run_meta_save(run) || !run_objects_save(run) ||
	    !run_tasks_save(run))
		return false;
	ret = run_tell_session(run);
	if (ret)
		warnx("cannot write %s/" SESSION_FILE ": %s", run->path,
		      strerror(-ret));
	return !ret;
}

static int finish(struct run *run)
{
	if (!run->end)
		run->end = "error";
	run->seconds_done = monotonic_now() - run->began;
	if (run->pid)
		run_attach_end(run);
	close_rings(run);
	run_read_end(run);
	if (!finish_files(run))
		run->failed = true;
	run_tell_summary(run);
	return run->failed ? FT_EXIT_ERROR :
	       run->lost ? FT_EXIT_LOST : FT_EXIT_OK;
}

static void free_values(struct map *map)
{
	struct map_slot *slot;

	map_for_each(map, slot)
		free(slot->value);
	map_free(map);
}

static void cleanup(struct run *run, bool discard)
{
	run_attach_free(run);
	run_session_free(run);
	if (run->session_file >= 0)
		close(run->session_file);
	if (run->dir.fd >= 0 && discard)
		record_dir_discard(&run->dir);
	record_dir_close(&run->dir);
	if (run->signal_fd >= 0)
		close(run->signal_fd);
	free_values(&run->tasks);
	free_values(&run->mappings);
}

int run_run(struct run *run)
{
	int status;

	if (!prepare(run) || !start(run)) {
		cleanup(run, true);
		return FT_EXIT_ERROR;
	}
	read_until_end(run);
	status = finish(run);
	cleanup(run, false);
	return status;
}
