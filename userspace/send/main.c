// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft send: its options. A program of its own, so that ft needs no library for TLS.
 *
 * ft record --to runs it, too: with --follow it sends parts whose numbers it is told, and
 * whoever tells them waits for nothing.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/abouts.h"
#include "base/clock.h"
#include "base/end_signals.h"
#include "base/exit_status.h"
#include "base/mem.h"
#include "base/number.h"
#include "send/deliver.h"
#include "trace/parts.h"
#include "trace/session_file.h"
#include "trace/trace.h"
#include "wire/names.h"

/* Longer than a receiver that is silent is waited for. */
#define WAIT_SECONDS	(3 * WIRE_SECONDS)

/* How often to look for signals, and whether all was sent. */
#define SLICE_SECONDS	0.1

/* How long the thread that sends may take to notice that it is to end. */
#define STOP_SECONDS	1.0

struct sender {
	const char		*dir, *to;
	struct tls_files	files;
	double			wait;
	bool			follow, quiet;
	struct spool		spool;
	struct delivery		delivery;
	bool			incomplete;	/* some parts could not be sent at all */
};

static int take_spool(void *to, const struct option_given *given)
{
	if (!parse_count(given->value, to) && *(uint64_t *)to)
		return -1;
	return option_error(given, "is not a size: '%s'", given->value);
}

static const struct option_row options[] = {
	{ 0, "wait", "SECONDS", "give up when nothing more was sent for this time (60)",
	  OPTION_SECONDS(struct sender, wait) },
	{ 0, "remove", NULL, "remove each part that has arrived",
	  OPTION_FLAG(struct sender, spool.remove) },
	{ 'q', "quiet", NULL, "say only what went wrong", OPTION_FLAG(struct sender, quiet) },
	OPTION_TITLE("Encryption:"),
	OPTION_GROUP(struct sender, files, tls_options),
	OPTION_TITLE("For 'ft record --to', which runs it:"),
	{ 0, "follow", NULL, "send the parts whose numbers come as lines from standard input, until "
	  "that ends; remove those that have arrived", OPTION_FLAG(struct sender, follow) },
	{ 0, "spool", "SIZE", "with --follow: drop the oldest parts where those that wait are larger",
	  OPTION_CALL(struct sender, spool.limit, take_spool) },
	{ }
};

static int send_main(int argc, char **argv);

static const struct command send_command = {
	.name = "send",
	.about = ABOUT_SEND,
	.usage = "[--wait SECONDS] [--remove] [--tls-ca FILE] DIR HOST:PORT",
	.text = "Sends the parts of a recording that 'ft record --rotate' or 'ft run --rotate' has\n"
		"written to 'ft receive', the oldest first: those that are complete, and that the\n"
		"receiver does not have yet. Where there is no connection it tries again.\n",
	.options = options,
	.notes = "Exit status: 0 all were sent; 1 some were not, or an error; 2 bad arguments; 3 parts\n"
		 "were dropped, or with --follow remain.\n",
	.complete = COMPLETE_DIRECTORY,
	.min = 2, .max = 2,
	.missing = "which recording, and where to? DIR HOST:PORT",
	.excess = "one recording at a time",
	.main = send_main,
};

/* --- which parts --------------------------------------------------------------- */

static void add_told(struct sender *s)
{
	char line[32];

	while (fgets(line, sizeof(line), stdin)) {
		uint64_t number;

		line[strcspn(line, "\n")] = '\0';
		if (parse_u64(line, &number) || !spool_add(&s->spool, (unsigned int)number))
			s->incomplete = true;
	}
}

/* Return: false after a message */
static bool add_all(struct sender *s)
{
	unsigned int *numbers;
	size_t n = parts_numbers(s->dir, &numbers), i;

	if (!n)
		warnx("%s is not a rotated recording: it has no directories 000001, 000002, ...",
		      s->dir);
	for (i = 0; i < n; i++)
		s->incomplete |= !spool_add(&s->spool, numbers[i]);
	mem_free(numbers);
	return n;
}

/* --- until they are sent --------------------------------------------------------- */

static bool signal_came(const sigset_t *signals)
{
	const struct timespec now = { 0 };

	return sigtimedwait(signals, NULL, &now) > 0;
}

/* Return: was all sent? */
static bool wait_for_all(struct sender *s, const sigset_t *signals)
{
	double end = monotonic_now() + s->wait;
	unsigned long long most = 0;
	unsigned int sent = 0;

	while (!delivery_wait(&s->delivery, SLICE_SECONDS)) {
		unsigned long long most_now = atomic_load(&s->delivery.most);
		unsigned int now = spool_sent(&s->spool);

		if (now != sent || most_now != most)
			end = monotonic_now() + s->wait;
		sent = now;
		most = most_now;
		if (signal_came(signals) || monotonic_now() > end)
			break;
	}
	return delivery_wait(&s->delivery, 0);
}

