// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* One part of a recording, over a connection: see part.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/mem.h"
#include "send/part.h"
#include "trace/session_file.h"
#include "trace/trace.h"
#include "wire/names.h"

static const char *const facts[] = SESSION_FILES;
#define FACTS	ARRAY_SIZE(facts)

_Static_assert(ARRAY_SIZE(((struct sent_files *)0)->of) >= FACTS, "each has its place");

#define SENT_WITHOUT	SESSION_DIR "/sent-without"

/* A file that is to be sent. */
struct item {
	struct wire_file	file;
	int			fd;
};

struct sending {
	struct wire		*wire;
	char			*text;		/* of SEND_TEXT */
	const char		*path;
	struct item		*item;
	unsigned int		n;
	uint64_t		bytes;
	uint64_t		done;		/* of them */
	bool			mark, missing;	/* as of send_part(); facts are */
	bool			lacked;		/* what the receiver has already */
	atomic_ullong		*most;		/* of all tries */
};

static enum sent failed(const struct sending *s, const char *what, int error)
{
	snprintf(s->text, SEND_TEXT, "%s: %s", what,
		 error == -ENOTCONN || error == -ECONNRESET ? "the receiver closed the connection" :
		 error == -EPROTO ? "the other end is not ft receive, or of another version" :
		 strerror(-error));
	return SENT_NOT;
}

/* The receiver still waits for the rest, so the connection cannot be used again. */
static enum sent unreadable(const struct sending *s, const char *name, int error)
{
	snprintf(s->text, SEND_TEXT, "%s cannot be read: %s", name, strerror(error));
	return SENT_NEVER;
}

/* --- what answers ------------------------------------------------------------ */

/* @code: why it is refused */
static enum sent answer(const struct sending *s, enum wire_type *type, uint32_t *code)
{
	struct wire_refused refused;
	struct wire_frame frame;
	int ret = wire_receive(s->wire, &frame);

	if (ret)
		return failed(s, "no answer", ret);
	*type = frame.type;
	if (frame.type == WIRE_GO || frame.type == WIRE_HAVE)
		return SENT;
	if (frame.type != WIRE_REFUSED || !wire_take(&frame, &refused, sizeof(refused)))
		return failed(s, "the answer", -EPROTO);
	*code = refused.code;
	/* it goes to a terminal */
	for (size_t i = 0; i < sizeof(refused.text); i++) {
		if (refused.text[i] && (refused.text[i] < ' ' || refused.text[i] > '~'))
			refused.text[i] = '?';
	}
	snprintf(s->text, SEND_TEXT, "the receiver refuses it: %.*s", (int)sizeof(refused.text),
		 refused.text);
	return SENT_REFUSED;
}

enum sent send_hello(struct wire *w, char text[SEND_TEXT])
{
	const struct wire_hello hello = { .version = WIRE_VERSION };
	const struct sending s = { .wire = w, .text = text };
	enum wire_type type = WIRE_REFUSED;
	uint32_t code;
	int ret = wire_send(w, WIRE_HELLO, &hello, sizeof(hello));

	return ret ? failed(&s, "cannot send", ret) : answer(&s, &type, &code);
}

/* --- which files ------------------------------------------------------------- */

/* Return: false: it cannot be read */
static bool add_file(struct sending *s, const char *name, struct stat *st)
{
	struct item item = { .fd = -1 };
	char *path = mem_format("%s/%s", s->path, name);

	snprintf(item.file.name, sizeof(item.file.name), "%s", name);
	item.fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	mem_free(path);
	if (item.fd < 0)
		return false;
	if (fstat(item.fd, st) || !S_ISREG(st->st_mode)) {
		close(item.fd);
		errno = EINVAL;
		return false;
	}
	item.file.size = (uint64_t)st->st_size;
	s->bytes += item.file.size;
	s->item = mem_resize(s->item, s->n + 1, sizeof(*s->item));
	s->item[s->n++] = item;
	return true;
}

/* Not all recordings have all of them. */
static void note_missing(struct sent_files *now, size_t i, int error)
{
	if (error == ENOENT)
		return;
	if (!now->missing++) {
		now->first_missing = facts[i];
		now->why = error;
	}
}

