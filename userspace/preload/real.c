// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Finding the functions that this library wraps.
 *
 * Locks are used before constructors run: by the loader's first callbacks, by
 * allocators, by constructors of other libraries. They find the functions
 * themselves, and are not traced.
 *
 * dlsym() takes no lock of pthread's, and allocates nothing for a function that exists.
 * For a missing function it allocates a message with malloc(), which may belong to an
 * allocator that locks a mutex, and so gets back here. Therefore functions that every C
 * library has are looked up first, and a nested call looks up no others.
 */
#include <dlfcn.h>
#include <string.h>

#include "libfeathertrace/process.h"
#include "libfeathertrace/text.h"
#include "preload/mutex_known.h"

enum mode ft_mode;
struct real ft_real;
bool ft_heap_is_traced;

/* Other C libraries do not have these; then their addresses are 0. */
extern const char *gnu_get_libc_version(void) __attribute__((weak));
extern void *dlvsym(void *handle, const char *name, const char *version)
	__attribute__((weak));

/* There are two kinds of conditions: those from before 2003 and these. */
#ifdef __x86_64__
#define COND_VERSION	"GLIBC_2.3.2"
#endif

static void *find(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static void *find_version(const char *name, const char *version)
{
	return dlvsym ? dlvsym(RTLD_NEXT, name, version) : NULL;
}

static void *find_cond(const char *name)
{
#ifdef COND_VERSION
	void *f = find_version(name, COND_VERSION);

	if (f)
		return f;
#endif
	return find(name);
}

/* Of the C library, or, before glibc 2.34, of its libpthread. */
static bool is_own(void *function)
{
	Dl_info libc, of;

	return function && gnu_get_libc_version && dladdr(function, &of) &&
	       dladdr((void *)gnu_get_libc_version, &libc) &&
	       (of.dli_fbase == libc.dli_fbase || strstr(of.dli_fname, "/libpthread"));
}

/* A function that only a later C library has may be missing. */
static bool are_own(void *const functions[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (functions[i] && !is_own(functions[i]))
			return false;
	return true;
}

#define ARE_OWN(...)							\
({									\
	void *const functions_[] = { __VA_ARGS__ };			\
									\
	are_own(functions_, sizeof(functions_) / sizeof(*functions_));	\
})

static void find_owners(struct real *r)
{
	r->own_mutex = ARE_OWN((void *)r->mutex_lock, (void *)r->mutex_trylock,
			       (void *)r->mutex_unlock, (void *)r->mutex_timedlock,
			       (void *)r->mutex_clocklock);
	r->own_rwlock = ARE_OWN((void *)r->rdlock, (void *)r->tryrdlock,
				(void *)r->wrlock, (void *)r->trywrlock,
				(void *)r->rw_unlock, (void *)r->timedrdlock,
				(void *)r->timedwrlock, (void *)r->clockrdlock,
				(void *)r->clockwrlock);
	r->own_spin = ARE_OWN((void *)r->spin_lock, (void *)r->spin_trylock,
			      (void *)r->spin_unlock);
	r->own_c11 = r->mtx_lock && r->cnd_wait &&
		     ARE_OWN((void *)r->mtx_lock, (void *)r->mtx_trylock,
			     (void *)r->mtx_unlock, (void *)r->mtx_timedlock,
			     (void *)r->cnd_wait, (void *)r->cnd_timedwait);
}

static void find_c11(struct real *r)
{
	r->mtx_init = (real_mtx_init)find("mtx_init");
	r->mtx_lock = (real_mtx)find("mtx_lock");
	r->mtx_trylock = (real_mtx)find("mtx_trylock");
	r->mtx_unlock = (real_mtx)find("mtx_unlock");
	r->mtx_timedlock = (real_mtx_until)find("mtx_timedlock");
	r->cnd_wait = (real_cnd)find("cnd_wait");
	r->cnd_timedwait = (real_cnd_until)find("cnd_timedwait");
}

static void find_sure(struct real *r)
{
	r->mutex_init = (real_mutex_init)find("pthread_mutex_init");
	r->rwlock_init = (real_rwlock_init)find("pthread_rwlock_init");
	r->spin_init = (real_spin_init)find("pthread_spin_init");
	r->sem_init = (real_sem_init)find("sem_init");
	r->mutex_lock = (real_mutex)find("pthread_mutex_lock");
	r->mutex_trylock = (real_mutex)find("pthread_mutex_trylock");
	r->mutex_unlock = (real_mutex)find("pthread_mutex_unlock");
	r->mutex_timedlock = (real_mutex_until)find("pthread_mutex_timedlock");
	r->rdlock = (real_rwlock)find("pthread_rwlock_rdlock");
	r->tryrdlock = (real_rwlock)find("pthread_rwlock_tryrdlock");
	r->wrlock = (real_rwlock)find("pthread_rwlock_wrlock");
	r->trywrlock = (real_rwlock)find("pthread_rwlock_trywrlock");
	r->rw_unlock = (real_rwlock)find("pthread_rwlock_unlock");
	r->timedrdlock = (real_rwlock_until)find("pthread_rwlock_timedrdlock");
	r->timedwrlock = (real_rwlock_until)find("pthread_rwlock_timedwrlock");
	r->spin_lock = (real_spin)find("pthread_spin_lock");
	r->spin_trylock = (real_spin)find("pthread_spin_trylock");
	r->spin_unlock = (real_spin)find("pthread_spin_unlock");
	r->sem_wait = (real_sem)find("sem_wait");
	r->sem_trywait = (real_sem)find("sem_trywait");
	r->sem_post = (real_sem)find("sem_post");
	r->sem_timedwait = (real_sem_until)find("sem_timedwait");
	r->cond_wait = (real_cond)find_cond("pthread_cond_wait");
	r->cond_timedwait = (real_cond_until)find_cond("pthread_cond_timedwait");
}

static void find_process(struct real *r)
{
	r->prctl = (real_prctl)find("prctl");
	r->syscall = (real_syscall)find("syscall");
	r->mlockall = (real_int)find("mlockall");
	r->unshare = (real_int)find("unshare");
	r->setns = (real_setns)find("setns");
	r->clone = (real_clone)find("clone");
	r->_exit = (real_exit)find("_exit");
	r->_Exit = (real_exit)find("_Exit");
	r->quick_exit = (real_exit)find("quick_exit");
}

/* Since glibc 2.30. */
static void find_clock(struct real *r)
{
	r->mutex_clocklock = (real_mutex_clock)find("pthread_mutex_clocklock");
	r->clockrdlock = (real_rwlock_clock)find("pthread_rwlock_clockrdlock");
	r->clockwrlock = (real_rwlock_clock)find("pthread_rwlock_clockwrlock");
	r->sem_clockwait = (real_sem_clock)find("sem_clockwait");
	r->cond_clockwait = (real_cond_clock)find("pthread_cond_clockwait");
}

/* Functions for programs that were linked before 2003. */
static void find_old(struct real *r)
{
	r->old_cond_wait = (real_cond)find_version("pthread_cond_wait", "GLIBC_2.2.5");
	r->old_cond_timedwait = (real_cond_until)
				find_version("pthread_cond_timedwait", "GLIBC_2.2.5");
}

void ft_real_find(void)
{
	static __thread bool within __attribute__((tls_model("initial-exec")));

	find_sure(&ft_real);
	find_process(&ft_real);
	if (within)
		return;
	within = true;
	find_clock(&ft_real);
	find_c11(&ft_real);
	find_old(&ft_real);
	ft_real.fork_only = (real_fork)find("_Fork");	/* since glibc 2.34 */
	find_owners(&ft_real);
	within = false;
}

/* Tracing begins here. A lock that is already held gets a release without an acquisition. */
__attribute__((constructor))
static void preload_constructor(void)
{
	ft_process_init();
	ft_real_find();
	if (ft_session && ft_session->locks) {
		ft_text_relax(__start_ft_relax, __stop_ft_relax);
		if (ft_session->ordered &&
		    !ft_text_order(__start_ft_ordered, __stop_ft_ordered))
			ft_thread_slow_clock();
		ft_mutex_learn();
		ft_unwind_find();
		ft_mode = MODE_TRACE;
	} else {
		ft_mode = MODE_PASS;
	}
	ft_heap_is_traced = ft_session && (ft_session->recorded & FT_RECORDED_HEAP);
}
