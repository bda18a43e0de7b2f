// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Joining a session. A process finds it by the environment when the library is loaded,
 * maps it, and enters itself. If that fails, one line on stderr says why, and the
 * program runs on untraced.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libfeathertrace/events.h"
#include "libfeathertrace/loader.h"
#include "libfeathertrace/process.h"
#include "libfeathertrace/remote.h"
#include "libfeathertrace/rings.h"
#include "libfeathertrace/stacks.h"
#include "libfeathertrace/text.h"
#include "libfeathertrace/tid.h"

/* The part of ft_private that is used without a session. */
static union {
	__u32	head[offsetof(struct ft_private, threads) / sizeof(__u32)];
} nowhere;

struct ft_private *ft_private = (struct ft_private *)&nowhere;
struct ft_session *ft_session;

void ft_message(const char *what, const char *why)
{
	char line[512] = "libfeathertrace: ";

	strncat(line, what, sizeof(line) - strlen(line) - 2);
	if (why) {
		strncat(line, ": ", sizeof(line) - strlen(line) - 2);
		strncat(line, why, sizeof(line) - strlen(line) - 2);
	}
	strcat(line, "\n");
	/* whether it was read is of no concern */
	if (write(STDERR_FILENO, line, strlen(line)) < 0)
		return;
}

/* --- mapping -------------------------------------------------------------- */

/* Return: 0 or an errno: see explain(). */
static int check_session(const struct ft_session *s, off_t size)
{
	/* Pairs with the release in ft_session_publish(). */
	if (__atomic_load_n(&s->magic, __ATOMIC_ACQUIRE) != FT_SESSION_MAGIC)
		return EBADMSG;
	if (s->version != FT_SESSION_VERSION)
		return EPROTO;
	if (s->rings[FT_RINGS_FIRST].rings > FT_SESSION_FIRST ||
	    s->rings[FT_RINGS_MORE].rings > FT_SESSION_MORE ||
	    (off_t)ft_session_size(s->rings) > size)
		return EOVERFLOW;
	return 0;
}

#ifdef __GLIBC__
/* Only glibc has this function; with another C library nothing is tried that could fail. */
extern const char *strerrordesc_np(int error) __attribute__((weak));

/*
 * Checked at run time: the program may run with another C library than the one this was
 * built with.
 */
static bool has_own_c_library(void)
{
	return confstr(_CS_GNU_LIBC_VERSION, NULL, 0);
}
#else
#define strerrordesc_np	strerror

static bool has_own_c_library(void)
{
	return true;
}
#endif

static const char *explain(int error)
{
	switch (error) {
	case EBADMSG:
		return "it is not a session of ft run";
	case EPROTO:
		return "ft run is of another version than this library";
	case EOVERFLOW:
		return "its sizes are impossible";
	case ENOTSUP:
		return "the kernel has no MADV_WIPEONFORK";
	}
	return strerrordesc_np(error);
}

/* Return: 0 or an errno. */
static int map_session(const char *path, struct ft_session **session)
{
	struct ft_session *s;
	struct stat st;
	int fd, error;

	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return errno;
	if (fstat(fd, &st) || st.st_size < (off_t)FT_SESSION_AT_SLOTS) {
		close(fd);
		return EBADMSG;
	}
	s = mmap(NULL, st.st_size, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_NORESERVE, fd, 0);
	close(fd);
	if (s == MAP_FAILED)
		return errno;
	/* keep it out of core dumps; old kernels may refuse, which does no harm */
	madvise(s, st.st_size, MADV_DONTDUMP);
	error = check_session(s, st.st_size);
	if (error)
		munmap(s, st.st_size);
	else
		*session = s;
	return error;
}

