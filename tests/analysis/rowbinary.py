# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft export -f clickhouse: its rows, taken apart as its schema says, are those of ft sql."""

import datetime
import json
import os
import re
import struct
import subprocess

from case_limits import CASES as LIMITS
from case_waits import CASES as WAITING
from cases import CASES
from exports import machine
from gen_trace import Trace
from sql import ask, hold

ROWBINARY = []
TABLES = ["sections", "waits", "records", "trace"]
ORIGIN = ["host", "boot_id", "kernel_release"]
BOOT = "5a3b0a3e-0a5c-4e0f-8d0b-111213141516"
NUMBERS = {"Int32": "<i", "UInt64": "<Q", "Int64": "<q", "Float64": "<d",
           "DateTime64(9, 'UTC')": "<q"}


def rowbinary(f):
    ROWBINARY.append(f)
    return f


def schema(test, server="clickhouse"):
    """{table: [(column, type)]}"""
    text = test.ft("export", "--schema", server).stdout
    return {table: re.findall(r"^\t(\w+) (.*?),?$", columns, re.M) for table, columns in
            re.findall(r"^CREATE TABLE IF NOT EXISTS (\w+) \((.*?)^\)", text, re.M | re.S)}


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        if self.at + n > len(self.data):
            raise ValueError("the rows end within one")
        self.at += n
        return self.data[self.at - n:self.at]

    def length(self):
        n = shift = 0
        while True:
            byte, = self.take(1)
            n |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return n

    def value(self, kind):
        inner = re.fullmatch(r"(Nullable|LowCardinality)\((.*)\)", kind)
        if inner and inner[1] == "Nullable":
            null, = self.take(1)
            if null not in (0, 1):
                raise ValueError("%d says whether a value is NULL" % null)
            return None if null else self.value(inner[2])
        if inner:
            return self.value(inner[2])
        if kind == "String":
            return self.take(self.length()).decode("utf-8", "surrogateescape")
        if kind == "UUID":
            text = (self.take(8)[::-1] + self.take(8)[::-1]).hex()
            return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
        return struct.unpack(NUMBERS[kind], self.take(struct.calcsize(NUMBERS[kind])))[0]


def decode(data, columns):
    data, out = Bytes(data), []
    while data.at < len(data.data):
        out.append({name: data.value(kind) for name, kind in columns})
    return out


def written(test, path, table, *args, status=(0, 3)):
    r = subprocess.run([test.program, "export", "-f", "clickhouse", "--table", table, *args,
                        path], capture_output=True, timeout=120, check=False)
    if r.returncode not in status:
        raise ValueError("exit status %d: %s" % (r.returncode, r.stderr))
    return r.stdout


def date(text):
    if not text:
        return None
    seconds, ns = text[:-1].split(".")
    since = datetime.datetime.fromisoformat(seconds) - datetime.datetime(1970, 1, 1)
    at = (since.days * 86400 + since.seconds) * 10**9 + int(ns)
    return at if at < 2**63 else None


def symbols(trace):
    trace.file("info/kallsyms", "ffffffff81001000 T f\n")
    return trace


def of_sql(row, columns, trace):
    """A row of ft sql, as it is to be here."""
    row = dict(row, trace=trace["uuid"] or "-".join("0" * n for n in (8, 4, 4, 4, 12)))
    for name, kind in columns:
        if name in ORIGIN:
            row[name] = trace[name]
        if name in ("lock", "site", "holder_site"):
            row[name] = int(row[name], 16) if row[name] else None
        if "DateTime64" in kind:
            row[name] = date(row[name])
        if "String" in kind:
            row[name] = row[name] or ""
    return {name: row[name] for name, _ in columns}


def same_rows(test, path, *args):
    bad, tables = [], schema(test)
    trace, = ask(test, path, "select * from trace")
    for table in TABLES:
        want = [of_sql(row, tables[table], trace)
                for row in ask(test, *args, path, "select * from " + table)]
        have = list(decode(written(test, path, table, *args), tables[table]))
        if have != want:
            bad.append("%s %s: %d rows, not %d" % (table, args, len(have), len(want)))
            bad += ["%s: %s, not %s" % (key, h[key], w[key]) for h, w in zip(have, want)
                    for key in w if h[key] != w[key]][:3]
    return bad


