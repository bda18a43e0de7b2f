// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Conditions of a flight recorder: see condition.h. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/array.h"
#include "base/number.h"
#include "base/usage.h"
#include "control/condition.h"

#define LETTERS	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
static const char letters[] = LETTERS;
static const char sensor_letters[] = LETTERS "/.#";

/* What the module takes, of nanoseconds as of other values. */
#define LONGEST	(1ull << 60)

/* Those that begin with another one come before it. */
static const struct {
	const char	*text;
	enum ft_test_op	op;
} operators[] = {
	{ "==", FT_TEST_EQUAL }, { "!=", FT_TEST_UNEQUAL },
	{ "<=", FT_TEST_LESS_EQUAL }, { ">=", FT_TEST_GREATER_EQUAL },
	{ "<", FT_TEST_LESS }, { ">", FT_TEST_GREATER },
};

/* The flags of contention_begin by which the kernel tells what is waited for. */
static const struct {
	const char	*family;
	uint64_t	mask, value;
} waits[] = {
	/* not those for a mutex, which spin at first */
	{ "spin", 0x27, 0x1 }, { "rwlock_read", 0x27, 0x3 }, { "rwlock_write", 0x27, 0x5 },
	{ "mutex", 0x20, 0x20 }, { "rwsem_read", 0x37, 0x2 }, { "rwsem_write", 0x37, 0x4 },
	{ "semaphore", 0x2f, 0 },
	/* On PREEMPT_RT this is what the first one means, too: nothing else spins. */
	{ "raw_spin", 0x27, 0x1 },
};

/* On PREEMPT_RT, the flags do not tell mutexes from spinlocks. */
bool condition_kernel_is_rt(void)
{
	struct utsname name;

	return !uname(&name) && strstr(name.version, "PREEMPT_RT");
}

bool condition_wait(const char *family, uint64_t *mask, uint64_t *value)
{
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		if (strcmp(waits[i].family, family))
			continue;
		*mask = waits[i].mask;
		*value = waits[i].value;
		if (!strcmp(family, "mutex") && condition_kernel_is_rt()) {
			*mask = 0xf;
			*value = 0x8;
		}
		return true;
	}
	return false;
}

/* The rest of the text, and what is wrong where it begins. */
struct parser {
	const char	*text;
	const char	*bad;
};

static bool fail(struct parser *p, const char *bad)
{
	p->bad = bad;
	return false;
}

static void skip_blanks(struct parser *p)
{
	p->text += strspn(p->text, " \t");
}

/* Skips @what, and the blanks behind it. Return: was it there? */
static bool accept(struct parser *p, const char *what)
{
	if (strncmp(p->text, what, strlen(what)))
		return false;
	p->text += strlen(what);
	skip_blanks(p);
	return true;
}

/* Return: false: it is empty, or too long. */
static bool take_word(struct parser *p, char *to, size_t size)
{
	size_t len = strspn(p->text, letters);

	if (!len || len >= size)
		return false;
	memcpy(to, p->text, len);
	to[len] = '\0';
	p->text += len;
	return true;
}

static void take_name(struct parser *p, struct condition *c)
{
	struct parser ahead = *p;

	if (take_word(&ahead, c->name, sizeof(c->name))) {
		skip_blanks(&ahead);
		if (accept(&ahead, ":")) {
			*p = ahead;
			return;
		}
	}
	snprintf(c->name, sizeof(c->name), "%s", p->text);
}

static bool take_operator(struct parser *p, enum ft_test_op *op)
{
	skip_blanks(p);
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
		*op = operators[i].op;
		if (accept(p, operators[i].text))
			return true;
	}
	return fail(p, "one of == != < <= > >= is missing here");
}

static bool take_number(struct parser *p, struct condition_test *test)
{
	char digits[32];
	bool minus = *p->text == '-';
	size_t len;

	test->is_signed = minus || *p->text == '+';
	len = strcspn(p->text + test->is_signed, " \t&");
	snprintf(digits, sizeof(digits), "%.*s", (int)len, p->text + test->is_signed);
	if (len >= sizeof(digits) || parse_u64(digits, &test->value) ||
	    (test->is_signed && test->value > INT64_MAX))
		return fail(p, "this is not a number");
	if (minus)
		test->value = -test->value;
	p->text += len + test->is_signed;
	return true;
}

