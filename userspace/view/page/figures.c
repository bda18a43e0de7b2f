// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft report --figures: a directory with figures in the layout of those of the
 * paper (Brandenburg and Anderson, Feather-Trace, OSPERT 2007), drawn by gnuplot.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "view/page/figures.h"
#include "view/page/page.h"

#define PATH_LEN	4096

static const struct figure figures[] = {
	/* figures 4 and 5 */
	{ "lengths-spinning", "Hold times of spinning locks", GROUP_SPINNING,
	  LOCKS_SPINNING, figure_lengths_data, figure_lengths_plot },
	{ "lengths-sleeping", "Hold times of sleeping locks", GROUP_SLEEPING,
	  LOCKS_SLEEPING, figure_lengths_data, figure_lengths_plot },
	{ "lengths-program", "Hold times of locks of programs", GROUP_PROGRAM,
	  LOCKS_PROGRAM, figure_lengths_data, figure_lengths_plot },
	/* 6 and 7: up to the longest */
	{ "cumulative-spinning", "Cumulative hold times of spinning locks",
	  GROUP_SPINNING, LOCKS_SPINNING, figure_cumulative_data,
	  figure_cumulative_plot },
	{ "cumulative-sleeping", "Cumulative hold times of sleeping locks",
	  GROUP_SLEEPING, LOCKS_SLEEPING, figure_cumulative_data,
	  figure_cumulative_plot },
	{ "cumulative-program", "Cumulative hold times of locks of programs",
	  GROUP_PROGRAM, LOCKS_PROGRAM, figure_cumulative_data,
	  figure_cumulative_plot },
	/* 8 and 9, and both together */
	{ "depth-spinning", "Nesting of spinning locks, per CPU", GROUP_SPINNING,
	  LOCKS_SPINNING, figure_depth_data, figure_depth_plot },
	{ "depth-sleeping", "Nesting of sleeping locks, per task", GROUP_SLEEPING,
	  LOCKS_SLEEPING, figure_depth_data, figure_depth_plot },
	{ "depth-program", "Nesting of locks of programs, per thread", GROUP_PROGRAM,
	  LOCKS_PROGRAM, figure_depth_data, figure_depth_plot },
	{ "depth-both", "Nesting of all locks of the kernel", LOCKS_GROUPS, LOCKS_BOTH,
	  figure_depth_data, figure_depth_plot },
	/* not in the paper */
	{ "rate", "Rate of critical sections", LOCKS_GROUPS, LOCKS_SCOPES,
	  figure_rate_data, figure_rate_plot },
	{ "sites-spinning", "Spinning locks: call sites by total hold time",
	  GROUP_SPINNING, LOCKS_SPINNING, figure_sites_data, figure_sites_plot },
	{ "sites-sleeping", "Sleeping locks: call sites by total hold time",
	  GROUP_SLEEPING, LOCKS_SLEEPING, figure_sites_data, figure_sites_plot },
	{ "sites-program", "Locks of programs: call sites by total hold time",
	  GROUP_PROGRAM, LOCKS_PROGRAM, figure_sites_data, figure_sites_plot },
};

/* There is nothing to be drawn of a group that has no section. */
static bool is_empty(const struct report *r, const struct figure *fig)
{
	if (fig->group != LOCKS_GROUPS)
		return !r->group[fig->group].lengths.count;
	if (fig->scope != LOCKS_SCOPES)
		return !report_depths(r, fig->scope);
	return r->last <= r->first || (!report_depths(r, LOCKS_BOTH) &&
				       !report_depths(r, LOCKS_PROGRAM));
}

static int write_file(const struct report *r, const struct figure *fig,
		      const char *dir, const char *suffix,
		      void (*print)(FILE *, const struct report *,
				    const struct figure *))
{
	char path[PATH_LEN];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.%s", dir, fig->name, suffix);
	f = fopen(path, "we");
	if (!f) {
		warn("cannot write '%s'", path);
		return -1;
	}
	print(f, r, fig);
	return close_output(f, path);
}

/* In the child: scripts name files of their own directory. */
static void exec_gnuplot(const char *dir, char **argv)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null >= 0)
		dup2(null, STDIN_FILENO);
	/* all output is files; what it prints is a message */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	if (!chdir(dir))
		execvp(argv[0], argv);
	_exit(errno == ENOENT ? 127 : 126);
}

/* Return: its exit status, or -1 */
static int run_gnuplot(const char *dir, char **argv)
{
	pid_t pid;
	int status;

	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		warn("cannot start gnuplot");
		return -1;
	}
	if (!pid)
		exec_gnuplot(dir, argv);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int draw(const char *dir, char **argv)
{
	int status = run_gnuplot(dir, argv);

	if (!status)
		return 0;
	if (status == 127)
		warnx("gnuplot is not installed; the data and the scripts are in '%s'",
		      dir);
	else
		warnx("gnuplot failed; the data and the scripts are in '%s'", dir);
	warnx("%s(cd '%s' && gnuplot *.gp)", status == 127 ?
	      "try: apt install gnuplot-nox, then " : "try: ", dir);
	return -1;
}

int report_figures(const struct report *r, const char *dir)
{
	char names[ARRAY_SIZE(figures)][64];
	char gnuplot[] = "gnuplot", defaults[] = "-d";
	char *argv[ARRAY_SIZE(figures) + 3] = { gnuplot, defaults };
	size_t i, n = 0;

	if (mkdir(dir, 0777) && errno != EEXIST) {
		warn("cannot make the directory '%s' for the figures", dir);
		return -1;
	}
	for (i = 0; i < ARRAY_SIZE(figures); i++) {
		const struct figure *fig = &figures[i];

		if (is_empty(r, fig))
			continue;
		if (write_file(r, fig, dir, "tsv", fig->data) ||
		    write_file(r, fig, dir, "gp", fig->script))
			return -1;
		snprintf(names[n], sizeof(names[n]), "%s.gp", fig->name);
		argv[n + 2] = names[n];
		n++;
	}
	if (!n) {
		warnx("no figures: there is no complete critical section in the trace");
		return 0;
	}
	return draw(dir, argv);
}
