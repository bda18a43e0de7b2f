/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A FIFO to build into a program, a kernel module or firmware: records from many writers
 * at once, in any context, to one reader.
 *
 *	DEFINE_FT_FIFO(trace, 256, 32);		256 slots of 32 bytes
 *
 *	struct sample *s = ft_fifo_reserve(&trace);
 *
 *	if (s) {
 *		s->value = value;
 *		ft_fifo_commit(&trace, s, sizeof(*s));
 *	}
 *
 * and in the one reader, now and then:
 *
 *	struct ft_fifo_record rec;
 *
 *	while (ft_fifo_next(&trace, &rec))
 *		use(rec.data, rec.len, rec.gap);
 *	ft_fifo_release(&trace);
 *
 * Writers. Threads on any CPU, signal handlers, interrupts, NMIs. A write is a fixed number
 * of instructions with one atomic addition, whatever others do; nothing is allocated, nobody
 * is woken, and of the context nothing is asked. (Where a CPU adds by trying until nobody
 * was in between, as ARM without LSE does, the addition is as good as that.)
 *
 * The reader. Never waits: a record that its writer has not finished is not ready, nor are
 * those behind it, and the reader goes on with something else.
 *
 * The word. Slots are numbered by positions, which only grow; a slot is found by masking
 * them. One word has two of them, side by side:
 *
 *	+-----------------+-----------------+
 *	| w: next to take | limit: no room  |	limit <= positions given back + slots
 *	+-----------------+-----------------+
 *
 * A writer adds one to w, and what the addition returns is its position and the limit of
 * that very moment. Position before limit: the slot is the writer's alone. Else the record
 * is dropped. The reader moves limit by an addition, too, and what that returns is the w up
 * to which writers have seen the old limit. So both sides agree which positions were
 * dropped, without a second operation: those between the old limit and that w.
 *
 *	     next                       limit    w
 *	      |                           |      |
 *	+-----+-----+-----+-----+----+----+------+
 *	|     |ready|ready| ... |ready    |dropped
 *	+-----+-----+-----+-----+----+----+------+
 *
 * No writer is ever overtaken: limit does not move past a slot that is being filled. One that
 * stands still for long between ft_fifo_reserve() and ft_fifo_commit() fills up the FIFO
 * behind it, and what is lost then is counted. New records are dropped, never old ones: who
 * overwrites needs to know that the slot's last writer has finished.
 *
 * Too full. If w were added to as long as the FIFO is full, it would run away from limit and
 * come round. So a writer looks first: with w past limit already the record only counts as
 * lost. Contexts that have looked and not added yet take w past limit by at most one each.
 * With w at limit the writer adds all the same. So where something is lost, at least one
 * position is dropped, and the reader finds the gap in its place: if a context has lost
 * anything between two records, there is a dropped position between theirs.
 *
 * A gap. Before ft_fifo_release() moves limit, the slot of the old limit's position is given
 * back already and not handed out yet. The reader leaves a note of the dropped ones there,
 * for when it comes by. Dropped positions use up a part of the room once: after a gap, a reader
 * that gives back single records makes room only when it has come to the gap. Give back
 * many at a time.
 *
 * Marks. The last four bytes of a slot: 0 free, else the length plus one, or a note. The
 * writer's store of it publishes the record; the reader clears it before it gives back the
 * slot. Each slot has one owner at a time, so marks need not differ from round to round.
 *
 * Wrapping. On CPUs of 64 bits the halves have 32, else 16. Only differences count; they stay
 * between minus the slots and the number of contexts that write at the same time. Hence
 * FT_FIFO_MAX_SLOTS, and as many contexts.
 *
 * One CPU. With FT_FIFO_SINGLE_CPU defined before, all contexts, the reader's too, are of one
 * CPU, or one thread and its signal handlers, and interrupt each other. The addition is then
 * one instruction that no interrupt cuts in two (x86: without LOCK), or a few with interrupts
 * masked (Cortex-M, RISC-V without atomics; an NMI must not write there), and there are no
 * barriers. For another CPU define FT_FIFO_ADD(p, n): adds n to the word *p and returns what
 * was there, undivided. It must load and store 32 bits at once. All files that share a FIFO
 * must agree.
 *
 * The model is tests/model/fifo.pml. The idea of slots that are reserved by a fetch-and-add and
 * published by a mark is Feather-Trace's (Brandenburg and Anderson, OSPERT 2007).
 *
 * This header is freestanding, C11 and C++17.
 */
