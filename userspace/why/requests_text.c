// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Requests for people. */
#include <inttypes.h>
#include <stdio.h>

#include "view/text/text.h"
#include "why/requests.h"
#include "why/show.h"

#define NAME	60	/* columns for a lock and its holder */

static const char *time_of(const struct requests *r, uint64_t ticks, char cell[CELL])
{
	return text_ps(cell, (report_ps)ticks * 1000 * 1000000000u / r->why->trace.meta.freq);
}

static void print_means(const struct requests *r, const unsigned __int128 of[2])
{
	double typical = requests_mean(r, REQUESTS_TYPICAL, of[REQUESTS_TYPICAL]);
	double slow = requests_mean(r, REQUESTS_SLOW, of[REQUESTS_SLOW]);

	printf("%12.3f %12.3f %+12.3f  ", typical / 1e3, slow / 1e3, (slow - typical) / 1e3);
}

static void print_whole(const struct requests *r, const char *what, unsigned __int128 typical,
			unsigned __int128 slow)
{
	const unsigned __int128 of[] = { typical, slow };

	print_means(r, of);
	printf("%s\n", what);
}

static void print_waits(const struct requests *r, const struct requests_table *table,
			const char *title)
{
	char lock[WHY_WORDS], holder[WHY_WORDS];

	if (!table->rows)
		return;
	printf("%40s%s\n", "", title);
	for (size_t i = 0; i < table->rows && i < r->top; i++) {
		const struct request_wait *wait = &table->row[i]->wait;

		print_means(r, table->row[i]->of);
		if (table == &r->locks) {
			printf("%.*s\n", NAME, requests_lock_words(r, wait, lock, sizeof(lock)));
			continue;
		}
		requests_holder_words(r, wait, false, holder, sizeof(holder));
		printf("%s: %.*s\n", *holder ? holder : "nobody that is known", NAME - 22,
		       requests_lock_words(r, wait, lock, sizeof(lock)));
	}
	if (table->rows > r->top)
		printf("%40sand %zu more (--top 0)\n", "", table->rows - r->top);
	if (table->memory.refused)
		printf("%40sand more: there were too many\n", "");
}

static void print_difference(const struct requests *r)
{
	const struct requests_band *typical = &r->band[REQUESTS_TYPICAL];
	const struct requests_band *slow = &r->band[REQUESTS_SLOW];

	printf("\nWhat differs: means of the %zu around p50, and of the %zu from p99 on, in us\n\n",
	       typical->n, slow->n);
	printf("%12s %12s %12s\n", "p50", "p99", "difference");
	print_whole(r, "the request, from its beginning to its end", typical->duration,
		    slow->duration);
	if (typical->alone || slow->alone)
		print_whole(r, "of this, no thread worked for it", typical->alone, slow->alone);
	print_whole(r, "its threads together", typical->ticks, slow->ticks);
	printf("%40sof this, by cause:\n", "");
	for (unsigned int i = 0; r->cause[i]; i++)
		print_whole(r, why_cause_words(r->cause[i]->cause),
			    r->cause[i]->of[REQUESTS_TYPICAL], r->cause[i]->of[REQUESTS_SLOW]);
	print_waits(r, &r->locks, "waiting, by class of lock:");
	print_waits(r, &r->holders, "waiting, by holder:");
}

static void print_us(const struct requests *r, uint64_t from, uint64_t to)
{
	uint64_t ns = why_ns(r->why, to) - why_ns(r->why, from);

	printf("%10" PRIu64 ".%03u us  ", ns / 1000, (unsigned int)(ns % 1000));
}

static void print_thread(const struct requests *r, const struct request_thread *thread)
{
	uint64_t at = 0;
	char words[WHY_WORDS];

	print_us(r, 0, thread->ticks);
	printf("  in %s\n", thread->tid ? why_task_words(r->why, thread->tid, words) :
					  "other threads");
	for (unsigned int i = 0; i < WHY_CAUSES; i++) {
		if (!thread->causes[i])
			continue;
		print_us(r, at, at + thread->causes[i]);
		printf("    %s\n", why_cause_words((enum why_cause)i));
		at += thread->causes[i];
	}
}

static void print_request(const struct requests *r, const struct request *one)
{
	char lock[WHY_WORDS], holder[WHY_WORDS];

	putchar('\n');
	print_us(r, 0, request_duration(one));
	printf("request %" PRIu64 ", at %.9f s\n", one->id, why_at(r->why, one->start));
	if (one->alone) {
		print_us(r, 0, one->alone);
		printf("  no thread worked for it\n");
	}
	for (unsigned int i = 0; i < one->threads; i++)
		print_thread(r, &one->thread[i]);
	for (unsigned int i = 0; i < one->waits; i++) {
		requests_holder_words(r, &one->wait[i], true, holder, sizeof(holder));
		print_us(r, 0, one->wait[i].ticks);
		printf("  waited for %.*s\n%18sheld by %s\n", NAME,
		       requests_lock_words(r, &one->wait[i], lock, sizeof(lock)), "",
		       *holder ? holder : "nobody that is known");
	}
}

static void print_faults(const struct requests *r)
{
	static const char *const roles[] = REQUEST_ROLE_WORDS;

	for (unsigned int i = REQUEST_GOOD + 1; i < REQUEST_FAULTS; i++) {
		if (r->left_out[i])
			printf("%" PRIu64 " left out: %s\n", r->left_out[i],
			       requests_fault_words((enum request_fault)i));
	}
	for (unsigned int i = 0; i < REQUEST_ROLES; i++) {
		if (r->stray[i])
			printf("%" PRIu64 " marks '%s' changed nothing: no such request was under "
			       "way%s\n", r->stray[i], roles[i],
			       i == REQUEST_JOIN ? ", or the thread worked for it" :
			       i == REQUEST_LEAVE ? " in this thread" : "");
	}
	if (r->misplaced)
		printf("%" PRIu64 " marks in interrupts or idle tasks changed nothing\n",
		       r->misplaced);
}

static void print_missing(const struct requests *r)
{
	const char *line;

	putchar('\n');
	if (r->alone) {
		puts("This trace has no sched_switch: what threads do is known only where they "
		     "wait for locks.");
		return;
	}
	for (unsigned int i = 0; (line = why_missing(r->why, i)); i++) {
		if (*line)
			printf("This trace does not show %s.\n", line);
	}
}

void requests_text(const struct requests *r)
{
	char p50[CELL], p99[CELL], max[CELL];

	printf("trace %s\n\n", r->why->trace.title);
	if (r->n)
		printf("%zu requests: p50 %s, p99 %s, longest %s\n", r->n,
		       time_of(r, request_duration(requests_at(r, requests_rank(r->n, 500))), p50),
		       time_of(r, request_duration(requests_at(r, requests_rank(r->n, 990))), p99),
		       time_of(r, request_duration(requests_at(r, r->n - 1)), max));
	else
		puts("No request is complete.");
	print_faults(r);
	if (r->n)
		print_difference(r);
	if (r->n && r->limit)
		puts("\nThe slowest requests");
	for (size_t i = 0; i < r->n && i < r->limit; i++)
		print_request(r, requests_at(r, r->n - 1 - i));
	print_missing(r);
}
