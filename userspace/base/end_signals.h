/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Signals that end a command which goes on until then. Those that are ignored (nohup) stay so. */
#ifndef FT_BASE_END_SIGNALS_H
#define FT_BASE_END_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/** end_signals_add - add them to a set */
void end_signals_add(sigset_t *signals);

/** end_signals_block - let them wait for sigwait(), or a descriptor */
void end_signals_block(sigset_t *signals);

/** end_signals_catch - note the first; the next one of its kind ends the process at once */
void end_signals_catch(void);

/** end_signals_came - after end_signals_catch(): has one come? */
bool end_signals_came(void);

#endif /* FT_BASE_END_SIGNALS_H */
