// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The heap as a page. */
#include <stdio.h>

#include "base/file.h"
#include "heap/heap.h"
#include "view/page/html.h"

int heap_page(const struct heap *h, const char *path)
{
	FILE *f = html_open(path);

	if (!f)
		return -1;
	html_begin(f, h->trace.title);
	html_end(f);
	return close_output(f, path);
}
