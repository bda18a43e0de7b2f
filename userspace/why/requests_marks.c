// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Marks become requests: which threads work for which request, from when to when.
 *
 * A mark that contradicts another one has no effect on time: its request is left out, with
 * the reason, and the request that the thread works for goes on.
 */
#include <err.h>

#include "base/mem.h"
#include "why/requests_pass.h"

/* Threads that work for none are forgotten when there are this many. */
#define MOST_WORKERS	(64u << 10)

/* --- which events are marks ------------------------------------------------------------ */

static enum request_role role_of(const struct requests_pass *r, const char *name)
{
	enum request_role role = REQUEST_BEGIN;

	while (role < REQUEST_ROLES && strcmp(r->asked.event[role], name))
		role++;
	return role;
}

static const struct event_field *id_field(const struct requests_pass *r,
					  const struct event_type *type)
{
	const char *name = r->asked.id;

	if (name)
		return event_type_field(type, name);
	return type->fields ? &type->field[0] : NULL;
}

static void no_id(const struct requests_pass *r, const struct event_type *type)
{
	const char *title = r->pass->answer.trace.title;

	if (!type->fields)
		warnx("%s: the event '%s' has no word that could be the id of a request", title,
		      type->name);
	else
		warnx("%s: the event '%s' has no field '%s'; its first one is '%s'", title,
		      type->name, r->asked.id, type->field[0].name);
}

static int find_mark(struct requests_pass *r, unsigned int class, uint32_t id)
{
	const struct trace *trace = &r->pass->answer.trace;
	const struct event_type *type = metadata_event(&trace->meta, class, id);
	enum request_role role = type ? role_of(r, type->name) : REQUEST_ROLES;

	if (role == REQUEST_ROLES)
		return 0;
	/* the user of a report's page did not ask for requests */
	if (!id_field(r, type) && r->asked.part)
		return 0;
	if (!id_field(r, type)) {
		no_id(r, type);
		return -1;
	}
	r->role[class][id] = (uint8_t)(1 + role);
	r->marks[class] = true;
	return 0;
}

int requests_find_marks(struct requests_pass *r)
{
	const struct trace *trace = &r->pass->answer.trace;

	for (unsigned int class = 0; class < METADATA_CLASSES; class++) {
		for (uint32_t id = 0; id < trace->meta.events[class].n; id++) {
			if (find_mark(r, class, id))
				return -1;
		}
	}
	return 0;
}

/* --- what is under way ------------------------------------------------------------------ */

static void sum_free(struct request *sum)
{
	mem_free(sum->thread);
	mem_free(sum->wait);
}

static void forget_workers(struct requests_pass *r)
{
	struct map old = r->workers;
	const struct map_slot *slot;

	r->workers = (struct map){ 0 };
	map_for_each(&old, slot) {
		struct request_worker *worker = slot->value;

		if (worker->of)
			map_put(&r->workers, (uint32_t)worker->item.tid, worker);
		else
			mem_free(worker);
	}
	map_free(&old);
}

static struct request_worker *worker_get(struct requests_pass *r, int32_t tid)
{
	struct request_worker *worker = map_get(&r->workers, (uint32_t)tid);

	if (worker)
		return worker;
	if (r->workers.used >= MOST_WORKERS)
		forget_workers(r);
	worker = mem_zalloc(1, sizeof(*worker));
	worker->item.tid = tid;
	map_put(&r->workers, (uint32_t)tid, worker);
	return worker;
}

static void set_fault(struct request_open *open, enum request_fault fault)
{
	if (!open->fault)
		open->fault = fault;
}

/* Marks may come late (locks/early.h): somebody had been there until a later time. */
static void grow_alone(struct request_open *open, uint64_t time)
{
	if (time <= open->since)
		return;
	open->sum.alone += time - open->since;
	open->since = time;
}

static void joins(struct requests_pass *r, struct request_worker *worker,
		  struct request_open *open, const struct stream *s)
{
	if (!open->active++)
		grow_alone(open, s->ts);
	worker->of = open;
	LIST_INSERT_HEAD(&open->workers, worker, in_request);
	worker->has_ended = false;
	worker->item = (struct why_item){
		.kind = WHY_HOLD, .start = s->ts, .tid = worker->item.tid, .cpu = s->cpu,
		.family = FT_LOCK_MUTEX,
	};
	why_parts_start(r->pass, &worker->item);
}

/* --- what a thread did goes to its request ---------------------------------------------- */

