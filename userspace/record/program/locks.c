// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Names of the programs' locks: see locks.h. */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "names/program_locks.h"
#include "packed/fact.h"
#include "record/program/lock_memory.h"
#include "record/program/locks.h"
#include "trace/lock_file.h"

/* Locks that are named; more are only counted. */
#define LOCKS_MAX	(1u << 17)

/*
 * CPU time to look up members of variables; and after which the process that finds names is
 * killed. It is also killed after a minute, in case it waits for a file.
 */
#define MEMBERS_SECONDS	5.0
#define NAMES_SECONDS	20
#define WAIT_SECONDS	60

/* More sites than anyone would look at; a program may write anything. */
#define SITES_MAX	1000u

/* What a lock's memory was used for first, as far as records say. */
struct run_lock {
	__u64	ts;
	__u64	site;
};

/* What the process that finds names has to tell. */
struct told {
	struct program_locks_told	names;
	bool				written;
};

void run_locks_begin(struct run *run)
{
	struct run_locks *locks = &run->lock_names;

	if (!run->locks || (run->senses && !(run->recorded & FT_RECORDED_LOCKS)))
		return;
	if (locks->unwanted) {
		strcpy(locks->state, "none: --no-lock-names");
		return;
	}
	locks->places = calloc(RUN_LOCK_PLACES, sizeof(*locks->places));
	if (!locks->places)
		strcpy(locks->state, "none: no memory");
	/* programs write to it, which must not fail */
	else if (!fallocate(run->memory, 0, FT_SESSION_AT_LOCKS,
			    FT_SESSION_AT_STACKS - FT_SESSION_AT_LOCKS))
		run->session->locks |= FT_LOCKS_NAMED;
}

/* Return: false if the record does not say that a lock is taken or waited for. */
static bool find_site(const struct ft_record *r, __u64 *site)
{
	__u64 tag = r->a >> FT_TAG_SHIFT;

	if (!tag || tag > FT_TAG_MAX)
		return false;
	*site = r->b;
	if (r->id == FT_ID_CONTENTION_BEGIN)
		*site = r->b >> 8 | tag << FT_TAG_SHIFT;
	return r->id == FT_ID_CONTENTION_BEGIN ||
	       (r->id >= FT_ID_USER_LOCK && !((r->id - FT_ID_USER_LOCK) % 2));
}

void run_locks_note(struct run *run, const struct ft_record *r, struct run_lock_place *place)
{
	struct run_locks *locks = &run->lock_names;
	struct run_lock *lock;
	__u64 site;

	if (!find_site(r, &site))
		return;
	lock = map_get(&locks->taken, r->a);
	if (!lock && locks->n < LOCKS_MAX) {
		lock = calloc(1, sizeof(*lock));
		if (lock) {
			*lock = (struct run_lock){ r->ts, site };
			map_put(&locks->taken, r->a, lock);
			locks->n++;
		}
	}
	if (!lock) {
		locks->too_many++;
		return;
	}
	if (r->ts < lock->ts)
		*lock = (struct run_lock){ r->ts, site };
	*place = (struct run_lock_place){ r->a, lock->ts };
}

/* --- in the process that finds names -------------------------------------- */

/* Copies the entry of the lock @addr. Return: false: it has none */
static bool get_init(const struct run *run, __u64 addr, struct ft_user_lock *init)
{
	return run_lock_entry(run, ft_session_lock_place(addr), init) && init->lock == addr &&
	       init->site >> FT_TAG_SHIFT == addr >> FT_TAG_SHIFT;
}

static struct program_lock describe(struct run *run, __u64 addr,
				    const struct run_lock *lock)
{
	struct program_lock l = { .addr = addr, .site = lock->site, .sites = 1 };
	struct ft_user_lock init;

	if (get_init(run, addr, &init)) {
		l.site = init.site;
		l.init = true;
		l.sites = init.sites < SITES_MAX ? init.sites + 1 : SITES_MAX;
	}
	run_lock_memory(run, &l);
	return l;
}

/*
 * If the library at this address was moved, addresses in records are moved, too: to each
 * place that it was moved to.
 */
static size_t add(struct run *run, struct program_lock *to, __u64 addr,
		  const struct run_lock *lock, const struct run_lives *lives)
{
	__u32 process = (__u32)(addr >> FT_TAG_SHIFT) - 1;
	__u64 at = addr & ((1ull << FT_TAG_SHIFT) - 1);
	size_t n = 0;

	to[n++] = describe(run, addr, lock);
	for (size_t i = 0; lives->moved && i < lives->n; i++) {
		const struct run_life *l = &lives->life[i];

		if (l->process != process || !l->shift || l->again || at < l->start ||
		    at >= l->end || n == RUN_LOCKS_MOVED)
			continue;
		to[n++] = (struct program_lock){ .addr = addr + l->shift, .sites = 1 };
	}
	return n;
}