@rowbinary
def rows_as_in_sql(test):
    bad = []
    for seed in range(3):
        trace = machine(seed, 0.01 * (seed % 2))[1]
        trace.file("info/session", "host\tbox%d\nkernel_release\t6.1.%d\nboot_id\t%s\n"
                   % (seed, seed, BOOT))
        trace.file("info/tasks", "1\tone\n2\ttwo\n")
        path = trace.write(test.path("rows"))
        bad += same_rows(test, path)
        bad += same_rows(test, path, "--family", "spin,mutex", "--cpu", "0")
    return bad


@rowbinary
def rows_of_cases(test):
    bad = []
    for make in CASES + WAITING + LIMITS:
        bad += ["%s: %s" % (make.__name__, line)
                for line in same_rows(test, make()[0].write(test.path("rows")))]
    return bad


@rowbinary
def long_rows(test):
    """More than what is written at once; a text that is longer than that; times without a
    wall clock's."""
    t = symbols(Trace(freq=2399987654, events=[(400, "sched", "int64_t _prio", "uint64_t _n")],
                      offset_s=0))
    for i in range(3000):
        hold(t, 1000 + 100 * i, 10 + i % 50, lock=0xffff888000000000 + 64 * (i % 700))
    t.cpu(0).add(2 * 10**6, 400, 7, 2**64 - 3, 2**63)
    t.cpu(0).add(2 * 10**6 + 1, 999, 7, 0, 2**64 - 1)
    t.file("info/session", "host\tbox\ncommand\t%s\nboot_id\tno-uuid\n" % ("sleep \u00e4" * 60000))
    path = t.write(test.path("rows"))
    trace, = decode(written(test, path, "trace"), schema(test)["trace"])
    bad = [] if trace["boot_id"] is None else ["what is no UUID is one"]
    with open(os.path.join(path, "info", "session"), "a+", encoding="utf-8") as f:
        f.seek(0)
        text = f.read().replace("no-uuid", BOOT)
        f.truncate(0)
        f.write(text)
    return bad + same_rows(test, path)


@rowbinary
def tables_in_a_directory(test):
    """All at once are the same as each on its own, and nothing is replaced."""
    path, bad = symbols(WAITING[0]()[0]).write(test.path("rows")), []
    to = test.path("tables")
    r = test.ft("export", "-f", "clickhouse", "-o", to, path)
    if r.returncode not in (0, 3) or r.stderr:
        bad.append("exit status %d: %s" % (r.returncode, r.stderr))
    if sorted(os.listdir(to)) != sorted(table + ".rowbinary" for table in TABLES):
        bad.append("files: %s" % os.listdir(to))
    for table in TABLES:
        with open(os.path.join(to, table + ".rowbinary"), "rb") as f:
            if f.read() != written(test, path, table):
                bad.append("%s: not as on its own" % table)
    for args, word in ((("-o", to), "exists"), (("-o", "/no/such/dir/x"), "No such file"),
                       (("-o", os.path.join(path, "x")), "inside"),
                       (("--table", "waits", "-o", os.path.join(path, "x")), "inside"),
                       (("--table", "waits", "-o", "/no/such/dir/x"), "No such file"),
                       (("--table", "trace", "-o", "/dev/full"), "/dev/full")):
        r = test.ft("export", "-f", "clickhouse", *args, path)
        if r.returncode != 1 or word not in r.stderr:
            bad.append("%s: %d: %s" % (args, r.returncode, r.stderr))
    return bad


@rowbinary
def outputs_that_fail(test):
    """A full disk is an error; a reader that goes away is none."""
    t, bad = symbols(Trace()), []
    for i in range(6000):
        hold(t, 1000 + 100 * i, 10)
    path = t.write(test.path("rows"))
    command = [test.program, "export", "-f", "clickhouse", "--table", "records", path]
    with open("/dev/full", "wb") as full:
        r = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
                           timeout=120)
    if r.returncode != 1 or "cannot write the output: No space" not in r.stderr:
        bad.append("a full disk: %d: %s" % (r.returncode, r.stderr))
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as ft:
        ft.stdout.read(100)
        ft.stdout.close()
        said = ft.stderr.read()
    if ft.returncode or said:
        bad.append("a reader that ends: %d: %s" % (ft.returncode, said))
    return bad


