// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Names of caches and of their objects' types: see cache_types.h. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "names/cache_types.h"

/* Caches that are not called as their type is. */
static const struct { const char *cache, *type; } known[] = {
	{ "filp", "file" },
	{ "inode_cache", "inode" },
	{ "signal_cache", "signal_struct" },
	{ "sighand_cache", "sighand_struct" },
	{ "files_cache", "files_struct" },
	{ "fs_cache", "fs_struct" },
	{ "cred_jar", "cred" },
	{ "sock_inode_cache", "socket_alloc" },
	{ "bdev_cache", "bdev_inode" },
	{ "radix_tree_node", "xa_node" },
	{ "eventpoll_epi", "epitem" },
	{ "eventpoll_pwq", "eppoll_entry" },
	{ "posix_timers_cache", "k_itimer" },
	{ "ip_dst_cache", "rtable" },
	{ "mnt_cache", "mount" },
	{ "net_namespace", "net" },
	{ "blkdev_queue", "request_queue" },
};

/* "proc_inode_cache" holds struct proc_inode, "ext4_inode_cache" struct ext4_inode_info. */
static const struct { const char *cache, *type; } endings[] = {
	{ "_cache", "" },
	{ "_cachep", "" },
	{ "_cache", "_info" },
	{ "", "_struct" },
	{ "_cache", "_struct" },
	{ "", "_info" },
	{ "", "_t" },
};

static bool put_ending(const char *cache, const char *cache_end, const char *type_end,
		       char *buf, size_t len)
{
	size_t n = strlen(cache), x = strlen(cache_end);

	if (n <= x || strcmp(cache + n - x, cache_end))
		return false;
	snprintf(buf, len, "%.*s%s", (int)(n - x), cache, type_end);
	return true;
}

/* "UNIX-STREAM" holds struct unix_sock, "TCPv6" struct tcp6_sock. */
static bool put_protocol(const char *cache, char *buf, size_t len)
{
	size_t n = 0;

	for (; *cache && *cache != '-' && n + 8 < len; cache++) {
		if (*cache != 'v' && !isupper((unsigned char)*cache) &&
		    !isdigit((unsigned char)*cache))
			return false;
		if (*cache != 'v')
			buf[n++] = (char)tolower((unsigned char)*cache);
	}
	snprintf(buf + n, len - n, "_sock");
	return n;
}

static bool put_known(const char *cache, char *buf, size_t len)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(known); i++) {
		if (strcmp(known[i].cache, cache))
			continue;
		snprintf(buf, len, "%s", known[i].type);
		return true;
	}
	return false;
}

bool cache_types_name(const char *cache, unsigned int i, char *buf, size_t len)
{
	*buf = '\0';
	switch (i) {
	case 0:
		snprintf(buf, len, "%s", cache);
		return true;
	case 1:
		put_known(cache, buf, len);
		return true;
	case 2:
		if (!put_protocol(cache, buf, len))
			*buf = '\0';
		return true;
	}
	i -= 3;
	if (i >= ARRAY_SIZE(endings))
		return false;
	put_ending(cache, endings[i].cache, endings[i].type, buf, len);
	return true;
}
