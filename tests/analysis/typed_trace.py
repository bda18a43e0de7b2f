# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The events of the scheduler and of interrupts, as module/event/typed.c has them."""

TYPES = 'typealias integer { size = 16; align = 16; signed = true; } := prio_t;\n' \
    'typealias enum : uint16_t { "R" = 0, "S" = 1, "D" = 2, "X" = 0x80, "R+" = 0x100 } := state_t;\n' \
    'typealias enum : uint16_t { "OTHER" = 0, "FIFO" = 1, "RR" = 2, "DEADLINE" = 6 } := policy_t;\n' \
    'typealias enum : uint32_t { "TIMER" = 1, "RCU" = 9 } := softirq_t;\n' \
    'typealias integer { size = 64; align = 64; signed = false; base = 16; } := code_t;\n'
SOFTIRQS = {1: "TIMER", 9: "RCU"}
STATES = {"R": 0, "S": 1, "D": 2, "X": 0x80, "R+": 0x100}
OTHER, FIFO, RR, DEADLINE = 0, 1, 2, 6

WOKEN = ("tid_t task; policy_t task_policy; prio_t task_prio", "tid_t process; uint32_t target_cpu")
IRQ, SOFTIRQ = "uint32_t irq; uint32_t on_cpu", "softirq_t vec; uint32_t on_cpu"
UNUSED = "uint64_t _ft_unused_0"
# Each is its number and its two words of fields.
SCHEDULER = {
    "sched_switch": (100, "tid_t next; policy_t next_policy; prio_t next_prio",
                     "state_t prev_state; uint16_t _ft_unused_0; uint16_t _ft_unused_1; "
                     "prio_t prev_prio"),
    "sched_waking": (101, *WOKEN),
    "sched_wakeup": (102, *WOKEN),
}
INTERRUPTS = {
    "irq_handler_entry": (104, IRQ, "code_t handler"),
    "irq_handler_exit": (105, IRQ, "int64_t ret"),
    "softirq_entry": (106, SOFTIRQ, UNUSED),
    "softirq_exit": (107, SOFTIRQ, UNUSED),
}
TIMERS = {
    "hrtimer_expire_entry": (114, "word_t timer", "code_t function"),
    "hrtimer_expire_exit": (115, "word_t timer", UNUSED),
}
CALLS = {
    "sys_enter": (116, "uint32_t id; tid_t task", "word_t first"),
    "sys_exit": (117, "uint32_t id; tid_t task", "int64_t ret"),
}
TASKS = {
    "sched_migrate_task": (103, WOKEN[0], "uint32_t orig_cpu; uint32_t dest_cpu"),
    "sched_process_exec": (112, "tid_t task; tid_t old_task", UNUSED),
    "sched_pi_setprio": (113, "tid_t task; policy_t task_policy; prio_t new_prio",
                         "tid_t from; prio_t own_prio; prio_t old_prio"),
}
TOGGLES = {
    "irq_disable": (108, "word_t _a", "word_t _b"),
    "irq_enable": (109, "word_t _a", "word_t _b"),
    "preempt_disable": (110, "word_t _a", "word_t _b"),
    "preempt_enable": (111, "word_t _a", "word_t _b"),
}


def events(table):
    """As gen_trace.Trace takes them."""
    return [(number, name, a, b) for name, (number, a, b) in table.items()]
