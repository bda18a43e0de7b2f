// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Records become events of the heap: an allocation is two of them. */
#include <err.h>
#include <string.h>

#include "base/mem.h"
#include "heap/events.h"
#include "symbols/programs.h"
#include "trace/stacks.h"

/* The size that a thread has announced for its next allocation or munmap(). */
struct size_of {
	uint64_t	address, size;
};

#define NAME(constant, name, second)	name,
static const char *const names[FT_HEAP_EVENTS_N] = { FT_HEAP_EVENTS(NAME) };

const char *heap_event_name(enum ft_heap_event what)
{
	return names[what];
}

const char *heap_event_function(enum ft_heap_event what)
{
	return what == FT_HEAP_MAP ? "mmap" : names[what] + strlen("heap_");
}

/* Ids are fixed, but an old trace, or another tracer's, may have others there. */
static bool has_events(const struct trace *t, unsigned int class)
{
	for (unsigned int i = 0; i < FT_HEAP_EVENTS_N; i++) {
		const struct event_type *type = metadata_event(&t->meta, class, FT_ID_HEAP(i));

		if (!type || strcmp(type->name, names[i]))
			return false;
	}
	return true;
}

int heap_events_open(struct heap_events *e, struct trace *t, FILE *out)
{
	bool any = false;

	*e = (struct heap_events){ .trace = t };
	for (unsigned int class = 0; class < METADATA_CLASSES; class++)
		any |= e->ours[class] = has_events(t, class);
	if (!any) {
		warnx("%s: nothing of the heap was recorded: ft run --heap -o TRACE -- COMMAND",
		      t->title);
		return -1;
	}
	return reading_begin(&e->reading, t, NULL, out);
}

int heap_events_close(struct heap_events *e)
{
	struct map_slot *slot;

	map_for_each(&e->sizes, slot)
		mem_free(slot->value);
	map_free(&e->sizes);
	return reading_end(&e->reading);
}

static uint64_t thread_key(const struct ft_record *rec)
{
	return (rec->a >> 48) << 32 | (uint32_t)rec->tid;
}

static void keep_size(struct heap_events *e, const struct ft_record *rec)
{
	uint64_t key = thread_key(rec);
	struct size_of *size = map_get(&e->sizes, key);

	if (!size) {
		size = mem_zalloc(1, sizeof(*size));
		map_put(&e->sizes, key, size);
	}
	*size = (struct size_of){ rec->a, rec->b };
}

/* That of the record before, if it is of the same block; it counts once. */
static uint64_t take_size(struct heap_events *e, const struct ft_record *rec)
{
	struct size_of *size = map_get(&e->sizes, thread_key(rec));
	uint64_t value;

	if (!size || size->address != rec->a || size->size == HEAP_NO_SIZE)
		return HEAP_NO_SIZE;
	value = size->size;
	size->size = HEAP_NO_SIZE;
	/* beyond the addresses of a process: damaged */
	return value > PROGRAMS_MASK - (rec->a & PROGRAMS_MASK) ? HEAP_NO_SIZE : value;
}

static bool take_stack(const struct heap_events *e, const struct stream *s,
		       struct heap_event *event)
{
	const struct ft_record *rec = s->rec;
	const struct event_type *type = stream_event(e->trace, s);

	*event = (struct heap_event){ .ts = s->ts, .tid = rec->tid, .what = HEAP_STACK,
				      .address = rec->b, .site = STACKS_ID(rec->a) };
	/* a lock may be where a block begins */
	return type && !strcmp(type->name, "stack") && event->site &&
	       STACKS_OF(rec->a) == STACKS_OF_ALLOCATION;
}

/* Return: false if it is not an event of its own. */
static bool take(struct heap_events *e, const struct stream *s, struct heap_event *event)
{
	const struct ft_record *rec = s->rec;
	enum ft_heap_event what = (enum ft_heap_event)(rec->id - FT_ID_USER_HEAP);

	if (rec->id == FT_ID_STACK && e->ours[s->class])
		return take_stack(e, s, event);
	if (rec->id < FT_ID_USER_HEAP || what >= FT_HEAP_EVENTS_N || !e->ours[s->class])
		return false;
	/* no block is there: the record is damaged */
	if (!rec->a && what != FT_HEAP_EXIT)
		return false;
	if (what == FT_HEAP_SIZE) {
		keep_size(e, rec);
		return false;
	}
	*event = (struct heap_event){
		.ts = s->ts, .tid = rec->tid, .what = what, .address = rec->a, .site = rec->b,
		.size = heap_event_begins(what) || what == FT_HEAP_UNMAP ? take_size(e, rec) : 0,
	};
	return true;
}

bool heap_events_next(struct heap_events *e, struct heap_event *event)
{
	struct stream *s;

	while (reading_next(&e->reading, &s)) {
		if (s->item == STREAM_RECORD && take(e, s, event))
			return true;
	}
	return false;
}
