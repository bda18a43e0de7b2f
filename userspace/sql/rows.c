// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The rows that a statement gives. See rows.h. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/visible.h"
#include "sql/rows.h"
#include "sql/source.h"
#include "trace/session_file.h"
#include "view/data/csv.h"

/* A value as text; "" for NULL. Valid until the next one. NUL bytes may be in it. */
static struct text text_of(sqlite3_stmt *statement, unsigned int i)
{
	const unsigned char *text = sqlite3_column_text(statement, (int)i);

	return text ? (struct text){ (const char *)text,
				     (size_t)sqlite3_column_bytes(statement, (int)i) } :
		      (struct text){ "", 0 };
}

/* SQLite writes 15 digits, which may be those of several numbers: 17 are those of one. */
static struct text real_of(struct rows *rows, double value, struct text text)
{
	for (int digits = 16; digits <= 17 && strtod(text.at, NULL) != value; digits++) {
		int n = snprintf(rows->real, sizeof(rows->real), "%.*g", digits, value);

		/* so that it is read as a real number */
		if (!strpbrk(rows->real, ".e"))
			n += snprintf(rows->real + n, sizeof(rows->real) - (size_t)n, ".0");
		text = (struct text){ rows->real, (size_t)n };
	}
	return text;
}

/* The same for programs: what they read has the same value. */
static struct text value_of(struct rows *rows, sqlite3_stmt *statement, unsigned int i)
{
	if (sqlite3_column_type(statement, (int)i) == SQLITE_FLOAT) {
		double value = sqlite3_column_double(statement, (int)i);

		return real_of(rows, value, text_of(statement, i));
	}
	return text_of(statement, i);
}

static struct text title_of(sqlite3_stmt *statement, unsigned int i)
{
	const char *title = mem_check((void *)sqlite3_column_name(statement, (int)i));

	return (struct text){ title, strlen(title) };
}

