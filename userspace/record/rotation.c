// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* --rotate and --keep: see rotation.h. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/usage.h"
#include "record/rotation.h"
#include "trace/parts.h"
#include "trace/session_file.h"

/* Smaller parts are not worth their overhead. */
#define LEAST_BYTES	(1u << 20)
#define LEAST_SECONDS	1.0

/* --to: parts of a full spool, and how old a part gets at most. */
#define SPOOL_PARTS	8
#define SENT_SECONDS	10.0

/* Options. */

/* "10s", "5min", "1h". Return: 0, or -1 where it is no time. */
static int parse_time(const char *text, double *seconds)
{
	static const struct {
		const char	*unit;
		double		seconds;
	} units[] = { { "min", 60 }, { "s", 1 }, { "h", 3600 } };
	size_t len = strlen(text), i;
	int ret = -1;

	for (i = 0; ret && i < ARRAY_SIZE(units); i++) {
		size_t unit = strlen(units[i].unit);
		char *number;

		if (len <= unit || strcmp(text + len - unit, units[i].unit))
			continue;
		number = mem_format("%.*s", (int)(len - unit), text);
		ret = parse_seconds(number, seconds);
		mem_free(number);
		*seconds *= units[i].seconds;
	}
	return ret;
}

static int take(void *to, const struct option_given *given)
{
	const char *text = given->value;
	struct rotation *r = to;
	uint64_t number, bytes;

	r->bytes = 0;
	r->seconds = 0;
	if (!parse_u64(text, &number))
		return option_error(given, "needs a unit: '%s': 100M, 2G, 30s, 5min, 1h", text);
	if (!parse_count(text, &bytes)) {
		r->bytes = bytes;
		if (bytes >= LEAST_BYTES)
			return -1;
		return option_error(given, "must be 1M at least, not '%s'", text);
	}
	if (!parse_time(text, &r->seconds)) {
		if (r->seconds >= LEAST_SECONDS)
			return -1;
		return option_error(given, "must be 1s at least, not '%s'", text);
	}
	return option_error(given, "is neither a size nor a time: '%s': 100M, 2G, 30s, 5min, 1h",
			    text);
}

static int take_keep(void *to, const struct option_given *given)
{
	struct rotation *r = to;

	if (!parse_u64(given->value, &r->keep) && r->keep)
		return -1;
	return option_error(given, "is not a number of traces: '%s'", given->value);
}

const struct option_row rotation_options[] = {
	{ 0, "rotate", "SIZE|TIME", "begin a new trace each time one reaches this size (100M, 2G) "
	  "or age (30s, 5min, 1h): DIR/000001, DIR/000002, ...; 'ft report DIR' reads them as one",
	  OPTION_CALL_ALL(take) },
	{ 0, "keep", "N", "with --rotate: keep the last N complete traces, and remove older ones",
	  OPTION_CALL_ALL(take_keep) },
	OPTION_GROUP(struct rotation, forward, forward_options),
	{ }
};

/* Parts are an eighth of the spool, and not too old: two of them may be under way at a time. */
static int check_forward(struct rotation *r, const char *command, const char **path,
			 const char *usual)
{
	uint64_t room, most;
	int ret = forward_check(&r->forward, command, &room);

	if (ret >= 0 || !forward_wanted(&r->forward))
		return ret;
	most = room / SPOOL_PARTS;
	if (r->keep)
		return usage_error(command, "--keep and --to exclude each other: --spool bounds what "
				   "is kept here");
	if (r->bytes > most)
		return usage_error(command, "--rotate must be an eighth of --spool at most");
	r->spool = room - 2 * most;
	if (!r->bytes)
		r->bytes = most;
	if (!(r->seconds > 0))
		r->seconds = SENT_SECONDS;
	if (*path == usual)
		*path = forward_place(&r->forward, usual);
	return -1;
}

int rotation_check(struct rotation *r, const char *command, const char **path,
		   const char *usual, bool flight)
{
	int ret = check_forward(r, command, path, usual);

	if (ret >= 0)
		return ret;
	if (!rotation_wanted(r))
		return r->keep ? usage_error(command, "--keep needs --rotate") : -1;
	if (flight)
		return usage_error(command, "--rotate (or --to) and --flight exclude each other; "
				   "--rotate with --keep N needs bounded room, too");
	if (!strcmp(*path, "-"))
		return usage_error(command, "--rotate needs a directory: -o DIR, not '-'");
	return -1;
}

/* The list. */

static const char list_head[] = "part\tstate\tstart\tseconds\trecords\tlost\tbytes\n";

static void put_line(char *line, size_t len, const struct record_part *part,
		     const struct record_part_books *books, const char *state)
{
	char name[PART_NAME_LEN], start[40];
	struct tm tm;

	localtime_r(&part->start, &tm);
	strftime(start, sizeof(start), "%Y-%m-%dT%H:%M:%S%z", &tm);
	snprintf(line, len, "%s\t%s\t%s\t%.3f\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
		 part_name(name, part->number), state, start, part->seconds,
		 books->records, books->lost, books->bytes);
}

