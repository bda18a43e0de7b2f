// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Columns become packets again. See unpack.h and columns.h. Nothing in a block is believed. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "packed/columns.h"
#include "packed/unpack.h"

/* Numbers, and how many of them are used. */
struct numbers {
	size_t	n, used;
};

struct unpacker {
	ZSTD_DCtx	*zstd;
	struct column_bytes column[COLUMNS];

	uint64_t	far[COLUMN_RECORDS];
	uint16_t	site_id[COLUMN_RECORDS];
	uint64_t	site_b[COLUMN_RECORDS];
	uint64_t	site_last[COLUMN_RECORDS];
	uint32_t	tid[COLUMN_RECORDS];
	uint16_t	known[COLUMN_RECORDS];
	uint64_t	new[COLUMN_RECORDS];
	struct ft_packet_header headers[COLUMN_PACKETS];
	struct numbers	fars, tids, knowns, news, ctxs, gaps;
	size_t		n_sites, n_headers, n_records;

	size_t		at;		/* the next record's number */
	uint64_t	recent[LOCK_RECENT];
	struct ft_record last;
	uint8_t		data[PACKED_RAW_MAX];
	uint8_t		room[];		/* of the columns */
};

struct unpacker *unpacker_new(void)
{
	struct unpacker *u = calloc(1, sizeof(*u) + columns_room());

	if (!u)
		return NULL;
	columns_place(u->column, u->room);
	u->zstd = ZSTD_createDCtx();
	if (!u->zstd) {
		free(u);
		return NULL;
	}
	return u;
}

void unpacker_free(struct unpacker *u)
{
	if (!u)
		return;
	ZSTD_freeDCtx(u->zstd);
	free(u);
}

void *unpacker_data(struct unpacker *u)
{
	return u->data;
}

/* Is there just so much at @data? */
static bool expand(struct unpacker *u, void *to, size_t raw, const uint8_t *data, size_t packed)
{
	if (packed > raw)
		return false;
	if (packed == raw) {
		memcpy(to, data, raw);
		return true;
	}
	return ZSTD_decompressDCtx(u->zstd, to, raw, data, packed) == raw;
}

static bool expand_columns(struct unpacker *u, const struct packed_header *header)
{
	struct column_size size[COLUMNS];
	size_t at = sizeof(size);

	if (header->packed < at)
		return false;
	memcpy(size, u->data, at);
	for (int i = 0; i < COLUMNS; i++) {
		if (size[i].raw > column_max(i) || size[i].packed > header->packed - at ||
		    !expand(u, u->column[i].bytes, size[i].raw, u->data + at, size[i].packed))
			return false;
		u->column[i].n = size[i].raw;
		at += size[i].packed;
	}
	return at == header->packed;
}

/* @n numbers of @size bytes, whose planes begin at @from. */
static void take_planes(void *numbers, const uint8_t *from, size_t n, size_t size)
{
	uint8_t *to = numbers;

	for (size_t byte = 0; byte < size; byte++) {
		for (size_t i = 0; i < n; i++)
			to[i * size + byte] = *from++;
	}
}

/* Return: how many numbers of @size bytes the column has */
static size_t take_column(struct unpacker *u, enum column which, void *numbers, size_t size)
{
	size_t n = u->column[which].n / size;

	take_planes(numbers, u->column[which].bytes, n, size);
	return n;
}

