// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Packets become columns, and columns smaller. See pack.h and columns.h. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "packed/columns.h"
#include "packed/pack.h"

#define HASH_BITS	14	/* twice as many as there can be records in a block */
#define HASH_SIZE	(1u << HASH_BITS)

/* Finds the number of a word that was seen in this block. */
struct seen {
	uint64_t	a, b;
	uint32_t	block;		/* in which this entry was made */
	uint32_t	number;
};

/* An event, and the place that it comes from. */
struct place {
	uint64_t	b;
	uint16_t	id, number;
};

struct packer {
	ZSTD_CCtx	*zstd;
	uint32_t	block;		/* number of the current one: older entries are void */

	/* Of the block. */
	struct column_bytes column[COLUMNS];
	uint32_t	n_sites, n_known;
	struct seen	sites[HASH_SIZE], known[HASH_SIZE];
	uint64_t	site_last[COLUMN_RECORDS];	/* the first word there */
	struct place	place[COLUMN_RECORDS];		/* by number, at last by address */
	uint16_t	site_rank[COLUMN_RECORDS];	/* by number: where it is at last */
	uint16_t	site_id[COLUMN_RECORDS];
	uint64_t	site_b[COLUMN_RECORDS];
	uint64_t	new[COLUMN_RECORDS];
	uint16_t	known_number[COLUMN_RECORDS];
	uint64_t	far[COLUMN_RECORDS];
	uint32_t	tid[COLUMN_RECORDS];
	uint32_t	n_far, n_tid, n_new, n_known_number;
	uint64_t	recent[LOCK_RECENT];
	struct ft_record last;
	struct ft_packet_header headers[COLUMN_PACKETS];	/* less what was foreseen */
	uint32_t	n_headers;
	uint8_t		room[];		/* of the columns */
};

struct packer *packer_new(int level)
{
	struct packer *p = calloc(1, sizeof(*p) + columns_room());

	if (!p)
		return NULL;
	columns_place(p->column, p->room);
	p->zstd = ZSTD_createCCtx();
	if (!p->zstd ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, level))) {
		packer_free(p);
		return NULL;
	}
	return p;
}

void packer_free(struct packer *p)
{
	if (!p)
		return;
	ZSTD_freeCCtx(p->zstd);
	free(p);
}

static void put(struct packer *p, enum column which, uint8_t byte)
{
	p->column[which].bytes[p->column[which].n++] = byte;
}

/* @n numbers of @size bytes, as planes, behind what the column has. */
static void put_planes(struct packer *p, enum column which, const void *numbers, size_t n,
		       size_t size)
{
	const uint8_t *from = numbers;
	uint8_t *to = p->column[which].bytes + p->column[which].n;

	for (size_t byte = 0; byte < size; byte++) {
		for (size_t i = 0; i < n; i++)
			*to++ = from[i * size + byte];
	}
	p->column[which].n += n * size;
}

/* The entry of (a, b), or the free one where it belongs. */
static struct seen *find(struct packer *p, struct seen *table, uint64_t a, uint64_t b)
{
	uint64_t hash = (a * 0x9e3779b97f4a7c15ull ^ b) * 0xd6e8feb86659fd93ull;
	uint32_t i = (uint32_t)(hash >> (64 - HASH_BITS));

	while (table[i].block == p->block && (table[i].a != a || table[i].b != b))
		i = (i + 1) % HASH_SIZE;
	return &table[i];
}

static uint32_t put_site(struct packer *p, const struct ft_record *rec)
{
	struct seen *s = find(p, p->sites, rec->id, rec->b);

	if (s->block != p->block) {
		*s = (struct seen){ rec->id, rec->b, p->block, p->n_sites++ };
		p->place[s->number] = (struct place){ rec->b, rec->id, (uint16_t)s->number };
		p->site_last[s->number] = 0;
	}
	put(p, COLUMN_SITE0, (uint8_t)s->number);
	put(p, COLUMN_SITE1, (uint8_t)(s->number >> 8));
	return s->number;
}

