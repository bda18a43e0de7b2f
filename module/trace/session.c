// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Sessions: their numbers, names and lifetimes.
 *
 * A session, its rings and its copies of the probes have one number. The number is
 * claimed while anything keeps the session: a descriptor of /dev/ft_trace that joined
 * it, an open ring, or its name. The default session always exists.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/string.h>

#include "event/table.h"
#include "grace.h"
#include "ring/rings.h"
#include "trace/session.h"
#include "trace/trace.h"

/* Guarded by ft_trace_mutex, except @users. */
static struct {
	char		name[FT_NAME_LEN];	/* empty: it has none, or it was forgotten */
	bool		claimed;		/* the number is in use */
	bool		named;
	struct ft_grace	*grace;			/* begun when the number's last session ended */
	unsigned int	joined;			/* descriptors that joined it */
	refcount_t	users;			/* 0: take no new references */
} ft_session_states[FT_SESSIONS];

static unsigned int ft_session_named(const char *name)
{
	unsigned int i;

	lockdep_assert_held(&ft_trace_mutex);
	for (i = 0; i < FT_SESSIONS; i++)
		if (!strcmp(ft_session_states[i].name, name))
			break;
	return i;
}

static int ft_session_check_name(const char *name)
{
	if (name[0] && !ft_table_is_identifier(name, FT_NAME_LEN))
		return -EINVAL;
	return name[0] && ft_session_named(name) < FT_SESSIONS ? -EEXIST : 0;
}

/* Return: a number without a session, if any; preferably one without a grace period. */
static unsigned int ft_session_unclaimed(void)
{
	unsigned int i, found = FT_SESSIONS;

	for (i = 0; i < FT_SESSIONS; i++) {
		if (ft_session_states[i].claimed)
			continue;
		if (!ft_session_states[i].grace ||
		    ft_grace_is_over(ft_session_states[i].grace))
			return i;
		found = min(found, i);
	}
	return found;
}

/* Return: a number that now belongs to the caller; or an error. */
static int ft_session_claim(const char *name)
{
	unsigned int i;
	int err;

	mutex_lock(&ft_trace_mutex);
	err = ft_session_check_name(name);
	i = ft_session_unclaimed();
	if (!err && i == FT_SESSIONS)
		err = -ENOSPC;
	if (!err) {
		ft_session_states[i].claimed = true;
		ft_session_states[i].named = name[0];
		strscpy(ft_session_states[i].name, name, FT_NAME_LEN);
	}
	mutex_unlock(&ft_trace_mutex);
	return err ?: i;
}

static void ft_session_unclaim(unsigned int number)
{
	mutex_lock(&ft_trace_mutex);
	ft_session_states[number].claimed = false;
	ft_session_states[number].name[0] = 0;
	mutex_unlock(&ft_trace_mutex);
}

/*
 * Waits until no task is on its way into a probe of the number's last session: it would
 * write its record into the new session, where its event is off. The caller owns the
 * number.
 */
static int ft_session_settle(unsigned int number)
{
	if (ft_session_states[number].grace)
		return ft_grace_wait(ft_session_states[number].grace);
	ft_session_states[number].grace = ft_grace_new();
	return ft_session_states[number].grace ? 0 : -ENOMEM;
}

struct ft_session *ft_session_new(const char *name)
{
	struct ft_session *session;
	struct ft_config config;
	int number, err;

	number = ft_session_claim(name);
	if (number < 0)
		return ERR_PTR(number);

	session = &ft_sessions[number];
	/* As the default session, but how it keeps records is its own choice. */
	ft_rings_get_config(&FT_SESSION_DEFAULT->rings, &config);
	config.mode = FT_MODE_DISCARD;
	config.headroom = 0;
	err = ft_session_settle(number);
	if (!err) {
		mutex_lock(&ft_trace_mutex);
		err = ft_trace_init(session, &config);
		mutex_unlock(&ft_trace_mutex);
	}
	if (err) {
		ft_session_unclaim(number);
		return ERR_PTR(err);
	}

