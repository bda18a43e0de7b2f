// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Libraries that come and go: see moved.h. */
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libfeathertrace/heap_events.h"
#include "record/program/moved.h"
#include "record/program/reader.h"
#include "trace/trace.h"

/* Program addresses end below bit 47. Moved ones set it; the process's mark begins at 48. */
#define SHIFTED		(1ull << (FT_TAG_SHIFT - 1))
#define ADDRESS		((1ull << FT_TAG_SHIFT) - 1)
#define ALWAYS		UINT64_MAX
#define NO_INDEX	UINT32_MAX

/* --- lives ---------------------------------------------------------------- */

static bool overlap(const struct run_life *a, const struct run_life *b)
{
	return a->start < b->end && b->start < a->end;
}

static bool is_same_place(const struct run_life *a, const struct run_life *b)
{
	return a->start == b->start && a->bias == b->bias;
}

static bool is_same(const struct run_life *a, const struct run_life *b)
{
	return is_same_place(a, b) && !strcmp(a->path, b->path);
}

/* End the files that @new replaces. Return: true: the same file is there already. */
static bool make_room(struct run_lives *lives, const struct run_life *new, __u64 time)
{
	for (size_t i = lives->n; i-- > 0;) {
		struct run_life *old = &lives->life[i];

		if (old->process != new->process || old->until != ALWAYS ||
		    !overlap(old, new))
			continue;
		if (is_same_place(old, new))
			return true;
		old->until = time;
		old->gone = new->from;
	}
	return false;
}

static void end_life(struct run_lives *lives, const struct run_life *which, __u64 time)
{
	bool found = false;

	for (size_t i = lives->n; i-- > 0;) {
		struct run_life *old = &lives->life[i];

		if (old->process != which->process || old->until != ALWAYS ||
		    !overlap(old, which))
			continue;
		old->until = time;
		old->gone = which->from;
		found = true;
	}
	if (found)
		return;
	/* the parent had loaded it: the child inherited it */
	lives->life[lives->n] = *which;
	lives->life[lives->n].until = time;
	lives->life[lives->n++].gone = which->from;
}

static void add_object(struct run_lives *lives, __u32 i, const struct ft_user_object *o)
{
	struct run_life new = {
		.process = o->process, .from = i, .gone = NO_INDEX, .start = o->start,
		.end = o->end, .bias = o->bias, .until = ALWAYS,
	};

	memcpy(new.path, o->path, sizeof(new.path));
	if (o->unloaded)
		end_life(lives, &new, o->time);
	else if (!make_room(lives, &new, o->time))
		lives->life[lives->n++] = new;
}

/* --- places --------------------------------------------------------------- */

/* The first file at an address keeps its place; a later one is moved to *@next. */
static void place(struct run_lives *lives, size_t i, __u64 *next)
{
	struct run_life *l = &lives->life[i];
	bool taken = false;

	for (size_t k = 0; k < i; k++) {
		struct run_life *before = &lives->life[k];

		if (before->process != l->process || !overlap(before, l))
			continue;
		if (is_same(before, l)) {
			l->shift = before->shift;
			l->shared |= before->shared;
			l->again = true;
			return;
		}
		taken = before->shared = l->shared = true;
	}
	if (!taken || *next + (l->end - l->start) >= 2 * SHIFTED)
		return;
	l->shift = *next - l->start;
	*next += (l->end - l->start + 0xfff) & ~0xfffull;
	lives->moved = true;
}

bool run_lives_find(struct run *run, struct run_lives *lives)
{
	__u32 n = run_objects(run);
	struct ft_user_object o;
	__u64 next = SHIFTED;

	*lives = (struct run_lives){ .life = calloc(n + 1, sizeof(*lives->life)) };
	if (!lives->life) {
		warn("no memory for the names of addresses");
		return false;
	}
	for (__u32 i = 0; i < n; i++) {
		if (run_object(run, i, &o) && o.end <= SHIFTED)
			add_object(lives, i, &o);
	}
	for (size_t i = 0; i < lives->n; i++)
		place(lives, i, &next);
	return true;
}

void run_lives_free(struct run_lives *lives)
{
	free(lives->life);
	*lives = (struct run_lives){ 0 };
}

/* --- records -------------------------------------------------------------- */

/*
 * The file that @process had loaded at @addr. For the process of the record (@before is
 * NO_INDEX): at time @ts. For an ancestor: when the child was forked, at object @before.
 */
