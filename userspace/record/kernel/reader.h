/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The thread that takes packets from one ring to its file. */
#ifndef FT_RECORD_KERNEL_READER_H
#define FT_RECORD_KERNEL_READER_H

/** READER_BUFFER - bytes that a thread collects before it writes */
#define READER_BUFFER	(1u << 20)

/** reader_thread - for pthread_create(); the argument is the struct ring */
void *reader_thread(void *arg);

#endif /* FT_RECORD_KERNEL_READER_H */
