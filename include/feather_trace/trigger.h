/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Events and triggers for programs and libraries, in C and C++.
 *
 *	#include <feather_trace/trigger.h>
 *
 *	DEFINE_FT_EVENT(queue_push, queue, length);
 *
 *	... ft_event(queue_push, q, q->length); ...
 *
 * and -lfeathertrace. 'ft run -e queue_push -- PROGRAM' records it.
 *
 * While an event is off, its trigger is an instruction that changes nothing but
 * flags; its arguments are not evaluated. Turning it on changes one byte, the
 * opcode: what was a constant is the distance of a jump then, to code that the
 * compiler has put out of the way.
 *
 *	off	a9 ...		test eax, ...	on	e9 ...		jmp cold
 *
 * That is on x86, of 64 bits and of 32. On others, or with FT_TRIGGER_NO_ASM, a trigger
 * loads a number of 32 bits and branches, that of ft_event0() and its like a byte; nothing but
 * data changes.
 *
 * Where triggers are stands in a section, and where the section is in an ELF note,
 * which the library finds in each loaded file. No linker script has to know.
 */
#ifndef _FEATHER_TRACE_TRIGGER_H
#define _FEATHER_TRACE_TRIGGER_H

#include <feather_trace/control.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct ft_event - an event of a program or library; use DEFINE_FT_EVENT()
 * @callback:	what the triggers call
 * @data:	for the callback; of a sensor the library's
 * @name:	a C identifier
 * @field:	what the words mean, C identifiers; NULL if there is no word
 * @on:		is it enabled?
 * @id:		its number, 0 before it has one
 * @more:	number of the records for the words 3 and 4, or 0
 * @next:	the library's
 */
struct ft_event {
	ft_callback	callback;
	void		*data;
	const char	*name;
	const char	*field[4];
	unsigned int	on;
	unsigned short	id;
	unsigned short	more;
	struct ft_event	*next;
};

/* The default callbacks: they write one record, or two. */
void ft_callback_record(const struct ft_event *event, unsigned long long a,
			unsigned long long b, unsigned long long c,
			unsigned long long d);
void ft_callback_record4(const struct ft_event *event, unsigned long long a,
			 unsigned long long b, unsigned long long c,
			 unsigned long long d);

/* What triggers with a time call: see ft_event_at(). Other callbacks do without the time. */
void ft_callback_at(const struct ft_event *event, unsigned long long ticks,
		    unsigned long long a, unsigned long long b,
		    unsigned long long c, unsigned long long d);

void ft_event_add(struct ft_event *event);
void ft_event_remove(struct ft_event *event);

/**
 * struct ft_event_sensor - what counts an event; use DEFINE_FT_COUNTER() and the like
 * @event:	whose triggers call it
 * @kind:	0 counter, 1 scalar, 2 histogram
 * @unit:	of its values, at most 15 letters
 * @recorded:	the library's; so are the others
 */
struct ft_event_sensor {
	struct ft_event		*event;
	unsigned int		kind;
	const char		*unit;
	int			recorded;
	struct ft_event_sensor	*next;
	const void		*sense;
};

void ft_sensor_add(struct ft_event_sensor *sensor);
void ft_sensor_remove(struct ft_event_sensor *sensor);

#ifdef __cplusplus
}
#define __FT_EXTERN		extern "C"
#else
#define __FT_EXTERN		extern
#endif
#define __ft_word(x)		((unsigned long long)(x))

/* Labels of what is rarely run: gcc moves it out of the way. */
#ifdef __clang__
#define __FT_COLD		__attribute__((unused))
#else
#define __FT_COLD		__attribute__((cold, unused))
#endif

