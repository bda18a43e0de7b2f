// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Checks the command before it runs, and sets its environment. What prevents tracing is
 * printed; the command runs all the same.
 */
#include <elf.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "process/executable.h"
#include "record/program/run.h"

/*
 * The first one also notes what concerns all of a process, and files that come and go: it is
 * preloaded for the heap, too.
 */
#define LIBRARY		"libfeathertrace-pthread.so"
#define HEAP_LIBRARY	"libfeathertrace-heap.so"

/* The Makefile sets this. */
#ifndef FT_LIBDIR
#define FT_LIBDIR "/usr/local/lib"
#endif

/* Searches as execvp() does. */
static bool find_command(const char *name, char *path, size_t len)
{
	const char *at = getenv("PATH");

	if (strchr(name, '/'))
		return (size_t)snprintf(path, len, "%s", name) < len;
	if (!at)
		at = "/bin:/usr/bin";
	while (*at) {
		size_t n = strcspn(at, ":");

		if (snprintf(path, len, "%.*s%s%s", (int)n, at, n ? "/" : "",
			     name) < (int)len && !access(path, X_OK))
			return true;
		at += n + (at[n] == ':');
	}
	return false;
}

/* Does executing it give privileges? Then the loader ignores LD_PRELOAD. */
static bool is_privileged(const char *path, const struct stat *st)
{
	if ((st->st_mode & S_ISUID) && st->st_uid != geteuid())
		return true;
	if ((st->st_mode & S_ISGID) && st->st_gid != getegid())
		return true;
	return geteuid() && getxattr(path, "security.capability", NULL, 0) > 0;
}

static bool check_elf(struct run *run, const char *command, int fd)
{
	Elf64_Ehdr head;

	switch (run_elf_kind(fd, &head)) {
	case RUN_ELF_FOREIGN:
		warnx("'%s' is for another architecture (%s-bit, machine %u): it "
		      "runs, but cannot be traced", command,
		      head.e_ident[EI_CLASS] == ELFCLASS32 ? "32" : "64",
		      head.e_machine);
		return false;
	case RUN_ELF_STATIC:
		if (!run_preloads(run))
			break;
		warnx("'%s' is statically linked: nothing can be preloaded, its "
		      "%s not traced (those of programs that it starts "
		      "are)", command, run->locks ? "locks are" : "allocations are");
		run->command_told = true;
		break;
	case RUN_ELF_DYNAMIC:
		run->command_takes_none = !run_elf_calls(fd).locks;
		break;
	case RUN_ELF_NONE:	/* a script; its interpreter is traced */
		break;
	}
	return true;
}

/* Prints what prevents tracing. Return: false: the command cannot be traced at all. */
static bool check_command(struct run *run, const char *command)
{
	const char *slash = strrchr(command, '/');
	char path[PATH_MAX];
	bool ok = true;
	struct stat st;
	int fd;

	run->command_name = slash ? slash + 1 : command;
	if (!find_command(command, path, sizeof(path)) || stat(path, &st))
		return true;	/* it cannot be run: starting it prints an error */
	if (is_privileged(path, &st)) {
		warnx("'%s' is set-uid, or gets privileges from its file: it "
		      "runs, but cannot be traced; to trace it, run ft with "
		      "these privileges", command);
		return false;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;	/* it may be executable without being readable */
	ok = check_elf(run, command, fd);
	close(fd);
	return ok;
}

static bool find_library(const char *library, char *path, size_t len)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	self[n < 0 ? 0 : n] = '\0';
	slash = strrchr(self, '/');
	if (slash) {
		*slash = '\0';
		/* beside ft: in the build directory; then where it is installed */
		if (snprintf(path, len, "%s/%s", self, library) < (int)len &&
		    !access(path, R_OK))
			return true;
		if (snprintf(path, len, "%s/../lib/%s", self, library) < (int)len &&
		    !access(path, R_OK))
			return true;
	}
	if (snprintf(path, len, "%s/%s", FT_LIBDIR, library) < (int)len &&
	    !access(path, R_OK))
		return true;
	warnx("cannot find %s beside ft, or in " FT_LIBDIR ": is it "
	      "installed? (make install-tools)", library);
	return false;
}

/* In front of those that are there. */
static bool add_library(const char *name)
{
	const char *others = getenv("LD_PRELOAD");
	char library[PATH_MAX], *value;
	int n;

	if (!find_library(name, library, sizeof(library)))
		return false;
	/* the loader separates names by these */
	if (strpbrk(library, " :")) {
		warnx("'%s' cannot be preloaded: the loader takes no path with a space "
		      "or a colon; install ft elsewhere", library);
		return false;
	}
	n = others && *others ? asprintf(&value, "%s:%s", library, others) :
				asprintf(&value, "%s", library);
	if (n < 0)
		return false;
	setenv("LD_PRELOAD", value, 1);
	free(value);
	return true;
}

/*
 * gcc's AddressSanitizer insists on being the first library, so that no other library
 * interposes its functions. The preloaded libraries interpose none of them, or call them: its
 * malloc() is the one that is found behind that of the heap's library.
 */
static bool allow_sanitizer(void)
{
	const char *others = getenv("ASAN_OPTIONS");
	char *value;

	if (asprintf(&value, "%s%sverify_asan_link_order=0", others ? others : "",
		     others && *others ? ":" : "") < 0)
		return false;
	setenv("ASAN_OPTIONS", value, 1);
	free(value);
	return true;
}

bool run_command_prepare(struct run *run, const char *command)
{
	if (!check_command(run, command)) {
		run->command_told = true;
		return true;
	}
	if (run_preloads(run) && (!add_library(LIBRARY) || !allow_sanitizer()))
		return false;
	if (run->heap && !add_library(HEAP_LIBRARY))
		return false;
	setenv(FT_SESSION_ENV, run->name, 1);
	run_left_begin(run);
	return true;
}
