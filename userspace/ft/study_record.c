// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft study: recording the workloads with ft record.
 *
 * A workload runs already when it is recorded. First a second of it is recorded
 * for a sample of how many records come, for these tell whether all of it will
 * find room.
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/feather_trace.h>

#include "base/exit_status.h"
#include "base/number.h"
#include "control/device.h"
#include "ft/study_workload.h"
#include "trace/session_file.h"

#define SELF		"/proc/self/exe"
#define MARGIN		1.5	/* a workload is not the same all the time */
#define KEEP_FREE	(64u << 20)	/* for symbols, the page, and others */
#define SLOTS_MOST	(1u << 20)
#define SLOTS_LEAST	(1u << 13)

/* --- what is needed --- */

static bool check_module(void)
{
	struct ft_info info;
	int control;

	if (geteuid() && !device_present())
		warnx("recording needs root: sudo ft study --here");
	control = device_open_control(&info);
	if (control < 0)
		return false;
	close(control);
	if (info.lock_source != FT_LOCKS_NONE)
		return true;
	device_no_locks();
	return false;
}

const char *study_tree(char *path, size_t len)
{
	const char *named = getenv("FT_TREE");
	char vm[PATH_LEN];
	ssize_t n;

	if (named && *named) {
		snprintf(path, len, "%s", named);
		return !access(study_path(vm, sizeof(vm), path, "scripts/vm"), F_OK) ?
			path : NULL;
	}
	n = readlink(SELF, path, len - 1);
	if (n <= 0)
		return NULL;
	path[n] = '\0';
	while (strrchr(path, '/') > path) {
		*strrchr(path, '/') = '\0';
		if (!access(study_path(vm, sizeof(vm), path, "scripts/vm"), F_OK))
			return path;
	}
	return NULL;
}

/* --- recording --- */

static void nap(double seconds)
{
	struct timespec ts = {
		.tv_sec = (time_t)seconds,
		.tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9),
	};

	if (!study_interrupted())
		nanosleep(&ts, NULL);
}

/* Return: exit status of ft record */
static int record(const struct study_run *run, const char *dir, double seconds,
		  const char *log)
{
	char duration[32], slots[16];
	const char *argv[] = {
		SELF, "record", "--locks", "--force", "-o", dir, "-d", duration,
		"-s", slots, NULL
	};
	int pid, status;

	snprintf(duration, sizeof(duration), "%.3f", seconds);
	snprintf(slots, sizeof(slots), "%u", run->slots);
	pid = study_start(argv, log, false);
	if (pid < 0)
		return FT_EXIT_ERROR;
	status = study_wait(pid);
	return status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) :
						  FT_EXIT_ERROR;
}

static double fact(const char *dir, const char *key)
{
	char value[64];

	return session_get(dir, key, value, sizeof(value)) ? 0 : atof(value);
}

static bool fits(const struct study_run *run, enum study_workload w, double rate)
{
	const struct study *s = run->study;
	double need = rate * sizeof(struct ft_record) * s->seconds * MARGIN, have;
	char size[2][32];
	struct statvfs fs;

	if (statvfs(s->dir, &fs)) {
		warn("cannot see how much room there is in %s", s->dir);
		return false;
	}
	have = (double)fs.f_bavail * (double)fs.f_frsize - KEEP_FREE;
	warnx("%s: about %.0f records a second, %s in %g s", study_names[w], rate,
	      format_size(size[0], sizeof(size[0]), (uint64_t)(need / MARGIN)),
	      s->seconds);
	if (need <= have)
		return true;
	have = have > 0 ? have : 0;
	warnx("that needs %s with some reserve, and %s has room for %s: take a "
	      "shorter time (-d %.0f), or another disk (-o)",
	      format_size(size[0], sizeof(size[0]), (uint64_t)need), s->dir,
	      format_size(size[1], sizeof(size[1]), (uint64_t)have),
	      s->seconds * have / need);
	return false;
}

/* How many records come? Return: false with a message */
static bool sample(struct study_run *run, enum study_workload w)
{
	char dir[PATH_LEN], log[PATH_LEN];
	double seconds, rate;
	int status;

	study_path(dir, sizeof(dir), run->work, "sample");
	study_path(log, sizeof(log), run->work, "sample.log");
	status = record(run, dir, 1, log);
	if (study_interrupted())
		return false;
	if (status != FT_EXIT_OK && status != FT_EXIT_LOST) {
		warnx("a sample of the workload %s cannot be recorded: see %s",
		      study_names[w], log);
		run->keep = true;
		return false;
	}
	seconds = fact(dir, "duration_s");
	/* what was lost would need room, too */
	rate = seconds > 0 ? (fact(dir, "records") + fact(dir, "lost")) / seconds : 0;
	study_remove(dir);
	return fits(run, w, rate);
}

