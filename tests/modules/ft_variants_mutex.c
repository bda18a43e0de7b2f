// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Variants of mutexes, and of those that know of deadlocks (ww_mutex). */
#include <linux/delay.h>
#include <linux/sched/signal.h>

#include "ft_variants.h"

/* Of a deadlock, the younger one dies, which is easier to bring about. */
DEFINE_WD_CLASS(ft_variants_class);

/* --- what the other thread does ---------------------------------------------- */

static void take_mutex(struct locks *l)	{ mutex_lock(&l->mutex); }
static void give_mutex(struct locks *l)	{ mutex_unlock(&l->mutex); }
static void take_ww(struct locks *l)	{ EXPECT(!ww_mutex_lock(&l->ww, NULL)); }
static void give_ww(struct locks *l)	{ ww_mutex_unlock(&l->ww); }

static void take_ww_context(struct locks *l)
{
	ww_acquire_init(&l->ww_ctx, &ft_variants_class);
	EXPECT(!ww_mutex_lock(&l->ww, &l->ww_ctx));
	ww_acquire_done(&l->ww_ctx);
}

static void later_ww_context(struct locks *l)
{
	msleep(20);
	ww_mutex_unlock(&l->ww);
	ww_acquire_fini(&l->ww_ctx);
}

static void later_mutex(struct locks *l)
{
	msleep(20);
	give_mutex(l);
}

/* Whoever wants to be the last finds, with the mutex in hand, that it is not. */
static void later_not_last(struct locks *l)
{
	msleep(20);
	atomic_set(&l->count, 2);
	give_mutex(l);
}

/* --- the variants --------------------------------------------------------------- */

VARIANT(mutex)
{
	mutex_lock(&l->mutex);
	mutex_unlock(&l->mutex);
}

VARIANT(mutex_nested)
{
	mutex_lock_nested(&l->mutex, SINGLE_DEPTH_NESTING);
	mutex_unlock(&l->mutex);
}

VARIANT(mutex_interruptible)
{
	EXPECT(!mutex_lock_interruptible(&l->mutex));
	mutex_unlock(&l->mutex);
}

VARIANT(mutex_killable)
{
	EXPECT(!mutex_lock_killable(&l->mutex));
	mutex_unlock(&l->mutex);
}

VARIANT(mutex_io)
{
	mutex_lock_io(&l->mutex);
	mutex_unlock(&l->mutex);
}

VARIANT(mutex_try)
{
	EXPECT(mutex_trylock(&l->mutex));
	mutex_unlock(&l->mutex);
}

VARIANT(mutex_dec)
{
	atomic_set(&l->count, 2);
	EXPECT(!atomic_dec_and_mutex_lock(&l->count, &l->mutex));
	EXPECT(atomic_dec_and_mutex_lock(&l->count, &l->mutex));
	mutex_unlock(&l->mutex);
	refcount_set(&l->refs, 1);
	EXPECT(refcount_dec_and_mutex_lock(&l->refs, &l->mutex));
	mutex_unlock(&l->mutex);
}

VARIANT(mutex_dec_in_vain)
{
	struct other_work later;

	ft_variants_other(l, take_mutex);
	atomic_set(&l->count, 1);
	ft_variants_other_queue(&later, l, later_not_last);
	EXPECT(!atomic_dec_and_mutex_lock(&l->count, &l->mutex));
	kthread_flush_work(&later.work);
}

/* Those of the other thread count as well. */
VARIANT(mutex_fails)
{
	ft_variants_other(l, take_mutex);
	EXPECT(!mutex_trylock(&l->mutex));
	send_sig(SIGUSR1, current, 1);
	EXPECT(mutex_lock_interruptible(&l->mutex) == -EINTR);
	flush_signals(current);
	send_sig(SIGKILL, current, 1);
	EXPECT(mutex_lock_killable(&l->mutex) == -EINTR);
	flush_signals(current);
	ft_variants_other(l, give_mutex);
}