/* Up to the next test: names may have blanks. */
static bool take_comm(struct parser *p, struct condition_test *test)
{
	const char *end = strstr(p->text, "&&");
	size_t len = end ? (size_t)(end - p->text) : strlen(p->text);

	if (test->op != FT_TEST_EQUAL && test->op != FT_TEST_UNEQUAL)
		return fail(p, "names are compared by == and != only");
	while (len && strchr(" \t", p->text[len - 1]))
		len--;
	if (!len || len >= sizeof(test->comm))
		return fail(p, "the name of a task is missing here, or longer than 15 characters");
	memcpy(test->comm, p->text, len);
	p->text += len;
	return true;
}

static bool take_time(struct parser *p, uint64_t *ns)
{
	static const struct {
		const char	*name;
		double		ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	char digits[32];
	size_t len = strspn(p->text, "0123456789."), unit;
	double value;

	snprintf(digits, sizeof(digits), "%.*s", (int)len, p->text);
	if (!len || len >= sizeof(digits) || parse_seconds(digits, &value))
		return fail(p, "this is not a time: a number with ns, us, ms or s");
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		unit = strlen(units[i].name);
		if (strncmp(p->text + len, units[i].name, unit) ||
		    (p->text[len + unit] && !strchr(" \t&", p->text[len + unit])))
			continue;
		if (value * units[i].ns >= 1e18)
			return fail(p, "this is too long a time");
		*ns = (uint64_t)llround(value * units[i].ns);
		p->text += len + unit;
		return true;
	}
	return fail(p, "a time is a number and ns, us, ms or s, as in 1ms");
}

static struct condition_test *new_test(struct parser *p, struct condition *c)
{
	if (c->tests < FT_TESTS_MAX)
		return &c->test[c->tests++];
	p->bad = "too many comparisons: at most 4, and wait() counts as one";
	return NULL;
}

/* Or a name that the event has for it. */
static bool take_value(struct parser *p, struct condition_test *test)
{
	struct parser start = *p;

	if (!isalpha((unsigned char)*p->text))
		return take_number(p, test);
	/* and room for a '+', as in R+ */
	if (!take_word(p, test->label, sizeof(test->label) - 1))
		return fail(p, "this is not a number, and too long for the name of a value");
	if (*p->text == '+')
		test->label[strlen(test->label)] = *p->text++;
	if (test->op == FT_TEST_EQUAL || test->op == FT_TEST_UNEQUAL)
		return true;
	*p = start;
	return fail(p, "names of values are compared by == and != only");
}

/* Behind '.': a field of the event that was read, with what it is compared with. */
static bool take_field(struct parser *p, struct condition *c, const char *event)
{
	struct condition_test *test = new_test(p, c);

	if (!test)
		return false;
	snprintf(test->of, sizeof(test->of), "%s", event);
	if (!take_word(p, test->field, sizeof(test->field)))
		return fail(p, "the name of a field is missing here, or too long");
	return take_operator(p, &test->op) && take_value(p, test);
}

/* "comm == NAME" and the like. */
static bool take_task(struct parser *p, struct condition *c, const char *what)
{
	struct condition_test *test = new_test(p, c);

	if (!test)
		return false;
	memcpy(test->field, what, strlen(what) + 1);	/* one of three short ones */
	if (!take_operator(p, &test->op))
		return false;
	return strcmp(what, "comm") ? take_number(p, test) : take_comm(p, test);
}

static bool take_count(struct parser *p, struct condition *c)
{
	struct condition_test number = { 0 };
	enum ft_test_op op;

	if (!take_operator(p, &op))
		return false;
	if (op != FT_TEST_EQUAL)
		return fail(p, "a count is given by == only");
	if (!take_number(p, &number))
		return false;
	if (number.is_signed || !number.value || number.value > INT64_MAX)
		return fail(p, "a count is 1 or more");
	c->count = number.value;
	return true;
}

