// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* quantile(x, q). See quantile.h. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sql/quantile.h"

struct values {
	double	*at;
	size_t	n, room;
	double	q;
};

static void step(sqlite3_context *context, int n, sqlite3_value **arg)
{
	struct values *v = sqlite3_aggregate_context(context, sizeof(*v));
	double q = sqlite3_value_double(arg[1]);
	double *more;

	(void)n;
	if (!v) {
		sqlite3_result_error_nomem(context);
		return;
	}
	if (!(q >= 0 && q <= 1) || (v->n && q != v->q)) {
		sqlite3_result_error(context, "quantile(x, q): q is one number from 0 to 1", -1);
		return;
	}
	if (sqlite3_value_type(arg[0]) == SQLITE_NULL)
		return;
	if (v->n == v->room) {
		more = mem_try_resize(v->at, 2 * v->room + 64, sizeof(*more));
		if (!more) {
			sqlite3_result_error_nomem(context);
			return;
		}
		v->at = more;
		v->room = 2 * v->room + 64;
	}
	v->q = q;
	v->at[v->n++] = sqlite3_value_double(arg[0]);
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void finish(sqlite3_context *context)
{
	struct values *v = sqlite3_aggregate_context(context, 0);
	double rank;

	if (v && v->n) {
		qsort(v->at, v->n, sizeof(*v->at), compare);
		/* 0.07 * 100 is more than 7 to a processor */
		rank = ceil(v->q * (double)v->n - 1e-6);
		sqlite3_result_double(context, v->at[rank < 1 ? 0 : (size_t)rank - 1]);
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
