// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * names [DIR | locked]: locks in all kinds of memory; it prints what each is, a line
 * "ADDRESS CLASS", so that what ft run says of them can be compared. DIR/libnamed.so is
 * loaded, too. (With -DLIBRARY: that library.) With "locked" the program locks its memory, and
 * then makes locks.
 *
 * A line that makes or takes a lock of the heap ends with a comment with its name in it, by
 * which names.py finds the line's number.
 */
#include <pthread.h>
#include <stdio.h>

#ifdef LIBRARY

static pthread_mutex_t hidden[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };

void named_use(void);

void named_use(void)
{
	for (int i = 0; i < 2; i++) {
		printf("%p hidden[]\n", (void *)&hidden[i]);
		pthread_mutex_lock(&hidden[i]);
		pthread_mutex_unlock(&hidden[i]);
	}
}

#else

#include <dlfcn.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <threads.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

union either {
	long			number;
	pthread_spinlock_t	spin;
};

struct queue {
	long			n;
	struct {
		char		text[24];
		pthread_mutex_t	lock;
	} in;
	sem_t			room;
	union either		last;
};

typedef struct queue queue_type;

static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t global = PTHREAD_RWLOCK_INITIALIZER;
static queue_type table[3];
static const struct { int n; queue_type *q; } unused[2];
static pthread_mutex_t grid[2][3];
static pthread_mutex_t *shared;
static __thread pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;

static void say(const void *lock, const char *class)
{
	printf("%p %s\n", lock, class);
}

static NOINLINE void use(pthread_mutex_t *m)
{
	pthread_mutex_lock(m);			/* first: taken */
	pthread_mutex_unlock(m);
}

static void variables(void)
{
	static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;

	say(&alone, "alone");
	use(&alone);
	say(&inner, "inner");
	use(&inner);
	say(&global, "global");
	pthread_rwlock_rdlock(&global);
	pthread_rwlock_unlock(&global);
	for (int i = 0; i < 3; i++) {
		queue_type *q = &table[i];

		say(&q->in.lock, "table[].in.lock");
		pthread_mutex_init(&q->in.lock, NULL);
		use(&q->in.lock);
		say(&q->room, "table[].room");
		sem_init(&q->room, 0, 1);
		sem_wait(&q->room);
		sem_post(&q->room);
		say((const void *)&q->last.spin, "table[].last.spin");
		pthread_spin_init(&q->last.spin, 0);
		pthread_spin_lock(&q->last.spin);
		pthread_spin_unlock(&q->last.spin);
		say(&grid[i / 2][i], "grid[][]");
		use(&grid[i / 2][i]);
	}
}

static NOINLINE struct queue *make_queue(void)
{
	struct queue *q = calloc(1, sizeof(*q));

	pthread_mutex_init(&q->in.lock, NULL);	/* site: mutex */
	sem_init(&q->room, 0, 1);		/* site: sem */
	return q;
}

static void heap(void)
{
	pthread_mutex_t *copy = malloc(sizeof(*copy));
	pthread_rwlock_t *rw = malloc(sizeof(*rw));
	mtx_t *c11 = malloc(sizeof(*c11));

	for (int i = 0; i < 2; i++) {
		struct queue *q = make_queue();

		say(&q->in.lock, "<make_queue mutex>");
		use(&q->in.lock);
		say(&q->room, "<make_queue sem>");
		sem_wait(&q->room);
		sem_post(&q->room);
	}
	*copy = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	say(copy, "<use taken>");
	use(copy);
	pthread_mutex_trylock(copy);
	pthread_mutex_unlock(copy);
	pthread_rwlock_init(rw, NULL);		/* site: rwlock */
	say(rw, "<heap rwlock>");
	pthread_rwlock_wrlock(rw);
	pthread_rwlock_unlock(rw);
	mtx_init(c11, mtx_plain);		/* site: c11 */
	say(c11, "<heap c11>");
	mtx_lock(c11);
	mtx_unlock(c11);
	shared = malloc(sizeof(*shared));
	pthread_mutex_init(shared, NULL);	/* once */
	use(shared);
	pthread_mutex_destroy(shared);
	pthread_mutex_init(shared, NULL);	/* site: again */
	say(shared, "<heap again> 2");
	use(shared);
}

static void *thread(void *arg)
{
	pthread_mutex_t local = PTHREAD_MUTEX_INITIALIZER;

	(void)arg;
	pthread_setname_np(pthread_self(), arg ? "worker" : "names");
	say(&local, arg ? "stack of worker" : "stack of names");
	use(&local);
	say(&mine, arg ? "thread-local memory of worker" : "thread-local memory of names");
	use(&mine);
	usleep(500000);		/* so that ft knows its name, and its mappings */
	return NULL;
}

int main(int argc, char **argv)
{
	char path[4096];
	pthread_t t;

	if (argc > 1 && !strcmp(argv[1], "locked")) {
		if (mlockall(MCL_CURRENT | MCL_FUTURE))
			return 77;
		heap();
		return 0;
	}
	variables();
	heap();
	if (!pthread_create(&t, NULL, thread, argv))
		pthread_join(t, NULL);
	thread(NULL);
	if (argc > 1) {
		void (*named_use)(void);
		void *library;

		snprintf(path, sizeof(path), "%s/libnamed.so", argv[1]);
		library = dlopen(path, RTLD_NOW);
		named_use = library ? (void (*)(void))dlsym(library, "named_use") : NULL;
		if (!named_use)
			return 1;
		named_use();
		usleep(500000);	/* so that ft finds it */
	}
	return unused[0].n;
}

#endif
