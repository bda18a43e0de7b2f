# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft sql: its rows are those of the other commands, and a query can only read."""

import json
import os
import random
import sqlite3
import subprocess
from decimal import Decimal

from case_waits import CASES as WAITING
from cases import CASES
from exports import differ, machine, rows, run
from gen_trace import MUTEX, Trace
from simulate import Machine

SQL = []


def sql(f):
    SQL.append(f)
    return f


def ask(test, *args, status=(0, 3)):
    """Objects of one statement."""
    r = test.ft("sql", "--json", *args)
    if r.returncode not in status:
        raise ValueError("exit status %d: %s" % (r.returncode, r.stderr))
    return json.loads(r.stdout)


def one(test, *args, status=(0, 3)):
    """The values of the only row."""
    row, = ask(test, *args, status=status)
    return tuple(row.values())


def hold(t, at, length, lock=0xa0, tid=5, family="spin", site=0x1000):
    t.acquire(at, 0, tid, family, lock, site)
    t.release(at + length, 0, tid, family, lock, site)


def of_csv(row):
    """What ft sql says of a section that is this row of ft export."""
    number = {key: int(row[key]) for key in (
        "tid", "depth_spinning", "depth_sleeping", "depth_both", "depth_program")}
    return dict({key: value or None for key, value in row.items()}, **number,
                cpu=int(row["cpu"]) if row["cpu"] else None, length_ns=float(row["length_ns"]),
                start_ns=int(Decimal(row["start_ns"])), end_ns=int(Decimal(row["end_ns"])))


def as_exported(test, path, *args):
    """Each section, each column, in the same order."""
    want = [of_csv(row) for row in rows(run(test, "csv", path, *args))]
    have = ask(test, *args, path, "select * from sections")
    if [{key: r[key] for key in want[0]} for r in have] != want if want else have:
        return ["%s: sections are not those of ft export" % (args,)] + differ(
            "sections", [json.dumps({k: r[k] for k in w}) for r, w in zip(have, want)],
            [json.dumps(w) for w in want])
    return []


@sql
def sections_as_exported(test):
    bad = []
    for seed in range(4):
        path = machine(seed, 0.01 * (seed % 2))[1].write(test.path("sql"))
        bad += as_exported(test, path)
    for make in CASES:
        if make.__name__ not in ("huge_times", "huge_sums"):    # beyond what SQL's numbers hold
            bad += as_exported(test, make()[0].write(test.path("sql")))
    return bad


@sql
def rows_selected(test):
    """The same as those of the commands that select sections, waits and records."""
    path, bad = machine(2, 0)[1].write(test.path("sql")), []
    every, = one(test, path, "select count(*) from sections")
    for args in (["--family", "spin,rwsem_*"], ["--cpu", "0,2"], ["--cpu", "1-2"],
                 ["--from", "0.00001"], ["--to", "0.00002", "--cpu=1"],
                 ["--task", "3"]):
        bad += as_exported(test, path, *args)
        have, = one(test, *args, path, "select count(*) from sections")
        if have in (0, every):
            bad.append("%s: nothing was tested" % args)
        dumped = test.ft("dump", "--raw", "--tsv", *args, path).stdout.count("\n") - 1
        have, = one(test, *args, path, "select count(*) from records")
        if have != dumped:
            bad.append("%s: %d records, not the %d of ft dump" % (args, have, dumped))
    return bad


@sql
def sums_as_reported(test):
    """Sections and waits by family: how many, and how long all together."""
    bad, some = [], 0
    for make in WAITING:
        path = make()[0].write(test.path("sql"))
        report = json.loads(test.ft("report", "--json", "--top", "0", path).stdout)
        want = {r["row"]: r for r in report["family"]}
        for table, prefix in (("sections", ""), ("waits", "wait_")):
            for row in ask(test, path, "select family, count(*) as n, sum(length_ns) as sum "
                           "from %s group by family" % table):
                r = want[row["family"]]
                if r.get(prefix + "total_saturated"):
                    continue
                if (r[prefix + "count"], Decimal(str(r[prefix + "total_ns"]))) != \
                        (row["n"], Decimal("%.3f" % row["sum"])):
                    bad.append("%s: %s: %s, not %s" % (make.__name__, table, row, r))
                some += table == "waits"
    return bad + ["nothing was tested"] * (not some)


