// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Parts that wait to be sent: see spool.h. */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/number.h"
#include "send/spool.h"
#include "trace/parts.h"
#include "trace/session_file.h"

void spool_init(struct spool *s)
{
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->news, NULL);
}

char *spool_part_path(const struct spool *s, unsigned int number)
{
	char name[PART_NAME_LEN];

	return mem_format("%s/%s", s->dir.path, part_name(name, number));
}

/* 0: it does not say */
static uint64_t number_of(const char *path, const char *key)
{
	char text[24];
	uint64_t n = 0;

	if (!session_get(path, key, text, sizeof(text)))
		parse_u64(text, &n);
	return n;
}

/* A file that parts share counts once in all of them together. */
static uint64_t bytes_in(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	uint64_t bytes = 0;
	struct stat st;

	while (d && (e = readdir(d))) {
		if (!fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode))
			bytes += (uint64_t)st.st_size / st.st_nlink;
	}
	if (d)
		closedir(d);
	return bytes;
}

/* --- dropping --------------------------------------------------------------- */

/* Cuts off its lines on what is missing in front of it, which are always the last. */
static void cut_dropped(char *text)
{
	char *at = strstr(text, "\ndropped_parts\t");

	if (at)
		at[1] = '\0';
}

/*
 * Adds the part @gone, and what that lacks, to what @next lacks in front of it. @next may
 * lack some already: those dropped after one that was being sent. @gone may be unreadable.
 */
static bool tell_next(const struct spool *s, const struct spool_part *gone,
		      struct spool_part *next)
{
	uint64_t parts = gone->dropped_parts + next->dropped_parts + 1;
	uint64_t records = gone->dropped_records + next->dropped_records + gone->records;
	char *to = spool_part_path(s, next->number);
	char *path = mem_format("%s/" SESSION_FILE, to), *text = NULL, *more;
	ssize_t len = read_path(path, &text);
	struct record_dir dir = { .path = to, .fd = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	bool ok = false;

