// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* News of tasks, from the bytes of a ring to names: see news.h. */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "record/kernel/news.h"

/* The records of interest; the time follows the last member. */
struct fork_record {
	struct perf_event_header header;
	__u32	pid, ppid;
	__u32	tid, ptid;
	__u64	at;
};

struct comm_record {
	struct perf_event_header header;
	__u32	pid, tid;
	char	name[];
};

struct lost_record {
	struct perf_event_header header;
	__u64	id, lost;
};

union record {
	struct perf_event_header header;
	struct fork_record	fork;
	struct comm_record	comm;
	struct lost_record	lost;
	char			bytes[256];	/* room for unexpected records */
};

/* The longest record that we ask for. */
#define RECORD_MOST	64

/* A record may wrap around the end of the ring. */
static void copy_out(void *to, size_t len, const void *ring, size_t size,
		     uint64_t at)
{
	size_t offset = at & (size - 1), first = size - offset;

	if (first > len)
		first = len;
	memcpy(to, (const char *)ring + offset, first);
	memcpy((char *)to + first, ring, len - first);
}

static struct record_news_item *add(struct record_news *news)
{
	size_t room = news->room ? 2 * news->room : 256;
	void *item = news->item;

	if (news->n == news->room) {
		item = reallocarray(item, room, sizeof(*news->item));
		if (!item) {
			news->missed++;
			return NULL;
		}
		news->item = item;
		news->room = room;
	}
	return memset(&news->item[news->n++], 0, sizeof(*news->item));
}

static void take_fork(struct record_news *news, const struct fork_record *r)
{
	struct record_news_item *item = add(news);

	if (!item)
		return;
	memcpy(&item->time, (const char *)r + r->header.size - sizeof(item->time),
	       sizeof(item->time));
	item->tid = r->tid;
	item->parent = r->ptid;
}

static void take_comm(struct record_news *news, const struct comm_record *r)
{
	struct record_news_item *item = add(news);
	size_t len = r->header.size - sizeof(*r) - sizeof(item->time);

	if (!item)
		return;
	memcpy(&item->time, r->name + len, sizeof(item->time));
	item->tid = r->tid;
	memcpy(item->name, r->name, strnlen(r->name, len < RECORD_NAME_LEN ?
					    len : RECORD_NAME_LEN - 1));
}

/* Return: false if the record is invalid: then the next one cannot be found. */
static bool take(struct record_news *news, const union record *r)
{
	size_t size = r->header.size;

	switch (r->header.type) {
	case PERF_RECORD_FORK:
		if (size < sizeof(r->fork) + sizeof(__u64) || size > sizeof(*r))
			return false;
		take_fork(news, &r->fork);
		return true;
	case PERF_RECORD_COMM:
		if (size < sizeof(r->comm) + sizeof(__u64) || size > sizeof(*r))
			return false;
		take_comm(news, &r->comm);
		return true;
	case PERF_RECORD_LOST:
		if (size < sizeof(r->lost))
			return false;
		news->missed += r->lost.lost;
		return true;
	}
	return true;
}

void record_news_read(struct record_news *news, const void *ring, size_t size,
		      uint64_t tail, uint64_t head)
{
	union record r;

	/* The kernel reports a loss with the next record that finds room. */
	if (size - (head - tail) < RECORD_MOST)
		news->full = true;
	while (tail < head) {
		size_t len;

		copy_out(&r.header, sizeof(r.header), ring, size, tail);
		len = r.header.size;
		if (len < sizeof(r.header) || len > head - tail)
			break;
		copy_out(&r, len < sizeof(r) ? len : sizeof(r), ring, size, tail);
		if (!take(news, &r))
			break;
		tail += len;
	}
	news->missed += tail < head;
}

static int compare(const void *a, const void *b)
{
	const struct record_news_item *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	/* a fork comes before the child's name */
	return !x->parent - !y->parent;
}

void record_news_apply(struct record_news *news, struct record_names *names,
		       uint64_t time)
{
	size_t i;

	if (news->n)
		qsort(news->item, news->n, sizeof(*news->item), compare);
	for (i = 0; i < news->n && news->item[i].time < time; i++) {
		const struct record_news_item *item = &news->item[i];
		const char *name = item->parent ?
			record_names_get(names, item->parent) : item->name;

		if (record_names_set(names, item->tid, name, RECORD_NAME_LEN))
			news->missed++;
	}
	news->n -= i;
	if (i)
		memmove(news->item, news->item + i, news->n * sizeof(*news->item));
}

void record_news_free(struct record_news *news)
{
	free(news->item);
	memset(news, 0, sizeof(*news));
}