static const struct run_life *find_own(const struct run_lives *lives, __u32 process,
				       __u32 before, __u64 addr, __u64 ts)
{
	const struct run_life *found = NULL;

	for (size_t i = 0; i < lives->n; i++) {
		const struct run_life *l = &lives->life[i];

		if (!l->shared || l->process != process || l->from >= before ||
		    addr < l->start || addr >= l->end)
			continue;
		if (before == NO_INDEX ? ts > l->until : l->gone < before)
			continue;
		if (!found || l->until < found->until)
			found = l;
	}
	return found;
}

static __u64 shift_of(struct run *run, const struct run_lives *lives, __u32 process,
		      __u64 addr, __u64 ts)
{
	const struct run_life *found;
	__u32 before = NO_INDEX;
	struct ft_user_process p;

	for (;;) {
		found = find_own(lives, process, before, addr, ts);
		if (found)
			return found->shift;
		if (!run_process(run, process, &p) || !p.parent)
			return 0;
		before = p.inherited < before ? p.inherited : before;
		process = p.parent - 1;
	}
}

/* Return: true: the word was changed. */
static bool move_word(struct run *run, const struct run_lives *lives, __u64 *word,
		      __u64 ts)
{
	__u64 tag = *word >> FT_TAG_SHIFT, shift;

	if (!tag || tag > FT_TAG_MAX)
		return false;
	shift = shift_of(run, lives, (__u32)tag - 1, *word & ADDRESS, ts);
	*word += shift;
	return shift;
}

/* The call site in FT_WAIT_USER() has no mark: the lock's mark, @tag, applies to it. */
static bool move_wait(struct run *run, const struct run_lives *lives, __u64 tag,
		      __u64 *word, __u64 ts)
{
	__u64 site = *word >> 8 | tag << FT_TAG_SHIFT;

	if (!tag || !move_word(run, lives, &site, ts))
		return false;
	*word = (site & ADDRESS) << 8 | (*word & 0xff);
	return true;
}

static bool move_record(struct run *run, const struct run_lives *lives,
			struct ft_record *r)
{
	__u64 tag = r->a >> FT_TAG_SHIFT;
	bool moved;

	if (r->id >= FT_ID_DYNAMIC)
		return false;	/* a program's event: its words need not be addresses */
	if (r->id >= FT_ID_USER_HEAP)	/* a block is in no file */
		return r->id != FT_ID_HEAP(FT_HEAP_SIZE) && r->id != FT_ID_HEAP(FT_HEAP_EXIT) &&
		       move_word(run, lives, &r->b, r->ts);
	moved = move_word(run, lives, &r->a, r->ts);
	if (r->id == FT_ID_CONTENTION_BEGIN)
		return move_wait(run, lives, tag, &r->b, r->ts) || moved;
	if (r->id == FT_ID_CONTENTION_END)
		return moved;
	return move_word(run, lives, &r->b, r->ts) || moved;
}

static bool move_packet(struct run *run, const struct run_lives *lives, int fd, off_t at,
			size_t *len)
{
	struct ft_packet_header *header = (void *)run->packets;
	struct ft_record *r = (void *)(header + 1);
	bool moved = false;
	size_t n;

	if (pread(fd, header, sizeof(*header), at) != (ssize_t)sizeof(*header) ||
	    header->packet_bits / 8 > RUN_PACKETS ||
	    header->packet_bits / 8 < sizeof(*header))
		return false;
	*len = header->packet_bits / 8;
	n = *len - sizeof(*header);
	if (pread(fd, r, n, at + (off_t)sizeof(*header)) != (ssize_t)n)
		return false;
	for (size_t i = 0; i < n / sizeof(*r); i++)
		moved |= move_record(run, lives, &r[i]);
	return !moved || pwrite(fd, r, n, at + (off_t)sizeof(*header)) == (ssize_t)n;
}

static bool move_stream(struct run *run, const struct run_lives *lives, __u32 i)
{
	const struct run_stream *s = &run->streams[i];
	char name[TRACE_NAME_LEN];
	bool ok = true;
	size_t len = 0;
	int fd;

	if (!s->bytes)
		return true;
	trace_stream_name(name, TRACE_THREADS + i);
	fd = openat(run->dir->fd, name, O_RDWR | O_CLOEXEC);
	for (off_t at = 0; ok && (__u64)at < s->bytes; at += (off_t)len)
		ok = fd >= 0 && move_packet(run, lives, fd, at, &len);
	if (!ok)
		warn("cannot tell libraries at one address apart in %s/%s",
		     run->dir->path, name);
	if (fd >= 0)
		close(fd);
	return ok;
}

bool run_moved_save(struct run *run, const struct run_lives *lives)
{
	bool ok = true;
	__u32 i;

	if (!lives->moved)
		return true;
	run_for_each_ring(run, i)
		ok = move_stream(run, lives, i) && ok;
	return ok;
}
