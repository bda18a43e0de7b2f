// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Finding the functions that this library stands in front of.
 *
 * Locks are used before constructors run: by the loader's first callbacks, by
 * allocators, by constructors of other libraries. They find the functions
 * themselves, and are not traced.
 *
 * dlsym() takes no lock of pthread's, and allocates nothing for a function that
 * exists. For one that does not it makes a message, with malloc(), which may be of an
 * allocator that locks a mutex, and so comes back here. Therefore those that every C
 * library has are looked for first, and who comes back looks for no others.
 */
#include <dlfcn.h>

#include "../lib/process.h"
#include "../lib/text.h"
#include "mutex_known.h"

enum mode ft_mode;
struct real ft_real;

/* Of conditions there are two kinds: those from before 2003 and these. */
#ifdef __x86_64__
#define COND_VERSION	"GLIBC_2.3.2"
#endif

static void *find(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static void *find_cond(const char *name)
{
#ifdef COND_VERSION
	void *f = dlvsym(RTLD_NEXT, name, COND_VERSION);

	if (f)
		return f;
#endif
	return find(name);
}

bool ft_real_beside(void *a, void *b)
{
	Dl_info of_a, of_b;

	return a && b && dladdr(a, &of_a) && dladdr(b, &of_b) &&
	       of_a.dli_fbase == of_b.dli_fbase;
}

/* Where pthread's are: the C library, or, before glibc 2.34, its libpthread. */
static bool is_beside_pthread(void *function)
{
	return ft_real_beside(function, (void *)ft_real.mutex_lock);
}

static void find_c11(struct real *r)
{
	r->mtx_lock = (real_mtx)find("mtx_lock");
	r->mtx_trylock = (real_mtx)find("mtx_trylock");
	r->mtx_unlock = (real_mtx)find("mtx_unlock");
	r->mtx_timedlock = (real_mtx_until)find("mtx_timedlock");
	r->cnd_wait = (real_cnd)find("cnd_wait");
	r->cnd_timedwait = (real_cnd_until)find("cnd_timedwait");
	r->c11 = is_beside_pthread((void *)r->mtx_lock) &&
		 is_beside_pthread((void *)r->cnd_wait);
}

static void find_sure(struct real *r)
{
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

/* Since glibc 2.30. */
static void find_clock(struct real *r)
{
	r->mutex_clocklock = (real_mutex_clock)find("pthread_mutex_clocklock");
	r->clockrdlock = (real_rwlock_clock)find("pthread_rwlock_clockrdlock");
	r->clockwrlock = (real_rwlock_clock)find("pthread_rwlock_clockwrlock");
	r->sem_clockwait = (real_sem_clock)find("sem_clockwait");
	r->cond_clockwait = (real_cond_clock)find("pthread_cond_clockwait");
}

void ft_real_find(void)
{
	static __thread bool within __attribute__((tls_model("initial-exec")));

	find_sure(&ft_real);
	if (within)
		return;
	within = true;
	find_clock(&ft_real);
	find_c11(&ft_real);
	within = false;
}

/* From here on. A lock that is held by now has a release and no acquisition. */
__attribute__((constructor))
static void preload_constructor(void)
{
	ft_process_init();
	ft_real_find();
	if (ft_session && ft_session->locks) {
		ft_text_relax(__start_ft_relax, __stop_ft_relax);
		ft_mutex_learn();
		ft_mode = MODE_TRACE;
	} else {
		ft_mode = MODE_PASS;
	}
}
