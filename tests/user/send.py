#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft run --to, ft send and ft receive: what was recorded arrives, once, or is counted as lost,
whoever goes away meanwhile: send.py BUILD FT

Prints a line for each check, as tests/lib.sh has it.
"""
import os
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import threading
import time

from frames import DATA, END, GO, HAVE, HELLO, ID, PART, REFUSED, Talk, file, frame, hello, part, talk
from runs import BUILD, FT, WORK, main
from send_lost import test_answer_lost, test_next_lost, test_session_lost
from sending import (OUT, STORE, Proxy, Receiver, free_port, half_made, paced, parts_here, record,
                     recorded, recordings, report, send, wait_until)
from told import check, same


# --- what arrives ----------------------------------------------------------------

def test_all():
    r = Receiver()
    others = [threading.Thread(target=record, args=(r.to, 20000), kwargs={"out": OUT + str(i)})
              for i in range(2)]
    for t in others:
        t.start()
    status, said = record(r.to, 200000)
    for t in others:
        t.join()
    same("all: exit status", 0, status)
    check("all: the sender says what it sent", "ft: sent " in said, said)
    check("all: the spool is gone", not os.path.exists(OUT))
    got = recordings()
    same("all: recordings of one host do not mix", 3, len(got))
    rows = sorted((report(path) for path in got), key=lambda row: row[1]["records"])
    same("all: nothing is lost", [(0, 0)] * 3, [(s, row["lost"]) for s, row in rows])
    same("all: each record arrives", recorded(said), rows[-1][1]["records"])
    same("all: the receiver ends when it is told to", 0, r.end(signal.SIGINT))
    same("all: nothing is half-made", [], half_made())


def test_late():
    port = free_port()
    done = {}
    t = threading.Thread(target=lambda: done.update(got=record("127.0.0.1:%d" % port, 50000)))
    t.start()
    wait_until(lambda: os.path.exists(OUT + "/info/parts"))
    time.sleep(0.5)
    r = Receiver(port=port)
    t.join()
    status, said = done["got"]
    same("late: exit status", 0, status)
    check("late: it says that nobody was there", "refused; trying again" in said, said)
    same("late: each record arrives", (0, recorded(said)),
         (lambda s, row: (s, row["records"]))(*report(recordings()[0])))
    r.end()


def size_of(path):
    """A file that parts share counts once in all of them together."""
    found = [os.stat(os.path.join(d, f)) for d, _, files in os.walk(path) for f in files]
    return sum(st.st_size // st.st_nlink for st in found)


def test_full():
    """The oldest parts are dropped, and what is left is sent later.

    In one burst a part could become longer than the spool, where names are found slowly.
    """
    status, said = record("127.0.0.1:%d" % free_port(), 30000, "--spool", "8M", "--wait", "0.3",
                          before=paced(8, 1 << 20))
    same("full: exit status", 3, status)
    check("full: it is said, and how many", "the spool is full" in said and "ft: LOST " in said, said)
    check("full: where the rest lies", "ft send --remove " + OUT in said, said)
    # those under way may be longer, where records come faster than names are found
    numbers = sorted(n for n in os.listdir(OUT) if n.isdigit())
    room = sum(size_of(os.path.join(OUT, n)) for n in numbers[:-2])
    check("full: complete parts have bounded room", room <= 6 << 20, (numbers, room))
    r = Receiver()
    same("full: the rest is sent", 0, send(r.to, "--remove")[0])
    same("full: and gone", [], os.listdir(OUT))
    status, row = report(recordings()[0])
    same("full: the report shows losses", 3, status)
    same("full: the books balance", recorded(said), row["records"] + row["lost"])
    check("full: both are there", row["records"] and row["lost"], row)
    r.end()


def test_gap():
    """Parts in the middle are dropped: read over the gap, alone refused as before."""
    for n in 150000, 300000, 600000, 1200000:       # a fast machine has few of them
        status, said = record("127.0.0.1:%d" % free_port(), n, "--spool", "256M", "--rotate", "1M",
                              "--wait", "0.3")
        numbers = sorted(n for n in os.listdir(OUT) if n.isdigit())
        if len(numbers) >= 4:
            break
    same("gap: nothing is dropped", (3, False), (status, "LOST" in said))
    check("gap: there are parts", len(numbers) >= 4, numbers)
    r = Receiver()
    # the first one arrives; then all others are too many
    spare = OUT + ".spare"
    shutil.rmtree(spare, ignore_errors=True)
    os.makedirs(spare)
    shutil.copytree(os.path.join(OUT, numbers[0]), os.path.join(spare, numbers[0]))
    send(r.to, out=spare)
    shutil.rmtree(os.path.join(OUT, numbers[0]))
    numbers = numbers[1:]
    send("127.0.0.1:%d" % free_port(), "--follow", "--spool", "1", "--wait", "0.3", told=numbers)
    left = sorted(n for n in os.listdir(OUT) if n.isdigit())
    check("gap: some were dropped", 0 < len(left) < len(numbers), left)
    same("gap: the rest is sent", 0, send(r.to)[0])
    status, row = report(recordings()[0])
    same("gap: the books balance", (3, recorded(said)), (status, row["records"] + row["lost"]))
    r.end()


def test_goes_away():
    """In the middle of a part: nothing of it stays, and it comes again."""
    r = Receiver()
    proxy = Proxy(r.port, of_sender=200000)
    status, said = record(proxy.to, 50000)
    check("goes away: exit status", status == 0, said)
    check("goes away: the receiver says so", wait_until(lambda: "went away" in r.said()), r.said())
    same("goes away: nothing is half-made", [], half_made())
    same("goes away: each record arrives", (0, recorded(said)),
         (lambda s, row: (s, row["records"]))(*report(recordings()[0])))
    r.end()


def test_slow():
    """What only the socket's buffer has is no progress: a slow way takes its time."""
    said = record("127.0.0.1:%d" % free_port(), 14000, "--wait", "0.3")[1]
    r = Receiver()
    status, told = send(Proxy(r.port, slow=True).to, "--wait", "3")
    same("slow: all is sent", (0, False), (status, "trying again" in told))
    same("slow: each record arrives", (0, recorded(said)),
         (lambda s, row: (s, row["records"]))(*report(recordings()[0])))
    r.end()


