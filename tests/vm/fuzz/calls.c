// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Each ioctl: arguments that are likely to get somewhere, and what may come of them. */
#include <errno.h>
#include <string.h>

#include "fuzz.h"

/* Most structures end with words that must be 0; now and then they are not. */
static uint64_t reserved(struct rng *rng)
{
	return rng_one_in(rng, 30) ? rng_next(rng) >> rng_below(rng, 64) : 0;
}

static uint32_t some_id(struct rng *rng)
{
	switch (rng_below(rng, 8)) {
	case 0: case 1: case 2:
		return FT_ID_MARK;
	case 3: case 4:
		return FT_ID_DYNAMIC + rng_below(rng, 64);
	case 5:
		return rng_below(rng, FT_ID_DYNAMIC);
	case 6:
		/* Where functions are wrapped for them this takes a second. */
		return FT_ID_LOCK + rng_below(rng, 2 * FT_LOCK_FAMILIES);
	default:
		return (uint32_t)(rng_next(rng) >> rng_below(rng, 64));
	}
}

static void fill_event(struct rng *rng, void *arg)
{
	struct ft_event_info *event = arg;

	memset(event, 0, sizeof(*event));
	event->id = some_id(rng);
	event->unread = (uint32_t)reserved(rng);
}

static bool ends(const char *text, size_t size)
{
	return memchr(text, 0, size);
}

static bool sane_event(const void *arg)
{
	const struct ft_event_info *event = arg;

	return event->id && event->id <= FT_ID_MAX && event->name[0] &&
	       ends(event->name, FT_NAME_LEN) && ends(event->owner, FT_NAME_LEN) &&
	       ends(event->field[0], FT_FIELD_LEN) &&
	       ends(event->field[1], FT_FIELD_LEN) &&
	       ends(event->unit, sizeof(event->unit)) &&
	       event->persistent <= event->enabled;
}

static void fill_enable(struct rng *rng, void *arg)
{
	struct ft_enable *enable = arg;

	enable->id = some_id(rng);
	enable->flags = rng_one_in(rng, 8) ? FT_ENABLE_PERSIST :
			rng_one_in(rng, 8) ? (uint32_t)rng_next(rng) : 0;
	enable->reserved = reserved(rng);
}

/* Some of few ids, so that sets meet. */
static void fill_set(struct rng *rng, void *arg)
{
	static uint32_t ids[8];
	struct ft_set *set = arg;

	memset(set, 0, sizeof(*set));
	for (unsigned int i = 0; i < ARRAY_SIZE(ids); i++)
		ids[i] = some_id(rng);
	set->ids = rng_one_in(rng, 20) ? rng_next(rng) : (uintptr_t)ids;
	set->count = rng_one_in(rng, 20) ? (uint32_t)rng_next(rng) :
					   rng_below(rng, ARRAY_SIZE(ids) + 1);
	set->flags = rng_one_in(rng, 8) ? FT_ENABLE_PERSIST : 0;
	set->reserved = (uint32_t)reserved(rng);
}

static void fill_sessions(struct rng *rng, void *arg)
{
	struct ft_session_info *info = arg;

	memset(info, 0, sizeof(*info));
	info->number = rng_below(rng, FT_SESSIONS_MAX + 1);
	info->reserved[rng_below(rng, ARRAY_SIZE(info->reserved))] = (uint32_t)reserved(rng);
}

static bool sane_session(const void *arg)
{
	const struct ft_session_info *info = arg;

	return info->number < FT_SESSIONS_MAX && !info->flags &&
	       ends(info->name, FT_NAME_LEN) && !info->reserved[0];
}

/* One of the first @good, or now and then any. */
static uint32_t mostly(struct rng *rng, const uint32_t *values, size_t good, size_t count)
{
	return values[rng_below(rng, rng_one_in(rng, 4) ? count : good)];
}

static void fill_config(struct rng *rng, void *arg)
{
	static const uint32_t slots[] = {
		FT_SLOTS_MIN, 2 * FT_SLOTS_MIN, 1024, 4096, 1 << 14, 0, 1,
		FT_SLOTS_MIN - 1, FT_SLOTS_MIN + 1, FT_SLOTS_MIN / 2, 1 << 31, ~0u,
		FT_SLOTS_MAX * 2, FT_SLOTS_MAX + 1,
	};
	static const uint32_t wake[] = {
		FT_WAKE_MIN_US, 1000, 10000, FT_WAKE_MAX_US, 0, FT_WAKE_MIN_US - 1,
		FT_WAKE_MAX_US + 1, ~0u,
	};
	struct ft_config *config = arg;

	memset(config, 0, sizeof(*config));
	config->slots = mostly(rng, slots, 5, ARRAY_SIZE(slots));
	config->wake_us = mostly(rng, wake, 4, ARRAY_SIZE(wake));
	config->mode = rng_one_in(rng, 3) ? FT_MODE_OVERWRITE :
		       rng_one_in(rng, 8) ? rng_below(rng, 4) : FT_MODE_DISCARD;
	config->headroom = rng_one_in(rng, 4) ? rng_below(rng, 2048) : 0;
	config->reserved[rng_below(rng, ARRAY_SIZE(config->reserved))] = (uint32_t)reserved(rng);
}

