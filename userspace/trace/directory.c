// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The directory that a trace is recorded into. */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/number.h"
#include "packed/fact.h"
#include "trace/directory.h"
#include "trace/outside.h"
#include "trace/session_file.h"
#include "trace/trace.h"

/* A trace has kernel addresses: others may not read it. */
#define DIR_MODE	0750
#define FILE_MODE	0640

/* Warn if less space than this is free. */
#define ROOM_ENOUGH	(64ull << 20)

static const char *const info_files[] = SESSION_FILES;

const char *record_dir_default(char path[RECORD_DIR_DEFAULT])
{
	time_t now = time(NULL);
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(path, RECORD_DIR_DEFAULT, "ft-%Y%m%d-%H%M%S", &tm);
	return path;
}

static bool is_stream(const char *name)
{
	unsigned int number;

	return trace_stream_number(name, &number);
}

static bool is_of_trace(const char *name)
{
	return !strcmp(name, "metadata") || !strcmp(name, SESSION_DIR) ||
	       is_stream(name);
}

/* A trace of several, in a directory that is for them. */
static bool is_numbered(const struct record_dir *dir, const char *name)
{
	return dir->numbered && *name && !name[strspn(name, "0123456789")];
}

static DIR *open_entries(const struct record_dir *dir)
{
	/* a descriptor of its own: closedir() closes it, readdir() moves it */
	int fd = openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries;

	if (fd < 0)
		return NULL;
	entries = fdopendir(fd);
	if (!entries)
		close(fd);
	return entries;
}

static bool may_use(const struct record_dir *dir, bool force)
{
	DIR *entries = open_entries(dir);
	struct dirent *entry;
	bool ok = true;

	if (!entries) {
		warn("cannot read the directory %s", dir->path);
		return false;
	}
	while (ok && (entry = readdir(entries))) {
		const char *name = entry->d_name;

		if (!strcmp(name, ".") || !strcmp(name, ".."))
			continue;
		ok = force && (is_of_trace(name) || is_numbered(dir, name));
		if (!force)
			warnx("%s is not empty (it holds '%s'): choose another "
			      "directory with -o%s", dir->path, name,
			      dir->no_force ? "" :
			      ", or replace the trace in it with --force");
		else if (!ok)
			warnx("%s holds '%s', which is not part of a trace: "
			      "choose another directory with -o",
			      dir->path, name);
	}
	closedir(entries);
	return ok;
}

/* A warning only: the file system may grow, the trace be short. */
static void warn_room(const struct record_dir *dir)
{
	struct statvfs vfs;
	uint64_t room;
	char size[32];

	if (fstatvfs(dir->fd, &vfs))
		return;
	room = (uint64_t)vfs.f_bavail * vfs.f_frsize;
	if (room < ROOM_ENOUGH)
		warnx("only %s free in %s",
		      format_size(size, sizeof(size), room), dir->path);
}

bool record_dir_open_part(struct record_dir *dir, const char *path, bool force)
{
	dir->path = path;
	dir->cleared = false;
	dir->made = !mkdir(path, DIR_MODE);
	if (!dir->made && errno != EEXIST) {
		warn("cannot make the directory %s", path);
		return false;
	}
	dir->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir->fd < 0) {
		warn("cannot use %s as a directory", path);
		return false;
	}
	if (!dir->made && !may_use(dir, force))
		goto err_close;
	if (faccessat(dir->fd, ".", W_OK | X_OK, AT_EACCESS)) {
		warn("cannot write into %s", path);
		goto err_close;
	}
	warn_room(dir);
	return true;

err_close:
	close(dir->fd);
	dir->fd = -1;
	return false;
}

bool record_dir_open(struct record_dir *dir, const char *path, bool force)
{
	return outside_traces(path) && record_dir_open_part(dir, path, force);
}

/* Removes the files of a trace, its subdirectory if that is then empty. */
static void remove_trace(const struct record_dir *dir)
{
	DIR *entries = open_entries(dir);
	struct dirent *entry;

	for (size_t i = 0; i < ARRAY_SIZE(info_files); i++)
		unlinkat(dir->fd, info_files[i], 0);
	unlinkat(dir->fd, SESSION_DIR, AT_REMOVEDIR);
	unlinkat(dir->fd, "metadata", 0);
	if (!entries)
		return;
	while ((entry = readdir(entries))) {
		if (is_stream(entry->d_name))
			unlinkat(dir->fd, entry->d_name, 0);
	}
	closedir(entries);
}

