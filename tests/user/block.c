// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Programs that fill their rings, wherever they are: block CASE. block.py compares what
 * was recorded with what they did.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <feather_trace/trigger.h>

#include "break.h"

#define TICKS	20000ul

DEFINE_FT_EVENT(tick, who, count);
DEFINE_FT_EVENT(interrupt, count);
DEFINE_FT_EVENT(umlauts, ä_, ö);	/* one name, in letters that a trace may have */

static void tick_all(uintptr_t who, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		ft_event(tick, who, i);
}

static int run_plain(void)
{
	tick_all(0, 10 * TICKS);
	return 0;
}

/* --- a handler, children --------------------------------------------------- */

static volatile sig_atomic_t interrupts;

static void on_timer(int signal)
{
	(void)signal;
	for (int i = 0; i < 50; i++)
		ft_event(interrupt, interrupts++);
}

/* While the ring is full most of the time. Says how many events the handler had. */
static int run_handler(void)
{
	struct sigaction action = { .sa_handler = on_timer, .sa_flags = SA_RESTART };
	struct itimerval timer = { .it_interval.tv_usec = 2000, .it_value.tv_usec = 2000 };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	tick_all(0, 5 * TICKS);
	memset(&timer, 0, sizeof(timer));
	setitimer(ITIMER_REAL, &timer, NULL);
	printf("%d\n", (int)interrupts);
	return 0;
}

/*
 * Where an event finds room at once. A child that is made there ends its parent's record:
 * "Children never write to their parent's ring" in Documentation/design.md.
 */
static uintptr_t quick_begin, quick_end;
static volatile sig_atomic_t is_child;

static void find_quick(void)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;

	if (!dladdr1((void *)ft_callback_record, &info, (void **)&symbol, RTLD_DL_SYMENT) ||
	    !symbol)
		return;
	quick_begin = (uintptr_t)info.dli_saddr;
	quick_end = quick_begin + symbol->st_size;
}

static bool is_quick(const ucontext_t *context)
{
#ifdef __x86_64__
	uintptr_t at = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];

	return at >= quick_begin && at < quick_end;
#else
	(void)context;
	return false;
#endif
}

static void fork_in_handler(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	if (is_quick(context))
		return;
	/* A child goes on where its parent was interrupted: in the middle of a wait. */
	if (interrupts++ < 20 && !fork())
		is_child = true;
}

/* Each child goes on with its parent's loop, and ends there. */
static int run_forks(void)
{
	struct sigaction action = {
		.sa_sigaction = fork_in_handler, .sa_flags = SA_RESTART | SA_SIGINFO,
	};
	struct itimerval timer = { .it_interval.tv_usec = 5000, .it_value.tv_usec = 5000 };
	int status, failed = 0;

	find_quick();
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (unsigned long i = 0; i < 10 * TICKS && !is_child; i++)
		ft_event(tick, 0, i);
	if (is_child) {
		tick_all((uintptr_t)getpid(), 1000);
		_exit(0);
	}
	memset(&timer, 0, sizeof(timer));
	setitimer(ITIMER_REAL, &timer, NULL);
	while (wait(&status) > 0 || errno == EINTR)
		failed |= status;
	printf("%d\n", interrupts < 20 ? (int)interrupts : 20);
	return failed ? 1 : 0;
}

/*
 * A child that is made at one instruction of a thread's first event. Then both go on at the
 * same time: two that write to one ring overwrite what the other one has written. Or the
 * child goes on when its parent has used each slot again, and goes on using them.
 */
#define BREAK_TICKS	100ul	/* they fit into a ring */
#define LATE_TICKS	300ul	/* these do not */

static volatile sig_atomic_t *ready;	/* shared with children */
static bool is_late;
static volatile unsigned long *parents;	/* ticks, shared with children */
static volatile sig_atomic_t *child_goes_on;

static void fork_at_break(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	break_over(context);
	interrupts++;
	*ready = false;
	*parents = 0;
	*child_goes_on = true;
	is_child = !fork();
	if (is_child)
		ft_event(interrupt, 0);	/* has a ring when it goes on */
	for (unsigned long i = 0; !is_child && !*ready && i < 1000000000; i++)
		;
	*ready = true;
	while (is_child && is_late && *parents < LATE_TICKS)
		usleep(100);
}

static void *tick_on(void *number)
{
	for (unsigned long i = 0, end = BREAK_TICKS; i < end; i++) {
		ft_event(tick, (uintptr_t)number, i);
		if (is_child || !is_late || !interrupts)
			continue;
		*parents = i + 1;
		end += (*child_goes_on && i < 10000000) || i < LATE_TICKS;
	}
	if (is_child) {
		*child_goes_on = false;
		_exit(0);
	}
	return NULL;
}

static void *shared(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		abort();
	return at;
}

/* Standard input: instructions of the library. Says at how many a child was made. */
static int run_breaks(void)
{
	ready = shared(sizeof(*ready));
	parents = shared(sizeof(*parents));
	child_goes_on = shared(sizeof(*child_goes_on));
	if (signal(SIGCHLD, SIG_IGN))
		return 1;
	break_each((void *)ft_callback_record, fork_at_break, tick_on);
	printf("%d\n", (int)interrupts);
	return 0;
}

static int run_breaks_late(void)
{
	is_late = true;
	return run_breaks();
}

static int run_vfork(void)
{
	int status;
	pid_t pid;

	tick_all(0, TICKS);
	pid = vfork();
	if (!pid) {
		tick_all(1, TICKS);
		_exit(0);
	}
	tick_all(2, TICKS);
	return waitpid(pid, &status, 0) != pid || status;
}

/* --- a sandbox -------------------------------------------------------------- */

/* What makes any call but exit_group() is killed. */
static int run_sandbox(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	tick_all(0, 1);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 1;
	tick_all(1, TICKS);
	_exit(0);
}

static const struct {
	const char	*name;
	int		(*run)(void);
} runs[] = {
	{ "plain", run_plain }, { "handler", run_handler }, { "forks", run_forks },
	{ "breaks", run_breaks }, { "breaks-late", run_breaks_late },
	{ "vfork", run_vfork }, { "sandbox", run_sandbox },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(runs) / sizeof(runs[0]); i++) {
		if (!strcmp(argv[1], runs[i].name))
			return runs[i].run();
	}
	fputs("usage: block CASE\n", stderr);
	return 2;
}
