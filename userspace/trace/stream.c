// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Reading a stream packet by packet. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/uuid.h"
#include "trace/trace.h"

#define HEADER		sizeof(struct ft_packet_header)
#define RECORD		sizeof(struct ft_record)

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "records are read as they lie in the file");

/* Prints what is wrong with the current packet, and a remedy. */
__attribute__((format(printf, 2, 3)))
static int stream_bad(struct stream *s, const char *fmt, ...)
{
	char *what;
	va_list ap;

	va_start(ap, fmt);
	what = mem_vformat(fmt, ap);
	va_end(ap);
	warnx("%s: packet at offset %jd: %s", s->path, (intmax_t)s->packet, what);
	mem_free(what);
	warnx("%s: the rest of it is not read; to save what can be saved: ft fix '%s'",
	      s->path, trace_part(s));
	return -1;
}

/* A block of a compressed stream is damaged. */
static int block_bad(struct stream *s)
{
	return stream_bad(s, "the compressed block that has it is damaged");
}

/* Makes @len bytes follow at head, as long as the file has that many. */
static int stream_fill(struct stream *s, size_t len)
{
	while (s->tail - s->head < len) {
		ssize_t n;

		memmove(s->buf, s->buf + s->head, s->tail - s->head);
		s->tail -= s->head;
		s->head = 0;
		n = stream_read(s, s->buf + s->tail, s->room - s->tail,
				s->pos + (off_t)s->tail);
		if (n == -EBADMSG)
			return block_bad(s);
		if (n < 0) {
			errno = (int)-n;
			warn("cannot read %s at offset %jd", s->path,
			     (intmax_t)(s->pos + (off_t)s->tail));
			return -1;
		}
		if (!n) {
			warnx("%s became shorter while it was read", s->path);
			return -1;
		}
		s->tail += (size_t)n;
	}
	return 0;
}

static void stream_consume(struct stream *s, size_t len)
{
	s->head += len;
	s->pos += (off_t)len;
}

/*
 * The end of the last packet is missing: the writer was stopped. Its whole records are read;
 * @missing records behind them count as lost, as with ft fix.
 */
static void stream_torn(struct stream *s, uint64_t need, uint64_t missing)
{
	s->torn = (uint64_t)(s->size - s->pos);
	s->missing = missing;
	warnx("%s: the last packet is torn: at offset %jd, %" PRIu64
	      " of %" PRIu64 " bytes are there; %" PRIu64 " records are lost",
	      s->path, (intmax_t)s->pos, s->torn, need, missing);
}

/* Not even its header is whole: it had an unknown number of records, at least one. */
static int header_torn(struct stream *s)
{
	stream_torn(s, HEADER, 1);
	s->left = s->padding = 0;
	stream_consume(s, s->torn);
	return 1;
}

/*
 * The last block may be followed by a partial one: that is like a torn packet, or damage.
 * Return: 1 something is lost, 0 it is a good end, -1 with a message
 */
static int block_end(struct stream *s)
{
	struct packed_file *f = s->packed;
	uint64_t torn = f->torn, n = f->torn_records;

	s->packet = s->pos;
	if (f->bad)
		return stream_bad(s, "the file has no compressed block at its offset %" PRIu64,
				  f->bad_at);
	if (!torn)
		return 0;
	f->torn = 0;
	s->torn = torn;
	s->missing = n;
	s->left = s->padding = 0;
	warnx("%s: the last block is torn: %" PRIu64 " of its %" PRIu64
	      " bytes are there; %" PRIu64 " records are lost", s->path, torn, f->torn_size, n);
	return 1;
}

static int check_uuid(struct stream *s, const struct ft_packet_header *h)
{
	const struct metadata *m = &s->trace->meta;
	char have[UUID_LEN], want[UUID_LEN];

	if (!m->has_uuid || !memcmp(m->uuid, h->uuid, sizeof(m->uuid)))
		return 0;
	uuid_format(have, h->uuid);
	uuid_format(want, m->uuid);
	return stream_bad(s, "is of another trace: uuid %s, not %s",
			  have, want);
}

static int check_size(struct stream *s, const struct ft_packet_header *h)
{
	if (!trace_size_ok(h))
		return stream_bad(s, "impossible size: content %" PRIu64
				  " of %" PRIu64 " bits", (uint64_t)h->content_bits,
				  (uint64_t)h->packet_bits);
	return 0;
}

static int check_class(struct stream *s, const struct ft_packet_header *h)
{
	if (s->packets && h->stream_id != s->class)
		return stream_bad(s, "is of the class of streams %u, not %u",
				  h->stream_id, s->class);
	if (h->stream_id >= METADATA_CLASSES ||
	    !s->trace->meta.has_stream[h->stream_id])
		return stream_bad(s, "is of the class of streams %u, which the metadata does not have",
				  h->stream_id);
	s->class = (uint8_t)h->stream_id;
	return 0;
}

