/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Chains of calls for returns.c, with what module/attach/hooks_x86.S does to the stack
 * at the end of each: the same instructions, without the record.
 *
 *	caller -> level DEPTH -> ... -> level 1 -> the lock function
 *
 * A lock function is one instruction, where the kernel has its NOP, and a body.
 * Each level is a function of its own: with one that calls itself, a return that
 * is predicted for the wrong level would be right by chance.
 */

/* More or less what a lock does that nobody else wants. */
.macro body
	incq	returns_word(%rip)
	ret
.endm

/* A hook that calls the body, and then has to return past its own return address. */
.macro hook kind
	pushq	%rdi
	call	body_\kind
	popq	%rdi
	pushq	%rax
	popq	%rax
.endm

/* returns_KIND: the levels' addresses, from 1 to 13. */
.macro chain kind
	.pushsection .rodata, "a"
	.balign	8
	.globl	returns_\kind
returns_\kind:
	.popsection

	.set	next, lock_\kind
	.rept	13
	.balign	32
1:	call	next
	incl	%eax
	ret
	.set	next, 1b

	.pushsection .rodata, "a"
	.quad	1b
	.popsection
	.endr
.endm

	.text

	.balign	64
lock_plain:
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00
	body

	.balign	64
lock_balanced:
	call	hook_balanced
body_balanced:
	body

	.balign	64
lock_discarded:
	call	hook_discarded
body_discarded:
	body

	.balign	64
hook_return:
	ret

	.balign	64
hook_balanced:
	hook	balanced
	movq	$hook_return, (%rsp)
	ret

	.balign	64
hook_discarded:
	hook	discarded
	addq	$8, %rsp
	ret

	chain	plain
	chain	balanced
	chain	discarded

	.local	returns_word
	.comm	returns_word, 8, 8

	.section .note.GNU-stack, "", @progbits
