// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * served: a server of 200 requests. Each is marked; the id is its number. Each takes the mutex
 * "cache". Before each 40th, a thread "flusher" takes that mutex, and holds it until somebody
 * waits for it and 100 ms more: longer than what a busy machine does to the others. Each 50th
 * is handed over to another thread, "helper". Prints who is who, a line "NAME NUMBER" each.
 */
#include <feather_trace/trigger.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define REQUESTS	200

DEFINE_FT_EVENT(request_begin, id);
DEFINE_FT_EVENT(request_end, id);
DEFINE_FT_EVENT(request_join, id);
DEFINE_FT_EVENT(request_leave, id);

pthread_mutex_t cache = PTHREAD_MUTEX_INITIALIZER;
static sem_t flush, held, handed, done;
static int waits, number;
static pid_t server;

static void name(const char *text)
{
	pthread_setname_np(pthread_self(), text);
	printf("%s %d\n", text, gettid());
}

/* It sleeps: it waits for the mutex, once it has said that it will. */
static bool is_asleep(pid_t tid)
{
	char path[64], state = '?';
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = '?';
	if (f)
		fclose(f);
	return state == 'S';
}

static void *flusher(void *arg)
{
	name("flusher");
	for (int i = 0; i < REQUESTS / 40; i++) {
		sem_wait(&flush);
		pthread_mutex_lock(&cache);
		sem_post(&held);
		while (!__atomic_load_n(&waits, __ATOMIC_ACQUIRE) || !is_asleep(server))
			;
		nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
		pthread_mutex_unlock(&cache);
	}
	return arg;
}

static void *helper(void *arg)
{
	name("helper");
	for (int i = 0; i < REQUESTS / 50; i++) {
		sem_wait(&handed);
		ft_event(request_join, number);
		pthread_mutex_lock(&cache);
		pthread_mutex_unlock(&cache);
		ft_event(request_leave, number);
		sem_post(&done);
	}
	return arg;
}

static void serve(int id)
{
	bool slow = id % 40 == 7;

	if (slow) {
		__atomic_store_n(&waits, 0, __ATOMIC_RELEASE);
		sem_post(&flush);
		sem_wait(&held);
	}
	ft_event(request_begin, id);
	__atomic_store_n(&waits, 1, __ATOMIC_RELEASE);
	pthread_mutex_lock(&cache);
	pthread_mutex_unlock(&cache);
	if (id % 50 == 9) {
		number = id;
		ft_event(request_leave, id);
		sem_post(&handed);
		sem_wait(&done);
		ft_event(request_join, id);
	}
	ft_event(request_end, id);
}

int main(void)
{
	pthread_t thread[2];

	name("served");
	server = gettid();
	sem_init(&flush, 0, 0);
	sem_init(&held, 0, 0);
	sem_init(&handed, 0, 0);
	sem_init(&done, 0, 0);
	pthread_create(&thread[0], NULL, flusher, NULL);
	pthread_create(&thread[1], NULL, helper, NULL);
	for (int id = 0; id < REQUESTS; id++)
		serve(id);
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	return 0;
}
