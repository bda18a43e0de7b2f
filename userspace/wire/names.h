/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Names that come over the network: which of them may become names of files. */
#ifndef FT_WIRE_NAMES_H
#define FT_WIRE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "wire/frame.h"

/* The most files of a trace. */
#define WIRE_FILES_MAX	65536

/** wire_file_ok - is it a file of a trace, and its name ends within the field? */
bool wire_file_ok(const struct wire_file *file);

/** wire_part_ok - can host, recording and number be names of directories? */
bool wire_part_ok(const struct wire_part *part);

/** wire_host - what a host is called on the wire: others' characters become '_' */
void wire_host(char to[WIRE_HOST_LEN], const char *host);

#endif /* FT_WIRE_NAMES_H */
