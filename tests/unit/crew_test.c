// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Jobs of a crew, lines of blocks, and compressed blocks that are decoded ahead:
 * userspace/base/crew/ and packed/ahead.h. Also built with ThreadSanitizer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include <linux/feather_trace.h>

#include "base/crew/line.h"
#include "base/crew/written.h"
#include "packed/file.h"
#include "packed/pack.h"

#define JOBS	2000

struct counted {
	struct crew_job	job;	/* the first member */
	unsigned int	ran;
};

static void count(struct crew_job *job, unsigned int worker)
{
	(void)worker;
	((struct counted *)job)->ran++;
}

static void no_threads(void **state)
{
	(void)state;
	assert_null(crew_new(0));
	crew_free(NULL);
}

/* Given, then finished or taken back in another order: each ran once, or not at all. */
static void jobs_come_back(void **state)
{
	static struct counted jobs[JOBS];
	struct crew *c = crew_new(3);
	unsigned int ran = 0;

	(void)state;
	memset(jobs, 0, sizeof(jobs));
	assert_non_null(c);
	assert_int_equal(crew_workers(c), 3);
	for (int i = 0; i < JOBS; i++) {
		jobs[i].job.run = count;
		crew_give(c, &jobs[i].job);
	}
	for (int i = JOBS - 1; i >= 0; i--) {
		if (i % 2) {
			crew_finish(c, &jobs[i].job);
			assert_int_equal(jobs[i].ran, 1);
		} else {
			bool began = !crew_take_back(c, &jobs[i].job);

			assert_int_equal(jobs[i].ran, began);
		}
		ran += jobs[i].ran;
	}
	assert_true(ran >= JOBS / 2);
	/* what was got back can be given again; what was not given is none of the crew's */
	crew_give(c, &jobs[0].job);
	crew_finish(c, &jobs[0].job);
	assert_true(crew_take_back(c, &jobs[0].job));
	crew_free(c);
}

/* A job that is run until the gate opens: meanwhile no other one is, by a crew of one. */

static sem_t gate, begun;
static bool open_when_joined;

static void wait_at_gate(struct crew_job *job, unsigned int worker)
{
	(void)job;
	(void)worker;
	sem_post(&begun);
	while (sem_wait(&gate))
		;
}

/* The crew knows that it is over when its threads are waited for. */
int __real_pthread_join(pthread_t thread, void **value);
int __wrap_pthread_join(pthread_t thread, void **value);

int __wrap_pthread_join(pthread_t thread, void **value)
{
	if (open_when_joined)
		sem_post(&gate);
	return __real_pthread_join(thread, value);
}

static struct crew *busy_crew(struct crew_job *job)
{
	struct crew *c = crew_new(1);

	sem_init(&gate, 0, 0);
	sem_init(&begun, 0, 0);
	*job = (struct crew_job){ .run = wait_at_gate };
	crew_give(c, job);
	while (sem_wait(&begun))
		;
	return c;
}

/* Of what nobody waits for, no more begins; what is behind the running one does not, either. */
static void crew_is_left(void **state)
{
	static struct counted jobs[10];
	struct crew_job first;
	struct crew *c = busy_crew(&first);

	(void)state;
	memset(jobs, 0, sizeof(jobs));
	for (unsigned int i = 0; i < 10; i++) {
		jobs[i].job.run = count;
		if (i)
			crew_give(c, &jobs[i].job);
		else
			crew_give_behind(c, &jobs[i].job, &first);
	}
	open_when_joined = true;
	crew_free(c);
	open_when_joined = false;
	for (unsigned int i = 0; i < 10; i++)
		assert_int_equal(jobs[i].ran, 0);
}

/* What waits behind another one is got back at once, and that one does not miss it. */
static void job_behind_comes_back(void **state)
{
	static struct counted job;
	struct crew_job first;
	struct crew *c = busy_crew(&first);

	(void)state;
	job = (struct counted){ .job.run = count };
	crew_give_behind(c, &job.job, &first);
	alarm(60);	/* who waits for @first here waits for ever */
	assert_true(crew_take_back(c, &job.job));
	alarm(0);
	sem_post(&gate);
	crew_finish(c, &first);
	assert_int_equal(job.ran, 0);
	crew_give_behind(c, &job.job, &first);	/* which is not given any more */
	crew_finish(c, &job.job);
	assert_int_equal(job.ran, 1);
	crew_free(c);
}

/* A line: each block is one number. */

#define BLOCKS	5
#define NUMBERS	3000

struct sum {
	uint64_t		worked, emptied;	/* numbers so far, in a hash */
	_Atomic unsigned int	at_work, overlaps;
	unsigned int		next;			/* to be emptied */
};

