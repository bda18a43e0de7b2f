// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Wrapping one function through ftrace.
 *
 * A direct call costs least: ftrace replaces the NOP at the function's entry by a
 * call to the hook, or by a jump if the kernel supports that. ftrace allows one direct
 * call for each function. If BPF uses it, an ops that changes the instruction pointer
 * does the same at a higher cost; a live patch allows neither.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "attach/hook.h"
#include "compat.h"

#if FT_HAVE_ATTACH

#define FT_NOP_SIZE	5

static size_t ft_hook_size(void *function)
{
	char text[KSYM_SYMBOL_LEN], *size;
	unsigned long bytes;

	/* name+0x0/0x1f0, and [module] if it has one */
	sprint_symbol(text, (unsigned long)function);
	size = strrchr(text, '/');
	if (!size || sscanf(size, "/0x%lx", &bytes) != 1)
		return 0;
	return bytes;
}

bool ft_hook_calls(void *function, void *other)
{
	const u8 *code = function, *end = code + ft_hook_size(function);
	s32 distance;

	for (; code + FT_NOP_SIZE <= end; code++) {
		if (*code != 0xe8 && *code != 0xe9)
			continue;
		memcpy(&distance, code + 1, sizeof(distance));
		/* To its entry, or behind its ENDBR. */
		if ((unsigned long)(code + FT_NOP_SIZE + distance -
				    (u8 *)other) <= FT_BODY - FT_NOP_SIZE)
			return true;
	}
	return false;
}

/* Checks that ftrace's NOP or call is in front of @body; @called: as below. */
static int ft_hook_look_before(const void *body, const void **called)
{
	static const u8 nop[FT_NOP_SIZE] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	u8 code[FT_NOP_SIZE];
	s32 distance;

	*called = NULL;
	if (copy_from_kernel_nofault(code, body - FT_NOP_SIZE, sizeof(code)))
		return -ENOENT;
	if (!memcmp(code, nop, sizeof(nop)))
		return 0;
	if (code[0] != 0xe8 && code[0] != 0xe9)
		return -ENOENT;
	memcpy(&distance, code + 1, sizeof(distance));
	*called = body + distance;
	return 0;
}

/*
 * Checks that ftrace's NOP or call is where the hook expects it. @called: the target
 * of the call or jump, NULL for a NOP.
 */
static int ft_hook_look(const struct ft_hook_fn *fn, const void **called)
{
	return ft_hook_look_before(fn->body, called);
}

/* A static function whose address nobody takes has no ENDBR. */
void *ft_hook_body(void *function)
{
	static const u8 before[] = { 0, FT_BODY - FT_NOP_SIZE };
	const void *called;
	unsigned int i;
	void *body;

	for (i = 0; i < ARRAY_SIZE(before); i++) {
		body = function + before[i] + FT_NOP_SIZE;
		if (!ft_hook_look_before(body, &called))
			return body;
	}
	return NULL;
}

/* @err: of FT_HOOK_REFUSED and FT_HOOK_STUCK; else 0 */
static void ft_hook_become(struct ft_hook_fn *fn, enum ft_hook_state state, int err)
{
	if (err)
		WRITE_ONCE(fn->error, -err);
	/* Pairs with the acquire in ft_hook_state(). */
	smp_store_release(&fn->state, state);
}

bool ft_hook_is_called(const struct ft_hook_fn *fn)
{
	const void *called;

	return !ft_hook_look(fn, &called) && called == fn->hook;
}

/* Is nothing of this module left in the function? A call of another user may be. */
static bool ft_hook_is_gone(const struct ft_hook_fn *fn)
{
	const void *called;

	if (fn->ops.flags & FTRACE_OPS_FL_ENABLED || ft_hook_look(fn, &called))
		return false;
	return !called || (called != fn->hook && called != fn->trampoline);
}

/*
 * After an error of ftrace. It may have disabled itself on the way: then it leaves the ops
 * enabled, and the function may call the hook.
 */
static void ft_hook_undo(struct ft_hook_fn *fn, int err)
{
	if (ft_hook_is_gone(fn))
		ftrace_free_filter(&fn->ops);
	else
		ft_hook_become(fn, FT_HOOK_STUCK, err);
}

static int ft_hook_filter(struct ft_hook_fn *fn)
{
	int err;

	memset(&fn->ops, 0, sizeof(fn->ops));
	fn->trampoline = NULL;
	err = ftrace_set_filter_ip(&fn->ops, (unsigned long)fn->function, 0, 0);
	/* ENODEV: ftrace has disabled itself. */
	return err && err != -ENODEV ? -ENOENT : err;
}

void ft_hook_refuse(struct ft_hook_fn *fn, int err)
{
	ft_hook_become(fn, FT_HOOK_REFUSED, err);
}

