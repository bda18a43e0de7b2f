// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Programs whose allocations are known: heap CASE [N]. Each of the functions site_0 to site_8
 * allocates, and nothing else does in the same places; a case prints what they did, a line
 * for each site: allocated, freed, left (blocks and bytes of each), the most bytes in use.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define SITES	9
#define BLOCKS	1024
#define NOINLINE __attribute__((noinline, noclone))

struct count { size_t blocks, bytes; };
static struct { struct count allocated, freed; size_t live, most; } sites[SITES];

struct block { void *p; size_t size; int site; };

static void counted(struct block *b, int site, void *p, size_t size)
{
	if (!p)
		abort();
	memset(p, site, size);
	*b = (struct block){ p, size, site };
	sites[site].allocated.blocks++;
	sites[site].allocated.bytes += size;
	sites[site].live += size;
	if (sites[site].live > sites[site].most)
		sites[site].most = sites[site].live;
}

static void uncounted(const struct block *b)
{
	sites[b->site].freed.blocks++;
	sites[b->site].freed.bytes += b->size;
	sites[b->site].live -= b->size;
}

/* A tail call would have this function's caller for the site. */
#define SITE(n, call)							\
static NOINLINE void *site_##n(void *old, size_t size)			\
{									\
	void *volatile p;						\
									\
	(void)old;							\
	p = (call);							\
	return p;							\
}

SITE(0, malloc(size))
SITE(1, calloc(1, size))
SITE(2, realloc(old, size))
SITE(3, reallocarray(old, size, 1))
SITE(4, memalign(64, size))
SITE(5, aligned_alloc(64, size))
SITE(6, posix_memalign(&old, 64, size) ? NULL : old)
SITE(7, valloc(size))
SITE(8, pvalloc(size))

static void *(*const site[SITES])(void *, size_t) = {
	site_0, site_1, site_2, site_3, site_4, site_5, site_6, site_7, site_8,
};

static void take(struct block *b, int n, size_t size)
{
	bool resizes = n == 2 || n == 3;

	if (b->p)
		uncounted(b);
	if (b->p && !resizes)
		free(b->p);
	counted(b, n, site[n](resizes ? b->p : NULL, size), size);
}

static void give(struct block *b)
{
	if (!b->p)
		return;
	uncounted(b);
	free(b->p);
	b->p = NULL;
}

static void print(void)
{
	for (int i = 0; i < SITES; i++)
		printf("site_%d %zu %zu %zu %zu %zu %zu %zu\n", i, sites[i].allocated.blocks,
		       sites[i].allocated.bytes, sites[i].freed.blocks, sites[i].freed.bytes,
		       sites[i].allocated.blocks - sites[i].freed.blocks, sites[i].live,
		       sites[i].most);
}

static unsigned long number = 1;

static unsigned int dice(unsigned int sides)
{
	number = number * 6364136223846793005ul + 1442695040888963407ul;
	return (unsigned int)(number >> 33) % sides;
}

static struct block blocks[BLOCKS];

static void known(int n)
{
	/* the second one is not freed by the next call */
	take(&blocks[0], 0, 100);
	take(&blocks[1], 0, 100);
	give(&blocks[0]);
	give(&blocks[1]);
	for (int i = 0; i < n; i++) {
		struct block *b = &blocks[dice(BLOCKS)];

		if (dice(3))
			take(b, (int)dice(SITES), dice(8) ? 1 + dice(500) : 1 + dice(300000));
		else
			give(b);
	}
}

/* --- threads: each frees what another one has allocated -------------------- */

#define THREADS	4
static _Atomic(void *) slot[THREADS][64];

