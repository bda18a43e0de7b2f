// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A plugin for QEMU that looks at each instruction between two marks
 * (tests/modules/ft_marks.h): how many, of which kinds, what they load and store, and
 * which cache lines several CPUs write.
 *
 *	qemu-system-x86_64 -plugin libanatomy.so,out=FILE ...
 *
 * FILE gets a line for each run, when the next begins or the VM ends, tab separated: pairs of marks;
 * instructions of a pair (mean, longest); and means of: with a LOCK prefix (or an
 * exchange with memory, which has it unasked), divisions, branches, loads, stores;
 * cache lines that one CPU alone has written, that several have, and that one has
 * written and others have read.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../tests/modules/ft_marks.h"
#include "qemu_plugin.h"

#define EXPORT		__attribute__((visibility("default")))
#define MAX_RUNS	128
#define MAX_VCPUS	64
#define LINES		(1u << 18)	/* of a run; a power of two */

/* What is known of an instruction without running it; goes where a pointer fits. */
enum kind {
	KIND_LOCKED	= 1,
	KIND_DIVISION	= 2,
	KIND_BRANCH	= 4,
};

struct counts {
	uint64_t	pairs, insns, longest;
	uint64_t	locked, divisions, branches, loads, stores;
};

struct vcpu {
	bool		inside;
	uint64_t	insns;		/* of this pair */
	struct counts	runs[MAX_RUNS];
} __attribute__((aligned(128)));

/* A cache line, by its physical address: bits are virtual CPUs. */
struct line {
	uint64_t	address;	/* + 1: 0 is a free place */
	uint64_t	writers, readers;
};

EXPORT int qemu_plugin_version = 4;

static struct vcpu vcpus[MAX_VCPUS];

/*
 * Which it is. Changes while nobody is between two marks: the guest's other CPUs begin
 * by an interrupt from the one that has changed it, and have ended before it goes on.
 */
static int run = -1;

static pthread_mutex_t lines_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct line lines[LINES];	/* of this run */

static FILE *out;

__attribute__((noreturn))
static void die(const char *why)
{
	fprintf(stderr, "anatomy: %s\n", why);
	_exit(EXIT_FAILURE);
}

/* --- what an instruction is ---------------------------------------------------- */

static bool is_prefix(unsigned char byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 ||
	       byte == 0xf3 || byte == 0x2e || byte == 0x36 || byte == 0x3e ||
	       byte == 0x26 || byte == 0x64 || byte == 0x65;
}

static bool is_branch(const unsigned char *op)
{
	unsigned int reg = op[1] >> 3 & 7;

	if (op[0] == 0x0f)
		return (op[1] & 0xf0) == 0x80;
	return (op[0] & 0xf0) == 0x70 || (op[0] & 0xfc) == 0xe0 || op[0] == 0xe8 ||
	       op[0] == 0xe9 || op[0] == 0xeb || op[0] == 0xc2 || op[0] == 0xc3 ||
	       (op[0] == 0xff && reg >= 2 && reg <= 5);
}

static uintptr_t kind_of(const unsigned char *bytes, size_t size)
{
	const unsigned char *op = bytes, *end = bytes + size;
	uintptr_t kind = 0;

	while (op + 1 < end && is_prefix(*op)) {
		if (*op == 0xf0)
			kind |= KIND_LOCKED;
		op++;
	}
	if (op + 1 < end && (*op & 0xf0) == 0x40)
		op++;
	/* xchg with memory; div and idiv. The bytes behind the end are 0. */
	if ((op[0] | 1) == 0x87 && op[1] < 0xc0)
		kind |= KIND_LOCKED;
	if ((op[0] | 1) == 0xf7 && (op[1] >> 3 & 7) >= 6)
		kind |= KIND_DIVISION;
	if (is_branch(op))
		kind |= KIND_BRANCH;
	return kind;
}

/* Return: FT_MARK_*, or 0. */
static uintptr_t mark_of(const unsigned char *bytes, size_t size)
{
	static const unsigned char nop[] = { 0x0f, 0x1f, 0x80 };
	uint32_t displacement;

	if (size != sizeof(nop) + 4 || memcmp(bytes, nop, sizeof(nop)))
		return 0;
	memcpy(&displacement, bytes + sizeof(nop), 4);
	return (displacement & 0xffff0000) == FT_MARKS ? displacement & 0xffff : 0;
}

/* --- a run's line ---------------------------------------------------------------- */

static struct counts sum(int r)
{
	struct counts all = { 0 };

	for (unsigned int i = 0; i < MAX_VCPUS; i++) {
		const struct counts *c = &vcpus[i].runs[r];

		all.pairs += c->pairs;
		all.insns += c->insns;
		all.locked += c->locked;
		all.divisions += c->divisions;
		all.branches += c->branches;
		all.loads += c->loads;
		all.stores += c->stores;
		if (c->longest > all.longest)
			all.longest = c->longest;
	}
	return all;
}

