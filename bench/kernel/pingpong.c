// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Requests to a server and its answers, one after the other, over UDP and the loopback device,
 * until it is killed. The child answers, the parent asks; both are on CPU 0 where there is one.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <signal.h>
#include <unistd.h>

#define BYTES	64

static void check(int failed, const char *what)
{
	if (!failed)
		return;
	perror(what);
	exit(EXIT_FAILURE);
}

/* Return: a socket with a port of its own, which *@address is */
static int open_socket(struct sockaddr_in *address)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t size = sizeof(*address);

	*address = (struct sockaddr_in){
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	check(fd < 0, "pingpong: socket");
	check(bind(fd, (struct sockaddr *)address, size), "pingpong: bind");
	check(getsockname(fd, (struct sockaddr *)address, &size), "pingpong: getsockname");
	return fd;
}

static void answer(int fd)
{
	char message[BYTES];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		check(recv(fd, message, BYTES, 0) != BYTES, "pingpong: recv");
		check(send(fd, message, BYTES, 0) != BYTES, "pingpong: send");
	}
}

int main(void)
{
	struct sockaddr_in here, there;
	int ask = open_socket(&here), serve = open_socket(&there);
	char message[BYTES] = { 0 };
	pid_t pid;

	check(connect(ask, (struct sockaddr *)&there, sizeof(there)), "pingpong: connect");
	check(connect(serve, (struct sockaddr *)&here, sizeof(here)), "pingpong: connect");
	pid = fork();
	check(pid < 0, "pingpong: fork");
	if (!pid)
		answer(serve);
	for (;;) {
		check(send(ask, message, BYTES, 0) != BYTES, "pingpong: send");
		check(recv(ask, message, BYTES, 0) != BYTES, "pingpong: recv");
	}
}
