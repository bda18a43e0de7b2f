// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* fifo_steps.c as firmware; a timer's interrupt writes, too. */
#include <stdint.h>

#include "board.h"
#include "fifo_steps.h"

int board_main(void)
{
	const char *why = fifo_steps();

	if (!why) {
		board_timer(997, fifo_interrupt);
		why = fifo_check_interrupts(2000);
	}
	if (!why)
		return 0;
	board_say(why);
	board_say("\n");
	return 1;
}