/* The time of the record before, as it says itself. */
static uint64_t last_stamp(const struct stream *s)
{
	return s->ts == s->floor ? s->stamp : s->ts;
}

/* Checks a packet against the one before. */
static int check_order(struct stream *s, const struct ft_packet_header *h)
{
	bool empty = h->content_bits == HEADER * 8;

	if (h->cpu != s->cpu)
		return stream_bad(s, "is of CPU %" PRIu64 ", not %u",
				  (uint64_t)h->cpu, s->cpu);
	if (s->begun && h->seq != s->seq + 1)
		return stream_bad(s, "has number %" PRIu64
				  " and follows %" PRIu64
				  ": packets between them are missing",
				  (uint64_t)h->seq, s->seq);
	if (h->discarded < s->lost - s->lost_before)
		return stream_bad(s, "count of lost records falls from %"
				  PRIu64 " to %" PRIu64, s->lost - s->lost_before,
				  (uint64_t)h->discarded);
	if (!empty && (h->ts_begin < last_stamp(s) || h->ts_end < h->ts_begin))
		return stream_bad(s, "the clock goes back: begins at %"
				  PRIu64 ", ends at %" PRIu64 ", after %" PRIu64,
				  (uint64_t)h->ts_begin, (uint64_t)h->ts_end,
				  last_stamp(s));
	return 0;
}

/* The file has less of the packet than its header says. */
static void packet_torn(struct stream *s, const struct ft_packet_header *h,
			uint64_t rest)
{
	uint64_t whole = (rest - HEADER) / RECORD;

	if (whole > s->left)	/* all are there, but not all of the padding */
		whole = s->left;
	stream_torn(s, h->packet_bits / 8, s->left - whole);
	s->left = whole;
	s->padding = rest - HEADER - whole * RECORD;
}

/* The file has been read to its end. Return: 1 there is another one, 0, -1 */
static int next_file(struct stream *s)
{
	int ret = stream_open_file(s, s->part + 1);

	if (ret <= 0)
		return ret;
	s->head = s->tail = 0;
	s->pos = 0;
	s->begun = false;
	s->lost_before = s->lost;
	return 1;
}

/* Losses in all files, up to this packet. */
static uint64_t lost_by(const struct stream *s, const struct ft_packet_header *h)
{
	uint64_t lost;

	return __builtin_add_overflow(s->lost_before, h->discarded, &lost) ? UINT64_MAX : lost;
}

/* Return: 1 a packet was begun, 0 there is none, -1 */
static int packet_begin(struct stream *s)
{
	struct ft_packet_header h = { 0 };
	uint64_t rest, lost;
	int ret;

	if (s->ended)
		return 0;
	if (s->trace->is_partial)
		stream_pass(s);
	stream_reach(s, HEADER);
	while (s->pos == s->size) {
		ret = s->packed ? block_end(s) : 0;
		if (ret)
			return ret;
		ret = next_file(s);
		if (ret <= 0)
			return ret;
		stream_reach(s, HEADER);
	}
	rest = (uint64_t)(s->size - s->pos);
	s->packet = s->pos;
	if (stream_fill(s, rest < HEADER ? rest : HEADER))
		return -1;
	memcpy(&h, s->buf + s->head, rest < HEADER ? rest : HEADER);
	if (rest >= sizeof(h.magic) && h.magic != FT_PACKET_MAGIC)
		return stream_bad(s, "begins with %#x, not with %#x",
				  h.magic, FT_PACKET_MAGIC);
	if (rest < HEADER)
		return header_torn(s);
	if (check_uuid(s, &h) || check_class(s, &h) || check_size(s, &h))
		return -1;
	if (check_order(s, &h))
		return -1;
	stream_reach(s, h.packet_bits / 8);
	rest = (uint64_t)(s->size - s->pos);

	if (!s->begun && h.seq)
		warnx("%s: begins with packet %" PRIu64
		      ": those before it are missing", s->path, (uint64_t)h.seq);
	s->left = (h.content_bits / 8 - HEADER) / RECORD;
	s->padding = (h.packet_bits - h.content_bits) / 8;
	if (h.packet_bits / 8 > rest)
		packet_torn(s, &h, rest);
	stream_consume(s, HEADER);
	s->seq = h.seq;
	s->fresh = true;
	s->ts_begin = h.ts_begin;
	s->ts_end = h.ts_end;
	s->packets++;
	s->begun = true;
	lost = lost_by(s, &h);
	s->late = lost > s->lost && (!s->left || !s->gap_mask);
	s->lost = lost;
	return 1;
}

