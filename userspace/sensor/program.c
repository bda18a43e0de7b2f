// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The sensors of programs: see program.h. They are a file in memory, which has no name but
 * that of the descriptor of the ft run that has made it. So nothing has to be removed, and
 * what has ended is not found.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "base/number.h"
#include "libfeathertrace/sensors.h"
#include "libfeathertrace/sensors_init.h"
#include "sensor/program.h"

/* As /proc shows it. */
#define LINK	"/memfd:" FT_SENSED_MEMORY

static bool is_link(const char *path)
{
	char to[64];
	ssize_t n = readlink(path, to, sizeof(to) - 1);

	to[n < 0 ? 0 : n] = '\0';
	return !strncmp(to, LINK, strlen(LINK));
}

static bool is_file(const char *path, const struct stat *file)
{
	struct stat st;

	return !stat(path, &st) && st.st_dev == file->st_dev && st.st_ino == file->st_ino;
}

/*
 * Anybody may give a file this name. To read what is no longer there ends a process, and to read
 * a hole of a file in memory takes memory: so it must be one that nobody can make smaller, has
 * ordinary pages, and is not larger than that of an ft run.
 */
static bool is_harmless(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct statfs fs;
	struct stat file;

	return seals >= 0 && (seals & F_SEAL_SHRINK) && !fstatfs(fd, &fs) &&
	       fs.f_type == TMPFS_MAGIC && !fstat(fd, &file) &&
	       (uint64_t)file.st_size <= ft_sensed_size();
}

static int open_harmless(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0 || is_harmless(fd))
		return fd;
	close(fd);
	errno = ESRCH;
	return -1;
}

/*
 * Return: the sensors that the process has made, or of these @only the file; -1, with errno:
 * ESRCH: it has none.
 */
static int open_of(pid_t pid, const struct stat *only)
{
	const struct dirent *entry;
	char path[64 + sizeof(entry->d_name)];
	int fd = -1, error = ESRCH;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	if (!dir)
		return -1;
	while (fd < 0 && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%s", pid, entry->d_name);
		if (!is_link(path) || (only && !is_file(path, only)))
			continue;
		fd = open_harmless(path);
		error = errno;
	}
	closedir(dir);
	errno = error;
	return fd;
}

static int open_only(pid_t *whose)
{
	const struct dirent *entry;
	DIR *proc = opendir("/proc");
	int fd = -1, other;
	pid_t found = 0;

	while (proc && (entry = readdir(proc))) {
		pid_t pid = atoi(entry->d_name);

		other = pid > 0 && pid != getpid() ? open_of(pid, NULL) : -1;
		if (other < 0)
			continue;
		if (found) {
			warnx("programs of several ft run have sensors: say --program %d or "
			      "--program %d", found, pid);
			close(other);
			close(fd);
			fd = -1;
			break;
		}
		found = pid;
		fd = other;
	}
	if (proc)
		closedir(proc);
	if (!found)
		warnx("no program that you may look at has sensors; to give it some: "
		      "ft run --sensors -- PROGRAM");
	*whose = found;
	return fd;
}

int sensor_program_open(pid_t pid, pid_t *whose)
{
	pid_t found;
	int fd;

	whose = whose ?: &found;
	*whose = pid;
	if (!pid)
		return open_only(whose);
	fd = open_of(pid, NULL);
	if (fd >= 0)
		return fd;
	if (errno == ESRCH || errno == ENOENT)
		warnx("process %d is not an ft run --sensors", pid);
	else
		warn("the sensors of process %d", pid);
	return -1;
}

bool sensor_program_has(pid_t whose, int fd)
{
	struct stat st;
	int other = fstat(fd, &st) ? -1 : open_of(whose, &st);

	if (other >= 0)
		close(other);
	return other >= 0;
}

struct symbols *sensor_program_symbols(int fd)
{
	char path[sizeof(((struct ft_sensed *)0)->names)];
	ssize_t n = pread(fd, path, sizeof(path), offsetof(struct ft_sensed, names));

	if (n != (ssize_t)sizeof(path) || path[0] != '/' || !memchr(path, '\0', sizeof(path)))
		return NULL;
	return symbols_open(path, NULL);
}

int sensor_program_take(void *to, const struct option_given *given)
{
	uint64_t pid;

	if (parse_u64(given->value, &pid) || pid > INT32_MAX)
		return option_error(given, "is not the number of a process: '%s'", given->value);
	*(pid_t *)to = (pid_t)pid;
	return -1;
}
