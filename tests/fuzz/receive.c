// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What ft receive gets from the network. The input is frames: a type, two bytes of length,
 * the content; their heads are made here, with the right sum, but for types with the
 * highest bit: those are bytes as they stand. All that it leaves must be whole.
 */
#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "files.h"
#include "receive/peer.h"

#define AS_IT_IS	0x80

static struct store store = { .part_max = 1 << 20, .room = 1 << 22 };

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	return at->level ? remove(path) : 0;
}

static int remove_arrived(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	return strstr(path, "/.incoming") ? 0 : remove_one(path, st, kind, at);
}

static void remove_all(void)
{
	nftw(files_dir(), remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void begin(void)
{
	if (!store_open(&store, files_dir()))
		abort();
	atexit(remove_all);
}

static void feed(struct wire *w, const uint8_t *data, size_t size)
{
	while (size >= 3) {
		size_t len = data[1] | (size_t)data[2] << 8;
		uint8_t type = data[0];

		data += 3;
		size -= 3;
		if (len > size)
			len = size;
		if (type & AS_IT_IS ? send(w->fd, data, len, MSG_NOSIGNAL) < 0 :
				      wire_send(w, type, data, len))
			break;
		data += len;
		size -= len;
	}
	shutdown(w->fd, SHUT_WR);
}

/* What is under way may not stay, and nothing may be anywhere else. */
static void check_whole(void)
{
	int fd = dup(store.incoming.fd);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!d)
		abort();
	rewinddir(d);
	while ((e = readdir(d))) {
		if (e->d_name[0] != '.')
			abort();
	}
	closedir(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire sender = { .fd = -1 }, receiver = { .fd = -1 };
	int pair[2];

	if (!store.dir.path)
		begin();
	/* more answers than the socket holds end it: nobody reads them */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair))
		abort();
	sender.fd = pair[0];
	receiver.fd = pair[1];
	feed(&sender, data, size);
	peer_serve(&receiver, &store, "fuzz");
	check_whole();
	/* so that the same parts can come again */
	nftw(files_dir(), remove_arrived, 16, FTW_DEPTH | FTW_PHYS);
	wire_close(&sender);
	wire_close(&receiver);
	return 0;
}
