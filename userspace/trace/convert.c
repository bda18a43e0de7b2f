// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Traces are copied, and their files compressed or expanded. See convert.h. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/crew/line.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"
#include "packed/fact.h"
#include "packed/file.h"
#include "packed/pack.h"
#include "trace/convert.h"
#include "trace/directory.h"
#include "trace/session_file.h"
#include "trace/trace.h"

/* A stream that is read, compressed or not. */
struct source {
	char			*path;
	int			fd;
	bool			compressed;
	struct packed_file	packed;
	struct unpacker		*unpacker;
};

struct convert {
	const char		*dir;
	struct record_dir	to;
	struct packer		*packer;	/* NULL: the copy is plain */
	size_t			block;		/* bytes that are taken at once */
	uint8_t			*raw, *out;
	struct crew		*crew;		/* or NULL */
	struct ahead		*ahead;		/* the same */
	struct packer		**packers;	/* of its threads, made when they need one */
};

/* A piece of a stream, which the crew compresses. */
struct piece {
	size_t			len, packed;
	uint64_t		at;
	uint8_t			bytes[];	/* convert.block of them; then packed ones */
};

struct packing {
	const struct convert	*convert;
	int			fd;
	int			error;		/* errno of a write that failed */
};

/* Return: is there such a file? The descriptor is in @s then, else there is a message. */
static bool source_open(struct source *s, char *path, struct ahead *ahead)
{
	uint64_t size;

	*s = (struct source){ .path = path, .fd = open_regular(path, &size) };
	s->compressed = s->fd >= 0 && packed_is(s->fd);
	if (!s->compressed)
		return s->fd >= 0;
	s->unpacker = mem_check(unpacker_new());
	packed_open(&s->packed, s->fd, size, s->unpacker, false);
	if (ahead)
		packed_ahead(&s->packed, ahead);
	return true;
}

static void source_close(struct source *s)
{
	packed_close(&s->packed);
	unpacker_free(s->unpacker);
	if (s->fd >= 0)
		close(s->fd);
	mem_free(s->path);
}

static ssize_t source_read(struct source *s, void *buf, size_t len, uint64_t at)
{
	return s->compressed ? packed_read_full(&s->packed, buf, len, at) :
			       read_full_at(s->fd, buf, len, at);
}

ssize_t convert_read(const char *path, void *buf, size_t len)
{
	int fd = open_if_regular(path);	/* no message about others */
	struct source s = { .fd = -1 };
	ssize_t n = -1;

	if (fd < 0)
		return -1;
	close(fd);
	if (source_open(&s, mem_strdup(path), NULL))
		n = source_read(&s, buf, len, 0);
	source_close(&s);
	return n;
}

/* A copy would not show what is lost: only ft fix counts it. Return: 0, or -1 with a message */
static int check_end(const struct convert *c, const struct source *s, ssize_t n)
{
	if (n >= 0 && !s->packed.bad && !s->packed.torn)
		return 0;
	if (n < 0 && n != -EBADMSG)
		warnx("cannot read %s: %s", s->path, strerror((int)-n));
	else
		warnx("%s: %s; to save what can be saved: ft fix '%s'", s->path,
		      s->packed.torn ? "its last block is torn" : "one of its blocks is damaged",
		      c->dir);
	return -1;
}

/* Writes @len bytes of a stream. Return: 0, or -errno */
static int put(const struct convert *c, int fd, size_t len, uint64_t at)
{
	if (c->packer)
		return write_full(fd, c->out, packer_block(c->packer, c->raw, len, at, c->out),
				  NULL);
	return write_full(fd, c->raw, len, NULL);
}

/* Return: 0, or -errno of a write that failed; *@n: what the last read returned */
static int copy_alone(const struct convert *c, struct source *s, int fd, ssize_t *n)
{
	uint64_t at = 0;
	int ret = 0;

	while (!ret && (*n = source_read(s, c->raw, c->block, at)) > 0) {
		size_t len = c->packer ? packed_whole(c->raw, (size_t)*n) : (size_t)*n;

		ret = put(c, fd, len, at);
		at += len;
	}
	return ret;
}

static void pack_piece(void *arg, void *block, unsigned int worker)
{
	const struct convert *c = ((struct packing *)arg)->convert;
	bool own = worker < crew_workers(c->crew);
	struct packer *packer = own ? c->packers[worker] : c->packer;
	struct piece *p = block;

	if (!packer)
		packer = c->packers[worker] = packer_new(c->to.compress);
	p->packed = packer ? packer_block(packer, p->bytes, p->len, p->at,
					  p->bytes + c->block) : 0;
}

static void write_piece(void *arg, void *block)
{
	struct packing *packing = arg;
	const struct convert *c = packing->convert;
	struct piece *p = block;

	if (!p->packed)		/* that thread has no memory for it */
		pack_piece(arg, block, crew_workers(c->crew));
	if (!packing->error)
		packing->error = write_full(packing->fd, p->bytes + c->block, p->packed, NULL);
}

