# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft send when an answer is lost, and the spool is full then: cases of send.py."""
import atexit
import fcntl
import os
import shutil
import subprocess
import termios

from runs import FT, WORK
from sending import OUT, Proxy, Receiver, parts_here, recorded, recordings, report, wait_until
from told import check, same


class Follower:
    """ft send --follow, whose first part arrives; the answer does not, nor any later connection."""

    def __init__(self, receiver, spool):
        self.proxy = Proxy(receiver.port, of_receiver=2 * 24 + 1, alone=True)
        self.log = open(os.path.join(WORK, "sender.log"), "w+", encoding="utf-8")
        self.ft = subprocess.Popen([FT, "send", "--follow", "--spool", str(spool), "--wait", "20", OUT,
                                    self.proxy.to], stdin=subprocess.PIPE, stderr=self.log, text=True)
        atexit.register(self.ft.kill)       # where a test breaks

    def tell(self, number):
        self.ft.stdin.write("%d\n" % int(number))
        self.ft.stdin.flush()

    def has_taken_all(self):
        """Has it read all that it was told, and waits for more? Then it has read the parts, too.

        It waits in read(0, ...), not for a lock: those have an address there.
        """
        left = fcntl.ioctl(self.ft.stdin, termios.FIONREAD, bytes(4))
        with open("/proc/%d/syscall" % self.ft.pid, encoding="utf-8") as f:
            return not any(left) and f.read().split()[1:2] == ["0x0"]

    def told(self):
        with open(self.log.name, encoding="utf-8") as f:
            return f.read()

    def end(self):
        self.proxy.alone = False
        self.ft.stdin.close()
        self.ft.wait(60)
        self.log.close()


def answer_lost(name, gone, each=False):
    """gone: a file of the first part then, or None: all of it; each: and of those that report
    dropped parts, too."""
    said, numbers = parts_here()
    r = Receiver()
    f = Follower(r, 1)
    for i, number in enumerate(numbers):
        f.tell(number)
        if not i:
            wait_until(lambda: "trying again" in f.told())
        elif i > 1:
            wait_until(lambda: not os.path.exists(os.path.join(OUT, numbers[i - 1])))
            if each and number != numbers[-1]:
                os.remove(os.path.join(OUT, number, gone))
    wait_until(lambda: "spool is full" in f.told())
    # though it cannot be sent again: that it is there has only to be asked
    first = os.path.join(OUT, numbers[0])
    kept = os.path.exists(os.path.join(first, gone or "metadata"))
    if kept and gone:
        os.remove(os.path.join(first, gone))
    elif kept:
        shutil.rmtree(first)
    f.end()
    same(name + ": what may have arrived is kept", True, kept)
    check(name + ": others are dropped", f.ft.returncode == 3 and "ft: LOST " in f.told(), f.told())
    same(name + ": the part has arrived", numbers[0], sorted(os.listdir(recordings()[0]))[0])
    status, row = report(recordings()[0])
    check(name + ": the books balance", status == 3 and recorded(said) == row["records"] + row["lost"],
          "%d %s of %d: %s" % (status, row, recorded(said), f.told()))
    r.end()


def test_answer_lost():
    """The answer is lost, and then the spool is full: what has arrived is not counted as lost."""
    answer_lost("answer lost", "metadata")


def test_session_lost():
    """The same, where the part does not even say any more whose it is."""
    answer_lost("session lost", "info/session", each=True)
    answer_lost("all lost", None)


def test_next_lost():
    """The spool is full, and the next part cannot tell that the one before it is dropped."""
    numbers = parts_here()[1]
    first, rest = numbers[:4], numbers[4:]
    for number in rest:
        shutil.rmtree(os.path.join(OUT, number))
    files = [os.stat(os.path.join(d, name)) for number in first[:3]
             for d, _, names in os.walk(os.path.join(OUT, number)) for name in names]
    records = 0
    for number in first:
        with open(os.path.join(OUT, number, "info/session"), encoding="utf-8") as f:
            records += sum(int(value) for key, _, value in (line.partition("\t") for line in f)
                           if key in ("records", "lost", "unwritten"))
    r = Receiver()
    f = Follower(r, sum(st.st_size // st.st_nlink for st in files))
    f.tell(first[0])
    wait_until(lambda: "trying again" in f.told())
    for number in first[1:3]:
        f.tell(number)
        # it has read what the part says of itself
        check("next lost: part %s is known" % number, wait_until(f.has_taken_all), f.told())
    os.remove(os.path.join(OUT, first[2], "info/session"))
    f.tell(first[3])
    wait_until(lambda: not os.path.exists(os.path.join(OUT, first[2])), 20)
    f.end()
    got = sorted(os.listdir(recordings()[0]))
    check("next lost: it is dropped itself", f.ft.returncode == 3 and first[2] not in got and
          first[3] in got and "spool is full" in f.told(), f.told())
    status, row = report(recordings()[0])
    check("next lost: the books balance", status == 3 and records == row["records"] + row["lost"],
          "%d %s of %d: %s" % (status, row, records, f.told()))
    r.end()
