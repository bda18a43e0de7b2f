/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What a function that was chosen at run time calls at its entry: a hook for each place of
 * chosen.h.
 *
 * It records the entry, calls the function's body and records the exit. Body and probes are
 * static calls, so that each is a direct call: the body has no ENDBR, and no jump of
 * the kernel's needs a thunk here.
 *
 * A function may sleep, so whoever is inside is counted, as in hooks_x86.S. Its arguments are
 * in registers: what lies on the stack would not be where the body looks for it. Whoever
 * chooses a function knows that (&ft_function).
 */
#include <linux/linkage.h>

#include "attach/list.h"
#include "compat.h"

#if FT_HAVE_ATTACH

#include <asm/percpu.h>

#include "attach/hook_asm.h"

#define KEYS(i)								\
	.quad	__SCK__ft_chosen_entry_##i ;				\
	.quad	__SCK__ft_chosen_exit_##i ;				\
	.quad	__SCK__ft_chosen_body_##i ;

	.pushsection .discard.addressable, "aw"
	FT_EACH_CHOSEN(KEYS)
	.popsection

	.text

/* struct ft_chosen_data; chosen.c compares them. Without a space, for macros' arguments. */
#define SIZE		48
#define ARG		0
#define RESULT		16
#define ENTRY_ID	32
#define EXIT_ID		36
#define BODY		40

/* Without the bits that it does not have; then with the sign that it has. */
.macro extend word, how
	andq	\how(%rip), %\word
	xorq	\how + 8(%rip), %\word
	subq	\how + 8(%rip), %\word
.endm

.macro chosen i
	hook_start chosen_\i
	incl	PER_CPU_VAR(ft_attach_inside)
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%rcx
	pushq	%r8
	pushq	%r9
	movq	%rdi, %rsi
	extend	rsi, ft_chosen_data+SIZE*\i+ARG
	movq	PUSHED + 48(%rsp), %rdx
	movl	ft_chosen_data+SIZE*\i+ENTRY_ID(%rip), %edi
	call	__SCT__ft_chosen_entry_\i
	popq	%r9
	popq	%r8
	popq	%rcx
	popq	%rdx
	popq	%rsi
	movq	(%rsp), %rdi
	call	__SCT__ft_chosen_body_\i
	popq	%rcx
	pushq	%rax
	pushq	%rdx
	movq	%rax, %rsi
	extend	rsi, ft_chosen_data+SIZE*\i+RESULT
	movq	%rcx, %rdx
	extend	rdx, ft_chosen_data+SIZE*\i+ARG
	movl	ft_chosen_data+SIZE*\i+EXIT_ID(%rip), %edi
	call	__SCT__ft_chosen_exit_\i
	popq	%rdx
	popq	%rax
	decl	PER_CPU_VAR(ft_attach_inside)
	return_to_caller
	hook_end chosen_\i, ft_chosen_data+SIZE*\i+BODY(%rip)
.endm

#define HOOK(i)	chosen i ;

	FT_EACH_CHOSEN(HOOK)

#endif /* FT_HAVE_ATTACH */
