// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Places for a few blocks of each stream, each a job of the crew. See ahead.h. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/file.h"
#include "packed/ahead.h"
#include "packed/unpack.h"

#define HEADER	sizeof(struct packed_header)
/* The one that is read, and those that are decoded meanwhile. */
#define PLACES	3u
#define NOWHERE	UINT64_MAX

struct ahead_place {
	struct crew_job		job;		/* the first member */
	struct ahead_file	*file;
	uint64_t		pos;		/* in the file; NOWHERE: the place is free */
	struct packed_header	header;
	uint8_t			*raw;
	size_t			room;
	bool			good;
};

struct ahead_file {
	struct ahead		*ahead;
	struct ahead_file	*prev, *next;
	int			fd;
	uint64_t		size;
	uint64_t		begun;		/* up to here */
	struct ahead_place	*taken;		/* or NULL */
	struct ahead_place	place[PLACES];
};

/* An unpacker for each thread, made by that when it needs one. */
struct ahead {
	struct crew		*crew;
	struct ahead_file	*files;
	_Atomic size_t		bytes;		/* that places have */
	struct unpacker		*unpacker[];
};

static bool make_room(struct ahead *a, struct ahead_place *p, size_t room)
{
	size_t more = room - p->room;
	uint8_t *raw;

	if (room <= p->room)
		return true;
	if (atomic_fetch_add(&a->bytes, more) + more <= AHEAD_BYTES) {
		raw = realloc(p->raw, room);
		if (raw) {
			p->raw = raw;
			p->room = room;
			return true;
		}
	}
	atomic_fetch_sub(&a->bytes, more);
	return false;
}

static bool decode(struct ahead_place *p, unsigned int worker)
{
	struct ahead_file *f = p->file;
	struct ahead *a = f->ahead;
	struct unpacker **u = &a->unpacker[worker];

	if (!*u)
		*u = unpacker_new();
	return *u && make_room(a, p, p->header.raw) &&
	       read_full_at(f->fd, unpacker_data(*u), p->header.packed, p->pos + HEADER) ==
	       (ssize_t)p->header.packed &&
	       unpacker_block(*u, &p->header, p->raw);
}

static void run(struct crew_job *job, unsigned int worker)
{
	struct ahead_place *p = (struct ahead_place *)job;

	p->good = decode(p, worker);
}

struct ahead *ahead_new(struct crew *crew)
{
	unsigned int n = crew_workers(crew);
	struct ahead *a = calloc(1, sizeof(*a) + n * sizeof(struct unpacker *));

	if (a)
		a->crew = crew;
	return a;
}

void ahead_free(struct ahead *a)
{
	if (!a)
		return;
	while (a->files)
		ahead_close(a->files);
	for (unsigned int i = 0; i < crew_workers(a->crew); i++)
		unpacker_free(a->unpacker[i]);
	free(a);
}

struct ahead_file *ahead_open(struct ahead *a, int fd, uint64_t size)
{
	struct ahead_file *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->ahead = a;
	f->fd = fd;
	f->size = size;
	for (unsigned int i = 0; i < PLACES; i++) {
		f->place[i].job.run = run;
		f->place[i].file = f;
		f->place[i].pos = NOWHERE;
	}
	f->next = a->files;
	if (f->next)
		f->next->prev = f;
	a->files = f;
	return f;
}

/* No thread works on it now. */
static void clear(struct ahead_place *p)
{
	if (p->pos != NOWHERE)
		crew_take_back(p->file->ahead->crew, &p->job);
	p->pos = NOWHERE;
}

void ahead_close(struct ahead_file *f)
{
	if (!f)
		return;
	for (unsigned int i = 0; i < PLACES; i++) {
		clear(&f->place[i]);
		free(f->place[i].raw);
		atomic_fetch_sub(&f->ahead->bytes, f->place[i].room);
	}
	*(f->prev ? &f->prev->next : &f->ahead->files) = f->next;
	if (f->next)
		f->next->prev = f->prev;
	free(f);
}

static struct ahead_place *place_of(struct ahead_file *f, uint64_t pos)
{
	for (unsigned int i = 0; i < PLACES; i++) {
		if (f->place[i].pos == pos)
			return &f->place[i];
	}
	return NULL;
}

const uint8_t *ahead_take(struct ahead_file *f, uint64_t pos, uint32_t raw, uint32_t *packed)
{
	struct ahead_place *p = place_of(f, pos);

	if (f->taken)
		f->taken->pos = NOWHERE;
	f->taken = NULL;
	if (!p || p->pos != pos)
		return NULL;
	/* it may wait for a thread yet: then the reader is quicker */
	if (crew_take_back(f->ahead->crew, &p->job) || !p->good || p->header.raw != raw) {
		p->pos = NOWHERE;
		return NULL;
	}
	f->taken = p;
	*packed = p->header.packed;
	return p->raw;
}

/* Return: is there a good header, and all of its data? */
static bool read_header(const struct ahead_file *f, struct packed_header *header)
{
	return f->size - f->begun > HEADER &&
	       read_full_at(f->fd, header, HEADER, f->begun) == HEADER &&
	       packed_header_ok(header) && f->size - f->begun - HEADER >= header->packed;
}

/* Forget blocks in front of @pos that were passed over. */
static void forget_passed(struct ahead_file *f, uint64_t pos)
{
	for (unsigned int i = 0; i < PLACES; i++) {
		if (f->place[i].pos < pos && &f->place[i] != f->taken)
			clear(&f->place[i]);
	}
}

void ahead_begin(struct ahead_file *f, uint64_t pos)
{
	struct ahead_place *p;

	forget_passed(f, pos);
	if (f->begun < pos || !place_of(f, pos))
		f->begun = pos;
	while (f->begun < f->size) {
		p = place_of(f, f->begun);
		if (!p) {
			p = place_of(f, NOWHERE);
			if (!p || !read_header(f, &p->header))
				break;
			p->pos = f->begun;
			p->good = false;
			crew_give(f->ahead->crew, &p->job);
		}
		f->begun += HEADER + p->header.packed;
	}
}