static int tell(struct sender *s, bool all)
{
	const struct spool *spool = &s->spool;
	size_t left = spool->n + spool->left;
	char size[32];

	if (!s->quiet)
		warnx("sent %u part%s (%s) to %s", spool->sent, spool->sent == 1 ? "" : "s",
		      format_size(size, sizeof(size), spool->sent_bytes), s->to);
	if (spool->dropped)
		warnx("LOST %llu records in %u part%s that were dropped",
		      (unsigned long long)spool->dropped_records, spool->dropped,
		      spool->dropped == 1 ? "" : "s");
	if (!all)
		warnx("%zu part%s not sent; to send what is in %s: ft send --remove %s %s",
		      left, left == 1 ? " was" : "s were", s->dir, s->dir, s->to);
	if (spool->lacking)
		warnx("%u part%s sent without all facts%s", spool->lacking,
		      spool->lacking == 1 ? " was" : "s were",
		      s->spool.remove && !s->follow ? ", and stays here" : "");
	if (s->incomplete || spool->lacking)
		return FT_EXIT_ERROR;
	if (spool->dropped || (!all && s->follow))
		return FT_EXIT_LOST;
	return all ? FT_EXIT_OK : FT_EXIT_ERROR;
}

/* All parts have arrived and are gone: so that another recording may come here. */
static void clear(const struct sender *s)
{
	unlinkat(s->spool.dir.fd, SESSION_PARTS, 0);
	unlinkat(s->spool.dir.fd, SESSION_DIR, AT_REMOVEDIR);
}

static int run(struct sender *s)
{
	sigset_t signals;
	int status;
	bool all;

	/* before the thread, which has the same mask */
	end_signals_block(&signals);
	if (s->follow) {
		if (!delivery_start(&s->delivery))
			return FT_EXIT_ERROR;
		/* all is well so far: ft record waits for this */
		send(STDIN_FILENO, "", 1, MSG_NOSIGNAL);
		add_told(s);
		/* what ends the recording ends it first: its rest is to be sent, too */
		while (signal_came(&signals))
			;
	} else if (!add_all(s) || !delivery_start(&s->delivery)) {
		return FT_EXIT_ERROR;
	}
	spool_complete(&s->spool);
	all = wait_for_all(s, &signals);
	if (!all) {
		delivery_stop(&s->delivery);
		delivery_wait(&s->delivery, STOP_SECONDS);
		all = spool_is_empty(&s->spool);
	}
	pthread_mutex_lock(&s->spool.lock);
	status = tell(s, all && !s->spool.left);
	if (status == FT_EXIT_OK && s->spool.remove && !s->follow)
		clear(s);
	/* the thread may wait for an answer of the DNS */
	_exit(status);
}

static int send_main(int argc, char **argv)
{
	static struct sender s = { .wait = WAIT_SECONDS };
	int ret = options_parse_program(&send_command, &s, &argc, &argv);

	if (ret < 0)
		ret = tls_check(&s.files, "send", false);
	if (ret >= 0)
		return ret;
	s.dir = argv[0];
	s.to = argv[1];
	if (!wire_address_parse(&s.delivery.to, s.to))
		return usage_error("send", "where to? HOST:PORT, not '%s'", s.to);
	if (s.spool.limit && !s.follow)
		return usage_error("send", "--spool needs --follow");
	s.spool.dir.path = s.dir;
	s.spool.dir.fd = open(s.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s.spool.dir.fd < 0) {
		warn("cannot open the directory %s", s.dir);
		return FT_EXIT_ERROR;
	}
	if (tls_wanted(&s.files)) {
		s.delivery.tls = tls_open(&s.files);
		if (!s.delivery.tls)
			return FT_EXIT_ERROR;
	}
	/* all files of a part are open at a time: one of each thread */
	trace_allow_files(WIRE_FILES_MAX);
	spool_init(&s.spool);
	s.spool.remove |= s.follow;
	s.spool.last_stays = s.follow;
	s.spool.drop = s.follow;
	s.delivery.spool = &s.spool;
	s.delivery.name = s.to;
	return run(&s);
}

int main(int argc, char **argv)
{
	program_invocation_short_name = (char *)"ft";
	program_invocation_name = (char *)"ft";
	/* messages may go to nobody any more: what is sent is sent all the same */
	signal(SIGPIPE, SIG_IGN);
	return send_main(argc, argv);
}
