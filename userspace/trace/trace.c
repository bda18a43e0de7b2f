// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Trace directories: opening them and their streams. See stream.c for what is in these. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/scope.h"
#include "trace/trace.h"

#define HEADER		sizeof(struct ft_packet_header)
#define RECORD		sizeof(struct ft_record)
#define NSEC		1000000000u
#define LINE		64

ssize_t stream_read(const struct stream *s, void *buf, size_t len, off_t at)
{
	ssize_t n;

	if (s->packed)
		return packed_read(s->packed, buf, len, (uint64_t)at);
	do {
		n = pread(s->fd, buf, len, at);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static bool read_whole(const struct stream *s, void *buf, size_t len, off_t at)
{
	ssize_t n = s->packed ? packed_read_full(s->packed, buf, len, (uint64_t)at) :
				read_full_at(s->fd, buf, len, (uint64_t)at);

	return n == (ssize_t)len;
}

/*
 * The time of the first record, from the first header of a packet that has one.
 * Errors there are found and reported when the packet is read.
 */
static uint64_t stream_start(const struct stream *s)
{
	struct ft_packet_header h;
	struct ft_record rec;
	off_t pos = 0;

	while (read_whole(s, &h, HEADER, pos) &&
	       h.magic == FT_PACKET_MAGIC && h.packet_bits / 8 >= HEADER &&
	       h.packet_bits / 8 <= TRACE_MAX_PACKET) {
		if (h.content_bits > HEADER * 8 &&
		    read_whole(s, &rec, RECORD, pos + (off_t)HEADER))
			return h.ts_begin;
		pos += (off_t)(h.packet_bits / 8);
	}
	return UINT64_MAX;
}

static void open_packed(struct stream *s, uint64_t size)
{
	struct trace *t = s->trace;

	if (!t->unpacker)
		t->unpacker = mem_check(unpacker_new());
	s->packed = mem_zalloc(1, sizeof(*s->packed));
	packed_open(s->packed, s->fd, size, t->unpacker, false);
	if (t->ahead)
		packed_ahead(s->packed, t->ahead);
	s->size = 0;	/* as it becomes known */
}

/* Of the file before the next one. */
static void close_packed(struct stream *s)
{
	if (s->packed)
		packed_close(s->packed);
	mem_free(s->packed);
	s->packed = NULL;
}

/* Return: 1, 0 there is no such file, -1 with a message */
static int open_file(struct stream *s, const char *dir)
{
	char name[TRACE_NAME_LEN];
	uint64_t size;

	mem_free(s->path);
	s->path = mem_format("%s/%s", dir, trace_stream_name(name, s->cpu));
	if (s->trace->parts.n > 1 && access(s->path, F_OK) && errno == ENOENT)
		return 0;
	s->fd = open_regular(s->path, &size);
	if (s->fd < 0)
		return -1;
	s->size = (off_t)size;
	posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	if (packed_is(s->fd))
		open_packed(s, size);
	return 1;
}

/* What removes a part removes its metadata before its streams. Return: 0, or -1 with a message */
static int check_part(const char *dir)
{
	char *metadata = mem_format("%s/metadata", dir);
	bool there = !access(metadata, F_OK);

	mem_free(metadata);
	if (!there)
		warnx("%s was removed while it was read", dir);
	return there ? 0 : -1;
}

int stream_open_file(struct stream *s, unsigned int part)
{
	const struct parts *parts = &s->trace->parts;
	int ret = 0;

	if (s->fd >= 0 && part < parts->n) {
		s->size_before += s->packed ? s->packed->done : (uint64_t)s->size;
		close_packed(s);
		close(s->fd);
		s->fd = -1;
	}
	for (; part < parts->n && !ret; part++) {
		s->part = part;
		/* nothing is read over what is missing in front of the first one */
		s->dropped |= part && parts->gap[part];
		ret = open_file(s, parts->dir[part]);
		if (!ret)
			ret = check_part(parts->dir[part]);
	}
	return ret;
}

static int stream_open(struct stream *s, struct trace *t, unsigned int cpu)
{
	*s = (struct stream){
		.trace = t, .index = (unsigned int)(s - t->streams), .cpu = cpu, .fd = -1,
		.gap_mask = t->meta.has_gap ? 0xff : 0,
	};
	return stream_open_file(s, 0) < 0 ? -1 : 0;
}

/* For each of so many streams; a multiple of a page. */
static size_t buffer_size(unsigned int n)
{
	size_t room = n ? TRACE_BUFFERS / n : TRACE_BUFFER;

	room &= ~(size_t)4095;
	return room > TRACE_BUFFER ? TRACE_BUFFER :
	       room < TRACE_BUFFER_LEAST ? TRACE_BUFFER_LEAST : room;
}

/* If this fails, opening the files reports it. */
void trace_allow_files(unsigned int n)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur > n + 64ul)
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

/*
 * The numbers of all streams, each once, in order. Return: how many, or -1 with a message;
 * *@cpus is to be freed after both.
 */
static int find_streams(struct trace *t, unsigned int **cpus)
{
	unsigned int *of_part, part;
	int n = 0, i, more;

	*cpus = NULL;
	for (part = 0; part < t->parts.n; part++) {
		more = trace_cpus(t->parts.dir[part], &of_part);
		for (i = 0; i < more; i++) {
			char name[TRACE_NAME_LEN], *path;
			struct stat st;

			path = mem_format("%s/%s", t->parts.dir[part],
					  trace_stream_name(name, of_part[i]));
			t->size += stat(path, &st) ? 0 : (uint64_t)st.st_size;
			mem_free(path);
		}
		n = more < 0 ? -1 : trace_unite(cpus, n, of_part, more);
		mem_free(of_part);
		if (n < 0)
			return -1;
	}
	return n;
}

/*
 * One piece of memory for all streams. In front of each stream's part there is a cache
 * line: rec points before the batch when that begins. It also keeps streams that are
 * equally far out of one set of the processor's cache.
 */
static void make_buffers(struct trace *t)
{
	size_t room = buffer_size(t->n_streams);
	unsigned int i;

	t->buffer_size = LINE + room;
	t->buffers = mem_zalloc_huge(t->n_streams, t->buffer_size);
	for (i = 0; i < t->n_streams; i++) {
		t->streams[i].room = room;
		t->streams[i].buf = t->buffers + i * t->buffer_size + LINE;
	}
}

static int open_streams(struct trace *t)
{
	unsigned int *cpus;
	int n, i, ret = 0;

	n = find_streams(t, &cpus);
	if (n > 0 && !scope_now)
		trace_allow_files((unsigned int)n);
	if (!n)
		warnx("%s: there is no file cpu0, cpu1, ... or thread0, ... with records in it",
		      t->title);
	if (n <= 0)
		ret = -1;
	else
		t->streams = mem_zalloc_lines((size_t)n, sizeof(*t->streams));
	t->start = UINT64_MAX;
	for (i = 0; i < n && !ret; i++) {
		uint64_t start;

		ret = stream_open(&t->streams[t->n_streams++], t, cpus[i]);
		start = ret ? UINT64_MAX : stream_start(&t->streams[i]);
		if (start < t->start)
			t->start = start;
	}
	if (t->start == UINT64_MAX)
		t->start = 0;
	make_buffers(t);
	mem_free(cpus);
	return ret;
}

/* The layout is fixed: records of another tracer would be misread. */
static int check_tracer(const struct trace *t)
{
	const char *name = metadata_env(&t->meta, "tracer_name");

	if (metadata_is_ours(&t->meta))
		return 0;
	warnx("%s: is a trace of %s; only those of ft can be read: try babeltrace2",
	      t->dir, name);
	return -1;
}

/* "t", "t (3 parts)", "t/000001 to t/000003 (3 parts)" */
static char *title_of(char *const *dirs, const struct parts *parts)
{
	const char *last = parts->dir[parts->n - 1];

	if (parts->n == 1)
		return mem_strdup(dirs[0]);
	if (!dirs[1])
		return mem_format("%s (%u parts)", dirs[0], parts->n);
	return mem_format("%s to %s (%u parts)", parts->dir[0], last, parts->n);
}

/* @dir has no metadata that can be read. */
static void say_what_it_is(const char *dir)
{
	char *snapshot = mem_format("%s/1/metadata", dir);

	if (!access(snapshot, F_OK))
		warnx("%s: no trace, but the directory of a flight recorder, with a trace for each snapshot: %s/1, ...",
		      dir, dir);
	else
		warnx("%s: not a trace? It is a directory with the files metadata and cpu0 or thread0, ...; ft-fix(1) says what helps if the metadata is damaged",
		      dir);
	mem_free(snapshot);
}

int trace_open(struct trace *t, char *const *dirs)
{
	char *path;
	int ret;

	*t = (struct trace){ 0 };
	if (parts_find(&t->parts, dirs))
		goto err_close;
	t->title = title_of(dirs, &t->parts);
	/* it has the events of all parts, and the names of all tasks */
	t->dir = t->parts.dir[t->parts.n - 1];
	if (access(t->dir, R_OK | X_OK)) {
		warn("cannot open the trace %s", t->dir);
		goto err_close;
	}
	path = mem_format("%s/metadata", t->dir);
	ret = metadata_load(&t->meta, path);
	if (ret)
		say_what_it_is(t->dir);
	mem_free(path);
	if (!ret && !check_tracer(t) && !open_streams(t))
		return 0;
err_close:
	trace_close(t);
	return -1;
}

/* A stream without a compressed file may have one in a later part. */
void trace_read_ahead(struct trace *t, struct crew *crew)
{
	t->ahead = crew ? ahead_new(crew) : NULL;
	for (unsigned int i = 0; t->ahead && i < t->n_streams; i++) {
		if (t->streams[i].packed && !t->streams[i].skipped)
			packed_ahead(t->streams[i].packed, t->ahead);
	}
}

void trace_close(struct trace *t)
{
	unsigned int i;

	for (i = 0; i < t->n_streams; i++) {
		struct stream *s = &t->streams[i];

		close_packed(s);
		if (s->fd >= 0)
			close(s->fd);
		mem_free(s->path);
	}
	ahead_free(t->ahead);
	unpacker_free(t->unpacker);
	mem_free_huge(t->buffers, t->n_streams, t->buffer_size);
	mem_free(t->streams);
	metadata_free(&t->meta);
	parts_free(&t->parts);
	mem_free(t->title);
	*t = (struct trace){ 0 };
}

uint64_t trace_ns(const struct trace *t, uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)ticks * NSEC / t->meta.freq);
}

int64_t trace_wall(const struct trace *t, uint64_t ts, uint32_t *ns)
{
	const struct metadata *m = &t->meta;
	__int128 sum = (__int128)m->offset_s * NSEC +
		       ((__int128)m->offset + ts) * NSEC / (__int128)m->freq;
	__int128 rest = sum % NSEC;

	if (rest < 0)	/* before 1970 */
		rest += NSEC;
	*ns = (uint32_t)rest;
	return (int64_t)((sum - rest) / NSEC);
}
