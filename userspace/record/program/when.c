// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Conditions: see when.h. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "record/program/when.h"
#include "trace/families.h"

#define ADDRESS	((1ull << FT_TAG_SHIFT) - 1)

/* --- events --------------------------------------------------------------- */

static bool add_match(struct run_when *when, const struct condition *c, uint32_t id,
		      unsigned int word, uint64_t mask)
{
	struct run_match *more = reallocarray(when->matches, when->n_matches + 1,
					      sizeof(*more));

	if (!more) {
		warn("no memory for conditions");
		return false;
	}
	when->matches = more;
	more[when->n_matches++] = (struct run_match){
		.condition = c, .id = id, .word = word, .mask = mask,
	};
	return true;
}

/* Return: the word of a record that the condition compares; -1: it has no such field */
static int find_word(const struct condition *c, const char *const field[2])
{
	for (int k = 0; c->tests && k < 2; k++) {
		if (*field[k] && !strcmp(c->test[0].field, field[k]))
			return k;
	}
	return c->tests ? -1 : 0;
}

/* @field: NULL behind the last */
static void explain_fields(const struct condition *c, const char *const *field)
{
	char list[4 * (FT_FIELD_LEN + 8)] = "";
	size_t len = 0;

	for (unsigned int k = 0; field[k]; k++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s'%s'",
					!k ? "" : field[k + 1] ? ", " : " and ", field[k]);
	if (*list)
		warnx("--when '%s': the event '%s' has no field '%s'; it has %s", c->name,
		      c->event, c->test[0].field, list);
	else
		warnx("--when '%s': the event '%s' has no fields", c->name, c->event);
}

/* @mask: one for each word. Return: false after a message. */
static bool add_event(struct run_when *when, const struct condition *c, uint32_t id,
		      const char *const field[2], const uint64_t mask[2])
{
	const char *const all[] = { field[0], field[1], NULL };
	int word = find_word(c, field);

	if (word >= 0)
		return add_match(when, c, id, (unsigned int)word, c->tests ? mask[word] : 0);
	explain_fields(c, all);
	return false;
}

/* Return: 1: it is an event of locks; 0: it is not; -1: after a message. */
static int find_lock_event(struct run_when *when, const struct condition *c)
{
	static const char *const site[2] = { "lock", "caller" };
	static const char *const wait[2][2] = { { "lock", "flags" }, { "lock", "result" } };
	static const uint64_t addresses[2] = { ADDRESS, ADDRESS }, words[2] = { ADDRESS, ~0ull };

	for (unsigned int i = 0; i < FT_USER_FAMILIES; i++) {
		const char *family = locks_name(LOCKS_USER + i);
		size_t len = strlen(family);

		if (strncmp(c->event, family, len))
			continue;
		if (!strcmp(c->event + len, "_acquire"))
			return add_event(when, c, FT_ID_USER_ACQUIRE(i), site, addresses) ? 1 : -1;
		if (!strcmp(c->event + len, "_release"))
			return add_event(when, c, FT_ID_USER_RELEASE(i), site, addresses) ? 1 : -1;
	}
	if (!strcmp(c->event, "contention_begin"))
		return add_event(when, c, FT_ID_CONTENTION_BEGIN, wait[0], words) ? 1 : -1;
	if (!strcmp(c->event, "contention_end"))
		return add_event(when, c, FT_ID_CONTENTION_END, wait[1], words) ? 1 : -1;
	return 0;
}

/* The record of the third and fourth word is enabled with the event. */
static const char *add_pattern(struct run *run, const char *event)
{
	size_t len = strlen(event), more = strlen("_more");
	const char *bad = run_add_patterns(run, event);
	char first[FT_NAME_LEN];

	if (bad || len <= more || strcmp(event + len - more, "_more"))
		return bad;
	snprintf(first, sizeof(first), "%.*s", (int)(len - more), event);
	return run_add_patterns(run, first);
}

