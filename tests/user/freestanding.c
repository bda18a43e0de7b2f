// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Ring and triggers without a libc and without the library: a program that begins at
 * _start, finds its triggers in their section, and turns one on by itself.
 */
#define FT_FREESTANDING
#include <feather_trace/trigger.h>

#include <stddef.h>
#include <stdint.h>

#include <feather_trace/ring.h>

DEFINE_FT_EVENT(on, a, b);
DEFINE_FT_EVENT(off, a, b);

static struct ft_record slots[64] __attribute__((aligned(64)));
static struct ft_ring ring;

struct trigger {
	int32_t code, event;
	uint32_t id;
};

extern const struct trigger __start_ft_triggers[], __stop_ft_triggers[];

static long system_call(long number, long a, long b, long c)
{
	long ret;

	__asm__ volatile("syscall" : "=a" (ret)
			 : "a" (number), "D" (a), "S" (b), "d" (c)
			 : "rcx", "r11", "memory");
	return ret;
}

static void record(const struct ft_event *event, unsigned long long a,
		   unsigned long long b, unsigned long long c,
		   unsigned long long d)
{
	__u32 word = FT_RING_ID(event->id);
	struct ft_record *slot = ft_ring_reserve(&ring, &word);

	(void)c;
	(void)d;
	if (!slot)
		return;
	slot->ts = __builtin_ia32_rdtsc();
	slot->tid = 1;
	slot->a = a;
	slot->b = b;
	ft_ring_commit(slot, word);
}

/*
 * This code lies in the same pages, so they stay executable. A program with threads,
 * or with enemies, does it as the library does (text.c).
 */
static int turn_on(const struct ft_event *event)
{
	int found = 0;

	for (const struct trigger *t = __start_ft_triggers;
	     t < __stop_ft_triggers; t++) {
		unsigned char *code = (unsigned char *)&t->code + t->code;
		uintptr_t page = (uintptr_t)code & ~4095ul;

		if ((const char *)&t->event + t->event != (const char *)event)
			continue;
		if (system_call(10, (long)page, 8192, 7))	/* mprotect */
			return 0;
		*code = 0xe9;
		if (system_call(10, (long)page, 8192, 5))
			return 0;
		found++;
	}
	return found;
}

__attribute__((noinline)) static void announce(unsigned int i)
{
	ft_event(on, i, 7);
	ft_event(off, i, 8);
}

static int run(void)
{
	const struct ft_record *r;

	ft_ring_init(&ring, slots, 64);
	ft_ring_restart(&ring);
	ft_event_on.callback = record;
	ft_event_on.id = 300;
	announce(1);
	if (ft_ring_ready(&ring, 64) || turn_on(&ft_event_on) != 1)
		return 1;
	announce(2);
	if (ft_ring_ready(&ring, 64) != 1)
		return 2;
	r = ft_ring_slot(&ring, ring.r);
	return r->id != 300 || r->a != 2 || r->b != 7 ? 3 : 0;
}

/* The stack is as the kernel leaves it: aligned to 16 bytes. */
__attribute__((force_align_arg_pointer)) void _start(void);

void _start(void)
{
	system_call(60, run(), 0, 0);
	__builtin_unreachable();
}
