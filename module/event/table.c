// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The event table.
 *
 * An event is on while there is a want of it. A want belongs to a descriptor of
 * /dev/ft_trace and ends with it, or it is persistent. An id is never given to
 * another event, so a trace can be read after a module with events is unloaded.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "clock.h"
#include "event/table.h"
#include "trace/trace.h"

static DEFINE_XARRAY_ALLOC1(ft_entries);

/* A want in a descriptor's xarray: how often, and since which generation. */
#define FT_HOLD_BITS	31
#define FT_HOLD_MAX	((1ul << FT_HOLD_BITS) - 1)

static void *ft_hold_make(const struct ft_use *use, unsigned long count)
{
	return xa_mk_value((unsigned long)use->generation << FT_HOLD_BITS | count);
}

static unsigned long ft_hold_count(const struct ft_use *use, void *hold)
{
	unsigned long value = hold ? xa_to_value(hold) : 0;

	if (value >> FT_HOLD_BITS != use->generation)
		return 0;
	return value & FT_HOLD_MAX;
}

bool ft_table_is_identifier(const char *name, size_t size)
{
	size_t i;

	/* Linux counts the letters of Latin-1 as such. */
	for (i = 0; name[i]; i++)
		if (!isascii(name[i]) || !(isalnum(name[i]) || name[i] == '_'))
			return false;
	return i && i < size && !isdigit(name[0]);
}

/* The compiler puts a dot in front of what it adds to a function's name. */
bool ft_table_is_symbol(const char *name, size_t size)
{
	char copy[FT_NAME_LEN];

	if (!memchr(name, 0, size))
		return false;
	strscpy(copy, name, sizeof(copy));
	strreplace(copy, '.', '_');
	return ft_table_is_identifier(copy, size);
}

static struct ft_entry *ft_table_find(const char *name)
{
	struct ft_entry *entry;
	unsigned long id;

	xa_for_each(&ft_entries, id, entry)
		if (!strcmp(entry->name, name))
			return entry;
	return NULL;
}

static struct ft_entry *ft_table_new(u32 id, const char *name, const char *a,
				     const char *b, const char *owner)
{
	struct ft_entry *entry;
	int err;

	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return ERR_PTR(-ENOMEM);

	strscpy(entry->name, name, sizeof(entry->name));
	strscpy(entry->field[0], a, sizeof(entry->field[0]));
	strscpy(entry->field[1], b, sizeof(entry->field[1]));
	strscpy(entry->owner, owner, sizeof(entry->owner));
	entry->id = id;

	if (id)
		err = xa_insert(&ft_entries, id, entry, GFP_KERNEL);
	else
		err = xa_alloc(&ft_entries, &entry->id, entry,
			       XA_LIMIT(FT_ID_DYNAMIC, FT_ID_MAX), GFP_KERNEL);
	if (err) {
		kfree(entry);
		/* xa_insert(): the id is in use; xa_alloc(): all are */
		return ERR_PTR(err == -EBUSY ? (id ? -EEXIST : -ENOSPC) : err);
	}
	return entry;
}

struct ft_entry *ft_table_add(u32 id, const char *name, const char *a,
			      const char *b, const char *owner,
			      const struct ft_source *source, void *data)
{
	struct ft_entry *entry;

	lockdep_assert_held(&ft_trace_mutex);

	if (!ft_table_is_identifier(name, FT_NAME_LEN) ||
	    !ft_table_is_identifier(a, FT_FIELD_LEN) ||
	    !ft_table_is_identifier(b, FT_FIELD_LEN))
		return ERR_PTR(-EINVAL);

	entry = ft_table_find(name);
	if (!entry) {
		entry = ft_table_new(id, name, a, b, owner);
		if (IS_ERR(entry))
			return entry;
	} else if (entry->source || strcmp(entry->owner, owner) ||
		   strcmp(entry->field[0], a) || strcmp(entry->field[1], b)) {
		return ERR_PTR(-EEXIST);
	}

	entry->source = source;
	entry->gone = NULL;
	entry->data = data;
	entry->sensed = entry->sensors;
	return entry;
}

/* A trace chooses how it reads the clock when it begins. */
static bool ft_table_is_late(const struct ft_session *session, bool ordered)
{
	return ordered && ft_trace_active(session) && !session->trace.clock.ordered;
}