static struct request_thread *thread_of(struct request *sum, int32_t tid)
{
	for (unsigned int i = 0; i < sum->threads; i++) {
		if (sum->thread[i].tid == tid)
			return &sum->thread[i];
	}
	if (sum->threads == REQUEST_THREADS)
		return &sum->thread[REQUEST_THREADS - 1];
	if (sum->threads == REQUEST_THREADS - 1)
		tid = 0;
	if (!(sum->threads & (sum->threads - 1)))
		sum->thread = mem_resize(sum->thread, sum->threads ? 2 * sum->threads : 1,
					 sizeof(*sum->thread));
	sum->thread[sum->threads] = (struct request_thread){ .tid = tid };
	return &sum->thread[sum->threads++];
}

static void add_wait(struct requests_pass *r, struct request *sum, const struct why_part *part)
{
	const struct class_entry *class = class_index_known(r->pass->answer.classes, part->lock);
	bool task = part->holder != WHY_NOBODY && part->holder != WHY_IN_INTERRUPT;
	struct request_wait like = {
		.class = class, .lock = class ? 0 : part->lock, .family = part->family,
		.who = task ? part->who : 0, .holder = task ? WHY_TASK : (uint8_t)part->holder,
	};
	unsigned int i = 0;

	while (i < sum->waits && (sum->wait[i].class != class || sum->wait[i].lock != like.lock ||
				  sum->wait[i].who != like.who ||
				  sum->wait[i].family != like.family ||
				  sum->wait[i].holder != like.holder))
		i++;
	if (i == REQUEST_WAITS)
		return;
	if (i == sum->waits) {
		if (!(i & (i - 1)))
			sum->wait = mem_resize(sum->wait, i ? 2 * i : 1, sizeof(*sum->wait));
		sum->wait[sum->waits++] = like;
	}
	sum->wait[i].ticks += part->ticks;
}

/* Its parts add up to its time: so do those of the request. */
static void add_parts(struct requests_pass *r, struct request *sum, const struct why_item *item)
{
	struct request_thread *thread = thread_of(sum, item->tid);

	thread->ticks += item->whole.ticks;
	sum->ticks += item->whole.ticks;
	for (const struct why_part *part = item->whole.part; part; part = part->next) {
		thread->causes[part->cause] += part->ticks;
		sum->causes[part->cause] += part->ticks;
		if (!part->others && (part->cause == WHY_WAITING || part->cause == WHY_SPINNING))
			add_wait(r, sum, part);
	}
}

static void leaves(struct requests_pass *r, struct request_worker *worker, uint64_t time)
{
	struct request_open *open = worker->of;

	why_parts_stop(r->pass, &worker->item, time > worker->item.start ? time :
						worker->item.start);
	add_parts(r, &open->sum, &worker->item);
	why_parts_free(&worker->item.whole);
	worker->item.whole = (struct why_part){ 0 };
	worker->of = NULL;
	LIST_REMOVE(worker, in_request);
	open->active--;
	if (time > open->since)
		open->since = time;
}

static void all_leave(struct requests_pass *r, struct request_open *open, uint64_t time)
{
	struct request_worker *worker;

	while ((worker = LIST_FIRST(&open->workers))) {
		leaves(r, worker, time);
		worker->ended = open->sum.id;
		worker->has_ended = true;
	}
}

/* --- marks ---------------------------------------------------------------------------- */

struct mark {
	enum request_role	role;
	uint64_t		id;
	int32_t			tid;
};

static void drop(struct requests_pass *r, struct request_open *open)
{
	map_del(&r->open, open->sum.id);
	sum_free(&open->sum);
	mem_free(open);
}

/* Is there a gap just now where marks come from? */
static bool marks_are_lost(const struct requests_pass *r)
{
	for (unsigned int class = 0; class < METADATA_CLASSES; class++) {
		if (r->marks[class] && r->gaps[class])
			return true;
	}
	return false;
}

static void begins(struct requests_pass *r, struct request_worker *worker, const struct mark *m,
		   const struct stream *s)
{
	struct request_open *open;

	if (r->open.used >= REQUESTS_OPEN) {
		r->answer.left_out[REQUEST_MANY]++;
		return;
	}
	open = mem_zalloc(1, sizeof(*open));
	open->sum.id = m->id;
	open->sum.start = s->ts;
	open->since = s->ts;
	LIST_INIT(&open->workers);
	map_put(&r->open, m->id, open);
	if (marks_are_lost(r))
		set_fault(open, REQUEST_CUT);
	if (worker->of)
		set_fault(open, REQUEST_NESTED);
	else
		joins(r, worker, open, s);
}

