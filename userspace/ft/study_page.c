// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft study: reading what was recorded, and writing the page as text and files. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/series.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/virtual.h"
#include "ft/study_page.h"
#include "ft/study_paper.h"
#include "symbols/tasks.h"
#include "trace/fact.h"
#include "trace/session_file.h"
#include "view/page/page.h"

#define PATH_LEN	4096

/* --- reading --- */

/* What is studied is not what the recorder does: it has locks of its own to take. */
static void leave_out_recorder(struct report *r)
{
	char name[16];

	r->names = names_open(r->trace.dir);
	if (!r->names)
		return;
	filter_leave_out(&r->filter, r->names, "ft");
	for (unsigned int i = 0; i < r->trace.n_streams; i++) {
		snprintf(name, sizeof(name), "ft-cpu%u", r->trace.streams[i].cpu);
		filter_leave_out(&r->filter, r->names, name);
	}
}

/* Return: 1, 0 where there is no such trace, -1 with a message */
static int read_workload(struct study_results *s, unsigned int w)
{
	struct report *r = &s->report[w];
	char dir[PATH_LEN], path[PATH_LEN], name[128];

	study_path(dir, sizeof(dir), s->dir, study_names[w]);
	if (access(study_path(path, sizeof(path), dir, "metadata"), F_OK))
		return 0;
	for (unsigned int kind = 0; kind < PAPER_KINDS; kind++) {
		struct report_limit *limit = &r->limit[r->n_limits++];

		limit->ns = paper[kind].limit_us * 1000u;
		snprintf(limit->name, sizeof(limit->name), "%u",
			 paper[kind].limit_us);
	}
	if (trace_open(&r->trace, dir))
		return -1;
	r->symbols = symbols_open(r->trace.dir, NULL);
	leave_out_recorder(r);
	r->series = report_series_new(&r->trace);
	if (report_collect(r))
		return -1;
	s->have[w] = true;
	s->lost |= trace_lost(&r->trace) > 0;
	s->broken |= trace_status(&r->trace) == FT_EXIT_ERROR;
	if (trace_fact(&r->trace, "virtual", name, sizeof(name)) &&
	    virtual_is_emulator(name))
		snprintf(s->emulator, sizeof(s->emulator), "%s", name);
	return 1;
}

static bool read_all(struct study_results *s)
{
	unsigned int w;
	int n = 0, ret;

	for (w = 0; w < STUDY_WORKLOADS; w++) {
		ret = read_workload(s, w);
		if (ret < 0)
			return false;
		n += ret;
	}
	if (!n)
		warnx("%s has no study: there is none of %s/idle, %s/compile and "
		      "%s/stress; make one with ft study --here or --vm", s->dir,
		      s->dir, s->dir, s->dir);
	return n;
}

bool study_fact(const struct study_results *s, const char *key, char *buf,
		size_t len)
{
	unsigned int w;

	if (!session_get(s->dir, key, buf, len))
		return true;
	for (w = 0; w < STUDY_WORKLOADS; w++) {
		if (s->have[w] && trace_fact(&s->report[w].trace, key, buf, len))
			return true;
	}
	return false;
}

const char *study_first(const struct study_results *s)
{
	unsigned int w = 0;

	while (!s->have[w])
		w++;
	return study_names[w];
}

/* --- text --- */

static void text_head(FILE *f, const struct study_results *s)
{
	char value[1024];
	unsigned int w;

	fprintf(f, "Critical sections in the Linux kernel: the paper's study, and this machine's\n\n");
	if (study_fact(s, "host", value, sizeof(value)))
		fprintf(f, "%-10s %s\n", "Host", value);
	if (study_fact(s, "kernel_release", value, sizeof(value)))
		fprintf(f, "%-10s %s\n", "Kernel", value);
	if (study_fact(s, "virtual", value, sizeof(value)))
		fprintf(f, "%-10s %s\n", "Virtual", value);
	for (w = 0; w < STUDY_WORKLOADS; w++) {
		const struct report *r = &s->report[w];

		if (!s->have[w] && w >= STUDY_PAPER)
			continue;
		if (!s->have[w]) {
			fprintf(f, "%-10s not recorded\n", study_names[w]);
			continue;
		}
		fprintf(f, "%-10s %.3f s, %" PRIu64 " records on %u CPUs, ",
			study_names[w], report_seconds(r, (double)(r->last - r->first)),
			r->records, r->trace.n_streams);
		if (trace_lost(&r->trace))
			fprintf(f, "%" PRIu64 " LOST\n", trace_lost(&r->trace));
		else
			fprintf(f, "none lost\n");
	}
	if (s->lost)
		fprintf(f, "\nWARNING: records were lost: what they took part in is missing.\n");
	if (*s->emulator)
		fprintf(f, "\nNOTE: recorded in an emulator (%s): times, marked ~, mean nothing.\n",
			s->emulator);
}

