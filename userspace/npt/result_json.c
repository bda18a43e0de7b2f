// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The result for programs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "base/array.h"
#include "base/json.h"
#include "npt/result.h"
#include "npt/span.h"

static void put_ns(struct json *j, const char *key, double ticks, uint64_t hz)
{
	json_number(j, key, "%.3f", span_ns(ticks, hz));
}

static void put_turns(struct json *j, const char *key, const struct turns *t, uint64_t hz)
{
	static const struct { const char *key; unsigned int permille; } quantiles[] = {
		{ "p50_ns", 500 }, { "p90_ns", 900 }, { "p99_ns", 990 }, { "p999_ns", 999 },
	};

	json_object(j, key);
	json_u64(j, "count", t->count);
	if (t->count) {
		put_ns(j, "min_ns", t->min, hz);
		put_ns(j, "mean_ns", turns_mean(t), hz);
		put_ns(j, "stddev_ns", turns_deviation(t), hz);
		for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++)
			put_ns(j, quantiles[i].key, turns_quantile(t, quantiles[i].permille), hz);
		put_ns(j, "max_ns", t->max, hz);
	}
	json_end(j);
}

static void put_bins(struct json *j, const struct npt_result *r)
{
	struct result_bin bin;
	uint32_t at = 0;

	json_array(j, "histogram");
	while (result_next_bin(r->turns, &at, &bin)) {
		json_object(j, NULL);
		put_ns(j, "from_ns", bin.low, r->hz);
		put_ns(j, "to_ns", bin.high, r->hz);
		json_u64(j, "count", bin.count);
		json_end(j);
	}
	json_end(j);
}

static void put_causes(struct json *j, const struct npt_result *r, const struct long_turn *turn)
{
	json_array(j, "causes");
	for (size_t i = 0; i < turn->causes; i++) {
		json_object(j, NULL);
		json_text(j, "name", turn->cause[i].name);
		put_ns(j, "begin_ns", turn->cause[i].start - r->begin, r->hz);
		put_ns(j, "length_ns", turn->cause[i].end - turn->cause[i].start, r->hz);
		json_u64(j, "depth", turn->cause[i].depth);
		json_end(j);
	}
	json_end(j);
	put_ns(j, "known_ns", turn->known, r->hz);
	json_bool(j, "lost", turn->gap);
	if (!turn->lock.length)
		return;
	json_object(j, "lock");
	json_text(j, "name", turn->lock.name);
	json_text(j, "family", turn->lock.family);
	json_text(j, "site", turn->lock.site);
	json_bool(j, "waited", turn->lock.waited);
	put_ns(j, "length_ns", turn->lock.length, r->hz);
	json_end(j);
}

static void put_longest(struct json *j, const struct npt_result *r)
{
	const struct long_turn **longest;
	size_t n;

	longest = result_longest(r, &n);
	json_array(j, "longest");
	for (size_t i = 0; i < n; i++) {
		json_object(j, NULL);
		put_ns(j, "begin_ns", longest[i]->turn.begin - r->begin, r->hz);
		put_ns(j, "length_ns", longest[i]->turn.end - longest[i]->turn.begin, r->hz);
		json_u64(j, "begin_ticks", longest[i]->turn.begin);
		json_u64(j, "end_ticks", longest[i]->turn.end);
		if (r->causes.found)
			put_causes(j, r, longest[i]);
		json_end(j);
	}
	json_end(j);
	free(longest);
}

void result_json(const struct npt_result *r)
{
	struct json j = { .f = stdout };
	struct utsname uts;

	json_object(&j, NULL);
	if (!uname(&uts)) {
		json_text(&j, "host", uts.nodename);
		json_text(&j, "kernel_release", uts.release);
	}
	json_u64(&j, "start", (uint64_t)r->start);
	json_array(&j, "warnings");
	for (size_t i = 0; i < r->warnings.n; i++)
		json_text(&j, NULL, r->warnings.text[i]);
	json_end(&j);
	json_bool(&j, "interrupted", r->interrupted);
	json_u64(&j, "cpu", r->place.cpu);
	json_u64(&j, "priority", r->place.priority);
	json_bool(&j, "kernel", r->in_kernel);
	json_text(&j, "work", loop_work_name(r->loop.work));
	json_text(&j, "clock", r->loop.clock == LOOP_TSC ? "tsc" : "monotonic");
	json_u64(&j, "clock_hz", r->hz);
	put_ns(&j, "clock_step_ns", r->step, r->hz);
	put_ns(&j, "duration_ns", r->turns->sum, r->hz);
	put_turns(&j, "calibration", r->bare, r->hz);
	put_turns(&j, "turns", r->turns, r->hz);
	put_bins(&j, r);
	json_object(&j, "long");
	put_ns(&j, "limit_ns", r->turns->limit, r->hz);
	json_u64(&j, "count", r->turns->long_count);
	put_ns(&j, "total_ns", r->turns->long_sum, r->hz);
	json_u64(&j, "remembered", r->causes.n);
	json_end(&j);
	if (r->trace) {
		json_text(&j, "trace", r->trace);
		json_u64(&j, "lost", r->causes.lost);
	}
	put_longest(&j, r);
	json_end(&j);
}
