// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Mending a trace directory, into another one. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/feather_trace.h>

#include "base/array.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/uuid.h"
#include "packed/fact.h"
#include "trace/convert.h"
#include "trace/directory.h"
#include "trace/repair.h"
#include "trace/session_file.h"
#include "trace/trace.h"

/** struct repair - the trace, and where it goes */
struct repair {
	const char		*dir;
	unsigned int		*streams;	/* their numbers */
	int			n_streams;
	struct metadata		meta;
	bool			dry;
	struct record_dir	to;
};

/* Names of events are nowhere else: they are not made up. Return: -1 */
static int needs_metadata(const struct repair *r)
{
	struct ft_packet_header h = { 0 };
	char name[TRACE_NAME_LEN], uuid[UUID_LEN];

	for (int i = 0; i < r->n_streams && h.magic != FT_PACKET_MAGIC; i++) {
		char *path = mem_format("%s/%s", r->dir, trace_stream_name(name, r->streams[i]));

		if (convert_read(path, &h, sizeof(h)) != sizeof(h))
			h.magic = 0;
		mem_free(path);
	}
	uuid_format(uuid, h.uuid);
	if (h.magic == FT_PACKET_MAGIC)
		warnx("%s: ft fix needs complete metadata with uuid %s and freq = %llu: take that of another recording of the same events, and write both into it",
		      r->dir, uuid, (unsigned long long)h.clock_hz);
	else
		warnx("%s: ft fix needs complete metadata and packets: there is nothing to mend it by",
		      r->dir);
	return -1;
}

static int read_metadata(struct repair *r)
{
	char *path = mem_format("%s/metadata", r->dir);
	int ret = metadata_load(&r->meta, path);
	const char *tracer = ret ? NULL : metadata_env(&r->meta, "tracer_name");

	mem_free(path);
	if (tracer && !metadata_is_ours(&r->meta)) {
		warnx("%s: is a trace of %s: only those of ft can be mended", r->dir, tracer);
		return -1;
	}
	return ret || !r->meta.has_uuid ? needs_metadata(r) : 0;
}

/* Skips what is gone, or not a file: no part of a trace. Return: 0, or -1 with a message */
static int copy_file(const struct repair *r, const char *name)
{
	char *from = mem_format("%s/%s", r->dir, name), *text = NULL;
	struct stat st;
	ssize_t len = 0;
	bool ok = true;

	if (!stat(from, &st) && S_ISREG(st.st_mode)) {
		/* plain, as the streams become; what is damaged there stays as it is */
		len = packed_read_path(from, &text);
		if (len == -EBADMSG)
			len = read_path(from, &text);
		ok = len >= 0 && record_dir_replace(&r->to, name, text, (size_t)len);
	}
	if (len < 0)
		warnx("cannot read %s: %s", from, strerror((int)-len));
	mem_free(text);
	mem_free(from);
	return ok ? 0 : -1;
}

/* Return: 0, or -1 with a message */
static int mend_stream(const struct repair *r, unsigned int number, struct repair_books *sum)
{
	struct repair_books books = { 0 };
	char name[TRACE_NAME_LEN], *from, *to;
	FILE *out;
	int fd, ret;

	trace_stream_name(name, number);
	fd = r->dry ? open("/dev/null", O_WRONLY | O_CLOEXEC) : record_dir_create(&r->to, name);
	if (fd < 0 && r->dry)
		warn("cannot open /dev/null");
	if (fd < 0)
		return -1;
	out = fdopen(fd, "w");
	if (!out)
		err(FT_EXIT_ERROR, "cannot write %s", name);
	from = mem_format("%s/%s", r->dir, name);
	to = mem_format("%s/%s", r->dry ? "/dev" : r->to.path, name);
	ret = repair_stream(from, out, &r->meta, number, &books);
	if (close_output(out, to))
		ret = -1;
	mem_free(from);
	mem_free(to);
	if (ret)
		return ret;
	printf("%s: %" PRIu64 " packet%s, %" PRIu64 " record%s saved, %" PRIu64 " lost%s\n", name,
	       books.packets, PLURAL(books.packets), books.saved, PLURAL(books.saved),
	       books.lost, books.findings ? "" : ": whole");
	sum->saved += books.saved;
	sum->lost += books.lost;
	return 0;
}

/* Return: 0, or -1 with a message */
static int mend(const struct repair *r, struct repair_books *sum)
{
	static const char *const info[] = SESSION_FILES;

	for (int i = 0; i < r->n_streams; i++) {
		if (mend_stream(r, r->streams[i], sum))
			return -1;
	}
	if (!sum->saved && sum->lost) {
		warnx("%s: no good packet belongs to this metadata", r->dir);
		return needs_metadata(r);
	}
	if (r->dry)
		return 0;
	/* without a part of info/, the records are still worth keeping */
	for (size_t i = 0; i < ARRAY_SIZE(info); i++)
		copy_file(r, info[i]);
	return copy_file(r, "metadata");
}

/* Return: exit status */
static int mend_into(struct repair *r, const char *output)
{
	struct repair_books sum = { 0 };

	if (output && (!record_dir_open(&r->to, output, false) || !record_dir_clear(&r->to)))
		return FT_EXIT_ERROR;
	if (mend(r, &sum)) {
		warnx("%s was not mended", r->dir);
		if (output)
			record_dir_discard(&r->to);
		return FT_EXIT_ERROR;
	}
	printf("%" PRIu64 " record%s saved, %" PRIu64 " lost; ", sum.saved, PLURAL(sum.saved),
	       sum.lost);
	printf(output ? "the mended trace is in %s\n" : "nothing was written\n", output);
	return flush_output(sum.lost ? FT_EXIT_LOST : FT_EXIT_OK);
}

int repair_trace(const char *dir, const char *output)
{
	struct repair r = { .dir = dir, .dry = !output, .to = { .fd = -1, .no_force = true } };
	int ret = FT_EXIT_ERROR;

	r.n_streams = trace_cpus(dir, &r.streams);
	if (!r.n_streams)
		warnx("%s: there is no file cpu0, cpu1, ... or thread0, ... with records in it",
		      dir);
	if (r.n_streams > 0 && !read_metadata(&r))
		ret = mend_into(&r, output);
	record_dir_close(&r.to);
	metadata_free(&r.meta);
	mem_free(r.streams);
	return ret;
}
