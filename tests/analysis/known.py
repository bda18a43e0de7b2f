# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""What a report must say of sections and waits of which everything is known.

All that follows from a section's beginning and end is worked out by looking at
all others, the slow way: depths, what is inside, the order of locks.
"""

from collections import defaultdict

from gen_trace import SPINNING
from model import Truth, ns

CONTEXTS = ("task", "softirq", "hardirq", "nmi")
OUTER = 8           # of the locks held, so many count in the order
INSIDE = 128        # what ended inside, as far as it is remembered
LONGEST = 10


def context(ctx):
    return CONTEXTS[3 if ctx & 0xe0 else 2 if ctx & 0x1e else ctx & 1]


def site_name(family, site):
    return "%s:0x%x" % (family, site) if site else "%s:?" % family


class Known:
    def __init__(self, trace, sections, waits, gaps):
        self.trace, self.sections = trace, sections
        self.waits, self.gaps = waits, gaps
        for lock in {s.lock for s in sections if s.family == "semaphore"}:
            self.doubts([s for s in sections if s.lock == lock])

    def doubts(self, sections):
        """A release of a semaphore that was acquired unseen: the oldest that was seen may
        have been released, and is not taken for held any more."""
        events = [(s.start, 1, s) for s in sections if s.seen_start]
        events += [(s.end, 2, s) for s in sections if s.seen_end]
        for _, before, after, _ in self.gaps:
            events += [(before, 3, None)] + ([(after, 0, None)] if after is not None else [])
        held = []
        for at, what, s in sorted(events, key=lambda e: e[:2]):
            if what in (0, 3):
                held = []
            elif what == 1:
                held.append(s)
            elif s in held:
                held.remove(s)
            elif held and s.doubt is None:
                held.pop(0).doubt = at

    # What the tracer could see.

    def cut(self, s):
        for cpu, before, after, _ in self.gaps:
            if s.family in SPINNING and s.cpu != cpu:
                continue
            if (s.end is None or s.end > before) and \
                    (after is None or s.start < after):
                return "lost"
        if s.end is None:
            return "end"
        return None if s.seen_start else "start"

    def known_at(self, s, other):
        """Is the other lock held when s begins, as far as records tell?"""
        if not other.seen_start or other.start >= s.start:
            return False
        if other.seen_end and other.end <= s.start:
            return False
        if other.doubt is not None and other.doubt <= s.start:
            return False
        for cpu, before, after, _ in self.gaps:
            if other.family in SPINNING and cpu != other.cpu:
                continue
            for at in (before, after):
                # forgotten at the beginning and at the end of a gap
                if at is not None and other.start <= at <= s.start and \
                        not (at == after and other.start == after):
                    return False
        return True

    def depths(self, s):
        known = [o for o in self.sections
                 if o is not s and self.known_at(s, o)]
        spin = sum(o.family in SPINNING and o.cpu == s.cpu for o in known)
        sleep = sum(o.family not in SPINNING and o.task == s.task
                    for o in known)
        return spin if s.family in SPINNING else sleep, spin + sleep

    def spinlocks(self, s):
        """A spinlock's depth among spinlocks alone."""
        return sum(o.family == "spin" and o.cpu == s.cpu for o in self.sections
                   if o is not s and self.known_at(s, o))

    # The report.

    def truth(self, select=lambda s: True):
        """Of the sections and waits that are selected."""
        truth = Truth(self.trace)
        whole = []
        for s in self.sections:
            why = self.cut(s)
            if why:
                truth.cut(s.family, why, s.seen_start + s.seen_end)
            elif s.seen_start:
                whole.append(s)
        for s in whole:
            s.begin = s.start
        chosen = [s for s in whole if select(s)]
        for s in chosen:
            truth.section(s.family, s.end - s.start, *self.depths(s),
                          site=s.site, lock=s.lock, ctx=s.ctx,
                          spin=self.spinlocks(s) if s.family == "spin" else None,
                          task=context(s.ctx) if s.ctx else str(s.task))
        truth.detailed = True
        truth.expect("trace", "-", "lost", sum(
            st.discarded for st in self.trace.streams.values()))
        truth.checks.append(lambda have: self.check_longest(have, chosen))
        if self.gaps:
            # which sleeping locks a task holds at a spinning one, while another
            # CPU loses records, is not known: ft report marks these tables
            truth.ignored |= {("depth", "both"), "order", "inversion"}
        else:
            self.tell_order(truth, select)
            self.tell_waits(truth, select)
        return truth

    def outer(self, s):
        """What is held when s begins, as the order of locks counts it."""
        held = [o for o in self.sections if o is not s and self.known_at(s, o)
                and context(o.ctx) == context(s.ctx)]
        spin = [o for o in held if o.family in SPINNING and o.cpu == s.cpu]
        sleep = [o for o in held if o.family not in SPINNING and
                 o.task == s.task and not s.ctx]
        return [o for kind in (spin, sleep)
                for o in sorted(kind, key=lambda o: -o.start)]

    def tell_order(self, truth, select):
        pairs, edges, skipped = defaultdict(int), {}, 0
        for s in sorted(self.sections, key=lambda s: s.start):
            if not s.seen_start:
                continue
            s.begin = s.start
            outer = [o for o in self.outer(s) if select(s) or select(o)]
            skipped += len(outer[OUTER:])
            for o in outer[:OUTER]:
                pairs[site_name(o.family, o.site) + ">" +
                      site_name(s.family, s.site)] += 1
                if o.lock != s.lock:
                    edge = edges.setdefault((o.lock, s.lock),
                                            [(o.site, s.site), 0])
                    edge[1] += 1
        for row, n in pairs.items():
            truth.expect("order", row, "count", n)
        truth.expect("bound", "held", "refused", skipped)
        truth.checks.append(lambda have: check_inversions(have, edges))

    def tell_waits(self, truth, select):
        cuts = {"start": 0, "end": 0, "lost": 0, "other": 0}
        for w in self.waits:
            if w.begin is None or w.end is None:
                cuts["start"] += w.end is not None
                cuts["end"] += w.begin is not None
            elif select(w):
                truth.wait(w.family, w.end - w.begin, w.lock,
                           context(w.ctx) if w.ctx else str(w.task), w.site,
                           self.holder(w))
        if any(e[0] == 300 for e in self.trace.clock.get("events", ())):
            for why, n in cuts.items():
                truth.expect("wait", "-", "cut_" + why, n)

    def holder(self, w):
        holders = [s for s in w.holders if s.doubt is None or s.doubt > w.since]
        first = min(holders, key=lambda s: s.start, default=None)
        return first and (first.family, first.site)

    # The longest, and what is inside.

    def inside(self, s):
        """Return: what ended inside of s, and what began there and goes on."""
        spin = s.family in SPINNING
        mine = [o for o in self.sections if o is not s and o.seen_start and
                s.start < o.start < s.end and
                (o.cpu == s.cpu and o.family in SPINNING if spin else
                 o.task == s.task)]
        ended = [o for o in mine if o.end is not None and o.end < s.end]
        return ended, [o for o in mine if o not in ended and
                       (o.doubt is None or o.doubt > s.end) and
                       (spin or o.family not in SPINNING)]

    def check_longest(self, have, chosen):
        bad = []
        for group in ("spinning", "sleeping"):
            mine = [s for s in chosen
                    if (s.family in SPINNING) == (group == "spinning")]
            lengths = sorted((s.end - s.start for s in mine), reverse=True)
            rows = [r for t, r in have if t == "longest" and
                    r.startswith(group)]
            got = [have["longest", r]["length_ns"] for r in rows]
            want = [ns(n, self.trace.freq) for n in lengths[:LONGEST]]
            if got != want:
                bad.append("the longest of %s are %s, not %s" % (group, got,
                                                                want))
                continue
            for row in rows:
                bad += self.check_long(have, row, mine)
        return bad

    def describe(self, s, since):
        return {
            "family": s.family, "begin_ns": ns(s.start - since, self.trace.freq),
            "cpu": str(s.cpu), "tid": str(s.task), "context": context(s.ctx),
            "lock": "0x%x" % s.lock, "site": "0x%x" % s.site,
        }

    def check_long(self, have, row, sections):
        values, start = have["longest", row], self.trace.start()
        found = [s for s in sections if
                 all(values[k] == v for k, v in
                     self.describe(s, start).items())]
        if len(found) != 1:
            return ["longest %s: there is no such section: %s" % (row, values)]
        s = found[0]
        ended, goes_on = self.inside(s)
        if values["inside"] != str(len(ended)):
            return ["longest %s: %s ended inside, not %d" % (
                row, values["inside"], len(ended))]
        want = []
        for o in sorted(ended, key=lambda o: o.end)[-INSIDE:] + goes_on:
            d = self.describe(o, s.start)
            if o not in goes_on:
                d["length_ns"] = ns(o.end - o.start, self.trace.freq)
            d["interrupt"] = str(int(o.ctx != s.ctx))
            want.append(sorted(d.items()))
        got = [sorted((k, v) for k, v in have[t, r].items() if
                      "symbol" not in k and k != "internal")
               for t, r in have if t == "inside" and
               r.rsplit(":", 1)[0] == row]
        if sorted(got) != sorted(want):
            return ["inside of %s is %s, not %s" % (row, sorted(got),
                                                   sorted(want))]
        return []


def check_inversions(have, edges):
    want = {}
    for (a, b), (there, n) in edges.items():
        if a > b or (b, a) not in edges:
            continue
        back, m = edges[b, a]
        if there > back:
            there, back, n, m = back, there, m, n
        old = want.get((there, back), (0, 0, 0))
        want[there, back] = (old[0] + n, old[1] + m, old[2] + 1)
    got = {}
    for (table, _), v in have.items():
        if table == "inversion":
            places = [int(v[k].split(":")[1], 16) for k in
                      ("there_outer", "there_inner", "back_outer",
                       "back_inner")]
            got[tuple(places[:2]), tuple(places[2:])] = tuple(
                int(v[k]) for k in ("there_count", "back_count", "locks"))
    if got != want:
        return ["inversions are %s, not %s" % (got, want)]
    return []
