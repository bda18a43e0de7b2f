/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Names of locks: the file info/locks. */
#include <stdlib.h>

#include "base/array.h"
#include "files.h"
#include "symbols/lock_classes.h"
#include "symbols/symbols.h"
#include "trace/session_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t addrs[] = {
		0, 1, 0x10, 0xff, 0xffff888000001000, 0xffffffff82000000, UINT64_MAX,
	};
	static const char *const names[] = { "a", "big_lock", "dentry.d_lockref.lock" };
	const struct lock_class_known *class;
	char buf[SYMBOLS_LEN], text[LOCK_CLASSES_LEN];
	struct lock_classes *c;
	uint64_t *found;
	size_t i;

	files_write(SESSION_LOCKS, data, size);
	c = lock_classes_open(files_dir(), false);
	for (i = 0; i < ARRAY_SIZE(addrs); i++) {
		class = lock_classes_of(c, addrs[i]);
		if (class)
			lock_classes_text(class, text, sizeof(text));
		lock_classes_name(c, addrs[i], buf, sizeof(buf));
	}
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		lock_classes_lookup(c, names[i], &found);
		free(found);
	}
	lock_classes_free(c);
	return 0;
}
