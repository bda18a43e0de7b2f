// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A program whose stacks are known, as they are written here: stacks CASE [NUMBER]. Its lock is
 * held for longer than any threshold that the tests set, or not at all.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define FAR		__attribute__((noinline, noclone))
#define INLINED		static inline __attribute__((always_inline))
#define BARRIER		__asm__ volatile("" : : : "memory")	/* what follows is no tail call */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static unsigned int hold_us = 20000;

static void hold(void)
{
	pthread_mutex_lock(&lock);
	if (hold_us)
		usleep(hold_us);
	pthread_mutex_unlock(&lock);
	BARRIER;
}

/* --- eight functions ------------------------------------------------------ */

FAR void deep8(void)
{
	pthread_mutex_lock(&lock);
	if (hold_us)
		usleep(hold_us);
	pthread_mutex_unlock(&lock);
	BARRIER;
}

#define CALLS(name, callee) FAR void name(void) { callee(); BARRIER; }

void deep1(void);
void deep2(void);
void deep3(void);
void deep4(void);
void deep5(void);
void deep6(void);
void deep7(void);
void deep8(void);
CALLS(deep7, deep8)
CALLS(deep6, deep7)
CALLS(deep5, deep6)
CALLS(deep4, deep5)
CALLS(deep3, deep4)
CALLS(deep2, deep3)
CALLS(deep1, deep2)

static void *deep(void *arg)
{
	deep1();
	BARRIER;
	return arg;
}

static FAR void chain(void)
{
	deep1();
	BARRIER;
}

static FAR void in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, deep, NULL);
	pthread_join(thread, NULL);
}

/* --- inlined -------------------------------------------------------------- */

INLINED void inlined_in(void)
{
	pthread_mutex_lock(&lock);
	usleep(hold_us);
	pthread_mutex_unlock(&lock);	/* INNER */
	BARRIER;
}

INLINED void inlined_mid(void)
{
	inlined_in();			/* MIDDLE */
	BARRIER;
}

void inlined_out(void);
FAR void inlined_out(void)
{
	inlined_mid();			/* OUTER */
	BARRIER;
}

/* --- thresholds ----------------------------------------------------------- */

/* One section that takes long, then a hundred that do not. */
static FAR void sections(void)
{
	hold();
	hold_us = 0;
	for (int i = 0; i < 100; i++)
		hold();
}

static void *taker(void *arg)
{
	deep8();
	return arg;
}

/* A thread waits for a lock; whoever holds it, does so for long. */
static FAR void waits(void)
{
	pthread_t thread;

	pthread_mutex_lock(&lock);
	hold_us = 0;
	pthread_create(&thread, NULL, taker, NULL);
	/* as glibc notes that somebody sleeps until it is free */
	while (__atomic_load_n(&lock.__data.__lock, __ATOMIC_RELAXED) != 2)
		usleep(1000);
	usleep(20000);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
}

/* Two locks, one held inside of the other: each has its own time. */
static FAR void nested(void)
{
	pthread_mutex_lock(&other);
	hold_us = 0;
	deep1();
	usleep(20000);
	pthread_mutex_unlock(&other);
	BARRIER;
}

/* One lock is held for long, and given back while another one is held that is not. */
static FAR void crossed(void)
{
	pthread_mutex_lock(&other);
	usleep(20000);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&other);
	pthread_mutex_unlock(&lock);
	BARRIER;
}

/* --- children, handlers, other stacks ------------------------------------- */

