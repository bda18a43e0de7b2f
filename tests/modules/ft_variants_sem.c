// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Variants of semaphores, and of those of readers and writers. */
#include <linux/delay.h>
#include <linux/sched/signal.h>

#include "ft_variants.h"

/* --- what the other thread does ---------------------------------------------- */

static void take_write(struct locks *l)	{ down_write(&l->rwsem); }
static void give_write(struct locks *l)	{ up_write(&l->rwsem); }

static void later_write(struct locks *l)
{
	msleep(20);
	give_write(l);
}

/* --- the variants --------------------------------------------------------------- */

VARIANT(sem)
{
	down(&l->sem);
	up(&l->sem);
}

VARIANT(sem_succeeds)
{
	EXPECT(!down_interruptible(&l->sem));
	up(&l->sem);
	EXPECT(!down_killable(&l->sem));
	up(&l->sem);
	EXPECT(!down_timeout(&l->sem, 1));
	up(&l->sem);
	EXPECT(!down_trylock(&l->sem));
	up(&l->sem);
}

VARIANT(sem_fails)
{
	down(&l->sem);
	EXPECT(down_trylock(&l->sem));
	EXPECT(down_timeout(&l->sem, 1) == -ETIME);
	send_sig(SIGUSR1, current, 1);
	EXPECT(down_interruptible(&l->sem) == -EINTR);
	flush_signals(current);
	send_sig(SIGKILL, current, 1);
	EXPECT(down_killable(&l->sem) == -EINTR);
	flush_signals(current);
	up(&l->sem);
}

VARIANT(rwsem_read)
{
	down_read(&l->rwsem);
	up_read(&l->rwsem);
	down_read_nested(&l->rwsem, SINGLE_DEPTH_NESTING);
	up_read(&l->rwsem);
}

VARIANT(rwsem_read_succeeds)
{
	EXPECT(!down_read_interruptible(&l->rwsem));
	up_read(&l->rwsem);
	EXPECT(!down_read_killable(&l->rwsem));
	up_read(&l->rwsem);
	EXPECT(down_read_trylock(&l->rwsem));
	EXPECT(!down_write_trylock(&l->rwsem));
	up_read(&l->rwsem);
}

VARIANT(rwsem_write)
{
	down_write(&l->rwsem);
	up_write(&l->rwsem);
	down_write_nested(&l->rwsem, SINGLE_DEPTH_NESTING);
	up_write(&l->rwsem);
}

VARIANT(rwsem_write_succeeds)
{
	EXPECT(!down_write_killable(&l->rwsem));
	up_write(&l->rwsem);
	EXPECT(down_write_trylock(&l->rwsem));
	up_write(&l->rwsem);
}

VARIANT(rwsem_fails)
{
	ft_variants_other(l, take_write);
	EXPECT(!down_read_trylock(&l->rwsem));
	EXPECT(!down_write_trylock(&l->rwsem));
	send_sig(SIGUSR1, current, 1);
	EXPECT(down_read_interruptible(&l->rwsem) == -EINTR);
	flush_signals(current);
	send_sig(SIGKILL, current, 1);
	EXPECT(down_read_killable(&l->rwsem) == -EINTR);
	EXPECT(down_write_killable(&l->rwsem) == -EINTR);
	flush_signals(current);
	ft_variants_other(l, give_write);
}

VARIANT(rwsem_waits)
{
	struct other_work later;

	ft_variants_other(l, take_write);
	ft_variants_other_queue(&later, l, later_write);
	down_read(&l->rwsem);
	up_read(&l->rwsem);
	kthread_flush_work(&later.work);
}

VARIANT(rwsem_downgrade)
{
	down_write(&l->rwsem);
	downgrade_write(&l->rwsem);
	EXPECT(down_read_trylock(&l->rwsem));
	up_read(&l->rwsem);
	up_read(&l->rwsem);
}

const struct variant ft_variants_sem[] = {
	ONE(sem, sem, SEMAPHORE, 1),
	ONE(sem_succeeds, sem, SEMAPHORE, 4),
	ONE(sem_fails, sem, SEMAPHORE, 1),
	READ_WRITE(rwsem_read, rwsem, RWSEM, 2, 0),
	READ_WRITE(rwsem_read_succeeds, rwsem, RWSEM, 3, 0),
	READ_WRITE(rwsem_write, rwsem, RWSEM, 0, 2),
	READ_WRITE(rwsem_write_succeeds, rwsem, RWSEM, 0, 2),
	READ_WRITE(rwsem_fails, rwsem, RWSEM, 0, 1),
	READ_WRITE(rwsem_waits, rwsem, RWSEM, 1, 1),
	READ_WRITE(rwsem_downgrade, rwsem, RWSEM, 2, 1),
	{ }
};
