// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Collects locks and asks what they are, while a trace is recorded: see names.h. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <linux/feather_trace.h>

#include "base/clock.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/scope.h"
#include "base/visible.h"
#include "names/classes.h"
#include "names/lock_calls.h"
#include "names/names.h"
#include "trace/lock_file.h"

_Static_assert(LOCK_NAMES_MAX == 131072, "as lock_names_state() says");

/* Asked without a look at the clock. */
#define BATCH		32u

/* Sleep between two looks at the queue; an object may be freed meanwhile. */
#define PERIOD_NS	10000000

/* Of each second while events are on; and after that. */
#define SHARE		0.01
#define AHEAD_SECONDS	0.02
#define END_SECONDS	1.0
#define AGAIN_SECONDS	0.5

/* How often to read the areas of vmalloc. */
#define AREAS_SECONDS	0.5

struct lock_names {
	pthread_t		thread;

	/* with .queue_lock */
	pthread_mutex_t		queue_lock;
	pthread_cond_t		wake;
	struct map		known;		/* by address */
	struct lock_use		*use;
	size_t			n;
	uint64_t		refused;	/* offers of locks that are not kept */
	uint64_t		skipped;	/* records that nobody has looked at */
	bool			stop;

	/* with .memory_lock, which is taken first */
	pthread_mutex_t		memory_lock;
	struct scope		scope;		/* what all of these have allocated */
	struct kcore		kcore;
	struct kernel_symbols	symbols;
	struct lock_types	types;
	struct memory		memory;
	struct lock_call_sites	*calls;		/* in the kernel's code; NULL: not searched yet */
	bool			code;		/* it can be */
	bool			open;		/* memory can be asked */
	bool			modules;	/* lock_types_modules() was called */
	size_t			asked;		/* of .use; the rest waits */
	double			areas;		/* when they were read */
	char			why[160];
};

/*
 * Calls @f, which allocates, with .memory_lock held. Names are a convenience: without memory
 * for them they are given up, and the recording goes on. Return: false then
 */
static bool in_scope(struct lock_names *names, int (*f)(void *arg), void *arg)
{
	if (scope_call(&names->scope, f, arg) != -ENOMEM)
		return true;
	snprintf(names->why, sizeof(names->why), "out of memory");
	names->open = names->code = false;
	lock_types_close(&names->types);
	scope_free(&names->scope);
	return false;
}

/* --- opening --------------------------------------------------------------------- */

static void explain_kcore(struct lock_names *names, int error)
{
	const char *what = strerror(error);

	if (error == EPERM)
		what = "not allowed: it needs CAP_SYS_RAWIO, and a kernel that is not locked down";
	else if (error == ENOENT)
		what = "the kernel has none (CONFIG_PROC_KCORE)";
	else if (error == ENODEV)
		what = "not the memory of an x86-64 kernel";
	snprintf(names->why, sizeof(names->why), "/proc/kcore: %s", what);
}

static int open_memory(void *arg)
{
	struct lock_names *names = arg;
	const char *why;
	int ret = kcore_open(&names->kcore);

	if (ret) {
		explain_kcore(names, -ret);
		return 0;
	}
	ret = kernel_symbols_load(&names->symbols);
	if (ret) {
		snprintf(names->why, sizeof(names->why), "/proc/kallsyms: %s", ret == -EPERM ?
			 "the kernel hides its addresses" : strerror(-ret));
		return 0;
	}
	names->code = true;
	if (!lock_types_open(&names->types))
		snprintf(names->why, sizeof(names->why),
			 "the kernel does not describe its types (/sys/kernel/btf/vmlinux)");
	else if (!memory_open(&names->memory, &names->kcore, &names->symbols, &names->types,
			      &why))
		snprintf(names->why, sizeof(names->why), "%s", why);
	else
		names->open = true;
	return 0;
}

/* --- asking ------------------------------------------------------------------------ */

static void ask(struct lock_names *names, struct lock_use *use)
{
	use->place = memory_find(&names->memory, use->addr);
	/* stacks come and go: the list is read anew, but not for each */
	if (use->place.kind == MEMORY_UNKNOWN && use->addr >= names->memory.vmalloc &&
	    use->addr < names->memory.pages &&
	    monotonic_now() - names->areas > AREAS_SECONDS) {
		memory_scan_areas(&names->memory);
		names->areas = monotonic_now();
		use->place = memory_find(&names->memory, use->addr);
	}
	use->owner = memory_owner(&names->memory, use->addr, &use->place);
	use->asked = true;
}

