// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * libfttrace: all items of a trace, and their names. It must print nothing; should it
 * end the program, the fuzzer says so.
 */
#include <err.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <feather_trace/reader.h>

#include "files.h"

/* What is printed from now on goes to a file in memory. Return: the descriptor before */
static int listen(int printed)
{
	int before = dup(STDERR_FILENO);

	if (before < 0 || dup2(printed, STDERR_FILENO) < 0)
		err(1, "no descriptor for stderr");
	return before;
}

static void read_all(const char *dir, unsigned int kinds)
{
	const struct ft_reader_item *item;
	struct ft_reader *r = ft_reader_new();
	uint64_t end = 0;
	char name[320];
	int ret;

	ret = ft_reader_open(r, dir, kinds);
	while (!ret && (ret = ft_reader_next(r, &item)) > 0) {
		ret = item->kind == FT_READER_SECTIONS ?
			ft_reader_name(r, item->section.site, FT_READER_CODE, name,
				       sizeof(name)) : 0;
		if (item->kind == FT_READER_SECTIONS &&
		    item->section.end - item->section.start != item->section.length)
			abort();
		ft_reader_task(r, item->tid);
		end = item->time;
		if (ret > 0)
			ret = 0;
	}
	if (ret && !*ft_reader_error(r))
		abort();
	ft_reader_wall(r, end, &(int64_t){ 0 }, &(uint32_t){ 0 });
	ft_reader_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int printed = -1;
	int before;

	if (printed < 0)
		printed = memfd_create("printed", MFD_CLOEXEC);
	files_trace(data, size);
	before = listen(printed);
	read_all(files_dir(), FT_READER_RECORDS | FT_READER_GAPS);
	read_all(files_dir(), FT_READER_RECORDS | FT_READER_SECTIONS | FT_READER_WAITS |
			      FT_READER_GAPS);
	dup2(before, STDERR_FILENO);
	close(before);
	if (lseek(printed, 0, SEEK_CUR))
		abort();
	return 0;
}
