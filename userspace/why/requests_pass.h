/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Requests while the trace is read: marks become requests. Nobody else includes it. */
#ifndef FT_WHY_REQUESTS_PASS_H
#define FT_WHY_REQUESTS_PASS_H

#include "why/pass.h"
#include "why/requests.h"

/* A request under way. */
struct request_open {
	struct request		sum;		/* @thread and @wait have room for more */
	enum request_fault	fault;
	unsigned int		active;		/* threads */
	LIST_HEAD(, request_worker) workers;	/* these */
	uint64_t		since;		/* up to there, all of its time is counted */
};

/* A thread, and what it does for a request. */
struct request_worker {
	struct why_item		item;
	struct request_open	*of;		/* NULL: it works for none */
	uint64_t		ended;		/* the last one, which was ended meanwhile */
	bool			has_ended;

	LIST_ENTRY(request_worker) in_request;
};

struct requests_pass {
	struct requests		answer;		/* first: it is freed with this */
	struct requests_asked	asked;
	struct why_pass		*pass;
	uint8_t			role[METADATA_CLASSES][FT_ID_MAX + 1];	/* 1 + role; 0: none */
	bool			marks[METADATA_CLASSES];
	unsigned int		gaps[METADATA_CLASSES];	/* streams that have one just now */
	struct map		open;		/* struct request_open, by id */
	struct map		workers;	/* struct request_worker, by task */
};

/** requests_find_marks - which events are marks. Return: 0, or -1 with a message */
int requests_find_marks(struct requests_pass *r);

/** requests_keep - a request is complete: what it has goes to the answer */
void requests_keep(struct requests_pass *r, const struct request *sum);

/** requests_compare - all are known: percentiles, and what differs */
void requests_compare(struct requests *r);

#endif /* FT_WHY_REQUESTS_PASS_H */
