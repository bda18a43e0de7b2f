// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft study: the workloads, and recording them with ft record.
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
#include "base/util.h"
#include "control/device.h"
#include "ft/study.h"
#include "trace/session_file.h"

#define PATH_LEN	4096
#define SELF		"/proc/self/exe"
#define MARGIN		1.5	/* a workload is not the same all the time */
#define KEEP_FREE	(64u << 20)	/* for symbols, the page, and others */
#define SLOTS_MOST	(1u << 20)
#define SLOTS_LEAST	(1u << 13)

const char *const study_names[STUDY_WORKLOADS] = {
	[STUDY_IDLE] = "idle",
	[STUDY_COMPILE] = "compile",
	[STUDY_STRESS] = "stress",
	[STUDY_FFPLAY] = "ffplay",
	[STUDY_MPLAYER] = "mplayer",
	[STUDY_DOOM] = "doom",
};

#define DOOM		"/usr/games/chocolate-doom"
#define DOOM_LEVELS	"/usr/share/games/doom/freedoom1.wad"

/* One run: the directories, and the programs' arguments. */
struct run {
	const struct study	*study;
	char			work[PATH_LEN];
	char			sources[PATH_LEN];	/* a copy */
	char			out[PATH_LEN + 8];	/* "O=..." */
	char			video[PATH_LEN];	/* for the players */
	char			jobs[16];
	uint32_t		slots;
	bool			tool;		/* compile the tool itself */
	bool			keep;		/* there is a log to be read */
};

static bool wants(const struct study *s, enum study_workload w)
{
	return s->workloads >> w & 1;
}

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

/* A name in $PATH, or a file. */
static bool has_program(const char *name)
{
	return strchr(name, '/') ? !access(name, R_OK) : study_has_program(name);
}

static bool check_programs(const struct study *s)
{
	static const struct {
		const char *program, *package;
		enum study_workload workload;
	} needed[] = {
		{ "make", "make", STUDY_COMPILE },
		{ "gcc", "gcc", STUDY_COMPILE },
		{ "cp", "coreutils", STUDY_COMPILE },
		{ "stress-ng", "stress-ng", STUDY_STRESS },
		{ "ffmpeg", "ffmpeg", STUDY_FFPLAY },
		{ "ffplay", "ffmpeg", STUDY_FFPLAY },
		{ "ffmpeg", "ffmpeg", STUDY_MPLAYER },
		{ "mplayer", "mplayer", STUDY_MPLAYER },
		{ DOOM, "chocolate-doom", STUDY_DOOM },
		{ DOOM_LEVELS, "freedoom", STUDY_DOOM },
	};
	bool ok = true;

	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		if (!wants(s, needed[i].workload) ||
		    has_program(needed[i].program))
			continue;
		warnx("the workload %s needs %s: apt install %s (or leave it out: "
		      "--workloads)", study_names[needed[i].workload],
		      needed[i].program, needed[i].package);
		ok = false;
	}
	return ok;
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

/* --- the compile --- */

static bool run_program(const char *const *argv)
{
	int pid = study_start(argv, NULL, false);

	return pid > 0 && !study_wait(pid);
}

static bool has_makefile(const char *dir)
{
	static const char *const names[] = { "GNUmakefile", "makefile", "Makefile" };
	char path[PATH_LEN];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!access(study_path(path, sizeof(path), dir, names[i]), R_OK))
			return true;
	}
	return false;
}

/* Compiling writes into the sources: so it gets a copy. */
static bool copy_sources(struct run *run)
{
	char tree[PATH_LEN], from[2][PATH_LEN];
	const char *argv[] = { "cp", "-R", "-L", from[0], from[1], NULL, NULL };
	const struct study *s = run->study;

	study_path(run->sources, sizeof(run->sources), run->work, "sources");
	snprintf(run->out, sizeof(run->out), "O=%s/out", run->work);
	if (mkdir(run->sources, 0755)) {
		warn("cannot make %s", run->sources);
		return false;
	}
	if (s->sources) {
		if (!has_makefile(s->sources)) {
			warnx("%s has no Makefile: --sources wants a C project that "
			      "make compiles", s->sources);
			return false;
		}
		study_path(from[0], PATH_LEN, s->sources, ".");
		argv[4] = run->sources;
		return run_program(argv);
	}
	if (!study_tree(tree, sizeof(tree))) {
		warnx("compile what? The sources of this tool are not here: name "
		      "them with FT_TREE=DIR, or a C project with --sources DIR");
		return false;
	}
	run->tool = true;
	study_path(from[0], PATH_LEN, tree, "userspace");
	study_path(from[1], PATH_LEN, tree, "include");
	argv[5] = run->sources;
	return run_program(argv);
}

/* --- the workloads --- */

static int start_compile(struct run *run, const char *log)
{
	char dir[PATH_LEN];
	const char *argv[] = {
		"make", "-s", "-B", "-j", run->jobs, "-C", dir,
		run->tool ? run->out : NULL, NULL
	};

	study_path(dir, sizeof(dir), run->sources, run->tool ? "userspace" : ".");
	return study_start(argv, log, true);
}

static int start_stress(struct run *run, const char *log)
{
	const char *argv[] = {
		"stress-ng", "--vm", "1", "--vm-bytes", "64M", "--io", "1",
		"--hdd", "1", "--hdd-bytes", "64M", "--temp-path", run->work, NULL
	};

	return study_start(argv, log, false);
}