static int map_private(void)
{
	struct ft_private *memory;

	memory = mmap(NULL, sizeof(*memory), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return errno;
	if (madvise(memory, sizeof(*memory), MADV_WIPEONFORK)) {
		munmap(memory, sizeof(*memory));
		return ENOTSUP;
	}
	memory->knows_threads = 1;
	ft_private = memory;
	return 0;
}

/* With another C library this one maps nothing; but ft need not guess any more. */
static void tell_untraced(const char *path)
{
	const __u64 said = 1;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	bool told;

	ft_message("this program is not traced",
		   "its C library is not the one that this library was built for (glibc)");
	if (fd < 0)
		return;
	told = pwrite(fd, &said, sizeof(said), offsetof(struct ft_session, untraced)) > 0;
	(void)told;	/* else ft says something that is not to the point */
	close(fd);
}

void ft_process_init(void)
{
	static bool done;
	const char *path;
	sigset_t old;
	int error;

	if (done)
		return;
	done = true;
	/* the caller of a set-uid program must not mislead it */
	path = secure_getenv(FT_SESSION_ENV);
	if (!has_own_c_library()) {
		if (path)
			tell_untraced(path);
		return;
	}
	error = map_private();
	ft_tid_learn();
	ft_loader_learn();
	ft_lock_init();
	if (!path)
		return;
	if (!error)
		error = map_session(path, &ft_session);
	if (!error)
		error = ft_sensors_join(path, ft_session);
	if (!error)
		error = ft_stacks_join(ft_session);
	if (error) {
		ft_session = NULL;
		/* after ft run has ended, its remaining programs run untraced */
		if (access(path, F_OK) == 0 || errno != ENOENT)
			ft_message("cannot join the trace, this program is not "
				   "traced", explain(error));
		return;
	}
	/* tells other tools that this process is being recorded */
	strncpy(ft_remote.session, path, sizeof(ft_remote.session) - 1);
	ft_text_relax(__start_ft_relax, __stop_ft_relax);
	if (ft_session->ordered && !ft_text_order(__start_ft_ordered, __stop_ft_ordered))
		ft_thread_slow_clock();
	ft_lock(&old);
	ft_process_join();
	ft_unlock(&old);
}

__attribute__((constructor(101)))
static void process_constructor(void)
{
	ft_process_init();
}

/* --- joining -------------------------------------------------------------- */

/* In a child this still holds the parent's values: the memory is a copy. */
static __u32 last_index;	/* + 1; 0: none */
static __u64 pidns;
static bool pidns_changes;

static void leave_predecessor(__s32 pid, __u64 ns, __u32 self)
{
	__u32 n = __atomic_load_n(&ft_session->processes, __ATOMIC_RELAXED);

	if (n > FT_SESSION_PROCESSES)
		n = FT_SESSION_PROCESSES;
	for (__u32 i = n; i-- > 0;) {
		struct ft_user_process *p = ft_session_process(ft_session, i);

		if (i == self || __atomic_load_n(&p->gone, __ATOMIC_ACQUIRE) ||
		    __atomic_load_n(&p->state, __ATOMIC_ACQUIRE) != FT_ENTRY_READY ||
		    p->pid != pid || p->pidns != ns)
			continue;
		/*
		 * Only the last entry with this PID can be alive: it is either this
		 * process before its exec(), or a process that has ended, as a PID
		 * belongs to one process at a time.
		 */
		__atomic_store_n(&p->gone, 1, __ATOMIC_RELEASE);
		break;
	}
}

static void ask_kernel(struct ft_user_process *p)
{
	struct stat st;

	if (!stat("/proc/self/ns/pid", &st))
		pidns = st.st_ino;
	pidns_changes = false;
	p->pid = getpid();
	prctl(PR_GET_NAME, p->comm);
}

/*
 * A child's PID and namespace, as far as they are known without a system call. The child
 * is in another PID namespace than its parent if the parent has asked for one, or if the
 * child is the first process there.
 */
static void ask_parent(struct ft_user_process *p, __u32 parent)
{
	p->pid = ft_private->pid;
	if (p->pid == 1 || pidns_changes)
		ask_kernel(p);
	else
		memcpy(p->comm, ft_session_process(ft_session, parent - 1)->comm,
		       sizeof(p->comm));
}

void ft_process_namespace(void)
{
	pidns_changes = true;
}

static bool sandboxed;

void ft_process_sandboxed(void)
{
	sandboxed = true;
}

bool ft_process_is_unknown(void)
{
	return sandboxed && (!ft_private->knows_threads || pidns_changes) &&
	       !ft_process_joined();
}

void ft_process_forked(void)
{
	ft_private->knows_threads = 1;
	ft_private->pid = ft_tid();
}

static void fill_process(struct ft_user_process *p, __u32 parent)
{
	p->state = FT_ENTRY_BUSY;
	if (parent && ft_private->knows_threads)
		ask_parent(p, parent);
	else
		ask_kernel(p);
	p->pidns = pidns;
	p->parent = parent;
	p->inherited = __atomic_load_n(&ft_session->objects, __ATOMIC_RELAXED);
	__atomic_store_n(&p->state, FT_ENTRY_READY, __ATOMIC_RELEASE);
}

/*
 * Several threads and signal handlers of a child may get here at once. Each fills an
 * entry; one entry becomes the process's.
 */
bool ft_process_join(void)
{
	static __u32 generation;
	struct ft_user_process *p;
	__u64 joined = 0;
	__u32 index, parent;

	if (ft_process_joined())
		return true;
	if (!ft_session || ft_private == (struct ft_private *)&nowhere ||
	    ft_process_is_unknown() ||
	    __atomic_load_n(&ft_session->closed, __ATOMIC_RELAXED))
		return false;
	/*
	 * Before the entry is taken: another thread may join meanwhile, with a later entry, and
	 * would become the parent of this one. A parent's index is lower.
	 */
	parent = __atomic_load_n(&last_index, __ATOMIC_ACQUIRE);
	index = __atomic_fetch_add(&ft_session->processes, 1, __ATOMIC_RELAXED);
	if (index >= FT_SESSION_PROCESSES) {
		__atomic_store_n(&ft_session->processes, FT_SESSION_PROCESSES,
				 __ATOMIC_RELAXED);
		return false;
	}
	p = ft_session_process(ft_session, index);
	fill_process(p, parent);
	if (!__atomic_compare_exchange_n(&ft_private->joined, &joined,
					 (__u64)(generation + 1) << 32 | (index + 1), false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		__atomic_store_n(&p->gone, 1, __ATOMIC_RELEASE);
		return true;
	}
	generation++;
	leave_predecessor(p->pid, p->pidns, index);
	if (!parent)
		ft_process_objects();
	__atomic_store_n(&last_index, index + 1, __ATOMIC_RELEASE);
	return true;
}

int ft_process_switch(const char *path)
{
	struct ft_session *s;
	bool shrunk;
	int error;

	if (ft_private == (struct ft_private *)&nowhere)
		return ENOTSUP;
	error = map_session(path, &s);
	if (error)
		return error;
	/*
	 * The old one, if there was one, stays mapped: a thread may be in the middle of
	 * a record. The reader frees its memory.
	 */
	__atomic_store_n(&ft_private->joined, 0, __ATOMIC_SEQ_CST);
	ft_sensors_forget();
	ft_stacks_forget();
	__atomic_store_n(&ft_session, s, __ATOMIC_RELEASE);
	ft_thread_forget();
	shrunk = ft_rings_are_shrunk();
	ft_rings_forget();
	last_index = 0;
	ft_events_enter();
	if (!ft_process_join())
		return EAGAIN;
	if (shrunk)
		ft_rings_shrink();
	return 0;
}
