// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Spinlocks. */
#include "preload/locks.h"

EXPORT int pthread_spin_lock(pthread_spinlock_t *l)
{
	int result;

	if (!ft_tracing())
		return ft_real.spin_lock(l);
	result = ft_real.own_spin ? ft_real.spin_trylock(l) : ft_real.spin_lock(l);
	if (result && ft_real.own_spin) {
		wait_begin(FT_USER_SPIN, (const void *)l, CALLER);
		result = ft_real.spin_lock(l);
		wait_end((const void *)l, result);
	}
	if (!result)
		lock_acquired(FT_USER_SPIN, (const void *)l, CALLER);
	return result;
}

EXPORT int pthread_spin_trylock(pthread_spinlock_t *l)
{
	bool tracing = ft_tracing();
	int result = ft_real.spin_trylock(l);

	if (tracing && !result)
		lock_acquired(FT_USER_SPIN, (const void *)l, CALLER);
	return result;
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *l)
{
	if (ft_tracing())
		lock_released(FT_USER_SPIN, (const void *)l, CALLER);
	return ft_real.spin_unlock(l);
}
