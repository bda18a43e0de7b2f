/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What firmware of the tests has in place of a C library: board.c. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

void board_say(const char *text);
void board_exit(int status);

/* Calls @tick in an interrupt, every @cycles. */
void board_timer(uint32_t cycles, void (*tick)(void));

/* The firmware's; its result is QEMU's exit status. */
int board_main(void);

#endif /* BOARD_H */
