// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Symbols: the files kallsyms and modules, divided by a zero byte. */
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "symbols/symbols.h"
#include "trace/session_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t addrs[] = {
		0, 1, 0xffffffff81000000, 0xffffffff81001023, 0xffffffff82000000,
		0xffffffffc0000000, 0xffffffffc0000fff, UINT64_MAX,
	};
	const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
	size_t len = zero ? (size_t)(zero - data) : size, i;
	char buf[SYMBOLS_LEN];
	struct symbols *s;

	files_write(SESSION_SYMBOLS, data, len);
	files_write(SESSION_MODULES, zero ? zero + 1 : data,
		    zero ? size - len - 1 : 0);
	s = symbols_open(files_dir(), NULL);
	for (i = 0; i < 2 * sizeof(addrs) / sizeof(addrs[0]); i++)
		symbols_format(s, addrs[i / 2], i % 2, buf, sizeof(buf));
	symbols_free(s);
	return 0;
}
