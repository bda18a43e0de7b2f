// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Reading a trace: events begin and end blocks, and are counted.
 *
 * Records of two threads may come in the wrong order: an allocation is stamped when the
 * processor reads the clock, which may be before it has the allocator's lock. Then a block
 * begins where another is still live. The other one ends there; the release that follows at
 * once, by another thread, is its release.
 *
 * A block ends with its process, but counts as never freed. A process is known to have ended
 * if it has called exit(), or executed another program.
 */
#include <string.h>

#include "base/mem.h"
#include "heap/counts.h"
#include "heap/heap.h"
#include "symbols/programs.h"

/* A release that comes later than this is not that of the block before: 1/1000 s. */
#define EARLY_HZ	1000u

/* The kernel maps and unmaps whole pages. */
#define PAGE		4096u

/* --- who ------------------------------------------------------------------ */

static uint64_t tag_of(uint64_t address)
{
	return address >> PROGRAMS_SHIFT;
}

/* The same place of one file is one site, in whatever process. */
static struct heap_row *new_site(struct heap *h, uint64_t site)
{
	struct heap_rows *rows = &h->rows[HEAP_SITES];
	uint64_t at, place;
	struct heap_row *row;
	const char *file;

	file = h->symbols ? symbols_program_file(h->symbols, site, &at) : NULL;
	if (!file)
		return heap_rows_get(rows, site);
	place = map_text_key(file, strlen(file)) ^ at * 0x9e3779b97f4a7c15ull;
	row = heap_rows_get(rows, place);
	/* of all processes, the one that is met first names it */
	if (!row->functions)
		row->key = site;
	return row;
}

static struct heap_row *site_row(struct heap *h, uint64_t site)
{
	struct heap_row *row = map_get(&h->site_at, site);

	if (row)
		return row;
	row = new_site(h, site);
	map_put(&h->site_at, site, row);
	return row;
}

static void end_process(struct heap *h, struct heap_process *p, uint64_t ts);

/* One that executes another program, or gets the number of one that has ended, comes after it. */
static void end_predecessor(struct heap *h, struct heap_process *p, uint64_t address, uint64_t ts)
{
	/* of two PID namespaces both may be there */
	uint64_t key = symbols_pid_namespace(h->symbols, address) << 32 | p->pid;
	struct heap_process *before = map_get(&h->pid_at, key);

	if (before)
		end_process(h, before, ts);
	map_put(&h->pid_at, key, p);
}

static struct heap_process *process_of(struct heap *h, uint64_t address, uint64_t ts)
{
	uint64_t tag = tag_of(address);
	struct heap_process *p = map_get(&h->process_at, tag);

	if (p)
		return p;
	p = mem_zalloc(1, sizeof(*p));
	p->row = heap_rows_get(&h->rows[HEAP_PROCESSES], tag);
	p->pid = h->symbols ? symbols_pid(h->symbols, address) : 0;
	map_put(&h->process_at, tag, p);
	h->processes++;
	if (p->pid)
		end_predecessor(h, p, address, ts);
	return p;
}

static struct heap_thread *thread_of(struct heap *h, const struct heap_event *e)
{
	uint64_t key = tag_of(e->address) << 32 | (uint32_t)e->tid;
	struct heap_thread *t = map_get(&h->thread_at, key);

	if (t)
		return t;
	t = mem_zalloc(1, sizeof(*t));
	t->process = process_of(h, e->address, e->ts);
	t->row = heap_rows_get(&h->rows[HEAP_THREADS], key);
	map_put(&h->thread_at, key, t);
	return t;
}

/* --- blocks --------------------------------------------------------------- */

static void begin_live(struct heap *h, const struct heap_block *block, uint64_t ts)
{
	if (block->thread->process->ended)
		heap_count_left(h, block, true);
	else
		heap_count_live(h, block, ts);
}

static void end_live(struct heap *h, const struct heap_block *block, uint64_t ts)
{
	if (block->thread->process->ended)
		heap_count_left(h, block, false);
	else
		heap_count_not_live(h, block, ts);
}

