// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Requests, a line each, in the order of their ends: for tables and scripts. */
#include <inttypes.h>
#include <stdio.h>

#include "why/requests.h"
#include "why/show.h"

static void put_waits(const struct requests *r, const struct request *one)
{
	char lock[WHY_WORDS], holder[WHY_WORDS];

	for (unsigned int i = 0; i < one->waits; i++) {
		const struct request_wait *wait = &one->wait[i];

		requests_holder_words(r, wait, true, holder, sizeof(holder));
		printf("%s%s (%s) %" PRIu64, i ? "; " : "",
		       requests_lock_words(r, wait, lock, sizeof(lock)),
		       *holder ? holder : "unknown", why_ns(r->why, wait->ticks));
	}
	putchar('\n');
}

void requests_tsv(const struct requests *r)
{
	printf("id\tat_ns\tns\tthreads\tno_thread_ns\tthread_ns");
	for (unsigned int i = 0; i < WHY_CAUSES; i++)
		printf("\t%s_ns", why_cause_name((enum why_cause)i));
	printf("\twaits_ns\n");
	for (size_t n = 0; n < r->n; n++) {
		const struct request *one = &r->request[n];
		uint64_t at = 0;

		printf("%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%u\t%" PRIu64 "\t%" PRIu64, one->id,
		       why_ns(r->why, one->start - r->why->trace.start),
		       why_ns(r->why, request_duration(one)), one->threads,
		       why_ns(r->why, one->alone), why_ns(r->why, one->ticks));
		for (unsigned int i = 0; i < WHY_CAUSES; i++) {
			printf("\t%" PRIu64, why_ns(r->why, at + one->causes[i]) -
			       why_ns(r->why, at));
			at += one->causes[i];
		}
		putchar('\t');
		put_waits(r, one);
	}
}