static void *passer(void *arg)
{
	int self = (int)(intptr_t)arg;

	for (int i = 0; i < 20000; i++) {
		void *p = site_0(NULL, 16 + (size_t)(i % 200));

		p = atomic_exchange(&slot[(self + 1) % THREADS][i % 64], p);
		free(p);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t thread[THREADS];

	for (intptr_t i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, passer, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < THREADS * 64; i++)
		free(slot[i / 64][i % 64]);
}

/* --- signals, children ------------------------------------------------------ */

static volatile sig_atomic_t interrupts;

/* Once: a handler that takes longer than this leaves time for the program all the same. */
static void interrupt_soon(void)
{
	struct itimerval soon = { .it_value.tv_usec = 300 };

	setitimer(ITIMER_REAL, &soon, NULL);
}

/* In a fork, and in the middle of whatever is recorded. */
static void interrupted(int signal)
{
	(void)signal;
	if (interrupts++ % 8 == 0) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
	interrupt_soon();
}

static void signals(void)
{
	signal(SIGALRM, interrupted);
	interrupt_soon();
	for (int i = 0; i < 100 || interrupts < 40; i++)
		known(100);
	signal(SIGALRM, SIG_IGN);
}

static void inside(int signal)
{
	(void)signal;
	take(&blocks[7], 1, 77);
}

/* A handler that may allocate, as it interrupts nothing. */
static void handler(void)
{
	signal(SIGUSR1, inside);
	for (int i = 0; i < 100; i++)
		raise(SIGUSR1);
}

static void child(void)
{
	for (int i = 0; i < 10; i++)
		give(&blocks[i]);
	for (int i = 0; i < 5; i++)
		take(&blocks[i], 1, 2000);
}

static void forks(void)
{
	for (int i = 0; i < 10; i++)
		take(&blocks[i], 0, 1000);
	for (int i = 0; i < 4; i++) {
		pid_t pid = i % 2 ? vfork() : fork();

		if (!pid && i % 2)
			_exit(0);
		if (!pid) {
			child();
			exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	for (int i = 0; i < 4; i++)
		give(&blocks[i]);
}

/* --- results ---------------------------------------------------------------- */

/* The compiler knows what these would do. */
static volatile size_t huge = SIZE_MAX / 2, zero, one = 1;

static void print_call(const char *what, const void *p)
{
	printf("%s: %s, errno %d\n", what, p ? "memory" : "NULL", p ? 0 : errno);
	errno = 0;
}

static void results(void)
{
	void *p = malloc(100), *q, *volatile none = NULL;
	int error;

	print_call("malloc(huge)", malloc(huge));
	print_call("calloc(huge)", calloc(huge, huge));
	print_call("reallocarray(huge)", reallocarray(p, huge, huge));
	print_call("realloc(huge)", realloc(p, huge));
	memset(p, 1, 100);		/* is still there */
	print_call("memalign(huge)", memalign(64, huge));
	q = p;
	error = posix_memalign(&q, 3, 100);
	printf("posix_memalign(3): %d, %d\n", error, p == q);
	free(none);
	errno = 7;
	free(p);
	printf("free: errno %d\n", errno);
	errno = 0;
	p = malloc(zero);
	print_call("malloc(0)", p);
	print_call("realloc(0)", realloc(p, zero));
	print_call("calloc(0)", p = calloc(zero, one));
	free(p);
	print_call("realloc(NULL)", p = realloc(none, 10));
	free(p);
	p = malloc(1);
	printf("usable: %d\n", malloc_usable_size(p) >= 1);
	free(p);
}

/* --- mappings --------------------------------------------------------------- */

#define PAGE	4096u

#define HINT	((char *)0x200000000000)

static void maps(void)
{
	char *p = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *q = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(p + 4 * PAGE, PAGE);		/* the middle */
	munmap(p, 2 * PAGE);			/* the beginning */
	mmap(p + 8 * PAGE, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	q = mremap(q, 4 * PAGE, 8 * PAGE, MREMAP_MAYMOVE);
	if (munmap(q + 1, PAGE) != -1)
		abort();
	munmap(q, 8 * PAGE);
	/* a second one of the same pages; and the old ones stay, empty, as well */
	p = mmap(NULL, 32 * PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	q = mremap(p, 0, 32 * PAGE, MREMAP_MAYMOVE);
	munmap(q, 32 * PAGE);
	munmap(p, 32 * PAGE);
	p = mmap(NULL, 32 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	q = mremap(p, 32 * PAGE, 32 * PAGE, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, HINT);
	if (q != MAP_FAILED && q != HINT)
		abort();
	if (q != MAP_FAILED)
		munmap(q, 32 * PAGE);
	munmap(p, 32 * PAGE);
	/* two pages, whatever the sizes */
	p = mmap(NULL, PAGE + 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(p, 2 * PAGE);
	p = mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(p, PAGE + 1);
}

static void *leave(void *arg)
{
	(void)arg;
	exit(0);
}

static void leave_by_thread(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, leave, NULL))
		pthread_join(thread, NULL);
}

/* The message of the first dlopen() is there after all that the plugin does. */
static void plugin(const char *path)
{
	void *file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	int (*go)(void) = file ? (int (*)(void))dlsym(file, "plugin") : NULL;

	if (!go || dlopen("/nonexistent", RTLD_NOW))
		abort();
	printf("plugin: %d\n", go());
	printf("dlerror: %s\n", dlerror() ?: "none");
}

/* --- what a thread has of its own ------------------------------------------ */

static pthread_key_t key;
static __thread struct block own;

/* At the end of a thread, twice: the first time leaves something for the second one. */
static void own_ends(void *arg)
{
	struct block *b = arg;

	if (b->site) {
		give(b);
		return;
	}
	give(b);
	take(b, 1, 3000);
	pthread_setspecific(key, b);
}

static int (*tls)(int value);

static void *has_own(void *arg)
{
	take(&own, 0, 1000);
	pthread_setspecific(key, &own);
	if (tls((int)(intptr_t)arg) != (int)(intptr_t)arg)
		abort();
	return NULL;
}

static void threads_own(const char *path)
{
	void *file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	pthread_t thread;

	tls = file ? (int (*)(int))dlsym(file, "tls") : NULL;
	if (!tls || pthread_key_create(&key, own_ends))
		abort();
	for (intptr_t i = 1; i <= 8; i++) {
		if (pthread_create(&thread, NULL, has_own, (void *)i))
			abort();
		pthread_join(thread, NULL);
	}
}

/* --- locks that begin where a block does ------------------------------------ */

__attribute__((noinline))
static pthread_mutex_t *new_lock(void)
{
	pthread_mutex_t *lock = calloc(1, sizeof(*lock));

	if (!lock)
		abort();
	return lock;
}

__attribute__((noinline))
static void use_lock(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	pthread_mutex_unlock(lock);
}

static void locked(void)
{
	for (int i = 0; i < 600; i++) {
		pthread_mutex_t *lock = new_lock();

		use_lock(lock);
		use_lock(lock);
	}
}

/* --- a program that ends without exit() ------------------------------------- */

static void keep(int n)
{
	for (int i = 0; i < n; i++) {
		struct block b = { 0 };

		take(&b, i % SITES, 1 + dice(5000));
		if (i % 3)
			give(&b);
	}
}

static void end_as(const char *name)
{
	fflush(stdout);
	if (!strcmp(name, "_exit"))
		_exit(0);
	if (!strcmp(name, "killed"))
		raise(SIGKILL);
	if (!strcmp(name, "aborts"))
		abort();
}

/* Before main(), of a program's own. */
static struct block early;

__attribute__((constructor))
static void constructor(void)
{
	take(&early, 6, 12345);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(name, "known"))
		known(n);
	else if (!strcmp(name, "threads"))
		threads();
	else if (!strcmp(name, "signals"))
		signals();
	else if (!strcmp(name, "handler"))
		handler();
	else if (!strcmp(name, "forks"))
		forks();
	else if (!strcmp(name, "results"))
		results();
	else if (!strcmp(name, "maps"))
		maps();
	else if (!strcmp(name, "exit"))
		leave_by_thread();
	else if (!strcmp(name, "_exit") || !strcmp(name, "killed") || !strcmp(name, "aborts"))
		keep(n);
	else if (!strcmp(name, "plugin") && argc > 2)
		plugin(argv[2]);
	else if (!strcmp(name, "tls") && argc > 2)
		threads_own(argv[2]);
	else if (!strcmp(name, "locked"))
		locked();
	else if (strcmp(name, "early"))
		return 2;
	give(&early);
	if (strcmp(name, "results") && strcmp(name, "maps"))
		print();
	end_as(name);
	return 0;
}
