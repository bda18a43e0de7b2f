/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* One wrapped function. */
#ifndef _FT_ATTACH_HOOK_H
#define _FT_ATTACH_HOOK_H

#include <linux/ftrace.h>
#include <uapi/linux/feather_trace.h>

/**
 * struct ft_hook_fn - a function and what wraps it
 * @name:	the function; NULL: this is a place for one that is chosen later
 * @function:	its address
 * @body:	where it goes on behind the NOP for the function tracer
 * @hook:	what it calls or jumps to (hooks_x86.S)
 * @redirect:	the same, for a handler that changes the instruction pointer
 * @upon:	the function that does its work, unless that is copied into it
 * @event:	id of the event; of a downgrade that of the release
 * @second:	id of the other event, if there is one
 * @state:	enum ft_hook_state
 * @error:	why it was refused, or could not be unwrapped last, an errno
 * @gone:	when it was unwrapped last, for enter.c
 * @owner:	the module that it is in; NULL: the kernel. Guarded by ft_trace_mutex, as a module
 *		that goes takes its functions from their places (event/function.c)
 * @pinned:	@owner, while a reference keeps it: from before the function is wrapped until no
 *		task can be in the hook. Changed with ft_attach_mutex and ft_trace_mutex held, read
 *		with either
 * @trampoline:	of ftrace for @ops, unless that is a direct call; or NULL
 * @ops:	of ftrace
 *
 * Guarded by ft_attach_mutex; @state, and @error where that is FT_HOOK_REFUSED or
 * FT_HOOK_STUCK, are read without.
 */
struct ft_hook_fn {
	const char		*name;
	void			*function;
	void			*body;
	void			*hook;
	void			*redirect;
	void			*upon;
	unsigned int		event;
	unsigned int		second;
	enum ft_hook_state	state;
	int			error;
	unsigned long		gone;
	struct module		*owner;
	struct module		*pinned;
	void			*trampoline;
	struct ftrace_ops	ops;
};

static inline enum ft_hook_state ft_hook_state(const struct ft_hook_fn *fn)
{
	/* Pairs with the release in ft_hook_become(): the error belongs to it. */
	return smp_load_acquire(&fn->state);
}

/* It cannot be wrapped, says @err, which is no error of ftrace; it is not attached. */
void ft_hook_refuse(struct ft_hook_fn *fn, int err);

/* Forget what happened to another function that had this place; it is not attached. */
void ft_hook_forget(struct ft_hook_fn *fn);

/**
 * ft_hook_is_known() - does ftrace know this function?
 *
 * May wait for long, as others may hold ftrace's lock. Return: 0; -ENOENT no; -ENODEV ftrace
 * has disabled itself; -ENOMEM.
 */
int ft_hook_is_known(void *function);

/* Has ft_hook_detach() anything to undo? */
static inline bool ft_hook_is_attached(const struct ft_hook_fn *fn)
{
	enum ft_hook_state state = ft_hook_state(fn);

	return state == FT_HOOK_DIRECT || state == FT_HOOK_REDIRECT ||
	       state == FT_HOOK_STUCK;
}

/**
 * ft_hook_body() - where a function goes on behind the NOP for the function tracer
 *
 * Return: NULL if there is neither a NOP nor a call or jump in its place.
 */
void *ft_hook_body(void *function);

/* Does the function's entry call its hook directly? */
bool ft_hook_is_called(const struct ft_hook_fn *fn);

/**
 * ft_hook_calls() - does the code of a function call or jump to another one?
 *
 * Compares its bytes without decoding them: no other instruction is likely to look
 * like a call of just this address.
 */
bool ft_hook_calls(void *function, void *other);

/**
 * ft_hook_attach() - make the function call its hook
 *
 * After an ft_hook_detach(), a grace period must have passed (ft_hook_mute()).
 * Sets ->state to FT_HOOK_DIRECT or FT_HOOK_REDIRECT; or to FT_HOOK_REFUSED and ->error;
 * or to FT_HOOK_STUCK and ->error, if ftrace failed and the function may call the hook all
 * the same. May sleep.
 */
void ft_hook_attach(struct ft_hook_fn *fn);

/**
 * ft_hook_mute() - make ftrace's list of ops skip this one
 *
 * If a function has several tracers, ftrace walks that list at each call, protected
 * by nothing but preemption that is off: it tests the filter of an ops, then calls its
 * function. ft_hook_detach() frees the one and clears the other. So a function is muted
 * a grace period before ft_hook_detach(); and the next ft_hook_attach() comes a grace
 * period after it, because the walk may be at this ops and still read its successor.
 */
void ft_hook_mute(struct ft_hook_fn *fn);
void ft_hook_unmute(struct ft_hook_fn *fn);
bool ft_hook_is_muted(const struct ft_hook_fn *fn);

/**
 * ft_hook_detach() - the opposite of ft_hook_attach()
 *
 * Does not wait for the hook: CPUs may still run it, and tasks may sleep inside.
 * May sleep.
 *
 * Return: 0; or an error, with ->state FT_HOOK_STUCK, if the function still calls the
 * hook: ftrace refuses once it has disabled itself, or it has not changed the function's
 * text. The function stays attached, and the caller can try again.
 */
int ft_hook_detach(struct ft_hook_fn *fn);

#endif /* _FT_ATTACH_HOOK_H */
