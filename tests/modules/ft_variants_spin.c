// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Variants of what spins: spinlocks, raw ones, locks of readers and writers. */
#include "ft_variants.h"

#ifdef CONFIG_PREEMPT_RT
#define FT_LOCK_VARIANTS_RAW	FT_LOCK_RAW_SPIN
#else
#define FT_LOCK_VARIANTS_RAW	FT_LOCK_SPIN
#endif

VARIANT(raw_spin)
{
	raw_spin_lock(&l->raw);
	raw_spin_unlock(&l->raw);
}

VARIANT(raw_spin_nested)
{
	raw_spin_lock_nested(&l->raw, SINGLE_DEPTH_NESTING);
	raw_spin_unlock(&l->raw);
}

VARIANT(raw_spin_irq)
{
	raw_spin_lock_irq(&l->raw);
	raw_spin_unlock_irq(&l->raw);
}

VARIANT(raw_spin_irqsave)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&l->raw, flags);
	raw_spin_unlock_irqrestore(&l->raw, flags);
	raw_spin_lock_irqsave_nested(&l->raw, flags, SINGLE_DEPTH_NESTING);
	raw_spin_unlock_irqrestore(&l->raw, flags);
}

VARIANT(raw_spin_try)
{
	EXPECT(raw_spin_trylock(&l->raw));
	EXPECT(!raw_spin_trylock(&l->raw));
	raw_spin_unlock(&l->raw);
}

VARIANT(raw_spin_try_irq)
{
	unsigned long flags;

	EXPECT(raw_spin_trylock_irq(&l->raw));
	raw_spin_unlock_irq(&l->raw);
	EXPECT(raw_spin_trylock_irqsave(&l->raw, flags));
	EXPECT(!raw_spin_trylock(&l->raw));
	raw_spin_unlock_irqrestore(&l->raw, flags);
}

/* With PREEMPT_RT, these leave preemption on. */
VARIANT(raw_spin_bh)
{
	raw_spin_lock_bh(&l->raw);
	raw_spin_unlock_bh(&l->raw);
	EXPECT(raw_spin_trylock_bh(&l->raw));
	raw_spin_unlock_bh(&l->raw);
}

#ifdef CONFIG_PREEMPT_RT
/* The lock inside of a spinlock_t: another lock at the same address. */
VARIANT(raw_spin_inside)
{
	BUILD_BUG_ON(offsetof(spinlock_t, lock.wait_lock));
	spin_lock(&l->spin);
	raw_spin_lock_irq(&l->spin.lock.wait_lock);
	raw_spin_unlock_irq(&l->spin.lock.wait_lock);
	spin_unlock(&l->spin);
}
#endif

VARIANT(spin)
{
	spin_lock(&l->spin);
	spin_unlock(&l->spin);
}

VARIANT(spin_nested)
{
	spin_lock_nested(&l->spin, SINGLE_DEPTH_NESTING);
	spin_unlock(&l->spin);
}

VARIANT(spin_irq)
{
	spin_lock_irq(&l->spin);
	spin_unlock_irq(&l->spin);
}

VARIANT(spin_irqsave)
{
	unsigned long flags;

	spin_lock_irqsave(&l->spin, flags);
	spin_unlock_irqrestore(&l->spin, flags);
}

VARIANT(spin_bh)
{
	spin_lock_bh(&l->spin);
	spin_unlock_bh(&l->spin);
}

VARIANT(spin_try)
{
	EXPECT(spin_trylock(&l->spin));
	EXPECT(!spin_trylock(&l->spin));
	spin_unlock(&l->spin);
}

VARIANT(spin_try_irq)
{
	unsigned long flags;

	EXPECT(spin_trylock_irq(&l->spin));
	spin_unlock_irq(&l->spin);
	EXPECT(spin_trylock_irqsave(&l->spin, flags));
	spin_unlock_irqrestore(&l->spin, flags);
}

VARIANT(spin_try_bh)
{
	EXPECT(spin_trylock_bh(&l->spin));
	EXPECT(!spin_trylock_bh(&l->spin));
	spin_unlock_bh(&l->spin);
}

VARIANT(spin_dec)
{
	unsigned long flags;

	atomic_set(&l->count, 3);
	EXPECT(!atomic_dec_and_lock(&l->count, &l->spin));
	EXPECT(!atomic_dec_and_lock_irqsave(&l->count, &l->spin, flags));
	EXPECT(atomic_dec_and_lock(&l->count, &l->spin));
	spin_unlock(&l->spin);
	refcount_set(&l->refs, 1);
	EXPECT(refcount_dec_and_lock(&l->refs, &l->spin));
	spin_unlock(&l->spin);
}

