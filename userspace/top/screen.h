/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft top on a terminal. */
#ifndef FT_TOP_SCREEN_H
#define FT_TOP_SCREEN_H

#include "top/model.h"

/**
 * screen_run - show the model until the user leaves
 * @seconds: between two looks
 *
 * Return: false after a message.
 */
bool screen_run(struct model *m, double seconds);

#endif /* FT_TOP_SCREEN_H */
