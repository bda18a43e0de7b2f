// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The memory that programs share with ft run: the input is writes into it, in rounds.
 * A thread makes them, and makes the last round's again and again while ft reads: what
 * is looked at twice may have changed. Then the trace must be one that ft reads.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "record/program/run.h"
#include "record/program/stacks.h"

#define ROUNDS		3

/* A write: which part, where in it (in words of 4 bytes), and 8 bytes. */
struct change {
	uint8_t		part;
	uint8_t		odd;	/* also at an address that no field has */
	uint16_t	at;
	uint64_t	value;
} __attribute__((packed));

struct writer {
	struct ft_session	*session;
	const struct change	*change;
	size_t			n;
	atomic_bool		stop;
};

static void write_all(const struct writer *w)
{
	static const size_t parts[][2] = {
		{ 0, offsetof(struct ft_session, patterns) },
		{ FT_SESSION_AT_RINGS, 4 * sizeof(struct ft_user_ring) },
		{ FT_SESSION_AT_EVENTS, 4 * sizeof(struct ft_user_event) },
		{ FT_SESSION_AT_PROCESSES, 4 * sizeof(struct ft_user_process) },
		{ FT_SESSION_AT_OBJECTS, 4 * sizeof(struct ft_user_object) },
		{ FT_SESSION_AT_LOCKS, 4 * sizeof(struct ft_user_lock) },
		{ FT_SESSION_AT_STACKS, 4 * sizeof(struct ft_user_stack) },
		{ FT_SESSION_AT_SLOTS, 256 * sizeof(struct ft_record) },
	};

	for (size_t i = 0; i < w->n; i++) {
		const struct change *c = &w->change[i];
		const size_t *part = parts[c->part % (sizeof(parts) / sizeof(parts[0]))];
		size_t at = c->at * 4u % (part[1] - 8) + c->odd % 2;

		memcpy((char *)w->session + part[0] + at, &c->value, sizeof(c->value));
	}
}

static void *write_on(void *arg)
{
	struct writer *w = arg;

	while (!atomic_load(&w->stop))
		write_all(w);
	return NULL;
}

static void read_it(struct run *run)
{
	run_read(run, true);
	run_meta_save(run);
	run_look(run);
}

/* As the library enters a process, an event and an object. */
static void begin(struct ft_session *s)
{
	struct ft_user_object *o = ft_session_object(s, 0);

	ft_session_process(s, 0)->pid = getpid();
	ft_session_process(s, 0)->state = FT_ENTRY_READY;
	strcpy(ft_session_event(s, 0)->name, "event");
	ft_session_event(s, 0)->state = FT_ENTRY_READY;
	o->end = 4096;
	strcpy(o->path, "/proc/self/exe");
	o->state = FT_ENTRY_READY;
	s->processes = s->objects = 1;
	ft_any_store(&s->rings[FT_RINGS_FIRST].high, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct run run = RUN_INIT("shared");
	size_t n = size / sizeof(struct change) / ROUNDS;
	struct record_dir dir = { .fd = -1 };
	struct writer w = { .n = n };
	pthread_t thread;

	files_trace(NULL, 0);	/* none of the files that were there */
	if (!record_dir_open(&dir, files_dir(), true))
		abort();
	run.dir = &dir;
	run.locks = true;
	run.lock_names.unwanted = size % 8;	/* a process more, which takes its time */
	run.stacks.waits = size % 2;
	run.slots = 1u << 20;	/* few rings: to prepare them takes longest */
	run.clock = (struct run_clock){ .source = FT_CLOCK_MONO, .hz = 1000000000 };
	if (!run_session_make(&run))
		abort();
	begin(run.session);
	w.session = run.session;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		w.change = (const struct change *)data + i * n;
		write_all(&w);
		read_it(&run);
	}
	if (pthread_create(&thread, NULL, write_on, &w))
		abort();
	read_it(&run);
	run_close(&run);
	run_finish(&run);
	run_meta_save(&run);
	run_objects_save(&run);
	run_tasks_save(&run);
	run_stacks_save(&run);
	atomic_store(&w.stop, true);
	pthread_join(thread, NULL);
	run_free(&run);
	record_dir_close(&dir);
	return 0;
}
