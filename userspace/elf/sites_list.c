// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The triggers of files as text, TSV and JSON. */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/output.h"
#include "base/visible.h"
#include "elf/sites_list.h"

/* Each cell of a line of text; free() them. */
enum column { EVENT, ADDRESS, FUNCTION, SOURCE, COLUMNS };

static void make_cells(const struct site *s, char *cells[COLUMNS])
{
	cells[EVENT] = s->event ? mem_strdup(s->event) : mem_format("id %u", s->id);
	cells[ADDRESS] = mem_format("%s%s0x%" PRIx64, s->section ? s->section : "",
				    s->section ? "+" : "", s->at.addr);
	cells[FUNCTION] = s->function ?
			  mem_format("%s+0x%" PRIx64, s->function, s->offset) : mem_strdup("-");
	if (!s->source)
		cells[SOURCE] = mem_strdup("-");
	else if (s->n_inlined)
		cells[SOURCE] = mem_format("%s:%d (inlined %s)", s->source, s->line,
					   s->inlined[0]);
	else
		cells[SOURCE] = mem_format("%s:%d", s->source, s->line);
}

/* @path: for a line of its own, or NULL */
static void show_text(const struct sites *s, const char *path)
{
	static const char *const titles[COLUMNS] = {
		"event", "address", "function", "source",
	};
	int width[COLUMNS];
	char *(*cells)[COLUMNS] = mem_zalloc(s->n + 1, sizeof(*cells));

	for (int c = 0; c < COLUMNS; c++) {
		cells[0][c] = mem_strdup(titles[c]);
		width[c] = (int)strlen(titles[c]);
	}
	for (size_t i = 0; i < s->n; i++) {
		make_cells(&s->site[i], cells[i + 1]);
		for (int c = 0; c < COLUMNS; c++) {
			int len = (int)strlen(cells[i + 1][c]);

			width[c] = len > width[c] ? len : width[c];
		}
	}
	if (path) {
		char *shown = visible_new(path);

		printf("%s:\n", shown);
		free(shown);
	}
	/* a few long names must not widen the column */
	if (width[FUNCTION] > 40)
		width[FUNCTION] = 40;
	for (size_t i = 0; i <= s->n; i++) {
		printf("%-*s  %-*s  %-*s  %s\n", width[EVENT], cells[i][EVENT],
		       width[ADDRESS], cells[i][ADDRESS], width[FUNCTION],
		       cells[i][FUNCTION], cells[i][SOURCE]);
		for (int c = 0; c < COLUMNS; c++)
			free(cells[i][c]);
	}
	if (path)
		putchar('\n');
	free(cells);
}

static void show_tsv(const struct image *img, const struct sites *sites)
{
	char *path = visible_new(img->path);

	for (size_t i = 0; i < sites->n; i++) {
		const struct site *s = &sites->site[i];

		printf("%s\t%s\t%u\t%s\t0x%" PRIx64 "\t%s\t0x%" PRIx64
		       "\t%s\t%d\t%s\n",
		       path, s->event ? s->event : "-", s->id, s->section ? s->section : "-",
		       s->at.addr, s->function ? s->function : "-", s->offset,
		       s->source ? s->source : "-", s->line,
		       s->n_inlined ? s->inlined[0] : "-");
	}
	free(path);
}

static void put_text(struct json *j, const char *key, const char *text)
{
	if (text)
		json_text(j, key, text);
	else
		json_null(j, key);
}

static void show_json(struct json *j, const struct image *img,
		      const struct sites *sites)
{
	for (size_t i = 0; i < sites->n; i++) {
		const struct site *s = &sites->site[i];

		json_object(j, NULL);
		json_text(j, "file", img->path);
		put_text(j, "event", s->event);
		json_number(j, "id", "%u", s->id);
		put_text(j, "section", s->section);
		json_number(j, "address", "\"0x%" PRIx64 "\"", s->at.addr);
		put_text(j, "function", s->function);
		json_number(j, "offset", "%" PRIu64, s->offset);
		put_text(j, "source", s->source);
		json_number(j, "line", "%d", s->line);
		json_array(j, "inlined");
		for (size_t k = 0; k < s->n_inlined; k++)
			json_text(j, NULL, s->inlined[k]);
		json_end(j);
		json_end(j);
	}
}

/* Return: 0, or -1 after a message: there is more in the file, or nothing known. */
static int find_sites(struct sites *s, struct image *img,
		      const char *(*family)(unsigned int))
{
	sites_find_user(s, img);
	if (!img->is32 && sites_find_kernel(s, img, family))
		return -1;
	if (s->bad) {
		warnx("%s: is damaged: %zu of its trigger entries point to no trigger",
		      img->path, s->bad);
		return -1;
	}
	if (!s->n)
		warnx("%s: no triggers", img->path);
	return 0;
}

static void name_sections(struct sites *s, const struct image *img)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->site[i].at.section)
			s->site[i].section =
				visible_new(img->section[s->site[i].at.section].name);
	}
}

/* Return: 0, or -1 after a message */
static int show_file(const struct sites_list *o, struct json *j, const char *path, bool title)
{
	struct sites s = { 0 };
	struct image img;
	int ret;

	if (image_open(&img, path))
		return -1;
	ret = find_sites(&s, &img, o->family);
	if (s.n) {
		name_sections(&s, &img);
		sites_find_source(&s, &img, o->mangled);
		sites_sort(&s, o->order);
	}
	if (o->format == OUTPUT_TSV)
		show_tsv(&img, &s);
	else if (o->format == OUTPUT_JSON)
		show_json(j, &img, &s);
	else if (s.n)
		show_text(&s, title ? path : NULL);
	sites_free(&s);
	image_close(&img);
	return ret;
}

bool sites_list(const struct sites_list *o, char **paths, int n)
{
	struct json j = { .f = stdout };
	bool ok = true;

	if (o->format == OUTPUT_TSV)
		puts("file\tevent\tid\tsection\taddress\tfunction\toffset\tsource\tline\tinlined");
	if (o->format == OUTPUT_JSON)
		json_array(&j, NULL);
	for (int i = 0; i < n; i++)
		ok &= !show_file(o, &j, paths[i], n > 1);
	if (o->format == OUTPUT_JSON)
		json_end(&j);
	return ok;
}