static bool take_test(struct parser *p, struct condition *c)
{
	char word[FT_NAME_LEN];

	skip_blanks(p);
	if (!take_word(p, word, sizeof(word)))
		return fail(p, "a comparison is missing here");
	if (*p->text == '.') {
		p->text++;
		return take_field(p, c, word);
	}
	if (!strcmp(word, "comm") || !strcmp(word, "tid") || !strcmp(word, "cpu"))
		return take_task(p, c, word);
	if (!strcmp(word, "count"))
		return take_count(p, c);
	return fail(p, "'.' and a field of the event are missing here");
}

/* "> TIME", behind what is measured. */
static bool take_longer(struct parser *p, struct condition *c)
{
	skip_blanks(p);
	if (!accept(p, ")"))
		return fail(p, "')' is missing here");
	if (!accept(p, ">"))
		return fail(p, "'>' and a time are missing here");
	return take_time(p, &c->longer_ns);
}

static bool no_family(struct parser *p, struct parser start)
{
	*p = start;
	return fail(p, "there is no such family; there are spin, rwlock_read, rwlock_write, mutex, semaphore, rwsem_read and rwsem_write");
}

static bool take_hold(struct parser *p, struct condition *c)
{
	char family[FT_NAME_LEN - sizeof("_acquire")];
	struct parser start = *p;
	uint64_t mask, value;

	if (!take_word(p, family, sizeof(family)))
		return fail(p, "a family of locks is missing here, as in hold(spin)");
	if (!condition_wait(family, &mask, &value))
		return no_family(p, start);
	snprintf(c->event, sizeof(c->event), "%s_release", family);
	snprintf(c->begin, sizeof(c->begin), "%s_acquire", family);
	return take_longer(p, c);
}

static bool take_wait(struct parser *p, struct condition *c)
{
	struct condition_test *test;
	char family[FT_NAME_LEN];
	struct parser start = *p;
	uint64_t mask, value;

	if (!take_word(p, family, sizeof(family)))
		return fail(p, "a family of locks is missing here, as in wait(mutex)");
	if (!condition_wait(family, &mask, &value))
		return no_family(p, start);
	snprintf(c->event, sizeof(c->event), "contention_end");
	snprintf(c->begin, sizeof(c->begin), "contention_begin");
	test = &c->test[c->tests++];	/* the first one */
	snprintf(test->of, sizeof(test->of), "contention_begin");
	snprintf(test->field, sizeof(test->field), "flags");
	test->mask = mask;
	test->value = value;
	return take_longer(p, c);
}

static bool take_between(struct parser *p, struct condition *c)
{
	if (!take_word(p, c->begin, sizeof(c->begin)))
		return fail(p, "the name of an event is missing here, or too long");
	skip_blanks(p);
	if (!accept(p, ","))
		return fail(p, "',' and a second event are missing here");
	if (!take_word(p, c->event, sizeof(c->event)))
		return fail(p, "the name of an event is missing here, or too long");
	return take_longer(p, c);
}

/* A sensor's name has a '/', or else no event's would be followed by this. */
static bool is_sensor(const struct parser *p)
{
	size_t len = strspn(p->text, sensor_letters);
	const char *behind = p->text + len + strspn(p->text + len, " \t");

	return memchr(p->text, '/', len) || memchr(p->text, '#', len) ||
	       (len && *behind == '>' && !memchr(p->text, '.', len));
}

/* A time has a unit; whether the sensor's values are times is not known here. */
static bool take_measured(struct parser *p, struct condition *c)
{
	size_t digits = strspn(p->text, "0123456789abcdefABCDEFxX");
	size_t blanks = strspn(p->text + digits, " \t");
	struct condition_test number = { 0 };
	struct parser start = *p;

	if (!strchr("0123456789.", *p->text) || !*p->text)
		return fail(p, "a time such as 1ms, or a number without a sign, is missing here");
	/* also a unit that stands apart, for take_time() to say so */
	if (!strchr(" \t&", p->text[digits]) ||
	    (blanks && strspn(p->text + digits + blanks, "nums")))
		return take_time(p, &c->longer_ns);
	if (!take_number(p, &number))
		return false;
	if (number.value > LONGEST) {
		*p = start;
		return fail(p, "this is more than 2^60");
	}
	c->longer_ns = number.value;
	c->is_number = true;
	return true;
}