/* @now: what of them there is. Those that @last has, too, are sent by name. */
static void find_facts(struct sending *s, const struct sent_files *last, struct sent_files *now)
{
	for (size_t i = 0; i < FACTS; i++) {
		struct stat st;

		now->of[i].size = -1;
		if (!add_file(s, facts[i], &st)) {
			note_missing(now, i, errno);
			continue;
		}
		now->of[i].dev = st.st_dev;
		now->of[i].ino = st.st_ino;
		now->of[i].size = st.st_size;
		/* both were there at one time, so an equal number is the same file */
		if (!last->number || last->number + 1 != now->number ||
		    last->of[i].dev != st.st_dev || last->of[i].ino != st.st_ino ||
		    last->of[i].size != st.st_size)
			continue;
		s->item[s->n - 1].file.same = last->number;
		s->bytes -= (uint64_t)st.st_size;
	}
}

/* Return: is it a trace? */
static bool find_files(struct sending *s)
{
	DIR *d = opendir(s->path);
	struct dirent *e;
	struct stat st;
	bool ok = d && add_file(s, "metadata", &st);
	int error;

	while (ok && (e = readdir(d))) {
		unsigned int number;

		if (trace_stream_number(e->d_name, &number))
			ok = add_file(s, e->d_name, &st);
		if (ok && s->n > WIRE_FILES_MAX) {
			errno = E2BIG;
			ok = false;
		}
	}
	error = errno;
	if (d)
		closedir(d);
	errno = error;
	return ok;
}

static void close_files(struct sending *s)
{
	for (unsigned int i = 0; i < s->n; i++)
		close(s->item[i].fd);
	mem_free(s->item);
}

/* --- sending ----------------------------------------------------------------- */

/* How often to look what has arrived. */
#define SLICE_MS	100

/* Bytes in the socket's buffer may never arrive, so they are not progress. */
static void note_progress(const struct sending *s, uint64_t waits)
{
	uint64_t arrived = s->done > waits ? s->done - waits : 0;

	if (arrived > atomic_load(s->most))
		atomic_store(s->most, arrived);
}

/*
 * A buffer may hold more than a slow way takes in the time of an answer: that time begins when
 * the other machine has all. Until then each WIRE_DATA_MAX has as long as a frame.
 */
static int wait_for_buffer(const struct sending *s)
{
	struct pollfd pfd = { .fd = s->wire->fd, .events = POLLIN };
	double end = monotonic_now() + WIRE_SECONDS;
	uint64_t waits = wire_waits(s->wire), mark = waits;

	/* something that comes early is an answer, too, or the end of the connection */
	while (waits && poll(&pfd, 1, SLICE_MS) <= 0) {
		if (waits + WIRE_DATA_MAX <= mark) {
			mark = waits;
			end = monotonic_now() + WIRE_SECONDS;
		}
		if (monotonic_now() > end)
			return -ETIMEDOUT;
		note_progress(s, waits);
		waits = wire_waits(s->wire);
	}
	note_progress(s, waits);
	return 0;
}

static enum sent send_file(struct sending *s, const struct item *item)
{
	char buf[WIRE_DATA_MAX];
	uint64_t left = item->file.same ? 0 : item->file.size;
	int ret = wire_send(s->wire, WIRE_FILE, &item->file, sizeof(item->file));

	while (!ret && left) {
		ssize_t n = read(item->fd, buf, left < sizeof(buf) ? left : sizeof(buf));

		if (n <= 0)
			return unreadable(s, item->file.name, n ? errno : ESTALE);
		ret = wire_send(s->wire, WIRE_DATA, buf, (size_t)n);
		left -= (uint64_t)n;
		s->done += (uint64_t)n;
		if (!ret)
			note_progress(s, wire_waits(s->wire));
	}
	return ret ? failed(s, "cannot send", ret) : SENT;
}

/*
 * The receiver knows parts by their numbers: it says that it has a part even if it got that
 * without a fact. Marking the part before it may arrive keeps the fact from being removed
 * here then.
 */
static bool mark(const struct sending *s)
{
	char *path = mem_format("%s/" SENT_WITHOUT, s->path);
	int fd = -1;

	if (s->missing && s->mark)
		fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
	else if (!s->missing)
		unlink(path);
	if (fd >= 0)
		close(fd);
	mem_free(path);
	return fd >= 0 || !s->missing || !s->mark;
}