@sql
def who_waited(test):
    """Who waited where for whom."""
    t = Trace(events=[(300, "contention_begin", "word_t _lock", "uint64_t _flags"),
                      (301, "contention_end", "word_t _lock", "int64_t _ret")])
    t.acquire(1000, 0, 5, "mutex", 0xa0, site=0x1111)
    t.wait(1100, 1, 6, 0xa0, MUTEX)
    t.release(1400, 0, 5, "mutex", 0xa0)
    t.waited(1500, 1, 6, 0xa0)
    t.acquire(1510, 1, 6, "mutex", 0xa0, site=0x2222)
    t.release(1600, 1, 6, "mutex", 0xa0)
    t.file("info/tasks", "5\tholder\n6\twaiter\n")
    path = t.write(test.path("sql"))
    row, = ask(test, path, "select * from waits")
    want = {"trace": 1, "start_ns": 100, "end_ns": 500, "length_ns": 400.0, "family": "mutex",
            "lock": "0xa0", "site": "0x2222", "cpu": 1, "tid": 6, "task": "waiter",
            "context": "task", "holder_site": "0x1111", "holder_tid": 5,
            "holder_task": "holder", "holder_family": "mutex"}
    bad = ["%s is %r, not %r" % (key, row[key], value)
           for key, value in want.items() if row[key] != value]
    for args, n in ((["--task", "6"], 1), (["--task", "5"], 0), (["--lock", "0xa0"], 1),
                    (["--to", "1e-7"], 0), (["--family", "spin"], 0)):
        if one(test, *args, path, "select count(*) from waits") != (n,):
            bad.append("%s: not %d waits" % (args, n))
    return bad


@sql
def words_and_fields(test):
    t = Trace(events=[(400, "sched", "int64_t _prio", "uint64_t _n")])
    hold(t, 1000, 50)
    t.cpu(0).add(2000, 400, 7, 2**64 - 3, 2**63)
    t.cpu(0).add(3000, 999, 7, 2, 2**64 - 1)
    t.file("info/kallsyms", "ffffffff81001000 T f\n")
    path = t.write(test.path("sql"))
    have = ask(test, path, "select time_ns, tid, event, family, lock, site, a, b, fields "
               "from records")
    want = [
        (0, 5, "spin_acquire", "spin", "0xa0", "0x1000", 0xa0, 0x1000,
         {"lock": "0xa0", "caller": "0x1000"}),
        (50, 5, "spin_release", "spin", "0xa0", "0x1000", 0xa0, 0x1000,
         {"lock": "0xa0", "caller": "0x1000"}),
        (1000, 7, "sched", None, None, None, -3, -2**63, {"prio": -3, "n": 2**63}),
        (2000, 7, None, None, None, None, 2, -1, None)]
    bad = [] if [tuple(r.values())[:-1] for r in have] == [w[:-1] for w in want] else [str(have)]
    fields = [json.loads(r["fields"]) if r["fields"] else None for r in have]
    bad += [] if fields == [w[-1] for w in want] else [str(fields)]
    if one(test, path, "select json_extract(fields, '$.prio') from records where tid = 7 "
           "and fields is not null") != (-3,):
        bad.append("fields are not JSON for SQLite")
    return bad


