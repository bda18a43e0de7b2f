// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Mending a trace directory, into another one or in place.
 *
 * In place, each file is written anew beside the old one (in info/, where no CTF
 * reader looks), the old one gets a second name there, and then the new one takes
 * its place: at any moment there is one or the other.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"
#include "trace/repair.h"
#include "trace/session_file.h"
#include "trace/trace.h"

#define TEMPORARY	SESSION_DIR "/.fix"
#define MAX_BACKUPS	100

/* A new file: its last name, or one for the time being. */
static FILE *create(const struct fix_target *t, const char *name)
{
	FILE *f;
	int fd;

	if (t->in_place) {
		name = TEMPORARY;
		record_dir_unlink(&t->dir, name);
	}
	fd = record_dir_create(&t->dir, name);
	if (fd < 0)
		return NULL;
	f = fdopen(fd, "w");
	if (!f) {
		warn("cannot write %s/%s", t->dir.path, name);
		close(fd);
	}
	return f;
}

/* The old file gets another name, too. Return: 0, or -1 with a message */
static int back_up(const struct fix_target *t, const char *name)
{
	unsigned int i;
	char to[64];

	for (i = 0; i < MAX_BACKUPS; i++) {
		if (i)
			snprintf(to, sizeof(to), SESSION_DIR "/%s.orig.%u", name, i);
		else
			snprintf(to, sizeof(to), SESSION_DIR "/%s.orig", name);
		if (!linkat(t->dir.fd, name, t->dir.fd, to, 0) || errno == ENOENT)
			return 0;
		if (errno != EEXIST)
			break;
	}
	warn("cannot keep %s/%s as %s: nothing was changed", t->dir.path, name, to);
	return -1;
}

/* @f is closed. @changed: else, in place, the old file stays. Return: 0 or -1 */
static int commit(const struct fix_target *t, FILE *f, const char *name, bool changed)
{
	bool bad = fflush(f) || ferror(f) || fsync(fileno(f));

	if (bad)
		warn("cannot write %s/%s", t->dir.path, name);
	if (fclose(f) && !bad) {
		warn("cannot write %s/%s", t->dir.path, name);
		bad = true;
	}
	if (!t->in_place)
		return bad ? -1 : 0;
	if (!bad && changed) {
		bad = back_up(t, name);
		if (!bad && renameat(t->dir.fd, TEMPORARY, t->dir.fd, name)) {
			warn("cannot replace %s/%s", t->dir.path, name);
			bad = true;
		}
	}
	record_dir_unlink(&t->dir, TEMPORARY);
	return bad ? -1 : 0;
}

/* Streams. */

static void tell_stream(const struct fix_stream *s)
{
	char name[TRACE_NAME_LEN];

	printf("%s: %" PRIu64 " packets, %" PRIu64 " records saved, %" PRIu64
	       " lost%s\n", trace_stream_name(name, s->cpu), s->packets, s->saved, s->lost,
	       s->mended ? "" : ": whole");
}

static int mend_stream(struct fix *fix, const struct fix_target *t, unsigned int cpu)
{
	struct fix_stream s = { .fix = fix, .cpu = cpu,
				.class = fix_class(fix, cpu) };
	char name[TRACE_NAME_LEN], *path;
	int ret = -1;

	trace_stream_name(name, cpu);
	if (asprintf(&path, "%s/%s", fix->dir, name) < 0)
		path = mem_check(NULL);
	if (fix_open(&s.in, path))
		goto out_path;
	s.out = t->dry ? NULL : create(t, name);
	if (!t->dry && !s.out)
		goto out_input;
	ret = fix_stream(&s);
	if (!fix->counting)
		tell_stream(&s);
	if (s.out && commit(t, s.out, name, !ret && s.mended))
		ret = -1;
	fix->saved += s.saved;
	fix->lost += s.lost;
	fix->mended += s.mended;
out_input:
	fix_close(&s.in);
out_path:
	free(path);
	return ret;
}

/* The metadata. */

/* Events from an id on that records have, but the metadata has not. */
static unsigned int lacks_events(const struct fix *fix, uint32_t from)
{
	unsigned int class, n = 0;
	uint32_t id;

	for (class = 0; class < METADATA_CLASSES; class++) {
		for (id = from; id <= FT_ID_MAX; id++)
			n += fix->seen[class][id] &&
			     fix_event_known(fix, class, id) &&
			     !metadata_event(&fix->meta, class, id);
	}
	return n;
}

static void check_metadata(struct fix *fix)
{
	bool lacks = lacks_events(fix, 1);
	int i;

	for (i = 0; i < fix->n_cpus; i++)
		lacks |= !fix->meta.has_stream[fix_class(fix, fix->cpus[i])];
	fix->meta_whole &= !lacks;
}

static void tell_metadata(const struct fix *fix)
{
	const struct metadata *m = &fix->meta;
	unsigned int unknown;

	if (fix->meta_whole) {
		printf("metadata: whole\n");
		return;
	}
	unknown = lacks_events(fix, FT_ID_DYNAMIC);
	printf("metadata: made from the packets%s\n",
	       m->freq || metadata_any_event(m) ? " and what could be read of the old one" : "");
	if (!m->offset_s && !m->offset)
		printf("metadata: the time of day is not known: times begin with that of the clock\n");
	if (unknown)
		printf("metadata: the names of %u events are not known: they are called unknown_ID\n",
		       unknown);
}

