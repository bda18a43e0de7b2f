/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Small things that every subcommand needs: numbers, arguments, writing.
 */
#ifndef FT_BASE_UTIL_H
#define FT_BASE_UTIL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Room for a UUID as text: 8-4-4-4-12 and the terminator. */
#define UUID_LEN	37

/*
 * The whole string must be a number: no sign, no blanks, nothing after it.
 * Return: 0, or -EINVAL, or -ERANGE.
 */
int parse_u64(const char *s, uint64_t *value);		/* decimal or 0x hex */
int parse_count(const char *s, uint64_t *value);	/* 4096, 64k, 1M, 1G */
int parse_seconds(const char *s, double *value);	/* positive, 1.5 */

/** uuid_format - the usual text form of 16 bytes */
void uuid_format(char text[UUID_LEN], const uint8_t uuid[16]);

/** format_size - "96 bytes", "4.0 MiB"; @buf should hold 32 bytes */
const char *format_size(char *buf, size_t len, uint64_t bytes);

/** monotonic_now - CLOCK_MONOTONIC in seconds */
double monotonic_now(void);

/**
 * write_full - write() until all is written
 * @done: how many bytes went out, also on failure; may be NULL
 *
 * Return: 0 or -errno.
 */
int write_full(int fd, const void *buf, size_t len, size_t *done);

/**
 * read_file_full - read until end of file into memory
 *
 * For files of /proc and /dev, whose size is not known before. Return: length,
 * or -errno; @text is terminated and the caller's to free.
 */
ssize_t read_file_full(int fd, char **text);

/**
 * nearest - the name in @names that looks most like @name
 *
 * Return: NULL where nothing is near enough to be meant.
 */
const char *nearest(const char *name, const char *const *names, size_t n);

/** flush_output - FT_EXIT_ERROR with a message if stdout could not be written */
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
 * A reader that has seen enough (head, a pager) is no error: the lines that it
 * took were right. For this, SIGPIPE must be ignored.
 */
int output_finish(FILE *f, int error, int status);

/**
 * usage_bad_option - what to say and return when getopt_long() gave '?' or ':'
 *
 * For option strings that begin with ':' (after '+'), so that getopt itself is
 * silent. Return: FT_EXIT_USAGE.
 */
int usage_bad_option(int c, char **argv);

/** usage_error - say it, point to --help. Return: FT_EXIT_USAGE. */
__attribute__((format(printf, 2, 3)))
int usage_error(const char *command, const char *fmt, ...);

#endif /* FT_BASE_UTIL_H */
