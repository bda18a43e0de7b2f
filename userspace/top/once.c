// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft top without a screen: see once.h. */
#include <inttypes.h>

#include "base/json.h"
#include "top/once.h"
#include "view/text/text.h"

static double rate(const struct model *m, const struct model_row *row)
{
	return m->seconds > 0 ? (double)row->sums->count / m->seconds : 0;
}

const char *top_cells(const struct model *m, const struct model_row *row, char *buf)
{
	const struct ft_sensor_header *h = &m->sensor[row->sensor].map.head;
	char cell[5][CELL];

	snprintf(buf, 128, "%9s %10" PRIu64 " %8s %8s %8s %8s  ",
		 text_rate(cell[0], rate(m, row)), row->sums->count,
		 text_ps(cell[1], shown_ps(h, row->sums->sum)),
		 text_ps(cell[2], shown_ps(h, model_quantile(m, row, 500))),
		 text_ps(cell[3], shown_ps(h, model_quantile(m, row, 990))),
		 row->sums->noted ? text_ps(cell[4], shown_ps(h, row->sums->most.value)) : "-");
	return buf;
}

const char *top_kind(const struct model *m, const struct model_row *row, char *buf, size_t len)
{
	const struct model_sensor *s = &m->sensor[row->sensor];

	snprintf(buf, len, "%s %s", s->family, s->what);
	return buf;
}

void top_once_text(const struct model *m, size_t top)
{
	char cells[128], kind[64];

	printf("%s%-20s %s\n", TOP_HEAD, "locks",
	       m->by == BY_FAMILY ? "" : model_by_name(m->by));
	for (size_t i = 0; i < m->n_rows && i < top; i++)
		printf("%s%-20s %s\n", top_cells(m, &m->row[i], cells),
		       top_kind(m, &m->row[i], kind, sizeof(kind)),
		       m->by == BY_FAMILY ? "" : m->row[i].name);
}

static void ns(struct json *j, const struct ft_sensor_header *h, const char *key, uint64_t ticks)
{
	json_number(j, key, "%.3f", shown_seconds(h, ticks) * 1e9);
}

void top_once_json(const struct model *m, size_t top)
{
	struct json j = { .f = stdout, .flat = 2 };

	json_object(&j, NULL);
	json_number(&j, "seconds", "%.6f", m->seconds);
	json_text(&j, "by", model_by_name(m->by));
	json_array(&j, "rows");
	for (size_t i = 0; i < m->n_rows && i < top; i++) {
		const struct model_row *row = &m->row[i];
		const struct model_sensor *s = &m->sensor[row->sensor];
		const struct ft_sensor_header *h = &s->map.head;

		json_object(&j, NULL);
		json_text(&j, "family", s->family);
		json_text(&j, "what", s->what);
		if (m->by != BY_FAMILY)
			json_text(&j, "name", row->name);
		json_u64(&j, "count", row->sums->count);
		json_number(&j, "rate", "%.3f", rate(m, row));
		ns(&j, h, "time_ns", row->sums->sum);
		ns(&j, h, "p50_ns", model_quantile(m, row, 500));
		ns(&j, h, "p99_ns", model_quantile(m, row, 990));
		if (row->sums->noted)
			ns(&j, h, "max_ns", row->sums->most.value);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
}