/* Is used for the second time, or more often. */
static uint8_t put_known(struct packer *p, uint64_t a)
{
	struct seen *s = find(p, p->known, a, 0);

	if (s->block == p->block) {
		p->known_number[p->n_known_number++] = (uint16_t)s->number;
		return LOCK_KNOWN;
	}
	*s = (struct seen){ a, 0, p->block, p->n_known++ };
	p->new[p->n_new++] = a;
	return LOCK_NEW;
}

static void put_lock(struct packer *p, uint32_t site, uint64_t a)
{
	unsigned int at = 0;
	uint8_t lock;

	while (at < LOCK_RECENT && p->recent[at] != a)
		at++;
	if (p->site_last[site] == a)
		lock = LOCK_SITE;
	else
		lock = at < LOCK_RECENT ? (uint8_t)(at + 1) : put_known(p, a);
	put(p, COLUMN_LOCK, lock);
	column_recent(p->recent, at < LOCK_RECENT ? at : LOCK_RECENT - 1, a);
	p->site_last[site] = a;
}

static void put_time(struct packer *p, uint64_t ts)
{
	uint64_t since = ts - p->last.ts;

	put(p, COLUMN_TIME0, (uint8_t)since);
	put(p, COLUMN_TIME1, (uint8_t)(since >> 8));
	put(p, COLUMN_TIME2, since >> 16 < TIME_FAR ? (uint8_t)(since >> 16) : TIME_FAR);
	if (since >> 16 >= TIME_FAR)
		p->far[p->n_far++] = since;
}

static void put_who(struct packer *p, const struct ft_record *rec)
{
	uint8_t who = 0;

	if (rec->ctx != p->last.ctx) {
		who |= WHO_CTX;
		put(p, COLUMN_CTX, rec->ctx);
	}
	if (rec->gap != p->last.gap) {
		who |= WHO_GAP;
		put(p, COLUMN_GAP, rec->gap);
	}
	if (rec->tid != p->last.tid) {
		who |= WHO_TID;
		p->tid[p->n_tid++] = (uint32_t)rec->tid;
	}
	put(p, COLUMN_WHO, who);
}

static void put_records(struct packer *p, const uint8_t *raw, size_t n)
{
	struct ft_record rec;

	for (size_t i = 0; i < n; i++) {
		memcpy(&rec, raw + i * COLUMN_RECORD, COLUMN_RECORD);
		put_time(p, rec.ts);
		put_who(p, &rec);
		put_lock(p, put_site(p, &rec), rec.a);
		p->last = rec;
	}
}

/* @first, @last: times of the packet's records. */
static void put_header(struct packer *p, const struct ft_packet_header *h,
		       struct ft_packet_header *foreseen, uint64_t first, uint64_t last)
{
	uint32_t word[HEADER_WORDS], minus[HEADER_WORDS];
	struct ft_packet_header f = *foreseen;

	f.packet_bits = h->content_bits;
	f.ts_begin = first;
	f.ts_end = last;
	memcpy(word, h, sizeof(word));
	memcpy(minus, &f, sizeof(minus));
	for (size_t i = 0; i < HEADER_WORDS; i++)
		word[i] ^= minus[i];
	memcpy(&p->headers[p->n_headers++], word, sizeof(word));
	*foreseen = *h;
	column_foresee(foreseen);
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->b != y->b ? (x->b > y->b) - (x->b < y->b) : (x->id > y->id) - (x->id < y->id);
}

/* Puts the table of places in order, so that it becomes small, and numbers them anew. */
static void put_sites(struct packer *p)
{
	struct column_bytes *low = &p->column[COLUMN_SITE0], *high = &p->column[COLUMN_SITE1];
	uint64_t before = 0;

	qsort(p->place, p->n_sites, sizeof(*p->place), compare_places);
	for (uint32_t i = 0; i < p->n_sites; i++) {
		p->site_rank[p->place[i].number] = (uint16_t)i;
		p->site_id[i] = p->place[i].id;
		p->site_b[i] = p->place[i].b - before;
		before = p->place[i].b;
	}
	for (size_t i = 0; i < low->n; i++) {
		uint16_t rank = p->site_rank[low->bytes[i] | high->bytes[i] << 8];

		low->bytes[i] = (uint8_t)rank;
		high->bytes[i] = (uint8_t)(rank >> 8);
	}
	put_planes(p, COLUMN_SITES, p->site_id, p->n_sites, sizeof(*p->site_id));
	put_planes(p, COLUMN_SITES, p->site_b, p->n_sites, sizeof(*p->site_b));
}

