// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What --help prints, from the tables of options.h. */
#include <string.h>

#include "base/options.h"

#define LINE	79	/* columns */
#define COLUMN	23	/* texts begin here, or more to the left if all names are short */

/* "  -n, --top N", "      --limit PERCENT" */
static int label(char *text, size_t size, const struct option_row *row)
{
	char letter[] = "    ";

	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	if (row->otherwise)
		return snprintf(text, size, "  %s--%s[=%s]", letter, row->name, row->value);
	return snprintf(text, size, "  %s--%s%s%s", letter, row->name, row->value ? " " : "",
			row->value ? row->value : "");
}

static int text_column(const struct options_flat *flat)
{
	int column = 0;

	for (unsigned int i = 0; i < flat->n; i++) {
		char text[80];
		int width;

		if (!option_is_offered(flat->at[i].row))
			continue;
		width = label(text, sizeof(text), flat->at[i].row) + 2;
		if (width > column && width <= COLUMN)
			column = width;
	}
	return column;
}

/* Words from @at on, which is where the cursor is, in lines that begin in @column. */
static void print_wrapped(const char *text, int at, int column, FILE *f)
{
	bool first = true;

	while (*text) {
		int len = (int)strcspn(text, " ");

		if (!first && at + 1 + len > LINE) {
			fputc('\n', f);
			at = 0;
			first = true;
		}
		if (first)
			at += fprintf(f, "%*s", column - at, "");
		else
			at += fprintf(f, " ");
		at += fprintf(f, "%.*s", len, text);
		text += len + (text[len] == ' ');
		first = false;
	}
	fputc('\n', f);
}

static void print_option(const struct option_row *row, int column, FILE *f)
{
	char text[80];
	int width = label(text, sizeof(text), row);

	fputs(text, f);
	if (width + 2 > column) {
		fputc('\n', f);
		width = 0;
	}
	print_wrapped(row->help, width, column, f);
}

static void print_usage(const struct command *command, FILE *f)
{
	const char *line = command->usage, *title = "Usage:";

	do {
		int len = (int)strcspn(line, "\n");

		fprintf(f, "%-6s ft %s%s%.*s\n", title, command->name, len ? " " : "", len, line);
		line += len + (line[len] == '\n');
		title = "";
	} while (*line);
}

void options_help(const struct command *command, FILE *f)
{
	struct options_flat flat;
	int column;

	options_flatten(&flat, command);
	column = text_column(&flat);
	print_usage(command, f);
	fprintf(f, "\n%s\n", command->text);
	for (unsigned int i = 0; i < flat.n; i++) {
		const struct option_row *row = flat.at[i].row;

		if (option_is_offered(row))
			print_option(row, column, f);
		else if (row->kind == OPTION_KIND_TITLE)
			fprintf(f, "%s%s\n", i ? "\n" : "", row->help);
	}
	if (command->notes)
		fprintf(f, "\n%s", command->notes);
}