static void released(struct heap *h, const struct heap_block *block, uint64_t ts, bool brief)
{
	end_live(h, block, ts);
	heap_count_freed(h, block, ts, brief);
}

/* What realloc() has given back has not come back. */
static void settle(struct heap *h, struct heap_thread *t)
{
	if (!t->back.address)
		return;
	heap_count_freed(h, &t->back, t->back_ts, false);
	t->back.address = 0;
}

static void undo(struct heap *h, struct heap_thread *t, const struct heap_event *e,
		 struct heap_done *done)
{
	struct heap_block back = t->back;

	if (!back.address || back.address != e->address) {
		settle(h, t);
		return;
	}
	t->back.address = 0;
	if (heap_blocks_find(&t->process->blocks, back.address))
		return;
	heap_blocks_put(&t->process->blocks, &back);
	begin_live(h, &back, e->ts);
	done->block = back;
}

/* A block is live where another one begins. */
static void replace(struct heap *h, struct heap_process *p, struct heap_block *old, uint64_t ts)
{
	struct heap_block gone = *old;

	h->replaced++;
	map_put(&h->early, gone.address, (void *)(uintptr_t)(ts | 1));
	heap_blocks_remove(&p->blocks, old);
	released(h, &gone, ts, false);
}

/* Is this the release of a block that was replaced just before, by another thread? */
static bool is_of_replaced(struct heap *h, const struct heap_thread *t,
			   const struct heap_block *block, const struct heap_event *e)
{
	uint64_t then;

	then = (uintptr_t)map_get(&h->early, e->address);
	if (!then)
		return false;
	map_del(&h->early, e->address);
	if (e->ts - then > h->trace.meta.freq / EARLY_HZ || block->thread == t)
		return false;
	h->replaced--;
	return true;
}

static struct heap_block new_block(struct heap *h, struct heap_thread *t,
				   const struct heap_event *e)
{
	bool sized = e->size != HEAP_NO_SIZE;
	uint64_t size = sized ? e->size : 0;

	return (struct heap_block){
		.address = e->address, .size = size, .birth = e->ts,
		.site = site_row(h, e->site), .thread = t, .what = (uint8_t)e->what,
		.class = (uint8_t)heap_size_class(size), .sized = sized,
	};
}

static void begin(struct heap *h, struct heap_thread *t, const struct heap_event *e,
		  struct heap_done *done)
{
	struct heap_block block = new_block(h, t, e);
	struct heap_block *old = heap_blocks_find(&t->process->blocks, e->address);

	if (old)
		replace(h, t->process, old, e->ts);
	heap_blocks_put(&t->process->blocks, &block);
	heap_count_allocated(h, &block);
	begin_live(h, &block, e->ts);
	t->latest = e->address;
	done->block = block;
}

static void end(struct heap *h, struct heap_thread *t, const struct heap_event *e,
		struct heap_done *done)
{
	struct heap_block *block = heap_blocks_find(&t->process->blocks, e->address);
	bool brief = t->latest == e->address;

	t->latest = 0;
	if (!block) {
		done->unknown = true;
		h->unknown++;
		return;
	}
	if (is_of_replaced(h, t, block, e))
		return;
	done->block = *block;
	heap_blocks_remove(&t->process->blocks, block);
	if (e->what != FT_HEAP_REALLOC_FREE) {
		released(h, &done->block, e->ts, brief);
		return;
	}
	end_live(h, &done->block, e->ts);
	t->back = done->block;
	t->back_ts = e->ts;
}

/* --- mappings ------------------------------------------------------------- */

static struct heap_event whole_pages(const struct heap_event *e)
{
	struct heap_event whole = *e;

	if (e->size != HEAP_NO_SIZE)
		whole.size = (e->size + PAGE - 1) / PAGE * PAGE;
	return whole;
}

struct cut {
	struct heap	*h;
	uint64_t	ts;
	bool		replaces;
	struct heap_block gone;
};

static void gone(void *arg, const struct heap_block *part)
{
	struct cut *cut = arg;

	cut->gone = *part;
	cut->h->replaced += cut->replaces;
	released(cut->h, part, cut->ts, false);
}