static bool take_sensor(struct parser *p, struct condition *c)
{
	size_t len = strspn(p->text, sensor_letters);

	if (len >= sizeof(c->sensor))
		return fail(p, "this name of a sensor is too long");
	memcpy(c->sensor, p->text, len);
	p->text += len;
	skip_blanks(p);
	if (p->text[0] != '>' || p->text[1] == '=')
		return fail(p, "'>' and a time or a number are missing here, as in lock/spin/hold > 1ms");
	accept(p, ">");
	return take_measured(p, c);
}

static bool take_what(struct parser *p, struct condition *c)
{
	static const struct {
		const char	*name;
		bool		(*take)(struct parser *p, struct condition *c);
	} times[] = { { "hold", take_hold }, { "wait", take_wait }, { "time", take_between } };

	if (is_sensor(p))
		return take_sensor(p, c);
	if (!take_word(p, c->event, sizeof(c->event)))
		return fail(p, "the name of an event is missing here, or too long");
	for (size_t i = 0; *p->text == '(' && i < ARRAY_SIZE(times); i++) {
		if (strcmp(times[i].name, c->event))
			continue;
		accept(p, "(");
		return times[i].take(p, c);
	}
	if (*p->text == '(')
		return fail(p, "only hold(FAMILY), wait(FAMILY) and time(EVENT, EVENT) are measured");
	if (*p->text != '.')
		return true;
	p->text++;
	return take_field(p, c, c->event);
}

static bool take_all(struct parser *p, struct condition *c)
{
	skip_blanks(p);
	take_name(p, c);
	if (!take_what(p, c))
		return false;
	for (;;) {
		struct parser end = *p;

		skip_blanks(p);
		if (!*p->text)
			return true;
		if (!accept(p, "&&")) {
			*p = end;
			return fail(p, c->sensor[0] || c->begin[0] || c->tests ?
				    "'&&' and a comparison are missing here" :
				    "'.' and a field of the event are missing here");
		}
		if (!take_test(p, c))
			return false;
	}
}

const char *condition_parse(const char *text, struct condition *c, const char **at)
{
	struct parser p = { .text = text };

	*c = (struct condition){ 0 };
	take_all(&p, c);
	*at = p.text;
	return p.bad;
}

bool condition_is_of_one_record(const struct condition *c)
{
	return !c->sensor[0] && !c->begin[0] && !c->count &&
	       (!c->tests || (c->tests == 1 && !strcmp(c->test[0].of, c->event)));
}

bool condition_holds(const struct condition *c, uint64_t word)
{
	const struct condition_test *test = c->test;
	bool less = test->is_signed ? (int64_t)word < (int64_t)test->value : word < test->value;
	bool equal = word == test->value;

	if (!c->tests)
		return true;
	switch (test->op) {
	case FT_TEST_EQUAL:
		return equal;
	case FT_TEST_UNEQUAL:
		return !equal;
	case FT_TEST_LESS_EQUAL:
		return less || equal;
	case FT_TEST_GREATER_EQUAL:
		return !less;
	case FT_TEST_LESS:
		return less;
	case FT_TEST_GREATER:
		return !less && !equal;
	}
	return false;
}

/* --- options -------------------------------------------------------------- */

int conditions_take(void *to, const struct option_given *given)
{
	struct conditions *conditions = to;
	const char *at, *bad;

	if (conditions->n == ARRAY_SIZE(conditions->list))
		return option_error(given, "may be given %zu times",
				    ARRAY_SIZE(conditions->list));
	bad = condition_parse(given->value, &conditions->list[conditions->n], &at);
	if (bad)
		return option_error(given, "'%s', at '%s': %s", given->value, at, bad);
	conditions->n++;
	return -1;
}

int conditions_check(const struct conditions *conditions, const char *command, bool flight)
{
	if (conditions->n && !flight)
		return usage_error(command, "--when is for a flight recorder: add --flight");
	if (!conditions->n && (conditions->after > 0 || conditions->times != 1))
		return usage_error(command, "--after and --times need a condition: --when");
	if (!conditions->times)
		return usage_error(command, "--times must be at least 1, not '0'");
	return -1;
}
