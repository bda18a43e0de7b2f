// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Names of addresses and tasks, for readers. Files with names are read at the first call. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libfttrace/handle.h"

struct name_call {
	struct ft_reader	*r;
	uint64_t		address;
	unsigned int		what;
	char			text[SYMBOLS_LEN];
};

static void read_symbols(struct ft_reader *r)
{
	if (!r->symbols_read)
		r->symbols = symbols_open(r->trace.dir, NULL);
	r->symbols_read = true;
}

static int find_name(void *arg)
{
	struct name_call *call = arg;
	struct ft_reader *r = call->r;

	read_symbols(r);
	if (!symbols_find(r->symbols, call->address, call->what == FT_READER_CODE,
			  call->text, sizeof(call->text)))
		call->text[0] = '\0';
	return (int)strlen(call->text);
}

static int find_class(void *arg)
{
	struct name_call *call = arg;
	const struct class_entry *class;
	struct ft_reader *r = call->r;

	read_symbols(r);
	if (!r->classes)
		r->classes = class_index_new(r->symbols);
	class = class_index_known(r->classes, call->address);
	return snprintf(call->text, sizeof(call->text), "%s", class ? class->same : "");
}

static int name(struct name_call *call, int (*find)(void *arg), char *buf, size_t len)
{
	int ret;

	if (len)
		buf[0] = '\0';
	if (call->what > FT_READER_CODE)
		return reader_refuse(call->r, "an address is of data or of code");
	if (!call->r->opened && !call->r->failed)
		return reader_refuse(call->r, "no trace is open");
	ret = reader_call(call->r, find, call);
	if (ret > 0)
		snprintf(buf, len, "%s", call->text);
	return ret;
}

int ft_reader_name(struct ft_reader *r, uint64_t address, unsigned int what,
		   char *buf, size_t len)
{
	struct name_call call = { .r = r, .address = address, .what = what };

	return name(&call, find_name, buf, len);
}

int ft_reader_class(struct ft_reader *r, uint64_t lock, char *buf, size_t len)
{
	struct name_call call = { .r = r, .address = lock, .what = FT_READER_DATA };

	return name(&call, find_class, buf, len);
}

struct task_call {
	struct ft_reader	*r;
	int32_t			tid;
	const char		*name;
};

static int find_task(void *arg)
{
	struct task_call *call = arg;
	struct ft_reader *r = call->r;

	if (!r->names_read)
		r->names = names_open(r->trace.dir);
	r->names_read = true;
	call->name = names_find(r->names, call->tid);
	return 0;
}

const char *ft_reader_task(struct ft_reader *r, int32_t tid)
{
	struct task_call call = { .r = r, .tid = tid };

	if (!r->opened || reader_call(r, find_task, &call))
		return NULL;
	return call.name;
}