@sql
def two_traces(test):
    paths = []
    for i in (1, 2):
        t = Trace(uuid=bytes([i]) * 16)
        for k in range(3 * i):
            hold(t, 1000 + 100 * k, 10 * i)
        t.file("info/session", "host\tbox%d\ncommand\tsleep %d\n" % (i, i))
        paths.append(t.write(test.path("sql%d" % i)))
    have = ask(test, *paths, "select host, count(*) as n, sum(length_ns) as sum, records "
               "from sections join trace using (trace) group by 1 order by 1")
    bad = [] if [tuple(r.values()) for r in have] == \
        [("box1", 3, 30.0, 6), ("box2", 6, 120.0, 12)] else [str(have)]
    have = ask(test, *paths, "select trace, uuid, path, command, lost from trace order by trace")
    want = [(i, "-".join(("0%d" % i) * n for n in (4, 2, 2, 2, 6)), path, "sleep %d" % i, 0)
            for i, path in enumerate(paths, 1)]
    return bad + ([] if [tuple(r.values()) for r in have] == want else [str(have)])


@sql
def quantiles(test):
    """The value at that rank, which is one of them."""
    t, lengths = Trace(), list(range(1, 101))
    random.Random(1).shuffle(lengths)
    for i, length in enumerate(lengths):
        hold(t, 1000 * i + 1000, length)
    path, bad = t.write(test.path("sql")), []
    for q, want in ((0, 1), (0.001, 1), (0.07, 7), (0.5, 50), (0.501, 51), (0.99, 99), (1, 100)):
        have = one(test, path, "select quantile(length_ns, %s) from sections" % q)
        if have != (want,):
            bad.append("quantile %s is %s, not %d" % (q, have, want))
    if one(test, path, "select quantile(length_ns, 0.5) from sections where cpu = 9") != (None,):
        bad.append("the quantile of nothing is something")
    big = "with x(n) as (values (9007199254740993), (9007199254740995), (null), (%s)) " \
        "select quantile(n, 0.4), typeof(quantile(n, 0.4)) from x"
    for last, want in (("9007199254740997", (9007199254740995, "integer")), ("1.5", (9007199254740992.0, "real")),
                       ("null", (9007199254740993, "integer"))):
        if one(test, path, big % last) != want:
            bad.append("integers with %s: %s" % (last, one(test, path, big % last)))
    for q in ("null", "nullif(1, 1)"):
        if one(test, path, "select quantile(length_ns, %s) from sections" % q) != (None,):
            bad.append("the quantile %s is something" % q)
    for q in ("2", "-0.1", "length_ns / 1000", "'half'", "nullif(length_ns, 7) / 1e6"):
        r = test.ft("sql", path, "select quantile(length_ns, %s) from sections" % q)
        if r.returncode != 1 or "from 0 to 1" not in r.stderr:
            bad.append("quantile(..., %s): %d: %s" % (q, r.returncode, r.stderr))
    return bad


@sql
def reals_are_exact(test):
    """What a program reads is the same number, so a query with it finds that value."""
    t = Trace(freq=2599999999)
    for i, length in enumerate((7, 100, 2600001)):
        hold(t, 10000 * i + 1000, length)
    path, bad = t.write(test.path("sql")), []
    for text in ("1.0/3", "2.0/3*1e9", "-1e300/7", "1e-300/7", "9007199254740993.0", "0.1+0.2",
                 "0.5", "1e300*1e10", "(select quantile(length_ns / 7, 0.5) from sections)",
                 "(select avg(length_ns) from sections)"):
        for form in "--tsv", "--csv", "--json":
            r = test.ft("sql", form, path, "select %s as x" % text)
            x = json.loads(r.stdout)[0]["x"] if form == "--json" else r.stdout.splitlines()[1]
            if form == "--json" and x is None:
                continue
            if one(test, path, "select x = %s, typeof(x) from (select %s as x)" % (
                    text, {"Inf": "9e999"}.get(str(x), x))) != (1, "real"):
                bad.append("%s %s: %s" % (form, text, x))
    have = test.ft("sql", "--csv", path, "select 0.1 as a, 50.0 as b, 1e22 as c").stdout
    return bad + ([] if have == "a,b,c\n0.1,50.0,1.0e+22\n" else [have])


