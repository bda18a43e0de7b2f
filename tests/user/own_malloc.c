// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A program whose malloc() takes a mutex of pthread's, as jemalloc's does: the first
 * time long before main(), wherever the C library or the loader needs memory. It has no
 * reallocarray(): the C library's calls the program's realloc().
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS	100

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(16) char memory[8 << 20];
static size_t used;

void *malloc(size_t size)
{
	void *p = NULL;

	/* The size stands before the memory, for realloc(). */
	size = (size + 31) & ~(size_t)15;
	if (pthread_mutex_trylock(&mutex))
		pthread_mutex_lock(&mutex);
	if (size <= sizeof(memory) - used) {
		p = memory + used + 16;
		memcpy(memory + used, &size, sizeof(size));
		used += size;
	}
	pthread_mutex_unlock(&mutex);
	return p;
}

void free(void *p)
{
	(void)p;
}

void *calloc(size_t n, size_t size)
{
	return malloc(n * size);	/* never used before, so it is 0 */
}

void *realloc(void *old, size_t size)
{
	void *p = malloc(size);
	size_t had;

	if (p && old) {
		memcpy(&had, (char *)old - 16, sizeof(had));
		memcpy(p, old, had - 16 < size ? had - 16 : size);
	}
	return p;
}

static void *allocate(void *arg)
{
	uintptr_t failed = 0;

	for (int i = 0; i < ROUNDS; i++)
		failed |= !malloc(100);
	(void)arg;
	return (void *)failed;
}

int main(void)
{
	char *p = reallocarray(strcpy(malloc(100), "as it was"), 100, 10);
	pthread_t thread;
	void *failed;

	if (!p || strcmp(p, "as it was"))
		return 1;
	if (pthread_create(&thread, NULL, allocate, NULL) || allocate(NULL))
		return 1;
	return pthread_join(thread, &failed) || failed;
}
