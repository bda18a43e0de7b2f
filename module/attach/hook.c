// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Taking hold of one lock function through ftrace.
 *
 * A direct call is what costs least: the NOP at the function's entry becomes a
 * call to the hook, or a jump where the kernel can do that. ftrace allows one for a
 * function. Where BPF has it, an ops that changes the instruction pointer does the
 * same, slower; a live patch allows neither.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
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

	/* name+0x0/0x1f0 */
	sprint_symbol(text, (unsigned long)function);
	size = strrchr(text, '/');
	if (!size || kstrtoul(size + 1, 16, &bytes))
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
		/* Or behind its ENDBR. */
		if ((unsigned long)(code + FT_NOP_SIZE + distance -
				    (u8 *)other) <= FT_BODY - FT_NOP_SIZE)
			return true;
	}
	return false;
}

/*
 * The place where ftrace puts its calls: is it where the hook takes it to be? @called:
 * what is called or jumped to, NULL for nothing.
 */
static int ft_hook_look(const struct ft_hook_fn *fn, void **called)
{
	static const u8 nop[FT_NOP_SIZE] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	u8 code[FT_NOP_SIZE];
	s32 distance;

	*called = NULL;
	if (copy_from_kernel_nofault(code, fn->function + FT_BODY - FT_NOP_SIZE,
				     sizeof(code)))
		return -ENOENT;
	if (!memcmp(code, nop, sizeof(nop)))
		return 0;
	if (code[0] != 0xe8 && code[0] != 0xe9)
		return -ENOENT;
	memcpy(&distance, code + 1, sizeof(distance));
	*called = fn->function + FT_BODY + distance;
	return 0;
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
	void *called;

	return !ft_hook_look(fn, &called) && called == fn->hook;
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

static int ft_hook_direct(struct ft_hook_fn *fn)
{
	int err = ft_hook_filter(fn);

	if (!err)
		err = ft_ftrace_direct_add(&fn->ops, ft_ftrace_direct_addr(fn->hook));
	if (err)
		ftrace_free_filter(&fn->ops);
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

	/* There are some: FTRACE_OPS_FL_SAVE_REGS. */
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
	if (err) {
		ftrace_free_filter(&fn->ops);
		return err;
	}
	/* unregister_ftrace_function() forgets it. */
	fn->trampoline = (void *)fn->ops.trampoline;
	ft_hook_become(fn, FT_HOOK_REDIRECT, 0);
	return 0;
}

void ft_hook_attach(struct ft_hook_fn *fn)
{
	void *called;
	int err;

	err = ft_hook_look(fn, &called);
	if (!err)
		err = ft_hook_direct(fn);
	if (err == -EBUSY)
		err = ft_hook_redirect(fn);
	/* With kernel.ftrace_enabled = 0 it is registered, but not called. */
	if (!err && (ft_hook_look(fn, &called) || !called)) {
		if (ft_hook_detach(fn))
			return;
		err = -EAGAIN;
	}
	/* Then turning ftrace off is refused, as it is with live patches. */
	if (!err)
		fn->ops.flags |= FTRACE_OPS_FL_PERMANENT;
	else
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
	 * For this flag ftrace would wait for two grace periods, with each of some
	 * fifty functions. The ops are static and ours, a direct call has no
	 * trampoline of ftrace's to be freed, its list of ops passes over this one
	 * (ft_hook_mute()), and the hooks are waited for by ft_attach_drain(), once
	 * for all.
	 */
	fn->ops.flags &= ~FTRACE_OPS_FL_DYNAMIC;
	return ft_ftrace_direct_del(&fn->ops, ft_ftrace_direct_addr(fn->hook));
}

/* Is the function as if we had never been there? Another one's call may stay. */
static bool ft_hook_is_gone(const struct ft_hook_fn *fn)
{
	void *called;

	if (fn->ops.flags & FTRACE_OPS_FL_ENABLED || ft_hook_look(fn, &called))
		return false;
	return !called || (called != fn->hook && called != fn->trampoline);
}

int ft_hook_detach(struct ft_hook_fn *fn)
{
	int err = 0;

	if (fn->ops.flags & FTRACE_OPS_FL_ENABLED)
		err = ft_hook_unregister(fn);
	/* What ftrace answers is not enough: it may have failed to change the text. */
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