static int compare(const void *a, const void *b)
{
	const struct program_lock *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static struct program_lock *list_locks(struct run *run, const struct run_lives *lives,
				       size_t *n)
{
	size_t room = run->lock_names.n * (lives->moved ? RUN_LOCKS_MOVED : 1);
	struct program_lock *all = calloc(room + 1, sizeof(*all));
	struct map_slot *slot;
	size_t used = 0;

	*n = 0;
	if (!all)
		return NULL;
	map_for_each(&run->lock_names.taken, slot)
		used += add(run, all + used, slot->key, slot->value, lives);
	*n = used;
	qsort(all, *n, sizeof(*all), compare);
	return all;
}

/* Beside the kernel's locks, which ft record has named before. */
static void put_others(FILE *f, const struct run *run)
{
	char path[64], *text;
	ssize_t len = -1;

	snprintf(path, sizeof(path), "/proc/self/fd/%d/" SESSION_LOCKS, run->dir->fd);
	if (run->class == RUN_CLASS_BESIDE)
		len = packed_read_path(path, &text);
	if (len > (ssize_t)strlen(LOCK_FILE_HEAD) &&
	    !strncmp(text, LOCK_FILE_HEAD "\n", strlen(LOCK_FILE_HEAD) + 1))
		fwrite(text, 1, (size_t)len, f);
	else
		fputs(LOCK_FILE_HEAD "\n", f);
}

static void write_names(struct run *run, const struct run_lives *lives, struct told *told)
{
	struct program_lock *all;
	char dir[32], *text;
	size_t n, len;
	FILE *f = open_memstream(&text, &len);

	all = list_locks(run, lives, &n);
	if (!f || !all)
		return;
	snprintf(dir, sizeof(dir), "/proc/self/fd/%d", run->dir->fd);
	put_others(f, run);
	program_locks_put(f, dir, all, n, MEMBERS_SECONDS, &told->names);
	told->written = !fclose(f) && record_dir_replace(run->dir, SESSION_LOCKS, text, len);
}

/*
 * Only the names and @told may reach the recorder or the user. A signal that the user sends to
 * all ends this process when the recording is over: the user does not want to wait for names. If
 * it comes earlier, it ends the recording, whose parts keep their names.
 */
static void child(struct run *run, const struct run_lives *lives, int to)
{
	const struct itimerval used = { .it_value.tv_sec = NAMES_SECONDS };
	struct told told = { .written = false };
	sigset_t limits, none;

	signal(SIGALRM, SIG_DFL);
	signal(SIGPROF, SIG_DFL);
	sigemptyset(&none);
	sigemptyset(&limits);
	sigaddset(&limits, SIGALRM);
	sigaddset(&limits, SIGPROF);
	if (run->lock_names.earlier)
		sigprocmask(SIG_UNBLOCK, &limits, NULL);
	else
		sigprocmask(SIG_SETMASK, &none, NULL);
	/* the recorder's own may be raised: see run_begin() */
	setpriority(PRIO_PROCESS, 0, 0);
	setitimer(ITIMER_PROF, &used, NULL);
	alarm(WAIT_SECONDS);
	write_names(run, lives, &told);
	_exit(write_full(to, (const char *)&told, sizeof(told), NULL) ? 1 : 0);
}

/* --- in the recorder ------------------------------------------------------ */

/* Return: false if the process failed or took too long. */
static bool ask(struct run *run, const struct run_lives *lives, struct told *told)
{
	int fds[2];
	ssize_t len;
	pid_t pid;

	if (pipe(fds))
		return false;
	fflush(NULL);
	pid = fork();
	if (!pid)
		child(run, lives, fds[1]);
	close(fds[1]);
	len = pid < 0 ? -1 : read(fds[0], told, sizeof(*told));
	close(fds[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return len == (ssize_t)sizeof(*told) && told->written;
}

/* Said once: the parts and snapshots after it lack the same. */
static void tell_lacks(const struct run_locks *locks, const struct program_locks_told *names)
{
	if (names->stripped == 1)
		warnx("'%s' has no symbols (stripped): its locks have no names but their places",
		      names->file);
	else if (names->stripped)
		warnx("'%s' and %u more files have no symbols (stripped): their locks have no "
		      "names but their places", names->file, names->stripped - 1);
	if (names->late)
		warnx("the programs' debug information is long: not all locks in variables "
		      "have the name of their member");
	if (locks->too_many)
		warnx("more than %u locks: the others have no names", LOCKS_MAX);
}

static void take_told(struct run *run, const struct told *told)
{
	struct run_locks *locks = &run->lock_names;

	if (!locks->earlier)
		tell_lacks(locks, &told->names);
	strcpy(locks->state, told->names.late || locks->too_many ? "incomplete" : "complete");
}

void run_locks_save(struct run *run, const struct run_lives *lives)
{
	struct run_locks *locks = &run->lock_names;
	struct told told;

	if (!locks->places)
		return;
	if (!locks->n) {
		strcpy(locks->state, "complete");
	} else if (ask(run, lives, &told)) {
		take_told(run, &told);
	} else {
		strcpy(locks->state, "none: finding them failed, or took too long");
		warnx("could not identify the programs' locks (failed, or took too long): "
		      "only variables have names");
	}
}

void run_locks_free(struct run *run)
{
	struct run_locks *locks = &run->lock_names;
	struct map_slot *slot;

	map_for_each(&locks->taken, slot)
		free(slot->value);
	map_free(&locks->taken);
	run_lock_memory_free(run);
	free(locks->places);
	locks->places = NULL;
}
