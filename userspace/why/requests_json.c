// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Requests for programs; ft-requests(1) documents the names, which do not change. */
#include <inttypes.h>
#include <stdio.h>

#include "base/json.h"
#include "symbols/tasks.h"
#include "why/requests.h"
#include "why/show.h"

static uint64_t ns(const struct requests *r, uint64_t ticks)
{
	return why_ns(r->why, ticks);
}

static void put_task(struct json *j, const struct requests *r, const char *key, int32_t tid)
{
	const char *name = names_find(r->why->names, tid);

	json_i64(j, key, tid);
	if (name)
		json_text(j, "task_name", name);
}

static void put_lock(struct json *j, const struct requests *r, const struct request_wait *wait)
{
	char text[SYMBOLS_LEN];

	json_text(j, "family", locks_name(wait->family));
	if (wait->class) {
		json_text(j, "class", wait->class->name);
		return;
	}
	json_text(j, "lock_symbol", symbols_format(r->why->symbols, wait->lock, false, text,
						   sizeof(text)));
	json_number(j, "lock", "\"0x%" PRIx64 "\"", wait->lock);
}

static void put_holder(struct json *j, const struct requests *r, const struct request_wait *wait,
		       bool one)
{
	char text[WHY_WORDS];

	json_text(j, "holder", wait->holder == WHY_IN_INTERRUPT ? "interrupt" :
		  wait->holder == WHY_NOBODY ? "unknown" : "task");
	if (wait->holder != WHY_TASK)
		return;
	if (one || !names_find(r->why->names, wait->who))
		put_task(j, r, "task", wait->who);
	else
		json_text(j, "task_name",
			  requests_holder_words(r, wait, false, text, sizeof(text)));
}

/* Each from where the last one ended, so that they add up in nanoseconds, too. */
static void put_causes(struct json *j, const struct requests *r, const char *key, bool in_ns,
		       const uint64_t causes[WHY_CAUSES])
{
	uint64_t at = 0;

	json_object(j, key);
	for (unsigned int i = 0; i < WHY_CAUSES; i++) {
		if (causes[i])
			json_u64(j, why_cause_name((enum why_cause)i), in_ns ?
				 ns(r, at + causes[i]) - ns(r, at) : causes[i]);
		at += causes[i];
	}
	json_end(j);
}

static void put_thread(struct json *j, const struct requests *r,
		       const struct request_thread *thread)
{
	json_object(j, NULL);
	if (thread->tid)
		put_task(j, r, "task", thread->tid);
	else
		json_bool(j, "others", true);
	json_u64(j, "ticks", thread->ticks);
	json_u64(j, "ns", ns(r, thread->ticks));
	put_causes(j, r, "causes", false, thread->causes);
	put_causes(j, r, "causes_ns", true, thread->causes);
	json_end(j);
}

static void put_wait(struct json *j, const struct requests *r, const struct request_wait *wait)
{
	json_object(j, NULL);
	put_lock(j, r, wait);
	put_holder(j, r, wait, true);
	json_u64(j, "ticks", wait->ticks);
	json_u64(j, "ns", ns(r, wait->ticks));
	json_end(j);
}

static void put_request(struct json *j, const struct requests *r, const struct request *one)
{
	uint64_t rest = one->causes[WHY_WAITING] + one->causes[WHY_SPINNING];

	json_object(j, NULL);
	json_u64(j, "id", one->id);
	json_u64(j, "at_ns", ns(r, one->start - r->why->trace.start));
	json_u64(j, "ticks", request_duration(one));
	json_u64(j, "ns", ns(r, request_duration(one)));
	json_u64(j, "no_thread_ticks", one->alone);
	json_u64(j, "thread_ticks", one->ticks);
	put_causes(j, r, "causes", false, one->causes);
	json_array(j, "threads");
	for (unsigned int i = 0; i < one->threads; i++)
		put_thread(j, r, &one->thread[i]);
	json_end(j);
	json_array(j, "waits");
	for (unsigned int i = 0; i < one->waits; i++) {
		put_wait(j, r, &one->wait[i]);
		rest -= one->wait[i].ticks;
	}
	json_end(j);
	json_u64(j, "waits_others_ticks", rest);
	json_end(j);
}

