// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* --to HOST:PORT: see forward.h. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/exit_status.h"
#include "base/number.h"
#include "record/forward.h"

#define SPOOL		(64ull << 20)
#define SPOOL_LEAST	(8ull << 20)

const struct option_row forward_options[] = {
	{ 0, "to", "HOST:PORT", "send what is recorded to 'ft receive' there, in parts as with "
	  "--rotate; DIR has only what is not sent yet (default: in /run)",
	  OPTION_TEXT(struct forward, to) },
	{ 0, "spool", "SIZE", "with --to: keep at most this much (64M); when it is full, the "
			      "oldest parts are dropped, and counted as lost",
	  OPTION_TEXT(struct forward, spool) },
	{ 0, "wait", "SECONDS", "with --to: at the end, give up when nothing more was sent for this "
	  "time (60); the rest stays in DIR", OPTION_TEXT(struct forward, wait) },
	{ 0, "tls-ca", "FILE", "with --to: encrypt; FILE signed the receiver's certificate",
	  OPTION_PATH(struct forward, ca, COMPLETE_FILE) },
	{ 0, "tls-cert", "FILE", "with --tls-ca: our own certificate, if it asks for one",
	  OPTION_PATH(struct forward, cert, COMPLETE_FILE) },
	{ 0, "tls-key", "FILE", "with --tls-cert: its key",
	  OPTION_PATH(struct forward, key, COMPLETE_FILE) },
	{ }
};

int forward_check(const struct forward *f, const char *command, uint64_t *room)
{
	double seconds;

	*room = SPOOL;
	if (!f->to && (f->spool || f->wait || f->ca || f->cert || f->key))
		return usage_error(command, "--spool, --wait and --tls-... need --to");
	if (!f->to)
		return -1;
	if (!strchr(f->to, ':'))
		return usage_error(command, "--to where? HOST:PORT, not '%s'", f->to);
	if (f->spool && (parse_count(f->spool, room) || *room < SPOOL_LEAST))
		return usage_error(command, "--spool must be 8M at least, not '%s'", f->spool);
	if (f->wait && parse_seconds(f->wait, &seconds))
		return usage_error(command, "--wait is not a number of seconds: '%s'", f->wait);
	if (!f->cert != !f->key)
		return usage_error(command, "--tls-cert and --tls-key belong together");
	if (f->cert && !f->ca)
		return usage_error(command, "--tls-cert needs --tls-ca, to check the receiver");
	return -1;
}

const char *forward_place(struct forward *f, const char *name)
{
	const char *own = getenv("XDG_RUNTIME_DIR");
	const char *dir = !access("/run", W_OK) ? "/run" : own && *own ? own : ".";

	/* One place for all: others may begin in the same second. */
	snprintf(f->path, sizeof(f->path), "%s/%s-%d", dir, name, (int)getpid());
	return f->path;
}

/* Return: how it ended, as wait() has it */
static int reap(struct forward *f)
{
	int status = 0;

	close(f->line);
	f->line = -1;
	while (waitpid(f->sender.pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* One byte comes when it has found its arguments good; if not, its messages say why. */
static bool is_ready(struct forward *f)
{
	char ready;
	ssize_t n;

	do {
		n = read(f->line, &ready, 1);
	} while (n < 0 && errno == EINTR);
	if (n == 1)
		return true;
	reap(f);
	warnx("ft send does not start");
	return false;
}

/* With our end of a pair of sockets as its input; what it prints is for people. */
static bool start(struct forward *f, char **argv)
{
	sigset_t signals;
	int pair[2], null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	bool ok = null >= 0 && !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);

	if (!ok) {
		warn("cannot start ft send");
	} else {
		sigprocmask(SIG_BLOCK, NULL, &signals);
		f->sender.argv = argv;
		ok = !record_child_start_with(&f->sender, pair[0], null, &signals);
		f->sender.argv = NULL;
		close(pair[0]);
		f->line = pair[1];
		if (!ok) {
			close(f->line);
			f->line = -1;
		}
	}
	if (null >= 0)
		close(null);
	return ok && is_ready(f);
}

bool forward_start(struct forward *f, const char *dir, uint64_t limit)
{
	char self[PATH_MAX], size[24];
	const char *argv[20] = { self, "send", "--follow", "--spool", size };
	const struct {
		const char *name, *value;
	} more[] = {
		{ "--wait", f->wait }, { "--tls-ca", f->ca }, { "--tls-cert", f->cert },
		{ "--tls-key", f->key },
	};
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t n = 5, i;

	self[len < 0 ? 0 : len] = '\0';
	snprintf(size, sizeof(size), "%" PRIu64, limit);
	for (i = 0; i < ARRAY_SIZE(more); i++) {
		if (!more[i].value)
			continue;
		argv[n++] = more[i].name;
		argv[n++] = more[i].value;
	}
	if (f->quiet)
		argv[n++] = "--quiet";
	argv[n++] = "--";
	argv[n++] = dir;
	argv[n] = f->to;
	return start(f, (char **)argv);
}

bool forward_part(struct forward *f, unsigned int number)
{
	char line[16];
	int len = snprintf(line, sizeof(line), "%u\n", number);

	if (send(f->line, line, (size_t)len, MSG_NOSIGNAL) == len)
		return true;
	warnx("ft send has ended: nothing is sent any more");
	return false;
}

bool forward_end(struct forward *f)
{
	int status;
	bool ok;

	if (f->line < 0)
		return !f->lost;
	status = reap(f);
	ok = WIFEXITED(status) && WEXITSTATUS(status) == FT_EXIT_OK;
	if (!WIFEXITED(status))
		warnx("ft send was ended by signal %d", WTERMSIG(status));
	f->lost |= !ok;
	return ok;
}
