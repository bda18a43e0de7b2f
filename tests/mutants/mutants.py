# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The lists of mutants: a block of lines each, blocks apart by an empty line.

	mutant NAME
	file PATH		as above if it is not there, and the same of the
	killer NAME [ARG...]	test that must find it: killers.py, or vm KERNEL SCRIPT
	symptom REGEX		must match a line of that test that reports a failure
	after TEXT		the first old text after this, which occurs once, is meant
	- OLD			lines of the file, or the middle of one; once in it
	+ NEW			what stands there in the mutant
	seconds N		how long it takes, where that is much longer than others
	survives REASON		no test finds it, and why
	needs tsc		the code runs only where programs read the TSC: not in most VMs

Lines that begin with # are comments.
"""
import glob
import os
import re


class Mutant:
    def __init__(self, area, file=None, killer=None):
        self.area, self.name, self.file, self.killer = area, None, file, killer
        self.symptom = self.after = self.survives = self.needs = None
        self.seconds = 0
        self.old, self.new = [], []

    def mutate(self, text):
        """The text with the mistake. ValueError: it does not say where."""
        old, new = "\n".join(self.old), "\n".join(self.new)
        start = 0
        if self.after:
            if text.count(self.after) != 1:
                raise ValueError("%d times in %s: %r" % (text.count(self.after), self.file, self.after))
            start = text.index(self.after) + len(self.after)
            if old not in text[start:]:
                raise ValueError("not after %r in %s: %r" % (self.after, self.file, old))
        elif text.count(old) != 1:
            raise ValueError("%d times in %s: %r" % (text.count(old), self.file, old))
        return text[:start] + text[start:].replace(old, new, 1)

    def can_run(self):
        """Whether the code runs on this machine at all."""
        if not self.needs:
            return True
        with open("/sys/devices/system/clocksource/clocksource0/current_clocksource", encoding="ascii") as f:
            return f.read().strip() == self.needs

    def complaint(self, top, killers):
        """What is wrong with this entry, or None."""
        for word in ("name", "file", "killer", "old"):
            if not getattr(self, word):
                return "has no %s" % word
        if self.needs not in (None, "tsc"):
            return "needs what? %s" % self.needs
        if not self.symptom and not self.survives:
            return "has no symptom"
        if self.old == self.new:
            return "changes nothing"
        if self.killer[0] not in killers and self.killer[0] != "vm":
            return "no such killer: %s" % self.killer[0]
        try:
            re.compile(self.symptom or "")
            with open(os.path.join(top, self.file), encoding="utf-8") as f:
                self.mutate(f.read())
        except (OSError, ValueError, re.error) as error:
            return str(error)
        return None


def parse(area, lines):
    mutants, now, file, killer = [], None, None, None
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\n")
        if line.startswith("#") or not line.strip():
            continue
        word, _, rest = line.partition(" ")
        if word == "mutant":
            now = Mutant(area, file, killer)
            now.name = rest
            mutants.append(now)
        elif not now:
            raise SystemExit("%s.list:%d: before the first mutant" % (area, number))
        elif word == "file":
            now.file = file = rest
        elif word == "killer":
            now.killer = killer = rest.split()
        elif word == "seconds":
            now.seconds = int(rest)
        elif word in ("symptom", "after", "survives", "needs"):
            setattr(now, word, rest)
        elif word in "-+":
            (now.old if word == "-" else now.new).append(rest)
        else:
            raise SystemExit("%s.list:%d: %r" % (area, number, line))
    return mutants


def read_all(directory):
    mutants = []
    for path in sorted(glob.glob(os.path.join(directory, "*.list"))):
        with open(path, encoding="utf-8") as f:
            mutants += parse(os.path.basename(path)[:-5], f)
    return mutants
