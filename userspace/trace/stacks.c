// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Reads the stacks of a trace: see stacks.h. The whole file is checked. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "packed/fact.h"
#include "trace/session_file.h"
#include "trace/stacks.h"

struct stacks {
	struct map	by_key;		/* PID above, ID below */
	struct stack	**stack;	/* by number - 1 */
	uint32_t	n;
	uint64_t	full, failed, damaged;
};

static uint64_t key_of(uint32_t pid, uint32_t id)
{
	return (uint64_t)pid << 32 | id;
}

/* A number of digits alone, without sign or blank. @end: behind it. Return: is it one? */
static bool take(const char *text, char **end, int base, uint64_t max, uint64_t *value)
{
	const char *digits = base == 16 ? "0123456789abcdef" : "0123456789";

	errno = 0;
	if (!*text || !strchr(digits, *text))
		return false;
	*value = strtoull(text, end, base);
	return !errno && *value <= max;
}

/* "0x...", after a blank each. Return: how many, or 0 with what is wrong in *@wrong */
static uint32_t take_addresses(char *at, uint64_t addr[STACKS_DEPTH], const char **wrong)
{
	uint32_t n = 0;

	*wrong = "an address is none";
	while (*at) {
		if (n == STACKS_DEPTH) {
			*wrong = "it has too many addresses";
			return 0;
		}
		/* strtoull() would take another 0x behind this one */
		if (strncmp(at, " 0x", 3) || (at[3] == '0' && at[4] == 'x') ||
		    !take(at + 3, &at, 16, UINT64_MAX, &addr[n]) || !addr[n])
			return 0;
		n++;
	}
	if (!n)
		*wrong = "it has no address";
	return n;
}

/* Return: NULL, or what is wrong with the line */
static const char *add(struct stacks *s, char *line)
{
	uint64_t addr[STACKS_DEPTH], pid, id;
	struct stack *stack;
	const char *wrong;
	uint32_t n;
	char *at;

	if (!take(line, &at, 10, INT32_MAX, &pid) || *at != ' ')
		return "its process is no number";
	if (!take(at + 1, &at, 10, UINT32_MAX, &id) || !id || (*at && *at != ' '))
		return "its id is none";
	n = take_addresses(at, addr, &wrong);
	if (!n)
		return wrong;
	if (map_get(&s->by_key, key_of((uint32_t)pid, (uint32_t)id)))
		return "its id was there before";
	if (s->n == UINT32_MAX)
		return "there are too many";
	stack = mem_resize(NULL, 1, sizeof(*stack) + n * sizeof(*addr));
	*stack = (struct stack){ .pid = (uint32_t)pid, .id = (uint32_t)id, .number = s->n + 1,
				 .n = n };
	memcpy(stack->addr, addr, n * sizeof(*addr));
	/* twice as much when it is a power of two */
	if (!(s->n & (s->n - 1)))
		s->stack = mem_resize(s->stack, s->n ? 2 * (size_t)s->n : 1, sizeof(*s->stack));
	s->stack[s->n++] = stack;
	map_put(&s->by_key, key_of(stack->pid, stack->id), stack);
	return NULL;
}

/* "full=N failed=N" */
static bool head(struct stacks *s, char *line)
{
	char *at = line + strlen(STACKS_HEAD);

	if (strncmp(line, STACKS_HEAD "full=", strlen(STACKS_HEAD "full=")) ||
	    !take(at + strlen("full="), &at, 10, UINT64_MAX, &s->full) ||
	    strncmp(at, " failed=", strlen(" failed=")))
		return false;
	return take(at + strlen(" failed="), &at, 10, UINT64_MAX, &s->failed) && !*at;
}

/* A line that does not end is cut: its last address may be another one's beginning. */
static void add_lines(struct stacks *s, const char *dir, char *text, const char *end)
{
	uint64_t number = 2, first = 0;
	const char *wrong, *why = NULL;
	char *next;

	for (; text < end; text = next, number++) {
		next = memchr(text, '\n', (size_t)(end - text));
		if (!next) {
			wrong = "it is cut off";
			next = (char *)end;
		} else {
			*next++ = '\0';
			wrong = strlen(text) + 1 == (size_t)(next - text) ? add(s, text) :
									    "it has a byte 0";
		}
		if (!wrong)
			continue;
		if (!s->damaged++) {
			first = number;
			why = wrong;
		}
	}
	if (s->damaged)
		warnx("%s/" SESSION_STACKS ": line %" PRIu64 " is damaged: %s; %" PRIu64
		      " of its lines are left out", dir, first, why, s->damaged);
}

struct stacks *stacks_open(const char *dir)
{
	char *path = mem_format("%s/" SESSION_STACKS, dir), *text = NULL, *line;
	struct stacks *s = NULL;
	ssize_t len = packed_read_path(path, &text);

	if (len < 0) {
		if (len != -ENOENT)
			warnx("cannot read %s: %s: no stack is known", path, packed_why(len));
	} else {
		s = mem_zalloc(1, sizeof(*s));
		line = memchr(text, '\n', (size_t)len);
		if (line)
			*line++ = '\0';
		if (line && head(s, text)) {
			add_lines(s, dir, line, text + len);
		} else {
			warnx("%s: line 1 is damaged, or of a version that this ft does not know: no stack is known",
			      path);
			stacks_free(s);
			s = NULL;
		}
	}
	mem_free(text);
	mem_free(path);
	return s;
}

/* Reads only the head of the file. */
static void add_head(struct stacks *s, const char *dir)
{
	char *path = mem_format("%s/" SESSION_STACKS, dir), *text = NULL, *end;
	struct stacks of = { 0 };

	if (packed_read_path(path, &text) >= 0) {
		end = strchr(text, '\n');
		if (end)
			*end = '\0';
		if (end && head(&of, text)) {
			s->full += of.full;
			s->failed += of.failed;
		}
	}
	mem_free(text);
	mem_free(path);
}

struct stacks *stacks_open_parts(const struct parts *parts)
{
	struct stacks *s = NULL;
	unsigned int i = parts->n;

	while (i && !s)
		s = stacks_open(parts->dir[--i]);
	while (s && i)
		add_head(s, parts->dir[--i]);
	return s;
}

void stacks_free(struct stacks *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n; i++)
		mem_free(s->stack[i]);
	mem_free(s->stack);
	map_free(&s->by_key);
	mem_free(s);
}

const struct stack *stacks_find(const struct stacks *s, uint32_t pid, uint32_t id)
{
	return s ? map_get(&s->by_key, key_of(pid, id)) : NULL;
}

const struct stack *stacks_at(const struct stacks *s, uint32_t number)
{
	return s->stack[number - 1];
}

uint32_t stacks_count(const struct stacks *s)
{
	return s->n;
}

uint64_t stacks_full(const struct stacks *s)
{
	return s->full;
}

uint64_t stacks_failed(const struct stacks *s)
{
	return s->failed;
}

uint64_t stacks_damaged(const struct stacks *s)
{
	return s->damaged;
}
