/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* SIGINT, SIGTERM, SIGHUP: they end a long-running command. Ignored ones (nohup) stay ignored. */
#ifndef FT_BASE_END_SIGNALS_H
#define FT_BASE_END_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/** end_signals_add - add them to a set */
void end_signals_add(sigset_t *signals);

/** end_signals_block - block them, for sigwait() or signalfd() */
void end_signals_block(sigset_t *signals);

/** end_signals_catch - record the first; a second one of the same kind ends the process */
void end_signals_catch(void);

/** end_signals_came - has one arrived since end_signals_catch()? */
bool end_signals_came(void);

#endif /* FT_BASE_END_SIGNALS_H */