static FAR void child(void)
{
	pid_t pid;

	hold();
	pid = fork();
	if (!pid) {
		deep1();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* The child gives back what its parent has taken: there is no section of its own. */
static FAR void inherited(void)
{
	pid_t pid;

	pthread_mutex_lock(&lock);
	usleep(20000);
	pid = fork();
	if (!pid) {
		pthread_mutex_unlock(&lock);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	pthread_mutex_unlock(&lock);
}

static void on_signal(int number)
{
	(void)number;
	deep1();
	BARRIER;
}

static FAR void take_signal(int flags)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };
	static char memory[1 << 16];
	stack_t alternate = { .ss_sp = memory, .ss_size = sizeof(memory) };

	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	BARRIER;
}

static FAR void handler(void)
{
	take_signal(0);
}

static FAR void alternate(void)
{
	take_signal(SA_ONSTACK);
}

/* A stack in the middle of other memory, with pages around it that cannot be read. */
static ucontext_t main_context, coroutine_context;

static void coroutine_main(void)
{
	deep1();
	BARRIER;
}

static FAR void coroutine(void)
{
	static char memory[1 << 16];

	getcontext(&coroutine_context);
	coroutine_context.uc_stack.ss_sp = memory;
	coroutine_context.uc_stack.ss_size = sizeof(memory);
	coroutine_context.uc_link = &main_context;
	makecontext(&coroutine_context, coroutine_main, 0);
	swapcontext(&main_context, &coroutine_context);
}

/* --- a stack that is nearly full ------------------------------------------ */

#define FULL_SIZE	32768

static char *full_low;

/* So much is left as an event takes, and not what unwinding takes. */
static void *fill(void *arg)
{
	char *here = __builtin_frame_address(0);
	volatile char *filled;

	/* the first event, and to find functions, take more */
	pthread_mutex_lock(&other);
	usleep(1);
	pthread_mutex_unlock(&other);
	filled = __builtin_alloca((size_t)(here - full_low) - 2600);
	*filled = 0;
	deep8();
	return arg;
}

static FAR void full(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	char *memory = mmap(NULL, 4096 + FULL_SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	/* the page below it cannot be written */
	mprotect(memory, 4096, PROT_NONE);
	full_low = memory + 4096;
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, full_low, FULL_SIZE);
	pthread_create(&thread, &attr, fill, NULL);
	pthread_join(thread, NULL);
}

/* --- a frame pointer that is none ----------------------------------------- */

/* It points to where nothing is mapped, to code, and to itself. */
static FAR void wild(void)
{
#ifdef __x86_64__
	static unsigned long values[4] = { 8, 0x4141414141414141, 1, 0 };

	values[3] = (unsigned long)values;
	for (int i = 0; i < 4; i++) {
		unsigned long value = values[i];

		pthread_mutex_lock(&lock);
		usleep(2000);
		__asm__ volatile("push %%rbp\n"
				 "	mov %0, %%rbp\n"
				 "	sub $136, %%rsp\n"	/* the red zone */
				 "	mov %%rsp, %%rbx\n"
				 "	and $-16, %%rsp\n"
				 "	mov %1, %%rdi\n"
				 "	call *%2\n"
				 "	mov %%rbx, %%rsp\n"
				 "	add $136, %%rsp\n"
				 "	pop %%rbp\n"
				 : : "r" (value), "r" (&lock), "r" (pthread_mutex_unlock)
				 : "rbx", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10",
				   "r11", "memory", "cc");
	}
#endif
}

/* --- a frame in a library that is unloaded -------------------------------- */

static int begun, stop;
static unsigned long behind;

/* Its return address, a word that something has left on the stack, is in the library. */
static void *stale(void *arg)
{
#ifdef __x86_64__
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
	volatile unsigned long frame[2] = { 0, behind };

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		int (*call)(pthread_mutex_t *lock) = pthread_mutex_unlock;
		volatile unsigned long *value = frame;
		pthread_mutex_t *mutex = &own;

		pthread_mutex_lock(&own);
		__asm__ volatile("push %%rbp\n"
				 "	mov %%rsp, %%rbx\n"
				 "	sub $136, %%rsp\n"	/* the red zone */
				 "	and $-16, %%rsp\n"
				 "	mov %%rsi, %%rbp\n"
				 "	call *%%rax\n"
				 "	mov %%rbx, %%rsp\n"
				 "	pop %%rbp\n"
				 : "+a" (call), "+D" (mutex), "+S" (value) :
				 : "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "memory",
				   "cc");
		__atomic_store_n(&begun, 1, __ATOMIC_RELAXED);
	}
#endif
	__atomic_store_n(&begun, 1, __ATOMIC_RELAXED);
	return arg;
}

