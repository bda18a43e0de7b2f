// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A BPF program at the entry of a kernel function, or where it returns, while a command
 * runs, then a line "calls N" on stderr: how often it was called.
 *
 * Usage: fentry [--exit] FUNCTION -- COMMAND [ARG...]
 *
 * Exit status: 0; 1 the program cannot be attached, and says why.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

/* return 0 */
static const struct bpf_insn program[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

static int failed(const char *what, int error)
{
	fprintf(stderr, "fentry: %s: %s\n", what, strerror(error));
	return 1;
}

static int load(const char *function, enum bpf_attach_type where)
{
	struct bpf_prog_load_opts opts = {
		.sz = sizeof(opts),
		.expected_attach_type = where,
	};
	int id = libbpf_find_vmlinux_btf_id(function, where);

	if (id < 0) {
		errno = -id;
		return -1;
	}
	opts.attach_btf_id = (__u32)id;
	return bpf_prog_load(BPF_PROG_TYPE_TRACING, "ft_test", "GPL", program,
			     sizeof(program) / sizeof(program[0]), &opts);
}

static void run(char **command)
{
	pid_t pid = fork();

	if (!pid) {
		execvp(command[0], command);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	enum bpf_attach_type where = BPF_TRACE_FENTRY;
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);
	int prog, link, stats;

	if (argc > 1 && !strcmp(argv[1], "--exit")) {
		where = BPF_TRACE_FEXIT;
		argc--;
		argv++;
	}
	if (argc < 4 || strcmp(argv[2], "--")) {
		fprintf(stderr, "Usage: fentry [--exit] FUNCTION -- COMMAND [ARG...]\n");
		return 2;
	}
	libbpf_set_print(quiet);
	prog = load(argv[1], where);
	if (prog < 0)
		return failed("cannot load", errno);
	/* Calls are counted while this is open. */
	stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (stats < 0)
		return failed("cannot count", errno);
	link = bpf_raw_tracepoint_open(NULL, prog);
	if (link < 0)
		return failed("cannot attach", errno);
	run(argv + 3);
	if (bpf_obj_get_info_by_fd(prog, &info, &len))
		return failed("cannot read the count", errno);
	fprintf(stderr, "calls %llu\n", (unsigned long long)info.run_cnt);
	return 0;
}