#ifndef _FEATHER_TRACE_FIFO_H
#define _FEATHER_TRACE_FIFO_H

#ifdef __KERNEL__
#include <linux/types.h>
#include <linux/stddef.h>
#else
#include <stddef.h>
#include <stdint.h>
#endif

#if __SIZEOF_POINTER__ < 4 || __SIZEOF_INT__ < 4
#error "this CPU does not load and store 32 bits at once: the FIFO is not for 8 and 16 bits"
#endif
#if __SIZEOF_POINTER__ >= 8
typedef uint64_t ft_fifo_word;
typedef uint32_t ft_fifo_pos;
typedef int32_t ft_fifo_diff;
#else
typedef uint32_t ft_fifo_word;
typedef uint16_t ft_fifo_pos;
typedef int16_t ft_fifo_diff;
#endif

#define FT_FIFO_HALF		(8 * sizeof(ft_fifo_pos))
#define FT_FIFO_ONE		((ft_fifo_word)1 << FT_FIFO_HALF)

/* Slots, and contexts that write to one FIFO at the same time, at most. */
#define FT_FIFO_MAX_SLOTS	((ft_fifo_word)1 << (FT_FIFO_HALF - 2))
#define FT_FIFO_MIN_SIZE	8u

/* Apart by this much, the two sides do not take each other's lines. Firmware has none. */
#ifndef FT_FIFO_CACHELINE
#if defined(FT_FIFO_SINGLE_CPU) && __SIZEOF_POINTER__ < 8
#define FT_FIFO_CACHELINE	8
#else
#define FT_FIFO_CACHELINE	64
#endif
#endif

#ifdef __cplusplus
#define __FT_FIFO_ASSERT(x, why)	static_assert(x, why)
#else
#define __FT_FIFO_ASSERT(x, why)	_Static_assert(x, why)
#endif

/**
 * struct ft_fifo - a FIFO; use DEFINE_FT_FIFO() or ft_fifo_init()
 * @word:	w and limit: see above
 * @lost:	records that found w past limit already; the writers'
 * @memory:	the slots; these three are constant
 * @mask:	number of slots - 1
 * @shift:	of the size of a slot
 * @next:	position to be read next; from here on all is the reader's own
 * @given:	up to where slots are given back
 * @seen:	no dropped position before this one is unknown
 * @noted:	position of the latest note
 * @gap:	dropped positions right before @next
 * @lost_seen:	@lost when ft_fifo_lost() looked
 * @dropped:	dropped positions, and what was lost up to @lost_seen
 */
struct ft_fifo {
	ft_fifo_word	word __attribute__((aligned(FT_FIFO_CACHELINE)));
	ft_fifo_word	lost;

	unsigned char	*memory __attribute__((aligned(FT_FIFO_CACHELINE)));
	ft_fifo_word	mask;
	unsigned int	shift;

	ft_fifo_pos	next __attribute__((aligned(FT_FIFO_CACHELINE)));
	ft_fifo_pos	given;
	ft_fifo_pos	seen;
	ft_fifo_pos	noted;
	uint32_t	gap;
	ft_fifo_word	lost_seen;
	uint64_t	dropped;
};

/**
 * struct ft_fifo_record - what ft_fifo_next() found
 * @data:	the record, in its slot; the reader's until ft_fifo_release()
 * @len:	its length
 * @gap:	not 0: something is missing between it and the one before it. How many
 *		positions were dropped there; more may have been lost: ft_fifo_lost()
 */
struct ft_fifo_record {
	void		*data;
	uint32_t	len;
	uint32_t	gap;
};

/* The last bytes of a slot. */
typedef uint32_t __attribute__((may_alias)) ft_fifo_mark;
#define FT_FIFO_NOTE	0x80000000u	/* how many positions are dropped from here on */

/**
 * DECLARE_FT_FIFO() - announce a FIFO in a header
 * @_name:	as in DEFINE_FT_FIFO()
 */
#ifdef __cplusplus
#define DECLARE_FT_FIFO(_name)	extern "C" struct ft_fifo _name
#else
#define DECLARE_FT_FIFO(_name)	extern struct ft_fifo _name
#endif

