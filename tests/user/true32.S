/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A program for 32 bits that does nothing, well. */
	.globl	_start
_start:
	mov	$1, %eax
	xor	%ebx, %ebx
	int	$0x80
	.section .note.GNU-stack, "", @progbits
