/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* In a loop that waits for another thread, without a system call. */
#ifndef FT_LIBFEATHERTRACE_RELAX_H
#define FT_LIBFEATHERTRACE_RELAX_H

static inline void ft_relax(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

#endif /* FT_LIBFEATHERTRACE_RELAX_H */
