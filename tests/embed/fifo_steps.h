/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What fifo_steps.c tests, for programs and for firmware. */
#ifndef FIFO_STEPS_H
#define FIFO_STEPS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Return: NULL, or what does not hold. */
const char *fifo_steps(void);

/* As fifo_interrupt() writes; in firmware a timer calls it. */
void fifo_interrupt(void);
const char *fifo_check_interrupts(uint32_t wanted);

#ifdef __cplusplus
}
#endif

#endif /* FIFO_STEPS_H */
