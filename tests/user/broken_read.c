// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A library to be preloaded: the file whose path ends with $BROKEN_READ cannot be read behind its
 * beginning, as where a disk has gone bad.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_broken(int fd)
{
	const char *end = getenv("BROKEN_READ");
	char link[32], path[PATH_MAX];
	ssize_t len;

	if (!end || lseek(fd, 0, SEEK_CUR) <= 0)
		return 0;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path));
	return len > (ssize_t)strlen(end) && !memcmp(path + len - strlen(end), end, strlen(end));
}

ssize_t read(int fd, void *buf, size_t n)
{
	if (!is_broken(fd))
		return syscall(SYS_read, fd, buf, n);
	errno = EIO;
	return -1;
}