@sql
def lost_is_status(test):
    """Lost records are the exit status; a damaged stream is an error, and what is before it
    there."""
    t = Trace(per_packet=2)
    hold(t, 1000, 50)
    t.cpu(0).lose(4)
    hold(t, 2000, 50)
    path, bad = t.write(test.path("sql")), []
    for query, want in (("select count(*) from sections", 2), ("select lost from trace", 4),
                        ("select count(*) from records", 4)):
        if one(test, path, query, status=(3,)) != (want,):
            bad.append("%s is not %d" % (query, want))
    with open(os.path.join(path, "cpu0"), "r+b") as f:
        f.seek(-32 * 2 - 96, 2)
        f.write(b"\xff" * 8)
    if one(test, path, "select count(*) from sections", status=(1,)) != (1,):
        bad.append("of a damaged trace not that is shown which can be read")
    return bad


@sql
def answers_printed(test):
    """For people, and three ways for programs; a statement after the other."""
    t = Trace()
    hold(t, 1000, 50)
    path, bad = t.write(test.path("sql")), []
    query = "select 1 as n, 'a,\"b\"' || char(10, 9, 27) as text, null as none;" \
        " -- nothing\nselect family, length_ns from sections; values (12345);"
    for args, want in (
            ([], 'n  text               none\n1  a,"b"\\x0a\\x09\\x1b  -\n\n'
             'family  length_ns\nspin         50.0\n\ncolumn1\n  12345\n'),
            (["--tsv"], 'n\ttext\tnone\n1\ta,"b"\\n\\t\\x1b\t\n\nfamily\tlength_ns\nspin\t50.0\n\n'
             'column1\n12345\n'),
            (["--csv"], 'n,text,none\n1,"a,""b""\n\t\x1b",\n\nfamily,length_ns\nspin,50.0\n\n'
             'column1\n12345\n'),
            (["--json"], '[\n  {"n": 1, "text": "a,\\"b\\"\\n\\u0009\\u001b", "none": null}\n]\n'
             '[\n  {"family": "spin", "length_ns": 50.0}\n]\n[\n  {"column1": 12345}\n]\n')):
        r = test.ft("sql", *args, path, query)
        if r.returncode or r.stderr:
            bad.append("%s: %d: %s" % (args, r.returncode, r.stderr))
        if r.stdout.replace("\\u000a", "\\n") != want:
            bad.append("%s: %r, not %r" % (args, r.stdout, want))
    # more rows than those whose width is looked at
    lines = test.ft("sql", path, "with recursive c(x) as (values (1) union all select x + 1 from c "
                    "where x < 3000) select x, x * x as square from c").stdout.splitlines()
    if [line.split() for line in lines[1:]] != [[str(x), str(x * x)] for x in range(1, 3001)]:
        bad.append("rows are missing among many")
    return bad


@sql
def text_with_nul(test):
    """NUL bytes are a part of their text, and shown."""
    t = Trace()
    hold(t, 1000, 50)
    path, bad = t.write(test.path("sql")), []
    query = "select 'a' || char(0, 0) || ',b' as x, char(0) as y"
    for args, want in (([], "x            y\na\\x00\\x00,b  \\x00\n"), (["--tsv"], "x\ty\na\\x00\\x00,b\t\\x00\n"),
                       (["--csv"], 'x,y\n"a\0\0,b",\0\n'),
                       (["--json"], '[\n  {"x": "a\\u0000\\u0000,b", "y": "\\u0000"}\n]\n')):
        have = test.ft("sql", *args, path, query).stdout
        if have != want:
            bad.append("%s: %r, not %r" % (args, have, want))
    return bad


