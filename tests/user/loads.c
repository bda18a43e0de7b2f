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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void call(void *library, const char *what, const char *name, int times)
{
	char function[16];
	long (*f)(void);

	snprintf(function, sizeof(function), "%s_%s", what, name);
	*(void **)&f = dlsym(library, function);
	if (!f)
		errx(1, "%s", dlerror());
	while (times--)
		f();
}

static void work(void *library, const char *name)
{
	call(library, "work", name, 10);
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
	} else if (!strcmp(argv[1], "turns")) {
		for (int i = 0; i < 100; i++) {
			library = load(argv[2], names[i % 2]);
			work(library, names[i % 2]);
			dlclose(library);
		}
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
		/* this tells of both */
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