static void work_in_turn(void *arg, void *block, unsigned int worker)
{
	struct sum *s = arg;

	(void)worker;
	s->overlaps += atomic_fetch_add(&s->at_work, 1);
	if (!(*(unsigned int *)block % 16))	/* others would overtake it */
		usleep(100);
	s->worked = s->worked * 31 + *(unsigned int *)block;
	atomic_fetch_sub(&s->at_work, 1);
}

static void work_alone(void *arg, void *block, unsigned int worker)
{
	unsigned int *number = block;

	(void)arg;
	if (!(*number % 97))	/* others overtake it */
		usleep(200 * (worker % 2));
	*number *= 2;
}

static void empty(void *arg, void *block)
{
	struct sum *s = arg;

	assert_int_equal(*(unsigned int *)block, 2 * s->next++);
}

static void run_line(const struct line_asked *asked)
{
	struct crew *c = crew_new(2);
	struct line *l = line_new(c, asked);
	unsigned int *number = line_block(l);

	for (unsigned int i = 0; i < NUMBERS; i++) {
		*number = i;
		if (i + 1 < NUMBERS)
			number = line_next(l);
	}
	line_flush(l);
	line_end(l, NULL);
	crew_free(c);
}

static void blocks_in_turn(void **state)
{
	struct sum s = { 0 };
	const struct line_asked asked = {
		.size = sizeof(unsigned int), .blocks = BLOCKS, .in_turn = true,
		.work = work_in_turn, .arg = &s,
	};
	uint64_t want = 0;

	(void)state;
	run_line(&asked);
	for (unsigned int i = 0; i < NUMBERS; i++)
		want = want * 31 + i;
	assert_int_equal(s.overlaps, 0);
	assert_true(s.worked == want);
}

static void blocks_in_order(void **state)
{
	struct sum s = { 0 };
	const struct line_asked asked = {
		.size = sizeof(unsigned int), .blocks = BLOCKS,
		.work = work_alone, .empty = empty, .arg = &s,
	};

	(void)state;
	run_line(&asked);
	assert_int_equal(s.next, NUMBERS);
}

/* It is left with blocks that nobody asked for any more. */
static void line_is_left(void **state)
{
	struct sum s = { 0 };
	const struct line_asked asked = {
		.size = sizeof(unsigned int), .blocks = BLOCKS, .in_turn = true,
		.work = work_in_turn, .arg = &s,
	};

	(void)state;
	for (int i = 0; i < 50; i++) {
		struct crew *c = crew_new(2);
		struct line *l = line_new(c, &asked);

		for (int n = 0; n < i % 8; n++)
			line_next(l);
		line_end(l, NULL);
		crew_free(c);
	}
	line_end(NULL, NULL);
}

static void is_worked_on(void *arg, void *block, unsigned int worker)
{
	(void)block;
	(void)worker;
	atomic_fetch_add((_Atomic unsigned int *)arg, 1);
}

/* No thread has begun with any of its blocks: none is worked on. */
static void line_is_left_full(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 2 * BLOCKS; i++) {
		_Atomic unsigned int worked = 0;
		const struct line_asked asked = {
			.size = sizeof(unsigned int), .blocks = BLOCKS, .in_turn = i % 2,
			.work = is_worked_on, .arg = &worked,
		};
		struct crew_job first;
		struct crew *c = busy_crew(&first);
		struct line *l = line_new(c, &asked);

		for (unsigned int n = 0; n < i / 2; n++)
			line_next(l);
		line_end(l, NULL);
		assert_int_equal(worked, 0);
		sem_post(&gate);
		crew_finish(c, &first);
		crew_free(c);
		assert_int_equal(worked, 0);
	}
}

static void text_is_written(void **state)
{
	struct written w = { 0 };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len), *f;
	int error = 0;

	(void)state;
	for (int i = 0; i < 2; i++) {
		f = written_begin(&w);
		assert_non_null(f);
		fprintf(f, "line %d\n", i);
		written_end(&w, f);
		written_put(&w, out, &error);
	}
	fclose(out);
	assert_int_equal(error, 0);
	assert_string_equal(text, "line 0\nline 1\n");
	free(text);

	/* a full disk: the first error counts, and nothing follows it */
	out = fopen("/dev/full", "w");
	setvbuf(out, NULL, _IONBF, 0);
	for (int i = 0; i < 2; i++) {
		f = written_begin(&w);
		fputs("x", f);
		written_end(&w, f);
		written_put(&w, out, &error);
		assert_int_equal(error, ENOSPC);
	}
	fclose(out);
}

