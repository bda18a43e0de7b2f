// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft record --stacks: see kernel_stacks.h. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/number.h"
#include "base/usage.h"
#include "record/kernel_stacks.h"
#include "record/program/stacks.h"
#include "trace/session_file.h"
#include "trace/stacks.h"

/* Words of one reading. */
#define WORDS	16384u

int record_stacks_take(void *to, const struct option_given *given)
{
	struct record_stacks *stacks = to;
	const char *bad = stack_choice_parse(given->value, &stacks->choice);

	if (bad)
		return option_error(given, "'%s': %s", given->value, bad);
	stacks->what = given->value;
	return -1;
}

int record_stacks_take_room(void *to, const struct option_given *given)
{
	__u32 *room = to;
	uint64_t n;

	if (parse_count(given->value, &n) || n < FT_STACKS_ROOM_MIN || n > FT_STACKS_ROOM_MAX ||
	    n & (n - 1))
		return option_error(given, "must be a power of two from %u to %u, not '%s'",
				    FT_STACKS_ROOM_MIN, FT_STACKS_ROOM_MAX, given->value);
	*room = (__u32)n;
	return -1;
}

int record_stacks_check(const struct record_stacks *stacks)
{
	if (stacks->room && !stacks->what)
		return usage_error("record", "--stacks-room needs --stacks");
	return -1;
}

static __u32 room_of(const struct record_stacks *stacks)
{
	return stacks->room ? stacks->room : RECORD_STACKS_ROOM;
}

static bool fail(int error)
{
	switch (error) {
	case ENOENT:
		warnx("--stacks: no recorded event has stacks: add --locks (acquisitions and releases, contention_begin, contention_end), or sched_switch for sleeps");
		break;
	case EBUSY:
		warnx("--stacks: another recording takes stacks in this session: --own-session");
		break;
	case EOPNOTSUPP:
		warnx("--stacks: this kernel cannot take stacks: it was built without CONFIG_STACKTRACE");
		break;
	case ENOTTY:
		warnx("--stacks: the loaded module does not know such stacks: it is older than this ft");
		break;
	default:
		warnx("--stacks: %s", strerror(error));
	}
	return false;
}

/* Stacks that the user named, and whose events are not recorded. */
static bool tell_missing(const struct record_stacks *stacks, __u32 missing)
{
	if (!missing || !strcmp(stacks->what, STACK_CHOICE_USUAL))
		return true;
	warnx("--stacks=%s: there are no %s: they need %s", stacks->what,
	      missing & FT_STACKS_SLEEPS ? "sleeps" :
	      missing & FT_STACKS_WAITS ? "waits" : "sections",
	      missing & FT_STACKS_SLEEPS ? "sched_switch" :
	      missing & FT_STACKS_WAITS ? "contention_begin and contention_end" :
	      "acquisitions and releases of a family of locks");
	return false;
}

bool record_stacks_set(const struct record_stacks *stacks, int control)
{
	const struct stack_choice *c = &stacks->choice;
	struct ft_stacks asked = {
		.what = (c->waits ? FT_STACKS_WAITS : 0) | (c->sections ? FT_STACKS_SECTIONS : 0) |
			(c->one_in ? FT_STACKS_ACQUISITIONS : 0) |
			(c->sleeps ? FT_STACKS_SLEEPS : 0),
		.room = room_of(stacks), .waits_ns = c->waits_ns, .sections_ns = c->sections_ns,
		.one_in = c->one_in,
	};
	__u32 what = asked.what;

	if (!stacks->what)
		return true;
	if (ioctl(control, FT_IOC_STACKS, &asked) < 0)
		return (errno == ENOENT && stacks->programs && !c->sleeps) ||
		       fail(errno == EINVAL && c->sleeps ? ENOTTY : errno);
	return tell_missing(stacks, what & ~asked.what);
}

/* Return: how many there were in @n words. */
static uint32_t put_stacks(FILE *f, const uint64_t *word, uint32_t n)
{
	uint32_t count = 0;

	for (uint32_t at = 0, depth; at < n; at += depth + 1, count++) {
		depth = (uint32_t)(word[at] >> 32);
		if (!depth || depth >= n - at)
			break;
		fprintf(f, "0 %" PRIu32, (uint32_t)word[at]);
		for (uint32_t i = 1; i <= depth; i++)
			fprintf(f, " 0x%" PRIx64, word[at + i]);
		fputc('\n', f);
	}
	return count;
}

