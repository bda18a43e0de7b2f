// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The directory that ft receive writes to: see store.h. */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "receive/store.h"

#define INCOMING	".incoming"
#define DIR_MODE	0750

/* nftw() has no argument for this: store->counting is held. */
static uint64_t counted;

static int count_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	if (at->level == 1 && !strcmp(path + at->base, INCOMING))
		return FTW_SKIP_SUBTREE;
	if (kind == FTW_F)
		counted += (uint64_t)st->st_size / st->st_nlink;
	return FTW_CONTINUE;
}

void store_count(struct store *s)
{
	uint64_t before;

	pthread_mutex_lock(&s->counting);
	pthread_mutex_lock(&s->lock);
	before = s->received;
	pthread_mutex_unlock(&s->lock);
	counted = 0;
	nftw(s->dir.path, count_one, 16, FTW_PHYS | FTW_ACTIONRETVAL);
	pthread_mutex_lock(&s->lock);
	/* what came meanwhile may be counted or not: rather twice than not at all */
	s->bytes = counted + s->received - before;
	pthread_mutex_unlock(&s->lock);
	pthread_mutex_unlock(&s->counting);
}

/* What an earlier one has left. */
static void clear_incoming(struct store *s)
{
	int fd = openat(s->incoming.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		if (!e->d_name[strspn(e->d_name, "0123456789")])
			record_dir_remove_part(&s->incoming, e->d_name);
	}
	if (d)
		closedir(d);
}

bool store_open(struct store *s, const char *path)
{
	pthread_mutex_init(&s->lock, NULL);
	pthread_mutex_init(&s->counting, NULL);
	s->dir = s->incoming = (struct record_dir){ .path = path, .fd = -1 };
	if (mkdir(path, DIR_MODE) && errno != EEXIST) {
		warn("cannot make the directory %s", path);
		return false;
	}
	s->dir.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir.fd < 0) {
		warn("cannot use %s as a directory", path);
		return false;
	}
	if (flock(s->dir.fd, LOCK_EX | LOCK_NB)) {
		warnx("another ft receive writes into %s", path);
		return false;
	}
	if (mkdirat(s->dir.fd, INCOMING, DIR_MODE) && errno != EEXIST) {
		warn("cannot write into %s", path);
		return false;
	}
	s->incoming.fd = openat(s->dir.fd, INCOMING,
				O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (s->incoming.fd < 0) {
		warn("cannot use %s/" INCOMING, path);
		return false;
	}
	clear_incoming(s);
	if (s->room)
		store_count(s);
	return true;
}

void store_close(struct store *s)
{
	if (s->incoming.fd >= 0)
		unlinkat(s->dir.fd, INCOMING, AT_REMOVEDIR);
	record_dir_close(&s->incoming);
	record_dir_close(&s->dir);
}
