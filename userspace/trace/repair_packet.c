// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Which headers and records of a damaged stream can be believed. */
#include <string.h>

#include "base/mem.h"
#include "trace/repair.h"
#include "trace/trace.h"

/* Of a header's fields that are known beforehand, so many may be wrong. */
#define MAX_WRONG	2
/* Of the 16 bytes of another trace's uuid, hardly one is the same. */
#define UUID_ALIKE	8

bool fix_sizes_good(const struct ft_packet_header *h)
{
	uint64_t content = h->content_bits / 8, packet = h->packet_bits / 8;

	return !(h->content_bits % 64 || h->packet_bits % 64 ||
		 content < FIX_HEADER || (content - FIX_HEADER) % FIX_RECORD ||
		 packet < content || packet > TRACE_MAX_PACKET);
}

static void blame(char *wrong, size_t len, const char *field, unsigned int *n)
{
	size_t used = strlen(wrong);

	snprintf(wrong + used, len - used, "%s%s", used ? ", " : "", field);
	++*n;
}

static unsigned int alike(const uint8_t *a, const uint8_t *b)
{
	unsigned int i, n = 0;

	for (i = 0; i < 16; i++)
		n += a[i] == b[i];
	return n;
}

bool fix_judge(const struct fix_stream *s, struct ft_packet_header *h,
	       char *wrong, size_t len)
{
	unsigned int n = 0;

	wrong[0] = '\0';
	if (alike(h->uuid, s->fix->uuid) < UUID_ALIKE ||
	    (h->cpu != s->cpu && h->stream_instance != s->cpu))
		return false;
	if (h->magic != FT_PACKET_MAGIC)
		blame(wrong, len, "magic number", &n);
	if (memcmp(h->uuid, s->fix->uuid, sizeof(h->uuid)))
		blame(wrong, len, "uuid", &n);
	if (h->stream_id != s->class)
		blame(wrong, len, "stream", &n);
	if (h->stream_instance != s->cpu)
		blame(wrong, len, "stream instance", &n);
	if (h->cpu != s->cpu)
		blame(wrong, len, "CPU", &n);
	if (h->clock_hz != s->fix->freq)
		blame(wrong, len, "clock", &n);
	if (!fix_sizes_good(h))
		blame(wrong, len, "size", &n);
	if (n > MAX_WRONG)
		return false;
	h->magic = FT_PACKET_MAGIC;
	memcpy(h->uuid, s->fix->uuid, sizeof(h->uuid));
	h->stream_id = s->class;
	h->stream_instance = h->cpu = s->cpu;
	h->clock_hz = s->fix->freq;
	return true;
}

/* Records. */

struct span {
	uint64_t from, to;
};

static bool is_good(const struct fix_stream *s, const struct ft_record *rec,
		    const struct span *span)
{
	return rec->ts >= span->from && rec->ts <= span->to &&
	       fix_event_known(s->fix, s->class, rec->id);
}

static bool all_good(const struct fix_stream *s, const struct ft_record *rec,
		     size_t n, const struct span *span)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (!is_good(s, &rec[i], span) ||
		    (i && rec[i].ts < rec[i - 1].ts))
			return false;
	}
	return true;
}

/*
 * The longest sequence of good records whose times do not fall: what is not in
 * it is what does not fit. For each length, the sequence of that length with the
 * least last time; binary search finds which of them a record continues.
 */
static size_t keep_longest(const struct fix_stream *s,
			   const struct ft_record *rec, size_t n,
			   const struct span *span, bool *keep)
{
	uint32_t *last = mem_zalloc(n, sizeof(*last));	/* by length - 1 */
	uint32_t *before = mem_zalloc(n, sizeof(*before));
	size_t longest = 0, i;
	uint32_t at;

	for (i = 0; i < n; i++) {
		size_t low = 0, high = longest;

		keep[i] = false;
		if (!is_good(s, &rec[i], span))
			continue;
		while (low < high) {
			size_t mid = low + (high - low) / 2;

			if (rec[last[mid]].ts <= rec[i].ts)
				low = mid + 1;
			else
				high = mid;
		}
		before[i] = low ? last[low - 1] : 0;
		last[low] = (uint32_t)i;
		if (low == longest)
			longest++;
	}
	at = longest ? last[longest - 1] : 0;
	for (i = longest; i-- > 0; at = before[at])
		keep[at] = true;
	free(last);
	free(before);
	return longest;
}

/*
 * The header says when its records were, and so do the packets around it: either
 * may be wrong, and what fits more of the records is believed. The header has the
 * first say, and if there is no packet behind it, nearly the last.
 */
size_t fix_choose(const struct fix_stream *s, const struct ft_packet_header *h,
		  const struct ft_record *rec, size_t n, uint64_t next, bool *keep)
{
	struct span own = { h->ts_begin, h->ts_end };
	struct span around = { s->ts, next };
	size_t kept, other;

	if (next < s->ts || next > s->fix->ts_max)
		next = FIX_NO_TIME;
	if (own.to > s->fix->ts_max)
		own.to = s->fix->ts_max;
	if (own.from < s->ts)
		own.from = s->ts;
	if (next == FIX_NO_TIME)
		around.to = own.to < s->ts ? s->fix->ts_max : own.to;
	if (all_good(s, rec, n, &own)) {
		memset(keep, true, n * sizeof(*keep));
		return n;
	}
	kept = keep_longest(s, rec, n, &own, keep);
	if (kept == n || (next == FIX_NO_TIME && kept > n / 2))
		return kept;
	other = keep_longest(s, rec, n, &around, keep);
	return other > kept ? other : keep_longest(s, rec, n, &own, keep);
}