@sql
def comment_first(test):
    """A query may begin with a comment; an option is one all the same."""
    t = Trace()
    hold(t, 1000, 50)
    path, bad = t.write(test.path("sql")), []
    for query in ("-- how many\nselect count(*) as n from sections", "--how many\nselect 1 as n",
                  "/* how many */ select 1 as n", "-- a\n-- b\n\tselect 1 as n -- c"):
        for args in ((path,), ("--cpu", "0", path), (path, "--")):
            if ask(test, *args, query) != [{"n": 1}]:
                bad.append("%s %s" % (args, query))
    for args, word in (((path, "--no-such"), "--no-such"), ((path, "-- nothing"), "empty"),
                       (("--task", "-- x\nselect 1"), "needs a value")):
        r = test.ft("sql", *args)
        if r.returncode != 2 or word not in r.stderr:
            bad.append("%s: %d: %s" % (args, r.returncode, r.stderr))
    return bad


@sql
def read_once_and_often(test):
    """What reads a table once has its rows from the trace, what reads it often from a table:
    the answers are the same."""
    path, bad = machine(4, 0)[1].write(test.path("sql")), []
    name = os.path.join(test.work, "often.db")
    if os.path.exists(name):
        os.unlink(name)
    for query in (
            "select rowid, * from sections", "select rowid, fields from records",
            "select cpu, count(*), (select count(*) from sections s where s.cpu = r.cpu) "
            "from records r group by cpu", "select distinct family from sections order by 1 desc",
            "select value, (select count(*) from sections where cpu = value) from json_each('[0,1,2]')",
            "select value, count(*) from json_each('[0,1,2]') left join sections on cpu = value group by 1",
            "select count(*) from sections union all select max(start_ns) from sections",
            "select max(n) from (select count(*) as n from sections group by tid having n > "
            "(select count(*) / 100 from sections))",
            "with x as materialized (select tid, length_ns from sections) select a.tid, sum(b.length_ns) "
            "from x a join x b using (tid) group by 1 order by 1",
            "with recursive c(x) as (values (0) union all select x + 1 from c where x < 3) "
            "select x, (select sum(tid) from sections where cpu = x) from c",
            "select max(site_symbol), min(class), max(task), group_concat(distinct lock) from sections",
            "select tid, sum(length_ns) over (partition by tid order by start_ns, end_ns, lock) "
            "from sections order by 1, start_ns, end_ns, lock"):
        want = ask(test, "-o", name, path, query)
        os.unlink(name)
        if ask(test, path, query) != want or not want:
            bad.append(query)
    t = Trace(per_packet=2)
    for i in range(50):
        hold(t, 1000 + 100 * i, 50)
    t.cpu(0).lose(4)
    hold(t, 20000, 50)
    path = t.write(test.path("lost"))
    # what is not asked for is read as well: something was lost there
    if one(test, path, "select start_ns from sections limit 1", status=(3,)) != (0,):
        bad.append("the first section")
    # nor if nothing is: a query that needs no row
    for query in ("select 1 from sections limit 0", "select count(*) from sections where null"):
        for of, status in ((path, 3), (test.path("none"), 1)):
            r = test.ft("sql", of, query)
            if r.returncode != status:
                bad.append("%s: %s: %d" % (query, of, r.returncode))
    r = test.ft("sql", "--json", path, test.path("none"), "select start_ns from sections")
    if r.returncode != 1 or r.stdout:
        bad.append("of two traces, one cannot be read: %d: %s" % (r.returncode, r.stdout[:100]))
    r = test.ft("sql", "--json", path, "select abs(-9223372036854775807 - (start_ns >= 0)) from sections")
    if r.returncode != 1 or r.stdout or r.stderr.count("integer overflow") != 1:
        bad.append("a row that fails: %d: %s %s" % (r.returncode, r.stdout, r.stderr))
    return bad