/* All that has been asked, once more, until the thread has taken so much time. */
struct again {
	struct lock_names	*names;
	double			until;
};

/*
 * What lay in no known part of vmalloc may lie in one that is known now. Objects may have
 * become others.
 */
static int ask_again(void *arg)
{
	const struct again *again = arg;
	struct lock_names *names = again->names;

	memory_scan_areas(&names->memory);
	for (size_t i = 0; i < names->asked; i++) {
		struct lock_use *use = &names->use[i];

		if (use->place.kind == MEMORY_UNKNOWN)
			use->place = memory_find(&names->memory, use->addr);
	}
	/* few have an owner, and without another look it is not told */
	for (size_t i = 0; i < names->asked; i++) {
		if (names->use[i].owner.pid)
			lock_use_ask_again(&names->use[i], &names->memory);
	}
	for (size_t i = 0; i < names->asked; i++) {
		if (!(i % BATCH) && thread_seconds() >= again->until)
			break;
		if (!names->use[i].again)
			lock_use_ask_again(&names->use[i], &names->memory);
	}
	return 0;
}

/* Some of the queue, to be asked without .queue_lock. */
struct batch {
	struct lock_names	*names;
	struct lock_use		use[BATCH];
	size_t			n;
};

static int ask_batch(void *arg)
{
	struct batch *b = arg;

	for (size_t i = 0; i < b->n; i++)
		ask(b->names, &b->use[i]);
	return 0;
}

/* Return: how many wait; some of them are in the batch. */
static size_t take_some(struct lock_names *names, struct batch *b)
{
	size_t waiting;

	pthread_mutex_lock(&names->queue_lock);
	waiting = names->n - names->asked;
	b->n = waiting < BATCH ? waiting : BATCH;
	if (b->n)
		memcpy(b->use, names->use + names->asked, b->n * sizeof(*b->use));
	pthread_mutex_unlock(&names->queue_lock);
	return waiting;
}

/* Return: do others wait? */
static bool ask_some(struct lock_names *names)
{
	struct batch b = { .names = names };
	size_t waiting = 0;

	pthread_mutex_lock(&names->memory_lock);
	if (names->open)
		waiting = take_some(names, &b);
	if (b.n && in_scope(names, ask_batch, &b)) {
		pthread_mutex_lock(&names->queue_lock);
		memcpy(names->use + names->asked, b.use, b.n * sizeof(*b.use));
		names->asked += b.n;
		pthread_mutex_unlock(&names->queue_lock);
	}
	pthread_mutex_unlock(&names->memory_lock);
	return waiting > b.n;
}

/* Return: is it time to stop? */
static bool sleep_on(struct lock_names *names)
{
	struct timespec until;
	bool stop;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += PERIOD_NS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_mutex_lock(&names->queue_lock);
	if (!names->stop)
		pthread_cond_timedwait(&names->wake, &names->queue_lock, &until);
	stop = names->stop;
	pthread_mutex_unlock(&names->queue_lock);
	return stop;
}

/* Nothing is loaded for a recording in which no lock is taken. Return: was one? */
static bool wait_for_first(struct lock_names *names)
{
	bool any;

	pthread_mutex_lock(&names->queue_lock);
	while (!names->n && !names->stop)
		pthread_cond_wait(&names->wake, &names->queue_lock);
	any = names->n;
	pthread_mutex_unlock(&names->queue_lock);
	return any;
}

static void *names_thread(void *arg)
{
	struct lock_names *names = arg;
	double begun, spent;
	bool open;

	if (!wait_for_first(names))
		return NULL;
	pthread_mutex_lock(&names->memory_lock);
	open = in_scope(names, open_memory, names) && names->open;
	pthread_mutex_unlock(&names->memory_lock);
	if (!open)
		return NULL;
	begun = monotonic_now();
	spent = thread_seconds();
	while (!sleep_on(names)) {
		while (thread_seconds() - spent <
		       (monotonic_now() - begun) * SHARE + AHEAD_SECONDS) {
			if (!ask_some(names))
				break;
		}
	}
	spent = thread_seconds();
	while (thread_seconds() - spent < END_SECONDS && ask_some(names))
		;
	pthread_mutex_lock(&names->memory_lock);
	if (names->open)
		in_scope(names, ask_again,
			 &(struct again){ names, spent + END_SECONDS + AGAIN_SECONDS });
	pthread_mutex_unlock(&names->memory_lock);
	return NULL;
}