/* The same, compressed by the crew. */
static int copy_together(const struct convert *c, struct source *s, int fd, ssize_t *n)
{
	struct packing packing = { .convert = c, .fd = fd };
	const struct line_asked asked = {
		.size = sizeof(struct piece) + c->block + PACKED_BLOCK_MAX,
		.blocks = line_blocks(c->crew),
		.work = pack_piece, .empty = write_piece, .arg = &packing,
	};
	struct line *line = line_new(c->crew, &asked);
	struct piece *p = line_block(line);
	uint64_t at = 0;

	while (!packing.error && (*n = source_read(s, p->bytes, c->block, at)) > 0) {
		p->len = packed_whole(p->bytes, (size_t)*n);
		p->at = at;
		at += p->len;
		p = line_next(line);
	}
	if (!packing.error)
		line_wait(line);
	line_end(line, NULL);
	return packing.error;
}

/* Return: 0, or -1 with a message */
static int copy_stream(const struct convert *c, struct source *s, int fd, const char *name)
{
	ssize_t n = 0;
	int ret = c->crew && c->packer ? copy_together(c, s, fd, &n) : copy_alone(c, s, fd, &n);

	if (!ret)
		return check_end(c, s, n);
	warnx("cannot write %s/%s: %s", c->to.path, name, strerror(-ret));
	return -1;
}

/* Return: 0, or -1 with a message */
static int convert_stream(const struct convert *c, unsigned int number)
{
	char name[TRACE_NAME_LEN];
	struct source s;
	int ret = -1, fd;

	trace_stream_name(name, number);
	if (source_open(&s, mem_format("%s/%s", c->dir, name), c->ahead)) {
		fd = record_dir_create(&c->to, name);
		ret = fd < 0 ? -1 : copy_stream(c, &s, fd, name);
		if (fd >= 0 && close(fd) && !ret) {
			warn("cannot write %s/%s", c->to.path, name);
			ret = -1;
		}
	}
	source_close(&s);
	return ret;
}

/* Copies a fact if there is one. Return: 0, or -1 with a message */
static int convert_fact(const struct convert *c, const char *name)
{
	char *from = mem_format("%s/%s", c->dir, name), *text = NULL;
	struct stat st;
	ssize_t len = 0;
	int ret = 0;

	if (!stat(from, &st) && S_ISREG(st.st_mode)) {
		len = packed_read_path(from, &text);
		if (len < 0)
			warnx("cannot read %s: %s%s", from, packed_why(len), len == -EBADMSG ?
			      "; without this file, the rest can be copied" : "");
		ret = len < 0 || !record_dir_replace(&c->to, name, text, (size_t)len) ? -1 : 0;
	}
	mem_free(text);
	mem_free(from);
	return ret;
}

static int convert_files(const struct convert *c, const unsigned int *streams, int n)
{
	static const char *const facts[] = SESSION_FILES;

	for (int i = 0; i < n; i++) {
		if (convert_stream(c, streams[i]))
			return -1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		if (convert_fact(c, facts[i]))
			return -1;
	}
	return convert_fact(c, "metadata");
}

static void begin_crew(struct convert *c, const struct jobs *jobs, const unsigned int *streams,
		       int n)
{
	uint64_t size = 0;

	for (int i = 0; i < n; i++) {
		char name[TRACE_NAME_LEN], *path;
		struct stat st;

		path = mem_format("%s/%s", c->dir, trace_stream_name(name, streams[i]));
		size += stat(path, &st) ? 0 : (uint64_t)st.st_size;
		mem_free(path);
	}
	c->crew = jobs_crew(jobs, size);
	if (!c->crew)
		return;
	c->ahead = ahead_new(c->crew);
	c->packers = mem_zalloc(crew_workers(c->crew), sizeof(*c->packers));
}

static void end_crew(struct convert *c)
{
	if (!c->crew)
		return;
	ahead_free(c->ahead);
	for (unsigned int i = 0; i < crew_workers(c->crew); i++)
		packer_free(c->packers[i]);
	mem_free(c->packers);
	crew_free(c->crew);
}

/* Return: exit status */
static int convert_one(const char *dir, const char *output, int level, const struct jobs *jobs)
{
	struct convert c = { .dir = dir, .to = { .fd = -1, .no_force = true, .compress = level } };
	int ret = FT_EXIT_ERROR, n;
	unsigned int *streams;

	n = trace_cpus(dir, &streams);
	if (!n)
		warnx("%s: there is no file cpu0, cpu1, ... or thread0, ... with records in it",
		      dir);
	if (n > 0 && record_dir_open(&c.to, output, false) && record_dir_clear(&c.to)) {
		begin_crew(&c, jobs, streams, n);
		c.packer = level ? mem_check(packer_new(level)) : NULL;
		c.block = packed_block_size((unsigned int)n);
		c.raw = mem_resize(NULL, c.block, 1);
		c.out = mem_resize(NULL, PACKED_BLOCK_MAX, 1);
		ret = convert_files(&c, streams, n) ? FT_EXIT_ERROR : FT_EXIT_OK;
		if (ret)
			record_dir_discard(&c.to);
	}
	record_dir_close(&c.to);
	end_crew(&c);
	packer_free(c.packer);
	mem_free(c.raw);
	mem_free(c.out);
	mem_free(streams);
	return ret;
}

int convert_trace(const char *dir, const char *output, int level, const struct jobs *jobs)
{
	char *dirs[] = { (char *)dir, NULL };
	struct parts parts;
	int ret = FT_EXIT_ERROR;

	if (!parts_find(&parts, dirs)) {
		if (parts.n > 1)
			warnx("%s: has %u parts: name one of them, as %s", dir, parts.n,
			      parts.dir[0]);
		else
			ret = convert_one(parts.dir[0], output, level, jobs);
	}
	parts_free(&parts);
	return ret;
}