@sql
def bad_queries(test):
    t = Trace()
    hold(t, 1000, 50)
    path, bad = t.write(test.path("sql")), []
    for query, status, words in (
            ("select foo from sections", 2, ["no such column: foo", "line 1, column 8: 'foo from",
                                             "--schema"]),
            ("select 1;\n selekt 2", 2, ["syntax error", "line 2, column 2: 'selekt 2'"]),
            ("select * from section", 2, ["no such table: section", "--schema"]),
            ("select count(* from sections", 2, ["syntax error"]),
            ("select 'open", 2, ["unrecognized token"]),
            ("delete from sqlite_master", 2, ["may not be modified"]),
            ("update sqlite_schema set sql = ''", 2, ["may not be modified"]),
            (" ; -- nothing", 2, ["empty"]), ("", 2, ["empty"]),
            ("select abs(-9223372036854775808)", 1, ["integer overflow"])):
        r = test.ft("sql", path, query)
        bad += ["%s: no '%s': %s" % (query, word, r.stderr) for word in words
                if word not in r.stderr]
        if r.returncode != status or "ft: " not in r.stderr.replace(": ", ": ", 1):
            bad.append("%s: exit status %d: %s" % (query, r.returncode, r.stderr))
    return bad


@sql
def only_reads(test):
    """A query writes no file, and reads none but its own."""
    t = Trace()
    hold(t, 1000, 50)
    path, bad = t.write(test.path("sql")), []
    name, before = os.path.join(test.work, "written.db"), sorted(os.listdir(test.work))
    for query in ("attach '%s' as x" % name, "vacuum into '%s'" % name, "vacuum",
                  "create table t (x)", "create temp table t as select * from sections",
                  "insert into sections (trace) values (1)", "delete from sections",
                  "update trace set host = 'x'", "drop table waits", "begin", "savepoint s",
                  "pragma writable_schema = 1", "pragma temp_store_directory = '/'", "analyze",
                  "select load_extension('%s')" % name, "explain delete from waits",
                  "select 1; create view v as select 1",
                  "with x as (select 1) insert into sections (trace) select * from x"):
        r = test.ft("sql", path, query)
        if r.returncode != 2 or "only statements that read" not in r.stderr or r.stdout:
            bad.append("%s: %d: %s" % (query, r.returncode, r.stderr))
    for query in ("explain query plan select * from waits", "values (1)",
                  "select sql from sqlite_schema", "pragma table_info(sections)",
                  "select name from pragma_table_info('sections')",
                  "select value from json_each('[1]')",
                  "select sum(length_ns) over (partition by cpu) from sections"):
        r = test.ft("sql", path, query)
        if r.returncode or not r.stdout or r.stderr:
            bad.append("%s: %d: %s" % (query, r.returncode, r.stderr))
    return bad + differ("files", sorted(os.listdir(test.work)), before)


@sql
def joined_by_name(test):
    """SQLite does not say which columns USING and NATURAL compare: they are there all the same."""
    path, bad = machine(3, 0)[1].write(test.path("sql")), []
    n, = one(test, path, "select count(*) from sections")
    for query in ("sections join trace using (trace)", "sections natural join trace",
                  "SECTIONS s JOIN TRACE t USING(TRACE)"):
        have, = one(test, path, "select count(*) from " + query)
        if have != n:
            bad.append("%s: %d, not %d" % (query, have, n))
    want, = one(test, path, "select count(*) from sections s join waits w "
                "on s.lock = w.lock and s.tid = w.tid")
    have, = one(test, path, "select count(*) from sections s join waits w using (lock, tid)")
    if have != want or not want:
        bad.append("using (lock, tid): %d, not %d" % (have, want))
    return bad


