// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What is known of a damaged trace before its streams are read: the metadata, or
 * as much of it as there is, and what the headers of packets agree on.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/uuid.h"
#include "trace/repair.h"
#include "trace/trace.h"

/* So much of each file is looked at, from its beginning and its middle. */
#define SURVEY		(256u << 10)
#define CANDIDATES	32

/* Input. */

int fix_open(struct fix_input *in, const char *path)
{
	struct stat st;

	*in = (struct fix_input){ .path = path };
	in->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0 || fstat(in->fd, &st)) {
		warn("cannot open %s", path);
	} else if (!S_ISREG(st.st_mode)) {
		warnx("%s is not a file", path);
	} else {
		in->size = (uint64_t)st.st_size;
		return 0;
	}
	fix_close(in);
	return -1;
}

void fix_close(struct fix_input *in)
{
	if (in->fd >= 0)
		close(in->fd);
	free(in->buf);
	in->fd = -1;
	in->buf = NULL;
}

static int fill(struct fix_input *in)
{
	while (in->len < in->room) {
		ssize_t n = pread(in->fd, in->buf + in->len, in->room - in->len,
				  (off_t)(in->start + in->len));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			warn("cannot read %s at offset %ju", in->path,
			     (uintmax_t)(in->start + in->len));
			in->failed = true;
			return -1;
		}
		if (!n)
			break;
		in->len += (size_t)n;
	}
	return 0;
}

const uint8_t *fix_window(struct fix_input *in, uint64_t pos, size_t len)
{
	if (pos > in->size || in->size - pos < len)
		return NULL;
	if (!in->buf || pos < in->start || pos + len > in->start + in->len) {
		if (len > in->room || !in->buf) {
			in->room = len > FIX_WINDOW ? len : FIX_WINDOW;
			in->buf = mem_resize(in->buf, in->room, 1);
		}
		in->start = pos;
		in->len = 0;
		if (fill(in) || in->len < len)
			return NULL;
	}
	return in->buf + (pos - in->start);
}

/* Votes. */

struct candidate {
	uint8_t		uuid[16];
	uint64_t	freq;
	unsigned int	votes;
};

struct election {
	struct candidate	list[CANDIDATES];
	unsigned int		n;
	uint64_t		of_threads[METADATA_CLASSES];	/* headers */
};

static void vote(struct election *e, const struct ft_packet_header *h)
{
	unsigned int i;

	if (h->cpu >= TRACE_THREADS)
		e->of_threads[h->stream_id]++;
	for (i = 0; i < e->n; i++) {
		struct candidate *c = &e->list[i];

		if (!memcmp(c->uuid, h->uuid, sizeof(c->uuid)) &&
		    c->freq == h->clock_hz) {
			c->votes++;
			return;
		}
	}
	if (e->n == CANDIDATES)
		return;
	e->list[e->n].freq = h->clock_hz;
	e->list[e->n].votes = 1;
	memcpy(e->list[e->n++].uuid, h->uuid, sizeof(h->uuid));
}

/* A header that needs no mending. */
static bool is_header(const struct ft_packet_header *h, unsigned int cpu)
{
	unsigned int classes = cpu < TRACE_THREADS ? 1 : METADATA_CLASSES;

	return h->magic == FT_PACKET_MAGIC && h->stream_id < classes &&
	       h->cpu == cpu && h->stream_instance == cpu && fix_sizes_good(h) &&
	       h->clock_hz && h->clock_hz <= INT64_MAX;
}

static void survey_part(struct election *e, struct fix_input *in, uint64_t pos,
			unsigned int cpu)
{
	uint64_t end = in->size - pos < SURVEY ? in->size : pos + SURVEY;
	const uint32_t magic = FT_PACKET_MAGIC;
	struct ft_packet_header h;
	const uint8_t *p;

	while (pos < end && end - pos >= FIX_HEADER) {
		const uint8_t *found;
		size_t len = (size_t)(end - pos);

		p = fix_window(in, pos, len);
		if (!p)
			return;
		found = memmem(p, len, &magic, sizeof(magic));
		if (!found || (size_t)(found - p) + FIX_HEADER > len)
			return;
		pos += (size_t)(found - p);
		memcpy(&h, found, sizeof(h));
		if (is_header(&h, cpu)) {
			vote(e, &h);
			pos += FIX_HEADER;
		} else {
			pos++;
		}
	}
}

