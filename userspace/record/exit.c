// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Exit status of ft run and ft record: see exit.h. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/exit_status.h"
#include "record/exit.h"

int record_exit_own(int status)
{
	return status == FT_EXIT_ERROR || status == FT_EXIT_USAGE ? FT_EXIT_FAILED :
								   status;
}

int record_exit_no_start(int error)
{
	switch (error) {
	case ENOENT:
		return FT_EXIT_NOT_FOUND;
	case EAGAIN:	/* no process could be created at all */
	case ENOMEM:
		return FT_EXIT_FAILED;
	}
	return FT_EXIT_CANNOT_RUN;
}

static int command_status(const struct record_child *child)
{
	if (!child->pid || !child->ended)
		return FT_EXIT_OK;
	if (!WIFSIGNALED(child->status))
		return WEXITSTATUS(child->status);
	/* we stopped it, as --duration asks */
	if (child->stopped && WTERMSIG(child->status) == SIGTERM)
		return FT_EXIT_OK;
	return FT_EXIT_SIGNAL + WTERMSIG(child->status);
}

int record_exit_done(const struct record_child *child, bool lost)
{
	int status = command_status(child);

	return status == FT_EXIT_OK && lost ? FT_EXIT_LOST : status;
}
