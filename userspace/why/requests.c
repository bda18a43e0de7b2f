// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Requests: the reading, what is kept of each, and words. See requests.h. */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "symbols/tasks.h"
#include "why/requests_pass.h"

/* --- what is kept ------------------------------------------------------------------------ */

static int compare_waits(const void *a, const void *b)
{
	const struct request_wait *x = a, *y = b;

	if (x->ticks != y->ticks)
		return x->ticks > y->ticks ? -1 : 1;
	if (x->lock != y->lock)
		return x->lock < y->lock ? -1 : 1;
	return (x->who > y->who) - (x->who < y->who);
}

static void *copy(const void *from, size_t n, size_t size)
{
	void *to = n ? mem_zalloc(n, size) : NULL;

	if (n)
		memcpy(to, from, n * size);
	return to;
}

void requests_keep(struct requests_pass *pass, const struct request *sum)
{
	struct requests *r = &pass->answer;
	struct request *kept;

	if (r->n == REQUESTS_MAX) {
		r->left_out[REQUEST_UNKEPT]++;
		return;
	}
	if (!(r->n & (r->n - 1)))
		r->request = mem_resize(r->request, r->n ? 2 * r->n : 1, sizeof(*r->request));
	kept = &r->request[r->n++];
	*kept = *sum;
	kept->thread = copy(sum->thread, sum->threads, sizeof(*sum->thread));
	kept->wait = copy(sum->wait, sum->waits, sizeof(*sum->wait));
	if (kept->waits)
		qsort(kept->wait, kept->waits, sizeof(*kept->wait), compare_waits);
}

/* --- the reading -------------------------------------------------------------------------- */

bool requests_any(const struct requests *r)
{
	uint64_t all = r->n + r->misplaced;

	for (unsigned int i = 0; i < REQUEST_FAULTS; i++)
		all += r->left_out[i];
	for (unsigned int i = 0; i < REQUEST_ROLES; i++)
		all += r->stray[i];
	return all;
}

static int read_all(struct requests_pass *r)
{
	const char *begin = r->asked.event[REQUEST_BEGIN];
	struct why_pass *p = r->pass;
	int ret;

	if (requests_find_marks(r))
		return -1;
	p->requests = r;
	ret = why_pass_read(p);
	if (ret || requests_any(&r->answer) || r->asked.part)
		return ret;
	warnx("%s: no request is marked in it, by '%s' or 'ft mark begin ID': mark requests with "
	      "ft_event(%s, id), or name the event with --begin", p->answer.trace.title, begin,
	      begin);
	return -1;
}

const struct requests *requests_read(const struct requests_asked *asked, char *const *dirs)
{
	const struct why_asked why = {
		.symbols = asked->symbols, .part = asked->part, .given = asked->given,
		.before = asked->before,
	};
	struct requests_pass *r;
	struct why_pass *p = why_pass_open(&why, dirs);

	if (!p && asked->part)
		why_cannot_read_again(dirs, "its requests");
	if (!p)
		return NULL;
	r = mem_zalloc(1, sizeof(*r));
	r->pass = p;
	r->answer.why = &p->answer;
	r->asked = *asked;
	r->answer.limit = asked->limit;
	r->answer.top = asked->top;
	if (read_all(r)) {
		if (asked->part)
			why_cannot_read_again(dirs, "its requests");
		requests_free(&r->answer);
		return NULL;
	}
	r->answer.alone = !p->answer.seen.switches;
	requests_compare(&r->answer);
	return &r->answer;
}

static void table_free(struct requests_table *table)
{
	pairs_free(&table->memory);
	mem_free(table->row);
}

void requests_free(const struct requests *read)
{
	struct requests_pass *pass = (struct requests_pass *)read;
	struct requests *r;

	if (!pass)
		return;
	r = &pass->answer;
	for (size_t i = 0; i < r->n; i++) {
		mem_free(r->request[i].thread);
		mem_free(r->request[i].wait);
	}
	mem_free(r->request);
	mem_free(r->by_duration);
	table_free(&r->locks);
	table_free(&r->holders);
	why_free(r->why);
	mem_free(pass);
}

/* --- words ------------------------------------------------------------------------------ */

static const struct {
	const char *name, *words;
} faults[REQUEST_FAULTS] = {
	[REQUEST_GOOD] = { "good", "good" },
	[REQUEST_NESTED] = { "nested", "a thread joined it that worked for another one" },
	[REQUEST_DOUBLED] = { "doubled", "it began again before it had ended" },
	[REQUEST_CROSSED] = { "crossed", "a thread ended it that worked for another one" },
	[REQUEST_UNENDED] = { "unended", "its end is not in the trace" },
	[REQUEST_CUT] = { "lost", "records were lost while it was under way" },
	[REQUEST_MANY] = { "too_many", "too many were under way" },
	[REQUEST_UNKEPT] = { "not_kept", "too many were complete before it" },
};

const char *requests_fault_name(enum request_fault fault)
{
	return faults[fault].name;
}

const char *requests_fault_words(enum request_fault fault)
{
	return faults[fault].words;
}

const char *requests_lock_words(const struct requests *r, const struct request_wait *wait,
				char *buf, size_t len)
{
	char symbol[SYMBOLS_LEN];

	snprintf(buf, len, "%s %s", locks_families[wait->family].title, wait->class ?
		 wait->class->name :
		 symbols_format(r->why->symbols, wait->lock, false, symbol, sizeof(symbol)));
	return buf;
}

/* For one request with its number; for many, tasks of one name count as one. */
const char *requests_holder_words(const struct requests *r, const struct request_wait *wait,
				  bool one, char *buf, size_t len)
{
	const char *name = wait->who ? names_find(r->why->names, wait->who) : NULL;
	int kind = name ? why_task_kind(name) : 0;

	if (wait->holder == WHY_IN_INTERRUPT)
		snprintf(buf, len, "an interrupt");
	else if (wait->holder == WHY_NOBODY)
		snprintf(buf, len, "%s", "");
	else if (!wait->who)
		snprintf(buf, len, "an idle task");
	else if (one || !name)
		snprintf(buf, len, "%.15s %" PRId32, name ? name : "task", wait->who);
	else
		snprintf(buf, len, "%.*s%s", kind < 15 ? kind : 15, name, name[kind] ? "/..." : "");
	return buf;
}
