// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Records programs beside the kernel: see user.h. */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/kernel/record.h"
#include "record/kernel/tasks.h"

static bool check_namespace(void)
{
	if (record_tasks_are_ours())
		return true;
	warnx("--user needs the first PID namespace: in another one, threads have "
	      "other numbers for programs than in the kernel's records");
	warnx("in a container: use the host's namespace (docker run --pid=host), or "
	      "record programs alone: ft run");
	return false;
}

bool record_user_prepare(struct record *rec)
{
	struct run *run = &rec->user.run;

	if (!rec->user.wanted)
		return true;
	if (!check_namespace())
		return false;
	run->dir = &rec->part->dir;
	run->class = RUN_CLASS_BESIDE;
	run->lock_names.unwanted = rec->lock_names.unwanted;
	run->clock.source = rec->info.clock;
	run->clock.hz = rec->info.clock_hz;
	if (rec->stacks.what && run->locks) {
		run->stacks = rec->stacks.choice;
		rec->stacks.programs = run;
	}
	rec->user.event_fd = rec->rings.event_fd;
	return run_session_make(run) && run_offer_held(run) &&
	       run_command_prepare(run, rec->child.argv[0]);
}

static void *user_thread(void *arg)
{
	const uint64_t one = 1;
	struct record_user *user = arg;

	run_begin();
	while (!atomic_load(&user->stop) && !user->run.failed) {
		if (!(run_step(&user->run) & RUN_BUSY))
			usleep((useconds_t)user->run.sleep_ms * 1000);
	}
	/* an eventfd only refuses when it is readable anyway */
	if (user->run.failed && write(user->event_fd, &one, sizeof(one)) < 0)
		return NULL;
	return NULL;
}

bool record_user_start(struct record *rec)
{
	struct record_user *user = &rec->user;
	int ret;

	if (!user->wanted)
		return true;
	/* the trace's UUID, which is only known now */
	memcpy(user->run.uuid, rec->info.uuid, sizeof(user->run.uuid));
	ret = pthread_create(&user->thread, NULL, user_thread, user);
	if (ret) {
		warnx("cannot start a thread for programs: %s", strerror(ret));
		return false;
	}
	user->started = true;
	pthread_setname_np(user->thread, "ft-programs");
	return true;
}

void record_user_stop(struct record *rec)
{
	if (!rec->user.started)
		return;
	atomic_store(&rec->user.stop, true);
	pthread_join(rec->user.thread, NULL);
	rec->user.started = false;
	run_close(&rec->user.run);
}

/* If perf events did not report names of tasks, rings have some of them. */
static void add_names(struct record *rec)
{
	struct map_slot *slot;

	map_for_each(&rec->user.run.tasks, slot)
		record_tasks_add(&rec->tasks, (uint32_t)slot->key, slot->value);
}

void record_user_finish(struct record *rec)
{
	struct run *run = &rec->user.run;

	if (!rec->user.wanted)
		return;
	run_finish(run);
	add_names(rec);
	if (run->alive && rec->end == RECORD_BY_COMMAND)
		warnx("'%s' has ended; %u process%s that it started go%s on, but "
		      "%s no longer recorded", rec->child.argv[0], run->alive,
		      run->alive == 1 ? "" : "es", run->alive == 1 ? "es" : "",
		      run->alive == 1 ? "is" : "are");
}

bool record_user_save(struct record *rec)
{
	return !rec->user.wanted || run_objects_save(&rec->user.run);
}

char *record_user_metadata(struct record *rec, char *text, ssize_t *len)
{
	char *both = NULL;
	size_t both_len;
	FILE *f;

	if (!rec->user.wanted)
		return text;
	f = open_memstream(&both, &both_len);
	if (f) {
		fwrite(text, 1, (size_t)*len, f);
		run_meta_put(f, &rec->user.run);
	}
	free(text);
	if (f && !fclose(f)) {
		*len = (ssize_t)both_len;
		return both;
	}
	free(both);
	warn("no memory for the metadata");
	return NULL;
}

void record_user_free(struct record *rec)
{
	if (rec->user.wanted)
		run_free(&rec->user.run);
}