static bool sane_config(const void *arg)
{
	const struct ft_config *config = arg;

	return config->slots >= FT_SLOTS_MIN && config->slots <= FT_SLOTS_MAX &&
	       !(config->slots & (config->slots - 1)) &&
	       (config->mode == FT_MODE_DISCARD ? !config->headroom :
		config->mode == FT_MODE_OVERWRITE && config->headroom <= config->slots / 2) &&
	       config->wake_us >= FT_WAKE_MIN_US && config->wake_us <= FT_WAKE_MAX_US;
}

static void fill_words(struct rng *rng, void *arg)
{
	struct ft_mark *mark = arg;

	mark->a = rng_next(rng);
	mark->b = rng_next(rng);
}

static void fill_hook(struct rng *rng, void *arg)
{
	struct ft_hook *hook = arg;

	memset(hook, 0, sizeof(*hook));
	hook->index = rng_one_in(rng, 8) ? (uint32_t)rng_next(rng) : rng_below(rng, 150);
	hook->reserved[rng_below(rng, ARRAY_SIZE(hook->reserved))] = reserved(rng);
}

static bool sane_hook(const void *arg)
{
	const struct ft_hook *hook = arg;

	return hook->state <= FT_HOOK_REFUSED && ends(hook->name, FT_NAME_LEN) &&
	       hook->name[0] && hook->event >= FT_ID_LOCK && hook->event < FT_ID_DYNAMIC;
}

static void fill_detach(struct rng *rng, void *arg)
{
	struct ft_detach *detach = arg;

	memset(detach, 0, sizeof(*detach));
	detach->timeout_ms = rng_one_in(rng, 10) ? (uint32_t)rng_next(rng) :
						    rng_below(rng, 20);
	detach->stuck = (uint32_t)reserved(rng);
}

/* A few, as each stays an event for as long as the module is loaded. */
/* Whatever it says: the kernel does not fault. */
static void fill_word(struct rng *rng, struct ft_word *word, const char *field)
{
	static const uint8_t sizes[] = { 0, 1, 2, 4, 8, 8, 8, 3 };

	if (rng_one_in(rng, 4)) {
		word->arg = FT_WORD_NONE;
		return;
	}
	word->arg = (uint8_t)(1 + rng_below(rng, rng_one_in(rng, 20) ? 255 : FT_WORD_ARGS));
	word->kind = (uint8_t)rng_below(rng, rng_one_in(rng, 20) ? 20 : FT_FIELD_TID);
	word->loads = (uint8_t)rng_below(rng, FT_WORD_LOADS + (rng_one_in(rng, 20) ? 3 : 1));
	word->size = word->loads ? sizes[rng_below(rng, ARRAY_SIZE(sizes))] : 0;
	word->bits = (uint8_t)(1 + rng_below(rng, word->size ? 8 * word->size : 64));
	word->shift = rng_one_in(rng, 10) ? (uint8_t)rng_below(rng, 64) : 0;
	for (unsigned int i = 0; i < word->loads && i < FT_WORD_LOADS; i++)
		word->offset[i] = (uint32_t)rng_below(rng, rng_one_in(rng, 4) ? 1u << 31 : 4096);
	strcpy(word->field, field);
}

static void fill_tracepoint(struct rng *rng, void *arg)
{
	static const char *const names[] = {
		"sched_switch", "sched_wakeup", "softirq_entry", "softirq_exit",
		"timer_start", "irq_handler_entry", "workqueue_execute_start",
		"contention_begin", "mark", "spin_acquire", "", "no_such_tracepoint",
		"sched:sched_switch", "../sched_switch",
	};
	struct ft_tracepoint *point = arg;

	memset(point, 0, sizeof(*point));
	if (rng_one_in(rng, 2)) {
		fill_word(rng, &point->word[0], "a");
		fill_word(rng, &point->word[1], rng_one_in(rng, 20) ? "a" : "b");
		if (rng_one_in(rng, 2))
			strcpy(point->event, rng_one_in(rng, 2) ? "fuzz_words" : "mark");
	}
	strcpy(point->name, names[rng_below(rng, ARRAY_SIZE(names))]);
	if (rng_one_in(rng, 10))
		memset(point->name, 'a' + rng_below(rng, 26), sizeof(point->name));
	point->reserved = (uint32_t)reserved(rng);
}

static bool sane_tracepoint(const void *arg)
{
	const struct ft_tracepoint *point = arg;

	return point->id && point->id <= FT_ID_MAX;
}