static void put_means(struct json *j, const struct requests *r, const unsigned __int128 of[2])
{
	double typical = requests_mean(r, REQUESTS_TYPICAL, of[REQUESTS_TYPICAL]);
	double slow = requests_mean(r, REQUESTS_SLOW, of[REQUESTS_SLOW]);

	json_number(j, "p50_ns", "%.1f", typical);
	json_number(j, "p99_ns", "%.1f", slow);
	json_number(j, "difference_ns", "%.1f", slow - typical);
}

static void put_whole(struct json *j, const struct requests *r, const char *key,
		      unsigned __int128 typical, unsigned __int128 slow)
{
	const unsigned __int128 of[] = { typical, slow };

	json_object(j, key);
	put_means(j, r, of);
	json_end(j);
}

static void put_waits(struct json *j, const struct requests *r, const char *key,
		      const struct requests_table *table, bool holders)
{
	json_array(j, key);
	for (size_t i = 0; i < table->rows && i < r->top; i++) {
		json_object(j, NULL);
		put_lock(j, r, &table->row[i]->wait);
		if (holders)
			put_holder(j, r, &table->row[i]->wait, false);
		put_means(j, r, table->row[i]->of);
		json_end(j);
	}
	json_end(j);
}

static void put_difference(struct json *j, const struct requests *r)
{
	const struct requests_band *typical = &r->band[REQUESTS_TYPICAL];
	const struct requests_band *slow = &r->band[REQUESTS_SLOW];

	json_object(j, "difference");
	json_u64(j, "p50_requests", typical->n);
	json_u64(j, "p99_requests", slow->n);
	put_whole(j, r, "duration", typical->duration, slow->duration);
	put_whole(j, r, "no_thread", typical->alone, slow->alone);
	put_whole(j, r, "threads", typical->ticks, slow->ticks);
	json_array(j, "causes");
	for (unsigned int i = 0; r->cause[i]; i++) {
		json_object(j, NULL);
		json_text(j, "cause", why_cause_name(r->cause[i]->cause));
		put_means(j, r, r->cause[i]->of);
		json_end(j);
	}
	json_end(j);
	put_waits(j, r, "locks", &r->locks, false);
	put_waits(j, r, "holders", &r->holders, true);
	json_end(j);
}

static void put_faults(struct json *j, const struct requests *r)
{
	static const char *const roles[] = REQUEST_ROLE_WORDS;

	json_object(j, "left_out");
	for (unsigned int i = REQUEST_GOOD + 1; i < REQUEST_FAULTS; i++)
		json_u64(j, requests_fault_name((enum request_fault)i), r->left_out[i]);
	json_end(j);
	json_object(j, "stray_marks");
	for (unsigned int i = REQUEST_BEGIN + 1; i < REQUEST_ROLES; i++)
		json_u64(j, roles[i], r->stray[i]);
	json_u64(j, "in_interrupts", r->misplaced);
	json_end(j);
}

static void put_percentiles(struct json *j, const struct requests *r)
{
	static const struct {
		const char	*key;
		unsigned int	permille;
	} all[] = { { "p50_ns", 500 }, { "p99_ns", 990 }, { "max_ns", 1000 } };

	for (unsigned int i = 0; i < 3; i++)
		json_u64(j, all[i].key,
			 ns(r, request_duration(requests_at(r, requests_rank(r->n,
									     all[i].permille)))));
}

void requests_json(const struct requests *r)
{
	struct json j = { .f = stdout, .flat = 4 };

	json_object(&j, NULL);
	json_text(&j, "trace", r->why->trace.title);
	json_u64(&j, "clock_hz", r->why->trace.meta.freq);
	json_bool(&j, "scheduler", !r->alone);
	json_u64(&j, "requests", r->n);
	put_faults(&j, r);
	if (r->n) {
		put_percentiles(&j, r);
		put_difference(&j, r);
	}
	json_array(&j, "slowest");
	for (size_t i = 0; i < r->n && i < r->limit; i++)
		put_request(&j, r, requests_at(r, r->n - 1 - i));
	json_end(&j);
	json_end(&j);
}
