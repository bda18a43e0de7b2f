// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* From traces into a database: one pass over each trace, one transaction for all. */
#include "base/exit_status.h"
#include "sql/load.h"

/* A row of each relation that has this item. Return: 0, or -1 with a message */
static int add(struct database *d, struct row *row)
{
	int ret = 0;

	for (unsigned int i = 0; i < RELATIONS && !ret; i++) {
		if (d->used[i] && row_begin(row, relations[i]))
			ret = database_add(d, i, row);
	}
	return ret;
}

int load_traces(struct database *d, struct traces *t)
{
	struct row row;
	int ret;

	if (database_begin(d))
		return -1;
	while ((ret = traces_next(t, &row)) > 0) {
		if (add(d, &row)) {
			traces_end(t);
			return -1;
		}
	}
	return ret || database_end(d) ? -1 : 0;
}
