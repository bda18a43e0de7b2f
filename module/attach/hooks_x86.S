/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What a wrapped lock function calls at its entry, one for each: generated from
 * list.h.
 *
 * hook_asm.h says how the kernel gets here. A release is recorded, then the hook goes on with
 * the function's body. An acquisition must be recorded after the body: the hook calls it, and
 * returns to the caller.
 */
#include <linux/linkage.h>

#include "attach/list.h"
#include "compat.h"

#if FT_HAVE_ATTACH

#include <asm/percpu.h>
#include <linux/objtool.h>

#include "attach/hook_asm.h"

/* The event of a family, as FT_ID_ACQUIRE() and FT_ID_RELEASE() number them. */
#define ACQUIRED(family)	(16 + 2 * FT_HOOK_##family)
#define RELEASED(family)	(ACQUIRED(family) + 1)

/* With the key at hand, objtool makes direct calls of the static ones. */
#define KEYS(family)							\
	.quad	__SCK__ft_attach_acquire_##family ;			\
	.quad	__SCK__ft_attach_release_##family ;

	.pushsection .discard.addressable, "aw"
	FT_HOOK_FAMILIES(KEYS)
	.popsection

	.text

/*
 * An event's hooks come here, so that turning it on or off changes one jump instead of each
 * hook, which other CPUs execute meanwhile. The functions that a kernel calls most have a
 * jump or call of their own.
 */
.macro to call
SYM_START(ft_attach_to_\call, SYM_L_LOCAL, SYM_A_NONE)
	ANNOTATE_NOENDBR
	jmp	__SCT__ft_attach_\call
SYM_FUNC_END(ft_attach_to_\call)
.endm

#define JUMPS(family)							\
	to	acquire_##family ;					\
	to	release_##family ;

	FT_HOOK_FAMILIES(JUMPS)

.macro to_probe how, function, call
	.set	ft_often, 0
	.irp	often, _raw_spin_lock, _raw_spin_lock_irq, _raw_spin_lock_irqsave, \
		_raw_spin_unlock, _raw_spin_unlock_irq, _raw_spin_unlock_irqrestore, \
		mutex_lock, mutex_unlock, down_read, up_read
	.ifc \function, \often
	.set	ft_often, 1
	.endif
	.endr
	.if ft_often
	\how	__SCT__ft_attach_\call
	.else
	\how	ft_attach_to_\call
	.endif
.endm

/*
 * Each event has a static call. It takes the event in %edi, the lock in %rsi and the
 * caller in %rdx, and preserves only what C preserves. %rax is the function's result.
 */
.macro record function, event, call
	movl	$\event, %edi
	to_probe call, \function, \call
.endm

.macro acquire function, event, call, sleeps, skip, lock=rdi
	hook_start \function
	.if \sleeps
	incl	PER_CPU_VAR(ft_attach_inside)
	.endif
	pushq	%\lock
	call	\function + FT_BODY
	popq	%rsi
	.ifnc \skip, never
	testl	%eax, %eax
	\skip	1f
	.endif
	pushq	%rax
	movq	PUSHED+8(%rsp), %rdx
	record	\function, \event, \call
	popq	%rax
1:
	.if \sleeps
	decl	PER_CPU_VAR(ft_attach_inside)
	.endif
	return_to_caller
	hook_end \function, $\function+FT_BODY
.endm

/*
 * The same of a function that returns nothing: the event is the hook's last step. Whoever
 * sleeps no longer is out of it already: grace periods wait for tasks that are preempted.
 */
.macro acquire_void function, event, call, sleeps
	hook_start \function
	.if \sleeps
	incl	PER_CPU_VAR(ft_attach_inside)
	.endif
	pushq	%rdi
	call	\function + FT_BODY
	popq	%rsi
	.if \sleeps
	decl	PER_CPU_VAR(ft_attach_inside)
	.endif
	movq	PUSHED(%rsp), %rdx
	movl	$\event, %edi
	prepare_return
	to_probe jmp, \function, \call
	hook_end \function, $\function+FT_BODY
.endm

/*
 * The same for ww_mutex_trylock(). Without a context, it may call mutex_trylock(), which
 * then records the event, unless ft_attach_ww_alone is set.
 */
.macro acquire_ww function, event, call
	hook_start \function
	pushq	%rdi
	pushq	%rsi
	call	\function + FT_BODY
	popq	%rdx
	popq	%rsi
	testl	%eax, %eax
	jz	1f
	testq	%rdx, %rdx
	jnz	2f
	cmpb	$0, ft_attach_ww_alone(%rip)
	je	1f
2:
	pushq	%rax
	movq	PUSHED+8(%rsp), %rdx
	record	\function, \event, \call
	popq	%rax
1:
	return_to_caller
	hook_end \function, $\function+FT_BODY
.endm

/* @words: how many arguments the function has. */
.macro release function, event, call, words, then=0, then_call
	hook_start \function
	.if \words == 2
	pushq	%rsi
	.endif
	pushq	%rdi
	movq	%rdi, %rsi
	movq	PUSHED+8*\words(%rsp), %rdx
	record	\function, \event, \call
	.if \then
	movq	(%rsp), %rsi
	movq	PUSHED+8*\words(%rsp), %rdx
	record	\function, \then, \then_call
	.endif
	popq	%rdi
	.if \words == 2
	popq	%rsi
	.endif
	go_on_with \function
	hook_end \function, $\function+FT_BODY
.endm

#define FT_HOOK_ACQUIRE(fn, family, sleeps) \
	acquire_void fn, ACQUIRED(family), acquire_##family, sleeps ;
#define FT_HOOK_ACQUIRE_FLAGS(fn, family, sleeps) \
	acquire	fn, ACQUIRED(family), acquire_##family, sleeps, never ;
#define FT_HOOK_ACQUIRE_IF(fn, family, sleeps) \
	acquire	fn, ACQUIRED(family), acquire_##family, sleeps, jz ;
#define FT_HOOK_ACQUIRE_IF_0(fn, family, sleeps) \
	acquire	fn, ACQUIRED(family), acquire_##family, sleeps, jnz ;
#define FT_HOOK_RELEASE(fn, family, sleeps) \
	release	fn, RELEASED(family), release_##family, 1 ;
#define FT_HOOK_RELEASE_FLAGS(fn, family, sleeps) \
	release	fn, RELEASED(family), release_##family, 2 ;
#define FT_HOOK_DOWNGRADE(fn, family, sleeps) \
	release	fn, RELEASED(family), release_##family, 1, \
		ACQUIRED(RWSEM_READ), acquire_RWSEM_READ ;

#define FT_HOOK(kind, fn, family, sleeps)	FT_HOOK_##kind(fn, family, sleeps)
#define FT_HOOK_UPON(kind, fn, family, sleeps, upon) \
	FT_HOOK_##kind(fn, family, sleeps)
#define FT_HOOK_WW(kind, fn, family, sleeps, upon) \
	acquire_ww fn, ACQUIRED(family), acquire_##family ;
#define FT_HOOK_SECOND(kind, fn, family, sleeps, upon) \
	acquire	fn, ACQUIRED(family), acquire_##family, sleeps, jz, lock=rsi ;

FT_HOOKS

#endif /* FT_HAVE_ATTACH */