/* A compressed file: blocks of packets, whose bytes are known. */

#define FILE_BLOCKS	40u
#define RECORDS		1500u
#define RAW		(sizeof(struct ft_packet_header) + RECORDS * sizeof(struct ft_record))

static uint8_t plain[FILE_BLOCKS * RAW], block[PACKED_BLOCK_MAX];

static void make_packet(uint8_t *to, unsigned int seq)
{
	struct ft_packet_header h = {
		.magic = FT_PACKET_MAGIC, .seq = seq,
		.content_bits = RAW * 8, .packet_bits = RAW * 8,
		.ts_begin = 1000ull * seq * RECORDS, .ts_end = 1000ull * (seq + 1) * RECORDS,
	};

	memcpy(to, &h, sizeof(h));
	for (unsigned int i = 0; i < RECORDS; i++) {
		struct ft_record rec = {
			.ts = h.ts_begin + 1000 * i, .id = (uint16_t)(1 + i % 7),
			.a = 0x1000 + (i * 7919u + seq) % 500, .b = 64 * (i % 50),
		};

		memcpy(to + sizeof(h) + i * sizeof(rec), &rec, sizeof(rec));
	}
}

/* @damage: a bit of this block's data is another one; FILE_BLOCKS: of none */
static FILE *make_file(unsigned int damage, uint64_t *size)
{
	struct packer *p = packer_new(PACKED_LEVEL);
	FILE *f = tmpfile();

	*size = 0;
	for (unsigned int i = 0; i < FILE_BLOCKS; i++) {
		size_t n;

		make_packet(plain + i * RAW, i);
		n = packer_block(p, plain + i * RAW, RAW, i * RAW, block);
		if (i == damage)
			block[n - n / 3] ^= 4;
		fwrite(block, 1, n, f);
		*size += n;
	}
	fflush(f);
	packer_free(p);
	return f;
}

/*
 * @slow: the crew has time enough to be there first
 *
 * Return: bytes that could be read and are right; in pieces that are no block
 */
static uint64_t read_file(struct packed_file *f, bool slow, int *error)
{
	static uint8_t got[10007];
	uint64_t at = 0;
	ssize_t n;

	while ((n = packed_read(f, got, sizeof(got), at)) > 0) {
		assert_memory_equal(got, plain + at, (size_t)n);
		at += (uint64_t)n;
		if (slow)
			usleep(200);
	}
	*error = (int)n;
	return at;
}

static void read_ahead(unsigned int damage, uint64_t want, int want_error)
{
	struct unpacker *u = unpacker_new();
	uint64_t size;
	FILE *file = make_file(damage, &size);

	for (unsigned int workers = 0; workers < 4; workers++) {
		struct crew *c = crew_new(workers);
		struct ahead *a = c ? ahead_new(c) : NULL;
		struct packed_file f, other;
		int error;

		packed_open(&f, fileno(file), size, u, false);
		packed_open(&other, fileno(file), size, u, false);
		if (a) {
			packed_ahead(&f, a);
			packed_ahead(&other, a);
		}
		packed_more(&other);		/* it is left in the middle */
		packed_read(&other, block, 1, 0);
		assert_true(read_file(&f, workers % 2, &error) == want);
		assert_int_equal(error, want_error);
		assert_true(f.done == size || want_error);
		packed_close(&f);
		/* what the reading library does: the rest goes with its owner */
		ahead_free(a);
		other.ahead = NULL;
		packed_close(&other);
		crew_free(c);
	}
	fclose(file);
	unpacker_free(u);
}

static void blocks_ahead(void **state)
{
	(void)state;
	read_ahead(FILE_BLOCKS, FILE_BLOCKS * RAW, 0);
}

/* It is found where it is, and not before. */
static void damaged_block_ahead(void **state)
{
	(void)state;
	read_ahead(17, 17 * RAW, -EBADMSG);
	read_ahead(0, 0, -EBADMSG);
	read_ahead(FILE_BLOCKS - 1, (FILE_BLOCKS - 1) * RAW, -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_threads),
		cmocka_unit_test(jobs_come_back),
		cmocka_unit_test(crew_is_left),
		cmocka_unit_test(job_behind_comes_back),
		cmocka_unit_test(blocks_in_turn),
		cmocka_unit_test(blocks_in_order),
		cmocka_unit_test(line_is_left),
		cmocka_unit_test(line_is_left_full),
		cmocka_unit_test(text_is_written),
		cmocka_unit_test(blocks_ahead),
		cmocka_unit_test(damaged_block_ahead),
	};

	return cmocka_run_group_tests_name("crew", tests, NULL, NULL);
}
