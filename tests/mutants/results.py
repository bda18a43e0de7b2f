# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""What came of the mutants: a line for each as it comes, and all that were ever tried in
the file "results" beside their copies, of which the last line of a mutant counts."""
import os
import sys
import threading
import zlib

GOAL = 95       # percent that must be found
LOCK = threading.Lock()


def mark(mutant):
    """Another mistake has another mark; a file may move."""
    text = "\n".join([mutant.after or "", *mutant.old, "+", *mutant.new])
    return "%08x" % zlib.crc32(text.encode())


def percent_of(found, tried):
    return 100 * found / max(tried, 1)


class Results:
    def __init__(self, directory, told, sample):
        """@told: matches lines to be shown of those not found; None: show none
        @sample: one may be missed, or so many that GOAL percent are found. A race that a
        busy machine hides is no mistake in the tree; a run of all mutants fails for it."""
        self.file, self.told = os.path.join(directory, "results"), told
        self.found = self.survivors = self.failed = 0
        self.sample, self.missed = sample, []

    def tell(self, mutant, found, why, seconds, output=""):
        name = "%s: %s" % (mutant.area, mutant.name)
        with LOCK:
            with open(self.file, "a", encoding="utf-8") as f:
                f.write("%s\t%s\t%s\n" % (mutant.name, mark(mutant), "found" if found else why))
            if mutant.survives and not found:
                self.survivors += 1
                print("# survives: %s: %s" % (name, mutant.survives))
            elif mutant.survives:
                self.failed += 1
                print("FAIL %s: is found now, take its 'survives' away: %s" % (name, why))
            elif found:
                self.found += 1
                print("ok %s: %s (%d s)" % (name, why[:150], seconds))
            else:
                self.miss("%s: %s" % (name, why))
            if self.told and not (found and mutant.symptom != "?"):
                lines = [line for line in output.splitlines() if self.told.search(line)]
                print("".join("    %s\n" % line
                              for line in lines[:12] or output.splitlines()[-12:]), end="")
            sys.stdout.flush()

    def miss(self, line):
        if self.sample:
            self.missed.append(line)
            print("# missed: %s" % line)
        else:
            self.failed += 1
            print("FAIL %s" % line)

    def end(self):
        tried = self.found + self.survivors + self.failed + len(self.missed)
        percent = percent_of(self.found, tried)
        if len(self.missed) > 1 and percent < GOAL:
            self.failed += len(self.missed)
            print("".join("FAIL %s\n" % line for line in self.missed), end="")
        print("# %d of %d mutants found, %.1f percent; %d survive, as their entries say" %
              (self.found, tried, percent, self.survivors))
        return 1 if self.failed or (self.survivors and percent < GOAL) else 0


def read(directory):
    """The last result of each: name to mark and words."""
    try:
        with open(os.path.join(directory, "results"), encoding="utf-8") as f:
            lines = (line.rstrip("\n").split("\t", 2) for line in f)
            return {line[0]: line[1:] for line in lines if len(line) == 3}
    except FileNotFoundError:
        return {}


def summary(mutants, directory):
    """A line for each list, and one for each that was not found. Returns exit status."""
    results, missed, sums = read(directory), [], {}
    for m in mutants:
        have = results.get(m.name)
        row = sums.setdefault(m.area, [0, 0, 0])
        row[0] += 1
        if not have or have[0] != mark(m):
            continue
        row[1] += 1
        row[2] += have[1] == "found"
        if have[1] != "found":
            missed.append("%s: %s: %s" % (m.area, m.name, m.survives or "NOT FOUND: " + have[1]))
    print("%-10s %8s %6s %6s %8s" % ("list", "mistakes", "tried", "found", "percent"))
    sums["all"] = [sum(column) for column in zip(*sums.values())]
    for area, (entries, tried, found) in sums.items():
        print("%-10s %8d %6d %6d %8.1f" % (area, entries, tried, found, percent_of(found, tried)))
    print("".join("not found: %s\n" % line for line in missed), end="")
    _, tried, found = sums["all"]
    return 1 if percent_of(found, tried) < GOAL else 0
