# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft compare by class of lock: of two boots, addresses differ, and classes do not."""

from compares import Values, compare, need, run, values
from workload import Workload

CLASSES = ["dentry.d_lockref.lock", "mm_struct.mmap_lock", "inode.i_rwsem", "file.f_pos_lock"]
MANY = dict(bursts=4000, per_burst=2)


class Boot(Workload):
    """Each function takes locks of one class, at addresses of this boot; two of each."""

    def __init__(self, seed, boot=0, slow=None, classes=CLASSES, named=True, **more):
        super().__init__(seed, slide=0x1000000 * boot, **more)
        self.boot, self.slow, self.classes, self.named = boot, slow, classes, named

    def address(self, which, i):
        return 0xffff888000001000 + 0x100000 * self.boot + 0x1000 * which + 0x40 * i

    def lock(self, which):
        return self.address(which, self.rng.randrange(2))

    def slower(self, which):
        return 2.5 if self.slow == self.classes[which] else 1

    def trace(self):
        t = super().trace()
        if self.named:
            t.file("info/locks", "lock names 1\n" + "".join(
                "0x%x\tslab\t1\t-\t%s\n" % (self.address(which, i), name)
                for which, name in enumerate(self.classes) for i in range(2)))
        return t


def changed_classes(v):
    return [row for table, row, _ in v.changed() if table == "class"]


@compare
def classes_of_two_boots(test):
    """No change is called one, and each class is in both, with all of its sections."""
    wrong = []
    for seed in range(6):
        v = values(test, Boot(2 * seed, **MANY), Boot(2 * seed + 1, boot=1, **MANY))
        wrong += ["%d: %s" % (seed, row) for row in changed_classes(v)]
    bad = wrong if len(wrong) > 2 else []
    bad += ["only in one: %s" % (k,) for k in v.rows("verdict", "only in A") +
            v.rows("verdict", "only in B") if k[0] == "class"]
    bad += ["not there: " + name for name in CLASSES
            if ("class", "spin:" + name, "A", "count") not in v]
    for trace in "AB":
        for family in ("spin", "mutex", "rwsem_read"):
            found = sum(int(n) for (table, row, letter, column), n in v.items()
                        if (table, letter, column) == ("class", trace, "count") and
                        row.startswith(family + ":"))
            if found != int(v["family", family, trace, "count"]):
                bad.append("%s of %s: %d in classes" % (family, trace, found))
    return bad


@compare
def class_that_changed(test):
    """One class is held longer: that one is found in most of six pairs, others are not."""
    bad, found, slow = [], 0, "inode.i_rwsem"
    for seed in range(6):
        v = values(test, Boot(2 * seed, **MANY), Boot(2 * seed + 1, boot=1, slow=slow, **MANY))
        found += v["class", "spin:" + slow, "B", "verdict"] == "longer"
        bad += ["%d: %s" % (seed, row) for row in changed_classes(v) if not row.endswith(slow)]
        if not 1 < float(v["class", "spin:" + slow, "B", "mean_change"]) < 2.5:
            bad.append("%d: the mean changed by %s" % (
                seed, v["class", "spin:" + slow, "B", "mean_change"]))
    bad = bad if len(bad) > 1 else []
    if found < 4:
        bad.append("found in %d of 6" % found)
    text = run(test, Boot(0, **MANY), Boot(1, boot=1, slow=slow, **MANY))
    return bad + ["the text lacks: " + words for words in (
        "Classes of locks by their share of time", "A -> B  spin          inode.i_rwsem: longer")
        if words not in text]


@compare
def class_that_is_new(test):
    """A class of one trace alone."""
    v = values(test, Boot(1), Boot(2, boot=1, classes=CLASSES[:3] + ["socket.lock"]))
    return need(v, "class", "spin:file.f_pos_lock", "B", "verdict", "only in A") + \
        need(v, "class", "spin:socket.lock", "B", "verdict", "only in B") + \
        need(v, "class", "spin:socket.lock", "A", "count", "0")


@compare
def class_of_other_types(test):
    """How many types a lock may be of differs: a likely class is the same. A certain one is not,
    but it is that of a variable of its name, of which one lock of the trace says nothing."""
    path = []
    for boot, types in enumerate((2, 3)):
        b = Boot(boot, boot, named=False)
        t = b.trace()
        t.file("info/locks", "lock names 1\n" + "".join("0x%x\t%s\t%d\t-\t%s\n" % (
            b.address(which, i), kind, n, name) for which, i, kind, n, name in (
                (0, 0, "slab", types, "pipe.mutex"), (0, 1, "slab", 1, "pipe.mutex"),
                (1, 0, "slab", types, "PING+0x8"), (1, 1, "heap", types, "heap, first"),
                (2, 0, "static", 1, "big_lock"), (3, 0, "slab", 1, "file.f_pos_lock"),
                (3, 1, "slab", 1, "file.f_pos_lock"))))
        t.files["info/kallsyms"] += "%016x D big_lock\n%016x D end\n" % (
            b.address(2, 1), b.address(2, 1) + 8)
        path.append(t.write(test.path("compare%d" % boot)))
    v = Values(test.ft("compare", "--tsv", "--by", "class", *path).stdout)
    have = {row for table, row, *_ in v if table == "class" and row.startswith("spin:")}
    want = {"spin:" + name for name in (
        "pipe.mutex", "pipe.mutex (probably)", "PING+0x8 (probably)", "heap, first (probably)",
        "big_lock", "file.f_pos_lock")}
    bad = [] if have == want else ["classes: %s" % sorted(have ^ want)]
    for letter in "AB":
        found = sum(int(v.get(("class", row, letter, "count"), 0)) for row in want)
        if found != int(v["family", "spin", letter, "count"]):
            bad.append("%s: %d sections in classes" % (letter, found))
    return bad + ["%s is only in one" % row for row in want for verdict in ("A", "B")
                  if v.get(("class", row, "B", "verdict")) == "only in " + verdict]


@compare
def tables_that_are_wanted(test):
    """--by shows one table; without it, classes come where all traces have names."""
    bad = []
    for args, named, want in (((), True, {"class", "site"}), ((), False, {"site"}),
                              (("--by", "class"), True, {"class"}),
                              (("--by", "site"), True, {"site"})):
        v = Values(run(test, Boot(1), Boot(2, boot=1, named=named), args=("--tsv", *args)))
        have = {table for table, *_ in v} & {"class", "site"}
        bad += [] if have == want else ["%s: %s" % (args, have)]
    path = [Boot(1).trace().write(test.path("compare0")),
            Boot(2, named=False).trace().write(test.path("compare1"))]
    r = test.ft("compare", "--tsv", "--by", "class", *path)
    if r.returncode or "compare1 has no names of locks" not in r.stderr or \
            "compare0 has" in r.stderr or "spin:(unknown)" not in r.stdout:
        bad.append("without names: %d %s" % (r.returncode, r.stderr))
    return bad


@compare
def classes_in_the_page(test):
    """The page has a table of them."""
    html = test.path("compare.html")
    run(test, Boot(1), Boot(2, boot=1), args=("--html", html))
    with open(html, encoding="utf-8") as f:
        page = f.read()
    return [] if "Classes of locks" in page and "mm_struct.mmap_lock" in page else ["not there"]
