// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The page's tables by call site, lock and task. */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/classes.h"
#include "view/page/html.h"
#include "view/page/page.h"
#include "view/row_key.h"

static const struct {
	const char *id, *title, *column, *one;
} tables[REPORT_TABLES] = {
	[TABLE_SITE] = { "sites", "Call sites", "acquired at", "call sites" },
	[TABLE_LOCK] = { "locks", "Locks", "lock", "locks" },
	[TABLE_TASK] = { "tasks", "Tasks", "task", "tasks" },
	[TABLE_CLASS] = { "classes", "Classes of locks", "class", "classes" },
	[TABLE_STACK] = { "stacks", "Stacks", "innermost function < its caller", "stacks" },
};

static void sketch_cells(FILE *f, const struct report *r, const struct sketch *s)
{
	page_cell_total(f, r, s->sum);
	html_count(f, s->count);
	page_cell_ps(f, report_mean_of(r, s->sum, s->count));
	page_cell_ps(f, report_span(r, sketch_quantile(s, 990)));
	page_cell_ps(f, report_span(r, s->max));
}

/* Columns of waits are shown only if there are waits. */
static bool has_waits(const struct table *t)
{
	for (size_t i = 0; i < t->n_rows; i++) {
		if (t->rows[i]->wait)
			return true;
	}
	return false;
}

static void class_cells(FILE *f, const struct report *r, const struct table_row *row)
{
	double share = 100 * classes_share(r->classes, row);

	html_count(f, classes_row(r->classes, row->key)->locks[table_family(row)]);
	html_number(f, share, "%.1f%%", share);
}

static void row(FILE *f, const struct report *r, enum report_tables which,
		const struct table_row *row, bool waits)
{
	static const struct sketch none;
	const struct sketch *wait = row->wait ? row->wait : &none;
	char *key = row_key(r, which, row->key);

	html_row_begin(f);
	sketch_cells(f, r, &row->hold);
	if (waits) {
		page_cell_total(f, r, wait->sum);
		html_count(f, wait->count);
		page_cell_ps(f, report_span(r, wait->max));
	}
	if (which == TABLE_CLASS)
		class_cells(f, r, row);
	html_cell(f, "%s", r->family[table_family(row)].title);
	html_code(f, "%s", key);
	html_row_end(f);
	free(key);
}

static void head(FILE *f, enum report_tables which, bool waits)
{
	struct html_column columns[12] = {
		{ "total", "hold time of all sections", HTML_NUMBER },
		{ "number", NULL, HTML_NUMBER },
		{ "mean", NULL, HTML_NUMBER },
		{ "p99", "99 percent are not longer", HTML_NUMBER },
		{ "max", NULL, HTML_NUMBER },
	};
	size_t n = 5;

	if (waits) {
		columns[n++] = (struct html_column){
			"waited", "total time of all waits for the lock", HTML_NUMBER };
		columns[n++] = (struct html_column){
			"waits", "number of waits", HTML_NUMBER };
		columns[n++] = (struct html_column){
			"longest wait", NULL, HTML_NUMBER };
	}
	if (which == TABLE_CLASS) {
		columns[n++] = (struct html_column){
			"locks", "how many are of the class", HTML_NUMBER };
		columns[n++] = (struct html_column){
			"share", "of the hold time of all locks", HTML_NUMBER };
	}
	columns[n++] = (struct html_column){ "family", NULL, HTML_TEXT };
	columns[n++] = (struct html_column){ tables[which].column, NULL, HTML_CODE };
	html_table_begin(f, columns, n);
}

static void table(FILE *f, const struct report *r, enum report_tables which)
{
	const struct table *t = &r->table[which];
	size_t n = t->n_rows < r->top ? t->n_rows : r->top;
	bool waits = has_waits(t);

	if (!t->n_rows)
		return;
	html_section_begin(f, tables[which].id, tables[which].title,
			   page_mark(r));
	if (which == TABLE_SITE)
		charts_sites(f, r);
	head(f, which, waits);
	for (size_t i = 0; i < n; i++)
		row(f, r, which, t->rows[i], waits);
	html_table_end(f);
	html_note(f, HTML_NOTE, "%zu of %zu %s, by %s%s.", n, t->n_rows,
		  tables[which].one, table_column_name(r->sort),
		  n < t->n_rows ? "; --top 0 lists all" : "");
	if (t->refused)
		html_note(f, HTML_CAUTION, "There are more %s than are kept: %" PRIu64
			  " sections and waits belong to none of these rows.",
			  tables[which].one, t->refused);
	html_section_end(f);
}

void page_keys(FILE *f, const struct report *r)
{
	enum report_tables which;

	for (unsigned int i = 0; (which = report_table(r, i)) < REPORT_TABLES; i++)
		table(f, r, which);
	page_flames(f, r);
}
