// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* --stacks=WHAT: see stack_choice.h. */
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "record/stack_choice.h"

/* Longer than any recording. */
#define TIME_MAX	(1ull << 60)

#define WORDS		"it takes 'waits', 'sections', each with '>TIME' or without, 'sleeps' " \
			"of the kernel, and '1/N'"

static const char *parse_time(const char *text, uint64_t *ns)
{
	static const struct {
		const char	*name;
		uint64_t	ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	size_t digits = strspn(text, "0123456789");
	char number[24];
	uint64_t value;

	if (!digits || digits >= sizeof(number))
		return "a time is a number and ns, us, ms or s, as in 'waits>10us'";
	memcpy(number, text, digits);
	number[digits] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(text + digits, units[i].name))
			continue;
		if (parse_u64(number, &value) || value > TIME_MAX / units[i].ns)
			return "this time is too long";
		*ns = value * units[i].ns;
		return NULL;
	}
	return "a time is a number and ns, us, ms or s, as in 'waits>10us'";
}

/* Parses "waits" or "waits>10us". */
static const char *parse_limit(const char *word, size_t len, bool *chosen, uint64_t *ns)
{
	if (*chosen)
		return "'waits' and 'sections' can be given once";
	*chosen = true;
	if (!word[len])
		return NULL;
	return word[len] == '>' ? parse_time(word + len + 1, ns) : WORDS;
}

static const char *parse_word(const char *word, struct stack_choice *c)
{
	uint64_t n;

	if (!strncmp(word, "waits", 5))
		return parse_limit(word, 5, &c->waits, &c->waits_ns);
	if (!strncmp(word, "sections", 8))
		return parse_limit(word, 8, &c->sections, &c->sections_ns);
	if (!strcmp(word, "sleeps")) {
		if (c->sleeps)
			return "'sleeps' can be given once";
		c->sleeps = true;
		return NULL;
	}
	if (strncmp(word, "1/", 2))
		return WORDS;
	if (parse_u64(word + 2, &n) || !n || n > UINT32_MAX)
		return "one acquisition of N: 1/N, with N from 1 to 4294967295";
	if (c->one_in)
		return "'1/N' can be given once";
	c->one_in = (uint32_t)n;
	return NULL;
}

const char *stack_choice_parse(const char *text, struct stack_choice *choice)
{
	char copy[128], *rest = copy, *word;
	const char *bad = NULL;

	*choice = (struct stack_choice){ 0 };
	if (strlen(text) >= sizeof(copy))
		return WORDS;
	strcpy(copy, text);
	while (!bad && (word = strsep(&rest, ",")))
		bad = parse_word(word, choice);
	return bad;
}
