// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What was read, and whether it is all that there was. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "torture.h"

/* As in tests/modules/ft_fire.c: the two words of a record belong together. */
#define FIRE_CHECK(number)	(~(number) * 0x9e3779b97f4a7c15ull)

#define ATTEMPTS	"/sys/module/ft_fire/parameters/attempts"

static void see(struct books *b, uint64_t number)
{
	uint64_t max = b->max ? b->max : 1 << 16;

	if (!number || number > 1ull << 32)
		errx(1, "record %llu has number %llu, which never was",
		     (unsigned long long)b->records, (unsigned long long)number);
	while (max <= number)
		max *= 2;
	if (max != b->max) {
		b->seen = realloc(b->seen, max / 8);
		if (!b->seen)
			err(1, "no memory");
		memset(b->seen + b->max / 8, 0, (max - b->max) / 8);
		b->max = max;
	}
	if (b->seen[number / 8] & 1 << number % 8)
		errx(1, "record %llu: number %llu comes twice",
		     (unsigned long long)b->records, (unsigned long long)number);
	b->seen[number / 8] |= 1 << number % 8;
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
	if (record->id != b->fire) {
		b->others++;
		return;
	}
	if (record->b != FIRE_CHECK(record->a))
		errx(1, "record %llu is torn: a=%llx b=%llx",
		     (unsigned long long)b->records, record->a, record->b);
	see(b, record->a);
	b->records++;
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
	b->bytes += at;
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

void books_attempts(uint64_t attempts[MAX_CPUS])
{
	FILE *f = fopen(ATTEMPTS, "r");
	unsigned long long n;
	unsigned int cpu;

	if (!f)
		err(1, ATTEMPTS);
	memset(attempts, 0, MAX_CPUS * sizeof(*attempts));
	while (fscanf(f, "%u %llu", &cpu, &n) == 2) {
		if (cpu < MAX_CPUS)
			attempts[cpu] = n;
	}
	fclose(f);
}

void books_tell(const struct books *b, unsigned int cpu, uint64_t attempts)
{
	printf("      CPU %u: %llu attempts, %llu records, %llu lost, %llu others\n", cpu,
	       (unsigned long long)attempts, (unsigned long long)b->records,
	       (unsigned long long)b->lost, (unsigned long long)b->others);
}

bool books_balance(const struct books *b, unsigned int cpu, uint64_t attempts,
		   bool exact)
{
	if (b->records <= attempts && (!exact || b->records + b->lost == attempts))
		return true;
	printf("    CPU %u: the books do not balance\n", cpu);
	return false;
}
