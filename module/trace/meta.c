// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * /dev/ft_trace_meta: the CTF 1.8 metadata of the current trace, as text. A directory
 * with this file and a file of packets for each CPU is a trace that every CTF reader
 * opens.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/utsname.h>

#include <feather_trace/tsdl.h>
#include <feather_trace/version.h>

#include "access.h"
#include "compat.h"
#include "event/lock.h"
#include "event/table.h"
#include "trace/meta.h"
#include "trace/session.h"
#include "trace/trace.h"

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

/* Only where some could not: the text of most traces does not change while they run. */
static void ft_meta_show_unread(struct seq_file *seq, const struct ft_session *session)
{
	struct ft_entry *entry;
	s64 count;

	for (entry = ft_table_next(0); entry; entry = ft_table_next(entry->id + 1)) {
		count = ft_entry_unread(entry, session);
		if (count > 0)
			seq_printf(seq, "\tunread_%s = %lld;\n", entry->name, count);
	}
}

static void ft_meta_show_env(struct seq_file *seq, const struct ft_session *session)
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
			    session->trace.clock.ordered ? "ordered" : "plain");
	ft_meta_show_unread(seq, session);
	seq_puts(seq, "};\n");
}

static void ft_meta_show_clock(struct seq_file *seq, const struct ft_clock *clock)
{
	seq_printf(seq, FT_TSDL_CLOCK,
		   clock->source == FT_CLOCK_TSC ? "TSC" : "CLOCK_MONOTONIC",
		   clock->hz, clock->offset_s, clock->offset);
}

/* As in FT_TSDL_TYPES and FT_TSDL_FIELD_TYPES. */
static const char *ft_meta_type(const struct ft_field *field)
{
	switch (field->kind) {
	case FT_FIELD_HEX:
		return "word_t";
	case FT_FIELD_CODE:
		return "code_t";
	case FT_FIELD_TID:
		return "tid_t";
	case FT_FIELD_PRIO:
		return "prio_t";
	case FT_FIELD_POLICY:
		return "policy_t";
	case FT_FIELD_STATE:
		return "state_t";
	case FT_FIELD_SOFTIRQ:
		return "softirq_t";
	case FT_FIELD_SIGNED:
		return field->bits == 32 ? "int32_t" : "int64_t";
	default:
		return field->bits == 8 ? "uint8_t" : field->bits == 16 ? "uint16_t" :
		       field->bits == 32 ? "uint32_t" : "uint64_t";
	}
}

static void ft_meta_show_fields(struct seq_file *seq, const struct ft_entry *entry)
{
	const struct ft_field *field;
	unsigned int i;

	seq_printf(seq, FT_TSDL_EVENT_FIELDS("0"), entry->id, entry->name);
	for (i = 0; i < FT_FIELDS && entry->fields[i].bits; i++) {
		field = &entry->fields[i];
		if (field->name[0])
			seq_printf(seq, FT_TSDL_FIELD, ft_meta_type(field), field->name);
		else
			seq_printf(seq, FT_TSDL_UNUSED, ft_meta_type(field), i);
	}
	seq_puts(seq, FT_TSDL_EVENT_END);
}

static void ft_meta_show_event(struct seq_file *seq, const struct ft_entry *entry)
{
	if (entry->fields) {
		ft_meta_show_fields(seq, entry);
		return;
	}
	seq_printf(seq, FT_TSDL_EVENT("0"), entry->id, entry->name, entry->field[0],
		   entry->field[1], ft_tsdl_second(entry->field[0], entry->field[1]));
}

/* Includes events of modules that were unloaded: the rings may have their records. */
static int ft_meta_text(struct seq_file *seq, void *unused)
{
	const struct ft_session *session = seq->private;
	const struct ft_trace *trace = &session->trace;
	struct ft_entry *entry;

	mutex_lock(&ft_trace_mutex);
	seq_puts(seq, "/* CTF 1.8 */\n\n" FT_TSDL_TYPES FT_TSDL_FIELD_TYPES);
	seq_printf(seq, FT_TSDL_TRACE("%pUb"), &trace->uuid);
	ft_meta_show_env(seq, session);
	ft_meta_show_clock(seq, &trace->clock);
	seq_puts(seq, FT_TSDL_STAMP FT_TSDL_STREAM("0", FT_TSDL_CPU, "_gap"));
	for (entry = ft_table_next(0); entry; entry = ft_table_next(entry->id + 1))
		ft_meta_show_event(seq, entry);
	mutex_unlock(&ft_trace_mutex);
	return 0;
}

/* A session's device. */
static struct {
	struct miscdevice	misc;
	char			*name;
} ft_meta_devices[FT_SESSIONS];

/* Keeps the session until the file is released. */
static int ft_meta_open_file(struct file *file, unsigned int number)
{
	struct ft_session *session = ft_session_get(number);
	int err;

	if (!session)
		return -ENXIO;
	/* seq_file needs NULL here; the miscdevice has set it. */
	file->private_data = NULL;
	err = single_open_size(file, ft_meta_text, session, 8 * PAGE_SIZE);
	if (err)
		ft_session_put(session);
	return err;
}

static int ft_meta_open(struct inode *inode, struct file *file)
{
	struct miscdevice *misc = file->private_data;
	unsigned int i;
	int err;

	err = ft_access_check();
	if (err)
		return err;
	for (i = 0; misc != &ft_meta_devices[i].misc; i++)
		;
	return ft_meta_open_file(file, i);
}

static int ft_meta_release(struct inode *inode, struct file *file)
{
	struct seq_file *seq = file->private_data;

	/* ft_meta_open_session() has failed. */
	if (!seq)
		return 0;
	ft_session_put(seq->private);
	return single_release(inode, file);
}

static const struct file_operations ft_meta_fops = {
	.owner		= THIS_MODULE,
	.open		= ft_meta_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= ft_meta_release,
};

int ft_meta_open_session(struct ft_session *session)
{
	struct file *file;
	int fd, err;

	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	file = anon_inode_getfile("ft_trace_meta", &ft_meta_fops, NULL, O_RDONLY);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	err = ft_meta_open_file(file, ft_session_number(session));
	if (err) {
		fput(file);
		put_unused_fd(fd);
		return err;
	}
	fd_install(fd, file);
	return fd;
}

static int ft_meta_register(unsigned int number, char *name)
{
	ft_meta_devices[number].name = name;
	ft_meta_devices[number].misc = (struct miscdevice){
		.minor	= MISC_DYNAMIC_MINOR,
		.name	= name,
		.fops	= &ft_meta_fops,
		.mode	= FT_DEVICE_MODE,
	};
	return misc_register(&ft_meta_devices[number].misc);
}

int ft_meta_show(struct ft_session *session, const char *name)
{
	char *device = kasprintf(GFP_KERNEL, "ft_trace_%s_meta", name);
	int err = device ? ft_meta_register(ft_session_number(session), device) : -ENOMEM;

	if (err)
		kfree(device);
	return err;
}

void ft_meta_hide(struct ft_session *session)
{
	misc_deregister(&ft_meta_devices[ft_session_number(session)].misc);
	kfree(ft_meta_devices[ft_session_number(session)].name);
}

int __init ft_meta_init(void)
{
	return ft_meta_register(0, "ft_trace_meta");
}

void ft_meta_exit(void)
{
	misc_deregister(&ft_meta_devices[0].misc);
}
