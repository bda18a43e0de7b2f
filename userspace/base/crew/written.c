// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Text in memory. See written.h. */
#include <errno.h>
#include <stdlib.h>

#include "base/crew/written.h"
#include "base/mem.h"

FILE *written_begin(struct written *w)
{
	FILE *f = open_memstream(&w->text, &w->len);

	w->failed = !f;
	return f;
}

void written_end(struct written *w, FILE *f)
{
	w->failed = ferror(f);
	w->failed |= !!fclose(f);
}

void written_put(struct written *w, FILE *out, int *error)
{
	if (w->failed)
		mem_none();
	if (!*error && fwrite(w->text, 1, w->len, out) != w->len)
		*error = errno;
	free(w->text);
	*w = (struct written){ 0 };
}
