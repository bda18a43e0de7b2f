// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Joining a session. A process finds it by the environment when the library is
 * loaded, maps it, and enters itself. What fails here is told in one line, and the
 * program runs on without being traced.
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

#include "events.h"
#include "process.h"
#include "remote.h"
#include "text.h"

/* As much of it as is used without a session. */
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
	if (s->rings > FT_SESSION_RINGS || s->slots & (s->slots - 1) ||
	    s->slots < FT_RING_MIN_SLOTS ||
	    (off_t)ft_session_size(s->rings, s->slots) > size)
		return EOVERFLOW;
	return 0;
}

#ifdef __GLIBC__
/* Another C library does not have it; there nothing is tried that could fail. */
extern const char *strerrordesc_np(int error) __attribute__((weak));

/* Asked when the program runs: it may bring another one than this was built with. */
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
		return "it is no session of ft run";
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
static int map_session(const char *path)
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
	/* a core dump has no use for it; old kernels may refuse: no matter */
	madvise(s, st.st_size, MADV_DONTDUMP);
	error = check_session(s, st.st_size);
	if (error)
		munmap(s, st.st_size);
	else
		__atomic_store_n(&ft_session, s, __ATOMIC_RELEASE);
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
	ft_private = memory;
	return 0;
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
	/* a set-uid program must not be led astray by its caller */
	path = secure_getenv(FT_SESSION_ENV);
	if (!has_own_c_library()) {
		if (path)
			ft_message("this program is not traced",
				   "its C library is not the one that this library "
				   "was built for (glibc)");
		return;
	}
	error = map_private();
	ft_lock_init();
	if (!path)
		return;
	if (!error)
		error = map_session(path);
	if (error) {
		/* where ft run has ended, those that it left are not traced */
		if (access(path, F_OK) == 0 || errno != ENOENT)
			ft_message("cannot join the trace, this program is not "
				   "traced", explain(error));
		return;
	}
	/* others see by it that somebody records this process */
	strncpy(ft_remote.session, path, sizeof(ft_remote.session) - 1);
	ft_text_relax(__start_ft_relax, __stop_ft_relax);
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

/* In a child this is what the parent was: the memory is a copy. */
static __u32 last_index;	/* + 1; 0: none */
static __u64 pidns;

static void leave_predecessor(__s32 pid, __u64 ns, __u32 self)
{
	__u32 n = __atomic_load_n(&ft_session->processes, __ATOMIC_RELAXED);

	if (n > FT_SESSION_PROCESSES)
		n = FT_SESSION_PROCESSES;
	for (__u32 i = n; i-- > 0;) {
		struct ft_user_process *p = ft_session_process(ft_session, i);

		if (i == self || p->pid != pid || p->pidns != ns ||
		    __atomic_load_n(&p->state, __ATOMIC_ACQUIRE) != FT_ENTRY_READY)
			continue;
		/*
		 * Only the last can be alive. It was this process before exec(),
		 * or has ended: there is nobody else of this number.
		 */
		__atomic_store_n(&p->gone, 1, __ATOMIC_RELEASE);
		break;
	}
}

bool ft_process_join(void)
{
	struct ft_user_process *p;
	struct stat st;
	__u32 index;

	if (ft_private->joined)
		return true;
	if (!ft_session || ft_private == (struct ft_private *)&nowhere ||
	    __atomic_load_n(&ft_session->closed, __ATOMIC_RELAXED))
		return false;
	index = __atomic_fetch_add(&ft_session->processes, 1, __ATOMIC_RELAXED);
	if (index >= FT_SESSION_PROCESSES) {
		__atomic_store_n(&ft_session->processes, FT_SESSION_PROCESSES,
				 __ATOMIC_RELAXED);
		return false;
	}
	if (!stat("/proc/self/ns/pid", &st))
		pidns = st.st_ino;
	p = ft_session_process(ft_session, index);
	p->state = FT_ENTRY_BUSY;
	p->pid = getpid();
	p->pidns = pidns;
	p->parent = last_index;
	p->inherited = __atomic_load_n(&ft_session->objects, __ATOMIC_RELAXED);
	prctl(PR_GET_NAME, p->comm);
	leave_predecessor(p->pid, pidns, index);
	__atomic_store_n(&p->state, FT_ENTRY_READY, __ATOMIC_RELEASE);

	ft_private->index = index;
	ft_private->joined = 1;
	if (!last_index)
		ft_process_objects();
	last_index = index + 1;
	return true;
}

int ft_process_switch(const char *path)
{
	int error;

	if (ft_private == (struct ft_private *)&nowhere)
		return ENOTSUP;
	error = map_session(path);
	if (error)
		return error;
	/*
	 * The old one, if there was one, stays mapped: a thread may be in the middle
	 * of a record. Its memory is given back by the reader.
	 */
	ft_thread_forget();
	ft_private->joined = 0;
	last_index = 0;
	ft_events_enter();
	return ft_process_join() ? 0 : EAGAIN;
}
