// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A walk over a damaged stream. A packet is taken if its header is of this stream, its
 * times and those of its records rise, its events are known, and its number and its count
 * of losses fit what was taken before it and the header behind it. What lies between two
 * good packets is lost.
 *
 * Packets are written with numbers without holes. What the damage has cost is added to
 * the count of lost records of all packets behind it, and the gap of the records behind it
 * changes, as if the tracer had lost them.
 */
#include <err.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <linux/feather_trace.h>

#include "base/file.h"
#include "base/mem.h"
#include "packed/file.h"
#include "trace/repair.h"
#include "trace/trace.h"

#define HEADER		sizeof(struct ft_packet_header)
#define RECORD		sizeof(struct ft_record)
#define WINDOW		(64u << 10)
#define WINDOW_LEAST	1024
#define PATTERN		20	/* magic number and uuid */
#define PIECE		128	/* records read at once: most that are none show in the first */
#define CHECKED_BY	4	/* headers behind a packet, where the first do not fit */
#define MAX_TOLD	20	/* findings that are printed one by one */
#define MAX_MISSING	(1ull << 32)	/* packets between two, records lost at a last one */
#define MAX_COUNT	(1ull << 56)	/* number of a first packet, lost records of any */
/*
 * Each header in a forged file may lead far ahead and to nothing. Once these multiples of the
 * stream and the file have been read, the rest is read only once.
 */
#define READ_STREAM	4
#define READ_FILE	64
#define READ_ANYWAY	(256ull << 20)
#define ARE(n)		((n) == 1 ? " is" : "s are")

struct packet {
	struct ft_packet_header	h;
	uint64_t		pos, end;	/* in the file */
	size_t			n;		/* records that are there */
	uint64_t		missing;	/* the file ends before them */
	uint64_t		good;		/* as far as records can be of it */
	bool			is_last;	/* no header behind it confirms it */
};

struct walk {
	const char		*path;
	int			fd;
	uint64_t		size;
	struct packed_file	*packed;	/* the file is compressed; or NULL */
	uint64_t		read, may_read;	/* bytes, those that were decoded, too */
	bool			once;		/* it was too much: goes only ahead */
	bool			failed;		/* to read; said */
	uint64_t		told;		/* findings that were printed */
	const struct metadata	*meta;
	struct repair_books	*books;		/* with packets: one was taken */
	struct ft_record	*rec;		/* of the packet that was read last */
	uint64_t		from, to;	/* no header is from here up to there */
	struct ft_packet_header	last;		/* taken; before that, what all headers have */

	FILE			*out;
	struct ft_packet_header	put;		/* as it was written */
	bool			hole;		/* records are lost that no packet counts yet */
	uint8_t			gap, shift;	/* of the last record; what gaps rise by */
};

