// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What was read, and whether it is all that there was. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "books.h"

/* As in tests/modules/ft_fire.c: the two words of a record belong together. */
#define FIRE_CHECK(word)	(~(word) * 0x9e3779b97f4a7c15ull)
#define FIRE_NUMBER(word)	((word) & 0xffffffffffull)
#define FIRE_CTX(word)		((uint8_t)((word) >> 40))
#define FIRE_CONTEXT(word)	((word) >> 48)

/*
 * What fires, in the order of ft_fire.c, and what its innermost context may be: bits of
 * contexts[]. A CPU that idles and polls is sent no interrupt: its idle task looks for the
 * calls of others itself.
 */
static const struct {
	const char	*name;
	unsigned int	may_be;
} fires[] = {
	{ "task", 1 << 0 }, { "bh-off", 1 << 0 }, { "softirq", 1 << 1 }, { "hardirq", 1 << 2 },
	{ "ipi", 1 << 2 | 1 << 0 }, { "nmi", 1 << 3 },
};

static void see(struct books *b, uint64_t number)
{
	uint64_t bits = b->bits ? b->bits : 1 << 16;

	if (!number || number > 1ull << 32)
		errx(1, "record %llu has number %llu, which never was",
		     (unsigned long long)b->records, (unsigned long long)number);
	while (bits <= number)
		bits *= 2;
	if (bits != b->bits) {
		b->seen = realloc(b->seen, bits / 8);
		if (!b->seen)
			err(1, "no memory");
		memset(b->seen + b->bits / 8, 0, (bits - b->bits) / 8);
		b->bits = bits;
	}
	if (b->seen[number / 8] & 1 << number % 8)
		errx(1, "record %llu: number %llu comes twice",
		     (unsigned long long)b->records, (unsigned long long)number);
	b->seen[number / 8] |= 1 << number % 8;
	if (number > b->highest)
		b->highest = number;
	if (!b->lowest || number < b->lowest)
		b->lowest = number;
}

static bool was_seen(const struct books *b, uint64_t number)
{
	return number < b->bits && b->seen[number / 8] & 1 << number % 8;
}

/*
 * Was something lost between two records? What interrupts at either end has a later
 * number and an earlier place, which is a hole in the numbers, but not of records.
 */
static bool has_hole(const struct books *b, uint64_t attempts)
{
	uint64_t span = b->records ? b->highest - b->lowest + 1 : 0;

	if (was_seen(b, 1) && was_seen(b, attempts))
		return b->lost;
	return span - b->records > 2 * NESTING;
}

/* Which of contexts[]: the innermost. */
static unsigned int context(const struct ft_record *record)
{
	if (record->ctx & FT_CTX_NMI)
		return 3;
	return record->ctx & FT_CTX_HARDIRQ ? 2 : !!(record->ctx & FT_CTX_SOFTIRQ);
}

/* Does the record say in what context it was fired? */
static void check_context(const struct books *b, const struct ft_record *record)
{
	uint64_t fired = FIRE_CONTEXT(record->a);

	if (fired >= sizeof(fires) / sizeof(fires[0]))
		errx(1, "record %llu was fired by nobody", (unsigned long long)b->records);
	if (record->ctx != FIRE_CTX(record->a) ||
	    !(fires[fired].may_be & 1 << context(record)))
		errx(1, "record %llu was fired in %s, context %02x, and has context %02x",
		     (unsigned long long)b->records, fires[fired].name, FIRE_CTX(record->a),
		     record->ctx);
}

void books_record(struct books *b, const struct ft_record *record)
{
	if (record->ts < b->last_ts)
		errx(1, "record %llu: the time runs backwards",
		     (unsigned long long)(b->records + b->others));
	b->last_ts = record->ts;
	if (!record->id)
		errx(1, "record %llu is not ready",
		     (unsigned long long)(b->records + b->others));
	b->gaps += b->records + b->others && record->gap != b->last_gap;
	b->last_gap = record->gap;
	if (b->fire && record->id != b->fire) {
		b->others++;
		return;
	}
	if (record->b != FIRE_CHECK(record->a))
		errx(1, "record %llu is torn: a=%llx b=%llx",
		     (unsigned long long)b->records, record->a, record->b);
	check_context(b, record);
	see(b, FIRE_NUMBER(record->a));
	b->records++;
	b->contexts[context(record)]++;
}

static void take_header(struct books *b, const struct ft_packet_header *header)
{
	if (header->magic != FT_PACKET_MAGIC || header->seq != b->seq ||
	    header->content_bits != header->packet_bits ||
	    header->packet_bits > FT_PACKET_MAX * 8 ||
	    header->packet_bits < sizeof(*header) * 8)
		errx(1, "packet %llu has a bad header", (unsigned long long)b->seq);
	if (header->discarded < b->lost)
		errx(1, "packet %llu: losses become fewer",
		     (unsigned long long)b->seq);
	if (header->ts_begin < b->last_ts)
		errx(1, "packet %llu begins before the last record",
		     (unsigned long long)b->seq);
}

size_t books_packets(struct books *b, const void *buf, size_t bytes)
{
	size_t at = 0, end;

	while (bytes - at >= sizeof(struct ft_packet_header)) {
		struct ft_packet_header header;
		struct ft_record record;

		memcpy(&header, (const char *)buf + at, sizeof(header));
		take_header(b, &header);
		end = at + header.packet_bits / 8;
		if (end > bytes)
			break;
		for (at += sizeof(header); at != end; at += sizeof(record)) {
			memcpy(&record, (const char *)buf + at, sizeof(record));
			books_record(b, &record);
		}
		if (header.ts_end < b->last_ts)
			errx(1, "packet %llu ends before its records",
			     (unsigned long long)b->seq);
		b->lost = header.discarded;
		b->seq++;
	}
	return at;
}

void books_file(struct books *b, const char *path, bool torn, bool missing)
{
	static char buf[64 * FT_PACKET_MAX];
	size_t have = 0, got, used;
	FILE *f = fopen(path, "r");

	if (!f && missing)
		return;
	if (!f)
		err(1, "%s", path);
	while ((got = fread(buf + have, 1, sizeof(buf) - have, f))) {
		have += got;
		used = books_packets(b, buf, have);
		have -= used;
		memmove(buf, buf + used, have);
	}
	if (have && !torn)
		errx(1, "%s: %zu bytes of a packet at the end", path, have);
	fclose(f);
}

void books_tell(const struct books *b, uint64_t attempts)
{
	printf("attempts %llu records %llu lost %llu others %llu packets %llu gaps %llu task %llu softirq %llu hardirq %llu nmi %llu\n",
	       (unsigned long long)attempts, (unsigned long long)b->records,
	       (unsigned long long)b->lost, (unsigned long long)b->others,
	       (unsigned long long)b->seq, (unsigned long long)b->gaps,
	       (unsigned long long)b->contexts[0], (unsigned long long)b->contexts[1],
	       (unsigned long long)b->contexts[2], (unsigned long long)b->contexts[3]);
}

const char *books_balance(const struct books *b, uint64_t attempts, bool exact)
{
	if (b->records > attempts || b->highest > attempts)
		return "there are records that nobody attempted";
	if (!exact)
		return NULL;
	if (b->records + b->overwritten + b->lost != attempts)
		return "records and losses are not the attempts";
	if (b->gaps && !b->lost)
		return "there are gaps, but nothing was lost";
	/* A loss before the first or after the last record leaves no gap. */
	if (has_hole(b, attempts) && !b->gaps && !b->overwritten)
		return "records were lost, but there is no gap";
	return NULL;
}