int ft_entry_set(struct ft_entry *entry, u8 sessions)
{
	int err;

	/* Before any trigger leads to a probe that reads this. */
	ft_probe_announce(entry->id, sessions);
	err = entry->source->set(entry, sessions);
	if (err)
		ft_probe_announce(entry->id, entry->sessions);
	else
		entry->sessions = sessions;
	return err;
}

int ft_table_set_again(u32 id)
{
	struct ft_entry *entry = xa_load(&ft_entries, id);

	lockdep_assert_held(&ft_trace_mutex);
	if (!entry || !(entry->sessions || entry->sensed))
		return 0;
	return ft_entry_set(entry, entry->sessions);
}

/* Return: 1 if this has turned it on; then the caller calls ft_trace_get(). 0; an error. */
static int ft_entry_get(struct ft_entry *entry, struct ft_session *session,
			bool ordered)
{
	struct ft_use *use = &entry->use[ft_session_number(session)];
	int err;

	if (ft_table_is_late(session, ordered))
		return -EALREADY;
	if (use->enabled == FT_HOLD_MAX)
		return -EOVERFLOW;
	if (use->enabled++)
		return 0;

	/* What can fail comes before the trace, so that the last one stays readable. */
	err = ft_trace_prepare(session, ordered);
	if (!err)
		err = ft_entry_set(entry, entry->sessions | BIT(ft_session_number(session)));
	if (err)
		use->enabled--;
	return err ?: 1;
}

/* Return: whether this has turned it off; then the caller calls ft_trace_put(). */
static bool ft_entry_put(struct ft_entry *entry, struct ft_session *session,
			 unsigned int count)
{
	struct ft_use *use = &entry->use[ft_session_number(session)];

	if (!count)
		return false;
	use->enabled -= count;
	if (use->enabled)
		return false;
	/* In fewer sessions, which cannot fail. */
	ft_entry_set(entry, entry->sessions & ~BIT(ft_session_number(session)));
	return true;
}

/* Ends all wants of an event in a session. */
static void ft_entry_put_all(struct ft_entry *entry, struct ft_session *session)
{
	struct ft_use *use = &entry->use[ft_session_number(session)];

	use->generation++;
	use->persistent = 0;
	if (ft_entry_put(entry, session, use->enabled))
		ft_trace_put(session);
}

void ft_table_retire(struct ft_entry *entry)
{
	unsigned int i;

	lockdep_assert_held(&ft_trace_mutex);
	if (entry->sensed) {
		entry->sensed = 0;
		ft_entry_set(entry, entry->sessions);
	}
	for (i = 0; i < FT_SESSIONS; i++)
		ft_entry_put_all(entry, &ft_sessions[i]);
	if (entry->source && entry->source->unread)
		entry->gone = entry->source;
	else
		entry->data = NULL;
	entry->source = NULL;
}

/* Return: as ft_entry_get(). */
static int ft_table_want(struct ft_wants *wants, u32 id, u32 flags)
{
	bool persist = flags & FT_ENABLE_PERSIST;
	struct xarray *holds = &wants->holds;
	struct ft_entry *entry;
	unsigned long count;
	struct ft_use *use;
	int err;

	lockdep_assert_held(&ft_trace_mutex);

	entry = xa_load(&ft_entries, id);
	if (!entry || !entry->source)
		return -EINVAL;
	if (wants->session->ended)
		return -ESHUTDOWN;

	use = &entry->use[ft_session_number(wants->session)];
	count = ft_hold_count(use, xa_load(holds, id));
	if (!persist) {
		err = xa_err(xa_store(holds, id, ft_hold_make(use, count + 1),
				      GFP_KERNEL));
		if (err)
			return err;
	}

	err = ft_entry_get(entry, wants->session, flags & FT_ENABLE_ORDERED);
	if (err < 0 && !persist)
		xa_store(holds, id, ft_hold_make(use, count), GFP_KERNEL);
	else if (err >= 0 && persist)
		use->persistent++;
	return err;
}

/*
 * Prepares the source of an event, for a session or a sensor (NULL). One that is on is held
 * in the same step, or the others could turn it off before the caller turns it on, and undo
 * what was prepared.
 *
 * Return: 0, and what to finish, or NULL; or an error. A source is never freed.
 */