/* --- for others --------------------------------------------------------------------- */

/*
 * Readers of rings take it. The thread that asks may be preempted while it has it: it then
 * runs with the priority of the reader that waits.
 */
static void init_queue_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	if (pthread_mutex_init(lock, &attr))
		pthread_mutex_init(lock, NULL);
	pthread_mutexattr_destroy(&attr);
}

struct lock_names *lock_names_start(void)
{
	struct lock_names *names = calloc(1, sizeof(*names));
	pthread_condattr_t attr;

	if (!names)
		return NULL;
	names->kcore = (struct kcore)KCORE_INIT;
	names->use = calloc(LOCK_NAMES_MAX, sizeof(*names->use));
	/* now: lock_names_offer() could not report a failure */
	map_reserve(&names->known, LOCK_NAMES_MAX);
	init_queue_lock(&names->queue_lock);
	pthread_mutex_init(&names->memory_lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&names->wake, &attr);
	pthread_condattr_destroy(&attr);
	if (names->use && !pthread_create(&names->thread, NULL, names_thread, names))
		return names;
	map_free(&names->known);
	free(names->use);
	free(names);
	return NULL;
}

/*
 * On PREEMPT_RT, a sleeping lock has a raw spinlock at its own address: two locks. Bit 63 is
 * set in each address of the kernel.
 */
static uint64_t key_of(uint64_t addr, uint8_t family)
{
	return family == FT_LOCK_RAW_SPIN ? addr ^ 1ull << 63 : addr;
}

void lock_names_offer(struct lock_names *names, uint64_t addr, uint64_t site, uint8_t family)
{
	uint64_t key = key_of(addr, family);

	pthread_mutex_lock(&names->queue_lock);
	if (map_get(&names->known, key)) {
		/* it waits, or was asked */
	} else if (names->n == LOCK_NAMES_MAX) {
		names->refused++;
	} else {
		if (!names->n)
			pthread_cond_signal(&names->wake);
		names->use[names->n] = (struct lock_use){
			.addr = addr, .site = site, .family = family,
			.place.kind = MEMORY_UNKNOWN,
		};
		map_put(&names->known, key, &names->use[names->n++]);
	}
	pthread_mutex_unlock(&names->queue_lock);
}

void lock_names_skipped(struct lock_names *names, uint64_t records)
{
	pthread_mutex_lock(&names->queue_lock);
	names->skipped += records;
	pthread_mutex_unlock(&names->queue_lock);
}

void lock_names_stop(struct lock_names *names)
{
	pthread_mutex_lock(&names->queue_lock);
	names->stop = true;
	pthread_cond_signal(&names->wake);
	pthread_mutex_unlock(&names->queue_lock);
	pthread_join(names->thread, NULL);
}

/* Is it the raw spinlock inside a sleeping lock that has a name? They share it. */
static bool is_inside(struct lock_names *names, const struct lock_use *use, size_t n)
{
	const struct lock_use *outer;

	if (use->family != FT_LOCK_RAW_SPIN)
		return false;
	pthread_mutex_lock(&names->queue_lock);
	outer = map_get(&names->known, use->addr);
	pthread_mutex_unlock(&names->queue_lock);
	return outer && outer < names->use + n;
}

/* No character may end a column. */
static void put_owner(FILE *f, const struct memory_owner *owner)
{
	char comm[LOCK_FILE_OWNER - 16];

	visible_copy(comm, sizeof(comm), owner->comm);
	fprintf(f, "\t%s %" PRIu32, comm, owner->pid);
}