@rowbinary
def traces_that_are_damaged(test):
    """What was lost, and what could not be read, is the exit status."""
    t = Trace(per_packet=2)
    hold(t, 1000, 50)
    t.cpu(0).lose(4)
    hold(t, 2000, 50)
    path, bad = t.write(test.path("rows")), []
    columns = schema(test)["sections"]
    if len(decode(written(test, path, "sections", status=(3,)), columns)) != 2:
        bad.append("not two sections beside a loss")
    with open(os.path.join(path, "cpu0"), "r+b") as f:
        f.seek(-32 * 2 - 96, 2)
        f.write(b"\xff" * 8)
    if len(decode(written(test, path, "sections", status=(1,)), columns)) != 1:
        bad.append("not one section before the damage")
    t = Trace()
    hold(t, 1000, 50)
    path = t.write(test.path("rows"))
    with open(os.path.join(path, "metadata"), "r+", encoding="utf-8") as f:
        text = re.sub("\tuuid = .*\n", "", f.read(), count=1)
        f.seek(0)
        f.truncate()
        f.write(text)
    r = test.ft("export", "-f", "clickhouse", "--table", "trace", "-o", "/dev/null", path)
    if "no UUID" not in r.stderr:
        bad.append("a trace without UUID: %d: %s" % (r.returncode, r.stderr))
    return bad


@rowbinary
def schemas(test):
    """Of both kinds of server: the same columns; what NULL may be; the sort keys."""
    new, old, bad = schema(test), schema(test, "clickhouse-18"), []
    t = Trace()
    hold(t, 1000, 50)
    path = t.write(test.path("rows"))
    if list(new) != TABLES:
        bad.append("tables: %s" % list(new))
    for table in TABLES:
        plain = [(name, kind.replace("LowCardinality(String)", "String")
                  .replace("DateTime64(9, 'UTC')", "Int64")) for name, kind in new[table]]
        if plain != old[table]:
            bad.append("%s differs: %s" % (table, old[table]))
        want = [name for name, _ in new[table]]
        have = [r["name"] for r in json.loads(test.ft(
            "sql", "--json", path,
            "select name from pragma_table_info('%s')" % table).stdout)]
        if table != "trace":
            have[1:1] = ORIGIN
        if have != want:
            bad.append("%s: columns %s, not those of ft sql: %s" % (table, want, have))
        key = re.search(r"TABLE IF NOT EXISTS %s .*?ORDER BY \((.*?)\)" % table,
                        test.ft("export", "--schema", "clickhouse").stdout, re.S)[1].split(", ")
        bad += ["%s is sorted by %s: %s" % (table, k, dict(new[table]).get(k)) for k in key
                if "Nullable" in dict(new[table]).get(k, "Nullable")]
    return bad


@rowbinary
def rowbinary_usage(test):
    t, bad = Trace(), []
    hold(t, 1000, 50)
    path = t.write(test.path("rows"))
    for args, status, words in (
            (["-f", "clickhouse", path], 2, ["which table", "-o DIR"]),
            (["-f", "clickhouse", "--table", "locks", path], 2, ["--table", "'locks'"]),
            (["-f", "csv", "--table", "waits", path], 2, ["--table is for --format clickhouse"]),
            (["-f", "clickhous", path], 2, ["clickhouse"]),
            (["-f", "clickhouse", "--table", "waits"], 2, ["which trace"]),
            (["--schema", "mysql"], 2, ["--schema", "'mysql'"]),
            (["-f", "clickhouse", "--table", "waits", "/no/such/trace"], 1, ["/no/such/trace"]),
            (["-f", "clickhouse", "--table", "waits", "--cpu", "77", path], 1, ["77"]),
            (["--schema", "clickhouse"], 0, [])):
        r = test.ft("export", *args)
        bad += ["%s: exit status %d: %s" % (args, r.returncode, r.stderr)
                for word in words or [""] if word not in r.stderr or r.returncode != status]
    return bad