bool run_when_prepare(struct run_when *when, struct run *run)
{
	for (unsigned int i = 0; i < when->all.n; i++) {
		const struct condition *c = &when->all.list[i];
		int found = condition_is_of_one_record(c) ? find_lock_event(when, c) : 0;
		const char *bad = NULL;

		if (!condition_is_of_one_record(c)) {
			warnx("--when '%s': for programs, a condition is an event, or a "
			      "comparison of one of its fields", c->name);
			return false;
		}
		if (found < 0)
			return false;
		if (c->tests && c->test[0].label[0]) {
			warnx("--when '%s': for programs, a field is compared with a number",
			      c->name);
			return false;
		}
		if (found && !run->locks)
			bad = "it is an event of locks: add --locks, which ft run has";
		else if (!found)
			bad = add_pattern(run, c->event);
		if (bad) {
			warnx("--when '%s': %s", c->name, bad);
			return false;
		}
	}
	return true;
}

/* --- events of more than two words ---------------------------------------- */

/*
 * The third and fourth word of an event are in a second record, an event of its own that
 * the program declares right after the first: name_more() of the library. A field that is
 * not among the first two is looked for there, once it is declared.
 */

/* A program has declared the second this soon after the first. */
#define DECLARED_SECONDS	0.5

static void name_more(char more[FT_NAME_LEN], const char *name)
{
	snprintf(more, FT_NAME_LEN, "%.*s_more", FT_NAME_LEN - 6, name);
}

/* @more: the event with the rest of its fields; NULL: it has no more */
static void fail_field(struct run_when *when, struct run *run, unsigned int i,
		       const struct ft_user_event *more)
{
	const struct ft_user_event *e = run_event(run, when->unresolved[i].event - 1);
	const char *field[5] = { NULL };
	unsigned int n = 0;

	for (unsigned int k = 0; k < 2; k++)
		if (*e->field[k])
			field[n++] = e->field[k];
	for (unsigned int k = 0; more && k < 2; k++)
		if (*more->field[k])
			field[n++] = more->field[k];
	explain_fields(&when->all.list[i], field);
	when->unresolved[i].event = 0;
	when->failed = true;
}

static __u32 index_of(const struct run *run, const struct ft_user_event *e)
{
	return (__u32)(e - run->events);
}

/* Is @e the rest of the event of condition @i? */
static void add_more(struct run_when *when, struct run *run, unsigned int i,
		     const struct ft_user_event *e)
{
	const struct condition *c = &when->all.list[i];
	const char *const field[2] = { e->field[0], e->field[1] };
	char more[FT_NAME_LEN];
	int word;

	name_more(more, c->event);
	if (strcmp(more, e->name))
		return;
	word = find_word(c, field);
	if (word < 0) {
		fail_field(when, run, i, e);
		return;
	}
	when->unresolved[i].event = 0;
	if (!add_match(when, c, FT_ID_DYNAMIC + index_of(run, e), (unsigned int)word, ~0ull))
		when->failed = true;
}

/* Those whose event has no second record. @all: also of events that are new */
static void give_up(struct run_when *when, struct run *run, bool all)
{
	double now = monotonic_now();

	for (unsigned int i = 0; i < when->all.n; i++) {
		if (when->unresolved[i].event &&
		    (all || now >= when->unresolved[i].since + DECLARED_SECONDS))
			fail_field(when, run, i, NULL);
	}
}

static void add_first(struct run_when *when, const struct run *run, unsigned int i,
		      const struct ft_user_event *e)
{
	const struct condition *c = &when->all.list[i];
	const char *const field[2] = { e->field[0], e->field[1] };
	int word;

	if (strcmp(c->event, e->name))
		return;
	word = find_word(c, field);
	if (word < 0)
		when->unresolved[i] = (struct run_unresolved){
			.event = index_of(run, e) + 1, .since = monotonic_now(),
		};
	else if (!add_match(when, c, FT_ID_DYNAMIC + index_of(run, e), (unsigned int)word,
			    c->tests ? ~0ull : 0))
		when->failed = true;
}

/*
 * Programs declare events when they start, and when they load libraries. An entry is free for
 * ever if its event had gone with a library before ft came to the program, and unready if its
 * program was killed when it filled it: those behind it count.
 */
