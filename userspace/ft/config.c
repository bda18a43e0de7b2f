// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft config: shows and sets the size of the rings. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "base/number.h"
#include "base/usage.h"
#include "control/config.h"
#include "control/device.h"
#include "control/sessions.h"
#include "ft/commands.h"

struct config {
	const char	*session;
};

static const struct option_row options[] = {
	SESSIONS_OPTION(struct config, session),
	{ }
};

static void config_show(const struct ft_config *config)
{
	char size[32];

	format_size(size, sizeof(size),
		    (__u64)config->slots * sizeof(struct ft_record));
	printf("slots=%u\t(%s for each CPU)\n", config->slots, size);
	printf("wake_us=%u\n", config->wake_us);
	printf("mode=%s\n", device_mode_name(config->mode));
	if (config->mode == FT_MODE_OVERWRITE)
		printf("headroom=%u\n", config_headroom(config));
}

/* Applies "key=value" to @config. Return: exit status, or -1 to go on. */
static int config_apply(struct ft_config *config, const char *arg)
{
	const char *bad, *value = strchr(arg, '=');

	if (value && !strncmp(arg, "slots=", 6))
		bad = config_parse_slots(++value, &config->slots);
	else if (value && !strncmp(arg, "wake_us=", 8))
		bad = config_parse_wake(++value, &config->wake_us);
	else if (value && !strncmp(arg, "mode=", 5))
		bad = config_parse_mode(++value, &config->mode);
	else if (value && !strncmp(arg, "headroom=", 9))
		bad = config_parse_headroom(++value, &config->headroom);
	else
		return usage_error("config", "not slots=N, wake_us=N, mode=MODE or "
				   "headroom=N: '%s'", arg);
	if (bad)
		return usage_error("config", "%s: '%s'", bad, value);
	return -1;
}

static int config_change(const char *session, int argc, char **argv)
{
	struct ft_config config;
	struct ft_info info;
	__u32 was;
	int control, status = FT_EXIT_ERROR;

	control = sessions_open(session, &info);
	if (control < 0)
		return FT_EXIT_ERROR;
	if (!config_get(control, &config))
		goto out_close;
	was = config.mode;
	for (int i = 0; i < argc; i++)
		config_apply(&config, argv[i]);
	/* it goes with its mode, unless this call names it */
	if (was == FT_MODE_OVERWRITE && config.mode != was)
		config.headroom = 0;
	if (argc && !config_set(control, &config))
		goto out_close;
	config_show(&config);
	status = flush_output(FT_EXIT_OK);
out_close:
	close(control);
	return status;
}

static int config_main(int argc, char **argv)
{
	struct config c = { 0 };
	int ret = options_parse(&config_command, &c, &argc, &argv);
	struct ft_config scratch;

	/* check arguments first: an error does not depend on the module */
	for (int i = 0; ret < 0 && i < argc; i++)
		ret = config_apply(&scratch, argv[i]);
	return ret < 0 ? config_change(c.session, argc, argv) : ret;
}

static const char *keys(unsigned int i)
{
	static const char *const words[] = {
		"slots=", "wake_us=", "mode=discard", "mode=overwrite", "headroom=",
	};

	return i < ARRAY_SIZE(words) ? words[i] : NULL;
}

const struct command config_command = {
	.name = "config",
	.about = "Shows or sets the size of the rings",
	.usage = "[slots=N] [wake_us=N] [mode=MODE] [headroom=N]",
	.text = "Without arguments: shows the configuration of the rings. Else sets\n"
		"it, for the next traces; no trace may run and no ring be open.\n"
		"\n"
		"  slots=N    records that the ring of each CPU can hold: a power of\n"
		"             two from 128 to 16M (64k, 1M work too); 32 bytes each\n"
		"  wake_us=N  how often a waiting reader looks for records, 100 to\n"
		"             10000000 microseconds\n"
		"  mode=MODE  what a full ring does: discard (drops new records and counts\n"
		"             them) or overwrite (the flight recorder: keeps the latest,\n"
		"             see 'ft snapshot')\n"
		"  headroom=N records of each ring that mode=overwrite keeps free for\n"
		"             bursts: at most half; 0: a quarter\n",
	.options = options,
	.word = keys,
	.max = OPERANDS_ANY,
	.main = config_main,
};
