// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Threads, and a queue of jobs under one lock. See crew.h. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/crew/crew.h"

struct crew_thread {
	struct crew	*crew;
	unsigned int	number;
	pthread_t	thread;
};

struct crew {
	pthread_mutex_t		lock;
	pthread_cond_t		given;		/* or it is over */
	pthread_cond_t		done;		/* some job is */
	struct crew_job		*first, *last;	/* that are queued */
	bool			over;
	unsigned int		n;
	struct crew_thread	at[];
};

/* The queue, under the lock. */

static void queue_put(struct crew *c, struct crew_job *job)
{
	job->state = CREW_QUEUED;
	job->prev = c->last;
	job->next = NULL;
	*(c->last ? &c->last->next : &c->first) = job;
	c->last = job;
	pthread_cond_signal(&c->given);
}

static void queue_remove(struct crew *c, struct crew_job *job)
{
	*(job->prev ? &job->prev->next : &c->first) = job->next;
	*(job->next ? &job->next->prev : &c->last) = job->prev;
}

/* Drops the lock meanwhile. */
static void run(struct crew *c, struct crew_job *job, unsigned int worker)
{
	struct crew_job *later;

	job->state = CREW_RUNNING;
	pthread_mutex_unlock(&c->lock);
	job->run(job, worker);
	pthread_mutex_lock(&c->lock);
	job->state = CREW_DONE;
	later = job->later;
	job->later = NULL;
	if (later)
		queue_put(c, later);
	pthread_cond_broadcast(&c->done);
}

static void *work(void *arg)
{
	struct crew_thread *t = arg;
	struct crew *c = t->crew;
	struct crew_job *job;

	pthread_mutex_lock(&c->lock);
	while (!c->over) {
		job = c->first;
		if (!job) {
			pthread_cond_wait(&c->given, &c->lock);
			continue;
		}
		queue_remove(c, job);
		run(c, job, t->number);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* Signals are for the thread that has always been there. */
static void start_threads(struct crew *c, unsigned int n)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (; c->n < n; c->n++) {
		struct crew_thread *t = &c->at[c->n];

		t->crew = c;
		t->number = c->n;
		if (pthread_create(&t->thread, NULL, work, t))
			break;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct crew *crew_new(unsigned int workers)
{
	struct crew *c = workers ? calloc(1, sizeof(*c) + workers * sizeof(c->at[0])) : NULL;

	if (!c)
		return NULL;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->given, NULL);
	pthread_cond_init(&c->done, NULL);
	start_threads(c, workers);
	if (c->n)
		return c;
	crew_free(c);
	return NULL;
}

void crew_free(struct crew *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->over = true;
	pthread_cond_broadcast(&c->given);
	pthread_mutex_unlock(&c->lock);
	for (unsigned int i = 0; i < c->n; i++)
		pthread_join(c->at[i].thread, NULL);
	pthread_cond_destroy(&c->done);
	pthread_cond_destroy(&c->given);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

unsigned int crew_workers(const struct crew *c)
{
	return c->n;
}

void crew_give(struct crew *c, struct crew_job *job)
{
	pthread_mutex_lock(&c->lock);
	queue_put(c, job);
	pthread_mutex_unlock(&c->lock);
}

void crew_give_behind(struct crew *c, struct crew_job *job, struct crew_job *before)
{
	pthread_mutex_lock(&c->lock);
	if (before->state == CREW_IDLE || before->state == CREW_DONE) {
		queue_put(c, job);
	} else {
		job->state = CREW_LATER;
		job->before = before;
		before->later = job;
	}
	pthread_mutex_unlock(&c->lock);
}

/* Return: had it been given, but not begun? Afterwards it is not given. Keeps the lock */
static bool take(struct crew *c, struct crew_job *job)
{
	bool queued;

	/* a job behind another one is queued when that one is done */
	while (job->state == CREW_RUNNING || job->state == CREW_LATER)
		pthread_cond_wait(&c->done, &c->lock);
	queued = job->state == CREW_QUEUED;
	if (queued)
		queue_remove(c, job);
	return queued;
}

bool crew_take_back(struct crew *c, struct crew_job *job)
{
	bool done;

	pthread_mutex_lock(&c->lock);
	if (job->state == CREW_LATER)
		job->before->later = NULL;
	else
		take(c, job);
	done = job->state == CREW_DONE;
	job->state = CREW_IDLE;
	pthread_mutex_unlock(&c->lock);
	return !done;
}

void crew_finish(struct crew *c, struct crew_job *job)
{
	pthread_mutex_lock(&c->lock);
	if (take(c, job))
		run(c, job, c->n);
	job->state = CREW_IDLE;
	pthread_mutex_unlock(&c->lock);
}