static void put_packets(struct packer *p, const uint8_t *raw, size_t len)
{
	struct ft_packet_header h, foreseen = column_first();
	size_t n;

	for (size_t at = 0; at < len; at += COLUMN_HEADER + n * COLUMN_RECORD) {
		const uint8_t *records = raw + at + COLUMN_HEADER;
		uint64_t first = p->last.ts;

		memcpy(&h, raw + at, COLUMN_HEADER);
		n = (h.content_bits / 8 - COLUMN_HEADER) / COLUMN_RECORD;
		if (n)
			memcpy(&first, records, sizeof(first));
		put_records(p, records, n);
		put_header(p, &h, &foreseen, first, p->last.ts);
	}
}

static void begin(struct packer *p)
{
	if (!++p->block) {	/* the number has wrapped: old entries would be valid again */
		memset(p->sites, 0, sizeof(p->sites));
		memset(p->known, 0, sizeof(p->known));
		p->block = 1;
	}
	for (int i = 0; i < COLUMNS; i++)
		p->column[i].n = 0;
	p->n_sites = p->n_known = p->n_headers = 0;
	p->n_far = p->n_tid = p->n_new = p->n_known_number = 0;
	memset(p->recent, 0, sizeof(p->recent));
	memset(&p->last, 0, sizeof(p->last));
}

/* Return: bytes at @out; SIZE_MAX: there is no room for them */
static size_t put_column(struct packer *p, enum column which, struct column_size *size,
			 uint8_t *out, size_t room)
{
	const struct column_bytes *c = &p->column[which];
	size_t packed = c->n;

	size->raw = (uint32_t)c->n;
	if (packed > 16) {
		packed = ZSTD_compress2(p->zstd, out, room < c->n ? room : c->n, c->bytes, c->n);
		if (ZSTD_isError(packed) || packed >= c->n)
			packed = c->n;
	}
	if (packed > room)
		return SIZE_MAX;
	if (packed == c->n)
		memcpy(out, c->bytes, c->n);
	size->packed = (uint32_t)packed;
	return packed;
}

/* Return: bytes at @out, or 0 if they are not less than @len */
static size_t pack_columns(struct packer *p, const uint8_t *raw, size_t len, uint8_t *out)
{
	struct column_size size[COLUMNS];
	size_t used = sizeof(size);

	if (len <= used)
		return 0;
	begin(p);
	put_packets(p, raw, len);
	put_sites(p);
	put_planes(p, COLUMN_FAR, p->far, p->n_far, sizeof(*p->far));
	put_planes(p, COLUMN_TID, p->tid, p->n_tid, sizeof(*p->tid));
	put_planes(p, COLUMN_KNOWN, p->known_number, p->n_known_number,
		   sizeof(*p->known_number));
	put_planes(p, COLUMN_NEW, p->new, p->n_new, sizeof(*p->new));
	put_planes(p, COLUMN_HEADERS, p->headers, p->n_headers, sizeof(*p->headers));
	for (int i = 0; i < COLUMNS; i++) {
		size_t n = put_column(p, i, &size[i], out + used, len - 1 - used);

		if (n == SIZE_MAX)
			return 0;
		used += n;
	}
	memcpy(out, size, sizeof(size));
	return used;
}

size_t packer_block(struct packer *p, const void *raw, size_t len, uint64_t at, void *out)
{
	uint8_t *data = (uint8_t *)out + sizeof(struct packed_header);
	enum packed_kind kind = PACKED_COLUMNS;
	struct packed_header header;
	size_t n = 0;

	if (packed_describe(&header, raw, len, at))
		n = pack_columns(p, raw, len, data);
	if (!n) {
		kind = PACKED_BYTES;
		n = ZSTD_compress2(p->zstd, data, len - 1, raw, len);
	}
	if (!n || ZSTD_isError(n)) {
		kind = PACKED_STORED;
		n = len;
		memcpy(data, raw, len);
	}
	packed_seal(&header, kind, data, n);
	memcpy(out, &header, sizeof(header));
	return sizeof(header) + n;
}
