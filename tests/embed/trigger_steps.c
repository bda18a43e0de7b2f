// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Triggers without a C library and without ours, for each CPU: off, on, off again. On x86 this
 * program changes its own code, else a word.
 */
#define FT_FREESTANDING
#include <feather_trace/trigger.h>

#include <stddef.h>
#include <stdint.h>

#include "fifo_steps.h"

#define NUMBER	7

DEFINE_FT_EVENT(moved, from, to);

static unsigned int calls, numbered, evaluated;
static unsigned long long last;

static void on_moved(const struct ft_event *event, unsigned long long a, unsigned long long b,
		     unsigned long long c, unsigned long long d)
{
	calls += event == &ft_event_moved && !c && !d;
	last = a << 32 | b;
}

static void on_number(unsigned int id, int a, int b, int c)
{
	numbered += id == NUMBER && a == 1 && b == 2 && c == 3;
}

static void on_number0(unsigned int id)
{
	numbered += id == NUMBER;
}

static unsigned int evaluate(unsigned int value)
{
	evaluated++;
	return value;
}

__attribute__((noinline)) static void announce(void)
{
	ft_event(moved, evaluate(5), 9);
	ft_event0(NUMBER, on_number0);
	ft_event3(NUMBER, on_number, 1, 2, 3);
}

#if (defined(__x86_64__) || defined(__i386__)) && !defined(FT_TRIGGER_NO_ASM)
struct trigger {
	int32_t code, event;
	uint32_t id;
};

extern const struct trigger __start_ft_triggers[], __stop_ft_triggers[];

int make_writable(void *code);

/* Return: whether each of the three triggers was found. */
static int turn(int on)
{
	int found = 0;

	for (const struct trigger *t = __start_ft_triggers; t < __stop_ft_triggers; t++) {
		unsigned char *code = (unsigned char *)(uintptr_t)&t->code + t->code;

		if (t->id != NUMBER &&
		    (const char *)&t->event + t->event != (const char *)&ft_event_moved)
			continue;
		if (*code != (on ? 0xa9 : 0xe9) || !make_writable(code))
			return 0;
		*code = on ? 0xe9 : 0xa9;
		found++;
	}
	return found == 3;
}
#else
DEFINE_FT_IDS();

static int turn(int on)
{
	ft_event_moved.on = (unsigned int)on;
	ft_ids_on[NUMBER] = (unsigned char)on;
	return 1;
}
#endif

const char *fifo_steps(void)
{
	ft_event_moved.callback = on_moved;
	announce();
	if (calls || numbered || evaluated)
		return "a trigger that is off does something";
	if (!turn(1))
		return "triggers are not where the table says";
	announce();
	if (calls != 1 || numbered != 2 || evaluated != 1 || last != (5ull << 32 | 9))
		return "a trigger that is on does not call";
	if (!turn(0))
		return "triggers are not as they were turned on";
	announce();
	return calls == 1 && numbered == 2 && evaluated == 1 ? NULL : "a trigger stays on";
}

/* There is no FIFO here. */
void fifo_interrupt(void)
{
}

const char *fifo_check_interrupts(uint32_t wanted)
{
	(void)wanted;
	return NULL;
}
