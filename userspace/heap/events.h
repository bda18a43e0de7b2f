/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* From the records of a trace to what happened to the heaps of its programs. */
#ifndef FT_HEAP_EVENTS_H
#define FT_HEAP_EVENTS_H

#include "base/map.h"
#include "libfeathertrace/heap_events.h"
#include "locks/reading.h"

#define HEAP_NO_SIZE	UINT64_MAX

/* Not a call: the stack of the same thread's allocation before it. */
#define HEAP_STACK	FT_HEAP_EVENTS_N

/**
 * struct heap_event - a call, and what it did
 * @what:	never FT_HEAP_SIZE; or HEAP_STACK, with its id in @site
 * @address:	of the block, with the tag of its process
 * @size:	of an allocation, and of FT_HEAP_UNMAP; HEAP_NO_SIZE: that record was lost
 * @site:	the return address of the call
 */
struct heap_event {
	uint64_t		ts;
	int32_t			tid;
	enum ft_heap_event	what;
	uint64_t		address, size, site;
};

/** struct heap_events - a trace while it is read; all of it is private */
struct heap_events {
	struct trace	*trace;
	struct reading	reading;
	bool		ours[METADATA_CLASSES];	/* the class has these events */
	struct map	sizes;			/* by thread: the size that comes next */
};

/**
 * heap_events_open - @t is open; its events begin
 * @out:	where the caller writes meanwhile, or NULL
 *
 * Return: 0, or -1 after a message: it has none of the heap, or cannot be read.
 */
int heap_events_open(struct heap_events *e, struct trace *t, FILE *out);

/** heap_events_close - Return: 0, or -1, after a message, where reading has failed */
int heap_events_close(struct heap_events *e);

/** heap_events_next - in the order of time. Return: is there one? */
bool heap_events_next(struct heap_events *e, struct heap_event *event);

/** heap_event_name - as the trace calls it */
const char *heap_event_name(enum ft_heap_event what);

/** heap_event_function - "malloc", "new": of an allocation */
const char *heap_event_function(enum ft_heap_event what);

static inline bool heap_event_begins(enum ft_heap_event what)
{
	return what >= FT_HEAP_BEGINS_FIRST && what <= FT_HEAP_BEGINS_LAST;
}

#endif /* FT_HEAP_EVENTS_H */
