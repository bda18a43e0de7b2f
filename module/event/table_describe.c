// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The description of an event for user space. See table.h. */
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "event/table.h"
#include "trace/trace.h"

s64 ft_entry_unread(const struct ft_entry *entry, const struct ft_session *session)
{
	const struct ft_source *source = entry->source ?: entry->gone;

	return source && source->unread ? source->unread(entry, session) : 0;
}

static u32 ft_table_unread(const struct ft_entry *entry, const struct ft_session *session)
{
	s64 count = ft_entry_unread(entry, session);

	if (count < 0)
		count = ft_entry_unread(entry, NULL);
	return min_t(u64, count, U32_MAX);
}

int ft_table_describe(const struct ft_session *session, struct ft_event_info *info)
{
	struct ft_entry *entry;
	int err = -ENOENT;

	mutex_lock(&ft_trace_mutex);
	entry = ft_table_next(info->id);
	while (entry && !entry->source)
		entry = ft_table_next(entry->id + 1);

	if (entry) {
		memset(info, 0, sizeof(*info));
		info->id = entry->id;
		info->enabled = entry->use[ft_session_number(session)].enabled;
		info->persistent = entry->use[ft_session_number(session)].persistent;
		info->triggers = entry->source->triggers ? entry->source->triggers(entry) : 1;
		strscpy(info->name, entry->name, sizeof(info->name));
		strscpy(info->field[0], entry->field[0], sizeof(info->field[0]));
		strscpy(info->field[1], entry->field[1], sizeof(info->field[1]));
		strscpy(info->owner, entry->owner, sizeof(info->owner));
		info->counts = entry->counts;
		strscpy(info->unit, entry->unit, sizeof(info->unit));
		info->unread = ft_table_unread(entry, session);
		info->missed = entry->source->missed ? entry->source->missed(entry) : 0;
		err = 0;
	}
	mutex_unlock(&ft_trace_mutex);
	return err;
}

static void ft_table_show_fields(const struct ft_entry *entry, struct ft_fields *info)
{
	unsigned int i;

	if (!entry->fields) {
		for (info->count = 0; info->count < 2; info->count++) {
			struct ft_field *field = &info->field[info->count];

			strscpy(field->name, entry->field[info->count], sizeof(field->name));
			field->bits = 64;
			field->kind = FT_FIELD_HEX;
		}
		return;
	}
	for (i = 0; i < FT_FIELDS && entry->fields[i].bits; i++)
		info->field[i] = entry->fields[i];
	info->count = i;
}

int ft_table_fields(struct ft_fields *info)
{
	u32 id = info->id;
	struct ft_entry *entry;
	int err = -ENOENT;

	memset(info, 0, sizeof(*info));
	info->id = id;
	mutex_lock(&ft_trace_mutex);
	entry = ft_table_next(id);
	if (entry && entry->id == id) {
		ft_table_show_fields(entry, info);
		err = 0;
	}
	mutex_unlock(&ft_trace_mutex);
	return err;
}
