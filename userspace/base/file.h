/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Files read and written to their end, and whether all was written. */
#ifndef FT_BASE_FILE_H
#define FT_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/**
 * write_full - write() until all is written
 * @done: how many bytes went out, also on failure; may be NULL
 *
 * Return: 0 or -errno.
 */
int write_full(int fd, const void *buf, size_t len, size_t *done);

/**
 * open_regular - open a file to read, which must be a regular one
 * @size: its size
 *
 * Return: descriptor, or -1 with a message. A FIFO is not waited for.
 */
int open_regular(const char *path, uint64_t *size);

/**
 * open_if_regular - open a file to read, if it is a regular one
 *
 * For a path that anybody may have chosen: opening a device can have side effects, and
 * opening a FIFO can block for ever. Return: descriptor, or -1.
 */
int open_if_regular(const char *path);

/**
 * read_file_full - read a file to its end
 *
 * For files of /proc and /dev, whose size is unknown. Return: length,
 * or -errno; @text is terminated and the caller's to free (base/mem.h).
 */
ssize_t read_file_full(int fd, char **text);

/** read_path - the same by the file's path; without memory it does not return */
ssize_t read_path(const char *path, char **text);

/**
 * read_full_at - pread() until all is read, or the file ends
 *
 * Return: how many bytes there were, or -errno.
 */
ssize_t read_full_at(int fd, void *buf, size_t len, uint64_t at);

/** flush_output - @status; FT_EXIT_ERROR with a message if stdout cannot be written */
int flush_output(int status);

/**
 * close_output - close a file that was written, and see whether all of it was
 *
 * Return: 0, or -1 with a message that names @path.
 */
int close_output(FILE *f, const char *path);

/**
 * output_finish - the same for a long output, which may be a pipe
 * @f:		is flushed
 * @error:	errno of a write that failed before, or 0
 *
 * A reader that closes the pipe early (head, a pager) is no error. The caller must
 * ignore SIGPIPE.
 */
int output_finish(FILE *f, int error, int status);

#endif /* FT_BASE_FILE_H */
