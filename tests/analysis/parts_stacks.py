# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Stacks of a rotated recording: each part can be read alone, and all together. Its tests are
in PARTS."""

import json
import os
import shutil

from parts import part, parts, rotated
from stacks import KNOWN, differ, four, records, rows, text

ADDR = 0xffffffff81000000
WHOLE = {"spin:0:1": (2, 40), "spin:0:2": (1, 20), "spin:0:7": (1, 50)}


def head_of(full, failed):
    return text().replace("full=0 failed=0", "full=%d failed=%d" % (full, failed))


def write(path, name, content):
    with open(os.path.join(path, "info", name), "w", encoding="utf-8") as f:
        f.write(content)


def read(test, *named):
    r = test.ft("report", "--json", "--top", "0", *named)
    return json.loads(r.stdout), r.stderr


def in_parts(test):
    """The second part does not know what the third one adds; each has lost some itself."""
    _, path = rotated(four(), test.path("rotated"), [2500, 4500])
    early = "".join(line for line in head_of(2, 20).splitlines(True) if not line.startswith("0 7"))
    write(part(path, 1), "stacks", early.replace("full=2 failed=20", "full=1 failed=10"))
    write(part(path, 2), "stacks", early)
    write(part(path, 3), "stacks", head_of(4, 40))
    return path


@parts
def stacks_of_all(test):
    """All parts have the stacks of all, and the sum of what each has lost."""
    path = in_parts(test)
    have, err = read(test, path)
    two, _ = read(test, part(path, 1), part(path, 2))
    return differ((rows(have), records(have), err),
                  (WHOLE, {"records": 4, "used": 4, "full": 7, "failed": 70}, "")) + \
        differ((rows(two), records(two)),
               ({"spin:0:1": (2, 40), "spin:0:2": (1, 20)},
                {"records": 3, "used": 3, "full": 3, "failed": 30}))


@parts
def stacks_of_one(test):
    """A part alone has its stacks, and what was lost in it."""
    have, _ = read(test, part(in_parts(test), 3))
    return differ((rows(have), records(have)),
                  ({"spin:0:7": (1, 50)}, {"records": 1, "used": 1, "full": 4, "failed": 40}))


@parts
def stacks_of_a_cut_recording(test):
    """The last part was not completed: those before it have most stacks; 'ft dump' has them, too."""
    path = in_parts(test)
    os.unlink(os.path.join(part(path, 3), "info/stacks"))
    have, err = read(test, path)
    lines = test.ft("dump", path).stdout.splitlines()
    return differ((rows(have), records(have), err),
                  ({"spin:0:1": (2, 40), "spin:0:2": (1, 20)},
                   {"records": 4, "used": 3, "unknown": 1, "full": 3, "failed": 30}, "")) + \
        differ(len([line for line in lines if line.strip().startswith("sys_write+")]), 2)


@parts
def stacks_of_compressed_parts(test):
    """What parts have lost is counted, too, if their stacks are compressed."""
    path, wrong = in_parts(test), []
    more = "".join("0 %d 0x%x\n" % (100 + i, ADDR + i) for i in range(400))
    for number in 1, 2, 3:
        with open(os.path.join(part(path, number), "info/stacks"), "a", encoding="utf-8") as f:
            f.write(more)
        small = test.path("small")
        r = test.ft("export", "-f", "compressed", "-o", small, part(path, number))
        if r.returncode:
            return [r.stderr]
        shutil.rmtree(part(path, number))
        os.rename(small, part(path, number))
    fixed = test.path("fixed")
    test.ft("fix", "-o", fixed, part(path, 1))
    with open(os.path.join(fixed, "info/stacks"), "rb") as f:
        if not f.read().endswith(more.encode()):
            wrong.append("ft fix leaves the stacks compressed")
    have, err = read(test, path)
    return wrong + differ((rows(have), records(have)["full"], records(have)["failed"], err),
                          (WHOLE, 7, 70, ""))


@parts
def stacks_of_a_damaged_part(test):
    """A head that cannot be read counts as nothing, and a file without one is none."""
    path = in_parts(test)
    write(part(path, 1), "stacks", "no head\n")
    have, _ = read(test, path)
    write(part(path, 3), "stacks", "")
    last, err = read(test, path)
    return differ((rows(have), records(have)["full"]), (WHOLE, 6)) + \
        differ((records(last)["full"], len(KNOWN) > 0, "000003/info/stacks: line 1" in err),
               (2, True, True))
