// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Counting in sensors: see sense.h.
 *
 * A copy is a thread's, but a handler of a signal may count in it between any two
 * instructions of what it interrupts, and ends before that goes on. Counts and sums are
 * one instruction each, so none is lost. A mark (the least and the greatest value, with
 * time and place) takes several: a handler that finds one half written takes the next one
 * of the row, and a handler within a handler that finds none leaves the gates closed, so
 * that the next value like it is marked.
 */
#include "libfeathertrace/sense.h"

/* Adds at once, for the thread that owns it and its handlers: no LOCK prefix. */
static inline void bump(__u64 *counter, __u64 n)
{
#if defined(__x86_64__)
	__asm__ volatile("addq %1, %0" : "+m" (*counter) : "er" (n) : "cc");
#else
	__atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
#endif
}

/* --- rows ----------------------------------------------------------------- */

#define PLACES	8	/* in which a key is looked for */

static struct ft_sensed_row *row_at(const struct ft_sense *sense, struct ft_sensed_copy *copy,
				    __u32 i)
{
	return (struct ft_sensed_row *)((char *)(copy + 1) + (__u64)i * sense->row_bytes);
}

/* The first thing that is counted in a copy: monitors look at it from now on. */
static void copy_begin(struct ft_sensed *sensed, const struct ft_sense *sense,
		       struct ft_sensed_copy *c, __u32 copy)
{
	__u32 *copies = &ft_sensed_header(sensed, sense)->copies;
	__u32 n = __atomic_load_n(copies, __ATOMIC_RELAXED);

