/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Names of the frames of a stack, of the kernel or of a program. frames_at() is the one place
 * where an address of a stack becomes names: where functions are known to be inlined there, it
 * gives several.
 */
#ifndef FT_SYMBOLS_FRAMES_H
#define FT_SYMBOLS_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/symbols.h"
#include "trace/stacks.h"

#define FRAMES_INLINED	8	/* functions of one address */

/** frames_address - the address of frame @i, with the tag of its process */
uint64_t frames_address(const struct symbols *s, const struct stack *stack, uint32_t i);

/**
 * frames_at - the functions of frame @i, without offsets, innermost first: "do_exit",
 * "push [queue]", or the number where it has no name
 *
 * Return: how many, at least one.
 */
unsigned int frames_at(const struct symbols *s, const struct stack *stack, uint32_t i,
		       char name[FRAMES_INLINED][SYMBOLS_LEN]);

/** frames_is_helper - is the code at a call's return address of a helper? helpers.h */
bool frames_is_helper(const struct symbols *s, uint64_t addr);

/** frames_first - the innermost frame that is not of a helper; stack->n: there is none */
uint32_t frames_first(const struct symbols *s, const struct stack *stack);

/**
 * frames_path - "alloc_inode < new_inode < ext4_create < ...": the innermost functions
 * @helpers: those of helpers, too
 *
 * Return: the caller's to free.
 */
char *frames_path(const struct symbols *s, const struct stack *stack, bool helpers,
		  unsigned int functions);

#endif /* FT_SYMBOLS_FRAMES_H */