def test_vanishes():
    """A receiver takes what comes, and never answers: nothing of that counts as sent."""
    with socket.socket() as away:
        away.bind(("127.0.0.1", 0))
        away.listen()
        done = {}
        t = threading.Thread(target=lambda: done.update(
            got=record("127.0.0.1:%d" % away.getsockname()[1], 5000, "--wait", "1")))
        t.start()
        sender = away.accept()[0]
        sender.sendall(2 * frame(GO))
        wait_until(lambda: not t.is_alive())
        sender.close()
    t.join()
    status, said = done["got"]
    check("vanishes: nothing counts as sent", status == 3 and "ft: sent 0 parts" in said and
          "ft: 1 part was not sent" in said, said)
    r = Receiver()
    same("vanishes: it is sent again", (0, recorded(said)), (send(r.to, "--remove")[0],
         report(recordings()[0])[1]["records"]))
    r.end()


def test_twice():
    """The answer is lost: the part comes twice, and is taken once."""
    r = Receiver()
    # the answers to HELLO and PART arrive, that to END does not
    proxy = Proxy(r.port, of_receiver=2 * 24 + 1)
    status, said = record(proxy.to, 5000)
    same("twice: exit status", 0, status)
    check("twice: it came twice", "closed the connection" in said, said)
    same("twice: it was taken once", (0, recorded(said)),
         (lambda s, row: (s, row["records"]))(*report(recordings()[0])))
    r.end()


