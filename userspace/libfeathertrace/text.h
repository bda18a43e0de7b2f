/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Changing one byte of the code that other threads run. */
#ifndef FT_LIBFEATHERTRACE_TEXT_H
#define FT_LIBFEATHERTRACE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/**
 * ft_text_write - store one byte into the text of this process
 *
 * At no time is the page writable where it is mapped, or not executable. The caller
 * excludes other callers. Return: 0 or -errno.
 */
int ft_text_write(unsigned char *at, unsigned char byte);

/** ft_text_sync - from now on all threads run the new text */
void ft_text_sync(void);

/**
 * ft_text_relax - write the offsets of thread variables into instructions
 * @begin:	distances from themselves to the instructions: of this file's
 *		section ft_relax
 *
 * Of code that no thread has run yet. What cannot be written stays unchanged, and is
 * still correct.
 */
void ft_text_relax(const int32_t *begin, const int32_t *end);

/**
 * ft_text_order - let acquisitions read the clock in order
 * @begin:	as for ft_text_relax(), of the section ft_ordered
 *
 * Call it before any thread has run that code. Return: false if it could not be written.
 */
bool ft_text_order(const int32_t *begin, const int32_t *end);

/* Of this file: the sections that ft_thread_find() and ft_thread_clock_behind() fill. */
extern const int32_t __start_ft_ordered[] __attribute__((visibility("hidden"), weak));
extern const int32_t __stop_ft_ordered[] __attribute__((visibility("hidden"), weak));
extern const int32_t __start_ft_relax[] __attribute__((visibility("hidden"), weak));
extern const int32_t __stop_ft_relax[] __attribute__((visibility("hidden"), weak));

/* The two ways to write, separately, for tests. */
int ft_text_write_mem(unsigned char *at, unsigned char byte);
int ft_text_write_remap(unsigned char *at, unsigned char byte);

#endif /* FT_LIBFEATHERTRACE_TEXT_H */
