/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* /dev/ft_trace_meta. */
#ifndef _FT_META_H
#define _FT_META_H

int ft_meta_init(void);
void ft_meta_exit(void);

#endif /* _FT_META_H */
