// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft top: its options. A program of its own, so that ft needs no library for terminals. */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/abouts.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "base/options.h"
#include "top/once.h"
#include "top/screen.h"

struct top {
	unsigned int	by, sort;
	double		seconds;
	size_t		rows;
	bool		once, json;
	const char	*filter;
	pid_t		program;
};

static const char *by_word(unsigned int i)
{
	return model_by_name(i);
}

static const char *sort_word(unsigned int i)
{
	return model_sort_name(i);
}

static const struct option_row options[] = {
	{ 0, "by", "WHAT", "a row for each family, site (default; of programs: what they "
	  "count by), lock or task",
	  OPTION_CHOICE(struct top, by, by_word) },
	{ 0, "sort", "COLUMN", "count, time (default), p50, p99 or max",
	  OPTION_CHOICE(struct top, sort, sort_word) },
	{ 'd', "delay", "SECONDS", "time between two looks (1)",
	  OPTION_SECONDS(struct top, seconds) },
	{ 'n', "rows", "N", "--once, --json: at most N rows (20; 0: all)",
	  OPTION_ROWS(struct top, rows) },
	{ 0, "filter", "TEXT", "only rows that have this in their name, or family",
	  OPTION_TEXT(struct top, filter) },
	SENSOR_PROGRAM_OPTION(struct top, program),
	{ 0, "once", NULL, "print the first interval as a table, and end",
	  OPTION_FLAG(struct top, once) },
	{ 0, "json", NULL, "the same as JSON", OPTION_FLAG(struct top, json) },
	{ }
};

static int top_main(int argc, char **argv);

static const struct command top_command = {
	.name = "top",
	.about = ABOUT_TOP,
	.usage = "[OPTION...]",
	.text = "Shows how often, and for how long, the kernel's locks are held and waited for,\n"
		"as it happens. It uses sensors that exist (ft sensors default) or makes its own,\n"
		"which end with it; nothing is recorded. With --program it shows the locks of\n"
		"programs that ft run lets count. Press h for its keys.\n",
	.options = options,
	.main = top_main,
};

static void sleep_for(double seconds)
{
	struct timespec left = { .tv_sec = (time_t)seconds,
				 .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9) };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

static int check_by(const struct model *m)
{
	if (model_has_by(m, m->by))
		return FT_EXIT_OK;
	return usage_error("top", "these programs count by %s, so there are rows by family, or "
			   "by %s; see ft run --sensors-by",
			   model_by_name(m->counted_by), model_by_name(m->counted_by));
}

static int show_once(struct model *m, const struct top *t)
{
	int ret;

	model_look(m);
	sleep_for(t->seconds);
	/* those of an ft run that has just begun may be there by now */
	if (!m->n_sensors) {
		if (!model_set_by(m, t->by))
			return FT_EXIT_ERROR;
		ret = check_by(m);
		if (ret)
			return ret;
		sleep_for(t->seconds);
	}
	model_look(m);
	if (t->json)
		top_once_json(m, t->rows);
	else
		top_once_text(m, t->rows);
	return flush_output(FT_EXIT_OK);
}

static int top_main(int argc, char **argv)
{
	struct top t = { .by = MODEL_BYS, .sort = SORT_TIME, .seconds = 1, .rows = 20, .filter = "",
			 .program = SENSOR_NO_PROGRAM };
	struct model m = { .fd = -1, .control = -1 };
	int ret = options_parse_program(&top_command, &t, &argc, &argv);

	if (ret >= 0)
		return ret;
	if (!t.once && !t.json && (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))) {
		warnx("top: this is no terminal: use --once or --json");
		return FT_EXIT_USAGE;
	}
	m.sort = t.sort;
	m.program = t.program;
	snprintf(m.filter, sizeof(m.filter), "%s", t.filter);
	ret = model_open(&m, t.by) ? check_by(&m) : FT_EXIT_ERROR;
	if (!ret && (t.once || t.json))
		ret = show_once(&m, &t);
	else if (!ret)
		ret = screen_run(&m, t.seconds) ? FT_EXIT_OK : FT_EXIT_ERROR;
	model_close(&m);
	return ret;
}

int main(int argc, char **argv)
{
	program_invocation_short_name = (char *)"ft";
	program_invocation_name = (char *)"ft";
	return top_main(argc, argv);
}