	while (n <= copy &&
	       !__atomic_compare_exchange_n(copies, &n, copy + 1, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
	__atomic_store_n(&c->used, 1, __ATOMIC_RELEASE);
}

/* Return: its row, made if there was none; the first one if there is no room. */
static struct ft_sensed_row *row_find(const struct ft_sense *sense, struct ft_sensed_copy *copy,
				      __u64 key)
{
	__u32 place = (__u32)((key * 0x9e3779b97f4a7c15ull) >> 32);

	for (__u32 i = 0; i < PLACES; i++) {
		__u32 at = (place + i) & (sense->rows - 1);
		struct ft_sensed_row *row = row_at(sense, copy, 1 + at);
		__u64 old = __atomic_load_n(&row->key, __ATOMIC_RELAXED);

		/* A handler may take it meanwhile, for the same key or another one. */
		if (!old && __atomic_compare_exchange_n(&row->key, &old, key, false,
							__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			old = key;
		if (old == key)
			return row;
	}
	bump(&copy->head.crowded, 1);
	return row_at(sense, copy, 0);
}

static struct ft_sensed_row *row_of(struct ft_sensed *sensed, const struct ft_sense *sense,
				    __u32 copy, __u64 key)
{
	struct ft_sensed_copy *c = ft_sensed_copy(sensed, sense, copy);

	if (__builtin_expect(!c->used, 0))
		copy_begin(sensed, sense, c, copy);
	return sense->rows && key ? row_find(sense, c, key) : row_at(sense, c, 0);
}

/* --- marks ---------------------------------------------------------------- */

/* Return: one that nobody is writing; NULL: handlers have interrupted each other in all. */
static struct ft_sensor_mark *mark_begin(struct ft_sensed_row *row)
{
	for (__u32 i = 0; i < FT_SENSED_MARKS; i++) {
		struct ft_sensor_mark *mark = &row->mark[i];

		if (mark->seq & 1)
			continue;
		/*
		 * A monitor that sees it odd, or changed, reads again: nothing of what
		 * follows is stored before it. Pairs with the fence before its second look.
		 */
		__atomic_exchange_n(&mark->seq, mark->seq + 1, __ATOMIC_ACQUIRE);
		return mark;
	}
	return NULL;
}

static void mark_end(struct ft_sensor_mark *mark)
{
	/* Pairs with the acquire of a monitor's first look. */
	__atomic_store_n(&mark->seq, mark->seq + 1, __ATOMIC_RELEASE);
}

static void mark_extremes(struct ft_sensor_mark *mark, bool first, const struct ft_seen *seen)
{
	if (first || seen->value < mark->least)
		ft_any_store(&mark->least, seen->value);
	if (!first && seen->value <= mark->most)
		return;
	ft_any_store(&mark->most, seen->value);
	ft_any_store(&mark->ts, seen->ts);
	ft_any_store(&mark->a, seen->a);
	ft_any_store(&mark->b, seen->b);
	ft_any_store(&mark->tid, seen->tid);
}

/*
 * The gates are opened only when the value is marked. If a handler opens them further in
 * between, what it interrupted closes them a bit: then a value is looked at that need not
 * be, and none is missed.
 */
static void row_note(struct ft_sensed_row *row, bool scalar, const struct ft_seen *seen)
{
	struct ft_sensor_mark *mark = mark_begin(row);

	if (!mark)
		return;
	mark_extremes(mark, mark->seq == 1, seen);
	if (scalar) {
		ft_any_store(&mark->last, seen->value);
		ft_any_store(&mark->last_ts, seen->ts);
	}
	mark_end(mark);
	/* @low is kept flipped, so that a row of zeroes has a closed gate. */
	if (seen->value >= row->high)
		ft_any_store(&row->high, seen->value);
	if (~seen->value >= row->low)
		ft_any_store(&row->low, ~seen->value);
}

static bool is_between(const struct ft_sensed_row *row, __u64 value)
{
	return value < row->high && ~value < row->low;
}

/* --- values --------------------------------------------------------------- */

static __u32 bin_of(__u64 x)
{
	__u32 e = 63 - (__u32)__builtin_clzll(x | 1u << FT_SENSED_BITS) - FT_SENSED_BITS;

	return (e << FT_SENSED_BITS) + (__u32)(x >> e);
}

void ft_sense_value(struct ft_sensed *sensed, const struct ft_sense *sense, __u32 copy,
		    const struct ft_seen *seen)
{
	struct ft_sensed_row *row = row_of(sensed, sense, copy, seen->key);
	__u32 bin;

	if (sense->kind == FT_SENSOR_COUNTER) {
		bump(&row->count, 1);
		return;
	}
	if (sense->kind == FT_SENSOR_SCALAR || !is_between(row, seen->value))
		row_note(row, sense->kind == FT_SENSOR_SCALAR, seen);
	bump(&row->sum, seen->value);
	if (sense->kind == FT_SENSOR_SCALAR) {
		bump(&row->count, 1);
		return;
	}
	bin = bin_of(seen->value);
	bump(bin < sense->bins ? &row->bin[bin] : &row->over, 1);
}

/* --- pairs ---------------------------------------------------------------- */

/* The lock of an entry that is being filled. */
#define CLAIMED	(~0ull)

static void open_fill(struct ft_sensed_stack *stack, __u64 i, const struct ft_sensed_open *new)
{
	struct ft_sensed_open *open = &stack->open[i];

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	open->ts = new->ts;
	open->site = new->site;
	open->family = new->family;
	open->waits = new->waits;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	ft_any_store(&open->lock, new->lock);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (ft_any_load(&stack->top) <= i)
		ft_any_store(&stack->top, i + 1);
}

/*
 * A handler acquires and releases above what it interrupts, or in holes, and leaves the top as
 * it was; or lower, if what it interrupted was about to claim the uppermost entry, or if it has
 * emptied all: so that raises the top again. What a handler leaves, as it does not return, stays
 * until all is full of such, and is emptied.
 */
static void open_begin(struct ft_sensed_stack *stack, const struct ft_sensed_open *new)
{
	__u64 i = stack->top < FT_SENSED_OPEN ? stack->top : 0;

	ft_any_store(&stack->top, i + 1);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	ft_any_store(&stack->open[i].lock, CLAIMED);
	open_fill(stack, i, new);
}

/*
 * What was released out of order has left holes. The exchange keeps a handler, which may look
 * for one at the same time, away from this one.
 *
 * Return: false: there are none.
 */
static bool open_in_hole(struct ft_sensed_stack *stack, const struct ft_sensed_open *new)
{
	for (__u32 i = FT_SENSED_OPEN; i-- > 0;) {
		__u64 free = 0;

		if (!__atomic_compare_exchange_n(&stack->open[i].lock, &free, CLAIMED, false,
						 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		open_fill(stack, i, new);
		return true;
	}
	return false;
}

/*
 * Of a lock that the thread has several times, the latest ends. It need not be the uppermost:
 * see open_in_hole().
 *
 * Return: false: it was not seen to begin.
 */
static bool open_end(struct ft_sensed_stack *stack, __u64 lock, bool waits, __u32 family,
		     struct ft_sensed_open *found)
{
	__u64 top = stack->top < FT_SENSED_OPEN ? stack->top : FT_SENSED_OPEN;
	struct ft_sensed_open *latest = NULL;

	for (__u64 i = top; i-- > 0;) {
		struct ft_sensed_open *open = &stack->open[i];

		if (open->lock == lock && !open->waits == !waits &&
		    (waits || open->family == family) && (!latest || open->ts > latest->ts))
			latest = open;
	}
	if (!latest)
		return false;
	*found = *latest;
	ft_any_store(&latest->lock, 0);
	while (top && !ft_any_load(&stack->open[top - 1].lock))
		top--;
	ft_any_store(&stack->top, top);
	return true;
}

static void stack_empty(struct ft_sensed_stack *stack)
{
	for (__u32 i = 0; i < FT_SENSED_OPEN; i++)
		ft_any_store(&stack->open[i].lock, 0);
	ft_any_store(&stack->top, 0);
}

static struct ft_sense senses[FT_SENSED_LOCKS];

void ft_sense_init_locks(void)
{
	if (!senses[0].at)
		ft_sensed_locks(senses);
}

/* Another program may have written the @family into the memory that all share. */
static const struct ft_sense *sense_of(__u32 family, bool waits)
{
	return &senses[FT_SENSED_LOCK(family < FT_USER_FAMILIES ? family : 0, waits)];
}

static struct ft_sensor_copy *books_of(struct ft_sensed *sensed, const struct ft_sense *sense,
				       __u32 copy)
{
	struct ft_sensed_copy *c = ft_sensed_copy(sensed, sense, copy);

	if (!c->used)
		copy_begin(sensed, sense, c, copy);
	return &c->head;
}

static __u64 row_key(__u64 lock, __u64 site, __s32 tid)
{
	switch (ft_sensing.by) {
	case FT_SPLIT_WORD:
		return lock;
	case FT_SPLIT_TASK:
		return (__u32)tid;
	default:
		return site;
	}
}

static void lock_ends(struct ft_sensed *sensed, __u32 copy, const struct ft_sensed_open *end,
		      __s32 tid)
{
	struct ft_sensed_open begin;
	struct ft_seen seen = { .a = end->lock, .ts = end->ts, .tid = tid };

	if (!open_end(ft_sensed_stack(sensed, copy), end->lock, end->waits, end->family, &begin)) {
		/* The end of a wait does not tell the family. */
		if (!end->waits)
			bump(&books_of(sensed, sense_of(end->family, false), copy)->alone, 1);
		return;
	}
	seen.value = end->ts > begin.ts ? end->ts - begin.ts : 0;
	seen.b = begin.site;
	seen.key = row_key(end->lock, begin.site, tid);
	ft_sense_value(sensed, sense_of(begin.family, begin.waits), copy, &seen);
}

/* Each counts once, where it began, even if a handler does the same in between. */
static void forget_all(struct ft_sensed *sensed, __u32 copy, struct ft_sensed_stack *stack)
{
	for (__u32 i = 0; i < FT_SENSED_OPEN; i++) {
		struct ft_sensed_open *open = &stack->open[i];
		const struct ft_sense *sense = sense_of(open->family, open->waits);
		__u64 lock = __atomic_exchange_n(&open->lock, 0, __ATOMIC_RELAXED);

		if (lock && lock != CLAIMED)
			bump(&books_of(sensed, sense, copy)->forgotten, 1);
	}
	ft_any_store(&stack->top, 0);
}

static void lock_begins(struct ft_sensed *sensed, __u32 copy, const struct ft_sensed_open *begin)
{
	struct ft_sensed_stack *stack = ft_sensed_stack(sensed, copy);

	if (stack->top >= FT_SENSED_OPEN) {
		if (open_in_hole(stack, begin))
			return;
		forget_all(sensed, copy, stack);
	}
	open_begin(stack, begin);
}

void ft_sense_lock(struct ft_sensed *sensed, __u32 copy, __u32 id, __u64 ts, __u64 a, __u64 b,
		   __u64 tag, __s32 tid)
{
	struct ft_sensed_open event = { .lock = a, .ts = ts };

	if (id == FT_ID_CONTENTION_BEGIN) {
		event.waits = 1;
		event.family = (b & 0x7f) < FT_USER_FAMILIES ? b & 0x7f : FT_USER_COND;
		event.site = b >> 8 | tag;
		lock_begins(sensed, copy, &event);
	} else if (id == FT_ID_CONTENTION_END) {
		event.waits = 1;
		lock_ends(sensed, copy, &event, tid);
	} else if (id >= FT_ID_USER_LOCK && id < FT_ID_USER_ACQUIRE(FT_USER_FAMILIES)) {
		event.family = (id - FT_ID_USER_LOCK) / 2;
		event.site = b;
		if (!ft_sensed_is_held(event.family))
			return;
		if (FT_ID_IS_RELEASE(id))
			lock_ends(sensed, copy, &event, tid);
		else
			lock_begins(sensed, copy, &event);
	}
}

void ft_sense_begin(struct ft_sensed *sensed, __u32 copy)
{
	stack_empty(ft_sensed_stack(sensed, copy));
}