static int mend_metadata(struct fix *fix, const struct fix_target *t)
{
	FILE *f;

	check_metadata(fix);
	tell_metadata(fix);
	fix->mended += !fix->meta_whole;
	if (t->dry || (t->in_place && fix->meta_whole))
		return 0;
	f = create(t, "metadata");
	if (!f)
		return -1;
	if (fix->meta_whole)
		fwrite(fix->meta_text, 1, fix->meta_len, f);
	else
		fix_meta_write(fix, f);
	return commit(t, f, "metadata", true);
}

/* The directory info. */

static void copy_file(const struct fix_target *t, const char *from, const char *name)
{
	struct stat st;
	int in, out;
	ssize_t n = -1;

	in = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (in < 0 || fstat(in, &st) || !S_ISREG(st.st_mode)) {
		if (in >= 0)
			close(in);
		return;		/* a directory, or gone: not part of a trace */
	}
	out = record_dir_create(&t->dir, name);
	if (out >= 0) {
		char buf[16384];

		while ((n = read(in, buf, sizeof(buf))) > 0) {
			if (write_full(out, buf, (size_t)n, NULL))
				break;
		}
		if (close(out) || n)
			warnx("cannot copy %s: the mended trace lacks a part of it",
			      from);
	}
	close(in);
}

static void copy_info(const struct fix *fix, const struct fix_target *t)
{
	struct dirent *entry;
	char *path, *from;
	DIR *entries;

	if (asprintf(&path, "%s/" SESSION_DIR, fix->dir) < 0)
		path = mem_check(NULL);
	entries = opendir(path);
	while (entries && (entry = readdir(entries))) {
		char name[sizeof(SESSION_DIR) + sizeof(entry->d_name)];

		if (entry->d_name[0] == '.')
			continue;
		if (asprintf(&from, "%s/%s", path, entry->d_name) < 0)
			from = mem_check(NULL);
		snprintf(name, sizeof(name), SESSION_DIR "/%s", entry->d_name);
		copy_file(t, from, name);
		free(from);
	}
	if (entries)
		closedir(entries);
	free(path);
}

/* The whole. */

static int open_target(struct fix_target *t, const struct fix *fix, const char *output)
{
	t->dir = (struct record_dir){ .path = fix->dir, .fd = -1 };
	if (t->dry)
		return 0;
	if (!t->in_place)
		return record_dir_open(&t->dir, output, false) &&
		       record_dir_clear(&t->dir) ? 0 : -1;
	t->dir.fd = open(fix->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t->dir.fd < 0 ||
	    (mkdirat(t->dir.fd, SESSION_DIR, 0750) && errno != EEXIST)) {
		warn("cannot write into %s", fix->dir);
		return -1;
	}
	return 0;
}

/* Which events there are, all told, is known only at the end. */
static int count_events(struct fix *fix)
{
	const struct fix_target dry = { .dry = true };
	int i, ret = 0;

	fix->counting = true;
	for (i = 0; i < fix->n_cpus && !ret; i++)
		ret = mend_stream(fix, &dry, fix->cpus[i]);
	fix->counting = false;
	fix->saved = fix->lost = fix->mended = 0;
	return ret;
}

static int mend_all(struct fix *fix, const struct fix_target *t)
{
	int i;

	if (count_events(fix))
		return -1;

	for (i = 0; i < fix->n_cpus; i++) {
		if (mend_stream(fix, t, fix->cpus[i]))
			return -1;
	}
	if (mend_metadata(fix, t))
		return -1;
	if (!t->dry && !t->in_place)
		copy_info(fix, t);
	return 0;
}

static void tell_all(const struct fix *fix, const struct fix_target *t)
{
	printf("%" PRIu64 " records saved, %" PRIu64 " lost", fix->saved, fix->lost);
	if (t->dry)
		printf("; nothing was written\n");
	else if (t->in_place && !fix->mended)
		printf("; nothing was to mend\n");
	else
		printf("; the mended trace is in %s\n", t->dir.path);
}

static int mend(struct fix *fix, struct fix_target *t, const char *output)
{
	int ret = FT_EXIT_ERROR;

	fix->n_cpus = trace_cpus(fix->dir, &fix->cpus);
	if (fix->n_cpus < 0)
		return ret;
	if (!fix->n_cpus) {
		warnx("%s: there is no file cpu0, cpu1, ... or thread0, ... with records in it",
		      fix->dir);
		return ret;
	}
	if (fix_survey(fix))
		return ret;
	if (!open_target(t, fix, output)) {
		if (mend_all(fix, t)) {
			warnx("%s was not mended", fix->dir);
			if (!t->in_place && !t->dry)
				record_dir_discard(&t->dir);
		} else {
			tell_all(fix, t);
			ret = flush_output(fix->lost ? FT_EXIT_LOST : FT_EXIT_OK);
		}
	}
	record_dir_close(&t->dir);
	return ret;
}

int fix_trace(const char *dir, struct fix_target *t, const char *output)
{
	struct fix *fix = mem_zalloc(1, sizeof(*fix));
	int ret;

	fix->dir = dir;
	t->dir.fd = -1;
	ret = mend(fix, t, output);
	metadata_free(&fix->meta);
	free(fix->meta_text);
	free(fix->cpus);
	free(fix);
	return ret;
}