void ft_hook_forget(struct ft_hook_fn *fn)
{
	ft_hook_become(fn, FT_HOOK_OFF, 0);
}

int ft_hook_is_known(void *function)
{
	struct ft_hook_fn *fn = kzalloc(sizeof(*fn), GFP_KERNEL);
	int err;

	if (!fn)
		return -ENOMEM;
	fn->function = function;
	err = ft_hook_filter(fn);
	ftrace_free_filter(&fn->ops);
	kfree(fn);
	return err;
}

static int ft_hook_direct(struct ft_hook_fn *fn)
{
	int err = ft_hook_filter(fn);

	if (!err)
		err = ft_ftrace_direct_add(&fn->ops, ft_ftrace_direct_addr(fn->hook));
	if (err)
		ft_hook_undo(fn, err);
	else
		ft_hook_become(fn, FT_HOOK_DIRECT, 0);
	return err;
}

static void notrace ft_hook_handle(unsigned long ip, unsigned long parent,
				   struct ftrace_ops *ops,
				   struct ftrace_regs *fregs)
{
	struct ft_hook_fn *fn = container_of(ops, struct ft_hook_fn, ops);
	struct pt_regs *regs = ftrace_get_regs(fregs);

	/* Not NULL, because of FTRACE_OPS_FL_SAVE_REGS. */
	instruction_pointer_set(regs, (unsigned long)fn->redirect);
}

static int ft_hook_redirect(struct ft_hook_fn *fn)
{
	int err = ft_hook_filter(fn);

	if (!err) {
		fn->ops.func = ft_hook_handle;
		fn->ops.flags |= FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY;
		err = register_ftrace_function(&fn->ops);
	}
	/* unregister_ftrace_function() clears it. */
	fn->trampoline = (void *)fn->ops.trampoline;
	if (err)
		ft_hook_undo(fn, err);
	else
		ft_hook_become(fn, FT_HOOK_REDIRECT, 0);
	return err;
}

void ft_hook_attach(struct ft_hook_fn *fn)
{
	const void *called;
	int err;

	err = ft_hook_look(fn, &called);
	if (!err)
		err = ft_hook_direct(fn);
	if (err == -EBUSY && !ft_hook_is_attached(fn))
		err = ft_hook_redirect(fn);
	/* With kernel.ftrace_enabled = 0, ftrace registers the ops but never calls it. */
	if (!err && (ft_hook_look(fn, &called) || !called)) {
		if (ft_hook_detach(fn))
			return;
		err = -EAGAIN;
	}
	/* With this flag the kernel refuses to turn ftrace off, as for live patches. */
	if (!err)
		fn->ops.flags |= FTRACE_OPS_FL_PERMANENT;
	else if (!ft_hook_is_attached(fn))
		ft_hook_become(fn, FT_HOOK_REFUSED, err);
}

/* Only the owner of an ops changes its flags. */
void ft_hook_mute(struct ft_hook_fn *fn)
{
	WRITE_ONCE(fn->ops.flags, fn->ops.flags | FTRACE_OPS_FL_STUB);
}

void ft_hook_unmute(struct ft_hook_fn *fn)
{
	WRITE_ONCE(fn->ops.flags, fn->ops.flags & ~FTRACE_OPS_FL_STUB);
}

bool ft_hook_is_muted(const struct ft_hook_fn *fn)
{
	return fn->ops.flags & FTRACE_OPS_FL_STUB;
}

static int ft_hook_unregister(struct ft_hook_fn *fn)
{
	if (fn->ops.func == ft_hook_handle)
		return unregister_ftrace_function(&fn->ops);
	/*
	 * With this flag ftrace would wait for two grace periods for each of some fifty
	 * functions. It need not: the ops are static, a direct call has no trampoline
	 * of ftrace that could be freed, ftrace's list skips this ops
	 * (ft_hook_mute()), and ft_attach_drain() waits for all hooks at once.
	 */
	fn->ops.flags &= ~FTRACE_OPS_FL_DYNAMIC;
	return ft_ftrace_direct_del(&fn->ops, ft_ftrace_direct_addr(fn->hook));
}

int ft_hook_detach(struct ft_hook_fn *fn)
{
	int err = 0;

	if (fn->ops.flags & FTRACE_OPS_FL_ENABLED)
		err = ft_hook_unregister(fn);
	/* ftrace may report success without having changed the text. */
	if (!err && !ft_hook_is_gone(fn))
		err = -EIO;
	if (err) {
		ft_hook_become(fn, FT_HOOK_STUCK, err);
		return err;
	}
	ftrace_free_filter(&fn->ops);
	ft_hook_become(fn, FT_HOOK_OFF, 0);
	return 0;
}

#endif /* FT_HAVE_ATTACH */