/**
 * DEFINE_FT_FIFO() - a FIFO and its memory, ready to be written to
 * @_name:	a C identifier, the struct ft_fifo
 * @_slots:	how many records there is room for; a power of two, 2 to FT_FIFO_MAX_SLOTS
 * @_size:	of a slot, in bytes: a power of two, at least 8. A record has up to
 *		@_size - 4 bytes, and begins at a multiple of @_size, or of 64
 */
#define DEFINE_FT_FIFO(_name, _slots, _size)				\
	__FT_FIFO_ASSERT((_slots) >= 2 && (_slots) <= FT_FIFO_MAX_SLOTS &&	\
			 !((_slots) & ((_slots) - 1)),			\
			 "slots: a power of two, 2 to FT_FIFO_MAX_SLOTS");	\
	__FT_FIFO_ASSERT((_size) >= FT_FIFO_MIN_SIZE &&			\
			 (_size) <= FT_FIFO_NOTE / 2 &&			\
			 !((_size) & ((_size) - 1)),			\
			 "size of a slot: a power of two, at least 8");	\
	static unsigned char ft_fifo_memory_##_name[(size_t)(_slots) * (_size)] \
		__attribute__((aligned((_size) < 64 ? (_size) : 64)));	\
	DECLARE_FT_FIFO(_name);						\
	struct ft_fifo _name = {					\
		(_slots), 0, ft_fifo_memory_##_name, (_slots) - 1,	\
		(unsigned int)__builtin_ctz(_size), 0, 0, 0, 0, 0, 0, 0	\
	}

/* --- instructions --------------------------------------------------------- */

#ifdef __CHECKER__	/* sparse does not know */
#define FT_FIFO_LOCK_FREE	2
#elif __SIZEOF_POINTER__ >= 8
#define FT_FIFO_LOCK_FREE	__GCC_ATOMIC_LLONG_LOCK_FREE
#else
#define FT_FIFO_LOCK_FREE	__GCC_ATOMIC_LONG_LOCK_FREE
#endif

#ifdef FT_FIFO_SINGLE_CPU

#define FT_FIFO_ACQUIRE		__ATOMIC_RELAXED
#define FT_FIFO_RELEASE		__ATOMIC_RELAXED
/* An interrupt sees what was stored before it, if the compiler has kept the order. */
#define ft_fifo_fence()		__atomic_signal_fence(__ATOMIC_SEQ_CST)

#if defined(FT_FIFO_ADD)
/* the user's */
#elif defined(__x86_64__) || defined(__i386__)
static inline ft_fifo_word ft_fifo_xadd(ft_fifo_word *p, ft_fifo_word n)
{
	__asm__ volatile("xadd %0, %1" : "+r" (n), "+m" (*p) : : "memory", "cc");
	return n;
}

#define FT_FIFO_ADD(p, n)	ft_fifo_xadd(p, n)
#elif (defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M') || \
	(defined(__riscv) && !defined(__riscv_atomic))
static inline ft_fifo_word ft_fifo_masked_add(ft_fifo_word *p, ft_fifo_word n)
{
	ft_fifo_word old;
#if defined(__riscv)
	unsigned long was;

	__asm__ volatile("csrrci %0, mstatus, 8" : "=r" (was) : : "memory");
#else
	uint32_t was;

	__asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r" (was) : : "memory");
#endif
	old = *p;
	*p = old + n;
#if defined(__riscv)
	__asm__ volatile("csrs mstatus, %0" : : "r" (was & 8) : "memory");
#else
	__asm__ volatile("msr primask, %0" : : "r" (was) : "memory");
#endif
	return old;
}

#define FT_FIFO_ADD(p, n)	ft_fifo_masked_add(p, n)
#endif

#else /* any CPU */

#define FT_FIFO_ACQUIRE		__ATOMIC_ACQUIRE
#define FT_FIFO_RELEASE		__ATOMIC_RELEASE
#define ft_fifo_fence()		do { } while (0)

#endif /* FT_FIFO_SINGLE_CPU */

#if FT_FIFO_LOCK_FREE != 2 && !defined(FT_FIFO_ADD)
#error "this CPU cannot add atomically: define FT_FIFO_SINGLE_CPU (ft-fifo.3), or FT_FIFO_ADD(p, n)"
#endif

