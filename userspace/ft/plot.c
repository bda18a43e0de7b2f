// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft plot: gnuplot draws, by the script ft-plot; ft opens the files.
 *
 * gnuplot takes some names for commands or special files ("|cmd", "<cmd", "~/x"), and does not
 * check that all was written. So names of reports begin with '/' or "./", and it writes the
 * figure into a pipe.
 */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"
#include "ft/commands.h"
#include "ft/script.h"
#include "trace/outside.h"

enum { OUTPUT = 1, REPORTS = 4 };	/* arguments */

/* Return: false with a message */
static bool check_report(const char *path)
{
	struct stat st;
	char *metadata;
	bool is_trace;

	if (stat(path, &st) || access(path, R_OK)) {
		warn("cannot read '%s'", path);
		return false;
	}
	if (S_ISREG(st.st_mode)) {
		if (!st.st_size)
			warnx("'%s' is empty: was the report written?", path);
		return st.st_size;
	}
	metadata = mem_format("%s/metadata", path);
	is_trace = S_ISDIR(st.st_mode) && !access(metadata, F_OK);
	free(metadata);
	if (is_trace)
		warnx("'%s' is a trace: draw its report: ft report --tsv %s >%s.tsv",
		      path, path, path);
	else
		warnx("'%s' is not a regular file: write the report to one: ft report --tsv "
		      "TRACE >t.tsv", path);
	return false;
}

/* Return: the script's exit status; the figure is in @figure, of *@len bytes */
static int draw(int argc, char **argv, char **figure, ssize_t *len)
{
	int ends[2], status;
	pid_t pid;

	if (pipe(ends))
		err(FT_EXIT_ERROR, "pipe");
	pid = fork();
	if (pid < 0)
		err(FT_EXIT_ERROR, "fork");
	if (!pid) {
		if (dup2(ends[1], STDOUT_FILENO) < 0)
			err(FT_EXIT_ERROR, "dup2");
		close(ends[0]);
		close(ends[1]);
		_exit(script_exec(argc, argv));
	}
	close(ends[1]);
	*len = read_file_full(ends[0], figure);
	close(ends[0]);
	if (waitpid(pid, &status, 0) < 0)
		err(FT_EXIT_ERROR, "waitpid");
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	warnx("gnuplot was ended by signal %d", WTERMSIG(status));
	return FT_EXIT_ERROR;
}

static int write_figure(const char *path, const char *figure, ssize_t len)
{
	FILE *f;

	if (len <= 0) {
		warnx("gnuplot wrote no figure");
		return FT_EXIT_ERROR;
	}
	f = fopen(path, "we");
	if (!f) {
		warn("cannot write '%s'", path);
		return FT_EXIT_ERROR;
	}
	fwrite(figure, 1, (size_t)len, f);
	return close_output(f, path) ? FT_EXIT_ERROR : FT_EXIT_OK;
}

static int plot_main(int argc, char **argv)
{
	char **named, *figure = NULL;
	bool has_option = false;
	ssize_t len;
	int status;

	for (int i = 1; i < argc; i++)
		has_option |= argv[i][0] == '-';
	/* help, or bad usage */
	if (argc <= REPORTS || has_option)
		return script_exec(argc, argv);
	if (!outside_traces(argv[OUTPUT]))
		return FT_EXIT_ERROR;
	for (int i = REPORTS; i < argc; i++) {
		if (!check_report(argv[i]))
			return FT_EXIT_ERROR;
	}
	named = mem_zalloc((size_t)argc, sizeof(*named));
	for (int i = 0; i < argc; i++)
		named[i] = mem_format("%s%s",
				      i < REPORTS || argv[i][0] == '/' ? "" : "./", argv[i]);
	status = draw(argc, named, &figure, &len);
	if (!status)
		status = write_figure(argv[OUTPUT], figure, len);
	for (int i = 0; i < argc; i++)
		free(named[i]);
	free(named);
	free(figure);
	return status;
}

const struct command plot_command = {
	.name = "plot",
	.about = "Draws a table of a report with gnuplot",
	.is_script = true,
	.main = plot_main,
};