bool rotation_list(const struct rotation *r, const struct record_part *writing)
{
	const struct record_part_books none = { 0 };
	char line[sizeof(r->whole->line)];
	char *text = NULL;
	size_t len, i;
	FILE *f = open_memstream(&text, &len);
	bool ok;

	if (f) {
		fputs(list_head, f);
		for (i = 0; i < r->n; i++)
			fputs(r->whole[i].line, f);
		if (writing) {
			put_line(line, sizeof(line), writing, &none, "writing");
			fputs(line, f);
		}
	}
	if (!f || fclose(f)) {
		warn("no memory for the list of parts");
		free(text);
		return false;
	}
	ok = record_dir_replace(&r->all, SESSION_PARTS, text, len);
	free(text);
	return ok;
}

/* First out of the list, then off the disk. */
static bool drop_oldest(struct rotation *r, const struct record_part *writing)
{
	size_t many = r->keep && writing && r->n > r->keep ? r->n - r->keep : 0, i;
	unsigned int first = many ? r->whole[0].number : 0;
	char name[PART_NAME_LEN];

	r->n -= many;
	memmove(r->whole, r->whole + many, r->n * sizeof(*r->whole));
	if (!rotation_list(r, writing))
		return false;
	for (i = 0; i < many; i++)
		record_dir_remove_part(&r->all, part_name(name, first + (unsigned int)i));
	return true;
}

bool rotation_add_whole(struct rotation *r, const struct record_part *part,
			const struct record_part_books *books,
			const struct record_part *writing)
{
	/* the last one is not complete yet: rotation_deliver() */
	if (forward_wanted(&r->forward))
		return (!writing || forward_part(&r->forward, part->number)) &&
		       rotation_list(r, writing);
	r->whole = mem_resize(r->whole, r->n + 1, sizeof(*r->whole));
	r->whole[r->n].number = part->number;
	put_line(r->whole[r->n].line, sizeof(r->whole->line), part, books, "whole");
	r->n++;
	return drop_oldest(r, writing);
}

/* Parts. */

struct record_dir *rotation_dir(struct rotation *r, struct record_part *part)
{
	if (!rotation_wanted(r))
		return &part->dir;
	r->all.numbered = true;
	return &r->all;
}

bool rotation_open_part(struct rotation *r, struct record_part *part, unsigned int number)
{
	char name[PART_NAME_LEN], *path;

	*part = (struct record_part)RECORD_PART_INIT;
	part->number = number;
	part->dir.compress = r->all.compress;
	path = mem_format("%s/%s", r->all.path, part_name(name, number));
	if (record_dir_open_part(&part->dir, path, false))
		return true;
	mem_free(path);
	return false;
}

/* With its path, which rotation_open_part() has made. */
void rotation_close_part(struct record_part *part, bool discard)
{
	char *path = (char *)part->dir.path;

	record_part_close(part, discard);
	part->dir.path = NULL;
	mem_free(path);
}

bool rotation_begin(struct rotation *r)
{
	uint64_t id;

	if (getrandom(&id, sizeof(id), 0) != sizeof(id)) {
		warn("no random number for the recording");
		return false;
	}
	snprintf(r->recording, sizeof(r->recording), "%016" PRIx64, id);
	if (!record_dir_clear(&r->all))
		return false;
	if (mkdirat(r->all.fd, SESSION_DIR, 0750) && errno != EEXIST) {
		warn("cannot make the directory %s/" SESSION_DIR, r->all.path);
		return false;
	}
	return !forward_wanted(&r->forward) ||
	       forward_start(&r->forward, r->all.path, r->spool);
}

void rotation_began(struct rotation *r, double now)
{
	/* at even distances, unless one is already missed */
	r->next = r->next + r->seconds > now ? r->next + r->seconds : now + r->seconds;
}

bool rotation_is_old(const struct rotation *r)
{
	return r->seconds > 0 && monotonic_now() >= r->next;
}

/* What facts and lists of parts say. */

void rotation_put(FILE *f, const struct rotation *r, const struct record_part *part)
{
	if (!rotation_wanted(r))
		return;
	session_put(f, "recording", "%s", r->recording);
	session_put(f, "part", "%u", part->number);
}

void rotation_summary(const struct rotation *r, unsigned int all)
{
	if (!rotation_wanted(r) || forward_wanted(&r->forward))
		return;
	if (r->n < all)
		warnx("in %u parts, of which the last %zu are kept; a list: %s/" SESSION_PARTS,
		      all, r->n, r->all.path);
	else
		warnx("in %u part%s; a list: %s/" SESSION_PARTS, all, all == 1 ? "" : "s",
		      r->all.path);
}

bool rotation_deliver(struct rotation *r, const struct record_part *last)
{
	unsigned int *left = NULL;
	bool ok;

	if (!forward_wanted(&r->forward))
		return true;
	ok = forward_part(&r->forward, last->number);
	ok = forward_end(&r->forward) && ok;
	/* nothing is left there but an empty list, even where some were dropped */
	if (ok || !parts_numbers(r->all.path, &left))
		record_dir_discard(&r->all);
	mem_free(left);
	return ok;
}

void rotation_free(struct rotation *r, bool discard)
{
	if (!rotation_wanted(r))
		return;
	forward_end(&r->forward);
	mem_free(r->whole);
	if (r->all.fd >= 0 && discard)
		record_dir_discard(&r->all);
	record_dir_close(&r->all);
}