/* Nobody is between two marks meanwhile. */
static void write_run(int r)
{
	struct counts all = sum(r);
	double pairs = all.pairs ? (double)all.pairs : 1;
	unsigned int own = 0, several = 0, read = 0;

	for (unsigned int i = 0; i < LINES; i++) {
		const struct line *line = &lines[i];
		unsigned int writers = __builtin_popcountll(line->writers);

		own += writers == 1 && !(line->readers & ~line->writers);
		read += writers == 1 && line->readers & ~line->writers;
		several += writers > 1;
	}
	fprintf(out, "%llu\t%.2f\t%llu\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%u\t%u\t%u\n",
		(unsigned long long)all.pairs, all.insns / pairs,
		(unsigned long long)all.longest, all.locked / pairs, all.divisions / pairs,
		all.branches / pairs, all.loads / pairs, all.stores / pairs, own, several,
		read);
	fflush(out);
	memset(lines, 0, sizeof(lines));
}

/* --- while it runs --------------------------------------------------------------- */

static void begin_run(void)
{
	if (run >= 0)
		write_run(run);
	if (++run >= MAX_RUNS)
		die("more runs than there is room for");
}

static void on_mark(unsigned int index, void *data)
{
	struct vcpu *vcpu = &vcpus[index];
	struct counts *counts;

	if ((uintptr_t)data == FT_MARK_RUN) {
		begin_run();
		return;
	}
	vcpu->inside = (uintptr_t)data == FT_MARK_BEGIN && run >= 0;
	if (vcpu->inside) {
		vcpu->insns = 0;
	} else if (run >= 0) {
		counts = &vcpu->runs[run];
		counts->pairs++;
		counts->insns += vcpu->insns;
		if (vcpu->insns > counts->longest)
			counts->longest = vcpu->insns;
	}
}

static void on_insn(unsigned int index, void *data)
{
	struct vcpu *vcpu = &vcpus[index];
	uintptr_t kind = (uintptr_t)data;
	struct counts *counts;

	if (!vcpu->inside)
		return;
	counts = &vcpu->runs[run];
	vcpu->insns++;
	counts->locked += !!(kind & KIND_LOCKED);
	counts->divisions += !!(kind & KIND_DIVISION);
	counts->branches += !!(kind & KIND_BRANCH);
}

static struct line *find_line(uint64_t address)
{
	uint64_t i = address * 0x9e3779b97f4a7c15ull >> 44;

	for (unsigned int tries = 0; tries < LINES; tries++, i++) {
		struct line *line = &lines[i % LINES];

		if (line->address == address + 1)
			return line;
		if (!line->address) {
			line->address = address + 1;
			return line;
		}
	}
	die("more cache lines than there is room for");
}

static void on_memory(unsigned int index, qemu_plugin_meminfo_t info, uint64_t vaddr,
		      void *data)
{
	struct vcpu *vcpu = &vcpus[index];
	bool store = qemu_plugin_mem_is_store(info);
	struct qemu_plugin_hwaddr *hwaddr;
	struct line *line;

	(void)data;
	if (!vcpu->inside)
		return;
	if (store)
		vcpu->runs[run].stores++;
	else
		vcpu->runs[run].loads++;

	hwaddr = qemu_plugin_get_hwaddr(info, vaddr);
	if (!hwaddr)
		return;
	pthread_mutex_lock(&lines_mutex);
	line = find_line(qemu_plugin_hwaddr_phys_addr(hwaddr) / 64);
	*(store ? &line->writers : &line->readers) |= 1ull << index;
	pthread_mutex_unlock(&lines_mutex);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		unsigned char bytes[16] = { 0 };
		size_t size = qemu_plugin_insn_data(insn, bytes, sizeof(bytes));
		uintptr_t mark = mark_of(bytes, size);

		if (mark) {
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark,
					QEMU_PLUGIN_CB_NO_REGS, (void *)mark);
			continue;
		}
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_insn,
				QEMU_PLUGIN_CB_NO_REGS, (void *)kind_of(bytes, size));
		qemu_plugin_register_vcpu_mem_cb(insn, on_memory, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, NULL);
	}
}

/* --- QEMU's side ------------------------------------------------------------------- */

static void on_exit_of_qemu(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	if (run >= 0)
		write_run(run);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info,
			       int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4)) {
		fprintf(stderr, "anatomy: usage: -plugin libanatomy.so,out=FILE\n");
		return -1;
	}
	out = fopen(argv[0] + 4, "w");
	if (!out) {
		perror(argv[0] + 4);
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
	return 0;
}
