// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Numbers from text, and as text. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"

int parse_u64(const char *s, uint64_t *value)
{
	int base = s[0] == '0' && (s[1] == 'x' || s[1] == 'X') ? 16 : 10;
	const char *digits = base == 16 ? s + 2 : s;
	char *end;

	/* strtoull() would accept blanks, signs and a bare "0x" */
	if (!isxdigit((unsigned char)digits[0]))
		return -EINVAL;
	errno = 0;
	*value = strtoull(digits, &end, base);
	if (*end)
		return -EINVAL;
	return -errno;
}

int parse_count(const char *s, uint64_t *value)
{
	static const char units[] = "kmg";
	size_t len = strlen(s);
	const char *unit;
	unsigned int shift;
	char digits[32];
	int ret;

	if (!len || len >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, s, len + 1);
	unit = strchr(units, tolower((unsigned char)s[len - 1]));
	shift = unit ? 10 * (unsigned int)(unit - units + 1) : 0;
	if (shift)
		digits[len - 1] = '\0';
	ret = parse_u64(digits, value);
	if (ret)
		return ret;
	if (*value > UINT64_MAX >> shift)
		return -ERANGE;
	*value <<= shift;
	return 0;
}

int parse_seconds(const char *s, double *value)
{
	char *end;

	if (!isdigit((unsigned char)s[0]) && s[0] != '.')
		return -EINVAL;
	errno = 0;
	*value = strtod(s, &end);
	if (*end || end == s || !isfinite(*value) || *value <= 0)
		return -EINVAL;
	return -errno;
}

const char *format_size(char *buf, size_t len, uint64_t bytes)
{
	static const char *const unit[] = { "KiB", "MiB", "GiB", "TiB" };
	double value = bytes / 1024.0;
	size_t i = 0;

	if (bytes < 1024) {
		snprintf(buf, len, "%u bytes", (unsigned int)bytes);
		return buf;
	}
	for (; value >= 1024 && i + 1 < ARRAY_SIZE(unit); i++)
		value /= 1024;
	snprintf(buf, len, "%.1f %s", value, unit[i]);
	return buf;
}
