/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The version of all that is built here: the module, the tool, the libraries. */
#ifndef _FEATHER_TRACE_VERSION_H
#define _FEATHER_TRACE_VERSION_H

/* "MAJOR.MINOR.PATCH"; userspace/rules.mk reads it here. */
#define FEATHER_TRACE_VERSION	"0.2.0"

/* Of it, for metadata (TSDL). */
#define FEATHER_TRACE_TSDL	"\ttracer_major = 0;\n\ttracer_minor = 2;\n"

#endif /* _FEATHER_TRACE_VERSION_H */
