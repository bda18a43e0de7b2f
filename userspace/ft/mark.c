// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft mark: announce the event "mark" with two words. */
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/number.h"
#include "base/usage.h"
#include "control/device.h"
#include "ft/commands.h"

static const char help[] =
	"Usage: ft mark A [B]\n"
	"\n"
	"Puts a record of the event 'mark' with the words A and B (0 if it is\n"
	"left out) into the running trace. Numbers are decimal or 0x hex. The\n"
	"event must be enabled: ft record -e mark,...\n";

/* A mark into a trace that does not take marks would go without a word. */
static void warn_if_off(int control)
{
	struct ft_event_info event = { .id = FT_ID_MARK };

	if (!ioctl(control, FT_IOC_EVENT, &event) &&
	    event.id == FT_ID_MARK && !event.enabled)
		warnx("the event 'mark' is off, nothing was recorded: "
		      "try: ft record -e mark");
}

static int mark_set(const struct ft_mark *mark)
{
	struct ft_info info;
	int control, ret = FT_EXIT_OK;

	control = device_open_control(&info);
	if (control < 0)
		return FT_EXIT_ERROR;
	if (ioctl(control, FT_IOC_MARK, mark) < 0) {
		warn("cannot set the mark");
		ret = FT_EXIT_ERROR;
	} else {
		warn_if_off(control);
	}
	close(control);
	return ret;
}

int mark_main(int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	uint64_t word[2] = { 0, 0 };
	struct ft_mark mark;
	int c;

	while ((c = getopt_long(argc, argv, "+:h", longopts, NULL)) != -1) {
		if (c != 'h')
			return usage_bad_option(c, argv);
		fputs(help, stdout);
		return flush_output(FT_EXIT_OK);
	}
	if (optind == argc)
		return usage_error(argv[0], "mark with which number?");
	if (argc - optind > 2)
		return usage_error(argv[0], "a mark has two words at most: '%s'",
				   argv[optind + 2]);
	for (int i = 0; optind < argc; i++, optind++) {
		if (parse_u64(argv[optind], &word[i]))
			return usage_error(argv[0], "not a 64-bit number "
					   "(decimal or 0x hex): '%s'",
					   argv[optind]);
	}
	mark.a = word[0];
	mark.b = word[1];
	return mark_set(&mark);
}
