// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft monitor: answers monitoring systems, by HTTP.
 *
 * libmicrohttpd has one thread, which answers one request after the other: sensors are added
 * up for each, so that an answer is never older than its question.
 */
#include <err.h>
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/end_signals.h"
#include "base/mem.h"
#include "monitor/server.h"
#include "sensor/program.h"
#include "view/sensor_views.h"

#define CONTENT_TYPE	"application/openmetrics-text; version=1.0.0; charset=utf-8"
#define IDLE_SECONDS	10u	/* a client that says nothing is cut off */
#define CLIENTS		16u

struct server {
	int		fd;
	size_t		top;
	bool		program;
	const struct sensor_defaults *own;
	struct grown	grown;
	uint64_t	told;		/* of which sensors, as a hash, that they are left out */
	struct symbols	*symbols;
	uint64_t	modules;	/* modules_hash() when they were loaded */
};

/* --- symbols -------------------------------------------------------------------- */

/* Changes when a module comes or goes: a hash (FNV-1a) of their names and addresses. */
static uint64_t modules_hash(void)
{
	uint64_t hash = 0xcbf29ce484222325ull;
	char name[64], address[32];
	FILE *f = fopen("/proc/modules", "re");

	while (f && fscanf(f, "%63s %*s %*s %*s %*s %31s%*[^\n]", name, address) == 2) {
		for (const char *c = name; *c; c++)
			hash = (hash ^ (uint8_t)*c) * 0x100000001b3ull;
		for (const char *c = address; *c; c++)
			hash = (hash ^ (uint8_t)*c) * 0x100000001b3ull;
	}
	if (f)
		fclose(f);
	return hash;
}

static void symbols_renew(struct server *server)
{
	uint64_t modules = server->program ? 0 : modules_hash();

	if (!server->program && server->symbols && server->modules == modules)
		return;
	symbols_free(server->symbols);
	server->symbols = server->program ? sensor_program_symbols(server->fd) :
					    symbols_load("/proc/kallsyms", "/proc/modules");
	server->modules = modules;
}

/* --- answers ------------------------------------------------------------------ */

static enum MHD_Result answer(struct MHD_Connection *c, unsigned int status, const char *type,
			      char *text, size_t len, enum MHD_ResponseMemoryMode mode)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(len, text, mode);
	enum MHD_Result ret;

	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	ret = MHD_queue_response(c, status, response);
	MHD_destroy_response(response);
	return ret;
}

static enum MHD_Result answer_text(struct MHD_Connection *c, unsigned int status, const char *text)
{
	return answer(c, status, "text/plain; charset=utf-8", (char *)text, strlen(text),
		      MHD_RESPMEM_PERSISTENT);
}

static bool is_own(const struct sensor_map *map, const struct sensor_defaults *own, size_t k)
{
	return map->head.serial == own->sensor[k].serial;
}

static bool is_there(const struct sensor_maps *maps, const struct sensor_defaults *own, size_t k)
{
	for (size_t i = 0; i < maps->n; i++) {
		if (is_own(&maps->map[i], own, k))
			return true;
	}
	return false;
}

/* While it has one of its own, a second monitor says the same with other labels. */
static void leave_out_others(struct shown *shown, const struct sensor_defaults *own)
{
	for (size_t k = 0; k < own->n; k++) {
		for (size_t i = 0; is_there(&shown->maps, own, k) && i < shown->maps.n; i++) {
			const struct sensor_map *map = &shown->maps.map[i];

			if (!is_own(map, own, k) && !strcmp(map->head.sensor.name,
							    own->sensor[k].sensor.name))
				shown->wanted[i] = false;
		}
	}
}

/* Messages when they change, not at each answer. */
static void warn_left_out(struct server *server, const struct sensor_maps *maps)
{
	uint64_t told = map_text_key((const char *)maps->left_out,
				     maps->n_left_out * sizeof(*maps->left_out));

	if (told != server->told)
		sensor_maps_warn(maps);
	server->told = told;
}

