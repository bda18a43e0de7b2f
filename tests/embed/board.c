// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Firmware for a Cortex-M3 without a C library: vectors, a timer that interrupts, and a
 * debugger's console (semihosting), on QEMU's lm3s6965evb.
 */
#include <stddef.h>
#include <stdint.h>

#include "board.h"

#define SYST_CSR	(*(volatile uint32_t *)0xe000e010u)
#define SYST_RVR	(*(volatile uint32_t *)0xe000e014u)
#define SYST_CVR	(*(volatile uint32_t *)0xe000e018u)

extern uint32_t board_stack[];
extern uint32_t board_data_from[], board_data[], board_data_end[], board_bss[], board_bss_end[];

static void (*on_tick)(void);

static int semihosting(int call, const void *arg)
{
	register int r0 __asm__("r0") = call;
	register const void *r1 __asm__("r1") = arg;

	__asm__ volatile("bkpt 0xab" : "+r" (r0) : "r" (r1) : "memory");
	return r0;
}

void board_say(const char *text)
{
	semihosting(4, text);
}

void board_exit(int status)
{
	const uint32_t why[2] = { 0x20026, (uint32_t)status };

	semihosting(0x20, why);
	for (;;)
		;
}

void board_timer(uint32_t cycles, void (*tick)(void))
{
	on_tick = tick;
	SYST_RVR = cycles;
	SYST_CVR = 0;
	SYST_CSR = 7;
}

void *memcpy(void *to, const void *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((volatile unsigned char *)to)[i] = ((const unsigned char *)from)[i];
	return to;
}

void *memset(void *to, int c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((volatile unsigned char *)to)[i] = (unsigned char)c;
	return to;
}

static void reset(void)
{
	uint32_t *from = board_data_from;

	for (uint32_t *to = board_data; to < board_data_end; to++)
		*to = *from++;
	for (uint32_t *to = board_bss; to < board_bss_end; to++)
		*to = 0;
	board_exit(board_main());
}

static void fault(void)
{
	board_say("fault\n");
	board_exit(3);
}

static void systick(void)
{
	on_tick();
}

__attribute__((section(".vectors"), used))
static void (*const vectors[16])(void) = {
	(void (*)(void))board_stack, reset, fault, fault, fault, fault, fault, 0, 0, 0, 0,
	fault, 0, 0, fault, systick,
};
