// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Names of tasks, from the bytes of perf's rings to the file that is read back. */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/kernel/names.h"
#include "record/kernel/news.h"
#include "symbols/tasks.h"
#include "trace/session_file.h"

#define RING	512

/* A ring as the kernel writes it; records go round its end. */
struct ring_of {
	char		data[RING];
	uint64_t	tail, head;
};

struct fixture {
	struct ring_of		ring;
	struct record_news	news;
	struct record_names	names;
};

static void put(struct ring_of *r, const void *from, size_t len)
{
	for (size_t i = 0; i < len; i++)
		r->data[r->head++ % RING] = ((const char *)from)[i];
	assert_true(r->head - r->tail <= RING);
}

static void put_header(struct ring_of *r, uint32_t type, size_t size)
{
	struct perf_event_header header = { .type = type, .size = (uint16_t)size };

	put(r, &header, sizeof(header));
}

static void put_fork(struct ring_of *r, uint32_t type, uint64_t time,
		     uint32_t tid, uint32_t parent)
{
	/* the group leaders must not be taken for the tasks */
	uint32_t ids[] = { 1000, 1001, tid, parent };
	uint64_t at = 77;

	put_header(r, type, sizeof(struct perf_event_header) + sizeof(ids) +
		   sizeof(at) + sizeof(time));
	put(r, ids, sizeof(ids));
	put(r, &at, sizeof(at));
	put(r, &time, sizeof(time));
}

static void put_comm(struct ring_of *r, uint64_t time, uint32_t tid,
		     const char *name)
{
	char padded[RECORD_NAME_LEN] = "";
	size_t len = (strlen(name) + 8) & ~7ul;
	uint32_t ids[] = { 1000, tid };

	memcpy(padded, name, strlen(name));
	put_header(r, PERF_RECORD_COMM, sizeof(struct perf_event_header) +
		   sizeof(ids) + len + sizeof(time));
	put(r, ids, sizeof(ids));
	put(r, padded, len);
	put(r, &time, sizeof(time));
}

static void put_lost(struct ring_of *r, uint64_t lost)
{
	uint64_t fields[] = { 5, lost, 123 };

	put_header(r, PERF_RECORD_LOST, sizeof(struct perf_event_header) +
		   sizeof(fields));
	put(r, fields, sizeof(fields));
}

static void read_ring(struct fixture *f)
{
	record_news_read(&f->news, f->ring.data, RING, f->ring.tail, f->ring.head);
	f->ring.tail = f->ring.head;
}

static void apply(struct fixture *f, uint64_t before)
{
	record_news_apply(&f->news, &f->names, before);
}

static int set_up(void **state)
{
	*state = calloc(1, sizeof(struct fixture));
	return !*state;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	record_news_free(&f->news);
	record_names_free(&f->names);
	free(f);
	return 0;
}

static void is_called(const struct fixture *f, uint32_t tid, const char *name)
{
	assert_string_equal(record_names_get(&f->names, tid), name);
}

static void a_child_has_its_parents_name(void **state)
{
	struct fixture *f = *state;

	record_names_set(&f->names, 5, "sh\n", 2);
	put_fork(&f->ring, PERF_RECORD_FORK, 10, 6, 5);
	put_fork(&f->ring, PERF_RECORD_FORK, 11, 7, 6);
	put_comm(&f->ring, 12, 6, "make");
	put_fork(&f->ring, PERF_RECORD_FORK, 13, 8, 6);
	put_fork(&f->ring, PERF_RECORD_EXIT, 14, 6, 5);
	read_ring(f);
	apply(f, UINT64_MAX);
	is_called(f, 5, "sh");
	is_called(f, 6, "make");
	is_called(f, 7, "sh");
	is_called(f, 8, "make");
	is_called(f, 1000, "");
	assert_int_equal(f->news.missed, 0);
}

static void a_number_used_again_has_its_last_name(void **state)
{
	struct fixture *f = *state;

	put_comm(&f->ring, 1, 5, "old");
	put_fork(&f->ring, PERF_RECORD_FORK, 2, 5, 9);
	read_ring(f);
	apply(f, UINT64_MAX);
	is_called(f, 5, "");	/* 9 has none, but 5 is another one now */
	put_comm(&f->ring, 3, 5, "new");
	read_ring(f);
	apply(f, UINT64_MAX);
	is_called(f, 5, "new");
}