static bool sane_stats(const void *arg)
{
	const struct ft_stats *stats = arg;

	return !(stats->slots & (stats->slots - 1)) && stats->slots <= FT_SLOTS_MAX &&
	       stats->online <= 1 && !stats->reserved[0] && !stats->reserved[1];
}

/* Where the records go to is filled in by who knows of memory. */
static void fill_slots(struct rng *rng, void *arg)
{
	struct ft_slots *slots = arg;

	memset(slots, 0, sizeof(*slots));
	slots->max = rng_one_in(rng, 10) ? (uint32_t)rng_next(rng) : rng_below(rng, 65);
	slots->reserved = reserved(rng);
}

static bool sane_slots(const void *arg)
{
	const struct ft_slots *slots = arg;

	return slots->count <= slots->max;
}

static void fill_range(struct rng *rng, void *arg)
{
	struct ft_range *range = arg;

	range->offset = rng_one_in(rng, 4) ? rng_next(rng) : 0;
	range->count = rng_one_in(rng, 10) ? (uint32_t)rng_next(rng) : rng_below(rng, 200);
	range->reserved = (uint32_t)reserved(rng);
}

static void fill_nothing(struct rng *rng, void *arg)
{
	(void)rng;
	(void)arg;
}

#define CALL(NAME, DEVICES, FILL, SANE, ...)				\
	{ #NAME, FT_IOC_##NAME, DEVICES, FILL, SANE, { __VA_ARGS__ } }

const struct call calls[] = {
	CALL(INFO, DEVICE_CONTROL, fill_nothing, NULL, 0),
	CALL(EVENT, DEVICE_CONTROL, fill_event, sane_event, EINVAL, ENOENT),
	CALL(ENABLE, DEVICE_CONTROL, fill_enable, NULL, EBADF, EINVAL, ENOMEM, EOVERFLOW,
	     /* no function of a lock event can be wrapped: FT_IOC_HOOK tells why */
	     EBUSY, ENOENT, EAGAIN, EALREADY, ENODEV, EOPNOTSUPP),
	CALL(DISABLE, DEVICE_CONTROL, fill_enable, NULL, EBADF, EINVAL),
	CALL(DISABLE_ALL, DEVICE_CONTROL, NULL, NULL, EBADF),
	CALL(GET_CONFIG, DEVICE_CONTROL, fill_nothing, sane_config, 0),
	CALL(SET_CONFIG, DEVICE_CONTROL, fill_config, sane_config, EBADF, EINVAL, EBUSY, ENOMEM),
	CALL(MARK, DEVICE_CONTROL, fill_words, NULL, EBADF),
	CALL(PAUSE, DEVICE_CONTROL, NULL, NULL, EBADF, EBUSY),
	CALL(RESUME, DEVICE_CONTROL, NULL, NULL, EBADF, EINVAL),
	CALL(HOOK, DEVICE_CONTROL, fill_hook, sane_hook, EINVAL, ENOENT),
	CALL(DETACH, DEVICE_CONTROL, fill_detach, NULL, EBADF, EINVAL, EBUSY, EINTR),
	CALL(TRACEPOINT, DEVICE_CONTROL, fill_tracepoint, sane_tracepoint, EBADF, ENOENT, EEXIST,
	     EINVAL, ENOSPC, ENOMEM),
	CALL(SNAPSHOT, DEVICE_CONTROL, fill_nothing, NULL, EBADF, EBUSY, EOPNOTSUPP, ENODATA),
	CALL(START, DEVICE_CONTROL, fill_set, NULL, EBADF, EFAULT, EINVAL, ENOMEM, EOVERFLOW,
	     EBUSY, ENOENT, EAGAIN, ENODEV, EOPNOTSUPP),
	CALL(STOP, DEVICE_CONTROL, fill_set, NULL, EBADF, EFAULT, EINVAL, ENOMEM),
	CALL(SESSIONS, DEVICE_CONTROL, fill_sessions, sane_session, EINVAL, ENOENT),
	CALL(STATS, DEVICE_CPU, fill_nothing, sane_stats, 0),
	CALL(WINDOW, DEVICE_CPU, fill_nothing, NULL, 0),
	CALL(READ_SLOTS, DEVICE_CPU, fill_slots, sane_slots, EAGAIN, EINTR, EFAULT, EINVAL,
	     EBUSY, EBADF),
	CALL(TAKE, DEVICE_CPU, fill_range, NULL, EINVAL, EBADF, EINTR, ENODATA),
	CALL(GIVE_BACK, DEVICE_CPU, fill_range, NULL, EINVAL, EBADF, EINTR),
};

const unsigned int calls_count = ARRAY_SIZE(calls);

bool call_allows(const struct call *call, int error)
{
	for (unsigned int i = 0; i < MAX_ERRORS; i++) {
		if (call->errors[i] == error)
			return true;
	}
	return false;
}
