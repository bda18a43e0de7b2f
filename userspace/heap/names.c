// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What rows are called, for people and for programs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "heap/heap.h"
#include "symbols/frames.h"
#include "symbols/programs.h"

double heap_seconds(const struct heap *h)
{
	return (double)(h->end_ts - h->trace.start) / (double)h->trace.meta.freq;
}

static const char *size_name(uint64_t class, char *buf)
{
	uint64_t to = class ? 1ull << (class - 1) : 0;

	if (class < 3)
		snprintf(buf, SYMBOLS_LEN, "%" PRIu64, to);
	else if (class > 64)
		snprintf(buf, SYMBOLS_LEN, "more");
	else
		snprintf(buf, SYMBOLS_LEN, "%" PRIu64 "-%" PRIu64, to / 2 + 1, to);
	return buf;
}

static const char *task_name(const struct heap *h, uint32_t tid, char *buf)
{
	const char *name = names_find(h->names, (int32_t)tid);

	snprintf(buf, SYMBOLS_LEN, "%s%s%" PRIu32, name ? name : "", name ? " " : "", tid);
	return buf;
}

static const char *process_name(const struct heap *h, uint64_t tag, char *buf)
{
	uint32_t pid = h->symbols ? symbols_pid(h->symbols, tag << PROGRAMS_SHIFT) : 0;

	if (pid)
		return task_name(h, pid, buf);
	snprintf(buf, SYMBOLS_LEN, "process %" PRIu64, tag);
	return buf;
}

const char *heap_row_name(const struct heap *h, enum heap_table table,
			  const struct heap_row *row, char *buf)
{
	switch (table) {
	case HEAP_SIZES:
		return size_name(row->key, buf);
	case HEAP_FUNCTIONS:
		return heap_event_function((enum ft_heap_event)row->key);
	case HEAP_PROCESSES:
		return process_name(h, row->key, buf);
	case HEAP_THREADS:
		return task_name(h, (uint32_t)row->key, buf);
	case HEAP_STACKS:
		snprintf(buf, SYMBOLS_LEN, "%" PRIu64, row->key);
		return buf;
	case HEAP_SITES:
	case HEAP_TABLES:
		break;
	}
	return symbols_format(h->symbols, row->key, true, buf, SYMBOLS_LEN);
}

char *heap_row_path(const struct heap *h, const struct heap_row *row)
{
	return frames_path(h->symbols, stacks_at(h->stacks, (uint32_t)row->key), true,
			   STACKS_DEPTH);
}

const char *heap_row_functions(const struct heap_row *row, char *buf, size_t len)
{
	size_t at = 0;

	*buf = '\0';
	for (unsigned int i = FT_HEAP_BEGINS_FIRST; i <= FT_HEAP_BEGINS_LAST && at < len; i++) {
		if (row->functions & 1u << i)
			at += (size_t)snprintf(buf + at, len - at, "%s%s", at ? "," : "",
					       heap_event_function((enum ft_heap_event)i));
	}
	return buf;
}