	if (len >= 0 && dir.fd >= 0) {
		cut_dropped(text);
		more = mem_format("%sdropped_parts\t%" PRIu64 "\ndropped_records\t%" PRIu64 "\n",
				  text, parts, records);
		ok = record_dir_replace(&dir, SESSION_FILE, more, strlen(more));
		mem_free(more);
	} else {
		warnx("cannot read %s", path);
	}
	if (ok) {
		next->dropped_parts = parts;
		next->dropped_records = records;
	}
	record_dir_close(&dir);
	mem_free(text);
	mem_free(path);
	mem_free(to);
	return ok;
}

static void forget(struct spool *s, size_t i)
{
	s->bytes -= s->part[i].bytes;
	s->n--;
	memmove(s->part + i, s->part + i + 1, (s->n - i) * sizeof(*s->part));
}

/*
 * Not the one that is being sent, or that may have arrived: its records would count as lost,
 * too. And not the latest: the next one has its facts from there.
 */
static bool drop(struct spool *s, size_t i)
{
	char name[PART_NAME_LEN];

	if (i + 1 >= s->n)
		return false;
	if (!tell_next(s, &s->part[i], &s->part[i + 1]))
		return false;
	record_dir_remove_part(&s->dir, part_name(name, s->part[i].number));
	s->dropped++;
	s->dropped_records += s->part[i].records;
	forget(s, i);
	return true;
}

static bool drop_oldest(struct spool *s)
{
	size_t i = s->n && (s->part[0].taken || s->part[0].perhaps) ? 1 : 0;

	/* if the next part cannot record the loss, drop that one first */
	while (!drop(s, i)) {
		if (++i >= s->n)
			return false;
	}
	if (!s->full)
		warnx("the spool is full: the oldest parts are dropped before they are sent");
	s->full = true;
	return true;
}

/*
 * So that it does not hold up the parts behind it. The latest part waits for the next one, which
 * records the loss; at the end it stays where it is.
 */
static void give_up(struct spool *s)
{
	unsigned int number = s->part[0].number;

	if (s->drop && drop(s, 0)) {
		warnx("part %u can never be sent: it is dropped", number);
	} else if (!s->drop || s->complete) {
		warnx("part %u can never be sent: it stays here", number);
		s->left++;
		forget(s, 0);
	}
}

/* --- parts ------------------------------------------------------------------ */

static void remove_kept(struct spool *s)
{
	char name[PART_NAME_LEN];

	if (s->keeps)
		record_dir_remove_part(&s->dir, part_name(name, s->keeps));
	s->keeps = 0;
}

bool spool_add(struct spool *s, unsigned int number)
{
	char *path = spool_part_path(s, number), *info = mem_format("%s/" SESSION_DIR, path);
	struct spool_part part = {
		.number = number,
		.bytes = bytes_in(path) + bytes_in(info),
		.records = number_of(path, "records") + number_of(path, "lost") +
			   number_of(path, "unwritten"),
		.dropped_parts = number_of(path, "dropped_parts"),
		.dropped_records = number_of(path, "dropped_records"),
	};
	char end[16];
	bool ok = session_get(path, "ended", end, sizeof(end)) != -ENOENT;

	if (ok) {
		pthread_mutex_lock(&s->lock);
		s->part = mem_resize(s->part, s->n + 1, sizeof(*s->part));
		s->part[s->n++] = part;
		s->bytes += part.bytes;
		remove_kept(s);
		while (s->limit && s->bytes > s->limit && drop_oldest(s))
			;
		pthread_cond_signal(&s->news);
		pthread_mutex_unlock(&s->lock);
	} else {
		warnx("%s is not complete: see ft-fix(1)", path);
	}
	mem_free(info);
	mem_free(path);
	return ok;
}

void spool_complete(struct spool *s)
{
	pthread_mutex_lock(&s->lock);
	s->complete = true;
	if (!s->n)
		remove_kept(s);
	pthread_cond_signal(&s->news);
	pthread_mutex_unlock(&s->lock);
}

unsigned int spool_take(struct spool *s)
{
	unsigned int number = 0;

	pthread_mutex_lock(&s->lock);
	while (!s->n && !s->complete)
		pthread_cond_wait(&s->news, &s->lock);
	if (s->n) {
		s->part[0].taken = true;
		number = s->part[0].number;
	}
	pthread_mutex_unlock(&s->lock);
	return number;
}

bool spool_is_empty(struct spool *s)
{
	bool empty;

	pthread_mutex_lock(&s->lock);
	empty = !s->n;
	pthread_mutex_unlock(&s->lock);
	return empty;
}

unsigned int spool_sent(struct spool *s)
{
	unsigned int sent;

	pthread_mutex_lock(&s->lock);
	sent = s->sent;
	pthread_mutex_unlock(&s->lock);
	return sent;
}

void spool_keep(struct spool *s)
{
	pthread_mutex_lock(&s->lock);
	s->part[0].perhaps = true;
	pthread_mutex_unlock(&s->lock);
}

void spool_refused(struct spool *s)
{
	pthread_mutex_lock(&s->lock);
	s->part[0].refused++;
	s->part[0].perhaps = false;
	pthread_mutex_unlock(&s->lock);
}

void spool_lacks(struct spool *s)
{
	pthread_mutex_lock(&s->lock);
	s->part[0].lacks = true;
	s->lacking++;
	pthread_mutex_unlock(&s->lock);
}

void spool_done(struct spool *s, bool sent)
{
	char name[PART_NAME_LEN];

	pthread_mutex_lock(&s->lock);
	s->part[0].taken = false;
	if (sent) {
		s->sent++;
		s->sent_bytes += s->part[0].bytes;
		if (s->remove && s->last_stays && !s->complete && s->n == 1)
			s->keeps = s->part[0].number;
		else if (s->remove && (s->drop || !s->part[0].lacks))
			record_dir_remove_part(&s->dir, part_name(name, s->part[0].number));
		forget(s, 0);
	} else if (s->part[0].refused > 1) {
		give_up(s);
	}
	if (s->complete && !s->n)
		remove_kept(s);
	pthread_mutex_unlock(&s->lock);
}