/* Fork, name, fork on three CPUs, which are read in the wrong order. */
static void order_is_by_time(void **state)
{
	struct fixture *f = *state;

	record_names_set(&f->names, 5, "sh", 2);
	put_fork(&f->ring, PERF_RECORD_FORK, 30, 7, 6);
	read_ring(f);
	put_comm(&f->ring, 20, 6, "make");
	put_comm(&f->ring, 40, 7, "cc");
	read_ring(f);
	put_fork(&f->ring, PERF_RECORD_FORK, 20, 6, 5);	/* at the same time */
	read_ring(f);
	apply(f, 20);
	is_called(f, 6, "");
	apply(f, 40);
	is_called(f, 6, "make");
	is_called(f, 7, "make");
	apply(f, 41);
	is_called(f, 7, "cc");
	assert_int_equal(f->news.n, 0);
}

/* Records of all sizes across the end of the ring, at all its places. */
static void the_ring_goes_round(void **state)
{
	struct fixture *f = *state;
	char name[RECORD_NAME_LEN];

	for (unsigned int i = 1; i < 2000; i++) {
		snprintf(name, sizeof(name), "%.*u", i % 15 + 1, i);
		put_comm(&f->ring, 2 * i, i, name);
		if (i % 3)
			continue;
		put_fork(&f->ring, PERF_RECORD_FORK, 2 * i + 1, 10000 + i, i);
		put_fork(&f->ring, PERF_RECORD_EXIT, 2 * i + 1, i, 1);
		read_ring(f);
	}
	apply(f, UINT64_MAX);
	for (unsigned int i = 1; i < 2000 - 2; i++) {
		snprintf(name, sizeof(name), "%.*u", i % 15 + 1, i);
		is_called(f, i, name);
		is_called(f, 10000 + i, i % 3 ? "" : name);
	}
	assert_int_equal(f->news.missed, 0);
}

static void losses_are_counted(void **state)
{
	struct fixture *f = *state;

	put_comm(&f->ring, 1, 5, "a");
	put_lost(&f->ring, 7);
	put_comm(&f->ring, 2, 6, "b");
	read_ring(f);
	apply(f, UINT64_MAX);
	assert_int_equal(f->news.missed, 7);
	is_called(f, 5, "a");
	is_called(f, 6, "b");
}

/* A loss that the kernel could not tell yet: no record more had room. */
static void a_full_ring_may_have_lost(void **state)
{
	struct fixture *f = *state;

	while (f->ring.head + 40 + 64 <= RING)
		put_comm(&f->ring, 1, 5, "ten signs.");
	read_ring(f);
	assert_false(f->news.full);
	while (f->ring.head - f->ring.tail + 40 <= RING)
		put_comm(&f->ring, 1, 5, "ten signs.");
	read_ring(f);
	assert_true(f->news.full);
	assert_int_equal(f->news.missed, 0);
}

/* What cannot be a record ends the reading, and counts as a loss. */
static void nonsense_is_no_news(void **state)
{
	static const struct { uint32_t type; uint16_t size; } bad[] = {
		{ PERF_RECORD_COMM, 0 }, { PERF_RECORD_COMM, 7 },
		{ PERF_RECORD_COMM, 16 }, { PERF_RECORD_COMM, 300 },
		{ PERF_RECORD_FORK, 32 }, { PERF_RECORD_FORK, 264 },
		{ PERF_RECORD_LOST, 16 }, { PERF_RECORD_EXIT, 4 },
		{ 4711, 65535 },
	};
	struct fixture *f = *state;
	char filling[400] = "";

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put_comm(&f->ring, 1, 5 + (uint32_t)i, "before");
		put_header(&f->ring, bad[i].type, bad[i].size);
		put(&f->ring, filling, sizeof(filling));
		read_ring(f);
		apply(f, UINT64_MAX);
		assert_int_equal(f->news.missed, i + 1);
		is_called(f, 5 + (uint32_t)i, "before");
	}
	/* what is only unknown is passed over */
	put_header(&f->ring, 4711, 400);
	put(&f->ring, filling, 400 - sizeof(struct perf_event_header));
	put_comm(&f->ring, 1, 100, "after");
	read_ring(f);
	apply(f, UINT64_MAX);
	assert_int_equal(f->news.missed, sizeof(bad) / sizeof(bad[0]));
	is_called(f, 100, "after");
}

static void impossible_numbers_are_ignored(void **state)
{
	struct fixture *f = *state;

	put_comm(&f->ring, 1, 0, "idle");
	put_comm(&f->ring, 2, UINT32_MAX, "none");
	put_comm(&f->ring, 3, RECORD_NAMES_MAX, "large");
	put_comm(&f->ring, 4, RECORD_NAMES_MAX - 1, "last");
	put_fork(&f->ring, PERF_RECORD_FORK, 5, 6, UINT32_MAX);
	read_ring(f);
	apply(f, UINT64_MAX);
	is_called(f, 0, "");
	is_called(f, UINT32_MAX, "");
	is_called(f, RECORD_NAMES_MAX, "");
	is_called(f, RECORD_NAMES_MAX - 1, "last");
	is_called(f, 6, "");
}