	mutex_lock(&ft_trace_mutex);
	ft_session_states[number].joined = 1;
	/* References of the descriptor and of the name. */
	refcount_set(&ft_session_states[number].users, name[0] ? 2 : 1);
	mutex_unlock(&ft_trace_mutex);
	return session;
}

struct ft_session *ft_session_join(const char *name)
{
	struct ft_session *session = NULL;
	unsigned int number = FT_SESSIONS;

	mutex_lock(&ft_trace_mutex);
	if (name[0])
		number = ft_session_named(name);
	if (number < FT_SESSIONS)
		session = ft_session_get(number);
	if (session)
		ft_session_states[number].joined++;
	mutex_unlock(&ft_trace_mutex);
	return session ?: ERR_PTR(-ENOENT);
}

void ft_session_leave(struct ft_session *session)
{
	if (session == FT_SESSION_DEFAULT)
		return;
	mutex_lock(&ft_trace_mutex);
	if (!--ft_session_states[ft_session_number(session)].joined &&
	    !ft_session_states[ft_session_number(session)].named)
		ft_table_drop_all(session);
	mutex_unlock(&ft_trace_mutex);
	ft_session_put(session);
}

int ft_session_end(struct ft_session *session)
{
	int err = 0;

	mutex_lock(&ft_trace_mutex);
	if (!ft_session_states[ft_session_number(session)].named) {
		err = -EINVAL;
	} else if (session->ended) {
		err = -ESHUTDOWN;
	} else {
		session->ended = true;
		ft_table_drop_all(session);
	}
	mutex_unlock(&ft_trace_mutex);
	return err;
}

void ft_session_forget(struct ft_session *session)
{
	mutex_lock(&ft_trace_mutex);
	ft_session_states[ft_session_number(session)].name[0] = 0;
	mutex_unlock(&ft_trace_mutex);
	ft_session_put(session);
}

struct ft_session *ft_session_get(unsigned int number)
{
	if (number >= FT_SESSIONS ||
	    !refcount_inc_not_zero(&ft_session_states[number].users))
		return NULL;
	return &ft_sessions[number];
}

void ft_session_put(struct ft_session *session)
{
	unsigned int number = ft_session_number(session);

	if (!refcount_dec_and_test(&ft_session_states[number].users))
		return;
	ft_trace_exit(session);
	ft_grace_begin(ft_session_states[number].grace);
	ft_session_unclaim(number);
}

int ft_session_describe(struct ft_session_info *info)
{
	const struct ft_session *session;
	struct ft_config config;
	unsigned int i;
	int err = -ENOENT;

	mutex_lock(&ft_trace_mutex);
	for (i = info->number; i < FT_SESSIONS && err; i++) {
		if (!refcount_read(&ft_session_states[i].users))
			continue;
		session = &ft_sessions[i];
		ft_rings_get_config(&session->rings, &config);
		memset(info, 0, sizeof(*info));
		info->number = i;
		info->trace = session->trace.number;
		info->events = session->events;
		info->joined = ft_session_states[i].joined;
		info->slots = config.slots;
		info->mode = config.mode;
		strscpy(info->name, ft_session_states[i].name, sizeof(info->name));
		err = 0;
	}
	mutex_unlock(&ft_trace_mutex);
	return err;
}

int __init ft_session_init(const struct ft_config *config)
{
	int err = ft_trace_init(FT_SESSION_DEFAULT, config);

	if (err)
		return err;
	ft_session_states[0].claimed = true;
	refcount_set(&ft_session_states[0].users, 1);
	return 0;
}

/* No descriptor has joined or reads a session. Sessions with a name may still exist. */
void ft_session_exit(void)
{
	unsigned int i;

	for (i = 0; i < FT_SESSIONS; i++) {
		if (refcount_read(&ft_session_states[i].users))
			ft_trace_exit(&ft_sessions[i]);
		ft_grace_free(ft_session_states[i].grace);
	}
}
