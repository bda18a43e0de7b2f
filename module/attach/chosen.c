// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Functions that are chosen at run time. Each has a place: a hook in chosen_x86.S and three
 * static calls, which are pointed at the function's body and at the probes of its two events.
 */
#include <linux/kallsyms.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/static_call.h>
#include <linux/string.h>

#include <feather_trace/event.h>

#include "attach/chosen.h"
#include "attach/functions.h"
#include "attach/hook.h"
#include "trace.h"

#if FT_HAVE_ATTACH

static_assert(sizeof(struct ft_chosen_data) == 48);
static_assert(offsetof(struct ft_chosen_data, result) == 16);
static_assert(offsetof(struct ft_chosen_data, id) == 32);
static_assert(offsetof(struct ft_chosen_data, body) == 40);

struct ft_chosen_data ft_chosen_data[FT_CHOSEN_COUNT];

#define FT_CHOSEN_DEFINE(i)						\
	DEFINE_STATIC_CALL(ft_chosen_entry_##i, ft_probe_none);		\
	DEFINE_STATIC_CALL(ft_chosen_exit_##i, ft_probe_none);		\
	DEFINE_STATIC_CALL(ft_chosen_body_##i, ft_probe_none);
FT_EACH_CHOSEN(FT_CHOSEN_DEFINE)

struct ft_chosen_call {
	struct static_call_key	*key;
	void			*tramp;
};

#define FT_CHOSEN_CALL(name) \
	{ &STATIC_CALL_KEY(ft_chosen_##name), STATIC_CALL_TRAMP_ADDR(ft_chosen_##name) }
#define FT_CHOSEN_CALLS(i) {						\
	FT_CHOSEN_CALL(entry_##i), FT_CHOSEN_CALL(exit_##i), FT_CHOSEN_CALL(body_##i) },

#define FT_CHOSEN_BODY	2

static const struct ft_chosen_call ft_chosen_calls[FT_CHOSEN_COUNT][3] = {
	FT_EACH_CHOSEN(FT_CHOSEN_CALLS)
};

/* Whoever enters these does not come back to the hook. */
static const char *const ft_chosen_never_return[] = {
	"__module_put_and_kthread_exit", "__stack_chk_fail", "cpu_startup_entry", "do_exit",
	"do_group_exit", "do_task_dead", "kthread_complete_and_exit", "kthread_exit",
	"make_task_dead", "nmi_panic", "panic", "rest_init", "rewind_stack_and_make_dead",
	"start_kernel", "vpanic",
};

static void ft_chosen_call(const struct ft_chosen_call *call, void *function)
{
	__static_call_update(call->key, call->tramp, function);
}

static struct ft_hook_fn *ft_chosen_hook(unsigned int place)
{
	return &ft_attach_hooks[ft_attach_lock_count + place];
}

int ft_chosen_find(const void *function)
{
	unsigned int i;

	for (i = 0; i < FT_CHOSEN_COUNT; i++)
		if (ft_chosen_hook(i)->name && ft_chosen_hook(i)->function == function)
			return i;
	return -ENOENT;
}

/* Is it the beginning of a function of the kernel itself that returns? */
static int ft_chosen_check(const char *name, void *function)
{
	char text[KSYM_SYMBOL_LEN];
	const char *size;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ft_chosen_never_return); i++)
		if (!strcmp(name, ft_chosen_never_return[i]))
			return -EPERM;
	/* name+0x0/0x1f0, and the module if it has one */
	sprint_symbol(text, (unsigned long)function);
	size = strstr(text, "+0x0/");
	if (!size)
		return -ENOENT;
	return strchr(size, '[') ? -EPERM : 0;
}

void ft_chosen_clear(unsigned int place)
{
	struct ft_hook_fn *fn = ft_chosen_hook(place);

	lockdep_assert_held(&ft_trace_mutex);

	fn->name = NULL;
	/* Works look at these meanwhile, for events of other functions. */
	WRITE_ONCE(fn->event, 0);
	WRITE_ONCE(fn->second, 0);
}

int ft_chosen_set(unsigned int place, const char *name, void *function,
		  struct ft_chosen_word arg, struct ft_chosen_word result, const u32 id[2])
{
	struct ft_chosen_data *data = &ft_chosen_data[place];
	struct ft_hook_fn *fn = ft_chosen_hook(place);
	int err;

	lockdep_assert_held(&ft_trace_mutex);

	err = ft_chosen_check(name, function);
	if (err)
		return err;
	fn->function = function;
	err = ft_hook_begin(fn);
	if (err)
		return err;
	fn->body = ft_hook_body(function);
	if (!fn->body)
		return -ENOENT;
	*data = (struct ft_chosen_data){ arg, result, { id[0], id[1] }, fn->body };
	ft_chosen_call(&ft_chosen_calls[place][FT_CHOSEN_BODY], fn->body);
	fn->name = name;
	WRITE_ONCE(fn->event, id[0]);
	WRITE_ONCE(fn->second, id[1]);
	return 0;
}

void ft_chosen_point(unsigned int place, unsigned int exit, ft_probe_t probe)
{
	ft_chosen_call(&ft_chosen_calls[place][exit], probe);
}

#endif /* FT_HAVE_ATTACH */