static int ft_table_prepare_one(const struct ft_session *session, u32 id, u32 flags,
				const struct ft_source **held)
{
	const struct ft_source *source = NULL;
	struct ft_entry *entry;
	bool on = false;
	int err = 0;

	mutex_lock(&ft_trace_mutex);
	entry = xa_load(&ft_entries, id);
	if (!entry || !entry->source || !entry->source->hold)
		goto out;
	/* As ft_table_want() will, unless the trace has ended by then. */
	if (session && ft_table_is_late(session, flags & FT_ENABLE_ORDERED)) {
		err = -EALREADY;
		goto out;
	}
	source = entry->source;
	source->hold();
	on = entry->sessions || entry->sensed;
out:
	mutex_unlock(&ft_trace_mutex);

	if (source && (!on || source->renews))
		err = source->prepare(id);
	if (err && source)
		source->finish();
	*held = err ? NULL : source;
	return err;
}

int ft_table_prepare(const struct ft_session *session, const u32 *ids, u32 count, u32 flags,
		     const struct ft_source **held, u32 *failed)
{
	u32 i;
	int err = 0;

	for (i = 0; i < count && !err; i++) {
		err = ft_table_prepare_one(session, ids[i], flags, &held[i]);
		*failed = i;
	}
	return err;
}

void ft_table_finish(const struct ft_source **held, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (held[i])
			held[i]->finish();
}

/*
 * Counts wants of an event, without turning it on or off. Return: false if there are none
 * to take back.
 */
static bool ft_table_count(struct ft_wants *wants, u32 id, bool persist, int more)
{
	struct ft_entry *entry = xa_load(&ft_entries, id);
	unsigned long count;
	struct ft_use *use;

	if (!entry || !entry->source)
		return false;
	use = &entry->use[ft_session_number(wants->session)];
	count = persist ? use->persistent : ft_hold_count(use, xa_load(&wants->holds, id));
	if (!count && more < 0)
		return false;
	/* The slot is there, so this allocates nothing. */
	if (persist)
		use->persistent += more;
	else
		xa_store(&wants->holds, id, ft_hold_make(use, count + more), GFP_KERNEL);
	return true;
}

/* The opposite of ft_table_want(), for wants that are no longer counted. */
static bool ft_table_put(struct ft_wants *wants, u32 id)
{
	return ft_entry_put(xa_load(&ft_entries, id), wants->session, 1);
}

/* The trace begins, or goes on, when all are on; if one cannot be turned on, none is. */
static int ft_table_want_all(struct ft_wants *wants, const u32 *ids, u32 count, u32 flags,
			     u32 *failed)
{
	struct ft_session *session = wants->session;
	u32 i, news = 0;
	int ret = 0;

	lockdep_assert_held(&ft_trace_mutex);

	if (count > 1)
		ft_trace_pause(session);
	for (i = 0; i < count; i++) {
		ret = ft_table_want(wants, ids[i], flags);
		if (ret < 0)
			break;
		news += ret;
	}
	*failed = i;
	while (ret < 0 && i--) {
		ft_table_count(wants, ids[i], flags & FT_ENABLE_PERSIST, -1);
		ft_table_put(wants, ids[i]);
	}
	while (ret >= 0 && news--)
		ft_trace_get(session);
	if (count > 1)
		ft_trace_resume(session);
	return min(ret, 0);
}

/* @session: for which they are prepared. A function for the tests, which stop it here. */
static noinline int ft_table_start_prepared(struct ft_wants *wants,
					    const struct ft_session *session,
					    const u32 *ids, u32 count, u32 flags,
					    u32 *failed)
{
	int err;

	do {
		mutex_lock(&ft_trace_mutex);
		err = wants->session == session ?
		      ft_table_want_all(wants, ids, count, flags, failed) : -EBUSY;
		mutex_unlock(&ft_trace_mutex);
		if (err != -EINPROGRESS)
			return err;
		err = ft_clock_settle();
	} while (!err);
	return err;
}

int ft_table_start(struct ft_wants *wants, const u32 *ids, u32 count, u32 flags,
		   u32 *failed)
{
	const struct ft_session *session = READ_ONCE(wants->session);
	const struct ft_source **held;
	int err;

	held = kvcalloc(count, sizeof(*held), GFP_KERNEL);
	if (!held)
		return -ENOMEM;
	err = ft_table_prepare(session, ids, count, flags, held, failed);
	if (!err)
		err = ft_table_start_prepared(wants, session, ids, count, flags, failed);
	ft_table_finish(held, count);
	kvfree(held);
	return err;
}

