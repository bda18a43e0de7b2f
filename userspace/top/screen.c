// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft top on a terminal: see screen.h. */
#include <inttypes.h>
#include <locale.h>
#include <ncurses.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/end_signals.h"
#include "sensor/bins.h"
#include "top/once.h"
#include "top/screen.h"
#include "view/text/text.h"

#define LINES_HEAD	3
#define LEAST_SECONDS	0.1
#define MOST_SECONDS	60.0

/**
 * struct screen - what the user sees
 * @at:		the selected row
 * @from:	the first row that is seen
 * @typed:	the filter is being typed
 */
struct screen {
	struct model	*m;
	double		seconds;
	size_t		at, from;
	bool		paused, details, help, typed, leave, failed;
};

static size_t rows_seen(const struct screen *s)
{
	int lines = LINES - LINES_HEAD - 1;

	if (s->details)
		lines /= 2;
	return lines > 0 ? (size_t)lines : 0;
}

/* --- drawing --------------------------------------------------------------------- */

/* A line, cut at the edge. */
static void line(int y, attr_t attr, const char *text)
{
	if (y < 0 || y >= LINES)
		return;
	attron(attr);
	mvaddnstr(y, 0, text, COLS);
	if (attr & A_REVERSE)
		mvchgat(y, 0, -1, attr, 0, NULL);
	attroff(attr);
}

static void draw_head(const struct screen *s)
{
	const struct model *m = s->m;
	char text[256];

	snprintf(text, sizeof(text), "ft top: %s by %s, sorted by %s, %s%.1f s%s%s%s%s",
		 m->program == SENSOR_NO_PROGRAM ? "kernel locks" : "locks of programs",
		 model_by_name(m->by), model_sort_name(m->sort),
		 m->since_start ? "since the start " : "the last ", m->seconds,
		 *m->filter || s->typed ? ", filter: " : "", m->filter, s->typed ? "_" : "",
		 s->paused ? " [paused]" : "");
	line(0, A_BOLD, text);
	snprintf(text, sizeof(text), "%s%-20s %s", TOP_HEAD, "locks",
		 m->by == BY_FAMILY ? "" : model_by_name(m->by));
	line(2, A_REVERSE, text);
}

static void draw_row(const struct screen *s, size_t i, int y)
{
	const struct model_row *row = &s->m->row[i];
	char text[128 + 64 + LABEL_LEN], cells[128], kind[64];

	snprintf(text, sizeof(text), "%s%-20s %s", top_cells(s->m, row, cells),
		 top_kind(s->m, row, kind, sizeof(kind)),
		 s->m->by == BY_FAMILY ? "" : row->name);
	line(y, i == s->at ? A_STANDOUT : A_NORMAL, text);
}

/* Bins next to each other share a line until they fit. */
static void draw_bins(const struct screen *s, const struct model_row *row, int y, int lines)
{
	const struct ft_sensor_header *h = &s->m->sensor[row->sensor].map.head;
	const struct ft_sensor_axis *axis = &h->sensor.axis[0];
	uint32_t first = 0, last = h->n_bins, step = 1;
	uint64_t most = 1;
	char text[256], low[CELL];

	if (lines <= 0)
		return;
	while (first < last && !row->sums->bins[first])
		first++;
	while (last > first && !row->sums->bins[last - 1])
		last--;
	while ((last - first + step - 1) / step > (uint32_t)lines)
		step *= 2;
	for (int pass = 0; pass < 2; pass++) {
		int at = y;

		for (uint32_t i = first; i < last; i += step, at++) {
			uint64_t n = 0;
			int bar;

			for (uint32_t k = i; k < i + step && k < last; k++)
				n += row->sums->bins[k];
			most = n > most ? n : most;
			if (!pass)
				continue;
			bar = COLS > 32 ? (int)((double)n * (COLS - 32) / (double)most) : 0;
			snprintf(text, sizeof(text), "%8s.. %10" PRIu64 " ",
				 text_ps(low, shown_ps(h, bins_low(axis, i))), n);
			line(at, A_NORMAL, text);
			if (at < LINES)
				mvhline(at, 23, '#', bar);
		}
	}
}

