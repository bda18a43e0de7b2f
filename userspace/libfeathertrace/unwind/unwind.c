// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Stacks of programs: see unwind.h.
 *
 * This library is compiled without frame pointers, so that an event is as short as it is. Its
 * own frames are left with its unwind tables, which restores all registers as they were in the
 * program's function. From there on the user chooses. With frame pointers, a function that was
 * compiled without leaves in the register what it likes: what does not look like the next frame
 * ends the stack. Such a function's caller may be missing, but nothing appears that is not a
 * return address on the stack.
 */
#include "libfeathertrace/unwind/cfi.h"
#include "libfeathertrace/unwind/own_stack.h"
#include "libfeathertrace/unwind/unwind.h"

#ifdef __x86_64__

/* More than there can be between an event and the program. */
#define OWN_MAX	16

/* Each frame begins with the caller's frame pointer; the return address is behind it. */
static unsigned int walk_pointers(const struct ft_cfi_frame *from, struct ft_cfi_bounds stack,
				  __u64 *to, unsigned int n)
{
	uintptr_t frame = from->known & 1u << FT_CFI_RBP ? from->reg[FT_CFI_RBP] : 0, ret;

	/* Frames follow each other upwards. */
	stack.begin = from->reg[FT_CFI_RSP];
	while (n < FT_STACKS_DEPTH && ft_cfi_load(frame + sizeof(ret), &stack, &ret) &&
	       ft_cfi_is_return(ret)) {
		uintptr_t next;

		if (!ft_cfi_load(frame, &stack, &next))
			break;
		to[n++] = ret;
		stack.begin = frame + 2 * sizeof(ret);
		frame = next;
	}
	return n;
}

static unsigned int walk_tables(struct ft_cfi_frame *frame, const struct ft_cfi_bounds *stack,
				__u64 *to, unsigned int n)
{
	enum ft_cfi_result result = FT_CFI_CALLER;

	while (n < FT_STACKS_DEPTH) {
		result = ft_cfi_step(frame, stack);
		if (result != FT_CFI_CALLER)
			break;
		if (!ft_cfi_is_return(frame->reg[FT_CFI_RIP])) {
			result = ft_cfi_step(frame, stack);
			break;
		}
		to[n++] = frame->reg[FT_CFI_RIP];
	}
	return result == FT_CFI_SIGNAL ? 0 : n;
}

/* The registers here. The address is taken for a return address, which is one byte later. */
static __attribute__((always_inline)) inline void take_registers(struct ft_cfi_frame *frame)
{
	__asm__ volatile("mov %%rbx, 3 * 8(%0)\n"
			 "	mov %%rbp, 6 * 8(%0)\n"
			 "	mov %%rsp, 7 * 8(%0)\n"
			 "	mov %%r12, 12 * 8(%0)\n"
			 "	mov %%r13, 13 * 8(%0)\n"
			 "	mov %%r14, 14 * 8(%0)\n"
			 "	mov %%r15, 15 * 8(%0)\n"
			 "	lea 1f + 1(%%rip), %%rcx\n"
			 "1:	mov %%rcx, 16 * 8(%0)\n"
			 : : "a" (frame->reg) : "rcx", "memory");
	frame->known = 1u << FT_CFI_RBX | 1u << FT_CFI_RBP | 1u << FT_CFI_RSP |
		       0xfu << FT_CFI_R12 | 1u << FT_CFI_RIP;
}

static __attribute__((noinline)) unsigned int
walk(enum ft_session_unwind how, uintptr_t site, uintptr_t end, __u64 *to)
{
	struct ft_cfi_bounds stack = { .end = end };
	struct ft_cfi_frame frame;

	take_registers(&frame);
	stack.begin = frame.reg[FT_CFI_RSP];
	for (int i = 0; frame.reg[FT_CFI_RIP] != site; i++) {
		if (i == OWN_MAX || ft_cfi_step(&frame, &stack) != FT_CFI_CALLER)
			return 0;
	}
	to[0] = site;
	return how == FT_UNWIND_DWARF ? walk_tables(&frame, &stack, to, 1) :
					walk_pointers(&frame, stack, to, 1);
}

unsigned int ft_unwind(enum ft_session_unwind how, uintptr_t site, __u64 *to)
{
	/* First: on another stack, as that of a signal handler, there may be little room. */
	uintptr_t end = ft_own_stack_end((uintptr_t)__builtin_frame_address(0));

	return end && ft_cfi_is_there() ? walk(how, site, end, to) : 0;
}

#else

unsigned int ft_unwind(enum ft_session_unwind how, uintptr_t site, __u64 *to)
{
	(void)how;
	(void)site;
	(void)to;
	return 0;
}

#endif