static enum MHD_Result answer_metrics(struct server *server, struct MHD_Connection *c)
{
	struct shown shown = { .top = server->top };
	char *text = NULL;
	size_t len = 0;
	bool ok = false;
	FILE *f;

	symbols_renew(server);
	shown.symbols = server->symbols;
	if (!shown_take(&shown, server->fd))
		return answer_text(c, MHD_HTTP_INTERNAL_SERVER_ERROR,
				   "the sensors cannot be read\n");
	leave_out_others(&shown, server->own);
	warn_left_out(server, &shown.maps);
	f = open_memstream(&text, &len);
	if (f) {
		sensor_openmetrics(&shown, &server->grown, f);
		grown_tidy(&server->grown, monotonic_now());
		ok = !ferror(f);
		ok &= !fclose(f);
	}
	shown_free(&shown);
	if (!ok) {
		free(text);
		return answer_text(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "no memory\n");
	}
	return answer(c, MHD_HTTP_OK, CONTENT_TYPE, text, len, MHD_RESPMEM_MUST_FREE);
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *url,
				  const char *method, const char *version, const char *data,
				  size_t *size, void **state)
{
	static int seen;

	(void)version;
	(void)data;
	/* the first call has the head only; what a client sends with it is not read */
	if (!*state) {
		*state = &seen;
		return MHD_YES;
	}
	if (*size) {
		*size = 0;
		return MHD_YES;
	}
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return answer_text(c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
	if (strcmp(url, "/metrics"))
		return answer_text(c, MHD_HTTP_NOT_FOUND, "there is only /metrics\n");
	return answer_metrics(arg, c);
}

/* --- listening ------------------------------------------------------------------ */

/* "HOST:PORT", numbers. Return: to be freed; NULL after a message. */
static struct addrinfo *find_address(const char *address)
{
	struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM,
	};
	const char *colon = strrchr(address, ':');
	struct addrinfo *found = NULL;
	size_t len = colon ? (size_t)(colon - address) : 0;
	char *host;
	int ret;

	if (!len || !colon[1]) {
		warnx("--listen ADDRESS:PORT, as 127.0.0.1:9117 or [::1]:9117, not '%s'", address);
		return NULL;
	}
	if (address[0] == '[' && colon[-1] == ']')
		host = mem_format("%.*s", (int)len - 2, address + 1);
	else
		host = mem_format("%.*s", (int)len, address);
	ret = getaddrinfo(host, colon + 1, &hints, &found);
	free(host);
	if (!ret)
		return found;
	warnx("--listen '%s': not a numeric address and port: %s", address, gai_strerror(ret));
	return NULL;
}

static struct MHD_Daemon *listen_at(const struct addrinfo *at, struct server *server)
{
	unsigned int flags = MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD;

	if (at->ai_family == AF_INET6)
		flags |= MHD_USE_IPv6;
	return MHD_start_daemon(flags, 0, NULL, NULL, on_request, server, MHD_OPTION_SOCK_ADDR,
				at->ai_addr, MHD_OPTION_CONNECTION_LIMIT, CLIENTS,
				MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS, MHD_OPTION_END);
}

bool server_run(const char *address, int fd, size_t top, bool program,
		const struct sensor_defaults *own)
{
	struct server server = { .fd = fd, .top = top, .program = program, .own = own };
	struct addrinfo *at = find_address(address);
	struct MHD_Daemon *daemon;
	sigset_t signals;
	int came;

	if (!at)
		return false;
	/* before its thread begins, which inherits that */
	sigemptyset(&signals);
	end_signals_block(&signals);
	errno = 0;
	daemon = listen_at(at, &server);
	freeaddrinfo(at);
	if (daemon) {
		printf("http://%s/metrics\n", address);
		fflush(stdout);
		sigwait(&signals, &came);
		MHD_stop_daemon(daemon);
	} else {
		warn("cannot listen at %s", address);
	}
	symbols_free(server.symbols);
	grown_free(&server.grown);
	return daemon;
}
