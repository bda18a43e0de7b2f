// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The metadata of a trace of programs, in the form of the module's (module/trace/meta.c): one
 * stream for each ring, and the events that the programs have entered.
 */
#include <ctype.h>
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <feather_trace/tsdl.h>
#include <feather_trace/version.h>

#include "base/uuid.h"
#include "record/early_bound.h"
#include "libfeathertrace/heap_events.h"
#include "record/program/run.h"
#include "trace/families.h"

static void put_string(FILE *f, const char *key, const char *value)
{
	fprintf(f, "\t%s = \"", key);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			fputc('\\', f);
		fputc(isprint((unsigned char)*value) ? *value : '?', f);
	}
	fputs("\";\n", f);
}

static void put_env(FILE *f, const struct run *run)
{
	struct utsname uts;

	fputs("\nenv {\n", f);
	if (!uname(&uts)) {
		put_string(f, "hostname", uts.nodename);
		put_string(f, "sysname", uts.sysname);
		put_string(f, "kernel_release", uts.release);
	}
	put_string(f, "domain", "ust");
	put_string(f, "tracer_name", "feather-trace");
	put_string(f, "acquire_clock", run->ordered ? "ordered" : "plain");
	if (run->early >= 0)
		fprintf(f, "\tacquire_early_ns = %" PRIu64 ";\n",
			record_early_ns(run->early, run->clock.hz));
	fputs(FEATHER_TRACE_TSDL "};\n", f);
}

static void put_head(FILE *f, const struct run *run)
{
	char uuid[UUID_LEN];

	uuid_format(uuid, run->uuid);
	fputs("/* CTF 1.8 */\n\n" FT_TSDL_TYPES, f);
	fprintf(f, FT_TSDL_TRACE("%s"), uuid);
	put_env(f, run);
	fprintf(f, FT_TSDL_CLOCK,
		run->clock.source == FT_CLOCK_TSC ? "TSC" : "CLOCK_MONOTONIC",
		(unsigned long long)run->clock.hz,
		(long long)run->clock.offset_s,
		(unsigned long long)run->clock.offset);
	fputs(FT_TSDL_STAMP, f);
}

static void put_event(FILE *f, unsigned int class, unsigned int id,
		      const char *name, const char *a, const char *b)
{
	fprintf(f, FT_TSDL_EVENT("%u"), id, name, class, a, b,
		ft_tsdl_second(a, b));
}

static void put_locks(FILE *f, const struct run *run)
{
	const unsigned int class = run->class;
	char name[64];

	put_event(f, class, FT_ID_CONTENTION_BEGIN, "contention_begin", "lock", "flags");
	put_event(f, class, FT_ID_CONTENTION_END, "contention_end", "lock", "result");
	for (unsigned int i = 0; i < FT_USER_FAMILIES; i++) {
		const char *family = locks_name(LOCKS_USER + i);

		snprintf(name, sizeof(name), "%s_acquire", family);
		put_event(f, class, FT_ID_USER_ACQUIRE(i), name, "lock", "caller");
		snprintf(name, sizeof(name), "%s_release", family);
		put_event(f, class, FT_ID_USER_RELEASE(i), name, "lock", "caller");
	}
}

static void put_heap(FILE *f, const struct run *run)
{
#define HEAP_EVENT(event, name, second)	{ name, second },
	static const char *const events[FT_HEAP_EVENTS_N][2] = { FT_HEAP_EVENTS(HEAP_EVENT) };

	for (unsigned int i = 0; i < FT_HEAP_EVENTS_N; i++) {
		bool number = i == FT_HEAP_SIZE || i == FT_HEAP_EXIT;

		fprintf(f, FT_TSDL_EVENT_FIELDS("%u") FT_TSDL_FIELD FT_TSDL_FIELD FT_TSDL_EVENT_END,
			FT_ID_HEAP(i), events[i][0], run->class, "word_t", "address",
			number ? "uint64_t" : "word_t", events[i][1]);
	}
}

/* Names that programs give their events need not be valid in the metadata. */
static void copy_name(char *to, const char *from, size_t len)
{
	size_t i;

	for (i = 0; i + 1 < len && from[i]; i++)
		to[i] = isascii((unsigned char)from[i]) &&
			isalnum((unsigned char)from[i]) ? from[i] : '_';
	if (!i)
		to[i++] = '_';
	to[i] = '\0';
}

static void put_program_event(FILE *f, unsigned int class, unsigned int i,
			      const struct ft_user_event *e)
{
	static const char *const unused[2] = { "unused", "unused2" };
	char name[FT_NAME_LEN], field[2][FT_FIELD_LEN];

	copy_name(name, e->name, sizeof(name));
	for (unsigned int k = 0; k < 2; k++)
		copy_name(field[k], *e->field[k] ? e->field[k] : unused[k],
			  sizeof(field[k]));
	put_event(f, class, FT_ID_DYNAMIC + i, name, field[0], field[1]);
}

static __u32 count_events(struct run *run)
{
	__u32 n = 0;

	for (__u32 i = 0, end = run_events(run); i < end; i++)
		n += !!run_event(run, i);
	return n;
}

bool run_meta_is_new(struct run *run)
{
	return count_events(run) + 1 != run->told_events;
}

void run_meta_early(struct run *run, int64_t early)
{
	run->early = early;
	run->told_events = 0;
}

void run_meta_put(FILE *f, struct run *run)
{
	/* counted before writing: an event that comes meanwhile makes the metadata new again */
	run->told_events = count_events(run) + 1;
	fprintf(f, FT_TSDL_STREAM("%u", FT_TSDL_THREAD, "_gap"), run->class);
	if (!stack_choice_is_empty(&run->stacks))
		put_event(f, run->class, FT_ID_STACK, "stack", "stack", "lock");
	if (run->locks)
		put_locks(f, run);
	if (run->heap)
		put_heap(f, run);
	for (__u32 i = 0, end = run_events(run); i < end; i++) {
		const struct ft_user_event *e = run_event(run, i);

		if (e)
			put_program_event(f, run->class, i, e);
	}
}

bool run_meta_save(struct run *run)
{
	char *text = NULL;
	size_t len;
	FILE *f;
	bool ok;

	if (!run->clock.hz || !run_meta_is_new(run))
		return true;
	f = open_memstream(&text, &len);
	if (!f) {
		warn("no memory for the metadata");
		return false;
	}
	put_head(f, run);
	run_meta_put(f, run);
	ok = !fclose(f) && record_dir_replace(run->dir, "metadata", text, len);
	free(text);
	return ok;
}