/* If part of a mapping goes, each part that remains counts as a mapping. */
static void stays(void *arg, const struct heap_block *part)
{
	struct cut *cut = arg;
	struct heap_block more = *part;

	more.size = 0;
	more.birth = cut->ts;
	heap_count_allocated(cut->h, &more);
	begin_live(cut->h, &more, cut->ts);
}

static void cut(struct heap *h, struct heap_thread *t, const struct heap_event *e,
		struct cut *cut)
{
	uint64_t end = e->address + (e->size == HEAP_NO_SIZE ? 0 : e->size);

	*cut = (struct cut){ .h = h, .ts = e->ts, .replaces = e->what == FT_HEAP_MAP };
	heap_mappings_cut(&t->process->mappings, e->address, end, gone, stays, cut);
}

static void map(struct heap *h, struct heap_thread *t, const struct heap_event *e,
		struct heap_done *done)
{
	struct heap_event whole = whole_pages(e);
	struct heap_block block;
	struct cut replaced;

	/* its end is unknown; it has no row, either */
	if (e->size == HEAP_NO_SIZE || !e->size) {
		h->unsized++;
		return;
	}
	block = new_block(h, t, &whole);
	cut(h, t, &whole, &replaced);
	heap_count_allocated(h, &block);
	begin_live(h, &block, e->ts);
	done->block = block;
	heap_mappings_put(&t->process->mappings, &block);
}

static void unmap(struct heap *h, struct heap_thread *t, const struct heap_event *e,
		  struct heap_done *done)
{
	struct heap_event whole = whole_pages(e);
	struct cut of;

	cut(h, t, &whole, &of);
	done->block = of.gone;
	done->unknown = !of.gone.address;
	h->unknown += done->unknown;
}

/* --- stacks --------------------------------------------------------------- */

static struct heap_block *block_of(const struct heap_process *p, uint64_t address)
{
	struct heap_block *block = heap_blocks_find(&p->blocks, address);

	return block ? block : heap_mappings_find(&p->mappings, address);
}

/* The block was counted without a stack: count it for its stack from now on. */
static void give_stack(struct heap *h, struct heap_thread *t, const struct heap_event *e)
{
	struct heap_block *block = block_of(t->process, e->address);
	const struct stack *stack = stacks_find(h->stacks, t->process->pid, (uint32_t)e->site);

	if (!stack || !block || block->stack || block->thread != t)
		return;
	block->stack = heap_rows_get(&h->rows[HEAP_STACKS], stack->number);
	heap_count_stack(h, block, t->process->ended);
}

/* --- the end of a process ------------------------------------------------- */

static void leave(struct heap *h, const struct heap_block *block, uint64_t ts, bool ends)
{
	if (ends)
		heap_count_not_live(h, block, ts);
	heap_count_left(h, block, true);
}

/* @ends: the process ends, and its blocks are no longer live; else the trace ends. */
static void leave_all(struct heap *h, struct heap_process *p, uint64_t ts, bool ends)
{
	const struct heap_block *block;

	heap_blocks_for_each(&p->blocks, block)
		leave(h, block, ts, ends);
	for (size_t i = 0; i < p->mappings.n; i++)
		leave(h, &p->mappings.at[i], ts, ends);
}

static void end_process(struct heap *h, struct heap_process *p, uint64_t ts)
{
	if (p->ended)
		return;
	leave_all(h, p, ts, true);
	p->ended = true;
	h->ended++;
}

/* --- the pass ------------------------------------------------------------- */