static void names_are_cut(void **state)
{
	struct fixture *f = *state;

	record_names_set(&f->names, 5, "kworker/u8:12345", 16);
	record_names_set(&f->names, 6, "abcdef", 3);
	record_names_set(&f->names, 7, "ab\0cd", 5);
	is_called(f, 5, "kworker/u8:1234");
	is_called(f, 6, "abc");
	is_called(f, 7, "ab");
	record_names_set(&f->names, 5, "x", 1);
	is_called(f, 5, "x");
}

#define DIR_TEMPLATE	"/tmp/ft-names-XXXXXX"

/* A trace of which only this file is there; @dir is DIR_TEMPLATE. */
static FILE *make_file(char *dir, const char *name)
{
	char path[64];
	FILE *file;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/" SESSION_DIR, dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	return file;
}

static void remove_file(const char *dir, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	unlink(path);
	snprintf(path, sizeof(path), "%s/" SESSION_DIR, dir);
	rmdir(path);
	rmdir(dir);
}

/* Whatever a name has in it, what is written is one line, and is read back. */
static void the_file_is_read_back(void **state)
{
	static const struct { uint32_t tid; const char *name, *shown; } rows[] = {
		{ 1, "init", "init" },
		{ 4095, "a b", "a b" },
		{ 4096, "a\tb\nc\\d", "a\\tb\\nc\\\\d" },
		{ 5000, "\033[31m\177", "\\x1b[31m\\x7f" },
		{ 4194303, "\303\244\"'<", "\303\244\"'<" },
	};
	char dir[] = DIR_TEMPLATE, *text;
	struct fixture *f = *state;
	struct names *names;
	int32_t *tids;
	size_t len;
	FILE *file;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		record_names_set(&f->names, rows[i].tid, rows[i].name, 15);
	record_names_set(&f->names, 2, "", 0);
	text = record_names_text(&f->names, &len);
	assert_int_equal(strlen(text), len);
	file = make_file(dir, SESSION_TASKS);
	assert_int_equal(fwrite(text, 1, len, file), len);
	fclose(file);
	free(text);

	names = names_open(dir);
	assert_non_null(names);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_string_equal(names_find(names, (int32_t)rows[i].tid),
				    rows[i].shown);
		assert_int_equal(names_lookup(names, rows[i].shown, &tids), 1);
		assert_int_equal(tids[0], rows[i].tid);
		free(tids);
	}
	assert_null(names_find(names, 2));
	names_free(names);
	remove_file(dir, SESSION_TASKS);
}

/* The session file escapes in the same way; what controls a terminal stays visible. */
static void session_values_are_read_back(void **state)
{
	static const char value[] = "a\tb\nc\\d\\x41\033[1m\177\303\244";
	static const char shown[] = "a\tb\nc\\d\\x41\\x1b[1m\\x7f\303\244";
	char dir[] = DIR_TEMPLATE, got[64];
	FILE *file = make_file(dir, SESSION_FILE);

	(void)state;
	session_put(file, "key", "%s", value);
	fputs("bad\t\\x4g\\x\n", file);
	fclose(file);
	assert_int_equal(session_get(dir, "key", got, sizeof(got)), 0);
	assert_string_equal(got, shown);
	assert_int_equal(session_get(dir, "bad", got, sizeof(got)), 0);
	assert_string_equal(got, "x4gx");
	assert_int_equal(session_get(dir, "key", got, 3), -ENAMETOOLONG);
	assert_string_equal(got, "a\t");
	remove_file(dir, SESSION_FILE);
}

int main(void)
{
#define TASK_TEST(fn)	cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
	static const struct CMUnitTest tests[] = {
		TASK_TEST(a_child_has_its_parents_name),
		TASK_TEST(a_number_used_again_has_its_last_name),
		TASK_TEST(order_is_by_time),
		TASK_TEST(the_ring_goes_round),
		TASK_TEST(losses_are_counted),
		TASK_TEST(a_full_ring_may_have_lost),
		TASK_TEST(nonsense_is_no_news),
		TASK_TEST(impossible_numbers_are_ignored),
		TASK_TEST(names_are_cut),
		TASK_TEST(the_file_is_read_back),
		TASK_TEST(session_values_are_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
