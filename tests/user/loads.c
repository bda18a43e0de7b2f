// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * loads CASE DIR: libraries that are loaded while the program runs; each has a function
 * with a lock of its own. (With -DLIBRARY=NAME: such a library.)
 */
#ifdef LIBRARY
#include <pthread.h>
#include <unistd.h>

#define JOIN(a, b)	a##b
#define WORK(name)	JOIN(work_, name)
#define LOCK(name)	JOIN(lock_, name)

static pthread_mutex_t LOCK(LIBRARY) = PTHREAD_MUTEX_INITIALIZER;

long WORK(LIBRARY)(void);

long WORK(LIBRARY)(void)
{
	pthread_mutex_lock(&LOCK(LIBRARY));
	pthread_mutex_unlock(&LOCK(LIBRARY));
	return 1;
}

#define HOLD(name)	JOIN(hold_, name)
#define WAIT(name)	JOIN(wait_, name)

static int held;

/* Until somebody waits for it, as glibc marks it; but not for ever. */
static void *HOLD(LIBRARY)(void *arg)
{
	pthread_mutex_lock(&LOCK(LIBRARY));
	__atomic_store_n(&held, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < 10000; i++) {
		if (__atomic_load_n((int *)&LOCK(LIBRARY), __ATOMIC_RELAXED) > 1)
			break;
		usleep(1000);
	}
	pthread_mutex_unlock(&LOCK(LIBRARY));
	return arg;
}

/* Waits for the lock, which another thread has. */
long WAIT(LIBRARY)(void);

long WAIT(LIBRARY)(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, HOLD(LIBRARY), NULL))
		return 0;
	while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE))
		usleep(100);
	WORK(LIBRARY)();
	pthread_join(thread, NULL);
	return 1;
}
#else
#include <dlfcn.h>
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void *load(const char *dir, const char *name)
{
	char path[512];
	void *library;

	snprintf(path, sizeof(path), "%s/lib%s.so", dir, name);
	library = dlopen(path, RTLD_NOW);
	if (!library)
		errx(1, "%s", dlerror());
	return library;
}

static void *find(void *library, const char *what, const char *name)
{
	char function[16];
	void *at;

	snprintf(function, sizeof(function), "%s_%s", what, name);
	at = dlsym(library, function);
	if (!at)
		errx(1, "%s", dlerror());
	return at;
}

static void call(void *library, const char *what, const char *name, int times)
{
	long (*f)(void);

	*(void **)&f = find(library, what, name);
	while (times--)
		f();
}

static void work(void *library, const char *name)
{
	call(library, "work", name, 10);
}

/*
 * A gate stops ft where it looks through our mappings: one of a deleted file, "NAME
 * (deleted)", while a lease makes who opens the file of that name wait.
 */
struct gate {
	char	name[600];
	int	lease;
};

/* @at: where it is mapped; NULL: anywhere */
static void build_gate(struct gate *gate, const char *dir, void *at)
{
	char name[512];
	int fd;

	snprintf(name, sizeof(name), "%s/gate.XXXXXX", dir);
	fd = mkstemp(name);
	snprintf(gate->name, sizeof(gate->name), "%s (deleted)", name);
	gate->lease = open(gate->name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || unlink(name) || fcntl(gate->lease, F_SETLEASE, F_WRLCK) ||
	    mmap(at, 4096, PROT_READ | PROT_EXEC,
		 MAP_PRIVATE | (at ? MAP_FIXED_NOREPLACE : 0), fd, 0) == MAP_FAILED)
		err(1, "%s", gate->name);
	close(fd);
}

/* Until ft stands there. */
static void watch_gate(const struct gate *gate)
{
	for (int i = 0; i < 30000; i++) {
		if (fcntl(gate->lease, F_GETLEASE) != F_WRLCK) {
			unlink(gate->name);
			return;
		}
		usleep(1000);
	}
	errx(1, "nobody comes to %s", gate->name);
}

static void open_gate(const struct gate *gate)
{
	close(gate->lease);
}

/* ft reads that one library is there, and goes on when another one is. */
static void load_late(const char *dir)
{
	struct gate before, seen, entered;
	void *library, *place;

	signal(SIGIO, SIG_IGN);		/* somebody is at a gate */
	build_gate(&before, dir, NULL);
	watch_gate(&before);
	library = load(dir, "a");
	place = find(library, "work", "a");
	/* ft goes from low addresses to high ones */
	build_gate(&seen, dir, (void *)(((uintptr_t)place & ~4095ul) - (64ul << 20)));
	open_gate(&before);
	watch_gate(&seen);
	work(library, "a");
	dlclose(library);
	library = load(dir, "b");
	if (find(library, "work", "b") != place)
		errx(1, "the libraries are not at one place");
	build_gate(&entered, dir, NULL);
	open_gate(&seen);
	watch_gate(&entered);
	work(library, "b");
	dlclose(library);
	open_gate(&entered);
}

int main(int argc, char **argv)
{
	const char *const names[] = { "a", "b" };
	void *library;

	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "stays")) {
		work(load(argv[2], "a"), "a");
		sleep(1);
	} else if (!strcmp(argv[1], "short")) {
		work(load(argv[2], "a"), "a");
	} else if (!strcmp(argv[1], "_exit")) {
		work(load(argv[2], "a"), "a");
		_exit(0);
	} else if (!strcmp(argv[1], "_Exit")) {
		work(load(argv[2], "a"), "a");
		_Exit(0);
	} else if (!strcmp(argv[1], "quick_exit")) {
		work(load(argv[2], "a"), "a");
		quick_exit(0);
	} else if (!strcmp(argv[1], "turns")) {
		for (int i = 0; i < 100; i++) {
			library = load(argv[2], names[i % 2]);
			work(library, names[i % 2]);
			dlclose(library);
		}
	} else if (!strcmp(argv[1], "parts")) {
		for (int i = 0; i < 2; i++) {
			library = load(argv[2], names[i]);
			work(library, names[i]);
			dlclose(library);
			usleep(1300000);	/* the next one is in another part */
		}
	} else if (!strcmp(argv[1], "late")) {
		load_late(argv[2]);
	} else if (!strcmp(argv[1], "waits")) {
		for (int i = 0; i < 2; i++) {
			library = load(argv[2], names[i]);
			call(library, "wait", names[i], 1);
			dlclose(library);
		}
	} else if (!strcmp(argv[1], "forks")) {
		library = load(argv[2], "a");
		work(library, "a");
		dlclose(library);
		library = load(argv[2], "b");
		/* dlclose() first enters all loaded libraries: b, and a again */
		dlclose(load(argv[2], "a"));
		if (!fork()) {
			work(library, "b");
			exit(0);
		}
		sleep(1);
	}
	return 0;
}
#endif
