// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft export: times, alike in all formats. */
#include <stdio.h>
#include <time.h>

#include "view/data/export.h"

const char *export_time(const struct trace *t, uint64_t ts, char *buf)
{
	uint32_t ns;
	time_t seconds = (time_t)trace_wall(t, ts, &ns);
	struct tm tm;
	size_t n = 0;

	buf[0] = '\0';
	if (!gmtime_r(&seconds, &tm))
		return buf;
	n = strftime(buf, EXPORT_TIME_LEN, "%Y-%m-%dT%H:%M:%S", &tm);
	if (n)
		snprintf(buf + n, EXPORT_TIME_LEN - n, ".%09uZ", ns);
	return buf;
}