/* Return: false with errno */
static bool read_all(struct record_stacks *stacks, int control, FILE *f)
{
	struct ft_stacks_read *r = &stacks->books;
	uint64_t *word = malloc(WORDS * sizeof(*word));
	int error = 0;
	__u32 from = 1;

	if (!word)
		return false;
	stacks->different = 0;
	while (from && !error) {
		*r = (struct ft_stacks_read){ .buf = (uintptr_t)word, .max = WORDS, .from = from };
		if (ioctl(control, FT_IOC_STACKS_READ, r) < 0)
			error = errno;
		else if (r->count > WORDS || (r->from && r->from <= from))
			error = EPROTO;
		else
			stacks->different += put_stacks(f, word, r->count);
		from = r->from;
	}
	free(word);
	errno = error;
	return !error;
}

/* In this part; with programs there is only one. */
static unsigned long long full(const struct record_stacks *stacks)
{
	return stacks->books.full - stacks->before.full +
	       (stacks->programs ? stacks->programs->stacks_full : 0);
}

static unsigned long long failed(const struct record_stacks *stacks)
{
	return stacks->books.failed - stacks->before.failed +
	       (stacks->programs ? stacks->programs->stacks_failed : 0);
}

/* The books come last, and stand first. */
static char *with_head(const struct record_stacks *stacks, const char *body, size_t *len)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, len);

	if (!f)
		return NULL;
	fprintf(f, STACKS_HEAD "full=%llu failed=%llu\n", full(stacks), failed(stacks));
	fputs(body, f);
	return fclose(f) ? NULL : text;
}

char *record_stacks_read(struct record_stacks *stacks, int control, size_t *len)
{
	char *body = NULL, *text = NULL;
	FILE *f = open_memstream(&body, len);
	bool ok;
	int error;

	if (!f)
		return NULL;
	ok = read_all(stacks, control, f);
	error = errno;
	/* none of the kernel's events has stacks */
	if (!ok && error == ENODATA && stacks->programs) {
		stacks->books = (struct ft_stacks_read){ 0 };
		ok = true;
	}
	if (ok && stacks->programs) {
		run_stacks_count(stacks->programs);
		run_stacks_lines(f, stacks->programs);
	}
	/* an older module has none */
	if (!ok && error != ENODATA && error != ENOTTY)
		warnx("cannot read the stacks: %s", strerror(error));
	if (!fclose(f) && ok)
		text = with_head(stacks, body, len);
	free(body);
	stacks->known = text;
	return text;
}

bool record_stacks_save(struct record_stacks *stacks, int control, const struct record_dir *dir)
{
	size_t len;
	char *text;
	bool ok;

	if (!stacks->what)
		return true;
	text = record_stacks_read(stacks, control, &len);
	ok = text && record_dir_replace(dir, SESSION_STACKS, text, len);
	free(text);
	return ok;
}

void record_stacks_next(struct record_stacks *stacks)
{
	if (stacks->known)
		stacks->before = stacks->books;
	stacks->known = false;
}

void record_stacks_put(FILE *f, const struct record_stacks *stacks)
{
	if (stacks->what)
		session_put(f, "stacks", "%s", stacks->what);
	if (!stacks->known)
		return;
	session_put(f, "stacks_taken", "%llu",
		    stacks->books.taken - stacks->before.taken);
	session_put(f, "stacks_different", "%" PRIu32, stacks->different);
	session_put(f, "stacks_full", "%llu", full(stacks));
	session_put(f, "stacks_failed", "%llu", failed(stacks));
	if (!stacks->programs)
		return;
	session_put(f, "program_stacks_full", "%llu", stacks->programs->stacks_full);
	session_put(f, "program_stacks_failed", "%llu", stacks->programs->stacks_failed);
}

void record_stacks_tell(const struct record_stacks *stacks, bool quiet)
{
	const struct ft_stacks_read *b = &stacks->books;

	if (!stacks->known)
		return;
	if (!quiet)
		warnx("%llu stacks, %" PRIu32 " different ones", b->taken - b->full - b->failed,
		      stacks->different);
	if (b->full)
		warnx("%llu stacks found no room in the table%s", b->full,
		      stacks->what && room_of(stacks) < FT_STACKS_ROOM_MAX ?
		      ": a larger one: --stacks-room" : "");
	if (b->failed)
		warnx("%llu stacks could not be taken: in an NMI, or where RCU does not watch",
		      b->failed);
	if (stacks->programs)
		run_stacks_tell(stacks->programs);
}
