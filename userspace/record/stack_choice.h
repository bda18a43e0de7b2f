/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* --stacks=WHAT: which events get the stack of their thread. */
#ifndef FT_RECORD_STACK_CHOICE_H
#define FT_RECORD_STACK_CHOICE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** STACK_CHOICE_USUAL - what --stacks means without a WHAT */
#define STACK_CHOICE_USUAL	"waits>10us,sections>100us"

/** struct stack_choice - waits and sections that take longer than so long; all sleeps */
struct stack_choice {
	bool		waits, sections, sleeps;
	uint64_t	waits_ns, sections_ns;
	uint32_t	one_in;		/* acquisitions; 0: none */
};

/** stack_choice_parse - Return: NULL, or what is wrong with @text */
const char *stack_choice_parse(const char *text, struct stack_choice *choice);

/** stack_choice_is_empty - was nothing chosen? Programs have no sleeps, which are the kernel's */
static inline bool stack_choice_is_empty(const struct stack_choice *c)
{
	return !c->waits && !c->sections && !c->one_in;
}

#endif /* FT_RECORD_STACK_CHOICE_H */