int ft_table_stop(struct ft_wants *wants, const u32 *ids, u32 count, bool persist,
		  u32 *failed)
{
	struct ft_session *session;
	u32 i, gone = 0;
	int err = 0;

	mutex_lock(&ft_trace_mutex);
	session = wants->session;	/* ft_table_move() changes it with the mutex held */
	for (i = 0; i < count && ft_table_count(wants, ids[i], persist, -1);)
		i++;
	if (i < count) {
		*failed = i;
		err = -EINVAL;
		while (i--)
			ft_table_count(wants, ids[i], persist, 1);
		goto out;
	}

	/* No event is turned on without its counterpart. */
	if (count > 1)
		ft_trace_pause(session);
	for (i = 0; i < count; i++)
		gone += ft_table_put(wants, ids[i]);
	while (gone--)
		ft_trace_put(session);
	if (count > 1)
		ft_trace_resume(session);
out:
	mutex_unlock(&ft_trace_mutex);
	return err;
}

int ft_table_pause(struct ft_wants *wants, bool pause)
{
	int err = 0;

	mutex_lock(&ft_trace_mutex);
	if (wants->paused == pause) {
		err = pause ? -EBUSY : -EINVAL;
	} else if (pause) {
		wants->paused = true;
		ft_trace_pause(wants->session);
	} else {
		wants->paused = false;
		ft_trace_resume(wants->session);
	}
	mutex_unlock(&ft_trace_mutex);
	return err;
}

int ft_table_move(struct ft_wants *wants, struct ft_session *session)
{
	struct ft_entry *entry;
	unsigned long id;
	int err = 0;
	void *hold;

	mutex_lock(&ft_trace_mutex);
	if (wants->session != FT_SESSION_DEFAULT || wants->paused || wants->conditions ||
	    wants->stacks || wants->session->rings.marker == wants)
		err = -EBUSY;
	xa_for_each(&wants->holds, id, hold) {
		entry = xa_load(&ft_entries, id);
		if (ft_hold_count(&entry->use[ft_session_number(wants->session)], hold))
			err = -EBUSY;
	}
	if (!err) {
		/* The remaining entries have a count of 0. */
		xa_destroy(&wants->holds);
		WRITE_ONCE(wants->session, session);
	}
	mutex_unlock(&ft_trace_mutex);
	return err;
}

/* Is there an event with wants of others in the session? */
static bool ft_table_is_shared(struct ft_wants *wants)
{
	struct ft_entry *entry;
	struct ft_use *use;
	unsigned long id;

	xa_for_each(&ft_entries, id, entry) {
		use = &entry->use[ft_session_number(wants->session)];
		if (use->enabled > ft_hold_count(use, xa_load(&wants->holds, id)))
			return true;
	}
	return false;
}

void ft_table_drop(struct ft_wants *wants)
{
	struct ft_entry *entry;
	struct ft_use *use;
	unsigned long id;
	void *hold;
	bool last;

	mutex_lock(&ft_trace_mutex);

	/* The end of the trace: no event stays on while others are off. */
	last = !ft_table_is_shared(wants);
	if (last)
		ft_trace_pause(wants->session);
	xa_for_each(&wants->holds, id, hold) {
		entry = xa_load(&ft_entries, id);
		use = &entry->use[ft_session_number(wants->session)];
		if (ft_entry_put(entry, wants->session, ft_hold_count(use, hold)))
			ft_trace_put(wants->session);
	}
	if (last)
		ft_trace_resume(wants->session);
	if (wants->paused)
		ft_trace_resume(wants->session);

	mutex_unlock(&ft_trace_mutex);
	xa_destroy(&wants->holds);
}

void ft_table_drop_all(struct ft_session *session)
{
	struct ft_entry *entry;
	unsigned long id;

	lockdep_assert_held(&ft_trace_mutex);

	ft_trace_pause(session);
	xa_for_each(&ft_entries, id, entry)
		ft_entry_put_all(entry, session);
	ft_trace_resume(session);
}

void ft_table_disable_all(struct ft_session *session)
{
	mutex_lock(&ft_trace_mutex);
	ft_table_drop_all(session);
	mutex_unlock(&ft_trace_mutex);
}

struct ft_entry *ft_table_at(u32 id)
{
	return xa_load(&ft_entries, id);
}

struct ft_entry *ft_table_next(u32 id)
{
	unsigned long index = id;

	lockdep_assert_held(&ft_trace_mutex);
	return xa_find(&ft_entries, &index, ULONG_MAX, XA_PRESENT);
}

void ft_table_exit(void)
{
	struct ft_entry *entry;
	unsigned long id;

	xa_for_each(&ft_entries, id, entry)
		kfree(entry);
	xa_destroy(&ft_entries);
}
