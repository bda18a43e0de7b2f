// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Signals that end a command. */
#include "base/array.h"
#include "base/end_signals.h"

static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
static volatile sig_atomic_t came;

static bool is_ignored(int signal)
{
	struct sigaction old;

	return !sigaction(signal, NULL, &old) && old.sa_handler == SIG_IGN;
}

void end_signals_add(sigset_t *signals)
{
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		if (!is_ignored(ends[i]))
			sigaddset(signals, ends[i]);
	}
}

void end_signals_block(sigset_t *signals)
{
	sigemptyset(signals);
	end_signals_add(signals);
	sigprocmask(SIG_BLOCK, signals, NULL);
}

static void note(int signal)
{
	(void)signal;
	came = 1;
}

void end_signals_catch(void)
{
	/* a write that waits for a reader goes on after the first one */
	struct sigaction action = { .sa_handler = note, .sa_flags = SA_RESTART | SA_RESETHAND };

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		if (!is_ignored(ends[i]))
			sigaction(ends[i], &action, NULL);
	}
}

bool end_signals_came(void)
{
	return came;
}
