/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft run: how much one write to a file may hold. */
#ifndef FT_RECORD_PROGRAM_READER_H
#define FT_RECORD_PROGRAM_READER_H

#include <linux/feather_trace.h>

#define RUN_BATCH	64u	/* packets */
#define RUN_PACKETS	(RUN_BATCH * FT_PACKET_MAX)

#endif /* FT_RECORD_PROGRAM_READER_H */
