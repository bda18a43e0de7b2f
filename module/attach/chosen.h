/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Places for functions that are chosen at run time and wrapped: entry and exit. */
#ifndef _FT_ATTACH_CHOSEN_H
#define _FT_ATTACH_CHOSEN_H

#include <linux/types.h>
#include <uapi/linux/feather_trace.h>

#include "attach/list.h"
#include "compat.h"
#include "probe.h"

struct module;

#if FT_HAVE_ATTACH

/**
 * struct ft_chosen_word - how a word that is less than 64 bits is extended
 * @mask:	the bits that it has
 * @sign:	the highest of them, if that is its sign; else 0
 */
struct ft_chosen_word {
	u64	mask;
	u64	sign;
};

/* For chosen_x86.S: of each place. */
struct ft_chosen_data {
	struct ft_chosen_word	arg;
	struct ft_chosen_word	result;
	u32			id[2];
	void			*body;
};

extern struct ft_chosen_data ft_chosen_data[FT_CHOSEN_COUNT];

/**
 * ft_chosen_check() - can this function be wrapped?
 * @name:	what its caller calls it
 * @function:	its address, or whatever else
 *
 * @owner:	out, also after an error: the module that it is in, for ft_chosen_put(); NULL: none
 *
 * May sleep, and wait for others that change what ftrace does: for long, so the caller holds
 * no lock, but one that keeps others from calling this before ft_chosen_put().
 *
 * Return: 0; -ENOENT the function tracer does not know it, or its module is not loaded, or not
 * yet or any more; -ENODEV ftrace has disabled itself; -EPERM it may not return, reads the
 * clock, or is one of this module; -EBUSY the events of locks wrap it.
 */
int ft_chosen_check(const char *name, void *function, struct module **owner);

/**
 * ft_chosen_put() - after ft_chosen_check()
 * @owner:	which that one has returned; or NULL
 *
 * The caller does not hold ft_trace_mutex.
 */
void ft_chosen_put(struct module *owner);

/**
 * ft_chosen_wait_for() - a module goes: wait for a caller that has it from ft_chosen_check()
 *
 * Even if it is removed by force, it stays until this returns. From then on its functions
 * have places, or will have none. The caller does not hold ft_trace_mutex.
 */
void ft_chosen_wait_for(const struct module *owner);

/**
 * ft_chosen_set() - wrap this function in a place, from when it is attached on
 * @place:	less than FT_CHOSEN_COUNT; it is free
 * @name:	constant while it has the place
 * @function:	ft_chosen_check() has said 0
 * @owner:	what it has said, too; it is not put before this returns
 * @arg:	its first argument
 * @result:	its result
 * @id:		of the events of its entry and its exit
 *
 * The caller holds ft_trace_mutex. May sleep.
 */
void ft_chosen_set(unsigned int place, const char *name, void *function, struct module *owner,
		   struct ft_chosen_word arg, struct ft_chosen_word result, const u32 id[2]);

/**
 * ft_chosen_clear() - a place becomes free
 *
 * Nobody is inside, and nothing of it is attached, but by ft_chosen_is_attached(). The caller
 * holds ft_trace_mutex.
 */
void ft_chosen_clear(unsigned int place);

/**
 * ft_chosen_point() - what entry (0) or exit (1) in a place call
 * @probe:	ft_probe_none: nothing
 */
void ft_chosen_point(unsigned int place, unsigned int exit, ft_probe_t probe);

/** ft_chosen_is_of() - is a place taken by a function of this module? */
bool ft_chosen_is_of(unsigned int place, const struct module *owner);

/**
 * ft_chosen_is_attached() - does the function that has, or had, a place call its hook?
 *
 * One whose module has gone by force does until then, if ftrace has not unwrapped it.
 */
bool ft_chosen_is_attached(unsigned int place);

/** ft_chosen_find() - Return: the place of a function, or a negative number */
int ft_chosen_find(const void *function);

#endif

#endif /* _FT_ATTACH_CHOSEN_H */