static void find_new_events(struct run_when *when, struct run *run)
{
	for (__u32 k = 0, end = run_events(run); k < end; k++) {
		const struct ft_user_event *e = run_event(run, k);

		for (unsigned int i = 0; e && i < when->all.n; i++) {
			/* again, as the two entries of an event may come in any order */
			if (when->unresolved[i].event)
				add_more(when, run, i, e);
			if (!when->compared[k])
				add_first(when, run, i, e);
		}
		when->compared[k] |= !!e;
	}
	give_up(when, run, false);
}

/* --- records -------------------------------------------------------------- */

/* If several fire, keep the earliest. */
static void fire(struct run_when *when, const struct condition *c, const struct ft_record *r)
{
	if (when->fired.condition && when->fired.time <= r->ts)
		return;
	when->fired.condition = c;
	when->fired.time = r->ts;
	when->fired.tid = r->tid;
}

/* Has the event been declared since find_new_events()? */
static bool is_new(const struct run_when *when, struct run *run, __u16 id)
{
	__u32 k = (__u32)id - FT_ID_DYNAMIC;

	return id >= FT_ID_DYNAMIC && k < FT_SESSION_EVENTS && !when->compared[k] &&
	       run_event(run, k);
}

static void look_at(struct run_when *when, struct run *run, const struct ft_record *shared,
		    uint64_t latest)
{
	struct ft_record r;

	memcpy(&r, shared, sizeof(r));
	/* a program can change the record at any time: from here on, use the copy */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (is_new(when, run, r.id))
		find_new_events(when, run);
	for (size_t i = 0; i < when->n_matches; i++) {
		const struct run_match *m = &when->matches[i];

		if (m->id == r.id && r.ts <= latest &&
		    condition_holds(m->condition, (m->word ? r.b : r.a) & m->mask))
			fire(when, m->condition, &r);
	}
}

static void look_at_ring(struct run_when *when, struct run *run, __u32 i, uint64_t latest)
{
	const struct ft_user_ring *shared = ft_session_ring(run->session, i);
	struct run_stream *s = &run->streams[i];
	/* Pairs with the release in ft_rings_give_back(): read it before the slots. */
	__u64 settled = ft_load_acquire(&shared->settled);
	__u64 end = s->ring.r + s->ring.mask + 1;

	/* released meanwhile, or invalid */
	if (s->looked < s->ring.r || s->looked > end)
		s->looked = s->ring.r;
	for (; s->looked < end; s->looked += sizeof(struct ft_record)) {
		if (ft_ring_is_ready(&s->ring, s->looked))
			look_at(when, run, ft_ring_slot(&s->ring, s->looked), latest);
		else if (s->looked >= settled)
			break;
	}
}

/* Records that come before a pending snapshot is taken are in it: they need no check. */
static void skip_ring(struct run *run, __u32 i)
{
	__u64 w = ft_any_load(&ft_session_ring(run->session, i)->ring.w);

	run->streams[i].looked = w - w % sizeof(struct ft_record);
}

void run_when_look(struct run_when *when, struct run *run)
{
	bool pending = when->fired.condition;
	uint64_t latest;
	__u32 i;

	if (!when->all.n || !when->all.times)
		return;
	run_find_streams(run);
	find_new_events(when, run);
	latest = run_clock_latest(&run->clock);
	run_for_each_ring(run, i) {
		if (pending)
			skip_ring(run, i);
		else
			look_at_ring(when, run, i, latest);
	}
	if (!pending && when->fired.condition)
		when->fired.due = monotonic_now() + when->all.after;
}

bool run_when_is_due(const struct run_when *when)
{
	return when->fired.condition && monotonic_now() >= when->fired.due;
}

void run_when_next(struct run_when *when)
{
	when->fired = (struct run_fired){ 0 };
	when->all.times--;
}

void run_when_end(struct run_when *when, struct run *run)
{
	give_up(when, run, true);
	for (unsigned int i = 0; i < when->all.n; i++) {
		const struct condition *c = &when->all.list[i];
		bool found = when->failed;

		for (size_t k = 0; k < when->n_matches; k++)
			found |= when->matches[k].condition == c;
		if (found)
			continue;
		warnx("--when '%s': no program has an event '%s'", c->name, c->event);
		when->failed = true;
	}
}
