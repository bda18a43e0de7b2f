// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Frames: see frame.h. */
#include <errno.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "packed/block.h"
#include "wire/frame.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames are sent as they lie in memory");
_Static_assert(sizeof(struct wire_head) == 24 && sizeof(struct wire_part) == 104 &&
	       sizeof(struct wire_file) == 48 && sizeof(struct wire_refused) == 208,
	       "both ends have these sizes");

static const uint8_t magic[4] = { 'F', 'T', 'w', '1' };

/*
 * EAGAIN comes where one call has waited for long, and from TLS at any time. Return: 0: try it
 * again, as the time for all of them is not over; else -errno.
 */
static int error_of(const struct wire *w, ssize_t n)
{
	if (n >= 0 || n == -EINTR || n == -EAGAIN || n == -EWOULDBLOCK)
		return monotonic_now() < w->end ? 0 : -ETIMEDOUT;
	return (int)n;
}

static ssize_t write_some(struct wire *w, const void *buf, size_t len)
{
	ssize_t n;

	if (w->layer)
		return w->layer->write(w, buf, len);
	n = send(w->fd, buf, len, MSG_NOSIGNAL);
	return n < 0 ? -errno : n;
}

static ssize_t read_some(struct wire *w, void *buf, size_t len)
{
	ssize_t n;

	if (w->layer)
		return w->layer->read(w, buf, len);
	n = recv(w->fd, buf, len, 0);
	return n < 0 ? -errno : n;
}

/* Until the end of its time, however often a little of it goes. */
static int write_all(struct wire *w, const void *buf, size_t len)
{
	const uint8_t *at = buf;

	while (len) {
		ssize_t n = write_some(w, at, len);
		int ret;

		if (n > 0) {
			at += n;
			len -= (size_t)n;
		}
		ret = len ? error_of(w, n) : 0;
		if (ret)
			return ret;
	}
	return 0;
}

/* @may_end: at its beginning the connection may be closed */
static int read_all(struct wire *w, void *buf, size_t len, bool may_end)
{
	uint8_t *at = buf;

	w->end = monotonic_now() + WIRE_SECONDS;
	while (len) {
		ssize_t n = read_some(w, at, len);
		int ret;

		if (!n)
			return may_end && at == buf ? -ENOTCONN : -ECONNRESET;
		if (n > 0) {
			at += n;
			len -= (size_t)n;
		}
		ret = len ? error_of(w, n) : 0;
		if (ret)
			return ret;
	}
	return 0;
}

int wire_send(struct wire *w, enum wire_type type, const void *data, size_t len)
{
	struct wire_head head = { .type = type, .len = (uint32_t)len };
	int ret;

	w->end = monotonic_now() + WIRE_SECONDS;
	memcpy(head.magic, magic, sizeof(magic));
	head.sum = packed_sum(data, len);
	ret = write_all(w, &head, sizeof(head));
	return ret ? ret : write_all(w, data, len);
}

int wire_receive(struct wire *w, struct wire_frame *frame)
{
	struct wire_head head;
	int ret = read_all(w, &head, sizeof(head), true);

	if (ret)
		return ret;
	if (memcmp(head.magic, magic, sizeof(magic)) || head.len > sizeof(frame->data))
		return -EPROTO;
	ret = read_all(w, frame->data, head.len, false);
	if (ret)
		return ret;
	frame->type = head.type;
	frame->len = head.len;
	return packed_sum(frame->data, frame->len) == head.sum ? 0 : -EPROTO;
}

uint64_t wire_waits(const struct wire *w)
{
	int bytes = 0;

	return ioctl(w->fd, SIOCOUTQ, &bytes) || bytes < 0 ? 0 : (uint64_t)bytes;
}

bool wire_take(const struct wire_frame *frame, void *to, size_t size)
{
	if (frame->len != size)
		return false;
	memcpy(to, frame->data, size);
	return true;
}

/* As much as a sender may have under way, in the time that it takes to notice. */
#define END_READS	64
#define END_SECONDS	1

void wire_end(struct wire *w)
{
	const struct timeval tv = { .tv_sec = END_SECONDS };
	uint8_t buf[4096];

	setsockopt(w->fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	w->end = monotonic_now() + WIRE_SECONDS;
	if (!w->layer)
		shutdown(w->fd, SHUT_WR);
	for (unsigned int i = 0; i < END_READS && monotonic_now() < w->end; i++) {
		if (read_some(w, buf, sizeof(buf)) <= 0)
			break;
	}
}

void wire_close(struct wire *w)
{
	if (w->fd < 0)
		return;
	if (w->layer)
		w->layer->close(w);
	close(w->fd);
	*w = (struct wire){ .fd = -1 };
}
