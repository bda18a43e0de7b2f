// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What the rows of a sensor are called: see labels.h. */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/visible.h"
#include "sensor/labels.h"

/* A task that has ended no longer has a name. */
static const char *label_of_task(uint64_t tid, char *buf)
{
	char path[64], comm[32] = "", name[4 * sizeof(comm)];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%llu/comm", (unsigned long long)tid);
	f = fopen(path, "re");
	if (f) {
		if (!fgets(comm, sizeof(comm), f))
			comm[0] = '\0';
		fclose(f);
	}
	comm[strcspn(comm, "\n")] = '\0';
	visible_copy(name, sizeof(name), comm);
	snprintf(buf, LABEL_LEN, *name ? "%llu %s" : "%llu%s", (unsigned long long)tid, name);
	return buf;
}

static const char *label_of_context(uint64_t key, char *buf)
{
	static const char *const contexts[] = { "task", "softirq", "hardirq", "NMI" };

	if (key && key <= ARRAY_SIZE(contexts))
		snprintf(buf, LABEL_LEN, "%s", contexts[key - 1]);
	else
		snprintf(buf, LABEL_LEN, "%llu", (unsigned long long)key);
	return buf;
}

const char *label_of(unsigned int split, uint64_t key, const struct symbols *symbols, char *buf)
{
	switch (split) {
	case FT_SPLIT_TASK:
		return label_of_task(key, buf);
	case FT_SPLIT_CONTEXT:
		return label_of_context(key, buf);
	case LABEL_SPLIT_CPU:
		snprintf(buf, LABEL_LEN, "CPU %llu", (unsigned long long)key);
		return buf;
	default:
		return symbols_format(symbols, key, split == FT_SPLIT_SITE, buf, LABEL_LEN);
	}
}

const char *label_split(unsigned int split)
{
	static const char *const splits[] = {
		[FT_SPLIT_NONE] = "", [FT_SPLIT_SITE] = "site", [FT_SPLIT_WORD] = "lock",
		[FT_SPLIT_TASK] = "task", [FT_SPLIT_CONTEXT] = "context",
	};

	if (split == LABEL_SPLIT_CPU)
		return "cpu";
	return split < ARRAY_SIZE(splits) ? splits[split] : "?";
}

const char *label_kind(unsigned int kind)
{
	static const char *const kinds[] = {
		[FT_SENSOR_COUNTER] = "counter", [FT_SENSOR_SCALAR] = "scalar",
		[FT_SENSOR_HISTOGRAM] = "histogram", [FT_SENSOR_HISTOGRAM2] = "histogram2",
	};

	return kind < ARRAY_SIZE(kinds) ? kinds[kind] : "?";
}
