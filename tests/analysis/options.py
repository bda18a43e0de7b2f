# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Options of ft report: order, number of rows, lines of source code, bounds."""

import json
import os
import random
import subprocess

from gen_trace import FAMILIES, Trace
from model import compare, parse
from simulate import Machine

OPTIONS = []


def option(f):
    OPTIONS.append(f)
    return f


def rows_of(text, table):
    """The rows of a table in the order of the output: [(row, {column: value})]"""
    rows = {}
    for line in text.splitlines():
        t, row, column, value = line.split("\t")
        if t == table:
            rows.setdefault(row, {})[column] = value
    return list(rows.items())


def busy_trace():
    trace, _ = Machine(5, cpus=3, steps=3000).run()
    return trace


@option
def sort(test):
    """Rows come in the order that was asked for, all of them."""
    path, wrong = busy_trace().write(test.path("sort")), []
    for name in ("total", "count", "min", "mean", "p50", "p90", "p99", "p999",
                 "max", "wait_total", "wait_count", "wait_mean", "wait_p99",
                 "wait_max"):
        column = name if name.endswith("count") else name + "_ns"
        r = test.ft("report", "--tsv", "--top", "0", "--sort", name, path)
        for table in ("site", "lock", "task"):
            values = [float(v.get(column, 0)) for _, v in
                      rows_of(r.stdout, table)]
            if values != sorted(values, reverse=True) or not any(values):
                wrong.append("%s by %s: %s" % (table, name, values[:10]))
    for name, key in (("family", lambda f, a: FAMILIES.index(f)),
                      ("address", lambda f, a: a)):
        r = test.ft("report", "--tsv", "--top", "0", "--sort", name, path)
        keys = [key(row.split(":")[0], int(row.split(":")[1], 16))
                for row, _ in rows_of(r.stdout, "lock")]
        if keys != sorted(keys):
            wrong.append("locks by %s: %s" % (name, keys[:10]))
    return wrong


@option
def top(test):
    """--top takes the first rows of the whole table."""
    path, wrong = busy_trace().write(test.path("top")), []
    whole = test.ft("report", "--tsv", "--top", "0", path).stdout
    part = test.ft("report", "--tsv", "--top", "3", path).stdout
    for table in ("site", "lock", "task", "order", "inversion", "waited"):
        if rows_of(part, table) != rows_of(whole, table)[:3]:
            wrong.append("the first of %s are %s" % (table,
                                                     rows_of(part, table)))
    text = test.ft("report", "--top", "3", "--sort", "wait_max", path).stdout
    if "Call sites by wait_max: waited for" not in text:
        wrong.append("the report for people does not sort waits")
    return wrong


