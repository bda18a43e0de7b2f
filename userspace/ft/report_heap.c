// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft report --heap. */
#include "base/exit_status.h"
#include "base/file.h"
#include "ft/report_heap.h"

static int show(const struct report_heap *o, const struct heap *h)
{
	if (o->html && heap_page(h, o->html))
		return -1;
	if (o->json)
		heap_json(h);
	else if (o->tsv)
		heap_tsv(h);
	else if (!o->html)
		heap_text(h);
	return 0;
}

int report_heap(const struct report_heap *o, char *const *dirs)
{
	const struct heap *h = heap_read(&o->asked, dirs);
	int ret = FT_EXIT_ERROR;

	if (h && !show(o, h))
		ret = flush_output(trace_status(&h->trace));
	heap_free(h);
	return ret;
}
