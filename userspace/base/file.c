// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Files read and written to their end, and whether all was written. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"

int write_full(int fd, const void *buf, size_t len, size_t *done)
{
	const char *p = buf;
	size_t written = 0;
	int ret = 0;

	while (written < len) {
		ssize_t n = write(fd, p + written, len - written);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			/* 0 for a regular file means no room, without errno */
			ret = n ? -errno : -ENOSPC;
			break;
		}
		written += n;
	}
	if (done)
		*done = written;
	return ret;
}

int open_regular(const char *path, uint64_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		warn("cannot open %s", path);
	} else if (!S_ISREG(st.st_mode)) {
		warnx("%s is not a regular file", path);
	} else {
		*size = (uint64_t)st.st_size;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

int open_if_regular(const char *path)
{
	struct stat st;
	char self[32];
	int fd = open(path, O_PATH | O_CLOEXEC), file = -1;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
		snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
		/* a lease on it would make us wait, too */
		file = open(self, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	}
	close(fd);
	return file;
}

ssize_t read_file_full(int fd, char **text)
{
	size_t size = 64 * 1024, used = 0;
	char *buf = NULL;

	for (;;) {
		char *grown = mem_try_resize(buf, size + 1, 1);
		ssize_t n;

		if (!grown) {
			mem_free(buf);
			return -ENOMEM;
		}
		buf = grown;
		while (used < size) {
			n = read(fd, buf + used, size - used);
			if (n < 0 && errno == EINTR)
				continue;
			if (n < 0) {
				n = -errno;
				mem_free(buf);
				return n;
			}
			if (!n) {
				buf[used] = '\0';
				*text = buf;
				return used;
			}
			used += n;
		}
		size *= 2;
	}
}

ssize_t read_path(const char *path, char **text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t len;

	if (fd < 0)
		return -errno;
	/* a FIFO without a writer is empty; of one with a writer, reading waits */
	fcntl(fd, F_SETFL, 0);
	len = read_file_full(fd, text);
	close(fd);
	if (len == -ENOMEM)
		mem_none();
	return len;
}

ssize_t read_full_at(int fd, void *buf, size_t len, uint64_t at)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, (char *)buf + done, len - done, (off_t)(at + done));

		if (!n)
			break;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

int flush_output(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	warn("cannot write the output");
	return FT_EXIT_ERROR;
}

int output_finish(FILE *f, int error, int status)
{
	if (fflush(f) && !error)
		error = errno;
	if (!error || error == EPIPE)
		return status;
	errno = error;
	warn("cannot write the output");
	return FT_EXIT_ERROR;
}

int close_output(FILE *f, const char *path)
{
	bool failed = ferror(f);

	/* errno of an earlier failure is lost */
	if (!fclose(f) && !failed)
		return 0;
	if (failed)
		warnx("'%s' could not be written whole: is there room?", path);
	else
		warn("'%s' could not be written whole", path);
	return -1;
}
