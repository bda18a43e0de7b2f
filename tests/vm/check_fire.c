// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * check_fire FILE ATTEMPTS: does a stream of "fire" events (tests/modules) from
 * one CPU account for every attempt?
 *
 * Packets are well formed and in order; every record is whole, and none comes
 * twice; timestamps never decrease; records + losses = attempts; what is missing
 * is missing where a gap says so, and gaps are only where something is missing.
 * Prints the counts; exit status 0 or 1, with the reason on stderr.
 */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/feather_trace.h>

#define FIRE_CHECK(number)	(~(number) * 0x9e3779b97f4a7c15ull)

struct stream {
	__u64	attempts;
	bool	*seen;
	__u64	records;
	__u64	lost;
	__u64	packets;
	__u64	gaps;
	__u64	last_ts;
	__u64	contexts[4];	/* task, softirq, hardirq, NMI */
	int	last_gap;	/* -1 before the first record */
};

static void take_record(struct stream *s, const struct ft_record *record)
{
	if (record->b != FIRE_CHECK(record->a))
		errx(1, "record %llu is torn: a=%llx b=%llx", s->records,
		     record->a, record->b);
	if (!record->a || record->a > s->attempts || s->seen[record->a])
		errx(1, "record %llu: number %llu comes twice or never was",
		     s->records, record->a);
	if (record->ts < s->last_ts)
		errx(1, "record %llu: the time runs backwards", s->records);

	s->seen[record->a] = true;
	s->last_ts = record->ts;
	s->gaps += s->last_gap >= 0 && record->gap != s->last_gap;
	s->last_gap = record->gap;
	s->records++;
	s->contexts[record->ctx & FT_CTX_NMI ? 3 : record->ctx & FT_CTX_HARDIRQ ? 2 :
		    record->ctx & FT_CTX_SOFTIRQ ? 1 : 0]++;
}

static bool take_packet(struct stream *s, FILE *in, const char *path)
{
	struct ft_packet_header header;
	struct ft_record record;
	__u64 count;

	if (fread(&header, sizeof(header), 1, in) != 1)
		return false;
	if (header.magic != FT_PACKET_MAGIC || header.seq != s->packets ||
	    header.content_bits != header.packet_bits ||
	    header.packet_bits > FT_PACKET_MAX * 8 ||
	    header.discarded < s->lost || header.ts_begin < s->last_ts)
		errx(1, "%s: packet %llu has a bad header", path, s->packets);

	count = (header.content_bits / 8 - sizeof(header)) / sizeof(record);
	while (count--) {
		if (fread(&record, sizeof(record), 1, in) != 1)
			errx(1, "%s: packet %llu is torn", path, s->packets);
		take_record(s, &record);
	}
	if (header.ts_end < s->last_ts)
		errx(1, "%s: packet %llu ends before its records", path, s->packets);
	s->lost = header.discarded;
	s->packets++;
	return true;
}

int main(int argc, char **argv)
{
	struct stream s = { .last_gap = -1 };
	FILE *in;

	if (argc != 3)
		errx(2, "usage: check_fire FILE ATTEMPTS");
	s.attempts = strtoull(argv[2], NULL, 10);
	s.seen = calloc(s.attempts + 1, sizeof(*s.seen));
	in = fopen(argv[1], "r");
	if (!s.seen || !in)
		err(1, "%s", argv[1]);

	while (take_packet(&s, in, argv[1]))
		;
	printf("attempts %llu records %llu lost %llu packets %llu gaps %llu task %llu softirq %llu hardirq %llu nmi %llu\n",
	       s.attempts, s.records, s.lost, s.packets, s.gaps, s.contexts[0],
	       s.contexts[1], s.contexts[2], s.contexts[3]);

	if (s.records + s.lost != s.attempts)
		errx(1, "%llu attempts, but %llu records and %llu lost", s.attempts,
		     s.records, s.lost);
	if (s.gaps && !s.lost)
		errx(1, "%llu gaps, but nothing was lost", s.gaps);
	/* A loss before the first or after the last record leaves no gap. */
	if (s.lost && !s.gaps && s.seen[1] && s.seen[s.attempts])
		errx(1, "%llu records lost, but no gap", s.lost);
	return 0;
}
