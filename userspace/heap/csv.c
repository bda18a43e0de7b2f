// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A line for each allocation and each release, in the order of time. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"
#include "heap/heap.h"
#include "symbols/programs.h"
#include "view/data/csv.h"

static void put_head(FILE *f)
{
	fputs("time_ns,pid,tid,task,event,address,size,lifetime_ns,caller\r\n", f);
}

/* What is unknown is left empty: the lifetime of a live block, the size of a lost one. */
static void put_block(FILE *f, const struct heap *h, const struct heap_event *e,
		      const struct heap_done *done)
{
	bool begins = heap_event_begins(e->what) || e->what == FT_HEAP_REALLOC_UNDO;
	const struct heap_block *block = &done->block;

	if (block->address && block->sized)
		fprintf(f, "%" PRIu64, block->size);
	fputc(',', f);
	if (block->address && !begins)
		fprintf(f, "%" PRIu64, heap_ns(h, e->ts - block->birth));
	fputc(',', f);
}

static void put_event(FILE *f, const struct heap *h, const struct heap_event *e,
		      const struct heap_done *done)
{
	uint32_t pid = h->symbols ? symbols_pid(h->symbols, e->address) : 0;
	const char *task = names_find(h->names, e->tid);
	char name[SYMBOLS_LEN];

	fprintf(f, "%" PRIu64 ",", heap_ns(h, e->ts - h->trace.start));
	if (pid)
		fprintf(f, "%" PRIu32, pid);
	fprintf(f, ",%" PRId32 ",", e->tid);
	csv_text(f, task ? task : "");
	fprintf(f, ",%s,0x%" PRIx64 ",", heap_event_name(e->what), e->address & PROGRAMS_MASK);
	put_block(f, h, e, done);
	if (e->what != FT_HEAP_EXIT)
		csv_text(f, symbols_format(h->symbols, e->site, true, name, sizeof(name)));
	fputs("\r\n", f);
}

/* Return: 0, an errno of the output, or -1 after a message */
static int put_all(FILE *f, struct heap *h)
{
	struct heap_events events;
	struct heap_event event;
	struct heap_done done;
	int ret = heap_events_open(&events, &h->trace, f);

	if (!ret)
		put_head(f);
	while (!ret && heap_events_next(&events, &event)) {
		heap_take(h, &event, &done);
		if (event.what == HEAP_STACK)
			continue;
		put_event(f, h, &event, &done);
		ret = ferror(f) ? errno : 0;
	}
	return heap_events_close(&events) ? -1 : ret;
}

int heap_csv(const struct heap_asked *asked, char *const *dirs, FILE *f)
{
	struct heap *h = heap_open(asked, dirs);
	int ret, status;

	if (!h)
		return FT_EXIT_ERROR;
	ret = put_all(f, h);
	status = ret < 0 ? FT_EXIT_ERROR : trace_status(&h->trace);
	status = output_finish(f, ret > 0 ? ret : 0, status);
	heap_free(h);
	return status;
}
