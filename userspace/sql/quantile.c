// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* quantile(x, q). See quantile.h. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sql/quantile.h"

union number {
	int64_t	integer;
	double	real;
};

struct values {
	union number	*at;
	size_t		n, room;
	double		q;
	bool		real;		/* all of them; else all are integers */
	bool		none;		/* q is NULL */
};

/* Return: 0; -1: no memory */
static int make_room(struct values *v)
{
	union number *more;

	if (v->n < v->room)
		return 0;
	more = mem_try_resize(v->at, 2 * v->room + 64, sizeof(*more));
	if (!more)
		return -1;
	v->at = more;
	v->room = 2 * v->room + 64;
	return 0;
}

static void add(struct values *v, sqlite3_value *value)
{
	bool integer = sqlite3_value_numeric_type(value) == SQLITE_INTEGER;

	if (!integer && !v->real) {
		for (size_t i = 0; i < v->n; i++)
			v->at[i].real = (double)v->at[i].integer;
		v->real = true;
	}
	if (v->real)
		v->at[v->n++].real = sqlite3_value_double(value);
	else
		v->at[v->n++].integer = sqlite3_value_int64(value);
}

/* Is @q the number that it was before, from 0 to 1? */
static bool take_q(struct values *v, sqlite3_value *q)
{
	int type = sqlite3_value_numeric_type(q);
	double value = sqlite3_value_double(q);

	if (type == SQLITE_NULL) {
		v->none = true;
		return !v->n;
	}
	if (v->none || (type != SQLITE_INTEGER && type != SQLITE_FLOAT) ||
	    !(value >= 0 && value <= 1) || (v->n && value != v->q))
		return false;
	v->q = value;
	return true;
}

static void step(sqlite3_context *context, int n, sqlite3_value **arg)
{
	struct values *v = sqlite3_aggregate_context(context, sizeof(*v));

	(void)n;
	if (!v) {
		sqlite3_result_error_nomem(context);
		return;
	}
	if (!take_q(v, arg[1])) {
		sqlite3_result_error(context, "quantile(x, q): q is one number from 0 to 1", -1);
		return;
	}
	if (v->none || sqlite3_value_type(arg[0]) == SQLITE_NULL)
		return;
	if (make_room(v))
		sqlite3_result_error_nomem(context);
	else
		add(v, arg[0]);
}

static int compare_integers(const void *a, const void *b)
{
	const union number *x = a, *y = b;

	return (x->integer > y->integer) - (x->integer < y->integer);
}

static int compare_reals(const void *a, const void *b)
{
	const union number *x = a, *y = b;

	return (x->real > y->real) - (x->real < y->real);
}

static void finish(sqlite3_context *context)
{
	struct values *v = sqlite3_aggregate_context(context, 0);
	const union number *found;
	double rank;

	if (v && v->n) {
		qsort(v->at, v->n, sizeof(*v->at), v->real ? compare_reals : compare_integers);
		/* 0.07 * 100 is more than 7 to a processor */
		rank = ceil(v->q * (double)v->n - 1e-6);
		found = &v->at[rank < 1 ? 0 : (size_t)rank - 1];
		if (v->real)
			sqlite3_result_double(context, found->real);
		else
			sqlite3_result_int64(context, found->integer);
	}
	if (v)
		mem_free(v->at);
}

void quantile_add(struct sqlite3 *sqlite)
{
	sqlite3_create_function(sqlite, "quantile", 2,
				SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL, NULL,
				step, finish);
}
