/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A program for 32 bits that waits for a signal. */
	.globl	_start
_start:
	mov	$29, %eax
	int	$0x80
	.section .note.GNU-stack, "", @progbits
