// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * /dev/ft_trace_meta: the CTF 1.8 metadata of the current trace, as text. A directory
 * with this file and a file of packets for each CPU is a trace that every CTF reader
 * opens.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/seq_file.h>
#include <linux/utsname.h>

#include <feather_trace/tsdl.h>
#include <feather_trace/version.h>

#include "access.h"
#include "compat.h"
#include "lock.h"
#include "meta.h"
#include "table.h"
#include "trace.h"

/* Values come from outside, so this escapes what a string must not contain. */
static void ft_meta_show_string(struct seq_file *seq, const char *key,
				const char *value)
{
	seq_printf(seq, "\t%s = \"", key);
	seq_escape_mem(seq, value, strlen(value),
		       ESCAPE_SPACE | ESCAPE_SPECIAL | ESCAPE_NP | ESCAPE_OCTAL |
		       ESCAPE_APPEND, "\"\\");
	seq_puts(seq, "\";\n");
}

static void ft_meta_show_env(struct seq_file *seq, const struct ft_trace *trace)
{
	static const char *const sources[] = {
		[FT_LOCKS_NONE]		= "none",
		[FT_LOCKS_PATCH]	= "patch",
		[FT_LOCKS_ATTACH]	= "attach",
	};

	seq_puts(seq, "\nenv {\n");
	ft_meta_show_string(seq, "hostname", init_utsname()->nodename);
	ft_meta_show_string(seq, "domain", "kernel");
	ft_meta_show_string(seq, "sysname", init_utsname()->sysname);
	ft_meta_show_string(seq, "kernel_release", init_utsname()->release);
	ft_meta_show_string(seq, "kernel_version", init_utsname()->version);
	ft_meta_show_string(seq, "tracer_name", "feather-trace");
	seq_puts(seq, FEATHER_TRACE_TSDL);
	ft_meta_show_string(seq, "lock_source", sources[ft_lock_source()]);
	ft_meta_show_string(seq, "acquire_clock",
			    trace->clock.ordered ? "ordered" : "plain");
	seq_puts(seq, "};\n");
}

static void ft_meta_show_clock(struct seq_file *seq, const struct ft_clock *clock)
{
	seq_printf(seq, FT_TSDL_CLOCK,
		   clock->source == FT_CLOCK_TSC ? "TSC" : "CLOCK_MONOTONIC",
		   clock->hz, clock->offset_s, clock->offset);
}

static void ft_meta_show_event(struct seq_file *seq, const struct ft_entry *entry)
{
	seq_printf(seq, FT_TSDL_EVENT("0"), entry->id, entry->name, entry->field[0],
		   entry->field[1]);
}

/* Includes events of modules that were unloaded: the rings may have their records. */
static int ft_meta_show(struct seq_file *seq, void *unused)
{
	const struct ft_session *session = seq->private;
	const struct ft_trace *trace = &session->trace;
	struct ft_entry *entry;

	mutex_lock(&ft_trace_mutex);
	seq_puts(seq, "/* CTF 1.8 */\n\n" FT_TSDL_TYPES);
	seq_printf(seq, FT_TSDL_TRACE("%pUb"), &trace->uuid);
	ft_meta_show_env(seq, trace);
	ft_meta_show_clock(seq, &trace->clock);
	seq_puts(seq, FT_TSDL_STAMP FT_TSDL_STREAM("0", FT_TSDL_CPU, "_gap"));
	for (entry = ft_table_next(0); entry; entry = ft_table_next(entry->id + 1))
		ft_meta_show_event(seq, entry);
	mutex_unlock(&ft_trace_mutex);
	return 0;
}

static int ft_meta_open(struct inode *inode, struct file *file)
{
	int err = ft_access_check();

	/* seq_file needs NULL here; the miscdevice has set it. */
	file->private_data = NULL;
	return err ?: single_open_size(file, ft_meta_show, FT_SESSION_DEFAULT,
				       8 * PAGE_SIZE);
}

static const struct file_operations ft_meta_fops = {
	.owner		= THIS_MODULE,
	.open		= ft_meta_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static struct miscdevice ft_meta_device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "ft_trace_meta",
	.fops	= &ft_meta_fops,
	.mode	= FT_DEVICE_MODE,
};

int __init ft_meta_init(void)
{
	return misc_register(&ft_meta_device);
}

void ft_meta_exit(void)
{
	misc_deregister(&ft_meta_device);
}
