// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* fifo_steps.c as a program, C11 and C++17; a timer's signal is the interrupt. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#include "fifo_steps.h"

static void on_signal(int nr)
{
	(void)nr;
	fifo_interrupt();
}

int main(void)
{
	const char *why = fifo_steps();
	struct itimerval often;

	memset(&often, 0, sizeof(often));
	often.it_interval.tv_usec = 100;
	often.it_value.tv_usec = 100;
	if (!why) {
		signal(SIGALRM, on_signal);
		setitimer(ITIMER_REAL, &often, NULL);
		why = fifo_check_interrupts(500);
	}
	if (why) {
		printf("%s\n", why);
		return 1;
	}
	return 0;
}