static int skip_padding(struct stream *s)
{
	while (s->padding) {
		size_t n = s->padding < s->room ? s->padding : s->room;

		if (stream_fill(s, n))
			return -1;
		stream_consume(s, n);
		s->padding -= n;
	}
	return 0;
}

static int bad_time(struct stream *s)
{
	off_t at = s->pos - (off_t)(s->batch * RECORD);

	return stream_bad(s, "the record at offset %jd has the time %" PRIu64
			  ", which is not from %" PRIu64 " to %" PRIu64,
			  (intmax_t)at, (uint64_t)s->rec[1].ts,
			  last_stamp(s) > s->ts_begin ? last_stamp(s) : s->ts_begin,
			  s->ts_end);
}

/* From here to the next record, some were lost. */
static int gap_begin(struct stream *s)
{
	s->item = STREAM_GAP;
	s->in_gap = true;
	s->gaps++;
	return 1;
}

/* Ends the stream before the end of its file, with a gap: held locks become unknown. */
static int stream_break(struct stream *s)
{
	s->records -= s->batch;
	s->batch = s->left = s->padding = 0;
	s->head = s->tail = 0;
	s->pos = s->size;
	s->broken = s->ended = true;
	return s->in_gap ? 0 : gap_begin(s);
}

/* A record from before s->floor gets that time. */
static void take_time(struct stream *s, const struct ft_record *rec)
{
	if (rec->ts < s->floor)
		s->stamp = rec->ts;
	else
		s->ts = rec->ts;
}

/*
 * The next record is not an ordinary one: of a wrong time, after a gap, or behind a
 * raised one and earlier than that.
 */
int stream_next_odd(struct stream *s)
{
	const struct ft_record *rec = s->rec + 1;

	if (rec->ts < last_stamp(s) || rec->ts > s->ts_end) {
		bad_time(s);
		return stream_break(s);
	}
	if (s->in_gap) {
		s->item = STREAM_RESUME;
		s->in_gap = false;
		s->gap = rec->gap;
		take_time(s, rec);
		return 1;
	}
	if ((rec->gap ^ s->gap) & s->gap_mask)
		return gap_begin(s);
	s->batch--;
	s->rec = rec;
	s->item = STREAM_RECORD;
	take_time(s, rec);
	return 1;
}

/* The batch: as many records of the packet as the buffer holds. */
static int batch_begin(struct stream *s)
{
	if (stream_fill(s, RECORD))
		return -1;
	s->batch = (s->tail - s->head) / RECORD;
	if (s->batch > s->left)
		s->batch = s->left;
	s->left -= s->batch;
	s->rec = (const struct ft_record *)(s->buf + s->head) - 1;
	if (!s->records)	/* count from the gap of the first record */
		s->gap = s->rec[1].gap;
	s->records += s->batch;
	stream_consume(s, s->batch * RECORD);
	if (s->fresh && s->rec[1].ts < s->ts_begin)
		return bad_time(s);
	s->fresh = false;
	return 0;
}

/* Parts are missing here: nothing is known of locks that are held. */
static int dropped_begin(struct stream *s)
{
	s->dropped = false;
	s->dropped_gaps++;
	/* a stream that begins with it has no time yet */
	if (!s->records && s->left)
		s->ts = s->ts_begin;
	return gap_begin(s);
}

/*
 * The end of the stream. Losses after the last record show in a packet without
 * records; or in that they are counted, and no record shows a gap.
 */
static int stream_end(struct stream *s)
{
	if (s->ended || s->in_gap || !(s->gap_mask || s->dropped))
		return 0;
	s->ended = true;
	if (s->dropped)
		return dropped_begin(s);
	return s->late || (s->lost && s->gaps == s->dropped_gaps) ? gap_begin(s) : 0;
}

int stream_next_slow(struct stream *s)
{
	int ret;

	while (!s->left) {
		ret = skip_padding(s);
		if (s->missing && !ret) {
			s->lost += s->missing;
			s->missing = 0;
			if (!s->in_gap)
				return gap_begin(s);
		}
		if (!ret)
			ret = packet_begin(s);
		if (ret <= 0)
			return ret ? stream_break(s) : stream_end(s);
		/* without gaps in records, a count that rises has to tell */
		if (s->late && !s->gap_mask && !s->in_gap)
			return gap_begin(s);
		if (s->dropped && !s->in_gap)
			return dropped_begin(s);
		s->dropped = false;
	}
	if (batch_begin(s))
		return stream_break(s);
	return s->in_gap ? stream_next_odd(s) : stream_next(s);
}