VARIANT(mutex_waits)
{
	struct other_work later;

	ft_variants_other(l, take_mutex);
	ft_variants_other_queue(&later, l, later_mutex);
	mutex_lock(&l->mutex);
	mutex_unlock(&l->mutex);
	kthread_flush_work(&later.work);
}

VARIANT(ww)
{
	EXPECT(!ww_mutex_lock(&l->ww, NULL));
	ww_mutex_unlock(&l->ww);
	EXPECT(!ww_mutex_lock_interruptible(&l->ww, NULL));
	ww_mutex_unlock(&l->ww);
	EXPECT(ww_mutex_trylock(&l->ww, NULL));
	ww_mutex_unlock(&l->ww);
}

VARIANT(ww_context)
{
	struct ww_acquire_ctx ctx;

	ww_acquire_init(&ctx, &ft_variants_class);
	EXPECT(!ww_mutex_lock(&l->ww, &ctx));
	/* It has it, says so, and has not got it again. */
	EXPECT(ww_mutex_lock(&l->ww, &ctx) == -EALREADY);
	ww_mutex_unlock(&l->ww);
	EXPECT(!ww_mutex_lock_interruptible(&l->ww, &ctx));
	ww_mutex_unlock(&l->ww);
	EXPECT(ww_mutex_trylock(&l->ww, &ctx));
	ww_mutex_unlock(&l->ww);
	ww_acquire_done(&ctx);
	ww_acquire_fini(&ctx);
}

/*
 * Who is younger than the holder and has a lock already is sent back, gives up what
 * it has, and waits in the slow way.
 */
VARIANT(ww_slow)
{
	struct ww_acquire_ctx ctx;
	struct other_work later;

	ft_variants_other(l, take_ww_context);
	ww_acquire_init(&ctx, &ft_variants_class);
	EXPECT(!ww_mutex_lock(&l->ww_second, &ctx));
	EXPECT(ww_mutex_lock(&l->ww, &ctx) == -EDEADLK);
	ww_mutex_unlock(&l->ww_second);
	ft_variants_other_queue(&later, l, later_ww_context);
	ww_mutex_lock_slow(&l->ww, &ctx);
	ww_acquire_done(&ctx);
	ww_mutex_unlock(&l->ww);
	ww_acquire_fini(&ctx);
	kthread_flush_work(&later.work);
}

VARIANT(ww_fails)
{
	struct ww_acquire_ctx ctx;

	ft_variants_other(l, take_ww);
	EXPECT(!ww_mutex_trylock(&l->ww, NULL));
	send_sig(SIGUSR1, current, 1);
	EXPECT(ww_mutex_lock_interruptible(&l->ww, NULL) == -EINTR);
	ww_acquire_init(&ctx, &ft_variants_class);
	EXPECT(!ww_mutex_trylock(&l->ww, &ctx));
	EXPECT(ww_mutex_lock_interruptible(&l->ww, &ctx) == -EINTR);
	flush_signals(current);
	ww_acquire_fini(&ctx);
	ft_variants_other(l, give_ww);
}

const struct variant ft_variants_mutex[] = {
	ONE(mutex, mutex, MUTEX, 1),
	ONE(mutex_nested, mutex, MUTEX, 1),
	ONE(mutex_interruptible, mutex, MUTEX, 1),
	ONE(mutex_killable, mutex, MUTEX, 1),
	ONE(mutex_io, mutex, MUTEX, 1),
	ONE(mutex_try, mutex, MUTEX, 1),
	ONE(mutex_dec, mutex, MUTEX, 2),
	ONE(mutex_dec_in_vain, mutex, MUTEX, 2),
	ONE(mutex_fails, mutex, MUTEX, 1),
	ONE(mutex_waits, mutex, MUTEX, 2),
	ONE(ww, ww, MUTEX, 3),
	ONE(ww_context, ww, MUTEX, 3),
	ONE(ww_slow, ww, MUTEX, 2),
	ONE(ww_fails, ww, MUTEX, 1),
	{ }
};