/* By those that agree with the metadata, else by most. */
static const struct candidate *elect(const struct election *e,
				     const struct metadata *m)
{
	const struct candidate *best = NULL;
	bool best_agrees = false;
	unsigned int i;

	for (i = 0; i < e->n; i++) {
		const struct candidate *c = &e->list[i];
		bool agrees = m->has_uuid &&
			      !memcmp(c->uuid, m->uuid, sizeof(c->uuid));

		if (best && (agrees != best_agrees ? !agrees :
						     c->votes <= best->votes))
			continue;
		best = c;
		best_agrees = agrees;
	}
	return best;
}

static int survey_streams(struct fix *fix, struct election *e)
{
	int i;

	for (i = 0; i < fix->n_cpus; i++) {
		char name[TRACE_NAME_LEN], *path;
		struct fix_input in;
		int ret;

		if (asprintf(&path, "%s/%s", fix->dir,
			     trace_stream_name(name, fix->cpus[i])) < 0)
			path = mem_check(NULL);
		ret = fix_open(&in, path);
		if (!ret) {
			survey_part(e, &in, 0, fix->cpus[i]);
			if (in.size / 2 > SURVEY)
				survey_part(e, &in, in.size / 2, fix->cpus[i]);
			fix_close(&in);
		}
		free(path);
		if (ret)
			return -1;
	}
	return 0;
}

/* The metadata. */

static void read_metadata(struct fix *fix)
{
	ssize_t len = -1;
	char *path;
	int fd;

	if (asprintf(&path, "%s/metadata", fix->dir) < 0)
		path = mem_check(NULL);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		len = read_file_full(fd, &fix->meta_text);
		close(fd);
	}
	if (len < 0) {
		warn("cannot read %s", path);
	} else {
		fix->meta_len = (size_t)len;
		fix->meta_whole = !metadata_salvage(&fix->meta, fix->meta_text,
						    fix->meta_len, path);
	}
	free(path);
}

static int is_foreign(const struct fix *fix)
{
	const char *name = metadata_env(&fix->meta, "tracer_name");

	if (!name || metadata_is_ours(&fix->meta))
		return 0;
	warnx("%s: is a trace of %s: only those of ft can be mended", fix->dir,
	      name);
	return -1;
}

static void forget_metadata(struct fix *fix)
{
	char have[UUID_LEN], want[UUID_LEN];

	uuid_format(have, fix->meta.uuid);
	uuid_format(want, fix->uuid);
	warnx("%s: the metadata is of another trace: uuid %s, not %s", fix->dir,
	      have, want);
	metadata_free(&fix->meta);
	fix->meta_whole = false;
}

/* Readers have clocks of nanoseconds since 1970, in 63 bits. */
static uint64_t last_time(const struct fix *fix)
{
	__int128 seconds = INT64_MAX / 1000000000 - (__int128)fix->meta.offset_s;
	__int128 last = seconds * (__int128)fix->freq - fix->meta.offset;

	return last <= 0 || last >= FIX_NO_TIME ? FIX_NO_TIME - 1 : (uint64_t)last;
}

/* Streams of programs are class 0, but not in a trace with streams of CPUs, too. */
static unsigned int class_of_threads(const struct fix *fix,
				     const struct election *e)
{
	if (e->of_threads[0] != e->of_threads[1])
		return e->of_threads[1] > e->of_threads[0];
	return fix->meta.has_stream[1];
}

unsigned int fix_class(const struct fix *fix, unsigned int cpu)
{
	return cpu < TRACE_THREADS ? 0 : fix->of_threads;
}

int fix_survey(struct fix *fix)
{
	struct election e = { .n = 0 };
	const struct candidate *c;

	read_metadata(fix);
	if (is_foreign(fix) || survey_streams(fix, &e))
		return -1;
	c = elect(&e, &fix->meta);
	if (c) {
		memcpy(fix->uuid, c->uuid, sizeof(fix->uuid));
		fix->freq = c->freq;
		if (fix->meta.has_uuid &&
		    memcmp(fix->meta.uuid, c->uuid, sizeof(c->uuid)))
			forget_metadata(fix);
	} else if (fix->meta.has_uuid && fix->meta.freq) {
		memcpy(fix->uuid, fix->meta.uuid, sizeof(fix->uuid));
		fix->freq = fix->meta.freq;
	} else {
		warnx("%s: no packet of a trace is in it, and no whole metadata: there is nothing to mend it by",
		      fix->dir);
		return -1;
	}
	fix->ts_max = last_time(fix);
	fix->of_threads = class_of_threads(fix, &e);
	if (fix->meta_whole && !fix->meta.has_uuid)
		fix->meta_whole = false;
	fix->has_gap = fix->meta.has_gap || !metadata_any_stream(&fix->meta);
	return 0;
}
