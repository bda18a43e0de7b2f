// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A walk over a damaged stream. Where a packet ends, the next header is expected,
 * and may have a few wrong fields; where there is none, the next one is searched
 * by its magic number and uuid, and what lies in between is lost.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "trace/repair.h"
#include "trace/trace.h"

#define MAX_TOLD	20	/* findings a file that are printed one by one */
/* A packet's number cannot be that far ahead: it is wrong. */
#define MAX_MISSING	(1ull << 32)
/* So many records are not lost in the life of a machine. */
#define MAX_DISCARDED	(1ull << 56)
#define PATTERN		20	/* magic and uuid */

/* A header, and what is wrong with it. */
struct place {
	uint64_t		pos;
	struct ft_packet_header	h;
	char			wrong[128];
};

void fix_tell(struct fix_stream *s, uint64_t pos, const char *fmt, ...)
{
	char name[TRACE_NAME_LEN];
	va_list ap;

	if (s->fix->counting || s->told++ >= MAX_TOLD)
		return;
	printf("%s: offset %" PRIu64 ": ", trace_stream_name(name, s->cpu), pos);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

static bool header_at(struct fix_stream *s, uint64_t pos, struct place *place)
{
	const uint8_t *p = fix_window(&s->in, pos, FIX_HEADER);

	if (!p)
		return false;
	place->pos = pos;
	memcpy(&place->h, p, FIX_HEADER);
	return fix_judge(s, &place->h, place->wrong, sizeof(place->wrong));
}

/* Return: does one begin before @end? If not, @place is there. */
static bool find_header(struct fix_stream *s, uint64_t pos, uint64_t end,
			struct place *place)
{
	const uint32_t magic = FT_PACKET_MAGIC;
	uint8_t pattern[PATTERN];

	memcpy(pattern, &magic, sizeof(magic));
	memcpy(pattern + sizeof(magic), s->fix->uuid, sizeof(s->fix->uuid));
	while (pos < end && s->in.size - pos >= FIX_HEADER) {
		const uint8_t *p, *found;
		size_t len = FIX_WINDOW;

		if (len > end - pos + PATTERN)
			len = (size_t)(end - pos) + PATTERN;
		if (len > s->in.size - pos)
			len = (size_t)(s->in.size - pos);
		p = fix_window(&s->in, pos, len);
		if (!p)
			break;
		found = memmem(p, len, pattern, PATTERN);
		pos += found ? (size_t)(found - p) : len - PATTERN + 1;
		if (found && pos < end && header_at(s, pos, place))
			return true;
		pos += !!found;
	}
	place->pos = end;
	return false;
}

/* What is missing. */

/* Bytes that are no packets, and perhaps the number of packets that were there. */
static uint64_t guess_records(uint64_t bytes, uint64_t packets)
{
	uint64_t headers = (packets ? packets : 1) * FIX_HEADER;
	uint64_t n = bytes > headers ? (bytes - headers) / FIX_RECORD : 0;

	return n > packets ? n : packets ? packets : 1;
}

/* Between the packet before and this one, so many bytes belong to nothing. */
static void lose_bytes(struct fix_stream *s, uint64_t pos, uint64_t bytes,
		       const struct ft_packet_header *next)
{
	uint64_t expected = s->any ? s->seq + 1 : 0, missing = 0, n;

	if (next && next->seq == expected) {
		fix_tell(s, pos, "%" PRIu64 " bytes are no packet: left out, and no packet is missing",
			 bytes);
		s->mended++;
		return;
	}
	if (next && next->seq > expected &&
	    next->seq - expected <= bytes / FIX_HEADER)
		missing = next->seq - expected;
	n = guess_records(bytes, missing);
	fix_tell(s, pos, "%" PRIu64 " bytes are no packet: left out, some %" PRIu64
		 " records lost", bytes, n);
	s->mended++;
	fix_lose(s, n);
}

/* The number of a packet without a hole before it in the file. */
static void check_seq(struct fix_stream *s, struct place *at, bool skipped,
		      const struct ft_packet_header *next)
{
	uint64_t expected = s->any ? s->seq + 1 : at->h.seq, missing;

	if (!s->any && next && at->h.seq >= next->seq && next->seq) {
		expected = next->seq - 1;
	} else if (at->h.seq > expected && at->h.seq - expected <= MAX_MISSING &&
		   !(next && next->seq == expected + 1)) {
		missing = at->h.seq - expected;
		if (skipped)	/* they were there */
			return;
		fix_tell(s, at->pos, "%" PRIu64 " packets before it are missing, at least as many records lost",
			 missing);
		s->mended++;
		fix_lose(s, missing);
		return;
	}
	if (at->h.seq == expected)
		return;
	fix_tell(s, at->pos, "the packet has number %" PRIu64 ": corrected to %"
		 PRIu64, (uint64_t)at->h.seq, expected);
	s->mended++;
	at->h.seq = expected;
}

static void check_discarded(struct fix_stream *s, struct place *at,
			    const struct ft_packet_header *next)
{
	bool falls = at->h.discarded < s->discarded;
	bool peak = next && next->discarded < at->h.discarded &&
		    next->discarded >= s->discarded;

	if (!falls && !peak && at->h.discarded <= MAX_DISCARDED)
		return;
	fix_tell(s, at->pos, "the packet counts %" PRIu64 " lost records: corrected to %"
		 PRIu64, (uint64_t)at->h.discarded, s->discarded);
	s->mended++;
	at->h.discarded = s->discarded;
}

/* Packets. */

static bool all_zero(const uint8_t *p, size_t len)
{
	while (len && !*p) {
		p++;
		len--;
	}
	return !len;
}

/*
 * Where a packet ends: where it says, if the file reaches to there; but before the
 * next header.
 */
static uint64_t packet_end(struct fix_stream *s, const struct place *at,
			   struct place *next, bool *has_next)
{
	uint64_t end = s->in.size;

	if (end - at->pos > TRACE_MAX_PACKET)
		end = at->pos + TRACE_MAX_PACKET;
	if (fix_sizes_good(&at->h) && at->h.packet_bits / 8 < end - at->pos)
		end = at->pos + at->h.packet_bits / 8;
	*has_next = find_header(s, at->pos + FIX_HEADER, end, next) ||
		    header_at(s, end, next);
	return *has_next ? next->pos : end;
}

/* Bytes of records in a packet of @len bytes; ours are not padded, others may be. */
static size_t body_of(struct fix_stream *s, const struct place *at, uint64_t len)
{
	uint64_t content = at->h.content_bits / 8;
	const uint8_t *p;

	if (fix_sizes_good(&at->h) && content < len) {
		p = fix_window(&s->in, at->pos + content, (size_t)(len - content));
		if (p && all_zero(p, (size_t)(len - content)))
			len = content;
	}
	return (size_t)(len - FIX_HEADER);
}

/* Two sizes that differ: one of them may be wrong. */
static void check_size(struct fix_stream *s, const struct place *at, uint64_t len,
		       size_t body)
{
	uint64_t content = at->h.content_bits / 8, packet = at->h.packet_bits / 8;

	if (!fix_sizes_good(&at->h) || content == packet ||
	    (packet == len && content == FIX_HEADER + body))
		return;
	fix_tell(s, at->pos, "the packet's sizes are %" PRIu64 " and %" PRIu64
		 ", but it has %" PRIu64 " bytes: corrected", content, packet, len);
	s->mended++;
}

/* How many records there should be. */
static uint64_t records_of(const struct place *at, size_t body)
{
	uint64_t n = (body + FIX_RECORD - 1) / FIX_RECORD;
	uint64_t says = (at->h.content_bits / 8 - FIX_HEADER) / FIX_RECORD;

	return fix_sizes_good(&at->h) && says > n ? says : n;
}

/* Writes what is kept; each hole ends a packet, so that counts tell where. */
static void write_kept(struct fix_stream *s, const struct ft_packet_header *h,
		       struct ft_record *rec, const bool *keep, size_t n)
{
	size_t i, from;

	for (i = 0; i < n;) {
		for (from = i; i < n && keep[i]; i++)
			;
		if (i > from)
			fix_write(s, h, rec + from, i - from);
		for (from = i; i < n && !keep[i]; i++)
			;
		if (i > from)
			fix_lose(s, i - from);
	}
}

/* Return: 0, or -1 where the file cannot be read */
static int take_records(struct fix_stream *s, const struct place *at, size_t body,
			uint64_t next)
{
	size_t n = body / FIX_RECORD, kept;
	uint64_t lost = records_of(at, body);
	const uint8_t *p = fix_window(&s->in, at->pos + FIX_HEADER, body);
	struct ft_record *rec;
	bool *keep;

	if (!p)
		return -1;
	rec = mem_zalloc(n, sizeof(*rec));
	keep = mem_zalloc(n, sizeof(*keep));
	memcpy(rec, p, n * sizeof(*rec));
	kept = fix_choose(s, &at->h, rec, n, next, keep);
	lost -= kept;
	if (lost) {
		fix_tell(s, at->pos, "of the packet's records %zu are good, %" PRIu64
			 " lost", kept, lost);
		s->mended++;
	}
	/* a packet without records tells of losses by its count */
	if (!n && !lost)
		fix_write(s, &at->h, NULL, 0);
	write_kept(s, &at->h, rec, keep, n);
	fix_lose(s, lost - (n - kept));
	free(rec);
	free(keep);
	return 0;
}

/* A packet of long ago: its number and its times say so. */
static bool is_repeated(const struct fix_stream *s, const struct place *at,
			size_t body)
{
	return s->any && body && at->h.seq <= s->seq && at->h.ts_end <= s->ts &&
	       at->h.ts_begin <= at->h.ts_end && at->h.ts_begin < s->ts;
}

/* Return: 0 and *@pos is behind it, or -1 */
static int take_packet(struct fix_stream *s, struct place *at, bool skipped,
		       uint64_t *pos)
{
	struct place next = { .pos = 0 };
	bool has_next, times_wrong;
	uint64_t end = packet_end(s, at, &next, &has_next);
	size_t body = body_of(s, at, end - at->pos);
	struct ft_packet_header *h = &at->h;
	uint64_t limit = FIX_NO_TIME;
	int ret;

	*pos = end;
	if (is_repeated(s, at, body)) {
		fix_tell(s, at->pos, "the packet has number %" PRIu64
			 " and was here before: left out", (uint64_t)h->seq);
		s->mended++;
		return 0;
	}

	if (*at->wrong) {
		fix_tell(s, at->pos, "wrong in the packet's header: %s: corrected",
			 at->wrong);
		s->mended++;
	}
	check_seq(s, at, skipped, has_next ? &next.h : NULL);
	check_discarded(s, at, has_next ? &next.h : NULL);
	check_size(s, at, end - at->pos, body);
	times_wrong = body >= FIX_RECORD &&
		      (h->ts_begin > h->ts_end || h->ts_begin < s->ts);
	/* what is not right behind it does for a limit of times all the same */
	if (has_next || find_header(s, end, s->in.size, &next))
		limit = next.h.ts_begin;
	ret = take_records(s, at, body, limit);
	if (times_wrong) {
		fix_tell(s, at->pos, "the packet begins at %" PRIu64 " and ends at %"
			 PRIu64 ": taken from its records",
			 (uint64_t)h->ts_begin, (uint64_t)h->ts_end);
		s->mended++;
	}
	s->any = true;
	s->seq = h->seq;
	s->discarded = h->discarded;
	s->packets++;
	return ret;
}

static void finish(struct fix_stream *s)
{
	char name[TRACE_NAME_LEN];
	struct ft_packet_header h = {
		.magic = FT_PACKET_MAGIC,
		.stream_id = s->class,
		.stream_instance = s->cpu,
		.cpu = s->cpu,
		.clock_hz = s->fix->freq,
		.discarded = s->discarded,
	};

	memcpy(h.uuid, s->fix->uuid, sizeof(h.uuid));
	if (s->cut)
		fix_write(s, &h, NULL, 0);
	if (s->told > MAX_TOLD)
		printf("%s: and %u more findings\n",
		       trace_stream_name(name, s->cpu), s->told - MAX_TOLD);
}

int fix_stream(struct fix_stream *s)
{
	struct place at;
	uint64_t pos = 0;

	while (pos < s->in.size && !s->in.failed && !s->failed) {
		uint64_t from = pos;
		struct place inner;
		bool found = header_at(s, pos, &at) ||
			     find_header(s, pos + 1, s->in.size, &at);

		/* a header that the next one cuts short is none */
		if (found && find_header(s, at.pos + 1, at.pos + FIX_HEADER, &inner))
			at = inner;
		if (s->in.failed)
			break;
		if (at.pos > from)
			lose_bytes(s, from, at.pos - from, found ? &at.h : NULL);
		if (!found)
			break;
		if (take_packet(s, &at, at.pos > from, &pos))
			break;
	}
	finish(s);
	return s->in.failed || s->failed ? -1 : 0;
}
