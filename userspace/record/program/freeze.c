// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Copies the session at one moment into private memory. The copy is then read as if the
 * recording had ended.
 *
 * First the write position of each ring is noted as its mark, with one load. Then the
 * records before the marks are copied while writers keep writing. Copied records stay in
 * the ring, for the next snapshot. All rings are trimmed meanwhile, so that none fills up.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "record/program/run.h"

/* Rings are trimmed this often while others are copied. */
#define TRIM_SECONDS	0.0005

/* Copies the entries that are ready: these do not change any more. */
static void copy_processes(struct run *run, struct ft_session *to)
{
	struct ft_user_process p;

	to->processes = run_processes(run);
	for (__u32 i = 0; i < to->processes; i++) {
		if (run_process(run, i, &p))
			*ft_session_process(to, i) = p;
	}
}

static void copy_objects(struct run *run, struct ft_session *to)
{
	struct ft_user_object o;

	to->objects = run_objects(run);
	for (__u32 i = 0; i < to->objects; i++) {
		if (run_object(run, i, &o))
			*ft_session_object(to, i) = o;
	}
}

/* Those without an initialised lock, or that are being written, stay zero: they take no memory. */
static void copy_locks(struct run *run, struct ft_session *to)
{
	struct ft_user_lock l;

	if (!run->lock_names.places)
		return;
	for (__u32 i = 0; i < FT_SESSION_LOCKS; i++) {
		if (run_lock_entry(run, i, &l) && l.lock)
			*ft_session_lock(to, i) = l;
	}
}

/* Called after the records were copied: it has every stack that they name. */
static void copy_stacks(struct run *run, struct ft_session *to)
{
	const struct ft_session_stacks *from = &run->session->stacks;
	struct ft_user_stack s;

	if (stack_choice_is_empty(&run->stacks))
		return;
	to->stacks.full = ft_any_load(&from->full);
	to->stacks.failed = ft_any_load(&from->failed);
	for (__u32 i = 0; i < FT_SESSION_STACKS; i++) {
		if (run_stack(run, i, &s))
			*ft_session_stack(to, i) = s;
	}
}

/* Called after the records were copied, so that every event that they name is included. */
static void take_events(struct run *run, struct ft_session *to)
{
	to->events = run_events(run);
	for (__u32 i = 0; i < to->events; i++)
		run_event(run, i);
}

static void mark_rings(const struct run *run, __u64 *marks)
{
	__u32 i;

	run_for_each_ring(run, i)
		marks[i] = ft_any_load(&ft_session_ring(run->session, i)->ring.w);
}

/*
 * Copies up to the mark, or to the first record that is still being written. A hole stays
 * a hole: its slot remains 0. Return: how many records were copied.
 */
static __u64 copy_slots(const struct ft_ring *from, struct ft_user_ring *to, __u64 mark)
{
	__u64 pos = from->r, n = 0;

	if (mark - pos > from->mask + 1)	/* released meanwhile, or invalid */
		mark = pos;
	for (; pos < mark; pos += sizeof(struct ft_record)) {
		if (ft_ring_is_ready(from, pos)) {
			*ft_ring_slot(&to->ring, pos) = *ft_ring_slot(from, pos);
			n++;
		} else if (pos >= to->settled) {
			break;
		}
	}
	to->ring.w = pos;
	if (to->settled > pos)	/* an owner that has ended wrote beyond the mark */
		to->settled = pos;
	return n;
}

/* As note_thread() reads them: without a thread if they are being written. */
static void copy_place(const struct ft_user_ring *from, struct ft_user_ring *to)
{
	/* Pairs with the release in own_place() of the library. */
	__s32 tid = __atomic_load_n(&from->tid, __ATOMIC_ACQUIRE);

	to->thread = ft_any_load(&from->thread);
	to->frame = ft_any_load(&from->frame);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	to->tid = tid == __atomic_load_n(&from->tid, __ATOMIC_RELAXED) ? tid : 0;
}

static void copy_ring(struct run *run, struct run_frozen *to, __u32 i, __u64 mark)
{
	const struct ft_user_ring *shared = ft_session_ring(run->session, i);
	struct ft_user_ring *mine = ft_session_ring(to->session, i);
	struct run_stream *s = &run->streams[i];

	mine->owner = ft_any_load(&shared->owner);
	copy_place(shared, mine);
	mine->ring = s->ring;
	mine->ring.slots = ft_session_at(to->session, ft_session_slots_at(run->rings, i));
	mine->ring.open = 0;
	mine->ring.lost = ft_any_load(&shared->ring.lost);
	/* Pairs with the release in ft_rings_give_back(): read it before the slots. */
	mine->settled = ft_load_acquire(&shared->settled);
	to->records += copy_slots(&s->ring, mine, mark);
	to->streams[i] = *s;
	to->streams[i].ring = mine->ring;
	to->streams[i].lost = 0;	/* will be read again, from the copy */
	s->is_frozen = true;
}

static void copy_cuts(const struct map *from, struct map *to)
{
	struct map_slot *slot;

	map_for_each(from, slot)
		map_put(to, slot->key, slot->value);
}

static void copy_rings(struct run *run, struct run_frozen *to, const __u64 *marks)
{
	double next = 0;
	__u32 i;

	to->streams[0].fd = -1;		/* a stream, even if no thread took its ring */
	copy_cuts(&run->cuts, &to->cuts);
	run_for_each_ring(run, i)
		run->streams[i].is_frozen = false;
	run->freezing = to;
	run_for_each_ring(run, i) {
		copy_ring(run, to, i, marks[i]);
		if (monotonic_now() < next)
			continue;
		run_flight_trim(run);
		next = monotonic_now() + TRIM_SECONDS;
	}
	run->freezing = NULL;
}

static void copy_all(struct run *run, struct run_frozen *to, __u64 *marks)
{
	struct ft_session *s = to->session;

	run_find_streams(run);
	mark_rings(run, marks);
	to->time = run_clock_now(&run->clock);
	copy_rings(run, to, marks);
	take_events(run, s);
	copy_processes(run, s);
	copy_objects(run, s);
	copy_locks(run, s);
	copy_stacks(run, s);
	for (unsigned int why = 0; why < FT_LOST_KINDS; why++)
		s->lost[why] = ft_any_load(&run->session->lost[why]);
	memcpy(s->rings, run->rings, sizeof(s->rings));
	s->closed = 1;
}

bool run_freeze(struct run *run, struct run_frozen *frozen)
{
	__u64 *marks = malloc(FT_SESSION_RINGS * sizeof(*marks));

	*frozen = (struct run_frozen){
		.session = mmap(NULL, run->size, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
		.streams = calloc(FT_SESSION_RINGS, sizeof(*frozen->streams)),
	};
	if (frozen->session == MAP_FAILED)
		frozen->session = NULL;
	if (marks && frozen->session && frozen->streams) {
		copy_all(run, frozen, marks);
		free(marks);
		return true;
	}
	warn("no memory for a snapshot");
	free(marks);
	run_frozen_free(run, frozen);
	return false;
}

void run_frozen_free(const struct run *run, struct run_frozen *frozen)
{
	if (frozen->session)
		munmap(frozen->session, run->size);
	free(frozen->streams);
	map_free(&frozen->cuts);
}

void run_thaw(struct run *run, struct run_frozen *frozen)
{
	run->session = frozen->session;
	run->streams = frozen->streams;
	run->cuts = frozen->cuts;
	run_flight_note(run);
}
