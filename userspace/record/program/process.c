// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Which programs are alive. Threads give their rings back when they end; those of
 * threads that could not (killed, or replaced by exec) are found here.
 *
 * /proc says more than a signal 0: a thread that has ended and was not waited for
 * has still its number. Of a process in another PID namespace nothing can be said;
 * its rings are left to it, and nobody waits for it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "process/proc.h"
#include "record/program/run.h"

static __u64 own_namespace(void)
{
	static __u64 inode;
	struct stat st;

	if (!inode && !stat("/proc/self/ns/pid", &st))
		inode = st.st_ino;
	return inode;
}

static bool has_ended(const struct proc_stat *st)
{
	return strchr("ZXx", st->state);
}

/* The first thread may have ended before the others. */
static bool process_is_alive(int pid)
{
	struct proc_stat st;
	char path[32];
	struct stat tasks;

	if (proc_stat(pid, 0, &st) && !has_ended(&st))
		return true;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	/* a directory for each thread: "." and ".." and the first, and more? */
	return !stat(path, &tasks) && tasks.st_nlink > 3;
}

static void set_name(struct run *run, __s32 tid, const char *name)
{
	char *old = map_get(&run->tasks, (__u32)tid), *copy;

	if (old && !strcmp(old, name))
		return;
	copy = strdup(name);
	/* without memory it keeps the old one */
	if (copy) {
		map_put(&run->tasks, (__u32)tid, copy);
		free(old);
	}
}

void run_thread_met(struct run *run, __u64 owner)
{
	__u32 process = FT_RING_PROCESS(owner);
	__s32 tid = FT_RING_TID(owner);
	struct ft_user_process p;
	struct proc_stat st;

	if (map_get(&run->tasks, (__u32)tid) || process >= FT_SESSION_PROCESSES ||
	    !run_process(run, process, &p))
		return;
	if (p.pidns == own_namespace() && proc_stat(p.pid, tid, &st))
		set_name(run, tid, st.name);
	else
		set_name(run, tid, p.comm);
}

static void look_at_process(struct run *run, __u32 i)
{
	struct ft_user_process p;

	if (!run_process(run, i, &p) || p.gone || p.pidns != own_namespace())
		return;
	if (process_is_alive(p.pid)) {
		run->alive++;
		run_objects_look(run, i, p.pid);
	} else {
		ft_store_release(&ft_session_process(run->session, i)->gone, 1);
	}
}

/* Notes its name, too: most threads name themselves after they have begun. */
static bool thread_is_alive(struct run *run, int pid, __s32 tid)
{
	struct proc_stat st;

	if (!proc_stat(pid, tid, &st) || has_ended(&st))
		return false;
	set_name(run, tid, st.name);
	return true;
}

/* Will the owner of a ring never write to it again? */
static bool owner_has_ended(struct run *run, __u64 owner)
{
	__u32 process = FT_RING_PROCESS(owner);
	struct ft_user_process p;

	if (process >= FT_SESSION_PROCESSES || !run_process(run, process, &p))
		return false;
	if (p.gone || p.pidns != own_namespace())
		return p.gone;
	return owner == FT_RING_KEPT(process) ?
	       !process_is_alive(p.pid) :
	       !thread_is_alive(run, p.pid, FT_RING_TID(owner));
}

static void look_at_ring(struct run *run, __u32 i)
{
	struct ft_user_ring *r = ft_session_ring(run->session, i);
	__u64 owner = __atomic_load_n(&r->owner, __ATOMIC_ACQUIRE);

	if (owner == FT_RING_FREE || !owner_has_ended(run, owner))
		return;
	/*
	 * It may have given the ring back at its end, and another thread have
	 * taken it meanwhile. If not, nobody writes to it now.
	 */
	if (!__atomic_compare_exchange_n(&r->owner, &owner, FT_RING_READER, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&r->settled, ft_any_load(&r->ring.w), __ATOMIC_RELEASE);
	__atomic_store_n(&r->owner, FT_RING_FREE, __ATOMIC_RELEASE);
}

void run_look(struct run *run)
{
	__u32 n = run_processes(run), i;

	run->alive = 0;
	map_free(&run->traced);
	for (i = 0; i < n; i++)
		look_at_process(run, i);
	run_for_each_ring(run, i)
		look_at_ring(run, i);
}
