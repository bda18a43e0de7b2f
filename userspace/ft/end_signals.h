/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Signals that end a command which goes on until then. */
#ifndef FT_END_SIGNALS_H
#define FT_END_SIGNALS_H

#include <signal.h>

/** end_signals_block - let them wait for sigwait(); those that are ignored (nohup) stay so */
void end_signals_block(sigset_t *signals);

#endif /* FT_END_SIGNALS_H */