static bool is_number(sqlite3_stmt *statement, unsigned int i)
{
	int type = sqlite3_column_type(statement, (int)i);

	return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* Lines for programs. */

static void put_escaped(FILE *f, struct text text)
{
	const char *end = text.at + text.n;

	session_escape(f, text.at);
	for (text.at += strlen(text.at); text.at < end; text.at += strlen(text.at)) {
		fputs("\\x00", f);
		session_escape(f, ++text.at);
	}
}

static void put_field(const struct rows *rows, struct text text)
{
	if (rows->format == ROWS_CSV)
		csv_bytes(rows->f, text.at, text.n);
	else
		put_escaped(rows->f, text);
}

static void put_line(struct rows *rows, sqlite3_stmt *statement, bool titles)
{
	for (unsigned int i = 0; i < rows->columns; i++) {
		if (i)
			fputc(rows->format == ROWS_CSV ? ',' : '\t', rows->f);
		put_field(rows, titles ? title_of(statement, i) : value_of(rows, statement, i));
	}
	fputc('\n', rows->f);
}

static void put_object(struct rows *rows, sqlite3_stmt *statement)
{
	struct json *j = &rows->json;

	json_object(j, NULL);
	for (unsigned int i = 0; i < rows->columns; i++) {
		const char *title = title_of(statement, i).at;
		struct text text = value_of(rows, statement, i);
		int type = sqlite3_column_type(statement, (int)i);

		if (type == SQLITE_INTEGER)
			json_i64(j, title, sqlite3_column_int64(statement, (int)i));
		else if (type == SQLITE_NULL ||
			 (type == SQLITE_FLOAT && !isfinite(sqlite3_column_double(statement,
										  (int)i))))
			json_null(j, title);
		else if (type == SQLITE_FLOAT)
			json_number(j, title, "%s", text.at);
		else
			json_text_bytes(j, title, text.at, text.n);
	}
	json_end(j);
}

/* Columns for people. */

static unsigned int width_of(const char *text)
{
	unsigned int width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static void put_cell(const struct rows *rows, unsigned int column, const char *text, bool right)
{
	unsigned int width = width_of(text);
	int pad = rows->width[column] > width ? (int)(rows->width[column] - width) : 0;
	bool last = column + 1 == rows->columns;

	if (column)
		fputs("  ", rows->f);
	if (right)
		fprintf(rows->f, "%*s%s", pad, "", text);
	else
		fprintf(rows->f, "%s%*s", text, last ? 0 : pad, "");
	if (last)
		fputc('\n', rows->f);
}

static void put_waiting(struct rows *rows)
{
	for (size_t i = 0; i < rows->cells; i++) {
		put_cell(rows, (unsigned int)(i % rows->columns), rows->cell[i], rows->number[i]);
		free(rows->cell[i]);
	}
	free(rows->cell);
	free(rows->number);
	rows->cell = NULL;
	rows->number = NULL;
	rows->cells = 0;
}

/* As visible_new(), which ends at a NUL byte. */
static char *new_cell(struct text text)
{
	const char *end = text.at + text.n;
	char *cell = NULL;
	size_t len;
	FILE *f;

	if (strlen(text.at) == text.n)
		return visible_new(text.at);
	f = mem_check(open_memstream(&cell, &len));
	while (text.at <= end) {
		char *part = visible_new(text.at);

		fprintf(f, "%s%s", part, text.at + strlen(text.at) < end ? "\\x00" : "");
		free(part);
		text.at += strlen(text.at) + 1;
	}
	if (fclose(f))
		mem_none();
	return cell;
}

static void add_cell(struct rows *rows, struct text text, bool number)
{
	unsigned int *width = &rows->width[rows->cells % rows->columns];
	char *cell = new_cell(text);

	if (width_of(cell) > *width)
		*width = width_of(cell);
	rows->cell[rows->cells] = cell;
	rows->number[rows->cells++] = number;
}

/* The title of a column of numbers stands above their ends. */
static void align_titles(struct rows *rows)
{
	for (unsigned int i = 0; i < rows->columns && rows->cells == 2ul * rows->columns; i++)
		rows->number[i] = rows->number[rows->columns + i];
}

static void put_cells(struct rows *rows, sqlite3_stmt *statement)
{
	for (unsigned int i = 0; i < rows->columns; i++) {
		struct text text = sqlite3_column_type(statement, (int)i) == SQLITE_NULL ?
				   (struct text){ "-", 1 } : text_of(statement, i);
		bool number = is_number(statement, i);
		char *cell;

		if (rows->cell) {
			add_cell(rows, text, number);
			continue;
		}
		cell = new_cell(text);
		put_cell(rows, i, cell, number);
		free(cell);
	}
	if (!rows->cell)
		return;
	align_titles(rows);
	if (rows->cells == (ROWS_MEASURED + 1ul) * rows->columns)
		put_waiting(rows);
}

static void begin_cells(struct rows *rows, sqlite3_stmt *statement)
{
	size_t room = (ROWS_MEASURED + 1ul) * rows->columns;

	rows->cell = mem_zalloc(room, sizeof(*rows->cell));
	rows->number = mem_zalloc(room, sizeof(*rows->number));
	rows->width = mem_zalloc(rows->columns, sizeof(*rows->width));
	rows->cells = 0;
	for (unsigned int i = 0; i < rows->columns; i++)
		add_cell(rows, title_of(statement, i), false);
}

void rows_begin(struct rows *rows, sqlite3_stmt *statement)
{
	rows->columns = (unsigned int)sqlite3_column_count(statement);
	if (rows->format == ROWS_JSON) {
		rows->json = (struct json){ .f = rows->f, .flat = 1 };
		json_array(&rows->json, NULL);
		return;
	}
	if (rows->answers++)
		fputc('\n', rows->f);
	if (rows->format == ROWS_TEXT)
		begin_cells(rows, statement);
	else
		put_line(rows, statement, true);
}

void rows_put(struct rows *rows, sqlite3_stmt *statement)
{
	if (rows->format == ROWS_JSON)
		put_object(rows, statement);
	else if (rows->format == ROWS_TEXT)
		put_cells(rows, statement);
	else
		put_line(rows, statement, false);
}

void rows_end(struct rows *rows)
{
	if (rows->format == ROWS_JSON) {
		json_end(&rows->json);
	} else if (rows->format == ROWS_TEXT) {
		put_waiting(rows);
		free(rows->width);
		rows->width = NULL;
	}
}