@option
def filters_by_chance(test):
    """A filter selects from all that is known what its words say."""
    wrong = []
    for seed in range(6):
        rng = random.Random(seed)
        trace, known = Machine(100 + seed, cpus=3, steps=1500).run()
        path = trace.write(test.path("filter"))
        start = trace.start()
        for _ in range(4):
            cpu, tid = rng.randrange(3), rng.randrange(1, 9)
            family = rng.choice(FAMILIES)
            at = rng.randrange(1, 10**9)
            lock = rng.choice(known.sections).lock
            site = rng.choice(known.sections).site
            begin = start + -(-at * trace.freq // 10**9)
            choices = [
                (["--cpu", str(cpu)], lambda s: s.cpu == cpu),
                (["--task", str(tid)], lambda s: s.task == tid and not s.ctx),
                (["--family", family], lambda s: s.family == family),
                (["--lock", hex(lock)], lambda s: s.lock == lock),
                (["--site", hex(site)], lambda s: s.site == site),
                (["--from", "%.9f" % (at / 10**9)], lambda s: s.begin >= begin),
                (["--to", "%.9f" % (at / 10**9)], lambda s: s.begin < begin)]
            # --from and --to of the same time exclude each other
            rng.shuffle(choices)
            picked = choices[:rng.choice([1, 1, 2])]
            if {"--from", "--to"} <= {c[0][0] for c in picked}:
                picked.pop()
            args = [a for words, _ in picked for a in words]
            truth = known.truth(lambda s: all(p(s) for _, p in picked))
            r = test.ft("report", "--tsv", "--top", "0", *args, path)
            wrong += ["%s: %s" % (" ".join(args), w)
                      for w in compare(truth, r.stdout)] or \
                ([] if r.returncode == 0 else [r.stderr])
    return wrong


@option
def bounded_pairs(test):
    """More pairs of call sites than are kept: counted and told."""
    t, kept, more = Trace(per_packet=5000), 65536, 500
    for i in range(kept + more):
        at = 100 * i
        t.acquire(at, 0, 5, "spin", 0xa0, site=0x100000)
        t.acquire(at + 1, 0, 5, "spin", 0xb0, site=0x200000 + 8 * i)
        t.release(at + 2, 0, 5, "spin", 0xb0)
        t.release(at + 3, 0, 5, "spin", 0xa0)
    path = t.write(test.path("bounded"))
    have, wrong = parse(test.ft("report", "--tsv", "--top", "0", path).stdout)
    n = len({r for t, r, _ in have if t == "order"})
    refused = have["bound", "order", "refused"]
    if n != kept or refused != str(more):
        wrong.append("%d pairs, %s refused" % (n, refused))
    if have["bound", "inversion", "refused"] != "0":
        wrong.append("locks were refused")
    if "NOTE" not in test.ft("report", path).stdout:
        wrong.append("the report for people does not tell")
    return wrong


@option
def escapes(test):
    """What names and commands hold is one value in TSV and in JSON."""
    t = Trace()
    t.acquire(100, 0, 5, "spin", 0xa0, site=0xffffffff81000010)
    t.release(110, 0, 5, "spin", 0xa0)
    path = t.write(test.path("escapes"))
    os.makedirs(os.path.join(path, "info"), exist_ok=True)
    with open(os.path.join(path, "info/session"), "wb") as f:
        f.write(b'command\techo "a\\\\b" \\t c\\nd \x01 \xff \xc3\xa4 \xe2\x82'
                b'\xac \xed\xa0\x80\n')
    with open(os.path.join(path, "info/kallsyms"), "wb") as f:
        f.write(b'ffffffff81000000 T a"b\xfe\nffffffff81001000 T c\n')
    r = subprocess.run([test.program, "report", "--json", path],
                       stdout=subprocess.PIPE, check=True)
    have = json.loads(r.stdout.decode("utf-8"))
    command = have["trace"][0]["command"]
    want = 'echo "a\\b" \t c\nd \\x01 \\xff \xe4 \u20ac \\xed\\xa0\\x80'
    wrong = []
    if command != want:
        wrong.append("the command is %r, not %r" % (command, want))
    if have["site"][0]["symbol"] != 'a"b\\xfe+0x10':
        wrong.append("the symbol is %r" % have["site"][0]["symbol"])
    return wrong


SOURCE = """/* a kernel of three functions */
__asm__(".globl _stext\\n.text\\n_stext:\\n");
int volatile x;
void __attribute__((noinline)) lock_it(void)
{
	x++;
}

int caller(void)
{
	x = 3;
	lock_it();
	return x;
}
int main(void) { return caller(); }
"""


def call_site(path, function):
    """Where the call in caller() returns to, from that function's start."""
    text = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", path],
                          capture_output=True, text=True, check=True).stdout
    inside, start, called = False, 0, False
    for line in text.splitlines():
        if line.endswith("<%s>:" % function):
            inside, start = True, int(line.split()[0], 16)
        elif inside and called and ":" in line and "R_" not in line:
            return int(line.split(":")[0], 16) - start
        elif inside and "\tcall" in line:
            called = True
    raise ValueError("no call in " + path)


def build(test, name, *args):
    path = test.path(name + ".d")
    os.makedirs(path)
    source = os.path.join(path, "source.c")
    with open(source, "w") as f:
        f.write(SOURCE)
    out = os.path.join(path, name)
    subprocess.run(["gcc", "-g", "-O1", "-fno-inline", "-o", out, *args, source],
                   check=True, cwd=path)
    return out


