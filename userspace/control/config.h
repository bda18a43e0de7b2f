/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The rings' configuration: checking and setting it. */
#ifndef FT_CONTROL_CONFIG_H
#define FT_CONTROL_CONFIG_H

#include <stdbool.h>

#include <linux/feather_trace.h>

#include "base/options.h"

/**
 * config_parse_slots - a size of ring: "65536", "64k", "1M"
 *
 * Return: NULL, or what is wrong with @text (to be followed by it).
 */
const char *config_parse_slots(const char *text, __u32 *slots);

/** config_take_slots - the same of an option, for OPTION_CALL(); its target is a __u32 */
int config_take_slots(void *to, const struct option_given *given);

/** config_slots_word - sizes that completion proposes */
const char *config_slots_word(unsigned int i);

/** config_parse_wake - the same for how often a waiting reader looks, in microseconds */
const char *config_parse_wake(const char *text, __u32 *wake_us);

/** config_parse_mode - the same for what a full ring does: "discard", "overwrite" */
const char *config_parse_mode(const char *text, __u32 *mode);

/** config_parse_headroom - the same for records that mode=overwrite keeps free */
const char *config_parse_headroom(const char *text, __u32 *headroom);

/** config_take_headroom - the same of an option, as config_take_slots() */
int config_take_headroom(void *to, const struct option_given *given);

/** config_headroom - records of a ring that are kept free; 0 where none are */
__u32 config_headroom(const struct ft_config *config);

bool config_get(int control, struct ft_config *config);

/** config_set - false after a message that says why, and what to do */
bool config_set(int control, const struct ft_config *config);

#endif /* FT_CONTROL_CONFIG_H */
