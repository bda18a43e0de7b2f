// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Changes as people read them. */
#include <math.h>
#include <stdio.h>

#include "view/compare_format.h"

const char *format_change(char *buf, double relative)
{
	double times = 1 + relative, percent = 100 * relative;
	bool more = times > 1;

	if (isnan(relative))
		snprintf(buf, CELL, "-");
	else if (times >= 1.995 || (times > 0 && times <= 0.5))
		snprintf(buf, CELL, "%c%.*f", more ? 'x' : '/',
			 fmax(times, 1 / times) < 9.95 ? 1 : 0,
			 fmin(fmax(times, 1 / times), 99999));
	else if (fabs(percent) < 0.05)
		snprintf(buf, CELL, "0 %%");
	else
		snprintf(buf, CELL, "%+.*f %%", fabs(percent) < 9.95 ? 1 : 0,
			 percent);
	return buf;
}