def symbol_of(path, name):
    for line in subprocess.run(["nm", path], capture_output=True, text=True,
                               check=True).stdout.splitlines():
        if line.split()[-1] == name:
            return int(line.split()[0], 16)
    raise ValueError(name)


def line_trace(test, kernel, module):
    """A kernel that lies elsewhere than its file says, and a module."""
    shift, base = 0xffffffff80000000, 0xffffffffc0001000
    caller = shift + symbol_of(kernel, "caller")
    t = Trace()
    for at, site in ((100, caller + call_site(kernel, "caller")),
                     (200, base + call_site(module, "caller"))):
        t.acquire(at, 0, 5, "spin", 0xa0, site=site)
        t.release(at + 10, 0, 5, "spin", 0xa0)
    t.file("info/kallsyms", "%x T _stext\n%x T caller\n%x T end\n"
           "%x t caller\t[my_mod]\n%x t end\t[my_mod]\n" % (
               shift + symbol_of(kernel, "_stext"), caller, caller + 0x100,
               base, base + 0x100))
    return t.write(test.path("lines"))


def lines_in(test, path, *args):
    r = test.ft("report", "--tsv", *args, path)
    lines = {row: v.get("line") for row, v in rows_of(r.stdout, "site")}
    return [lines[row] for row in sorted(lines)], r


@option
def lines(test):
    """file:line of call sites, of the kernel and of a module."""
    kernel = build(test, "vmlinux", "-no-pie")
    module = build(test, "my-mod.ko", "-c")
    other = build(test, "other", "-no-pie", "-Wl,-Ttext=0x800000", "-DX")
    path, wrong, line = line_trace(test, kernel, module), [], "source.c:12"
    here = os.path.dirname(kernel)
    os.rename(module, os.path.join(here, "my-mod.ko"))
    for args, want in (([], [None, None]),
                       (["--debug", kernel], [line, None]),
                       (["--debug", os.path.join(here, "my-mod.ko")],
                        [None, line]),
                       (["--debug", here], [line, line])):
        got, r = lines_in(test, path, *args)
        if got != want or r.returncode:
            wrong.append("%s: lines are %s, not %s: %s" % (args, got, want,
                                                          r.stderr))
    for args, word in ((["--debug", "/nonexistent"], "cannot open"),
                       (["--debug", os.path.join(path, "metadata")],
                        "metadata")):
        _, r = lines_in(test, path, *args)
        if word not in r.stderr:
            wrong.append("%s: no message: %s" % (args, r.stderr))
    text = test.ft("report", "--debug", here, path).stdout
    if text.count(line) < 2:
        wrong.append("the report for people does not show lines")
    return wrong + wrong_kernel(test, path, other)


def wrong_kernel(test, path, other):
    """_stext and _text say different things: another kernel's file."""
    with open(os.path.join(path, "info/kallsyms"), "a") as f:
        f.write("ffffffff90000000 T _text\n")
    subprocess.run(["objcopy", "--add-symbol", "_text=.text:0,global", other],
                   check=True)
    got, r = lines_in(test, path, "--debug", other)
    if got != [None, None] or "not of the kernel" not in r.stderr:
        return ["another kernel's file is taken: %s %s" % (got, r.stderr)]
    return []


@option
def too_many_held(test):
    """Nine locks and more: the note says so, and not that there are too many pairs."""
    t = Trace()
    for i in range(10):
        t.acquire(100 + i, 0, 5, "spin", 0xa0 + i, site=0x1000 + i)
    for i in reversed(range(10)):
        t.release(200 - i, 0, 5, "spin", 0xa0 + i)
    text = test.ft("report", t.write(test.path("held"))).stdout
    note = text[text.find("NOTE:"):] if "NOTE:" in text else text[-200:]
    return [] if "outermost of them are left out: 1\n" in note and \
        "than are kept" not in note else ["the note is: " + note]
