/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What is known of a recording: from its session file, or, where the trace was made
 * without one, from the metadata.
 */
#ifndef FT_TRACE_FACT_H
#define FT_TRACE_FACT_H

#include <stdbool.h>
#include <stddef.h>

struct trace;

/**
 * trace_fact - what is known, cut to @len
 * @key: of the session file, see session_file.h
 *
 * Return: is it known?
 */
bool trace_fact(const struct trace *t, const char *key, char *buf, size_t len);

/** trace_fact_whole - the same, whole; to be freed. NULL: it is not known */
char *trace_fact_whole(const struct trace *t, const char *key);

#endif /* FT_TRACE_FACT_H */
