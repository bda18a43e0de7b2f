/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Events and triggers for kernel code.
 *
 * A module declares an event, announces it wherever it likes, and registers its
 * events while it is loaded:
 *
 *	DEFINE_FT_EVENT(queue_push, queue, length);
 *
 *	static struct ft_event *const events[] = { &ft_event_queue_push };
 *
 *	... ft_event(queue_push, (unsigned long)q, q->length); ...
 *
 *	init:	ft_events_register(events, ARRAY_SIZE(events));
 *	exit:	ft_events_unregister(events, ARRAY_SIZE(events));
 *
 * While the event is off, ft_event() is one NOP, which gcc places in the
 * straight path; its arguments are evaluated only when it is on. While it is
 * on, the NOP is a jump to code that loads the arguments and calls the probe
 * directly.
 */
#ifndef _FEATHER_TRACE_EVENT_H
#define _FEATHER_TRACE_EVENT_H

#include <linux/jump_label.h>
#include <linux/static_call.h>
#include <linux/types.h>

struct module;

/**
 * struct ft_event - an event as its module declares it; use DEFINE_FT_EVENT()
 * @key:	on or off, in all its triggers
 * @id:		given by ft_events_register()
 * @name:	unique among all events, a C identifier
 * @field:	what the two words of a record mean, C identifiers
 * @call:	what the triggers call
 * @tramp:	the call's trampoline
 * @counts:	0, or what counts it: enum ft_sensor_kind + 1
 * @unit:	of the values then
 */
struct ft_event {
	struct static_key_false	key;
	u16			id;
	const char		*name;
	const char		*field[2];
	struct static_call_key	*call;
	void			*tramp;
	u8			counts;
	const char		*unit;
};

/*
 * A probe is what an enabled trigger calls. It runs in the trigger's context,
 * which can be any. This one records nothing; switching an event on sets the
 * probe that fits the trace's clock.
 */
void ft_probe_none(unsigned int id, u64 a, u64 b);

/**
 * DEFINE_FT_EVENT() - declare an event of this module
 * @_name:	the event's name, unique among all events; not quoted
 * @_a:		name of the first word; not quoted
 * @_b:		name of the second word; not quoted
 */
#define DEFINE_FT_EVENT(_name, _a, _b)	__FT_DEFINE_EVENT(_name, _a, _b, 0, "")

#define __FT_DEFINE_EVENT(_name, _a, _b, _counts, _unit)		\
	DEFINE_STATIC_CALL(ft_event_##_name, ft_probe_none);		\
	extern struct ft_event ft_event_##_name;			\
	struct ft_event ft_event_##_name = {				\
		.key	= STATIC_KEY_FALSE_INIT,			\
		.name	= #_name,					\
		.field	= { #_a, #_b },					\
		.call	= &STATIC_CALL_KEY(ft_event_##_name),		\
		.tramp	= STATIC_CALL_TRAMP_ADDR(ft_event_##_name),	\
		.counts	= (_counts),					\
		.unit	= (_unit),					\
	}

/**
 * DEFINE_FT_COUNTER() - an event that is there to be counted
 * @_name:	as in DEFINE_FT_EVENT(); register it as &ft_event_NAME
 *
 * 'ft sensors new NAME' makes the sensor that counts it; until then ft_counter() is a NOP.
 * The macros are those of programs, too: see <feather_trace/trigger.h>.
 */
#define DEFINE_FT_COUNTER(_name)	__FT_DEFINE_EVENT(_name, one, none, 1, "")

/**
 * DEFINE_FT_SCALAR(), DEFINE_FT_HISTOGRAM() - an event whose values are there to be measured
 * @_name:	as above
 * @_unit:	of the values: "bytes"; at most 15 letters, or ""
 *
 * A scalar keeps the last, the least and the greatest one, their number and sum; a histogram
 * has bins as well.
 */
#define DEFINE_FT_SCALAR(_name, _unit)	__FT_DEFINE_EVENT(_name, value, none, 2, _unit)
#define DEFINE_FT_HISTOGRAM(_name, _unit) \
	__FT_DEFINE_EVENT(_name, value, none, 3, _unit)

/**
 * DECLARE_FT_EVENT() - announce an event of this module in a header
 * @_name:	as in DEFINE_FT_EVENT()
 */
#define DECLARE_FT_EVENT(_name)						\
	DECLARE_STATIC_CALL(ft_event_##_name, ft_probe_none);		\
	extern struct ft_event ft_event_##_name

/**
 * ft_event() - a trigger: announce that an event happens
 * @_name:	the event; not quoted
 * @_a:		first word, converted to u64; not evaluated while the event is off
 * @_b:		second word, as @_a
 *
 * Context: any, NMI included, but before ft_events_unregister().
 */
#define ft_event(_name, _a, _b)						\
do {									\
	if (static_branch_unlikely(&ft_event_##_name.key))		\
		static_call(ft_event_##_name)(ft_event_##_name.id,	\
					      (u64)(_a), (u64)(_b));	\
} while (0)

/**
 * ft_counter(), ft_scalar(), ft_histogram() - one more; a value
 * @_name:	of DEFINE_FT_COUNTER(), DEFINE_FT_SCALAR(), DEFINE_FT_HISTOGRAM(); not quoted
 * @_value:	converted to u64; not evaluated while nobody looks
 *
 * Context: as ft_event().
 */
#define ft_counter(_name)		ft_event(_name, 1, 0)
#define ft_scalar(_name, _value)	ft_event(_name, _value, 0)
#define ft_histogram(_name, _value)	ft_event(_name, _value, 0)

int ft_events_register_owned(struct module *owner,
			     struct ft_event *const events[],
			     unsigned int count);

/**
 * ft_events_register() - make events of this module known
 * @events:	array of pointers to events; needed until they are unregistered
 * @count:	how many
 *
 * All or none. An event that was known before by the same name, fields and
 * owner gets its id again.
 *
 * Context: may sleep.
 * Return: 0; -EEXIST a name is taken; -EINVAL a name is no C identifier or too
 * long; -ENOSPC no id is left; -ENOMEM.
 */
#define ft_events_register(events, count) \
	ft_events_register_owned(THIS_MODULE, events, count)

/**
 * ft_events_unregister() - the opposite
 * @events:	as for ft_events_register()
 * @count:	how many
 *
 * Switches them off, whoever switched them on. When it returns, no probe that
 * was called from a trigger of them is running with preemption disabled.
 * Records of them that are in the rings stay readable, by name.
 *
 * Context: may sleep.
 */
void ft_events_unregister(struct ft_event *const events[], unsigned int count);

#endif /* _FEATHER_TRACE_EVENT_H */