@sql
def kept_database(test):
    """A database that is kept has all columns, and others read it."""
    path = Machine(3, cpus=3).run()[0].write(test.path("sql"))
    name, bad = os.path.join(test.work, "kept.db"), []
    if os.path.exists(name):
        os.unlink(name)
    want = ask(test, path, "select * from sections")
    have = ask(test, "-o", name, path, "select count(*) as n from sections")
    if have != [{"n": len(want)}]:
        bad.append("the query beside -o: %s" % have)
    db = sqlite3.connect(name)
    db.row_factory = sqlite3.Row
    if [dict(r) for r in db.execute("select * from sections")] != want:
        bad.append("sections of the file are not those of the trace")
    for table, n in (("trace", 1), ("records", 0)):
        if db.execute("select count(*) from " + table).fetchone()[0] != n:
            bad.append("not %d in %s" % (n, table))
    if db.execute("pragma integrity_check").fetchone()[0] != "ok":
        bad.append("the file is damaged")
    db.close()
    with open(name, "rb") as f:
        before = f.read()
    for args, word in (((name, path), "exists"), (("/no/such/file", path), "/no/such/file")):
        r = test.ft("sql", "-o", *args)
        if r.returncode != 1 or word not in r.stderr:
            bad.append("-o %s: %d: %s" % (args[0], r.returncode, r.stderr))
    with open(name, "rb") as f:
        if f.read() != before:
            bad.append("a file that was there has changed")
    os.unlink(name)
    # a mistake leaves no file
    for args, status in (((path, "selekt"), 2), ((path, "--cpu", "77"), 1),
                         ((test.path("none"), "select 1"), 1)):
        r = test.ft("sql", "-o", name, *args)
        if r.returncode != status or os.path.exists(name):
            bad.append("%s: %d: %s" % (args, r.returncode, r.stderr))
    # what SQLite would take for something else is a name
    for odd in ("file:" + os.path.basename(name), ":memory:"):
        r = test.ft("sql", "-o", odd, path, "select count(*) from sections", cwd=test.work)
        file = os.path.join(test.work, odd)
        if r.returncode or not os.path.getsize(file):
            bad.append("-o %s: %d: %s" % (odd, r.returncode, r.stderr))
        os.unlink(file)
    # nor does a signal, while the query runs: it has printed more than waits in a buffer
    endless = "select hex(zeroblob(20000)); " \
        "with recursive c(x) as (values(1) union all select x + 1 from c) select count(*) from c"
    with subprocess.Popen([test.program, "sql", "--tsv", "-o", name, path, endless],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as ft:
        ft.stdout.read(1)
        ft.terminate()
        said = ft.stderr.read()
    if ft.returncode != 1 or b"interrupted" not in said or os.path.exists(name):
        bad.append("SIGTERM: %d: %s" % (ft.returncode, said))
    if ask(test, "-o", name, path, "select count(*) as n from records")[0]["n"] == 0:
        bad.append("no records, though the query names them")
    os.unlink(name)
    return bad


@sql
def sql_usage(test):
    t, bad = Trace(), []
    hold(t, 1000, 50)
    path = t.write(test.path("sql"))
    for args, status, word in (
            ([], 2, "which trace"), (["select 1"], 2, "which trace"), ([path], 2, "which query"),
            (["--tsv", "--json", path, "select 1"], 2, "one of them"),
            ([path, path], 2, "which query"), (["/no/such/trace", "select 1 from sections"], 1,
                                               "/no/such/trace"),
            (["--family", "spim", path, "select 1"], 2, "'spin'"),
            (["--cpu", "5", path, "select 1"], 1, "no CPU 5 in this trace"),
            (["/no/such/trace", "select 1"], 1, "/no/such/trace"),
            ([path, "select 1"], 0, ""), (["--help"], 0, "")):
        r = test.ft("sql", *args)
        if r.returncode != status or word not in r.stderr:
            bad.append("%s: exit status %d: %s" % (args, r.returncode, r.stderr))
    schema = test.ft("sql", "--schema").stdout
    db = sqlite3.connect(":memory:")
    db.executescript(schema)
    if [r[0] for r in db.execute("select name from sqlite_master order by rowid")] != \
            ["sections", "waits", "records", "trace"]:
        bad.append("the schema: " + schema)
    # names are read where they are asked for alone
    for column, silent in (("lock", True), ("lock_symbol", False)):
        r = test.ft("sql", path, "select %s from sections" % column)
        if r.returncode or ("symbols" not in r.stderr) != silent:
            bad.append("%s: %s" % (column, r.stderr))
    return bad