VARIANT(read)
{
	read_lock(&l->rwlock);
	read_unlock(&l->rwlock);
}

/*
 * A reader may come again where it would not wait behind a writer: an interrupt, or
 * what keeps softirqs off.
 */
VARIANT(read_twice)
{
	read_lock_bh(&l->rwlock);
	read_lock(&l->rwlock);
	read_unlock(&l->rwlock);
	read_unlock_bh(&l->rwlock);
}

VARIANT(read_irq)
{
	unsigned long flags;

	read_lock_irq(&l->rwlock);
	read_unlock_irq(&l->rwlock);
	read_lock_irqsave(&l->rwlock, flags);
	read_unlock_irqrestore(&l->rwlock, flags);
}

VARIANT(read_bh)
{
	read_lock_bh(&l->rwlock);
	read_unlock_bh(&l->rwlock);
}

VARIANT(read_try)
{
	EXPECT(read_trylock(&l->rwlock));
	EXPECT(!write_trylock(&l->rwlock));
	read_unlock(&l->rwlock);
}

VARIANT(write)
{
	write_lock(&l->rwlock);
	write_unlock(&l->rwlock);
}

VARIANT(write_nested)
{
	write_lock_nested(&l->rwlock, SINGLE_DEPTH_NESTING);
	write_unlock(&l->rwlock);
}

VARIANT(write_irq)
{
	unsigned long flags;

	write_lock_irq(&l->rwlock);
	write_unlock_irq(&l->rwlock);
	write_lock_irqsave(&l->rwlock, flags);
	write_unlock_irqrestore(&l->rwlock, flags);
}

VARIANT(write_bh)
{
	write_lock_bh(&l->rwlock);
	write_unlock_bh(&l->rwlock);
}

VARIANT(write_try)
{
	unsigned long flags;

	EXPECT(write_trylock(&l->rwlock));
	EXPECT(!read_trylock(&l->rwlock));
	write_unlock(&l->rwlock);
	EXPECT(write_trylock_irqsave(&l->rwlock, flags));
	write_unlock_irqrestore(&l->rwlock, flags);
}

const struct variant ft_variants_spin[] = {
	ONE(raw_spin, raw, VARIANTS_RAW, 1),
	ONE(raw_spin_nested, raw, VARIANTS_RAW, 1),
	ONE(raw_spin_irq, raw, VARIANTS_RAW, 1),
	ONE(raw_spin_irqsave, raw, VARIANTS_RAW, 2),
	ONE(raw_spin_try, raw, VARIANTS_RAW, 1),
	ONE(raw_spin_try_irq, raw, VARIANTS_RAW, 2),
#ifdef CONFIG_PREEMPT_RT
	ONE(raw_spin_bh, raw, RAW_SPIN, 0),
	{ "raw_spin_inside", raw_spin_inside, offsetof(struct locks, spin),
	  FT_LOCK_SPIN, 1, FT_LOCK_RAW_SPIN, 1 },
#else
	ONE(raw_spin_bh, raw, SPIN, 2),
#endif
	ONE(spin, spin, SPIN, 1),
	ONE(spin_nested, spin, SPIN, 1),
	ONE(spin_irq, spin, SPIN, 1),
	ONE(spin_irqsave, spin, SPIN, 1),
	ONE(spin_bh, spin, SPIN, 1),
	ONE(spin_try, spin, SPIN, 1),
	ONE(spin_try_irq, spin, SPIN, 2),
	ONE(spin_try_bh, spin, SPIN, 1),
	ONE(spin_dec, spin, SPIN, 2),
	READ_WRITE(read, rwlock, RWLOCK, 1, 0),
	READ_WRITE(read_twice, rwlock, RWLOCK, 2, 0),
	READ_WRITE(read_irq, rwlock, RWLOCK, 2, 0),
	READ_WRITE(read_bh, rwlock, RWLOCK, 1, 0),
	READ_WRITE(read_try, rwlock, RWLOCK, 1, 0),
	READ_WRITE(write, rwlock, RWLOCK, 0, 1),
	READ_WRITE(write_nested, rwlock, RWLOCK, 0, 1),
	READ_WRITE(write_irq, rwlock, RWLOCK, 0, 2),
	READ_WRITE(write_bh, rwlock, RWLOCK, 0, 1),
	READ_WRITE(write_try, rwlock, RWLOCK, 0, 2),
	{ }
};
