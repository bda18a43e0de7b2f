// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The packets of the mended stream. They are numbered without holes; what the
 * damage has cost is added to the count of lost records of all packets behind
 * it, and the gap of the records behind it changes, as if the tracer had lost
 * them.
 */
#include <err.h>

#include "trace/repair.h"
#include "trace/trace.h"

void fix_lose(struct fix_stream *s, uint64_t n)
{
	s->cut += n;
	s->lost += n;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* What stood before the first record is not seen in gaps: counting must do. */
static void move_gaps(struct fix_stream *s, struct ft_record *rec, size_t n)
{
	size_t i;

	if (!s->fix->has_gap)
		return;
	if (s->cut && s->any_record &&
	    (uint8_t)(rec[0].gap + s->shift) == s->gap_out)
		s->shift++;
	for (i = 0; s->shift && i < n; i++)
		rec[i].gap = (uint8_t)(rec[i].gap + s->shift);
	s->gap_out = rec[n - 1].gap;
	s->any_record = true;
}

void fix_write(struct fix_stream *s, const struct ft_packet_header *h,
	       struct ft_record *rec, size_t n)
{
	char title[TRACE_NAME_LEN];
	struct ft_packet_header out = *h;
	uint32_t *seen = s->fix->seen[s->class];
	size_t i;

	if (n)
		move_gaps(s, rec, n);
	s->cut_all = add(s->cut_all, s->cut);
	s->cut = 0;
	out.seq = s->any_out ? s->seq_out + 1 : h->seq;
	out.discarded = add(h->discarded, s->cut_all);
	if (out.discarded < s->discarded_out)
		out.discarded = s->discarded_out;
	out.ts_begin = n ? rec[0].ts : s->ts;
	out.ts_end = n ? rec[n - 1].ts : s->ts;
	out.content_bits = out.packet_bits = (FIX_HEADER + n * FIX_RECORD) * 8;
	s->any_out = true;
	s->seq_out = out.seq;
	s->discarded_out = out.discarded;
	s->ts = out.ts_end;
	s->saved += n;
	for (i = 0; s->fix->counting && i < n; i++)
		seen[rec[i].id] += seen[rec[i].id] < UINT32_MAX;
	if (!s->out || s->failed)
		return;
	if (fwrite(&out, sizeof(out), 1, s->out) != 1 ||
	    (n && fwrite(rec, sizeof(*rec), n, s->out) != n)) {
		warn("cannot write the mended stream of %s",
		     trace_stream_title(title, s->cpu));
		s->failed = true;
	}
}
