// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The same event, of another module. */
#include "ft_namesake.c"
