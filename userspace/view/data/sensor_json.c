// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Sensors as JSON and TSV. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/json.h"
#include "sensor/bins.h"
#include "view/sensor_views.h"

/* Of times in ns, with three digits behind the point; else as it is. */
static void value(struct json *j, const struct ft_sensor_header *h, const char *key, uint64_t v)
{
	if (label_is_time(&h->sensor))
		json_number(j, key, "%.3f", shown_seconds(h, v) * 1e9);
	else
		json_u64(j, key, v);
}

static void bins(struct json *j, const struct ft_sensor_header *h, const struct sums_row *row)
{
	const struct ft_sensor_axis *axis = h->sensor.axis;

	json_array(j, "bins");
	for (uint32_t i = 0; i < h->n_bins; i++) {
		if (!row->bins[i])
			continue;
		json_object(j, NULL);
		value(j, h, "low", bins_low(&axis[0], i % axis[0].bins));
		value(j, h, "high", bins_low(&axis[0], i % axis[0].bins + 1));
		if (axis[1].value)
			json_u64(j, "depth", bins_low(&axis[1], i / axis[0].bins));
		json_u64(j, "count", row->bins[i]);
		json_end(j);
	}
	json_end(j);
}

static void extremes(struct json *j, const struct ft_sensor_header *h, const struct sums_row *row,
		     const struct symbols *symbols)
{
	char name[LABEL_LEN];

	if (!row->noted)
		return;
	value(j, h, "min", row->least);
	value(j, h, "max", row->most.value);
	json_number(j, "max_tid", "%" PRId32, row->most.tid);
	json_u64(j, "max_cpu", row->most.cpu);
	json_text(j, "max_lock", label_of(FT_SPLIT_WORD, row->most.a, symbols, name));
	json_text(j, "max_site", label_of(FT_SPLIT_SITE, row->most.b, symbols, name));
	json_number(j, "max_at_s", "%.6f",
		    row->most.ts > h->since_ticks ?
		    shown_seconds(h, row->most.ts - h->since_ticks) : 0.0);
	if (h->sensor.kind == FT_SENSOR_SCALAR)
		value(j, h, "last", row->last);
}

static void json_row(struct json *j, const struct ft_sensor_header *h, const struct sums_row *row,
		     const struct symbols *symbols)
{
	static const struct {
		const char	*name;
		unsigned int	permille;
	} quantiles[] = { { "p50", 500 }, { "p90", 900 }, { "p99", 990 }, { "p999", 999 } };

	json_u64(j, "count", row->count);
	if (h->sum)
		value(j, h, "sum", row->sum);
	extremes(j, h, row, symbols);
	if (!h->n_bins)
		return;
	for (size_t i = 0; i < 4 && h->sensor.kind == FT_SENSOR_HISTOGRAM && row->count; i++)
		value(j, h, quantiles[i].name, sums_quantile(row, h, quantiles[i].permille));
	json_u64(j, "under", row->under);
	json_u64(j, "over", row->over);
	bins(j, h, row);
}

static void json_sensor(struct json *j, const struct shown *shown, size_t i)
{
	const struct ft_sensor_header *h = &shown->maps.map[i].head;
	const struct sums *sums = &shown->sums[i];
	const struct sums_row **rows = shown_order(sums, h->sensor.kind);
	char name[LABEL_LEN];

	json_object(j, NULL);
	json_text(j, "name", h->sensor.name);
	json_u64(j, "instance", h->sensor.instance);
	json_text(j, "kind", label_kind(h->sensor.kind));
	json_text(j, "by", label_split(h->sensor.split));
	if (h->sensor.n_ranges) {
		json_u64(j, "site_ranges", h->sensor.n_ranges);
		json_bool(j, "outside", h->sensor.flags & FT_SENSOR_OUTSIDE);
	}
	json_text(j, "unit", label_is_time(&h->sensor) ? "ns" : h->sensor.unit);
	json_number(j, "since", "%.9f", (double)h->since_ns / 1e9);
	json_u64(j, "clock_hz", h->clock_hz);
	json_u64(j, "alone", sums->alone);
	json_u64(j, "forgotten", sums->forgotten);
	json_u64(j, "crowded", sums->crowded);
	json_u64(j, "emptied", sums->emptied);
	json_object(j, "all");
	json_row(j, h, &sums->all, shown->symbols);
	json_end(j);
	json_array(j, "rows");
	for (size_t r = 0; r < sums->n && r < shown->top; r++) {
		json_object(j, NULL);
		json_number(j, "key", "\"0x%" PRIx64 "\"", rows[r]->key);
		json_text(j, "name", label_of(h->sensor.split, rows[r]->key, shown->symbols, name));
		json_row(j, h, rows[r], shown->symbols);
		json_end(j);
	}
	json_end(j);
	if (sums_is_split(h)) {
		json_object(j, "others");
		json_row(j, h, &sums->rest, shown->symbols);
		json_end(j);
	}
	json_end(j);
	free(rows);
}

void sensor_json(const struct shown *shown, FILE *f)
{
	struct json j = { .f = f, .flat = 5 };

	json_object(&j, NULL);
	json_array(&j, "sensors");
	for (size_t i = 0; i < shown->maps.n; i++) {
		if (shown->wanted[i])
			json_sensor(&j, shown, i);
	}
	json_end(&j);
	json_end(&j);
}

static void tsv_value(const struct ft_sensor_header *h, uint64_t v, bool is_known)
{
	if (!is_known)
		fputs("\t", stdout);
	else if (label_is_time(&h->sensor))
		printf("\t%.3f", shown_seconds(h, v) * 1e9);
	else
		printf("\t%" PRIu64, v);
}

static void tsv_row(const struct sensor_map *map, const struct sums_row *row, const char *name)
{
	const struct ft_sensor_header *h = &map->head;
	bool has_bins = h->sensor.kind == FT_SENSOR_HISTOGRAM && row->count;

	printf("%s\t%s\t%s\t%" PRIu64, map->full_name, label_split(h->sensor.split), name,
	       row->count);
	tsv_value(h, row->sum, h->sum);
	tsv_value(h, has_bins ? sums_quantile(row, h, 500) : 0, has_bins);
	tsv_value(h, has_bins ? sums_quantile(row, h, 990) : 0, has_bins);
	tsv_value(h, row->least, row->noted);
	tsv_value(h, row->most.value, row->noted);
	tsv_value(h, row->last, row->noted && h->sensor.kind == FT_SENSOR_SCALAR);
	putchar('\n');
}

void sensor_tsv(const struct shown *shown)
{
	char name[LABEL_LEN];

	puts("sensor\tby\trow\tcount\tsum\tp50\tp99\tmin\tmax\tlast");
	for (size_t i = 0; i < shown->maps.n; i++) {
		const struct sensor_map *map = &shown->maps.map[i];
		const struct sums *sums = &shown->sums[i];
		const struct sums_row **rows = shown_order(sums, map->head.sensor.kind);

		if (shown->wanted[i])
			tsv_row(map, &sums->all, "");
		for (size_t r = 0; shown->wanted[i] && r < sums->n && r < shown->top; r++)
			tsv_row(map, rows[r], label_of(map->head.sensor.split, rows[r]->key,
						       shown->symbols, name));
		if (shown->wanted[i] && shown->top && sums_is_split(&map->head))
			tsv_row(map, &sums->rest, "(others)");
		free(rows);
	}
}
