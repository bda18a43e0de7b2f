// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The conversation with one sender: see peer.h. */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "receive/peer.h"

struct peer {
	struct wire		*wire;
	struct store		*store;
	const char		*name;
	struct arrival		arrival;
	bool			arrives;
	bool			greeted;
	struct wire_refused	said;		/* the same reason is told once */
	struct wire_frame	frame;
};

/* Return: 0 or -errno */
static int answer(struct peer *p, enum wire_type type)
{
	const struct arrival *a = &p->arrival;
	const struct wire_refused *refused = &a->refused;

	if (type != WIRE_REFUSED)
		return wire_send(p->wire, type, "", 0);
	pthread_mutex_lock(&p->store->lock);
	p->store->refused++;
	pthread_mutex_unlock(&p->store->lock);
	/* WIRE_WHOLE is not a fault: the next try brings what is missing */
	if (refused->code != WIRE_WHOLE && memcmp(refused, &p->said, sizeof(*refused)))
		warnx("%s: refused part %u: %s", p->name, a->part.number, refused->text);
	p->said = *refused;
	return wire_send(p->wire, type, refused, sizeof(*refused));
}

/* Tells the sender why the conversation ends. */
static int bad(struct peer *p, const char *what)
{
	struct wire_refused refused = { .code = WIRE_BAD };

	snprintf(refused.text, sizeof(refused.text), "%s", what);
	warnx("%s: %s", p->name, what);
	if (!wire_send(p->wire, WIRE_REFUSED, &refused, sizeof(refused)))
		wire_end(p->wire);
	return -EPROTO;
}

static int take_hello(struct peer *p)
{
	struct wire_hello hello;

	if (p->frame.type != WIRE_HELLO || !wire_take(&p->frame, &hello, sizeof(hello)))
		return bad(p, "it does not begin as ft send does");
	if (hello.version != WIRE_VERSION)
		return bad(p, "it is of another version");
	p->greeted = true;
	return wire_send(p->wire, WIRE_GO, "", 0);
}

static int take_part(struct peer *p)
{
	struct wire_part part;
	enum wire_type type;

	if (p->frame.type != WIRE_PART || !wire_take(&p->frame, &part, sizeof(part)))
		return bad(p, "a part was expected");
	type = arrival_begin(&p->arrival, p->store, &part);
	p->arrives = type == WIRE_GO;
	return answer(p, type);
}

static int take_content(struct peer *p)
{
	struct wire_file file;

	switch (p->frame.type) {
	case WIRE_FILE:
		if (wire_take(&p->frame, &file, sizeof(file)) && arrival_file(&p->arrival, &file))
			return 0;
		return bad(p, "a file that no trace has, or that comes twice or too early");
	case WIRE_DATA:
		if (arrival_data(&p->arrival, p->frame.data, p->frame.len))
			return 0;
		return bad(p, "more data than was announced");
	case WIRE_END:
		p->arrives = false;
		return answer(p, arrival_end(&p->arrival));
	default:
		return bad(p, "a frame that does not belong to a part");
	}
}

void peer_serve(struct wire *w, struct store *s, const char *name)
{
	struct peer p = { .wire = w, .store = s, .name = name, .arrival = ARRIVAL_INIT };
	int ret;

	do {
		ret = wire_receive(w, &p.frame);
		if (ret == -EPROTO)
			bad(&p, "what it sends is damaged, or not from ft send");
		if (!ret)
			ret = !p.greeted ? take_hello(&p) : p.arrives ? take_content(&p) :
									take_part(&p);
	} while (!ret);
	if (p.arrives)
		warnx("%s: it went away in the middle of part %u, which is not kept", name,
		      p.arrival.part.number);
	arrival_abort(&p.arrival);
}
