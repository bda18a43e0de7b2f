/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ft_variants: what its parts share. A part is a table of variants of some lock
 * functions; ft_variants_main.c runs them and says what records that must give.
 */
#ifndef FT_VARIANTS_H
#define FT_VARIANTS_H

#include <linux/atomic.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/rwsem.h>
#include <linux/semaphore.h>
#include <linux/spinlock.h>
#include <linux/stddef.h>
#include <linux/ww_mutex.h>
#include <uapi/linux/feather_trace.h>

/* A variant uses one of them, or what helps it to use one. */
struct locks {
	raw_spinlock_t		raw;
	spinlock_t		spin;	/* guards nothing */
	rwlock_t		rwlock;
	struct mutex		mutex;	/* nor does this */
	struct ww_mutex		ww;
	struct semaphore	sem;
	struct rw_semaphore	rwsem;

	struct ww_mutex		ww_second;
	struct ww_acquire_ctx	ww_ctx;	/* the other thread's */
	atomic_t		count;
	refcount_t		refs;
};

/* Acquisitions and as many releases; of the second family the same. */
struct variant {
	const char	*name;		/* NULL: the end of the table */
	void		(*run)(struct locks *l);
	size_t		lock;		/* offset in struct locks */
	int		family;
	int		count;
	int		other_family;	/* or -1 */
	int		other_count;
};

#define VARIANT(name)	static void name(struct locks *l)

#define ONE(fn, lock, family, count)					\
	{ #fn, fn, offsetof(struct locks, lock), FT_LOCK_##family, count, -1, 0 }
#define READ_WRITE(fn, lock, family, reads, writes)			\
	{ #fn, fn, offsetof(struct locks, lock),			\
	  FT_LOCK_##family##_READ, reads, FT_LOCK_##family##_WRITE, writes }

extern const struct variant ft_variants_spin[];		/* ft_variants_spin.c */
extern const struct variant ft_variants_mutex[];	/* ft_variants_mutex.c */
extern const struct variant ft_variants_sem[];		/* ft_variants_sem.c */

extern struct ww_class ft_variants_class;

/* What a variant did that it should not have, if anything. */
extern const char *ft_variants_wrong;

#define EXPECT(condition) do {						\
	if (!(condition))						\
		ft_variants_wrong = __func__;				\
} while (0)

/* ft_variants_other.c: a second thread, that holds what others cannot have then */
struct other_work {
	struct kthread_work	work;
	struct locks		*l;
	void			(*fn)(struct locks *l);
};

int ft_variants_other_start(void);
void ft_variants_other_stop(void);

/* The other thread calls fn; returns when it has. */
void ft_variants_other(struct locks *l, void (*fn)(struct locks *l));

/* The same, returns at once; kthread_flush_work() waits for it. */
void ft_variants_other_queue(struct other_work *other, struct locks *l,
			     void (*fn)(struct locks *l));

#endif /* FT_VARIANTS_H */