def test_at_once():
    """Two that begin in the same second, without -o: each has a spool of its own."""
    r = Receiver()
    both = [subprocess.Popen([FT, "run", "-e", "*", "--to", r.to, "--", BUILD + "/emit", "flood", "1000"], cwd=WORK,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = [ft.communicate(timeout=60)[1] for ft in both]
    check("at once: both record", not any(ft.returncode for ft in both), said)
    same("at once: both have arrived", 2, len(recordings()))
    r.end()


def test_killed():
    """The receiver is killed and begins again: what was under way is removed."""
    r = Receiver()
    os.makedirs(STORE + "/.incoming/7/info")
    for name in "metadata", "cpu0", "info/session":
        with open(STORE + "/.incoming/7/" + name, "w", encoding="utf-8") as f:
            f.write("half")
    r.end(signal.SIGKILL)
    again = Receiver(port=r.port, keep=True)
    same("killed: what was half-made is gone", [], half_made())
    second = subprocess.run([FT, "receive", "-o", STORE, "-l", "127.0.0.1:0"], check=False,
                            stderr=subprocess.PIPE, text=True, timeout=60)
    check("killed: two do not write into one directory",
          second.returncode == 1 and "another ft receive" in second.stderr, second.stderr)
    again.end()


def test_room():
    """What does not fit is refused, said at both ends, and kept by the sender."""
    r = Receiver("--room", "64k")
    status, said = record(r.to, 5000, "--wait", "0.5")
    same("room: exit status", 3, status)
    check("room: the sender says why", "as much as --room allows" in said, said)
    check("room: and the receiver", "as much as --room allows" in r.said(), r.said())
    r.end()
    # what others have begun counts, too, when it counts what is there
    r = Receiver("--room", "1M")
    with Talk(r.port) as one, Talk(r.port) as two:
        same("room: a large part of one", [GO, GO], one.say(hello + part(recording=ID, size=900000), 2))
        for i in range(2):
            same("room: %d is too much for another" % i, [GO, REFUSED][i > 0:],
                 two.say((hello if not i else b"") + part(recording=ID[::-1], size=900000), 2 - i))
    r.end()
    r = Receiver("--part-max", "64k")
    status, said = send(r.to, "--wait", "0.5")
    same("room: of a part: exit status", 1, status)
    check("room: of a part: it is said", "larger than --part-max" in said, said)
    r.end()
    r = Receiver()
    same("room: then it is sent", (0, 1), (send(r.to)[0], len(recordings())))
    r.end()


def never(name, said, numbers, why, env=None):
    """The second part cannot be read: that does not hold up those behind it."""
    r = Receiver()
    status, told = send(r.to, "--wait", "20", env=env)
    check(name + ": exit status, and why", status == 1 and why in told and
          "ft: 1 part was not sent" in told, told)
    same(name + ": the others go", numbers[:1] + numbers[2:], sorted(os.listdir(recordings()[0])))
    check(name + ": the receiver gets no nonsense",
          "refused" not in r.said() and "does not belong to a part" not in r.said(), r.said())
    r.end()
    # as ft record --to: it is dropped, and counted
    r = Receiver()
    status, told = send(r.to, "--follow", "--wait", "20", told=numbers, env=env)
    check(name + ": it is dropped", status == 3 and "ft: LOST " in told, told)
    status, row = report(recordings()[0])
    check(name + ": the books balance", status == 3 and row["lost"] and
          recorded(said) == row["records"] + row["lost"], "%d %s of %d" % (status, row, recorded(said)))
    r.end()


def test_never():
    said, numbers = parts_here()
    broken = os.path.join(OUT, numbers[1], "metadata")
    os.rename(broken, broken + ".away")
    never("never", said, numbers, "cannot be read: No such file")


def test_broken():
    """The disk fails in the middle of a file."""
    said, numbers = parts_here()
    files = os.scandir(os.path.join(OUT, numbers[1]))
    largest = max((f for f in files if f.is_file()), key=lambda f: f.stat().st_size).name
    never("broken", said, numbers, largest + " cannot be read: Input/output error",
          {"LD_PRELOAD": BUILD + "/libbroken-read.so", "BROKEN_READ": numbers[1] + "/" + largest})


def test_facts():
    """What cannot be read of them is told, and the part stays."""
    said = record("127.0.0.1:%d" % free_port(), 5000, "--wait", "0.3")[1]
    fact = OUT + "/000001/info/programs"
    os.rename(fact, fact + ".away")
    os.symlink(fact + ".away", fact)
    r = Receiver()
    os.mkdir(OUT + "/000001/info/sent-without")
    status, told = send(r.to)
    check("facts: where that cannot be kept in mind, it is not sent", status == 1 and not recordings() and
          "info/sent-without cannot be written" in told, told)
    os.rmdir(OUT + "/000001/info/sent-without")
    status, told = send(r.to, "--remove")
    check("facts: exit status, and which", status == 1 and
          "000001: sent without info/programs, which cannot be read: Too many" in told and
          "1 part was sent without all facts, and stays here" in told, told)
    check("facts: it stays", os.path.exists(OUT + "/000001/metadata"))
    same("facts: the rest is sent", (0, recorded(said)),
         (lambda s, row: (s, row["records"]))(*report(recordings()[0])))
    os.unlink(fact)
    os.rename(fact + ".away", fact)
    status, told = send(r.to, "--remove")
    check("facts: what can be read later is not removed: the receiver lacks it", status == 1 and
          "000001: was sent without all facts before" in told and os.path.exists(fact), told)
    r.end()


def test_disk_full():
    """As above, where the disk is the limit: a file system of its own, in a user namespace."""
    os.makedirs(STORE, exist_ok=True)
    port = free_port()
    status, said = record("127.0.0.1:%d" % port, 5000, "--wait", "0.3")
    script = "mount -t tmpfs -o size=20M none %s && exec %s receive -o %s -l 127.0.0.1:%d" % (STORE, FT, STORE, port)
    with subprocess.Popen(["unshare", "-rm", "sh", "-c", "exec 2>&1; " + script],
                          stdout=subprocess.PIPE, text=True) as r:
        line = r.stdout.readline()
        if "receiving" not in line:
            r.kill()
            print("skip disk full: no file system of our own: " + line.strip())
            return
        subprocess.run(["nsenter", "-t", str(r.pid), "-U", "-m", "--preserve-credentials", "sh", "-c",
                        "head -c 12M /dev/zero >%s/filler" % STORE], check=False,
                       stderr=subprocess.DEVNULL)
        status, said = send("127.0.0.1:%d" % port, "--wait", "0.5")
        check("disk full: it is refused", status == 1 and "its disk is full" in said, said)
        r.terminate()
    check("disk full: the sender has it", os.path.exists(OUT + "/000001/metadata"))


# --- who makes no sense ----------------------------------------------------------

def test_nonsense():
    r = Receiver("--part-max", "2M")
    session = b"recording\t%s\npart\t1\nended\tx\n" % ID
    size = len(session) + 1
    large = session + b"command\t" + b"x" * (1 << 20)
    good = file(b"metadata", 1) + frame(DATA, b"m") + file(b"info/session", len(session)) + \
        frame(DATA, session) + frame(END)
    for name, data, answers in (
            ("no frames at all", b"GET / HTTP/1.1\r\n\r\n" + b"x" * 100, [REFUSED]),
            ("nothing", b"", []),
            ("a part without a greeting", part(), [REFUSED]),
            ("another version", frame(HELLO, struct.pack("<II", 2, 0)), [REFUSED]),
            ("a greeting that is too long", frame(HELLO, b"x" * 9), [REFUSED]),
            ("a frame that is too long", hello + frame(PART, b"", length=65537), [GO, REFUSED]),
            ("a sum that is wrong", hello + frame(PART, b"x" * 104, total=1), [GO, REFUSED]),
            ("half a frame", hello + part()[:50], [GO]),
            ("host ..", hello + part(host=b".."), [GO, REFUSED]),
            ("host a/b", hello + part(host=b"a/b"), [GO, REFUSED]),
            ("host without an end", hello + part(host=b"h" * 64), [GO, REFUSED]),
            ("no host", hello + part(host=b""), [GO, REFUSED]),
            ("host .incoming", hello + part(host=b".incoming"), [GO, REFUSED]),
            ("recording ..", hello + part(recording=b".."), [GO, REFUSED]),
            ("recording too long", hello + part(recording=ID + b"/x"), [GO, REFUSED]),
            ("part 0", hello + part(number=0), [GO, REFUSED]),
            ("part 4 billion", hello + part(number=0xffffffff), [GO, REFUSED]),
            ("too many files", hello + part(files=1 << 20), [GO, REFUSED]),
            ("too large", hello + part(size=1 << 62), [GO, REFUSED]),
            ("file ../x", hello + part() + file(b"../x", 1), [GO, GO, REFUSED]),
            ("file /etc/passwd", hello + part() + file(b"/etc/passwd", 1), [GO, GO, REFUSED]),
            ("file info/../../x", hello + part() + file(b"info/../../x", 1), [GO, GO, REFUSED]),
            ("file cpu1/../x", hello + part() + file(b"cpu1/../x", 1), [GO, GO, REFUSED]),
            ("file cpu01", hello + part() + file(b"cpu01", 1), [GO, GO, REFUSED]),
            ("file .bashrc", hello + part() + file(b".bashrc", 1), [GO, GO, REFUSED]),
            ("a file that is longer than all", hello + part() + file(b"cpu0", 7), [GO, GO, REFUSED]),
            ("a file twice", hello + part() + file(b"cpu0", 0) + file(b"cpu0", 0), [GO, GO, REFUSED]),
            ("a file more", hello + part(files=1) + file(b"cpu0", 0) + file(b"cpu1", 0), [GO, GO, REFUSED]),
            ("a file within another", hello + part() + file(b"cpu0", 2) + file(b"cpu1", 0), [GO, GO, REFUSED]),
            ("data without a file", hello + part() + frame(DATA, b"x"), [GO, GO, REFUSED]),
            ("data that is too much", hello + part() + file(b"cpu0", 2) + frame(DATA, b"xxx"), [GO, GO, REFUSED]),
            ("an end that is too early", hello + part() + file(b"cpu0", 2) + frame(END), [GO, GO, REFUSED]),
            ("no trace", hello + part(files=1, size=0) + file(b"cpu0", 0) + frame(END), [GO, GO, REFUSED]),
            ("a link to nothing", hello + part(files=1, size=0) + file(b"info/kallsyms", 5, 1) + frame(END),
             [GO, GO, REFUSED]),
            ("a session file that is too large", hello + part(size=len(large) + 1) + file(b"metadata", 1) +
             frame(DATA, b"m") + file(b"info/session", len(large)) + b"".join(
                 frame(DATA, large[at:at + 65536]) for at in range(0, len(large), 65536)) + frame(END),
             [GO, GO, REFUSED]),
            ("a part of another name", hello + part(number=2, size=size) + good, [GO, GO, REFUSED]),
            ("a frame of no kind", hello + part() + frame(99), [GO, GO, REFUSED]),
            ("silence in the middle", hello + part() + file(b"cpu0", 2) + frame(DATA, b"x"), [GO, GO])):
        same("nonsense: " + name, answers, talk(r.port, data))
    wait_until(lambda: not half_made())
    same("nonsense: nothing of it stays", [".incoming"], os.listdir(STORE))
    same("nonsense: nothing is half-made", [], half_made())
    same("nonsense: and then a good one", [GO, GO, HAVE], talk(r.port, hello + part(size=size) + good))
    same("nonsense: which is known", [GO, HAVE], talk(r.port, hello + part(size=size)))
    same("nonsense: it has its place", ["info", "metadata"],
         sorted(os.listdir(STORE + "/host/" + ID.decode() + "/000001")))
    same("nonsense: the receiver has survived", 0, r.end())


def test_many():
    """More senders than places: the others wait."""
    r = Receiver("--senders", "2")
    idle = [socket.create_connection(("127.0.0.1", r.port)) for _ in range(2)]
    done = {}
    t = threading.Thread(target=lambda: done.update(got=record(r.to, 5000)))
    t.start()
    wait_until(lambda: os.path.exists(OUT + "/info/parts"))
    for s in idle:
        s.close()
    t.join()
    same("many: a place becomes free", 0, done["got"][0])
    r.end()


# --- encrypted -------------------------------------------------------------------

def openssl(*args):
    subprocess.run(["openssl", *args], check=True, cwd=WORK, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def certificates():
    for ca in "ca", "other":
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                "2", "-subj", "/CN=" + ca, "-keyout", ca + ".key", "-out", ca + ".pem")
    for who, name in ("here", "IP:127.0.0.1"), ("there", "DNS:there"):
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=" + who,
                "-addext", "subjectAltName=" + name, "-keyout", who + ".key", "-out", who + ".csr")
        openssl("x509", "-req", "-in", who + ".csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                "-days", "2", "-copy_extensions", "copy", "-out", who + ".pem")


def test_tls():
    if not shutil.which("openssl"):
        print("skip tls: no openssl: run scripts/setup test")
        return
    certificates()
    pem = {name: os.path.join(WORK, name) for name in os.listdir(WORK)}
    ours = ["--tls-cert", pem["there.pem"], "--tls-key", pem["there.key"]]
    r = Receiver("--tls-cert", pem["here.pem"], "--tls-key", pem["here.key"])
    status, said = record(r.to, 5000, "--tls-ca", pem["ca.pem"])
    same("tls: it arrives", (0, recorded(said)),
         (lambda s, row: (s, row["records"]))(*report(recordings()[0])))
    record("127.0.0.1:%d" % free_port(), 5000, "--wait", "0.3")
    status, said = send(r.to, "--wait", "0.5", "--tls-ca", pem["other.pem"])
    check("tls: a receiver that nobody vouches for", status == 1 and "TLS: " in said, said)
    status, said = send(r.to.replace("127.0.0.1", "localhost"), "--wait", "0.5", "--tls-ca", pem["ca.pem"])
    check("tls: a certificate of another name", status == 1 and "TLS: " in said, said)
    status, said = send(r.to, "--wait", "0.5")
    same("tls: a sender without it", 1, status)
    same("tls: nothing more has come", 1, len(recordings()))
    r.end()
    r = Receiver("--tls-cert", pem["here.pem"], "--tls-key", pem["here.key"], "--tls-ca", pem["ca.pem"])
    status, said = send(r.to, "--wait", "0.5", "--tls-ca", pem["ca.pem"])
    same("tls: a sender without a certificate", (1, []), (status, recordings()))
    same("tls: a sender with one", 0, send(r.to, "--tls-ca", pem["ca.pem"], *ours)[0])
    same("tls: what it sent is there", 1, len(recordings()))
    r.end()


class Client:
    """Speaks TLS by hand: the bytes go as the test likes."""

    def __init__(self, port, ca):
        self.socket = socket.create_connection(("127.0.0.1", port), 60)
        self.come, self.go = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = ssl.create_default_context(cafile=ca).wrap_bio(self.come, self.go, server_hostname="127.0.0.1")

    def do(self, what, *args):
        while True:
            try:
                return what(*args)
            except ssl.SSLWantReadError:
                self.socket.sendall(self.go.read())
                self.come.write(self.socket.recv(65536))
            finally:
                self.socket.sendall(self.go.read())


def dripped(s, data):
    """A byte a second. Return: was the connection closed meanwhile?"""
    s.settimeout(1)
    for at in range(60):
        try:
            s.sendall(data[at:at + 1])
            if not s.recv(65536):
                return True
        except TimeoutError:
            pass
        except OSError:
            return True
    return False


def test_drips():
    """However little comes at a time: a frame has its time, and so has what encrypts it."""
    if not shutil.which("openssl"):
        print("skip drips: no openssl: run scripts/setup test")
        return
    certificates()
    pem = {name: os.path.join(WORK, name) for name in os.listdir(WORK)}
    r = Receiver("--tls-cert", pem["here.pem"], "--tls-key", pem["here.key"])
    shaking, shaken = (Client(r.port, pem["ca.pem"]) for _ in range(2))
    try:
        shaking.tls.do_handshake()
    except ssl.SSLWantReadError:
        pass
    shaken.do(shaken.tls.do_handshake)
    shaken.do(shaken.tls.write, hello)
    same("drips: it is greeted", frame(GO), shaken.do(shaken.tls.read, 24))
    shaken.tls.write(part())
    done = {}
    threads = [threading.Thread(target=lambda n=name, c=client: done.update({n: dripped(c.socket, c.go.read())}))
               for name, client in (("a handshake", shaking), ("a record", shaken))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for name, closed in sorted(done.items()):
        check("drips: %s has its time" % name, closed, r.said())
    r.end()


# --- bad arguments ---------------------------------------------------------------

def test_bad():
    for options, reason in (
            (["--to", "nowhere"], "HOST:PORT"),
            (["--to", "x:"], "HOST:PORT"),       # what ft send finds, before the command runs
            (["--to", "x:1", "--tls-ca", "no"], "no: "),
            (["--to", "x:1", "--spool", "1M"], "8M at least"),
            (["--to", "x:1", "--spool", "8M", "--rotate", "2M"], "an eighth of --spool"),
            (["--to", "x:1", "--rotate", "1s", "--keep", "2"], "--keep and --to exclude"),
            (["--to", "x:1", "--wait", "soon"], "not a number of seconds"),
            (["--to", "x:1", "--flight"], "exclude each other"),
            (["--to", "x:1", "--tls-cert", "c"], "belong together"),
            (["--to", "x:1", "--tls-cert", "c", "--tls-key", "k"], "needs --tls-ca"),
            (["--spool", "8M"], "need --to"), (["--tls-ca", "c"], "need --to")):
        done = subprocess.run([FT, "run", "-e", "*", *options, "--", "true"], stderr=subprocess.PIPE,
                              check=False, text=True, cwd=WORK, timeout=60)
        check("bad: run " + " ".join(options), done.returncode == 125 and reason in done.stderr,
              done.stderr)
    os.makedirs(WORK + "/trace/info", exist_ok=True)
    open(WORK + "/trace/metadata", "w", encoding="utf-8").close()
    for command, status, reason in (
            (["receive", "-o", "trace"], 1, "inside of the trace"),
            (["receive", "-o", "trace/sub"], 1, "inside of the trace"),
            (["receive"], 2, "-o DIR"),
            (["receive", "-o", "x", "--senders", "0"], 2, "must be 1 to"),
            (["receive", "-o", "x", "--listen", "x"], 2, "ADDRESS:PORT"),
            (["receive", "-o", "x", "--tls-ca", "c"], 2, "needs --tls-cert"),
            (["receive", "-o", "x", "--tls-key", "c"], 2, "belong together"),
            (["receive", "-o", "x", "--tls-key", "no", "--tls-cert", "no"], 1, "no, no: "),
            (["receive", "-o", "/proc/x"], 1, "cannot make the directory"),
            (["receive", "-o", "x", "-l", "192.0.2.1:1"], 1, "cannot listen at"),
            (["send", "x"], 2, "where to"),
            (["send", WORK, "x"], 2, "HOST:PORT"),
            (["send", WORK + "/no", "x:1"], 1, "cannot open the directory"),
            (["send", WORK, "127.0.0.1:1"], 1, "is not a rotated recording")):
        done = subprocess.run([FT, *command], stderr=subprocess.PIPE, check=False, text=True, cwd=WORK,
                              stdin=subprocess.DEVNULL, timeout=60)
        check("bad: " + " ".join(command[:3]), done.returncode == status and reason in done.stderr,
              "%d %s" % (done.returncode, done.stderr))


TESTS = [test_all,
         test_late,
         test_full,
         test_gap,
         test_goes_away,
         test_slow,
         test_vanishes,
         test_twice,
         test_at_once,
         test_answer_lost,
         test_session_lost,
         test_next_lost,
         test_killed,
         test_room,
         test_never,
         test_broken,
         test_facts,
         test_disk_full,
         test_nonsense,
         test_many,
         test_tls,
         test_drips,
         test_bad]


main(TESTS)
