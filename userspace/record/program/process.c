// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Finds living processes and threads. A thread gives its rings back when it ends; if it
 * could not (it was killed, or replaced by exec), its rings are freed here.
 *
 * /proc says more than kill(pid, 0): a zombie still has its PID. A process in another PID
 * namespace cannot be checked; it keeps its rings, and ft does not wait for it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "process/proc.h"
#include "record/program/run.h"
#include "record/program/sensors.h"

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

/* The main thread may have ended before the others. */
static bool process_is_alive(int pid)
{
	struct proc_stat st;
	char path[32];
	struct stat tasks;

	if (proc_stat(pid, 0, &st) && !has_ended(&st))
		return true;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	/* a directory for each thread: more than ".", ".." and the main thread's? */
	return !stat(path, &tasks) && tasks.st_nlink > 3;
}

static void set_name(struct run *run, __s32 tid, const char *name)
{
	char *old = map_get(&run->tasks, (__u32)tid), *copy;

	if (old && !strcmp(old, name))
		return;
	copy = strdup(name);
	/* without memory, keep the old name */
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

	if (process >= FT_SESSION_PROCESSES)
		return;
	map_put(&run->met, process, run);
	if (map_get(&run->tasks, (__u32)tid) || !run_process(run, process, &p))
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

/* Notes the name, too: most threads set their name after their first record. */
static bool thread_is_alive(struct run *run, int pid, __s32 tid)
{
	struct proc_stat st;

	if (!proc_stat(pid, tid, &st) || has_ended(&st))
		return false;
	set_name(run, tid, st.name);
	return true;
}

/* Has the owner of a ring ended, so that it never writes to the ring again? */
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
	 * The owner may have given the ring back at its end, and another thread may have
	 * taken it meanwhile. If the exchange succeeds, nobody writes to the ring now.
	 */
	if (!__atomic_compare_exchange_n(&r->owner, &owner, FT_RING_READER, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	run_sensors_settle(run, i);
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
