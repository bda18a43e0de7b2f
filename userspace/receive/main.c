// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft receive: its options. A program of its own, so that ft needs no library for TLS. */
#include <err.h>
#include <errno.h>
#include <signal.h>

#include "base/abouts.h"
#include "base/exit_status.h"
#include "base/number.h"
#include "base/options.h"
#include "receive/receiver.h"

static int take_size(void *to, const struct option_given *given)
{
	if (!parse_count(given->value, to) && *(uint64_t *)to)
		return -1;
	return option_error(given, "is not a size: '%s'", given->value);
}

static const struct option_row options[] = {
	{ 'o', "output", "DIR", "write to DIR/HOST/RECORDING/000001 and so on",
	  OPTION_PATH(struct receiver, path, COMPLETE_DIRECTORY) },
	{ 'l', "listen", "ADDRESS:PORT", "where (127.0.0.1:9118; with port 0 the system chooses)",
	  OPTION_TEXT(struct receiver, listen) },
	{ 'n', "senders", "N", "at most this many at a time; others wait (64)",
	  OPTION_NUMBER(struct receiver, most) },
	{ 0, "part-max", "SIZE", "refuse parts that are larger (1G)",
	  OPTION_CALL(struct receiver, store.part_max, take_size) },
	{ 0, "room", "SIZE", "refuse parts as long as DIR would hold more (as the disk has)",
	  OPTION_CALL(struct receiver, store.room, take_size) },
	OPTION_TITLE("Encryption:"),
	OPTION_GROUP(struct receiver, files, tls_options),
	{ }
};

static const struct command receive_command = {
	.name = "receive",
	.about = ABOUT_RECEIVE,
	.usage = "-o DIR [--listen ADDRESS:PORT] [--room SIZE] [--tls-cert FILE --tls-key FILE]",
	.text = "Receives what 'ft record --to', 'ft run --to' and 'ft send' send, from many at a\n"
		"time, until a signal ends it. 'ft report DIR/HOST/RECORDING' reads a recording.\n"
		"It listens on this machine's loopback address unless --listen says otherwise. Whoever\n"
		"can connect can fill the disk up to --room: for others than this machine's users, use\n"
		"--tls-cert, --tls-key and --tls-ca, which asks senders for a certificate.\n",
	.options = options,
	.main = NULL,
};

int main(int argc, char **argv)
{
	struct receiver s = {
		.listen = "127.0.0.1:9118", .most = 64, .store.part_max = 1ull << 30,
	};
	int ret;

	program_invocation_short_name = (char *)"ft";
	program_invocation_name = (char *)"ft";
	/* messages may go to nobody any more: what is received is kept all the same */
	signal(SIGPIPE, SIG_IGN);
	ret = options_parse_program(&receive_command, &s, &argc, &argv);
	if (ret < 0)
		ret = tls_check(&s.files, "receive", true);
	if (ret >= 0)
		return ret;
	if (!s.path)
		return usage_error("receive", "write where? -o DIR");
	if (!s.most || s.most > RECEIVER_MOST)
		return usage_error("receive", "--senders must be 1 to %d, not '%zu'",
				   RECEIVER_MOST, s.most);
	if (!wire_address_parse(&s.address, s.listen))
		return usage_error("receive", "listen where? --listen ADDRESS:PORT, not '%s'",
				   s.listen);
	return receiver_run(&s) ? FT_EXIT_OK : FT_EXIT_ERROR;
}