static void put_lock(FILE *f, const struct lock_use *use, const struct lock_class *class)
{
	const struct memory_place *p = &use->place;
	bool percpu = class->kind == MEMORY_PERCPU ||
		      (class->kind == MEMORY_PERCPU_ALLOC && p->type);

	fprintf(f, "0x%" PRIx64 "\t%s\t%u\t", use->addr, memory_kind_name(class->kind),
		class->types);
	if (percpu)
		fprintf(f, "%" PRIu32, p->cpu);
	else
		fputc('-', f);
	fprintf(f, "\t%s", class->text);
	/* only an owner seen at both ends is certain */
	if (use->again && use->owner.pid && class->types == 1)
		put_owner(f, &use->owner);
	fputc('\n', f);
}

/* A file of the trace, and what goes into it. */
struct file {
	struct lock_names	*names;
	FILE			*f;
};

static int put_locks(void *arg)
{
	const struct file *file = arg;
	struct lock_names *names = file->names;
	struct lock_class class;
	struct classes *classes;
	size_t n = names->asked;

	fprintf(file->f, LOCK_FILE_HEAD "\n");
	if (!n)
		return 0;
	if (!names->modules)
		lock_types_modules(&names->types);
	names->modules = true;
	classes = classes_new(&names->memory, names->use, n);
	for (size_t i = 0; i < n; i++) {
		if (is_inside(names, &names->use[i], n))
			continue;
		classes_find(classes, &names->use[i], &class);
		put_lock(file->f, &names->use[i], &class);
	}
	classes_free(classes);
	return 0;
}

static int put_calls(void *arg)
{
	const struct file *file = arg;
	struct lock_names *names = file->names;

	if (!names->calls)
		names->calls = lock_call_sites_new(&names->kcore, &names->symbols);
	lock_call_sites_put(names->calls, file->f);
	return 0;
}

/* With .memory_lock held. Return: what @put has put there, to be freed; or NULL */
static char *text_of(struct lock_names *names, int (*put)(void *arg), size_t *len)
{
	char *text = NULL;
	struct file file = { names, open_memstream(&text, len) };
	bool ok = file.f && in_scope(names, put, &file);

	if (file.f && !fclose(file.f) && ok)
		return text;
	free(text);
	return NULL;
}

char *lock_names_text(struct lock_names *names, size_t *len)
{
	char *text;

	pthread_mutex_lock(&names->memory_lock);
	text = *names->why ? NULL : text_of(names, put_locks, len);
	pthread_mutex_unlock(&names->memory_lock);
	return text;
}

char *lock_names_calls(struct lock_names *names, size_t *len)
{
	char *text;

	pthread_mutex_lock(&names->memory_lock);
	text = names->code ? text_of(names, put_calls, len) : NULL;
	pthread_mutex_unlock(&names->memory_lock);
	return text;
}

const char *lock_names_missing(struct lock_names *names)
{
	const char *why;

	pthread_mutex_lock(&names->memory_lock);
	why = *names->why ? names->why : NULL;
	pthread_mutex_unlock(&names->memory_lock);
	return why;
}

/* Appends what is missing, if anything is. */
static size_t tell(char *buf, size_t len, size_t at, uint64_t n, const char *what)
{
	if (!n)
		return at;
	return at + (size_t)snprintf(buf + at, len - at, "%s%" PRIu64 " %s", at ? "; " : "", n,
				     what);
}

const char *lock_names_state(struct lock_names *names, char *buf, size_t len)
{
	size_t at = 0;

	if (lock_names_missing(names)) {
		snprintf(buf, len, "none: %s", names->why);
		return buf;
	}
	pthread_mutex_lock(&names->memory_lock);
	pthread_mutex_lock(&names->queue_lock);
	at = tell(buf, len, at, names->n - names->asked, "locks were not asked");
	at = tell(buf, len, at, names->refused, "acquisitions of locks beyond the first 131072");
	at = tell(buf, len, at, names->skipped, "records were not looked at");
	pthread_mutex_unlock(&names->queue_lock);
	pthread_mutex_unlock(&names->memory_lock);
	if (!at)
		snprintf(buf, len, "complete");
	return buf;
}

void lock_names_free(struct lock_names *names)
{
	if (!names)
		return;
	lock_types_close(&names->types);
	scope_free(&names->scope);
	kcore_close(&names->kcore);
	map_free(&names->known);
	free(names->use);
	pthread_cond_destroy(&names->wake);
	pthread_mutex_destroy(&names->queue_lock);
	pthread_mutex_destroy(&names->memory_lock);
	free(names);
}
