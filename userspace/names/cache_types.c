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

static bool ends_fit(const char *cache, const char *type, const char *cache_end,
		     const char *type_end)
{
	size_t cache_len = strlen(cache), type_len = strlen(type);
	size_t x = strlen(cache_end), y = strlen(type_end);

	return cache_len > x && type_len > y && cache_len - x == type_len - y &&
	       !memcmp(cache, type, cache_len - x) && !strcmp(cache + cache_len - x, cache_end) &&
	       !strcmp(type + type_len - y, type_end);
}

/* "UNIX-STREAM" holds struct unix_sock, "TCPv6" struct tcp6_sock. */
static bool is_protocol(const char *cache, const char *type)
{
	char want[48];
	size_t n = 0;

	for (; *cache && *cache != '-' && n < sizeof(want) - 8; cache++) {
		if (*cache != 'v' && !isupper((unsigned char)*cache) &&
		    !isdigit((unsigned char)*cache))
			return false;
		if (*cache != 'v')
			want[n++] = (char)tolower((unsigned char)*cache);
	}
	snprintf(want + n, sizeof(want) - n, "_sock");
	return n && !strcmp(want, type);
}

bool cache_types_fit(const char *cache, const char *type)
{
	unsigned int i;

	if (!strcmp(cache, type) || is_protocol(cache, type))
		return true;
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (!strcmp(known[i].cache, cache))
			return !strcmp(known[i].type, type);
	}
	for (i = 0; i < ARRAY_SIZE(endings); i++) {
		if (ends_fit(cache, type, endings[i].cache, endings[i].type))
			return true;
	}
	return false;
}