/* Half a minute of pictures that move, played again and again. */
static bool make_video(struct run *run)
{
	const char *argv[] = {
		"ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i",
		"testsrc2=size=640x360:rate=25", "-t", "30", run->video, NULL
	};

	study_path(run->video, sizeof(run->video), run->work, "video.mpg");
	return run_program(argv);
}

/* Without a display and a sound card; the pace is that of a real one. */
static int start_ffplay(struct run *run, const char *log)
{
	const char *argv[] = {
		"ffplay", "-loglevel", "error", "-loop", "0", run->video, NULL
	};

	return study_start(argv, log, false);
}

static int start_mplayer(struct run *run, const char *log)
{
	const char *argv[] = {
		"mplayer", "-really-quiet", "-noconfig", "all", "-vo", "null",
		"-ao", "null", "-loop", "0", run->video, NULL
	};

	return study_start(argv, log, false);
}

/* It plays its demonstrations for ever. */
static int start_doom(const char *log)
{
	const char *argv[] = { DOOM, "-iwad", DOOM_LEVELS, "-nosound", NULL };

	return study_start(argv, log, false);
}

static void nap(double seconds)
{
	struct timespec ts = {
		.tv_sec = (time_t)seconds,
		.tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9),
	};

	if (!study_interrupted())
		nanosleep(&ts, NULL);
}

/* Return: pid, 0 where there is nothing to run, -1 with a message */
static int start_workload(struct run *run, enum study_workload w, const char *log)
{
	switch (w) {
	case STUDY_COMPILE:
		return start_compile(run, log);
	case STUDY_STRESS:
		return start_stress(run, log);
	case STUDY_FFPLAY:
		return start_ffplay(run, log);
	case STUDY_MPLAYER:
		return start_mplayer(run, log);
	case STUDY_DOOM:
		return start_doom(log);
	default:
		return 0;
	}
}

/* It has to run until it is told not to. */
static bool still_runs(struct run *run, enum study_workload w, int pid,
		       const char *log)
{
	char line[512], last[512] = "";
	FILE *f;

	if (!pid || !study_ended(pid))
		return true;
	f = fopen(log, "re");
	while (f && fgets(line, sizeof(line), f))
		memcpy(last, line, sizeof(last));
	if (f)
		fclose(f);
	last[strcspn(last, "\n")] = '\0';
	run->keep = true;
	warnx("the workload %s has ended by itself; its last words (%s): %s",
	      study_names[w], log, last);
	return false;
}

/* --- recording --- */

/* Return: exit status of ft record */
static int record(const struct run *run, const char *dir, double seconds,
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

static bool fits(const struct run *run, enum study_workload w, double rate)
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
static bool sample(struct run *run, enum study_workload w)
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

static int record_workload(struct run *run, enum study_workload w)
{
	const struct study *s = run->study;
	char dir[PATH_LEN], log[PATH_LEN], name[32];
	int pid, status = FT_EXIT_ERROR;

	snprintf(name, sizeof(name), "%s.log", study_names[w]);
	study_path(log, sizeof(log), run->work, name);
	study_path(dir, sizeof(dir), s->dir, study_names[w]);
	warnx("%s: starting", study_names[w]);
	pid = start_workload(run, w, log);
	if (pid < 0)
		return FT_EXIT_ERROR;
	nap(1);
	if (still_runs(run, w, pid, log) && sample(run, w) && !study_interrupted()) {
		warnx("%s: recording %g s into %s", study_names[w], s->seconds, dir);
		status = record(run, dir, s->seconds, NULL);
		if (!study_interrupted() && !still_runs(run, w, pid, log))
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
		if (!wants(s, w) ||
		    access(study_path(path, sizeof(path), s->dir, study_names[w]),
			   F_OK))
			continue;
		warnx("%s is there already: another directory (-o), or --force to "
		      "replace it", path);
		return false;
	}
	return true;
}

static bool write_session(const struct run *run)
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

static bool prepare(struct run *run)
{
	const struct study *s = run->study;

	if (s->work)
		snprintf(run->work, sizeof(run->work), "%s", s->work);
	else
		study_path(run->work, sizeof(run->work), s->dir, "work");
	snprintf(run->jobs, sizeof(run->jobs), "%d",
		 get_nprocs() > 1 ? get_nprocs() : 2);
	run->slots = choose_slots(s);
	if (!check_programs(s) || !check_module() || !make_dir(s->dir) ||
	    !check_free(s))
		return false;
	if (mkdir(run->work, 0755)) {
		warn("cannot make the directory '%s'", run->work);
		return false;
	}
	setenv("SDL_VIDEODRIVER", "dummy", 1);
	setenv("SDL_AUDIODRIVER", "dummy", 1);
	if ((wants(s, STUDY_COMPILE) && !copy_sources(run)) ||
	    ((wants(s, STUDY_FFPLAY) || wants(s, STUDY_MPLAYER)) &&
	     !make_video(run)) || !write_session(run)) {
		study_remove(run->work);
		return false;
	}
	return true;
}

int study_record(const struct study *s)
{
	struct run run = { .study = s };
	int status = FT_EXIT_OK, ret = FT_EXIT_OK;

	if (!prepare(&run))
		return FT_EXIT_ERROR;
	study_catch_signals();
	for (unsigned int w = 0; w < STUDY_WORKLOADS; w++) {
		if (!wants(s, w))
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
