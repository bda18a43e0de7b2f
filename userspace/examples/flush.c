// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A trace of a program's own, without a library: threads write records of any kind to a
 * FIFO, and one thread flushes it to a file.
 *
 *	cc flush.c $(pkg-config --cflags feather-trace) -pthread -o flush
 *	./flush trace.tsv
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <feather_trace/fifo.h>

#define THREADS	4u
#define RECORDS	10000u

struct step {
	uint64_t time;
	uint32_t thread;
	uint32_t number;
};

/* 32 bytes: a step, and the mark of the slot. */
DEFINE_FT_FIFO(steps, 4096, 32);

static int finished;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *work(void *arg)
{
	for (uint32_t i = 0; i < RECORDS; i++) {
		struct step *step = (struct step *)ft_fifo_reserve(&steps);

		if (step) {
			step->time = now();
			step->thread = (uint32_t)(uintptr_t)arg;
			step->number = i;
			ft_fifo_commit(&steps, step, sizeof(*step));
		}
	}
	return NULL;
}

/* What is there now. */
static unsigned long flush(FILE *file)
{
	struct ft_fifo_record rec;
	unsigned long n = 0;

	for (; n < 1024 && ft_fifo_next(&steps, &rec); n++) {
		const struct step *step = (const struct step *)rec.data;

		if (rec.gap)
			fputs("# records are missing here\n", file);
		fprintf(file, "%llu\t%u\t%u\n", (unsigned long long)step->time, step->thread,
			step->number);
	}
	ft_fifo_release(&steps);
	return n;
}

static void *flush_all(void *arg)
{
	const struct timespec pause = { 0, 1000000 };
	int last, more;

	/* Finished, and then nothing there: the order matters. */
	do {
		last = __atomic_load_n(&finished, __ATOMIC_ACQUIRE);
		more = 0;
		while (flush((FILE *)arg))
			more = 1;
		if (!last)
			nanosleep(&pause, NULL);
	} while (!last || more);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS], flusher;
	FILE *file = argc == 2 ? fopen(argv[1], "w") : NULL;

	if (!file) {
		fputs("usage: flush FILE, which can be written\n", stderr);
		return 2;
	}
	if (pthread_create(&flusher, NULL, flush_all, file))
		return 1;
	for (uintptr_t i = 0; i < THREADS; i++) {
		if (pthread_create(&thread[i], NULL, work, (void *)i))
			return 1;
	}
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	__atomic_store_n(&finished, 1, __ATOMIC_RELEASE);
	pthread_join(flusher, NULL);
	if (fclose(file)) {
		perror(argv[1]);
		return 1;
	}
	printf("%u records, %llu lost\n", THREADS * RECORDS,
	       (unsigned long long)ft_fifo_lost(&steps));
	return 0;
}