static int record_workload(struct study_run *run, enum study_workload w)
{
	const struct study *s = run->study;
	char dir[PATH_LEN], log[PATH_LEN], name[32];
	int pid, status = FT_EXIT_ERROR;

	snprintf(name, sizeof(name), "%s.log", study_names[w]);
	study_path(log, sizeof(log), run->work, name);
	study_path(dir, sizeof(dir), s->dir, study_names[w]);
	warnx("%s: starting", study_names[w]);
	pid = study_workload_start(run, w, log);
	if (pid < 0)
		return FT_EXIT_ERROR;
	nap(1);
	if (study_workload_runs(run, w, pid, log) && sample(run, w) && !study_interrupted()) {
		warnx("%s: recording %g s into %s", study_names[w], s->seconds, dir);
		status = record(run, dir, s->seconds, NULL);
		if (!study_interrupted() && !study_workload_runs(run, w, pid, log))
			status = FT_EXIT_ERROR;
	}
	study_stop(pid);
	return study_interrupted() ? FT_EXIT_ERROR : status;
}

/* --- all of them --- */

static double memory_available(void)
{
	unsigned long long kib = 0;
	FILE *f = fopen("/proc/meminfo", "re");
	char line[256];

	while (f && !kib && fgets(line, sizeof(line), f))
		sscanf(line, "MemAvailable: %llu", &kib);
	if (f)
		fclose(f);
	return (double)kib * 1024;
}

/* The rings of all CPUs get a quarter of the memory that is free, at most. */
static uint32_t choose_slots(const struct study *s)
{
	double room = memory_available() / 4 / get_nprocs_conf() /
		      sizeof(struct ft_record);
	uint32_t slots = SLOTS_MOST;

	if (s->slots)
		return s->slots;
	while (slots > SLOTS_LEAST && slots > room)
		slots /= 2;
	return slots;
}

static bool make_dir(const char *path)
{
	if (!mkdir(path, 0755) || errno == EEXIST)
		return true;
	warn("cannot make the directory '%s'", path);
	return false;
}

static bool check_free(const struct study *s)
{
	char path[PATH_LEN];

	for (unsigned int w = 0; w < STUDY_WORKLOADS && !s->force; w++) {
		if (!study_wants(s, w) ||
		    access(study_path(path, sizeof(path), s->dir, study_names[w]),
			   F_OK))
			continue;
		warnx("%s is there already: another directory (-o), or --force to "
		      "replace it", path);
		return false;
	}
	return true;
}

static bool write_session(const struct study_run *run)
{
	const struct study *s = run->study;
	char path[PATH_LEN];
	FILE *f;

	if (!make_dir(study_path(path, sizeof(path), s->dir, SESSION_DIR)))
		return false;
	f = fopen(study_path(path, sizeof(path), s->dir, SESSION_FILE), "we");
	if (!f) {
		warn("cannot write %s", path);
		return false;
	}
	session_put(f, "idle", "nothing");
	session_put(f, "compile", "make -B -j %s of %s, again and again", run->jobs,
		    s->sources ? s->sources : "this tool");
	session_put(f, "stress", "stress-ng --vm 1 --vm-bytes 64M --io 1 --hdd 1 "
		    "--hdd-bytes 64M");
	session_put(f, "ffplay", "ffplay, a video of 640x360, no display");
	session_put(f, "mplayer", "mplayer -vo null, the same video");
	session_put(f, "doom", "chocolate-doom's demonstrations, no display");
	session_put(f, "seconds", "%g", s->seconds);
	return !fclose(f);
}

static bool prepare(struct study_run *run)
{
	const struct study *s = run->study;

	if (s->work)
		snprintf(run->work, sizeof(run->work), "%s", s->work);
	else
		study_path(run->work, sizeof(run->work), s->dir, "work");
	snprintf(run->jobs, sizeof(run->jobs), "%d",
		 get_nprocs() > 1 ? get_nprocs() : 2);
	run->slots = choose_slots(s);
	if (!study_workloads_can(s) || !check_module() || !make_dir(s->dir) ||
	    !check_free(s))
		return false;
	if (mkdir(run->work, 0755)) {
		warn("cannot make the directory '%s'", run->work);
		return false;
	}
	setenv("SDL_VIDEODRIVER", "dummy", 1);
	setenv("SDL_AUDIODRIVER", "dummy", 1);
	if ((study_wants(s, STUDY_COMPILE) && !study_copy_sources(run)) ||
	    ((study_wants(s, STUDY_FFPLAY) || study_wants(s, STUDY_MPLAYER)) &&
	     !study_make_video(run)) || !write_session(run)) {
		study_remove(run->work);
		return false;
	}
	return true;
}

int study_record(const struct study *s)
{
	struct study_run run = { .study = s };
	int status = FT_EXIT_OK, ret = FT_EXIT_OK;

	if (!prepare(&run))
		return FT_EXIT_ERROR;
	study_catch_signals();
	for (unsigned int w = 0; w < STUDY_WORKLOADS; w++) {
		if (!study_wants(s, w))
			continue;
		ret = record_workload(&run, w);
		if (ret == FT_EXIT_LOST)
			status = FT_EXIT_LOST;
		else if (ret != FT_EXIT_OK)
			break;
	}
	if (study_interrupted())
		warnx("interrupted");
	if (!run.keep)
		study_remove(run.work);
	return ret == FT_EXIT_OK || ret == FT_EXIT_LOST ? status : FT_EXIT_ERROR;
}