void heap_take(struct heap *h, const struct heap_event *e, struct heap_done *done)
{
	struct heap_thread *t = thread_of(h, e);

	*done = (struct heap_done){ 0 };
	h->end_ts = e->ts;
	if (e->what == HEAP_STACK) {
		give_stack(h, t, e);
		return;
	}
	if (e->what != FT_HEAP_REALLOC_UNDO)
		settle(h, t);
	switch (e->what) {
	case FT_HEAP_MALLOC:
	case FT_HEAP_CALLOC:
	case FT_HEAP_REALLOC:
	case FT_HEAP_ALIGNED:
	case FT_HEAP_NEW:
		begin(h, t, e, done);
		break;
	case FT_HEAP_FREE:
	case FT_HEAP_REALLOC_FREE:
		end(h, t, e, done);
		break;
	case FT_HEAP_REALLOC_UNDO:
		undo(h, t, e, done);
		break;
	case FT_HEAP_MAP:
		map(h, t, e, done);
		break;
	case FT_HEAP_UNMAP:
		unmap(h, t, e, done);
		break;
	case FT_HEAP_EXIT:
		end_process(h, t->process, e->ts);
		break;
	default:
		break;
	}
}

struct heap *heap_open(const struct heap_asked *asked, char *const *dirs)
{
	struct heap *h = mem_zalloc(1, sizeof(*h));

	h->top = asked->top;
	if (trace_open(&h->trace, dirs)) {
		mem_free(h);
		return NULL;
	}
	h->crew = jobs_crew(&asked->jobs, h->trace.size);
	trace_read_ahead(&h->trace, h->crew);
	h->symbols = symbols_open(h->trace.dir, &asked->symbols);
	h->names = names_open(h->trace.dir);
	h->stacks = stacks_open_parts(&h->trace.parts);
	h->timeline = heap_timeline_new(h->trace.start, HEAP_SPANS);
	h->peak_ts = h->end_ts = h->trace.start;
	return h;
}

/* All of them end with the trace. */
static void end_timelines(struct heap *h)
{
	heap_timeline_at(h->timeline, h->end_ts);
	for (unsigned int table = 0; table < HEAP_OVER_TIME; table++) {
		for (size_t i = 0; i < h->rows[table].n; i++) {
			if (h->rows[table].row[i]->over_time)
				heap_timeline_at(h->rows[table].row[i]->over_time, h->end_ts);
		}
	}
}

void heap_finish(struct heap *h)
{
	struct map_slot *slot;

	map_for_each(&h->thread_at, slot)
		settle(h, slot->value);
	map_for_each(&h->process_at, slot) {
		struct heap_process *p = slot->value;

		if (!p->ended)
			leave_all(h, p, h->end_ts, false);
	}
	end_timelines(h);
	for (unsigned int table = 0; table < HEAP_TABLES; table++) {
		for (size_t i = 0; i < h->rows[table].n; i++)
			heap_row_keep(&h->total, h->rows[table].row[i]);
		heap_rows_sort(&h->rows[table]);
	}
}

const struct heap *heap_read(const struct heap_asked *asked, char *const *dirs)
{
	struct heap *h = heap_open(asked, dirs);
	struct heap_event event;
	struct heap_events events;
	struct heap_done done;
	int ret;

	if (!h)
		return NULL;
	ret = heap_events_open(&events, &h->trace, NULL);
	while (!ret && heap_events_next(&events, &event))
		heap_take(h, &event, &done);
	if (heap_events_close(&events) || ret) {
		heap_free(h);
		return NULL;
	}
	heap_finish(h);
	return h;
}

static void free_processes(struct heap *h)
{
	struct map_slot *slot;

	map_for_each(&h->process_at, slot) {
		struct heap_process *p = slot->value;

		heap_blocks_free(&p->blocks);
		heap_mappings_free(&p->mappings);
		mem_free(p);
	}
	map_for_each(&h->thread_at, slot)
		mem_free(slot->value);
}

void heap_free(const struct heap *read)
{
	struct heap *h = (struct heap *)read;

	if (!h)
		return;
	free_processes(h);
	map_free(&h->process_at);
	map_free(&h->thread_at);
	map_free(&h->pid_at);
	map_free(&h->site_at);
	map_free(&h->early);
	for (unsigned int table = 0; table < HEAP_TABLES; table++)
		heap_rows_free(&h->rows[table]);
	mem_free(h->timeline);
	histogram_free(&h->lifetimes);
	names_free(h->names);
	stacks_free(h->stacks);
	symbols_free(h->symbols);
	trace_close(&h->trace);
	crew_free(h->crew);
	mem_free(h);
}