#if FT_FIFO_LOCK_FREE == 2
#define ft_fifo_load(p, order)		__atomic_load_n(p, order)
#define ft_fifo_store(p, value, order)	__atomic_store_n(p, value, order)
#else
/* A CPU without atomic instructions: clang would call a library's function for these. */
#define ft_fifo_load(p, order)						\
	__extension__ ({						\
		__typeof__(*(p)) ft_fifo_value =			\
			*(const volatile __typeof__(*(p)) *)(p);	\
									\
		__atomic_thread_fence(order);				\
		ft_fifo_value;						\
	})
#define ft_fifo_store(p, value, order)					\
do {									\
	__atomic_thread_fence(order);					\
	*(volatile __typeof__(*(p)) *)(p) = (value);			\
} while (0)
#endif

/* Nothing is known of the order that the user's addition keeps, and none has a relaxed one. */
#ifdef FT_FIFO_ADD
#define ft_fifo_add_alone(p, n, order)	FT_FIFO_ADD(p, n)
#else
#define ft_fifo_add_alone(p, n, order)	__atomic_fetch_add(p, n, order)
#endif
#if defined(FT_FIFO_ADD) && !defined(FT_FIFO_SINGLE_CPU)
#define ft_fifo_add_fence()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#else
#define ft_fifo_add_fence()		ft_fifo_fence()
#endif

#define ft_fifo_add(p, n, order)					\
	__extension__ ({						\
		ft_fifo_word ft_fifo_old;				\
									\
		ft_fifo_add_fence();					\
		ft_fifo_old = ft_fifo_add_alone(p, n, order);		\
		ft_fifo_add_fence();					\
		ft_fifo_old;						\
	})

/* --- writers -------------------------------------------------------------- */

/* The slot of a position. */
static inline unsigned char *ft_fifo_slot(const struct ft_fifo *fifo, ft_fifo_pos pos)
{
	return fifo->memory + (size_t)((pos & fifo->mask) << fifo->shift);
}

/* The mark of a slot. */
static inline ft_fifo_mark *ft_fifo_mark_of(const struct ft_fifo *fifo, void *slot)
{
	return (ft_fifo_mark *)(void *)((unsigned char *)slot + ((size_t)1 << fifo->shift) -
					sizeof(ft_fifo_mark));
}

/* How far w is past limit: below 0 there is room. */
static inline ft_fifo_diff ft_fifo_excess(ft_fifo_word word)
{
	return (ft_fifo_diff)(ft_fifo_pos)((word >> FT_FIFO_HALF) - word);
}

/**
 * ft_fifo_capacity() - how long a record may be
 * @fifo:	the FIFO
 */
static inline uint32_t ft_fifo_capacity(const struct ft_fifo *fifo)
{
	return (uint32_t)(((size_t)1 << fifo->shift) - sizeof(ft_fifo_mark));
}

/**
 * ft_fifo_reserve() - take the next slot
 * @fifo:	the FIFO
 *
 * Wait-free: a fixed number of instructions, one atomic addition, no loop. Linearises at the
 * addition, which fixes the order of the records, or at the look before it.
 *
 * The caller fills up to ft_fifo_capacity() bytes and calls ft_fifo_commit(), soon: the
 * reader sees nothing behind this slot before that. It may be interrupted at any instruction,
 * and moved to another CPU.
 *
 * Context: any.
 * Return: the slot, or NULL if the FIFO is full; the loss is counted then.
 */
static inline void *ft_fifo_reserve(struct ft_fifo *fifo)
{
	ft_fifo_word word;

	word = ft_fifo_load(&fifo->word, __ATOMIC_RELAXED);
	if (__builtin_expect(ft_fifo_excess(word) > 0, 0)) {
		(void)ft_fifo_add(&fifo->lost, 1, __ATOMIC_RELAXED);
		return NULL;
	}

	/*
	 * Pairs with the release in ft_fifo_release(): the reader is done with the slot
	 * before it is filled again. Additions of other writers in between pass it on.
	 */
	word = ft_fifo_add(&fifo->word, FT_FIFO_ONE, FT_FIFO_ACQUIRE);
	if (__builtin_expect(ft_fifo_excess(word) >= 0, 0))
		return NULL;	/* the reader counts the position as dropped */
	return ft_fifo_slot(fifo, (ft_fifo_pos)(word >> FT_FIFO_HALF));
}