static int unload(const char *path)
{
	pthread_t thread;

	for (int i = 0; i < 2000; i++) {
		void *library = dlopen(path, RTLD_NOW);

		if (!library)
			return 1;
		if (!i) {
			/* any function's inside */
			behind = (unsigned long)dlsym(library, "plugin_announce") + 1;
			pthread_create(&thread, NULL, stale, NULL);
			while (!__atomic_load_n(&begun, __ATOMIC_RELAXED))
				usleep(1000);
		}
		dlclose(library);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	return 0;
}

/*
 * The thread is interrupted while it reads what the library has for unwinding, and stays there
 * for longer than a thread that is not preempted.
 */
static struct range {
	uintptr_t	address;
	size_t		len;
} table;

static int inside, mapped;

static int find_table(struct dl_phdr_info *info, size_t size, void *name)
{
	(void)size;
	if (strcmp(info->dlpi_name, name))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			table = (struct range){
				info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
				info->dlpi_phdr[i].p_memsz,
			};
	}
	return 1;
}

static int protect_table(int how)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = table.address & -page;

	return mprotect((void *)begin, table.address + table.len - begin, how);
}

static void reads_table(int signal)
{
	(void)signal;
	__atomic_store_n(&inside, 1, __ATOMIC_RELAXED);
	usleep(500000);
	if (protect_table(PROT_READ))
		_exit(9);	/* it is gone */
	mapped = 1;
}

static int unload_under(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	pthread_t thread;

	if (!library || !dl_iterate_phdr(find_table, (void *)path) || !table.len)
		return 1;
	behind = (unsigned long)dlsym(library, "plugin_announce") + 1;
	signal(SIGSEGV, reads_table);
	if (protect_table(PROT_NONE) || pthread_create(&thread, NULL, stale, NULL))
		return 1;
	for (int i = 0; i < 20000 && !__atomic_load_n(&inside, __ATOMIC_RELAXED); i++)
		usleep(1000);
	dlclose(library);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	printf("%d %d\n", inside, mapped);
	return 0;
}

/* --- more stacks than there is room for ----------------------------------- */

void left(unsigned int way, unsigned int depth);
void right(unsigned int way, unsigned int depth);

static inline __attribute__((always_inline)) void go(unsigned int way, unsigned int depth)
{
	if (!depth)
		hold();
	else if (way & 1)
		left(way >> 1, depth - 1);
	else
		right(way >> 1, depth - 1);
	BARRIER;
}

FAR void left(unsigned int way, unsigned int depth)
{
	go(way, depth);
}

FAR void right(unsigned int way, unsigned int depth)
{
	go(way, depth);
}

static void many(unsigned int number)
{
	hold_us = 0;
	for (unsigned int i = 0; i < number; i++)
		go(i, 15);
}

int main(int argc, char **argv)
{
	static const struct {
		const char	*name;
		void		(*run)(void);
	} cases[] = {
		{ "chain", chain }, { "thread", in_thread }, { "inlined", inlined_out },
		{ "sections", sections }, { "waits", waits }, { "nested", nested },
		{ "crossed", crossed },
		{ "child", child }, { "inherited", inherited }, { "handler", handler },
		{ "alternate", alternate }, { "coroutine", coroutine }, { "wild", wild },
		{ "full", full },
	};

	for (size_t i = 0; argc == 2 && i < sizeof(cases) / sizeof(*cases); i++) {
		if (strcmp(argv[1], cases[i].name))
			continue;
		cases[i].run();
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "many")) {
		many((unsigned int)atoi(argv[2]));
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "unload"))
		return unload(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "unload-under"))
		return unload_under(argv[2]);
	fprintf(stderr, "stacks: no such case\n");
	return 2;
}