__attribute__((format(printf, 4, 5)))
static void tell_if(struct walk *w, bool told, uint64_t pos, const char *fmt, ...)
{
	char name[TRACE_NAME_LEN];
	va_list ap;

	w->books->findings++;
	w->told += told;
	if (!told)
		return;
	printf("%s: offset %" PRIu64 ": ", trace_stream_name(name, w->last.cpu), pos);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

#define tell(w, ...)	tell_if(w, (w)->told < MAX_TOLD, __VA_ARGS__)

/* Return: how many bytes there are, up to @len */
static size_t read_at(struct walk *w, uint64_t pos, void *buf, size_t len)
{
	uint64_t done = w->packed ? w->packed->done : 0;
	ssize_t n = 0;

	if (!w->failed)
		n = w->packed ? packed_read_full(w->packed, buf, len, pos) :
				read_full_at(w->fd, buf, len, pos);

	w->read += (uint64_t)(n > 0 ? n : 0);
	if (w->packed && w->packed->done != done)
		w->read += w->packed->raw_room;		/* a block was decoded */
	if (n >= 0)
		return (size_t)n;
	warnx("cannot read %s at offset %" PRIu64 ": %s", w->path, pos, strerror((int)-n));
	w->failed = true;
	return 0;
}

/* Has it read too much to look at anything twice? */
static bool only_once(struct walk *w, uint64_t pos)
{
	if (!w->once && w->read > w->may_read) {
		w->once = true;
		/* it says what others do not, and comes once */
		tell_if(w, true, pos, "too many headers lead to no good packet: from here on, what is inside of bad packets is lost");
	}
	return w->once;
}

/* --- which packets are good --- */

static bool is_empty(const struct ft_packet_header *h)
{
	return h->content_bits / 8 == HEADER;
}

/* Can @b come after @a in a stream? */
static bool follows(const struct ft_packet_header *a, const struct ft_packet_header *b)
{
	return b->seq > a->seq && b->seq - a->seq <= MAX_MISSING &&
	       b->discarded >= a->discarded && b->discarded <= MAX_COUNT &&
	       (is_empty(a) || is_empty(b) || b->ts_begin >= a->ts_end);
}

/* Is a header of ours there? Packets have no padding. */
static bool read_header(struct walk *w, uint64_t pos, struct ft_packet_header *h)
{
	const struct ft_packet_header *our = &w->last;

	return pos + HEADER <= w->size && read_at(w, pos, h, HEADER) == HEADER &&
	       !memcmp(h, our, PATTERN) && h->stream_id == our->stream_id &&
	       h->stream_instance == our->cpu && h->cpu == our->cpu &&
	       h->clock_hz == our->clock_hz && trace_size_ok(h) &&
	       h->packet_bits == h->content_bits;
}

/* The next header of ours from @pos on, where there is one. */
static bool find_header(struct walk *w, uint64_t *pos, struct ft_packet_header *h)
{
	uint8_t window[WINDOW], *found;
	size_t n, len = WINDOW_LEAST;

	/* mostly it is near, so look there first */
	for (; !read_header(w, *pos, h); len = 4 * len < WINDOW ? 4 * len : WINDOW) {
		n = read_at(w, *pos + 1, window, len);
		if (n < HEADER)
			return false;
		found = memmem(window, n, &w->last, PATTERN);
		*pos += 1 + (found ? (size_t)(found - window) : n - PATTERN);
	}
	return true;
}

/*
 * If the number, count or times of a packet lie beyond those of a later header, the packet is
 * the wrong one of the two if that header fits what came before; for a first packet, if it
 * lies beyond the header after that, too. A copy of its own header says nothing.
 */
static bool is_beyond_next(struct walk *w, struct packet *p)
{
	struct ft_packet_header next;
	unsigned int against = 0;
	uint64_t pos;

	/* do not read again what is known to hold none */
	if (p->end < w->from || p->end > w->to)
		w->from = w->to = p->end;
	p->is_last = true;
	if (only_once(w, p->pos) || !find_header(w, &w->to, &next))
		return false;
	pos = w->to;
	for (int i = 0; i < CHECKED_BY && find_header(w, &pos, &next); i++, pos++) {
		if (!memcmp(&next, &p->h, HEADER))
			continue;
		p->is_last = !follows(&p->h, &next);
		if (!p->is_last)
			return false;
		if (w->books->packets ? follows(&w->last, &next) : ++against == 2)
			return true;
	}
	return false;
}

/* Reads the records that are there of the packet at @pos, whose header was read. */
static bool read_packet(struct walk *w, uint64_t pos, struct packet *p)
{
	uint64_t ts = p->h.ts_begin, body = pos + HEADER, there = (w->size - body) / RECORD;
	uint64_t says = (p->h.content_bits / 8 - HEADER) / RECORD;
	size_t len;

	p->n = there < says ? there : says;
	p->missing = says - p->n;
	p->pos = pos;
	p->end = p->missing ? w->size : body + p->n * RECORD;
	for (size_t i = 0; i < p->n; i++) {
		p->good = body + i * RECORD;
		if (!(i % PIECE)) {
			len = (p->n - i < PIECE ? p->n - i : PIECE) * RECORD;
			if (read_at(w, body + i * RECORD, w->rec + i, len) != len)
				return false;
		}
		if (w->rec[i].ts < ts || w->rec[i].ts > p->h.ts_end ||
		    !metadata_event(w->meta, p->h.stream_id, w->rec[i].id))
			return false;
		ts = w->rec[i].ts;
	}
	p->good = p->end;
	return true;
}

/* It was here before: written twice. */
static bool is_repeated(const struct walk *w, const struct packet *p)
{
	return w->books->packets && p->h.seq <= w->last.seq && !is_empty(&p->h) &&
	       p->h.ts_end <= w->put.ts_end && p->h.ts_begin <= p->h.ts_end;
}

/* Does it fit what was taken before it, and what is behind it? */
static bool fits(struct walk *w, struct packet *p)
{
	if (p->h.discarded > MAX_COUNT ||
	    (w->books->packets ? !follows(&w->last, &p->h) : p->h.seq > MAX_COUNT) ||
	    (p->n && w->rec[0].ts < w->put.ts_end) || is_beyond_next(w, p))
		return false;
	return !p->is_last || p->h.discarded - w->last.discarded <= MAX_MISSING;
}

/* From @pos on. Return: false if there is none */
static bool find_packet(struct walk *w, uint64_t pos, struct packet *p)
{
	while (find_header(w, &pos, &p->h)) {
		if (read_packet(w, pos, p) && (is_repeated(w, p) || fits(w, p)))
			return true;
		pos = only_once(w, pos) ? p->good : pos + 1;
	}
	return false;
}

/* --- what is lost --- */

static void lose(struct walk *w, uint64_t n)
{
	w->hole = true;
	w->books->lost += n;
}

/*
 * @bytes before @next, or before the end, are in no good packet. As many records count as
 * lost as had room there, and at least one a packet.
 */
static void lose_before(struct walk *w, uint64_t pos, uint64_t bytes,
			const struct packet *next)
{
	uint64_t expected = w->books->packets ? w->last.seq + 1 : 0;
	uint64_t missing = next && next->h.seq > expected ? next->h.seq - expected : 0;
	uint64_t n, headers;
	char packets[64] = "";

	if (next && !missing && bytes) {
		tell(w, pos, "%" PRIu64 " byte%s no packet: left out, and no packet is missing",
		     bytes, ARE(bytes));
		return;
	}
	if (!bytes && (!w->books->packets || !missing))	/* it may begin with any packet */
		return;
	/* nothing confirms the number of a first or last packet, but room for them */
	if (missing > bytes / HEADER && (!w->books->packets || next->is_last))
		missing = 1;
	n = missing ? missing : 1;
	headers = n * HEADER;
	if (bytes > headers && (bytes - headers) / RECORD > n)
		n = (bytes - headers) / RECORD;
	if (missing)
		snprintf(packets, sizeof(packets), ", %" PRIu64 " packet%s missing",
			 missing, ARE(missing));
	tell(w, pos, "%" PRIu64 " byte%s in no good packet%s: left out, some %" PRIu64
	     " record%s lost", bytes, ARE(bytes), packets, n, PLURAL(n));
	lose(w, n);
}

/* --- writing --- */

/* The gaps do not show losses before the first record: the count must do. */
static void move_gaps(struct walk *w, size_t n)
{
	if (w->hole && w->books->saved && (uint8_t)(w->rec[0].gap + w->shift) == w->gap)
		w->shift++;
	for (size_t i = 0; w->shift && i < n; i++)
		w->rec[i].gap = (uint8_t)(w->rec[i].gap + w->shift);
	w->gap = w->rec[n - 1].gap;
}

/*
 * The count of a packet that said @said, with what the damage has cost. It has the bounds
 * of fits(): a mended trace has nothing to mend.
 */
static uint64_t count_lost(const struct walk *w, uint64_t said, bool is_last)
{
	uint64_t most = MAX_COUNT, lost = said + w->books->lost;

	if (is_last && w->put.discarded + MAX_MISSING < most)
		most = w->put.discarded + MAX_MISSING;
	return lost < most ? lost : most;
}

/*
 * A packet of the first @n records; none: it counts losses only. @is_last: no header
 * behind it confirms it.
 */
static void put_packet(struct walk *w, struct ft_packet_header h, size_t n, bool is_last)
{
	if (n && w->meta->has_gap)
		move_gaps(w, n);
	w->hole = false;
	if (w->books->packets++)
		h.seq = w->put.seq + 1;
	h.discarded = count_lost(w, h.discarded, is_last);
	h.ts_begin = n ? w->rec[0].ts : w->put.ts_end;
	h.ts_end = n ? w->rec[n - 1].ts : w->put.ts_end;
	h.content_bits = (HEADER + n * RECORD) * 8;
	h.packet_bits = h.content_bits;
	w->put = h;
	w->books->saved += n;
	/* close_output() says whether all was written */
	fwrite(&h, HEADER, 1, w->out);
	fwrite(w->rec, RECORD, n, w->out);
}

/* The last block of a compressed stream is not all there: nothing of it is. */
static void lose_torn(struct walk *w)
{
	uint64_t n = w->packed ? w->packed->torn_records : 0;

	if (!n)
		return;
	tell(w, w->size, "the last block is torn: its %" PRIu64 " record%s lost", n, ARE(n));
	lose(w, n);
}

static void walk(struct walk *w)
{
	uint64_t pos = 0, from = 0;	/* from here on, nothing was good */
	struct packet p;

	while (!ferror(w->out) && find_packet(w, pos, &p)) {
		pos = p.end;
		if (is_repeated(w, &p)) {
			tell(w, p.pos, "packet %" PRIu64 " is a duplicate: left out",
			     (uint64_t)p.h.seq);
			if (from == p.pos)
				from = p.end;
			continue;
		}
		lose_before(w, from, p.pos - from, &p);
		put_packet(w, p.h, p.n, p.is_last);
		if (p.missing) {
			tell(w, p.pos, "the packet is torn: its last %" PRIu64 " record%s lost",
			     p.missing, ARE(p.missing));
			lose(w, p.missing);
		}
		w->last = p.h;
		w->last.ts_end = w->put.ts_end;	/* as seen: what it says may be wrong */
		from = p.end;
	}
	if (from < w->size && !w->failed)
		lose_before(w, from, w->size - from, NULL);
	if (!w->failed)
		lose_torn(w);
	/* losses behind the last good packet are counted in one without records */
	if (w->hole)
		put_packet(w, w->last, 0, true);
}

/* All of it is found first: what is damaged shows as bytes of zero. */
static void open_packed(struct walk *w, struct packed_file *f, struct unpacker **unpacker)
{
	*unpacker = packed_is(w->fd) ? mem_check(unpacker_new()) : NULL;
	if (!*unpacker)
		return;
	packed_open(f, w->fd, w->size, *unpacker, true);
	while (packed_more(f))
		;
	w->packed = f;
	w->size = f->end;
}

int repair_stream(const char *path, FILE *out, const struct metadata *meta, unsigned int cpu,
		  struct repair_books *books)
{
	struct walk w = {
		.path = path, .out = out, .meta = meta, .books = books,
		/* where there are streams of CPUs, those of programs are another class */
		.last = { .magic = FT_PACKET_MAGIC, .stream_instance = cpu, .cpu = cpu,
			  .stream_id = cpu >= TRACE_THREADS && meta->has_stream[1],
			  .clock_hz = meta->freq },
	};

	struct packed_file packed = { 0 };
	struct unpacker *unpacker;

	memcpy(w.last.uuid, meta->uuid, sizeof(w.last.uuid));
	w.fd = open_regular(path, &w.size);
	if (w.fd < 0)
		return -1;
	w.may_read = READ_ANYWAY + READ_FILE * w.size;
	open_packed(&w, &packed, &unpacker);
	w.may_read += READ_STREAM * w.size;
	w.rec = mem_resize(NULL, TRACE_MAX_PACKET, 1);	/* touched as it is needed */
	walk(&w);
	packed_close(&packed);
	unpacker_free(unpacker);
	close(w.fd);
	mem_free(w.rec);
	if (books->findings > w.told)
		printf("%s: and %" PRIu64 " more finding%s\n", path,
		       books->findings - w.told, PLURAL(books->findings - w.told));
	return w.failed ? -1 : 0;
}
