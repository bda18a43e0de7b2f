// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A program that runs on its own, to be attached to: steady THREADS [busy].
 *
 * Each thread announces 'step' with its number and a count, over and over; with
 * "busy" one more turns another event on and off all the time. Lines on standard
 * input: "load FILE" loads a library and calls it, "visit FILE" unloads it, too, "fork" makes a
 * child that announces 'child' once, "hold" keeps the library's lock for half a second, "allocate"
 * makes the threads allocate and lock from then on, "quit".
 * It says "ready", and a line after each.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <feather_trace/trigger.h>

DEFINE_FT_EVENT(step, thread, count);
DEFINE_FT_EVENT(wide, a, b, c);
DEFINE_FT_EVENT(child, pid);
DEFINE_FT_EVENT(toggled);
DEFINE_FT_EVENT(called, a);

static int quit, allocates;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long calls;

static void allocate(void)
{
	void *volatile block = malloc(100);

	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	free(block);
}

static void *run(void *arg)
{
	unsigned long n = 0;

	while (!__atomic_load_n(&quit, __ATOMIC_RELAXED)) {
		ft_event(step, (uintptr_t)arg, n);
		ft_event(wide, (uintptr_t)arg, n, ~n);
		ft_event(called, n);
		n++;
		if (__atomic_load_n(&allocates, __ATOMIC_RELAXED))
			allocate();
		usleep(50);
	}
	return NULL;
}

static void *toggle(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&quit, __ATOMIC_RELAXED)) {
		ft_enable("toggled");
		ft_event(toggled);
		ft_disable("toggled");
	}
	return NULL;
}

static void count(const struct ft_event *event, unsigned long long a,
		  unsigned long long b, unsigned long long c, unsigned long long d)
{
	(void)event;
	(void)a;
	(void)b;
	(void)c;
	(void)d;
	__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
}

static void load(const char *path, bool stays)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*announce)(int) = NULL;

	if (library)
		*(void **)&announce = dlsym(library, "plugin_announce");
	if (announce)
		announce(5);
	if (library && !stays)
		dlclose(library);
	puts(announce ? "loaded" : dlerror());
}

static void make_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		ft_event(child, getpid());
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	printf("%d\n", pid);
}

/* Called while the library holds its lock. */
static int look_twice(void *arg, const struct ft_event *event, unsigned int triggers)
{
	unsigned int on = event->on;

	(void)triggers;
	if (strcmp(event->name, "called"))
		return 0;
	puts("holding");
	fflush(stdout);
	usleep(500000);
	*(int *)arg = on != *(volatile unsigned int *)&event->on;
	return 0;
}

static void hold(void)
{
	int changed = -1;

	ft_each_event(look_twice, &changed);
	puts(changed ? "changed meanwhile" : "kept");
}

static void obey(char *line)
{
	line[strcspn(line, "\n")] = '\0';
	if (!strncmp(line, "load ", 5))
		load(line + 5, true);
	else if (!strncmp(line, "visit ", 6))
		load(line + 6, false);
	else if (!strcmp(line, "fork"))
		make_child();
	else if (!strcmp(line, "hold"))
		hold();
	else if (!strcmp(line, "calls"))
		printf("%lu\n", __atomic_load_n(&calls, __ATOMIC_RELAXED));
	else if (!strcmp(line, "allocate"))
		printf("%d\n", __atomic_add_fetch(&allocates, 1, __ATOMIC_RELAXED));
	else if (!strcmp(line, "quit"))
		__atomic_store_n(&quit, 1, __ATOMIC_RELAXED);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t threads[64];
	char line[4096];

	if (n < 1 || n > 63)
		return 2;
	ft_set_callback("called", count, NULL);
	for (intptr_t i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	if (argc > 2)
		pthread_create(&threads[n++], NULL, toggle, NULL);
	puts("ready");
	fflush(stdout);
	while (!quit && fgets(line, sizeof(line), stdin))
		obey(line);
	quit = 1;
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	puts("done");
	return 0;
}