/* A program without libc and library turns its triggers on by itself. */
#ifdef FT_FREESTANDING
#define __FT_CALLBACK(four)	0
#define __FT_CONSTRUCT(_name)
#define __FT_CONSTRUCT_SENSOR(_name)
#define __FT_CALL_AT(_name, _ticks, ...)				\
	((void)(_ticks), ft_event_##_name.callback(&ft_event_##_name, __VA_ARGS__))
#else
#define __FT_CALL_AT(_name, _ticks, ...)				\
	ft_callback_at(&ft_event_##_name, __ft_word(_ticks), __VA_ARGS__)
#define __FT_CALLBACK(four)	((four) ? ft_callback_record4 : ft_callback_record)
#define __FT_CONSTRUCT(_name)						\
	static __attribute__((constructor)) void ft_add_##_name(void)	\
	{								\
		ft_event_add(&ft_event_##_name);			\
	}								\
	static __attribute__((destructor)) void ft_remove_##_name(void)	\
	{								\
		ft_event_remove(&ft_event_##_name);			\
	}
#define __FT_CONSTRUCT_SENSOR(_name)					\
	static __attribute__((constructor)) void ft_add_##_name(void)	\
	{								\
		ft_sensor_add(&ft_sensor_##_name);			\
	}								\
	static __attribute__((destructor)) void ft_remove_##_name(void)	\
	{								\
		ft_sensor_remove(&ft_sensor_##_name);			\
	}
#endif

/*
 * By the number of words, none to four. The name comes first, so that there is an
 * argument before them: strict ISO C keeps the comma of an empty list otherwise.
 */
#define __FT_SIXTH(_0, _1, _2, _3, _4, _5, ...)	_5
#define __FT_STRING(x)		#x

#define __FT_FIELDS0(n)		{ 0, 0, 0, 0 }
#define __FT_FIELDS1(n, a)	{ #a, 0, 0, 0 }
#define __FT_FIELDS2(n, a, b)	{ #a, #b, 0, 0 }
#define __FT_FIELDS3(n, a, b, c) { #a, #b, #c, 0 }
#define __FT_FIELDS4(n, a, b, c, d) { #a, #b, #c, #d }
#define __FT_FIELDS(n, ...)						\
	__FT_SIXTH(n, ##__VA_ARGS__, __FT_FIELDS4, __FT_FIELDS3,	\
		   __FT_FIELDS2, __FT_FIELDS1, __FT_FIELDS0, 0)(n, ##__VA_ARGS__)

#define __FT_WORDS0(n)		0, 0, 0, 0
#define __FT_WORDS1(n, a)	__ft_word(a), 0, 0, 0
#define __FT_WORDS2(n, a, b)	__ft_word(a), __ft_word(b), 0, 0
#define __FT_WORDS3(n, a, b, c)	__ft_word(a), __ft_word(b), __ft_word(c), 0
#define __FT_WORDS4(n, a, b, c, d)					\
	__ft_word(a), __ft_word(b), __ft_word(c), __ft_word(d)
#define __FT_WORDS(n, ...)						\
	__FT_SIXTH(n, ##__VA_ARGS__, __FT_WORDS4, __FT_WORDS3,		\
		   __FT_WORDS2, __FT_WORDS1, __FT_WORDS0, 0)(n, ##__VA_ARGS__)

#define __FT_FOUR(n, ...)	__FT_SIXTH(n, ##__VA_ARGS__, 1, 1, 0, 0, 0, 0)

/**
 * DECLARE_FT_EVENT() - announce an event in a header
 * @_name:	as in DEFINE_FT_EVENT()
 *
 * An event belongs to one program or library, with all of its triggers.
 */
#define DECLARE_FT_EVENT(_name)						\
	__FT_EXTERN struct ft_event ft_event_##_name			\
		__attribute__((visibility("hidden")))

/**
 * DEFINE_FT_EVENT() - an event of this program or library, in one of its files
 * @_name:	its name; not quoted. Events of the same name in several libraries
 *		are turned on together
 * @...:	names of its words, none to four; not quoted
 */
#define DEFINE_FT_EVENT(_name, ...)					\
	DECLARE_FT_EVENT(_name);					\
	struct ft_event ft_event_##_name = {				\
		__FT_CALLBACK(__FT_FOUR(_name, ##__VA_ARGS__)), 0,	\
		#_name, __FT_FIELDS(_name, ##__VA_ARGS__), 0, 0, 0, 0,	\
	};								\
	__FT_CONSTRUCT(_name)						\
	DECLARE_FT_EVENT(_name)

#define __FT_DEFINE_SENSOR(_name, _kind, _unit, ...)			\
	DECLARE_FT_EVENT(_name);					\
	struct ft_event ft_event_##_name = {				\
		__FT_CALLBACK(0), 0, #_name,				\
		__FT_FIELDS(_name, ##__VA_ARGS__), 0, 0, 0, 0,		\
	};								\
	static struct ft_event_sensor ft_sensor_##_name			\
			__attribute__((unused)) = {			\
		&ft_event_##_name, _kind, _unit, 0, 0, 0,		\
	};								\
	__FT_CONSTRUCT_SENSOR(_name)					\
	DECLARE_FT_EVENT(_name)

/**
 * DEFINE_FT_COUNTER() - a sensor of this program or library, in one of its files
 * @_name:	its name; not quoted. Several libraries, or programs of one session, that have
 *		a sensor of the same name, kind and unit count in one
 *
 * 'ft run --sensors -- PROGRAM' shows what it has counted, 'ft sensors show --program PID'
 * while it runs. Else it costs what a trigger costs that is off. It is an event, too, so
 * that 'ft run -e NAME' records it.
 */
#define DEFINE_FT_COUNTER(_name)	__FT_DEFINE_SENSOR(_name, 0, "")

/**
 * DEFINE_FT_SCALAR(), DEFINE_FT_HISTOGRAM() - a sensor of values
 * @_name:	as above
 * @_unit:	of the values: "bytes"; at most 15 letters, or ""
 *
 * A scalar keeps the last, the least and the greatest value, how many there were, and their
 * sum. A histogram has bins as well, eight for each power of two: the middle of one is at
 * most a sixteenth off.
 */
#define DEFINE_FT_SCALAR(_name, _unit)	\
	__FT_DEFINE_SENSOR(_name, 1, _unit, value)
#define DEFINE_FT_HISTOGRAM(_name, _unit) \
	__FT_DEFINE_SENSOR(_name, 2, _unit, value)

#if (defined(__x86_64__) || defined(__i386__)) && !defined(FT_TRIGGER_NO_ASM)

/*
 * Once in each assembled file; the linker keeps one of them. "R": also where it
 * drops what nothing refers to (--gc-sections).
 */
#define __FT_NOTE							\
	".ifndef ft_note_is_there\n"					\
	".set ft_note_is_there, 1\n"					\
	".hidden __start_ft_triggers\n"					\
	".hidden __stop_ft_triggers\n"					\
	".pushsection .note.feather_trace, \"aGR\", @note, ft_note, comdat\n" \
	".balign 4\n"							\
	".long 14, 8, 1\n"						\
	".asciz \"Feather-Trace\"\n"					\
	".balign 4\n"							\
	".long __start_ft_triggers - .\n"				\
	".long __stop_ft_triggers - .\n"				\
	".popsection\n"							\
	".endif\n"

/*
 * struct ft_trigger of the library. "?": in the group of the function that the trigger
 * is in, if it has one. An inline function of C++ is in each file that uses it, of
 * which the linker keeps one, and must not keep the entries of the others.
 */
#define __FT_ENTRY(_event, _id)						\
	".pushsection ft_triggers, \"aR?\", @progbits\n"		\
	".balign 4\n"							\
	".long 77101b - .\n"						\
	".long " _event "\n"						\
	".long " _id "\n"						\
	".popsection\n"

#define __ft_site(_event, _on)						\
	__asm__ goto(__FT_NOTE						\
		     "77101:	.byte 0xa9\n"				\
		     "	.long %l[" __FT_STRING(_on) "] - . - 4\n"	\
		     __FT_ENTRY(_event, "0")				\
		     : : : "cc" : _on)

#define __ft_site_id(_id, _on)						\
	__asm__ goto(__FT_NOTE						\
		     "77101:	.byte 0xa9\n"				\
		     "	.long %l[" __FT_STRING(_on) "] - . - 4\n"	\
		     __FT_ENTRY("0", "%c0")				\
		     : : "i" (_id) : "cc" : _on)

#define __ft_test(_name, _on)	__ft_site("ft_event_" #_name " - .", _on)

#else /* no code is changed: the trigger looks at a number in memory */

#define __ft_test(_name, _on)						\
do {									\
	if (__builtin_expect(__atomic_load_n(&ft_event_##_name.on,	\
					     __ATOMIC_RELAXED) != 0, 0))	\
		goto _on;						\
} while (0)

/* Numbers of ft_event0() and its like: less than this, the same in all files. */
#ifndef FT_IDS
#define FT_IDS			64
#endif

__FT_EXTERN unsigned char ft_ids_on[FT_IDS];

/**
 * DEFINE_FT_IDS() - the bytes of ft_event0() and its like, in one file of the program
 *
 * Only where triggers change no code. A number is turned on by ft_ids_on[NUMBER] = 1.
 */
#define DEFINE_FT_IDS()			unsigned char ft_ids_on[FT_IDS]

#define __ft_site_id(_id, _on)						\
do {									\
	/* A number that is too big is a size below 0. */		\
	(void)sizeof(char[(_id) > 0 && (_id) < FT_IDS ? 1 : -1]);	\
	if (__builtin_expect(__atomic_load_n(&ft_ids_on[_id],		\
					     __ATOMIC_RELAXED) != 0, 0))	\
		goto _on;						\
} while (0)

#endif

/**
 * ft_event() - a trigger: announce that an event happens
 * @_name:	the event; not quoted
 * @...:	as many words as the event has, converted to 64 bits; not evaluated
 *		while the event is off
 *
 * Context: any, signal handlers too.
 */
#define ft_event(_name, ...)						\
do {									\
	__label__ ft_on, ft_off;					\
									\
	__ft_test(_name, ft_on);					\
	goto ft_off;							\
ft_on: __FT_COLD;							\
	ft_event_##_name.callback(&ft_event_##_name,			\
				  __FT_WORDS(_name, ##__VA_ARGS__));	\
ft_off: __attribute__((unused));					\
} while (0)

/** ft_ticks() - the clock for ft_event_at(); 0 if there is none that takes no call */
#ifdef __x86_64__
#define ft_ticks()		__ft_word(__builtin_ia32_rdtsc())
#else
#define ft_ticks()		__ft_word(0)
#endif

/**
 * ft_event_at() - a trigger for callers that have read the clock anyway
 * @_name:	as for ft_event()
 * @_ticks:	when it happened: what ft_ticks() returned to this thread before
 * @...:	as for ft_event()
 *
 * Reading the clock is most of what an event costs; this saves it. The record has the time
 * @_ticks, unless
 *
 * - the thread has recorded something later since then, as a signal handler may, or what it
 *   recorded last has been read already, so that nothing can be compared with it;
 * - the thread needs a ring or another one first, or there is something else to do with the event:
 *   sensors, stacks, a trace whose clock is not that of ft_ticks().
 *
 * Then the event reads the clock, as ft_event() does. So the records of a thread never go back
 * in time, whatever @_ticks is. That it has not come yet is not noticed here: such a record is
 * lost, and 'ft run' says so, or later ones of the thread are given its time.
 *
 * Context: as ft_event().
 */
#define ft_event_at(_name, _ticks, ...)					\
do {									\
	__label__ ft_on, ft_off;					\
									\
	__ft_test(_name, ft_on);					\
	goto ft_off;							\
ft_on: __FT_COLD;							\
	__FT_CALL_AT(_name, _ticks, __FT_WORDS(_name, ##__VA_ARGS__));	\
ft_off: __attribute__((unused));					\
} while (0)

/**
 * ft_counter() - one more
 * @_name:	of DEFINE_FT_COUNTER(); not quoted
 *
 * Wait-free, and exact: from any thread, and signal handlers too.
 */
#define ft_counter(_name)		ft_event(_name)

/**
 * ft_scalar(), ft_histogram() - a value
 * @_name:	of DEFINE_FT_SCALAR(), DEFINE_FT_HISTOGRAM(); not quoted
 * @_value:	converted to 64 bits without a sign; not evaluated while nobody looks
 */
#define ft_scalar(_name, _value)	ft_event(_name, _value)
#define ft_histogram(_name, _value)	ft_event(_name, _value)

/**
 * ft_event0() ... ft_event4() - a trigger without an event, as in Feather-Trace
 * @_id:	a number from 1 to 65535, a constant; see ft_enable_id(). Where triggers
 *		change no code: less than FT_IDS; see DEFINE_FT_IDS()
 * @_callback:	called with the number and the words; nothing else happens
 */
#define __ft_event_id(_id, _call)					\
do {									\
	__label__ ft_on, ft_off;					\
									\
	__ft_site_id(_id, ft_on);					\
	goto ft_off;							\
ft_on: __FT_COLD;							\
	_call;								\
ft_off: __attribute__((unused));					\
} while (0)

#define ft_event0(_id, _callback)	__ft_event_id(_id, _callback(_id))
#define ft_event1(_id, _callback, _a)	__ft_event_id(_id, _callback(_id, _a))
#define ft_event2(_id, _callback, _a, _b) \
	__ft_event_id(_id, _callback(_id, _a, _b))
#define ft_event3(_id, _callback, _a, _b, _c) \
	__ft_event_id(_id, _callback(_id, _a, _b, _c))
#define ft_event4(_id, _callback, _a, _b, _c, _d) \
	__ft_event_id(_id, _callback(_id, _a, _b, _c, _d))

#endif /* _FEATHER_TRACE_TRIGGER_H */