/**
 * ft_fifo_commit() - publish a filled slot
 * @fifo:	the FIFO
 * @slot:	what ft_fifo_reserve() returned
 * @len:	length of the record, at most ft_fifo_capacity(); it may be 0
 *
 * Wait-free: one store. After it the reader sees the whole record; before it, nothing.
 *
 * Context: as for ft_fifo_reserve().
 */
static inline void ft_fifo_commit(struct ft_fifo *fifo, void *slot, uint32_t len)
{
	/* Pairs with the acquire in ft_fifo_next(): content, then mark. */
	ft_fifo_fence();
	ft_fifo_store(ft_fifo_mark_of(fifo, slot), len + 1, FT_FIFO_RELEASE);
}

/**
 * ft_fifo_write() - copy a record into the FIFO
 * @fifo:	the FIFO
 * @data:	the record
 * @len:	its length
 *
 * Context: any.
 * Return: 1, or 0 if it is lost (and counted), or -1 if it is longer than
 * ft_fifo_capacity(): then nothing is done.
 */
static inline int ft_fifo_write(struct ft_fifo *fifo, const void *data, uint32_t len)
{
	void *slot;

	if (len > ft_fifo_capacity(fifo))
		return -1;
	slot = ft_fifo_reserve(fifo);
	if (!slot)
		return 0;
	__builtin_memcpy(slot, data, len);
	ft_fifo_commit(fifo, slot, len);
	return 1;
}

/* --- the reader ----------------------------------------------------------- */

/**
 * ft_fifo_next() - the next record, if it is ready
 * @fifo:	the FIFO
 * @rec:	says where it is; unchanged if there is none
 *
 * Never waits. Time: constant, and what stepping over gaps takes, at most one step for each
 * slot.
 *
 * Context: any; one reader at a time.
 * Return: 1, or 0 if none is ready.
 */
static inline int ft_fifo_next(struct ft_fifo *fifo, struct ft_fifo_record *rec)
{
	unsigned char *slot;
	ft_fifo_mark *mark;
	uint32_t value;

	for (;;) {
		slot = ft_fifo_slot(fifo, fifo->next);
		mark = ft_fifo_mark_of(fifo, slot);
		/* Pairs with the release in ft_fifo_commit(): mark, then content. */
		value = ft_fifo_load(mark, FT_FIFO_ACQUIRE);
		ft_fifo_fence();
		if (!value)
			return 0;
		/* The slot stays the reader's until limit moves. */
		ft_fifo_store(mark, 0, __ATOMIC_RELAXED);
		if (!(value & FT_FIFO_NOTE))
			break;
		value &= ~FT_FIFO_NOTE;
		fifo->next = (ft_fifo_pos)(fifo->next + value);
		fifo->gap += value;
	}
	fifo->next++;
	rec->data = slot;
	rec->len = value - 1 > ft_fifo_capacity(fifo) ? ft_fifo_capacity(fifo) : value - 1;
	rec->gap = fifo->gap;
	fifo->gap = 0;
	return 1;
}

/* @count positions are dropped, the first of them is @from; @limit was the limit then. */
static inline void ft_fifo_note(struct ft_fifo *fifo, ft_fifo_pos from, ft_fifo_pos count,
				ft_fifo_pos limit)
{
	ft_fifo_mark *mark;
	uint32_t before = 0;

	fifo->dropped += count;
	if (fifo->next == from) {
		/* All before it is read: no need for a note. */
		fifo->next = (ft_fifo_pos)(from + count);
		fifo->gap += count;
		return;
	}
	if (from == limit)
		fifo->noted = from;
	mark = ft_fifo_mark_of(fifo, ft_fifo_slot(fifo, fifo->noted));
	/* Behind a gap that was past the limit already: its note, which is not read yet. */
	if (from != limit)
		before = ft_fifo_load(mark, __ATOMIC_RELAXED) & ~FT_FIFO_NOTE;
	ft_fifo_store(mark, FT_FIFO_NOTE | (before + count), __ATOMIC_RELAXED);
}