static const char *or_dash(const char *cell)
{
	return *cell ? cell : "-";
}

/* Do the paper's claims hold for these? */
static void text_programs(FILE *f, const struct study_results *s)
{
	unsigned int i, w;

	fprintf(f, "\n%-32s %10s", "", "paper");
	for (w = STUDY_PAPER; w < STUDY_WORKLOADS; w++)
		fprintf(f, " %9s ", study_names[w]);
	fputc('\n', f);
	for (i = 0; i < s->n_rows; i++) {
		const struct study_row *row = &s->row[i];

		fprintf(f, "%c %-30s %10s", row->time && *s->emulator ? '~' : ' ',
			row->name, or_dash(row->paper[STUDY_PAPER]));
		for (w = STUDY_PAPER; w < STUDY_WORKLOADS; w++)
			fprintf(f, " %9s%c", or_dash(row->here[w]),
				row->holds[w] ? ' ' : '!');
		fputc('\n', f);
	}
}

void study_text(FILE *f, const struct study_results *s)
{
	char verdict[STUDY_CELL];
	unsigned int i, w;

	text_head(f, s);
	fprintf(f, "\n%-32s paper (%u CPUs, %u s)%11s %s\n%-32s", "", PAPER_CPUS,
		PAPER_SECONDS, "", "here", "");
	for (w = 0; w < STUDY_PAPER; w++)
		fprintf(f, " %10s", study_names[w]);
	for (w = 0; w < STUDY_PAPER; w++)
		fprintf(f, " %9s ", study_names[w]);
	fputc('\n', f);
	for (i = 0; i < s->n_rows; i++) {
		const struct study_row *row = &s->row[i];

		fprintf(f, "%c %-30s", row->time && *s->emulator ? '~' : ' ',
			row->name);
		for (w = 0; w < STUDY_PAPER; w++)
			fprintf(f, " %10s", or_dash(row->paper[w]));
		for (w = 0; w < STUDY_PAPER; w++)
			fprintf(f, " %9s%c", or_dash(row->here[w]),
				row->holds[w] ? ' ' : '!');
		fputc('\n', f);
	}
	if (study_has_programs(s))
		text_programs(f, s);
	fprintf(f, "\n! marks what the paper found otherwise. The paper's semaphores stand beside all\n"
		"sleeping locks: mutexes, semaphores and rwsems. Nesting counts the locks of the same\n"
		"kind that were held already. The recorder's own locks are left out.\n"
		"More of each: ft report %s/%s\n", s->dir, study_first(s));
	fprintf(f, "\nThe paper's claims that hold%s:\n", *s->emulator ?
		" (those of times are not judged in an emulator)" : "");
	for (w = 0, i = 0; w < STUDY_WORKLOADS; w++) {
		if (s->have[w])
			fprintf(f, "%s%s %s", i++ ? ", " : "", study_names[w],
				study_verdict(s, w, verdict, sizeof(verdict)));
	}
	fputc('\n', f);
}

/* --- files --- */

static bool write_file(const struct study_results *s, const char *name,
		       void (*write)(FILE *f, const struct study_results *s))
{
	char path[PATH_LEN];
	FILE *f = fopen(study_path(path, sizeof(path), s->dir, name), "we");

	if (!f) {
		warn("cannot write '%s'", path);
		return false;
	}
	write(f, s);
	errno = 0;
	if (ferror(f) | fclose(f)) {
		errno = errno ? errno : EIO;
		warn("'%s' is not complete", path);
		return false;
	}
	return true;
}

static void free_results(struct study_results *s)
{
	for (unsigned int w = 0; w < STUDY_WORKLOADS; w++) {
		if (s->report[w].n_limits)
			report_exit(&s->report[w]);
	}
	free(s);
}

int study_page(const char *dir)
{
	struct study_results *s = mem_zalloc(1, sizeof(*s));
	int ret = FT_EXIT_ERROR;

	s->dir = dir;
	if (read_all(s)) {
		study_rows(s);
		if (write_file(s, "study.txt", study_text) &&
		    write_file(s, "study.html", study_html)) {
			study_text(stdout, s);
			printf("\nThe page: %s/study.html\n", dir);
			ret = flush_output(s->broken ? FT_EXIT_ERROR :
					   s->lost ? FT_EXIT_LOST : FT_EXIT_OK);
		}
	}
	free_results(s);
	return ret;
}
