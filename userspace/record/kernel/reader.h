/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The thread that takes the records of one ring to its file. */
#ifndef FT_RECORD_KERNEL_READER_H
#define FT_RECORD_KERNEL_READER_H

struct reader_batch;

/** reader_batch_new - what a thread needs to write; for free(). Return: NULL: no memory */
struct reader_batch *reader_batch_new(void);

/** reader_thread - for pthread_create(); the argument is the struct ring */
void *reader_thread(void *arg);

#endif /* FT_RECORD_KERNEL_READER_H */
