// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What can be known of the command before it runs. What stands in the way
 * of tracing is told; the command runs all the same.
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

#include "../lib/notes.h"
#include "run.h"

#define LIBRARY	"libfeathertrace-pthread.so"

/* The Makefile knows better. */
#ifndef FT_LIBDIR
#define FT_LIBDIR "/usr/local/lib"
#endif

/* As execvp() finds it. */
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

/* Has it rights that we have not? Then the loader ignores what we ask of it. */
static bool is_privileged(const char *path, const struct stat *st)
{
	if ((st->st_mode & S_ISUID) && st->st_uid != geteuid())
		return true;
	if ((st->st_mode & S_ISGID) && st->st_gid != getegid())
		return true;
	return geteuid() && getxattr(path, "security.capability", NULL, 0) > 0;
}

/* Return: true if the file names a loader. */
static bool is_dynamic(int fd, const Elf64_Ehdr *head)
{
	Elf64_Phdr ph;

	for (unsigned int i = 0; i < head->e_phnum; i++) {
		off_t at = (off_t)(head->e_phoff + i * sizeof(ph));

		if (pread(fd, &ph, sizeof(ph), at) != sizeof(ph))
			return true;	/* odd: let the kernel judge */
		if (ph.p_type == PT_INTERP)
			return true;
	}
	return false;
}

static bool check_elf(const struct run *run, const char *command, int fd)
{
	Elf64_Ehdr head = { 0 };

	if (pread(fd, &head, sizeof(head), 0) < (ssize_t)sizeof(Elf32_Ehdr) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG))
		return true;	/* a script; its interpreter is traced */
	if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != FT_ELF_MACHINE) {
		warnx("'%s' is for another architecture (%s-bit, machine %u): it "
		      "runs, but cannot be traced", command,
		      head.e_ident[EI_CLASS] == ELFCLASS32 ? "32" : "64",
		      head.e_machine);
		return false;
	}
	if (run->locks && !is_dynamic(fd, &head))
		warnx("'%s' is statically linked: nothing can be preloaded, its "
		      "locks are not traced (those of programs that it starts "
		      "are)", command);
	return true;
}

/* Tells what stands in the way. Return: may it be traced? */
static bool check_command(const struct run *run, const char *command)
{
	char path[PATH_MAX];
	bool ok = true;
	struct stat st;
	int fd;

	if (!find_command(command, path, sizeof(path)) || stat(path, &st))
		return true;	/* it cannot be run: that will be told */
	if (is_privileged(path, &st)) {
		warnx("'%s' is set-uid, or gets rights from its file: it runs, "
		      "but cannot be traced; to trace it, run ft with these "
		      "rights", command);
		return false;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;	/* to be run, not to be read */
	ok = check_elf(run, command, fd);
	close(fd);
	return ok;
}

static bool find_library(char *path, size_t len)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	self[n < 0 ? 0 : n] = '\0';
	slash = strrchr(self, '/');
	if (slash) {
		*slash = '\0';
		/* where it was built; where it was installed */
		if (snprintf(path, len, "%s/" LIBRARY, self) < (int)len &&
		    !access(path, R_OK))
			return true;
		if (snprintf(path, len, "%s/../lib/" LIBRARY, self) < (int)len &&
		    !access(path, R_OK))
			return true;
	}
	if (snprintf(path, len, "%s/" LIBRARY, FT_LIBDIR) < (int)len &&
	    !access(path, R_OK))
		return true;
	warnx("cannot find " LIBRARY " beside ft, or in " FT_LIBDIR ": is it "
	      "installed? (make install)");
	return false;
}

static bool add_library(void)
{
	const char *others = getenv("LD_PRELOAD");
	char library[PATH_MAX], *value;
	int n;

	if (!find_library(library, sizeof(library)))
		return false;
	n = others && *others ? asprintf(&value, "%s:%s", library, others) :
				asprintf(&value, "%s", library);
	if (n < 0)
		return false;
	setenv("LD_PRELOAD", value, 1);
	free(value);
	return true;
}

/*
 * gcc's AddressSanitizer insists on being the first library, so that nobody takes the
 * functions that it stands in front of. Ours has none of these.
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

bool run_command_prepare(const struct run *run, const char *command)
{
	if (!check_command(run, command))
		return true;
	if (run->locks && (!add_library() || !allow_sanitizer()))
		return false;
	setenv(FT_SESSION_ENV, run->name, 1);
	return true;
}