static bool take_numbers(struct unpacker *u, uint32_t raw)
{
	static const struct {
		enum column	column;
		size_t		size;
	} sizes[] = {
		{ COLUMN_FAR, sizeof(uint64_t) }, { COLUMN_SITES, SITE_BYTES },
		{ COLUMN_TID, sizeof(uint32_t) }, { COLUMN_KNOWN, sizeof(uint16_t) },
		{ COLUMN_NEW, sizeof(uint64_t) }, { COLUMN_HEADERS, COLUMN_HEADER },
	};
	static const enum column each[] = {
		COLUMN_TIME0, COLUMN_TIME1, COLUMN_TIME2, COLUMN_SITE0, COLUMN_SITE1,
		COLUMN_WHO, COLUMN_LOCK,
	};
	const uint8_t *sites = u->column[COLUMN_SITES].bytes;
	size_t headers = u->column[COLUMN_HEADERS].n;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		if (u->column[sizes[i].column].n % sizes[i].size)
			return false;
	}
	if (!headers || headers > raw || (raw - headers) % COLUMN_RECORD)
		return false;
	u->n_records = (raw - headers) / COLUMN_RECORD;
	for (size_t i = 0; i < sizeof(each) / sizeof(*each); i++) {
		if (u->column[each[i]].n != u->n_records)
			return false;
	}
	u->n_sites = u->column[COLUMN_SITES].n / SITE_BYTES;
	take_planes(u->site_id, sites, u->n_sites, sizeof(*u->site_id));
	take_planes(u->site_b, sites + u->n_sites * sizeof(*u->site_id), u->n_sites,
		    sizeof(*u->site_b));
	for (size_t i = 1; i < u->n_sites; i++)
		u->site_b[i] += u->site_b[i - 1];
	u->fars.n = take_column(u, COLUMN_FAR, u->far, sizeof(*u->far));
	u->tids.n = take_column(u, COLUMN_TID, u->tid, sizeof(*u->tid));
	u->knowns.n = take_column(u, COLUMN_KNOWN, u->known, sizeof(*u->known));
	u->news.n = take_column(u, COLUMN_NEW, u->new, sizeof(*u->new));
	u->n_headers = take_column(u, COLUMN_HEADERS, u->headers, COLUMN_HEADER);
	u->ctxs.n = u->column[COLUMN_CTX].n;
	u->gaps.n = u->column[COLUMN_GAP].n;
	return true;
}

static void begin(struct unpacker *u)
{
	u->fars.used = u->tids.used = u->knowns.used = u->news.used = 0;
	u->ctxs.used = u->gaps.used = u->at = 0;
	memset(u->site_last, 0, u->n_sites * sizeof(*u->site_last));
	memset(u->recent, 0, sizeof(u->recent));
	memset(&u->last, 0, sizeof(u->last));
}

/* Was all used? What is left over is damage, too. */
static bool is_used_up(const struct unpacker *u)
{
	return u->at == u->n_records && u->fars.used == u->fars.n &&
	       u->tids.used == u->tids.n && u->knowns.used == u->knowns.n &&
	       u->news.used == u->news.n && u->ctxs.used == u->ctxs.n &&
	       u->gaps.used == u->gaps.n;
}

static bool take_who(struct unpacker *u, uint8_t who)
{
	if (who & ~(WHO_CTX | WHO_GAP | WHO_TID) ||
	    (who & WHO_CTX && u->ctxs.used == u->ctxs.n) ||
	    (who & WHO_GAP && u->gaps.used == u->gaps.n) ||
	    (who & WHO_TID && u->tids.used == u->tids.n))
		return false;
	if (who & WHO_CTX)
		u->last.ctx = u->column[COLUMN_CTX].bytes[u->ctxs.used++];
	if (who & WHO_GAP)
		u->last.gap = u->column[COLUMN_GAP].bytes[u->gaps.used++];
	if (who & WHO_TID)
		u->last.tid = (int32_t)u->tid[u->tids.used++];
	return true;
}

static bool take_time(struct unpacker *u, size_t i)
{
	uint64_t since = u->column[COLUMN_TIME0].bytes[i] |
			 (uint32_t)u->column[COLUMN_TIME1].bytes[i] << 8 |
			 (uint32_t)u->column[COLUMN_TIME2].bytes[i] << 16;

	if (__builtin_expect(since >> 16 == TIME_FAR, 0)) {
		if (u->fars.used == u->fars.n)
			return false;
		since = u->far[u->fars.used++];
	}
	u->last.ts += since;
	return true;
}

