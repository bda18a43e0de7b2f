// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Facts of a recording. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/fact.h"
#include "trace/session_file.h"
#include "trace/trace.h"

char *trace_fact_whole(const struct trace *t, const char *key)
{
	char *value = session_value(t->dir, key);
	const char *env;

	if (value)
		return value;
	env = metadata_env(&t->meta, strcmp(key, "host") ? key : "hostname");
	return env ? mem_strdup(env) : NULL;
}

bool trace_fact(const struct trace *t, const char *key, char *buf, size_t len)
{
	char *value = trace_fact_whole(t, key);

	if (!value)
		return false;
	snprintf(buf, len, "%s", value);
	mem_free(value);
	return true;
}
