/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How a hook begins and ends: macros of the assembler.
 *
 * The kernel's function begins with a NOP for the function tracer, which ftrace
 * turns into a jump to the hook where it can, and into a call elsewhere. After a jump
 * the stack is as at the function's entry: the caller on the top. A hook goes on with the
 * function's body, or calls the body and returns to the caller.
 *
 * After a call, the stack is
 *
 *	 (%rsp)	the function's body, just behind the NOP
 *	8(%rsp)	the caller
 *
 * So a hook that is done before the body returns into it; and one that has called it
 * has to return to the caller past the address on the top.
 *
 * Dropping that address would cost far more than one instruction: each call pushes an
 * entry on the CPU's stack of return addresses, and each return pops one. If one were
 * left, every return from here to the outermost caller would be mispredicted. So the
 * hook replaces the address by that of another return: one misprediction, and calls and
 * returns are paired again.
 *
 * The body is at a fixed distance from the symbol; hook.c checks
 * that the NOP is there before it wraps a function.
 *
 * ftrace reaches a hook by a direct jump or call, which needs no ENDBR; so a hook begins
 * without one. Its other entry, ft_hook_ip_FUNCTION, has one: a handler sets the
 * instruction pointer to it, and where BPF is first on a function, its trampoline for
 * fexit makes an indirect call of that.
 */
#ifndef _FT_ATTACH_HOOK_ASM_H
#define _FT_ATTACH_HOOK_ASM_H

#include <linux/linkage.h>
#include <linux/objtool.h>

#include <asm/ibt.h>
#include <asm/unwind_hints.h>

#include "compat.h"

/* SYM_FUNC_START() has an ENDBR in some kernels and none in others. */
#if FT_HOOK_JUMP

/* Set as the instruction pointer, the hook finds what it finds after a jump. */
.macro hook_start function
SYM_START(ft_hook_ip_\function, SYM_L_GLOBAL, SYM_A_ALIGN)
	ENDBR
SYM_INNER_LABEL(ft_hook_\function, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
.endm

.macro hook_end function, body
SYM_FUNC_END(ft_hook_ip_\function)
.endm

/* What ftrace has put on the stack above the caller's address. */
#define PUSHED	0

.macro return_to_caller
	RET
.endm

/* In front of a jump to a function that returns to the caller: a call and a return less. */
.macro prepare_return
.endm

.macro go_on_with function
	jmp	\function + FT_BODY
.endm

#else

.macro hook_start function
SYM_START(ft_hook_\function, SYM_L_GLOBAL, SYM_A_ALIGN)
	ANNOTATE_NOENDBR
.endm

#define PUSHED	8

/* Where acquisitions return to their caller. An unwinder looks in front of a return address. */
SYM_CODE_START_LOCAL(ft_hook_returns)
	UNWIND_HINT_FUNC
	ANNOTATE_NOENDBR
	nop
SYM_INNER_LABEL(ft_hook_return, SYM_L_LOCAL)
	ANNOTATE_NOENDBR
	RET
SYM_CODE_END(ft_hook_returns)

.macro return_to_caller
	movq	$ft_hook_return, (%rsp)
	RET
.endm

/* In front of a jump to a function that returns to the caller: a call and a return less. */
.macro prepare_return
	movq	$ft_hook_return, (%rsp)
.endm

.macro go_on_with function
	RET
.endm

/*
 * Where ftrace cannot call the hook, a handler sets the instruction pointer to
 * ft_hook_ip_: it makes the stack look as if it had been called. @body: in a register or in
 * memory, or the constant $\function + FT_BODY.
 */
.macro hook_end function, body
SYM_FUNC_END(ft_hook_\function)
SYM_START(ft_hook_ip_\function, SYM_L_GLOBAL, SYM_A_ALIGN)
	UNWIND_HINT_FUNC
	ENDBR
	pushq	\body
	UNWIND_HINT_FUNC
	jmp	ft_hook_\function
SYM_CODE_END(ft_hook_ip_\function)
.endm

#endif

#endif /* _FT_ATTACH_HOOK_ASM_H */