static void draw_details(const struct screen *s)
{
	const struct model_row *row = &s->m->row[s->at];
	const struct model_sensor *sensor = &s->m->sensor[row->sensor];
	int y = LINES_HEAD + (int)rows_seen(s);
	const struct sums_extreme *most = &row->sums->most;
	char text[256 + 2 * LABEL_LEN], site[LABEL_LEN], lock[LABEL_LEN];

	snprintf(text, sizeof(text), "%s %s %s", sensor->family, sensor->what, row->name);
	line(y++, A_REVERSE, text);
	if (row->sums->noted) {
		snprintf(text, sizeof(text), "longest: %.1f s after the sensor began, task %d on CPU %u, lock %s, at %s",
			 shown_seconds(&sensor->map.head, most->ts - sensor->map.head.since_ticks),
			 most->tid, most->cpu,
			 label_of(FT_SPLIT_WORD, most->a, s->m->symbols, lock),
			 label_of(FT_SPLIT_SITE, most->b, s->m->symbols, site));
		line(y++, A_NORMAL, text);
	}
	draw_bins(s, row, y, LINES - y - 1);
}

/* Programs have rows by one of them, and no others; which one, their sensors say. */
static void draw_help(const struct model *m)
{
	static const char *const of_programs[MODEL_BYS] = {
		[BY_SITE] = "f s       by family, call site",
		[BY_LOCK] = "f l       by family, lock",
		[BY_TASK] = "f t       by family, task",
	};
	const char *const text[] = {
		m->program == SENSOR_NO_PROGRAM || !m->n_sensors ?
			"f s l t   by family, call site, lock, task" : of_programs[m->counted_by],
		"< >       sort by another column; c count, T time, p p99, m max",
		"up down   select a row; Enter shows and hides its distribution",
		"/         filter: only rows with this text; Enter ends, Esc removes it",
		"b         time base: since the last look, or since the start",
		"space     pause",
		"+ -       look more often, less often",
		"h         this help; q ends",
	};

	for (size_t i = 0; i < ARRAY_SIZE(text); i++)
		line(LINES_HEAD + (int)i, A_NORMAL, text[i]);
}

static void draw(struct screen *s)
{
	size_t n = rows_seen(s);

	if (s->at >= s->m->n_rows)
		s->at = s->m->n_rows ? s->m->n_rows - 1 : 0;
	if (s->at < s->from)
		s->from = s->at;
	if (n && s->at >= s->from + n)
		s->from = s->at - n + 1;
	erase();
	draw_head(s);
	if (s->help) {
		draw_help(s->m);
	} else {
		for (size_t i = 0; i < n && s->from + i < s->m->n_rows; i++)
			draw_row(s, s->from + i, LINES_HEAD + (int)i);
		if (s->details && s->m->n_rows)
			draw_details(s);
	}
	line(LINES - 1, A_DIM, "q quit  h help  f/s/l/t by  </> sort  / filter  b base  Enter details");
	refresh();
}

/* --- keys ------------------------------------------------------------------------ */

static void type_filter(struct screen *s, int key)
{
	size_t len = strlen(s->m->filter);

	if (key == '\n' || key == KEY_ENTER) {
		s->typed = false;
	} else if (key == 27) {
		s->typed = false;
		s->m->filter[0] = '\0';
	} else if ((key == KEY_BACKSPACE || key == 127 || key == 8) && len) {
		s->m->filter[len - 1] = '\0';
	} else if (key >= ' ' && key < 127 && len + 1 < sizeof(s->m->filter)) {
		s->m->filter[len] = (char)key;
		s->m->filter[len + 1] = '\0';
	}
	model_rows(s->m);
}

/* Outside of the screen, for what the model may say; the next refresh() brings that back. */
static void begin(struct screen *s)
{
	endwin();
	if (model_find_again(s->m))
		model_rows(s->m);
	else
		s->failed = s->leave = true;
}

