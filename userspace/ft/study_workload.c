// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft study: the workloads, and what they need. */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "ft/study_workload.h"

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

/* A name in $PATH, or a file. */
static bool has_program(const char *name)
{
	return strchr(name, '/') ? !access(name, R_OK) : study_has_program(name);
}

bool study_workloads_can(const struct study *s)
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
		if (!study_wants(s, needed[i].workload) ||
		    has_program(needed[i].program))
			continue;
		warnx("the workload %s needs %s: apt install %s (or leave it out: "
		      "--workloads)", study_names[needed[i].workload],
		      needed[i].program, needed[i].package);
		ok = false;
	}
	return ok;
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

bool study_copy_sources(struct study_run *run)
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

static int start_compile(struct study_run *run, const char *log)
{
	char dir[PATH_LEN];
	const char *argv[] = {
		"make", "-s", "-B", "-j", run->jobs, "-C", dir,
		run->tool ? run->out : NULL, NULL
	};

	study_path(dir, sizeof(dir), run->sources, run->tool ? "userspace" : ".");
	return study_start(argv, log, true);
}

static int start_stress(struct study_run *run, const char *log)
{
	const char *argv[] = {
		"stress-ng", "--vm", "1", "--vm-bytes", "64M", "--io", "1",
		"--hdd", "1", "--hdd-bytes", "64M", "--temp-path", run->work, NULL
	};

	return study_start(argv, log, false);
}

bool study_make_video(struct study_run *run)
{
	const char *argv[] = {
		"ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i",
		"testsrc2=size=640x360:rate=25", "-t", "30", run->video, NULL
	};

	study_path(run->video, sizeof(run->video), run->work, "video.mpg");
	return run_program(argv);
}

/* Without a display and a sound card; the pace is that of a real one. */
static int start_ffplay(struct study_run *run, const char *log)
{
	const char *argv[] = {
		"ffplay", "-loglevel", "error", "-loop", "0", run->video, NULL
	};

	return study_start(argv, log, false);
}

static int start_mplayer(struct study_run *run, const char *log)
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

int study_workload_start(struct study_run *run, enum study_workload w, const char *log)
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

bool study_workload_runs(struct study_run *run, enum study_workload w, int pid,
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
