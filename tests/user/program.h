/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the programs have in common that are run traced and alone: NAME CASE. */
#ifndef TESTS_USER_PROGRAM_H
#define TESTS_USER_PROGRAM_H

#include <pthread.h>
#include <stddef.h>
#include <string.h>

struct program_case {
	const char	*name;
	void		(*run)(void);
};

/* Runs the one that is named. Return: exit status */
static inline int run_case(const struct program_case *cases, size_t n, int argc, char **argv)
{
	for (size_t i = 0; i < n; i++) {
		if (argc > 1 && !strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			return 0;
		}
	}
	return 2;
}

#define RUN_CASE(cases, argc, argv) \
	run_case(cases, sizeof(cases) / sizeof((cases)[0]), argc, argv)

static inline void turns(pthread_mutex_t *m, int n)
{
	for (int i = 0; i < n; i++) {
		pthread_mutex_lock(m);
		pthread_mutex_unlock(m);
	}
}

static inline void mutex_init(pthread_mutex_t *m, int type)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, type);
	pthread_mutex_init(m, &attr);
}

#endif /* TESTS_USER_PROGRAM_H */
