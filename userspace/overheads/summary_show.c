// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A summary of samples, shown: see summary_show.h. */
#include <stddef.h>
#include <stdio.h>

#include "base/array.h"
#include "overheads/summary_show.h"
#include "view/text/text.h"

/* @title: NULL: for programs only */
static const struct {
	const char	*key, *title;
	size_t		offset;
} values[] = {
	{ "min_ns", "min", offsetof(struct samples_summary, min) },
	{ "mean_ns", "mean", offsetof(struct samples_summary, mean) },
	{ "stddev_ns", "std dev", offsetof(struct samples_summary, deviation) },
	{ "p50_ns", "p50", offsetof(struct samples_summary, p50) },
	{ "p95_ns", NULL, offsetof(struct samples_summary, p95) },
	{ "p99_ns", "p99", offsetof(struct samples_summary, p99) },
	{ "p999_ns", "p99.9", offsetof(struct samples_summary, p999) },
	{ "max_ns", "max", offsetof(struct samples_summary, max) },
};

static double value_of(const struct samples_summary *sum, size_t i)
{
	return *(const double *)((const char *)sum + values[i].offset);
}

void summary_text_head(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		if (values[i].title)
			printf(" %8s", values[i].title);
	}
}

void summary_text(const struct samples_summary *sum)
{
	char cell[CELL];

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		if (values[i].title)
			printf(" %8s", text_ps(cell, (report_ps)(value_of(sum, i) * 1000)));
	}
}

void summary_tsv_head(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		printf("\t%s", values[i].key);
}

void summary_tsv(const struct samples_summary *sum)
{
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		printf("\t%.1f", value_of(sum, i));
}

void summary_json(struct json *j, const struct samples_summary *sum)
{
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		json_number(j, values[i].key, "%.1f", value_of(sum, i));
}
