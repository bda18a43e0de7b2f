// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Stacks of programs: see stacks.h. The file has a line for each, "PID ID ADDRESS ADDRESS ...",
 * innermost first; addresses have the tag of their process, as they do in records.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "record/program/stacks.h"

/* An address of a program has none of the bits of the tag. */
#define ADDRESS_END	(1ull << 47)

static __u64 ticks(const struct run *run, uint64_t ns)
{
	return (__u64)((double)ns * 1e-9 * (double)run_clock_rate(&run->clock));
}

bool run_stacks_begin(struct run *run)
{
	const struct stack_choice *c = &run->stacks;

	if (stack_choice_is_empty(c))
		return true;
	/* programs write to it, which must not fail */
	if (fallocate(run->memory, 0, FT_SESSION_AT_STACKS,
		      FT_SESSION_AT_SLOTS - FT_SESSION_AT_STACKS))
		return false;
	run->session->stacks = (struct ft_session_stacks){
		.what = (c->waits ? FT_STACKS_WAITS : 0) |
			(c->sections ? FT_STACKS_SECTIONS : 0) |
			(c->one_in ? FT_STACKS_ACQUISITIONS : 0),
		.unwind = run->unwind,
		.one_in = c->one_in,
		.waits = ticks(run, c->waits_ns),
		.sections = ticks(run, c->sections_ns),
	};
	return true;
}

void run_stacks_count(struct run *run)
{
	const struct ft_session_stacks *shared = &run->session->stacks;

	if (stack_choice_is_empty(&run->stacks))
		return;
	run->stacks_full = run_grown(run, run->stacks_full, &shared->full);
	run->stacks_failed = run_grown(run, run->stacks_failed, &shared->failed);
}

void run_stacks_next(struct run *run)
{
	run->stacks_full_before = run->stacks_full;
	run->stacks_failed_before = run->stacks_failed;
}

static bool is_good(const struct run *run, const struct ft_user_stack *s)
{
	if (s->process >= run_processes(run) || s->process >= FT_TAG_MAX || !s->n ||
	    s->n > FT_STACKS_DEPTH)
		return false;
	for (__u32 i = 0; i < s->n; i++) {
		if (!s->addr[i] || s->addr[i] >= ADDRESS_END)
			return false;
	}
	return true;
}

static void put_stack(FILE *f, struct run *run, __u32 i)
{
	struct ft_user_process p;
	struct ft_user_stack s;

	if (!run_stack(run, i, &s))
		return;
	if (!is_good(run, &s) || !run_process(run, s.process, &p)) {
		run_damage(run);
		return;
	}
	fprintf(f, "%d %u", p.pid, i + 1);
	for (__u32 k = 0; k < s.n; k++)
		fprintf(f, " 0x%llx", (__u64)(s.process + 1) << FT_TAG_SHIFT | s.addr[k]);
	fputc('\n', f);
}

void run_stacks_lines(FILE *f, struct run *run)
{
	for (__u32 i = 0; i < FT_SESSION_STACKS; i++)
		put_stack(f, run, i);
}

bool run_stacks_save(struct run *run)
{
	char *text = NULL;
	size_t len;
	FILE *f;
	bool ok;

	if (stack_choice_is_empty(&run->stacks))
		return true;
	f = open_memstream(&text, &len);
	if (!f) {
		warn("no memory for the stacks");
		return false;
	}
	fprintf(f, "# feather-trace stacks 1 full=%llu failed=%llu\n",
		run->stacks_full - run->stacks_full_before,
		run->stacks_failed - run->stacks_failed_before);
	run_stacks_lines(f, run);
	ok = !fclose(f) && record_dir_replace(run->dir, SESSION_STACKS, text, len);
	free(text);
	return ok;
}

void run_stacks_put(FILE *f, const struct run *run)
{
	const struct stack_choice *c = &run->stacks;

	if (stack_choice_is_empty(c))
		return;
	if (c->waits)
		session_put(f, "stacks_waits_ns", "%llu", (unsigned long long)c->waits_ns);
	if (c->sections)
		session_put(f, "stacks_sections_ns", "%llu",
			    (unsigned long long)c->sections_ns);
	if (c->one_in)
		session_put(f, "stacks_one_in", "%u", c->one_in);
	session_put(f, "unwind", "%s", run->unwind == FT_UNWIND_DWARF ? "dwarf" : "fp");
	session_put(f, "stacks_full", "%llu", run->stacks_full - run->stacks_full_before);
	session_put(f, "stacks_failed", "%llu", run->stacks_failed - run->stacks_failed_before);
}

void run_stacks_tell(const struct run *run)
{
	if (stack_choice_is_empty(&run->stacks))
		return;
	if (run->stacks_full)
		warnx("%llu stacks found no room among the %u different ones that are kept: "
		      "choose fewer, as with --stacks='waits>1ms,sections>1ms'",
		      run->stacks_full, FT_SESSION_STACKS);
	if (run->stacks_failed)
		warnx("%llu stacks could not be taken: on a stack that is not the thread's own "
		      "(a signal handler's, a coroutine's) or is nearly full, or while a "
		      "library was unloaded%s", run->stacks_failed,
		      run->unwind == FT_UNWIND_DWARF ?
			      ", or in a signal handler, as --unwind=dwarf takes none there" : "");
}