/* A thread joins a request that is under way. */
static void comes(struct requests_pass *r, struct request_worker *worker,
		  struct request_open *open, const struct mark *m, const struct stream *s)
{
	if (!worker->of)
		joins(r, worker, open, s);
	else if (worker->of != open)
		set_fault(open, REQUEST_NESTED);
	else if (m->role == REQUEST_BEGIN)
		set_fault(open, REQUEST_DOUBLED);
	else
		r->answer.stray[m->role]++;
}

static void ends(struct requests_pass *r, const struct request_worker *worker,
		 struct request_open *open, const struct stream *s)
{
	if (worker->of && worker->of != open)
		set_fault(open, REQUEST_CROSSED);
	if (!open->active)
		grow_alone(open, s->ts);
	all_leave(r, open, s->ts);
	open->sum.end = open->since;	/* not before @s, and what is counted is within */
	if (open->fault)
		r->answer.left_out[open->fault]++;
	else
		requests_keep(r, &open->sum);
	drop(r, open);
}

/* A thread may leave a request that has just ended in another thread. */
static void goes(struct requests_pass *r, struct request_worker *worker,
		 const struct request_open *open, const struct mark *m, const struct stream *s)
{
	if (open && worker->of == open)
		leaves(r, worker, s->ts);
	else if (!worker->has_ended || worker->ended != m->id)
		r->answer.stray[m->role]++;
	worker->has_ended = false;
}

static void take(struct requests_pass *r, const struct mark *m, const struct stream *s)
{
	struct request_worker *worker = worker_get(r, m->tid);
	struct request_open *open = map_get(&r->open, m->id);

	if (m->role == REQUEST_LEAVE)
		goes(r, worker, open, m, s);
	else if (open && m->role == REQUEST_END)
		ends(r, worker, open, s);
	else if (open)
		comes(r, worker, open, m, s);
	else if (m->role == REQUEST_BEGIN)
		begins(r, worker, m, s);
	else
		r->answer.stray[m->role]++;
}

static bool read_mark(struct requests_pass *r, const struct stream *s, struct mark *m)
{
	const struct ft_record *rec = s->rec;
	const struct event_type *type;

	m->tid = rec->tid;
	m->role = (enum request_role)(r->role[s->class][rec->id] - 1u);
	if (r->role[s->class][rec->id]) {
		type = metadata_event(&r->pass->answer.trace.meta, s->class, rec->id);
		m->id = event_field_value(id_field(r, type), rec->a, rec->b);
		return true;
	}
	if (s->class || rec->id != FT_ID_MARK)
		return false;
	m->role = request_mark_read(rec->b);
	m->id = rec->a;
	if ((int32_t)rec->b)
		m->tid = (int32_t)rec->b;
	if (m->role == REQUEST_ROLES)
		return false;
	r->marks[0] = true;
	return true;
}

void requests_record(struct requests_pass *r, const struct stream *s)
{
	struct mark m;

	if (!read_mark(r, s, &m))
		return;
	if (m.tid <= 0 || (!stream_is_program(s) && s->rec->ctx & r->pass->interrupts))
		r->answer.misplaced++;
	else
		take(r, &m, s);
}

/* --- the end, or part of it is missing -------------------------------------------------- */

static void leave_out_all(struct requests_pass *r, enum request_fault fault, uint64_t time)
{
	const struct map_slot *slot;
	struct map all = r->open;

	r->open = (struct map){ 0 };
	map_for_each(&all, slot) {
		struct request_open *open = slot->value;

		all_leave(r, open, time);
		set_fault(open, fault);
		r->answer.left_out[open->fault]++;
		drop(r, open);
	}
	map_free(&all);
}

/* A mark may be among what was lost, if marks come from there. */
void requests_gap(struct requests_pass *r, const struct stream *s, bool was_in_gap)
{
	if (s->item != STREAM_GAP) {
		r->gaps[s->class] -= was_in_gap;
		return;
	}
	r->gaps[s->class] += !was_in_gap;
	if (r->marks[s->class])
		leave_out_all(r, REQUEST_CUT, s->ts);
}

void requests_finish(struct requests_pass *r)
{
	const struct map_slot *slot;

	leave_out_all(r, REQUEST_UNENDED, 0);
	map_for_each(&r->workers, slot)
		mem_free(slot->value);
	map_free(&r->workers);
	map_free(&r->open);
}
