// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Numbers, arguments, writing. */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/util.h"

int parse_u64(const char *s, uint64_t *value)
{
	int base = s[0] == '0' && (s[1] == 'x' || s[1] == 'X') ? 16 : 10;
	const char *digits = base == 16 ? s + 2 : s;
	char *end;

	/* strtoull() itself would take blanks, signs and a bare "0x" */
	if (!isxdigit((unsigned char)digits[0]))
		return -EINVAL;
	errno = 0;
	*value = strtoull(digits, &end, base);
	if (*end)
		return -EINVAL;
	return -errno;
}

int parse_count(const char *s, uint64_t *value)
{
	size_t len = strlen(s);
	unsigned int shift = 0;
	char digits[32];
	int ret;

	if (!len || len >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, s, len + 1);
	switch (s[len - 1]) {
	case 'k':
	case 'K':
		shift = 10;
		break;
	case 'm':
	case 'M':
		shift = 20;
		break;
	case 'g':
	case 'G':
		shift = 30;
		break;
	}
	if (shift)
		digits[len - 1] = '\0';
	ret = parse_u64(digits, value);
	if (ret)
		return ret;
	if (*value > UINT64_MAX >> shift)
		return -ERANGE;
	*value <<= shift;
	return 0;
}

int parse_seconds(const char *s, double *value)
{
	char *end;

	if (!isdigit((unsigned char)s[0]) && s[0] != '.')
		return -EINVAL;
	errno = 0;
	*value = strtod(s, &end);
	if (*end || end == s || !isfinite(*value) || *value <= 0)
		return -EINVAL;
	return -errno;
}

void uuid_format(char text[UUID_LEN], const uint8_t uuid[16])
{
	static const char hex[] = "0123456789abcdef";
	char *p = text;

	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*p++ = '-';
		*p++ = hex[uuid[i] >> 4];
		*p++ = hex[uuid[i] & 15];
	}
	*p = '\0';
}

const char *format_size(char *buf, size_t len, uint64_t bytes)
{
	static const char *const unit[] = { "KiB", "MiB", "GiB", "TiB" };
	double value = bytes / 1024.0;
	size_t i = 0;

	if (bytes < 1024) {
		snprintf(buf, len, "%u bytes", (unsigned int)bytes);
		return buf;
	}
	for (; value >= 1024 && i + 1 < ARRAY_SIZE(unit); i++)
		value /= 1024;
	snprintf(buf, len, "%.1f %s", value, unit[i]);
	return buf;
}

double monotonic_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

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

ssize_t read_file_full(int fd, char **text)
{
	size_t size = 64 * 1024, used = 0;
	char *buf = NULL;

	for (;;) {
		char *grown = realloc(buf, size + 1);
		ssize_t n;

		if (!grown) {
			free(buf);
			return -ENOMEM;
		}
		buf = grown;
		while (used < size) {
			n = read(fd, buf + used, size - used);
			if (n < 0 && errno == EINTR)
				continue;
			if (n < 0) {
				n = -errno;
				free(buf);
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

/* Edits (insert, delete, replace) that make @b out of @a. Names are short. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), row[128];

	if (la >= ARRAY_SIZE(row) || lb >= ARRAY_SIZE(row))
		return SIZE_MAX;
	for (size_t j = 0; j <= lb; j++)
		row[j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[lb];
}

const char *nearest(const char *name, const char *const *names, size_t n)
{
	size_t len = strlen(name), best = SIZE_MAX;
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		size_t d = edit_distance(name, names[i]);

		/* an abbreviation is meant, however much is missing */
		if (len >= 2 && !strncmp(name, names[i], len))
			d = 0;
		if (d < best) {
			best = d;
			found = names[i];
		}
	}
	return best <= 1 + len / 3 ? found : NULL;
}

int usage_error(const char *command, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vwarnx(fmt, ap);
	va_end(ap);
	fprintf(stderr, "See: ft %s --help\n", command);
	return FT_EXIT_USAGE;
}

int close_output(FILE *f, const char *path)
{
	bool failed = ferror(f);

	/* the reason of an earlier failure is not known any more */
	if (!fclose(f) && !failed)
		return 0;
	if (failed)
		warnx("'%s' could not be written whole: is there room?", path);
	else
		warn("'%s' could not be written whole", path);
	return -1;
}

int usage_bad_option(int c, char **argv)
{
	const char *text = argv[optind - 1];
	char letter[3] = { '-', (char)optopt, '\0' };

	/*
	 * A long option is the whole argument; a short one may stand in a
	 * cluster (-xyz), where only its letter is to blame. getopt() sets
	 * optopt for a bad short option and for a long one without its value.
	 */
	if (optind > 1 && strncmp(text, "--", 2))
		text = letter;
	if (c == ':')
		return usage_error(argv[0], "option '%s' needs a value", text);
	return usage_error(argv[0], "unknown option '%s'", text);
}