static void set_by(struct screen *s, enum model_by by)
{
	if (!model_has_by(s->m, by))
		return;
	/* of those that come next, too, where another one was asked for before */
	s->m->wanted = by;
	if (by == s->m->by)
		return;
	s->at = 0;
	s->from = 0;
	begin(s);
}

/* The selected row moves with what it is the row of. */
static void look(struct screen *s)
{
	struct model_row selected = { 0 };
	size_t i;

	if (model_waits(s->m))
		return;
	if (model_is_gone(s->m)) {
		begin(s);
		return;
	}
	if (s->at < s->m->n_rows)
		selected = s->m->row[s->at];
	model_look(s->m);
	for (i = 0; i < s->m->n_rows; i++) {
		if (s->m->row[i].sensor == selected.sensor &&
		    !strcmp(s->m->row[i].name, selected.name))
			s->at = i;
	}
}

static void sort_by(struct screen *s, enum model_sort sort)
{
	s->m->sort = sort;
	model_rows(s->m);
}

static void move_to(struct screen *s, long by)
{
	long at = (long)s->at + by, last = (long)s->m->n_rows - 1;

	s->at = at < 0 || last < 0 ? 0 : (size_t)(at > last ? last : at);
}

static void press(struct screen *s, int key)
{
	switch (key) {
	case 'q':
		s->leave = true;
		break;
	case 'h':
	case '?':
		s->help = !s->help;
		break;
	case 'f':
		set_by(s, BY_FAMILY);
		break;
	case 's':
		set_by(s, BY_SITE);
		break;
	case 'l':
		set_by(s, BY_LOCK);
		break;
	case 't':
		set_by(s, BY_TASK);
		break;
	case '>':
		sort_by(s, (s->m->sort + 1) % MODEL_SORTS);
		break;
	case '<':
		sort_by(s, (s->m->sort + MODEL_SORTS - 1) % MODEL_SORTS);
		break;
	case 'c':
		sort_by(s, SORT_COUNT);
		break;
	case 'T':
		sort_by(s, SORT_TIME);
		break;
	case 'p':
		sort_by(s, SORT_P99);
		break;
	case 'm':
		sort_by(s, SORT_MAX);
		break;
	case 'b':
		s->m->since_start = !s->m->since_start;
		model_rows(s->m);
		break;
	case ' ':
		s->paused = !s->paused;
		break;
	case '/':
		s->typed = true;
		break;
	case '\n':
	case KEY_ENTER:
		s->details = !s->details;
		break;
	case '+':
		s->seconds = s->seconds / 2 > LEAST_SECONDS ? s->seconds / 2 : LEAST_SECONDS;
		break;
	case '-':
		s->seconds = s->seconds * 2 < MOST_SECONDS ? s->seconds * 2 : MOST_SECONDS;
		break;
	case KEY_UP:
		move_to(s, -1);
		break;
	case KEY_DOWN:
		move_to(s, 1);
		break;
	case KEY_PPAGE:
		move_to(s, -(long)rows_seen(s));
		break;
	case KEY_NPAGE:
		move_to(s, (long)rows_seen(s));
		break;
	default:
		break;
	}
}

/* Until the next look, or a key. */
static void wait_key(struct screen *s, double until)
{
	double left = until - monotonic_now();
	int key;

	/* not longer than a number of milliseconds can say */
	timeout(left > 0 ? (int)((left < MOST_SECONDS ? left : MOST_SECONDS) * 1000) + 1 : 0);
	key = getch();
	if (key == ERR)
		return;
	if (s->typed)
		type_filter(s, key);
	else
		press(s, key);
}

bool screen_run(struct model *m, double seconds)
{
	struct screen s = { .m = m, .seconds = seconds };
	double next = monotonic_now();

	setlocale(LC_ALL, "");
	end_signals_catch();
	if (!initscr())
		return false;
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	curs_set(0);
	while (!s.leave && !end_signals_came()) {
		if (monotonic_now() >= next) {
			if (!s.paused)
				look(&s);
			next = monotonic_now() + s.seconds;
		}
		draw(&s);
		wait_key(&s, next);
	}
	endwin();
	return !s.failed;
}
