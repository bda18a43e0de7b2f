# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The traces of twenty hosts in two servers of ClickHouse, and the how-to's queries there: the
answers are those of ft sql, ft report and ft compare."""

import glob
import json
import os
import random
import re
import socket
import subprocess
import time
import urllib.error
import urllib.request

from exports import differ
from gen_trace import MUTEX, Trace
from rowbinary import TABLES
from sql import hold

SERVERS = []
TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
HOSTS, SECTIONS = 20, 300
OLD, NEW = "6.1.0-9", "6.1.0-10"
CONFIG = """<yandex>
<logger><level>warning</level><log>%(dir)s/log</log><errorlog>%(dir)s/errors</errorlog></logger>
<http_port>%(http)d</http_port><tcp_port>%(tcp)d</tcp_port><listen_host>127.0.0.1</listen_host>
<path>%(dir)s/data/</path><tmp_path>%(dir)s/tmp/</tmp_path><users_config>users.xml</users_config>
<mark_cache_size>8388608</mark_cache_size><default_profile>default</default_profile>
<default_database>default</default_database>
<remote_servers><fleet>%(shards)s</fleet></remote_servers></yandex>
"""
SHARD = "<shard><replica><host>127.0.0.1</host><port>%d</port></replica></shard>"
USERS = """<yandex><profiles><default><max_threads>1</max_threads>
<output_format_json_quote_64bit_integers>0</output_format_json_quote_64bit_integers></default></profiles>
<quotas><default/></quotas><users><default><password/><networks><ip>127.0.0.1</ip></networks>
<profile>default</profile><quota>default</quota></default></users></yandex>
"""


def free_ports(n):
    """That nobody has now."""
    taken = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [s.getsockname()[1] for s in taken]
    for s in taken:
        s.close()
    return ports


class Server:
    def __init__(self, root, directory, http, tcp, shards):
        self.url = "http://127.0.0.1:%d/" % http
        for name in ("data", "tmp"):
            os.makedirs(os.path.join(directory, name))
        for name, text in (("config.xml", CONFIG % {"dir": directory, "http": http, "tcp": tcp,
                                                    "shards": shards}), ("users.xml", USERS)):
            with open(os.path.join(directory, name), "w", encoding="ascii") as f:
                f.write(text)
        libraries = ":".join(glob.glob(os.path.join(root, "usr/lib/*-linux-gnu*")))
        self.process = subprocess.Popen(
            [os.path.join(root, "usr/sbin/clickhouse-server"),
             "--config-file=" + os.path.join(directory, "config.xml")], cwd=directory,
            env=dict(os.environ, LD_LIBRARY_PATH=libraries), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def ask(self, query, data=b""):
        """Rows, as objects where the query says so."""
        if data:
            url, data = self.url + "?query=" + urllib.request.quote(query), data
        else:
            url, data = self.url, query.encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(url, data), timeout=120) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as e:
            raise ValueError("%s: %s" % (e.read().decode(), query)) from e

    def wait(self):
        for _ in range(600):
            try:
                return self.ask("SELECT 1") == "1\n"
            except (urllib.error.URLError, ConnectionError):
                if self.process.poll() is not None:
                    return False
                time.sleep(0.1)
        return False

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def of_host(number):
    """One trace. Class b of host 3 is held long; since the new kernel, function g is slow."""
    rng, new = random.Random(number), number >= HOSTS // 2
    t = Trace(uuid=bytes([number + 1]) * 16,
              events=[(300, "contention_begin", "word_t _lock", "uint64_t _flags"),
                      (301, "contention_end", "word_t _lock", "int64_t _ret")], per_packet=50)
    for i in range(SECTIONS):
        lock = rng.choice((0xffff888000001000, 0xffff888000002000))
        site = rng.choice((0xffffffff81001010, 0xffffffff81002010)) + 64 * new
        length = rng.randrange(100, 1000)
        if number == 3 and lock == 0xffff888000002000:
            length *= 30
        elif new and site > 0xffffffff81002000:
            length *= 4
        hold(t, 10**6 * (i + 1), length, lock=lock, site=site)
        if number == 4 and i == 100:
            t.cpu(0).lose(7)
    at = 10**6 * (SECTIONS + 1)
    t.acquire(at, 0, 5, "mutex", 0xffff888000003000, site=0xffffffff81001010)
    t.wait(at + 100, 1, 6, 0xffff888000003000, MUTEX)
    t.release(at + 500 + number, 0, 5, "mutex", 0xffff888000003000)
    t.waited(at + 600 + number, 1, 6, 0xffff888000003000)
    t.acquire(at + 700, 1, 6, "mutex", 0xffff888000003000)
    t.release(at + 800, 1, 6, "mutex", 0xffff888000003000)
    t.file("info/session", "host\thost%02d\nkernel_release\t%s\n" % (number, NEW if new else OLD))
    t.file("info/kallsyms", "ffffffff81001000 T f\nffffffff81002000 T g\nffffffff81003000 T h\n")
    t.file("info/locks", "lock names 1\n" + "".join(
        "0xffff88800000%d000\tslab\t1\t-\ttype.%s\n" % (i + 1, "abm"[i]) for i in range(3)))
    return t


def queries():
    """{name: {"ClickHouse": query, "ft sql": query}}"""
    book = {}
    with open(os.path.join(TOP, "Documentation/howto/ask-many-traces.md"), encoding="utf-8") as f:
        for kind, name, text in re.findall(r"^```sql\n-- ([\w ]+): (.*?)\n(.*?)^```", f.read(),
                                           re.M | re.S):
            book.setdefault(name, {})[kind] = text
    return book


def lines(objects):
    return [json.dumps([("%.9g" % v if isinstance(v, (int, float)) else v) for v in o.values()])
            for o in objects]


def fill(test, servers, paths):
    """Each server has the traces of every other host."""
    schema = test.ft("export", "--schema", "clickhouse-18").stdout
    statements = re.findall(r"^CREATE TABLE.*?;", schema, re.M | re.S)
    for server in servers:
        server.ask("CREATE DATABASE shard")
        for table, statement in zip(TABLES, statements):
            statement = statement.rstrip(";").replace("EXISTS ", "EXISTS shard.", 1)
            server.ask(statement)
            server.ask("CREATE TABLE %s AS shard.%s ENGINE = Distributed(fleet, shard, %s)"
                       % (table, table, table))
    for number, path in enumerate(paths):
        to = test.path("tables")
        test.ft("export", "-f", "clickhouse", "-o", to, path)
        for table in TABLES:
            with open(os.path.join(to, table + ".rowbinary"), "rb") as f:
                servers[number % 2].ask("INSERT INTO shard.%s FORMAT RowBinary" % table, f.read())


def compare_book(test, server, paths):
    bad = []
    for name, query in queries().items():
        if set(query) != {"ClickHouse", "ft sql"}:
            return ["'%s' is there for %s alone" % (name, list(query))]
        have = [json.loads(line) for line in
                server.ask(query["ClickHouse"].strip() + " FORMAT JSONEachRow").splitlines()]
        want = json.loads(test.ft("sql", "--json", *paths, query["ft sql"]).stdout)
        if lines(have) != lines(want) or not want:
            bad += ["%s:" % name] + differ("rows", lines(have), lines(want))
        first = want[0] if want else {}
        found = {"worst after an upgrade": ("function", "g"), "hosts that deviate": ("host", "host03"),
                 "what was lost": ("host", "host04")}.get(name)
        if found and first.get(found[0]) != found[1]:
            bad.append("%s: found %s first" % (name, first))
    return bad


def compare_reports(test, server, paths):
    """Quantiles by host and family: those of ft report lie in bins of 1/128."""
    bad = []
    text = server.ask("SELECT host, family, count() AS n, -quantileExact(0.5)(-length_ns) AS p50, "
                      "-quantileExact(0.01)(-length_ns) AS p99 FROM sections GROUP BY host, family "
                      "FORMAT JSONEachRow")
    have = {(o["host"], o["family"]): o for o in map(json.loads, text.splitlines())}
    for number in (0, 3, 19):
        for row in json.loads(test.ft("report", "--json", paths[number]).stdout)["family"]:
            o = have.get(("host%02d" % number, row["row"]), {"n": 0, "p50": 0, "p99": 0})
            if o["n"] != row["count"] or any(
                    row["count"] and abs(o[p] - row[p + "_ns"]) > row[p + "_ns"] / 127 + 0.001
                    for p in ("p50", "p99")):
                bad.append("host%02d: %s, not as in ft report: %s" % (number, o, row))
    both = json.loads(test.ft("compare", "--json", paths[0], paths[19]).stdout)["family"]["spin"]
    for side, host in (("A", "host00"), ("B", "host19")):
        o = have[host, "spin"]
        if o["n"] != both[side]["count"] or \
                abs(o["p99"] - both[side]["p99_ns"]) > both[side]["p99_ns"] / 127 + 0.001:
            bad.append("%s: %s, not as in ft compare: %s" % (host, o, both[side]))
    return bad


def servers_of(root, test):
    http, tcp = free_ports(2), free_ports(2)
    shards = "".join(SHARD % port for port in tcp)
    return [Server(root, os.path.abspath(test.path("server%d" % i)), http[i], tcp[i], shards)
            for i in range(2)]


def fetched():
    r = subprocess.run([os.path.join(TOP, "scripts/clickhouse-server"), "--print-root"],
                       capture_output=True, text=True, check=False)
    return r.stdout.strip(), r.stderr.strip()


def fleet(test):
    root, why = fetched()
    if not root:
        return why
    paths = [of_host(i).write(test.path("host%02d" % i)) for i in range(HOSTS)]
    servers = servers_of(root, test)
    try:
        if not all(server.wait() for server in servers):
            return ["a server does not answer"]
        fill(test, servers, paths)
        return compare_book(test, servers[0], paths) + compare_reports(test, servers[1], paths)
    finally:
        for server in servers:
            server.end()


SERVERS.append(fleet)
