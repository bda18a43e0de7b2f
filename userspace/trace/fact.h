/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Facts of a recording (host, command, ...): from its session file, or, without one, from
 * the metadata.
 */
#ifndef FT_TRACE_FACT_H
#define FT_TRACE_FACT_H

#include <stdbool.h>
#include <stddef.h>

struct trace;

/**
 * trace_fact - the value of @key, cut to @len
 * @key: of the session file, see session_file.h
 *
 * Return: is it known?
 */
bool trace_fact(const struct trace *t, const char *key, char *buf, size_t len);

/** trace_fact_whole - the whole value; free it. NULL: unknown */
char *trace_fact_whole(const struct trace *t, const char *key);

#endif /* FT_TRACE_FACT_H */