static bool take_lock(struct unpacker *u, uint32_t site, uint8_t lock)
{
	unsigned int at = 0;
	uint64_t a;

	if (lock == LOCK_SITE) {
		a = u->site_last[site];
		while (at < LOCK_RECENT && u->recent[at] != a)
			at++;
	} else if (lock <= LOCK_RECENT) {
		at = lock - 1u;
		a = u->recent[at];
	} else if (lock == LOCK_KNOWN) {
		at = LOCK_RECENT;
		/* only what was new is known */
		if (u->knowns.used == u->knowns.n ||
		    u->known[u->knowns.used] >= u->news.used)
			return false;
		a = u->new[u->known[u->knowns.used++]];
	} else {
		at = LOCK_RECENT;
		if (lock != LOCK_NEW || u->news.used == u->news.n)
			return false;
		a = u->new[u->news.used++];
	}
	column_recent(u->recent, at < LOCK_RECENT ? at : LOCK_RECENT - 1, a);
	u->last.a = u->site_last[site] = a;
	return true;
}

static bool take_records(struct unpacker *u, uint8_t *to, size_t n)
{
	for (size_t end = u->at + n; u->at < end; u->at++, to += COLUMN_RECORD) {
		size_t i = u->at;
		uint32_t site = u->column[COLUMN_SITE0].bytes[i] |
				(uint32_t)u->column[COLUMN_SITE1].bytes[i] << 8;
		uint8_t who = u->column[COLUMN_WHO].bytes[i];

		if (site >= u->n_sites || !take_time(u, i) || (who && !take_who(u, who)) ||
		    !take_lock(u, site, u->column[COLUMN_LOCK].bytes[i]))
			return false;
		u->last.id = u->site_id[site];
		u->last.b = u->site_b[site];
		memcpy(to, &u->last, COLUMN_RECORD);
	}
	return true;
}

/* Makes a header of @h, which holds its difference from @foreseen. */
static void add_foreseen(struct ft_packet_header *h, const struct ft_packet_header *foreseen)
{
	uint32_t word[HEADER_WORDS], add[HEADER_WORDS];

	memcpy(word, h, sizeof(word));
	memcpy(add, foreseen, sizeof(add));
	for (size_t i = 0; i < HEADER_WORDS; i++)
		word[i] ^= add[i];
	memcpy(h, word, sizeof(word));
}

static bool take_packets(struct unpacker *u, uint8_t *raw)
{
	struct ft_packet_header foreseen = column_first();

	for (size_t p = 0; p < u->n_headers; p++) {
		struct ft_packet_header *h = &u->headers[p];
		uint64_t content, n;

		/* its size first: there are the records whose times are foreseen */
		content = (h->content_bits ^ foreseen.content_bits) / 8;
		if (content < COLUMN_HEADER || (content - COLUMN_HEADER) % COLUMN_RECORD)
			return false;
		n = (content - COLUMN_HEADER) / COLUMN_RECORD;
		if (n > u->n_records - u->at)
			return false;
		foreseen.ts_begin = u->last.ts;
		if (!take_records(u, raw + COLUMN_HEADER, n))
			return false;
		if (n)
			memcpy(&foreseen.ts_begin, raw + COLUMN_HEADER, sizeof(uint64_t));
		foreseen.ts_end = u->last.ts;
		foreseen.packet_bits = h->content_bits ^ foreseen.content_bits;
		add_foreseen(h, &foreseen);
		memcpy(raw, h, COLUMN_HEADER);
		raw += COLUMN_HEADER + n * COLUMN_RECORD;
		foreseen = *h;
		column_foresee(&foreseen);
	}
	return is_used_up(u);
}

bool unpacker_block(struct unpacker *u, const struct packed_header *header, void *raw)
{
	if (packed_sum(u->data, header->packed) != header->data_sum)
		return false;
	switch (header->kind) {
	case PACKED_STORED:
		memcpy(raw, u->data, header->raw);
		return true;
	case PACKED_BYTES:
		return ZSTD_decompressDCtx(u->zstd, raw, header->raw, u->data,
					   header->packed) == header->raw;
	case PACKED_COLUMNS:
		if (!expand_columns(u, header) || !take_numbers(u, header->raw))
			return false;
		begin(u);
		return take_packets(u, raw);
	}
	return false;
}
