// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Commands that are scripts or programs of their own: ft finds and becomes them. */
#include <err.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/abouts.h"
#include "base/array.h"
#include "base/exit_status.h"
#include "base/mem.h"
#include "ft/commands.h"
#include "ft/script.h"

#ifndef FT_LIBEXECDIR
#define FT_LIBEXECDIR "/usr/local/libexec/feather-trace"
#endif

/*
 * A program has no @interpreter. -d, -s: ignore ~/.gnuplot and ~/.local, which could change
 * the output.
 */
static const struct script {
	const char	*command;
	const char	*interpreter, *options[2], *package;
} scripts[] = {
	{ .command = "top" }, { .command = "monitor" }, { .command = "npt" },
	{ .command = "send" }, { .command = "receive" },
	{ "plot", "gnuplot", { "-d", "-c" }, "gnuplot-nox" },
	{ "study", "python3", { "-s", "-B" }, "python3" },
};

/* Return: false with a message */
static bool find_script(const char *self, const char *command, char path[PATH_MAX])
{
	/* where ft was built, where it was installed */
	static const char *const beside[] = { ".", "scripts", "../libexec/feather-trace" };
	const char *slash = strrchr(self, '/');

	for (size_t i = 0; slash && i < ARRAY_SIZE(beside); i++) {
		if (snprintf(path, PATH_MAX, "%.*s/%s/ft-%s", (int)(slash - self), self,
			     beside[i], command) < PATH_MAX && !access(path, R_OK))
			return true;
	}
	if (snprintf(path, PATH_MAX, FT_LIBEXECDIR "/ft-%s", command) < PATH_MAX &&
	    !access(path, R_OK))
		return true;
	warnx("cannot find ft-%s beside ft, or in " FT_LIBEXECDIR
	      ": is it installed? (make install-tools)", command);
	return false;
}

static const struct script *script_of(const char *command)
{
	const struct script *s = scripts;

	while (strcmp(s->command, command))
		s++;
	return s;
}

bool script_is_program(const struct command *command)
{
	return command->is_script && !script_of(command->name)->interpreter;
}

int script_exec(int argc, char **argv)
{
	const struct script *s = script_of(argv[0]);
	char self[PATH_MAX], path[PATH_MAX], **args;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n < 0 ? 0 : n] = '\0';
	if (!find_script(self, s->command, path))
		return FT_EXIT_ERROR;
	/* it calls this ft */
	setenv("FT", self, 1);
	if (!s->interpreter) {
		execv(path, argv);
		warn("cannot run '%s'", path);
		return FT_EXIT_ERROR;
	}
	args = mem_zalloc((size_t)argc + 4, sizeof(*args));
	args[0] = (char *)s->interpreter;
	args[1] = (char *)s->options[0];
	args[2] = (char *)s->options[1];
	args[3] = path;
	memcpy(args + 4, argv + 1, ((size_t)argc - 1) * sizeof(*args));
	execvp(args[0], args);
	if (errno == ENOENT)
		warnx("ft %s needs %s: apt install %s", s->command, s->interpreter, s->package);
	else
		warn("cannot run '%s'", s->interpreter);
	free(args);
	return FT_EXIT_ERROR;
}

const struct command top_command = {
	.name = "top",
	.about = ABOUT_TOP,
	.is_script = true,
	.main = script_exec,
};

const struct command monitor_command = {
	.name = "monitor",
	.about = ABOUT_MONITOR,
	.is_script = true,
	.main = script_exec,
};

const struct command npt_command = {
	.name = "npt",
	.about = ABOUT_NPT,
	.is_script = true,
	.main = script_exec,
};

const struct command send_command = {
	.name = "send",
	.about = ABOUT_SEND,
	.is_script = true,
	.main = script_exec,
};

const struct command receive_command = {
	.name = "receive",
	.about = ABOUT_RECEIVE,
	.is_script = true,
	.main = script_exec,
};

const struct command study_command = {
	.name = "study",
	.about = "Repeats the paper's study, writes a page",
	.is_script = true,
	.main = script_exec,
};
