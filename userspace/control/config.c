// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The rings' configuration: checking and setting it. See config.h. */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/array.h"
#include "base/number.h"
#include "base/usage.h"
#include "control/config.h"
#include "control/device.h"
#include "control/holders.h"

const char *config_parse_slots(const char *text, __u32 *slots)
{
	uint64_t n;

	if (parse_count(text, &n))
		return "not a number of slots";
	if (n < FT_SLOTS_MIN || n > FT_SLOTS_MAX)
		return "slots must be from 128 to 16M (16777216), not";
	if (n & (n - 1))
		return "slots must be a power of two (64k, 128k, ...), not";
	*slots = n;
	return NULL;
}

int config_take_slots(void *to, const struct option_given *given)
{
	const char *bad = config_parse_slots(given->value, to);

	return bad ? usage_error(given->command, "%s: '%s'", bad, given->value) : -1;
}

const char *config_slots_word(unsigned int i)
{
	static const char *const words[] = {
		"16k", "32k", "64k", "128k", "256k", "512k", "1M", "2M", "4M",
	};

	return i < ARRAY_SIZE(words) ? words[i] : NULL;
}

const char *config_parse_wake(const char *text, __u32 *wake_us)
{
	uint64_t n;

	if (parse_u64(text, &n))
		return "not a number of microseconds";
	if (n < FT_WAKE_MIN_US || n > FT_WAKE_MAX_US)
		return "wake_us must be from 100 to 10000000, not";
	*wake_us = n;
	return NULL;
}

const char *config_parse_mode(const char *text, __u32 *mode)
{
	for (__u32 i = FT_MODE_DISCARD; i <= FT_MODE_OVERWRITE; i++) {
		if (!strcmp(text, device_mode_name(i))) {
			*mode = i;
			return NULL;
		}
	}
	return "mode must be discard or overwrite, not";
}

const char *config_parse_headroom(const char *text, __u32 *headroom)
{
	uint64_t n;

	if (parse_count(text, &n))
		return "not a number of records";
	if (n > FT_SLOTS_MAX / 2)
		return "headroom must be at most half of the ring, not";
	*headroom = n;
	return NULL;
}

int config_take_headroom(void *to, const struct option_given *given)
{
	const char *bad = config_parse_headroom(given->value, to);

	return bad ? usage_error(given->command, "%s: '%s'", bad, given->value) : -1;
}

__u32 config_headroom(const struct ft_config *config)
{
	if (config->mode != FT_MODE_OVERWRITE)
		return 0;
	return config->headroom ? config->headroom : config->slots / 4;
}

bool config_get(int control, struct ft_config *config)
{
	memset(config, 0, sizeof(*config));
	if (!ioctl(control, FT_IOC_GET_CONFIG, config))
		return true;
	warn("cannot read the configuration");
	return false;
}

static void explain_busy(void)
{
	char who[HOLDERS_LEN];

	if (holders_of_devices(who, sizeof(who)))
		warnx("cannot change the rings while a trace runs or a ring is "
		      "open: the devices are held by %s", who);
	else
		warnx("cannot change the rings while a trace runs or a ring is "
		      "open: try: ft disable --all, of a session: ft disable --session NAME --all");
}

/* What config_parse_*() cannot know: they look at one value each. */
static void explain_headroom(const struct ft_config *config)
{
	if (config->headroom && config->mode != FT_MODE_OVERWRITE)
		warnx("headroom=%u is for mode=overwrite", config->headroom);
	else if (config->headroom > config->slots / 2)
		warnx("headroom=%u is more than half of a ring of %u slots",
		      config->headroom, config->slots);
	else
		warnx("the module refuses slots=%u wake_us=%u mode=%s headroom=%u: is it "
		      "as new as ft?", config->slots, config->wake_us,
		      device_mode_name(config->mode), config->headroom);
}

bool config_set(int control, const struct ft_config *config)
{
	char size[32];

	if (!ioctl(control, FT_IOC_SET_CONFIG, config))
		return true;
	switch (errno) {
	case EINVAL:
		explain_headroom(config);
		break;
	case EBUSY:
		explain_busy();
		break;
	case ENOMEM:
		format_size(size, sizeof(size),
			    (__u64)config->slots * sizeof(struct ft_record));
		warnx("no memory for rings of %u slots (%s for each CPU): "
		      "try fewer; the old rings stay", config->slots, size);
		break;
	default:
		warn("cannot set slots=%u wake_us=%u mode=%s headroom=%u",
		     config->slots, config->wake_us,
		     device_mode_name(config->mode), config->headroom);
	}
	return false;
}
