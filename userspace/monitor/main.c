// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft monitor: its options. A program of its own, so that ft needs no library for HTTP. */
#include <errno.h>
#include <unistd.h>

#include "base/abouts.h"
#include "base/exit_status.h"
#include "base/options.h"
#include "control/sensor_defaults.h"
#include "control/sensors.h"
#include "monitor/server.h"
#include "sensor/program.h"

struct monitor {
	const char	*listen;
	size_t		top;
	bool		usual;
	pid_t		program;
};

static const struct option_row options[] = {
	{ 'l', "listen", "ADDRESS:PORT", "where (127.0.0.1:9117)",
	  OPTION_TEXT(struct monitor, listen) },
	{ 'n', "top", "N", "of each sensor that is split, N rows with the greatest sums (20; 0: all)",
	  OPTION_ROWS(struct monitor, top) },
	{ 0, "default", NULL, "make the default sensors; they end with it",
	  OPTION_FLAG(struct monitor, usual) },
	SENSOR_PROGRAM_OPTION(struct monitor, program),
	{ }
};

static int monitor_main(int argc, char **argv);

static const struct command monitor_command = {
	.name = "monitor",
	.about = ABOUT_MONITOR,
	.usage = "[--listen ADDRESS:PORT] [--top N] [--default | --program[=PID]]",
	.text = "Serves what all sensors have counted as OpenMetrics text at /metrics, for\n"
		"Prometheus and others, until a signal ends it. With --default it makes those\n"
		"sensors of 'ft sensors default' that are not there to stay; they end with it.\n"
		"It listens on this machine's loopback address unless --listen says otherwise, and\n"
		"has no encryption and no passwords: to serve others, put a proxy in front of it.\n",
	.options = options,
	.main = monitor_main,
};

static int monitor_main(int argc, char **argv)
{
	struct monitor o = { .listen = "127.0.0.1:9117", .top = 20, .program = SENSOR_NO_PROGRAM };
	int ret = options_parse_program(&monitor_command, &o, &argc, &argv), fd;
	struct sensor_defaults own = { .n = 0 };
	bool ok;

	if (ret >= 0)
		return ret;
	if (o.usual && o.program != SENSOR_NO_PROGRAM)
		return usage_error("monitor", "--default makes sensors of the kernel, --program "
				   "serves those of programs: take one of them");
	fd = o.program == SENSOR_NO_PROGRAM ? sensors_open(o.usual) :
					      sensor_program_open(o.program, NULL);
	if (fd < 0)
		return FT_EXIT_ERROR;
	/* A name that a persistent sensor has needs none: that one is served. */
	ok = (!o.usual || sensor_defaults_make(fd, 0, &own)) &&
	      server_run(o.listen, fd, o.top, o.program != SENSOR_NO_PROGRAM, &own);
	close(fd);
	return ok ? FT_EXIT_OK : FT_EXIT_ERROR;
}

int main(int argc, char **argv)
{
	program_invocation_short_name = (char *)"ft";
	program_invocation_name = (char *)"ft";
	return monitor_main(argc, argv);
}
