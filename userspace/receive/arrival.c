// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A part that arrives: see store.h. Nothing that it says is believed without a look. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "receive/store.h"
#include "trace/parts.h"
#include "trace/session_file.h"
#include "wire/names.h"

#define DIR_MODE	0750
#define FILE_MODE	0640

/* It is read into memory. */
#define SESSION_MAX	(1ull << 20)

/* The disk keeps so much for others. */
#define DISK_LEAST	(16ull << 20)

/* The first reason counts. */
__attribute__((format(printf, 3, 4)))
static void refuse(struct arrival *a, enum wire_refusal code, const char *fmt, ...)
{
	va_list ap;

	if (a->refused.code)
		return;
	a->refused.code = code;
	va_start(ap, fmt);
	vsnprintf(a->refused.text, sizeof(a->refused.text), fmt, ap);
	va_end(ap);
}

/* The directory of its recording, in that of the store. To be freed. */
static char *recording_path(const struct arrival *a)
{
	return mem_format("%s/%s", a->part.host, a->part.recording);
}

static char *part_path(const struct arrival *a, unsigned int number)
{
	char name[PART_NAME_LEN];

	return mem_format("%s/%s/%s", a->part.host, a->part.recording, part_name(name, number));
}

/* --- its beginning ------------------------------------------------------------- */

static bool is_there(const struct arrival *a)
{
	char *path = part_path(a, a->part.number);
	struct stat st;
	bool there = !fstatat(a->store->dir.fd, path, &st, AT_SYMLINK_NOFOLLOW);

	mem_free(path);
	return there;
}

/* Return: did it fit? */
static bool take_room(struct arrival *a)
{
	struct store *s = a->store;

	pthread_mutex_lock(&s->lock);
	a->reserved = !s->room || s->bytes + s->arriving + a->part.bytes <= s->room;
	if (a->reserved)
		s->arriving += a->part.bytes;
	a->id = s->next++;
	pthread_mutex_unlock(&s->lock);
	return a->reserved;
}

/* Sets room aside, where there is a limit. */
static void reserve(struct arrival *a)
{
	struct store *s = a->store;
	struct statvfs vfs;

	if (!fstatvfs(s->dir.fd, &vfs) &&
	    (uint64_t)vfs.f_bavail * vfs.f_frsize < a->part.bytes + DISK_LEAST) {
		refuse(a, WIRE_FULL, "its disk is full");
		return;
	}
	if (take_room(a))
		return;
	store_count(s);
	if (!take_room(a))
		refuse(a, WIRE_FULL, "it has as much as --room allows");
}

static void make_place(struct arrival *a)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", a->id);
	a->dir.path = mem_format("%s/.incoming/%s", a->store->dir.path, name);
	if (!mkdirat(a->store->incoming.fd, name, DIR_MODE))
		a->dir.fd = openat(a->store->incoming.fd, name,
				   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (a->dir.fd < 0 || mkdirat(a->dir.fd, SESSION_DIR, DIR_MODE))
		refuse(a, WIRE_FULL, "it cannot write: %s", strerror(errno));
}

enum wire_type arrival_begin(struct arrival *a, struct store *s, const struct wire_part *part)
{
	*a = (struct arrival)ARRIVAL_INIT;
	a->store = s;
	a->part = *part;
	a->files = part->files;
	a->bytes = part->bytes;
	if (!wire_part_ok(part))
		refuse(a, WIRE_BAD, "no such part can be");
	else if (is_there(a))
		return WIRE_HAVE;
	else if (part->bytes > s->part_max)
		refuse(a, WIRE_BAD, "the part is larger than --part-max allows");
	if (!a->refused.code)
		reserve(a);
	if (!a->refused.code)
		make_place(a);
	if (!a->refused.code)
		return WIRE_GO;
	arrival_abort(a);
	return WIRE_REFUSED;
}

/* --- its files ----------------------------------------------------------------- */

static void finish_file(struct arrival *a)
{
	if (a->file < 0)
		return;
	if (fsync(a->file))
		refuse(a, WIRE_FULL, "it cannot write: %s", strerror(errno));
	close(a->file);
	a->file = -1;
}