/**
 * ft_fifo_release() - give back what was read
 * @fifo:	the FIFO
 *
 * All records that ft_fifo_next() returned; their data is not the reader's any more. One
 * atomic addition, so call it once for many records, and whenever ft_fifo_next() has found
 * nothing: it gives back what a gap has left, too.
 *
 * Wait-free. Context: any; one reader at a time.
 */
static inline void ft_fifo_release(struct ft_fifo *fifo)
{
	ft_fifo_pos limit, to, from, w;

	if (fifo->next == fifo->given)
		return;
	limit = (ft_fifo_pos)(fifo->given + fifo->mask + 1);
	fifo->given = fifo->next;
	to = (ft_fifo_pos)(fifo->given + fifo->mask + 1);

	/*
	 * Only limit moves: no carry, as the reader alone knows and moves it. Pairs with the
	 * acquire in ft_fifo_reserve(): the reader is done, then limit.
	 */
	w = (ft_fifo_pos)(ft_fifo_add(&fifo->word, (ft_fifo_word)to - limit,
				      FT_FIFO_RELEASE) >> FT_FIFO_HALF);

	/* A writer that took a position from the old limit on, before this, has dropped it. */
	from = (ft_fifo_diff)(ft_fifo_pos)(fifo->seen - limit) > 0 ? fifo->seen : limit;
	fifo->seen = from;
	if ((ft_fifo_diff)(ft_fifo_pos)(w - from) > 0) {
		fifo->seen = w;
		ft_fifo_note(fifo, from, (ft_fifo_pos)(w - from), limit);
	}
}

/**
 * ft_fifo_lost() - how many records were lost in all
 * @fifo:	the FIFO
 *
 * Exact when no writer is under way: attempts = records + lost. Ask more often than the
 * word has room to count, on CPUs of 32 bits.
 *
 * Context: any; the reader.
 */
static inline uint64_t ft_fifo_lost(struct ft_fifo *fifo)
{
	ft_fifo_word lost = ft_fifo_load(&fifo->lost, __ATOMIC_RELAXED);
	ft_fifo_word word = ft_fifo_load(&fifo->word, __ATOMIC_RELAXED);
	ft_fifo_diff more;

	fifo->dropped += (ft_fifo_word)(lost - fifo->lost_seen);
	fifo->lost_seen = lost;
	/* Dropped since limit moved last, beside those that were behind it already. */
	more = (ft_fifo_diff)(ft_fifo_pos)((word >> FT_FIFO_HALF) - fifo->seen);
	if (ft_fifo_excess(word) < more)
		more = ft_fifo_excess(word);
	return fifo->dropped + (uint64_t)(more > 0 ? more : 0);
}

/**
 * ft_fifo_init() - a FIFO in memory that is not static, or again from the beginning
 * @fifo:	the FIFO; nobody uses it
 * @memory:	@slots * @size bytes, aligned to @size or 64, whichever is less
 * @slots:	as in DEFINE_FT_FIFO()
 * @size:	as in DEFINE_FT_FIFO()
 *
 * Context: any.
 * Return: 0, or -1 if a number is not a power of two or out of bounds, or the memory not
 * aligned.
 */
static inline int ft_fifo_init(struct ft_fifo *fifo, void *memory, uint32_t slots, uint32_t size)
{
	uint32_t align = size < 64 ? size : 64, i;

	if (slots < 2 || slots > FT_FIFO_MAX_SLOTS || (slots & (slots - 1)) ||
	    size < FT_FIFO_MIN_SIZE || size > FT_FIFO_NOTE / 2 || (size & (size - 1)) ||
	    ((uintptr_t)memory & (align - 1)))
		return -1;
	fifo->word = slots;
	fifo->lost = 0;
	fifo->memory = (unsigned char *)memory;
	fifo->mask = slots - 1;
	fifo->shift = (unsigned int)__builtin_ctz(size);
	fifo->next = 0;
	fifo->given = 0;
	fifo->seen = 0;
	fifo->noted = 0;
	fifo->gap = 0;
	fifo->lost_seen = 0;
	fifo->dropped = 0;
	for (i = 0; i < slots; i++)
		*ft_fifo_mark_of(fifo, ft_fifo_slot(fifo, (ft_fifo_pos)i)) = 0;
	return 0;
}

#endif /* _FEATHER_TRACE_FIFO_H */