static bool is_marked(const struct sending *s)
{
	char *path = mem_format("%s/" SENT_WITHOUT, s->path);
	bool marked = !access(path, F_OK);

	mem_free(path);
	return marked;
}

/* @readable: else it is only asked whether the receiver has the part, of an earlier try */
static enum sent send_files(struct sending *s, const struct wire_part *part, bool readable,
			    uint32_t *code)
{
	enum wire_type type = WIRE_REFUSED;
	int ret = wire_send(s->wire, WIRE_PART, part, sizeof(*part));
	enum sent sent = ret ? failed(s, "cannot send", ret) : answer(s, &type, code);

	if (sent == SENT && type == WIRE_HAVE)
		s->lacked = is_marked(s);
	if (!readable && (sent == SENT_REFUSED || (sent == SENT && type != WIRE_HAVE)))
		return SENT_NEVER;
	if (sent != SENT || type == WIRE_HAVE)
		return sent;
	if (!mark(s)) {
		snprintf(s->text, SEND_TEXT, SENT_WITHOUT " cannot be written: %s",
			 strerror(errno));
		return SENT_NEVER;
	}
	for (unsigned int i = 0; i < s->n && sent == SENT; i++)
		sent = send_file(s, &s->item[i]);
	if (sent != SENT)
		return sent;
	ret = wire_send(s->wire, WIRE_END, "", 0);
	if (!ret)
		ret = wait_for_buffer(s);
	sent = ret ? failed(s, "cannot send", ret) : answer(s, &type, code);
	if (sent == SENT && type != WIRE_HAVE)
		sent = failed(s, "the answer", -EPROTO);
	return sent == SENT_NOT ? SENT_PERHAPS : sent;
}

/* Whose part it is, as it says itself. Return: 0, or -errno */
static int name_of(const char *path, struct wire_part *part)
{
	char host[WIRE_HOST_LEN * 2] = "unknown", recording[WIRE_ID_LEN];
	int ret = session_get(path, "recording", recording, sizeof(recording));

	if (ret)
		return ret;
	ret = session_get(path, "host", host, sizeof(host));
	if (ret && ret != -ENOENT && ret != -ENAMETOOLONG)
		return ret;
	wire_host(part->host, host);
	memcpy(part->recording, recording, strlen(recording));
	return 0;
}

static void tell_unreadable(const struct sending *s, int files, int name)
{
	if (files)
		snprintf(s->text, SEND_TEXT, "it cannot be read: %s", strerror(-files));
	else if (name == -ENOENT)
		snprintf(s->text, SEND_TEXT,
			 SESSION_FILE " does not say which recording it belongs to");
	else
		snprintf(s->text, SEND_TEXT, SESSION_FILE " cannot be read: %s", strerror(-name));
}

/*
 * A part that was tried before may be there, under the name that it had then: ask for it by
 * that name, whatever has become of its files.
 */
enum sent send_part(struct wire *w, const char *path, unsigned int number,
		    struct sent_files *last, bool mark, atomic_ullong *most,
		    char text[SEND_TEXT])
{
	struct sending s = {
		.wire = w, .text = text, .path = path, .mark = mark, .most = most,
	};
	struct sent_files now = { .number = number };
	int files = find_files(&s) ? 0 : -errno, name = name_of(path, &now.tried);
	bool readable = !files && !name;
	enum sent sent = SENT_NEVER;
	uint32_t code = 0;

	if (last->tried.number == number)
		now.tried = last->tried;
	find_facts(&s, last, &now);
	s.missing = now.missing;
	if (readable || now.tried.number != number) {
		now.tried.files = s.n;
		now.tried.bytes = s.bytes;
	}
	if (!name)
		now.tried.number = number;
	if (now.tried.number) {
		last->tried = now.tried;
		sent = send_files(&s, &now.tried, readable, &code);
	}
	if (sent == SENT_NEVER && !readable)
		tell_unreadable(&s, files, name);
	close_files(&s);
	now.lacked = s.lacked;
	if (sent == SENT)
		*last = now;
	else if (code == WIRE_WHOLE)
		last->number = 0;
	return sent == SENT_REFUSED && code == WIRE_BAD ? SENT_NEVER : sent;
}