/* Links a file that the part before has, too. */
static void link_file(struct arrival *a, const struct wire_file *file)
{
	char *part = part_path(a, file->same), *from = mem_format("%s/%s", part, file->name);
	struct stat st;

	if (linkat(a->store->dir.fd, from, a->dir.fd, file->name, 0) ||
	    fstatat(a->dir.fd, file->name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size != file->size)
		refuse(a, WIRE_WHOLE, "it does not have %s of part %u", file->name, file->same);
	mem_free(from);
	mem_free(part);
}

/* Return: false: it has come before */
static bool make_file(struct arrival *a, const struct wire_file *file)
{
	a->file = openat(a->dir.fd, file->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
	if (a->file < 0 && errno == EEXIST)
		return false;
	if (a->file < 0)
		refuse(a, WIRE_FULL, "it cannot write: %s", strerror(errno));
	else if (!a->left)
		finish_file(a);
	return true;
}

bool arrival_file(struct arrival *a, const struct wire_file *file)
{
	uint64_t bytes = file->same ? 0 : file->size;

	if (a->left || !a->files || bytes > a->bytes || !wire_file_ok(file))
		return false;
	a->files--;
	a->bytes -= bytes;
	a->left = bytes;
	a->metadata |= !strcmp(file->name, "metadata");
	a->session |= !strcmp(file->name, SESSION_FILE);
	if (!strcmp(file->name, SESSION_FILE) && file->size > SESSION_MAX)
		refuse(a, WIRE_BAD, "its session file is too large");
	if (a->refused.code)
		return true;
	if (!file->same)
		return make_file(a, file);
	link_file(a, file);
	return true;
}

bool arrival_data(struct arrival *a, const void *data, size_t len)
{
	int ret;

	if (!len || len > a->left)
		return false;
	a->left -= len;
	if (a->refused.code)
		return true;
	ret = write_full(a->file, data, len, NULL);
	if (ret)
		refuse(a, WIRE_FULL, "it cannot write: %s", strerror(-ret));
	else if (!a->left)
		finish_file(a);
	return true;
}

/* --- its end ------------------------------------------------------------------- */

/* Are its directories those that its own facts name? */
static bool is_what_it_says(const struct arrival *a)
{
	char recording[WIRE_ID_LEN], number[16], want[16];

	snprintf(want, sizeof(want), "%u", a->part.number);
	return !session_get(a->dir.path, "recording", recording, sizeof(recording)) &&
	       !session_get(a->dir.path, "part", number, sizeof(number)) &&
	       !strcmp(recording, a->part.recording) && !strcmp(number, want);
}

static bool sync_dir(int at, const char *path)
{
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool ok = fd >= 0 && !fsync(fd);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* Return: 0 or errno */
static int move(const struct arrival *a)
{
	char *recording = recording_path(a), *part = part_path(a, a->part.number), from[16];
	const struct store *s = a->store;
	int error = 0;

	snprintf(from, sizeof(from), "%u", a->id);
	if (!sync_dir(a->dir.fd, SESSION_DIR) || !sync_dir(a->dir.fd, ".") ||
	    (mkdirat(s->dir.fd, a->part.host, DIR_MODE) && errno != EEXIST) ||
	    (mkdirat(s->dir.fd, recording, DIR_MODE) && errno != EEXIST) ||
	    renameat(s->incoming.fd, from, s->dir.fd, part) ||
	    !sync_dir(s->dir.fd, recording) || !sync_dir(s->dir.fd, a->part.host) ||
	    fsync(s->dir.fd))
		error = errno ? errno : EIO;
	mem_free(recording);
	mem_free(part);
	return error;
}

enum wire_type arrival_end(struct arrival *a)
{
	struct store *s = a->store;
	uint64_t bytes = a->part.bytes;
	int error;

	if (a->left || a->files || a->bytes)
		refuse(a, WIRE_BAD, "the part is not complete");
	if (!a->metadata || !a->session)
		refuse(a, WIRE_BAD, "the part is no trace");
	if (!a->refused.code && !is_what_it_says(a))
		refuse(a, WIRE_BAD, "the part's session file names another one");
	if (!a->refused.code) {
		error = move(a);
		if (error && !is_there(a))
			refuse(a, WIRE_FULL, "it cannot write: %s", strerror(error));
		if (!error) {
			pthread_mutex_lock(&s->lock);
			s->parts++;
			s->bytes += bytes;
			s->received += bytes;
			pthread_mutex_unlock(&s->lock);
		}
	}
	arrival_abort(a);
	return a->refused.code ? WIRE_REFUSED : WIRE_HAVE;
}

void arrival_abort(struct arrival *a)
{
	char name[16];

	if (a->file >= 0)
		close(a->file);
	a->file = -1;
	if (a->store && a->dir.path) {
		snprintf(name, sizeof(name), "%u", a->id);
		record_dir_remove_part(&a->store->incoming, name);
	}
	record_dir_close(&a->dir);
	mem_free((char *)a->dir.path);
	a->dir.path = NULL;
	if (a->reserved) {
		pthread_mutex_lock(&a->store->lock);
		a->store->arriving -= a->part.bytes;
		pthread_mutex_unlock(&a->store->lock);
	}
	a->reserved = false;
}