static bool remove_numbered(const struct record_dir *dir)
{
	DIR *entries = open_entries(dir);
	struct dirent *entry;
	bool ok = entries;

	while (ok && (entry = readdir(entries))) {
		struct record_dir trace = { .fd = -1 };
		char path[4096];

		if (!is_numbered(dir, entry->d_name))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir->path, entry->d_name);
		ok = record_dir_open_part(&trace, path, true);
		if (!ok)
			break;
		remove_trace(&trace);
		record_dir_close(&trace);
		ok = !rmdir(path);
		if (!ok)
			warn("cannot remove %s", path);
	}
	if (entries)
		closedir(entries);
	return ok;
}

bool record_dir_clear(struct record_dir *dir)
{
	remove_trace(dir);
	dir->cleared = true;
	if (dir->numbered)
		return remove_numbered(dir);
	if (!mkdirat(dir->fd, SESSION_DIR, DIR_MODE) || errno == EEXIST)
		return true;
	warn("cannot make the directory %s/%s", dir->path, SESSION_DIR);
	return false;
}

int record_dir_create(const struct record_dir *dir, const char *name)
{
	/* O_EXCL: do not follow a link that another user left here */
	int fd = openat(dir->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			FILE_MODE);

	if (fd < 0)
		warn("cannot make the file %s/%s", dir->path, name);
	return fd;
}

/* Files that users read directly, and the list of parts, stay plain. */
static bool may_compress(const struct record_dir *dir, const char *name)
{
	return dir->compress && !strncmp(name, SESSION_DIR "/", strlen(SESSION_DIR "/")) &&
	       strcmp(name, SESSION_FILE) && strcmp(name, SESSION_PARTS);
}

static bool replace(const struct record_dir *dir, const char *name, const char *text, size_t len)
{
	static const char temporary[] = SESSION_DIR "/.new";
	int fd, ret;

	unlinkat(dir->fd, temporary, 0);
	fd = record_dir_create(dir, temporary);
	if (fd < 0)
		return false;
	ret = write_full(fd, text, len, NULL);
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && renameat(dir->fd, temporary, dir->fd, name))
		ret = -errno;
	if (!ret)
		return true;
	warnx("cannot write %s/%s: %s", dir->path, name, strerror(-ret));
	unlinkat(dir->fd, temporary, 0);
	return false;
}

bool record_dir_replace(const struct record_dir *dir, const char *name,
			const char *text, size_t len)
{
	void *packed = NULL;
	size_t n = may_compress(dir, name) ? packed_fact(text, len, dir->compress, &packed) : 0;
	bool ok = replace(dir, name, n ? packed : text, n ? n : len);

	mem_free(packed);
	return ok;
}

bool record_dir_holds(const struct record_dir *dir, const char *name,
		      const char *text, size_t len)
{
	char path[64], *saved;
	ssize_t n;
	bool same;

	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", dir->fd, name);
	n = packed_read_path(path, &saved);
	if (n < 0)
		return false;
	same = (size_t)n == len && !memcmp(saved, text, len);
	mem_free(saved);
	return same;
}

void record_dir_unlink(const struct record_dir *dir, const char *name)
{
	unlinkat(dir->fd, name, 0);
}

void record_dir_remove_part(const struct record_dir *dir, const char *name)
{
	struct record_dir part = {
		.fd = openat(dir->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
	};

	if (part.fd < 0)
		return;
	remove_trace(&part);
	close(part.fd);
	unlinkat(dir->fd, name, AT_REMOVEDIR);
}

void record_dir_discard(struct record_dir *dir)
{
	if (dir->cleared)
		remove_trace(dir);
	if (dir->made)
		rmdir(dir->path);
}

void record_dir_close(struct record_dir *dir)
{
	if (dir->fd >= 0)
		close(dir->fd);
	dir->fd = -1;
}
