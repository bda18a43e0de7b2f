// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * <feather_trace/fifo.h> under load: threads and their signal handlers write to one small
 * FIFO, one thread reads.
 *
 *	fifo_stress [--seconds N]
 *
 * Holds: a record is read whole, once, and those of a context in order; where a context has
 * lost something between two records there is a gap; without losses there is none; attempts
 * are records and lost ones. It ends after N seconds (default: 2), or when much was done.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <feather_trace/fifo.h>

#define THREADS		4
#define CONTEXTS	(2 * THREADS)	/* a thread, and its handler */

struct record {
	uint32_t context;
	uint32_t serial;
	uint32_t missed;	/* attempts of this context that were lost so far */
	uint32_t sum;
};

DEFINE_FT_FIFO(fifo, 16, 32);

static struct {
	uint32_t serial;
	uint32_t missed;
} own[CONTEXTS];

static __thread unsigned int me;
static int stop, done;

static void attempt(unsigned int context)
{
	struct record *rec = (struct record *)ft_fifo_reserve(&fifo);

	if (!rec) {
		own[context].missed++;
		return;
	}
	rec->context = context;
	rec->serial = ++own[context].serial;
	rec->missed = own[context].missed;
	rec->sum = rec->context ^ rec->serial ^ rec->missed ^ 0x5a5a5a5a;
	ft_fifo_commit(&fifo, rec, sizeof(*rec));
}

static void on_signal(int nr)
{
	(void)nr;
	attempt(THREADS + me);
}

static void *write_records(void *arg)
{
	me = (unsigned int)(uintptr_t)arg;
	for (unsigned int i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) {
		attempt(me);
		if (i % 64 == me)
			raise(SIGUSR1);
		if (i % 256 == 0)
			sched_yield();
	}
	__atomic_fetch_add(&done, 1, __ATOMIC_RELEASE);
	return NULL;
}

static uint64_t got, gaps;
static struct record last[CONTEXTS];
static uint64_t gap_of[CONTEXTS];	/* gaps when this context's last record was read */

static void die(const char *why, const struct record *rec)
{
	printf("%s: context %u, serial %u, missed %u\n", why, rec->context, rec->serial,
	       rec->missed);
	exit(1);
}

static void take(const struct ft_fifo_record *found)
{
	const struct record *rec = (const struct record *)found->data;
	struct record *before;

	if (found->len != sizeof(*rec) || rec->context >= CONTEXTS ||
	    rec->sum != (rec->context ^ rec->serial ^ rec->missed ^ 0x5a5a5a5a))
		die("a record is not whole", rec);
	before = &last[rec->context];
	if (rec->serial != before->serial + 1)
		die("a record is not the next of its context", rec);
	gaps += !!found->gap;
	if (rec->missed != before->missed && gaps == gap_of[rec->context])
		die("a loss without a gap", rec);
	gap_of[rec->context] = gaps;
	*before = *rec;
	got++;
}

static void drain(unsigned int batch)
{
	struct ft_fifo_record rec;

	for (unsigned int i = 0; i < batch && ft_fifo_next(&fifo, &rec); i++)
		take(&rec);
	ft_fifo_release(&fifo);
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 2 && !strcmp(argv[1], "--seconds") ? atoi(argv[2]) : 2);
	uint64_t attempts = 0, lost;
	pthread_t thread[THREADS];

	signal(SIGUSR1, on_signal);
	for (uintptr_t i = 0; i < THREADS; i++) {
		if (pthread_create(&thread[i], NULL, write_records, (void *)i))
			abort();
	}
	for (unsigned int i = 0; time(NULL) < end; i++)
		drain(i % 20 + 1);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < THREADS)
		drain(16);
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (unsigned int i = 0; i < 4; i++)
		drain(16);

	lost = ft_fifo_lost(&fifo);
	for (unsigned int i = 0; i < CONTEXTS; i++)
		attempts += own[i].serial + own[i].missed;
	if (got + lost != attempts || (gaps && !lost)) {
		printf("%llu attempts, %llu records, %llu lost, %llu gaps\n",
		       (unsigned long long)attempts, (unsigned long long)got,
		       (unsigned long long)lost, (unsigned long long)gaps);
		return 1;
	}
	printf("steps: %llu records, %llu lost, %llu gaps\n", (unsigned long long)got,
	       (unsigned long long)lost, (unsigned long long)gaps);
	return 0;
}
