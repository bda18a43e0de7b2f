/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Where the program initialises its locks, for their names. */
#ifndef FT_LIBFEATHERTRACE_LOCK_SITES_H
#define FT_LIBFEATHERTRACE_LOCK_SITES_H

/**
 * ft_lock_site - @lock was initialised by the call that returns to @site
 *
 * Neither waits nor makes a system call, in a process that has joined. What finds no place
 * is left out. Context: any, signal handlers too.
 */
void ft_lock_site(const void *lock, const void *site);

#endif /* FT_LIBFEATHERTRACE_LOCK_SITES_H */
