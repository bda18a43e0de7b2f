// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Signals that end a command. */
#include "base/util.h"
#include "ft/end_signals.h"

void end_signals_block(sigset_t *signals)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction old;

	sigemptyset(signals);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		if (!sigaction(ends[i], NULL, &old) &&
		    old.sa_handler != SIG_IGN)
			sigaddset(signals, ends[i]);
	}
	sigprocmask(SIG_BLOCK, signals, NULL);
}
