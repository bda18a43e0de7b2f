# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ELF files with triggers, as small as can be: see Elf.

A trigger is a pair of a name or number, and the name of the function that it is in.
Where everything is, for those who want to damage it, is in the dictionary at.
"""

import struct

EXEC, DYN, REL = 2, 3, 1
TRIGGER = b"\xa9\0\0\0\0\xc3\x90\x90"   # it, a return, and so that these are 8
NOTE_NAME = b"Feather-Trace\0\0\0"
PC32, PC64, ABS64, RELATIVE = 2, 24, 1, 8
UNDEF, TEXT, TABLE, DATA = 0, 1, 2, 3   # sections
KEY = 16                                # bytes of a static key


class Elf:
    def __init__(self, kind, base=0):
        self.kind, self.base = kind, base
        self.data = bytearray(64)
        self.at = {}
        self.segments, self.sections, self.names = [], [], b"\0"

    def put(self, name, data, align=8):
        """Appends it. Return: its address, which is its offset where there are none."""
        self.data += b"\0" * (-len(self.data) % align)
        self.at[name] = len(self.data)
        self.data += data
        return self.base + self.at[name]

    def set(self, name, fmt, *values, skip=0):
        struct.pack_into(fmt, self.data, self.at[name] + skip, *values)

    def segment(self, kind, begin, end, flags=5, align=8):
        self.segments.append((kind, flags, begin, self.base + begin,
                              self.base + begin, end - begin, end - begin, align))

    def section(self, name, kind, flags, content, link=0, info=0, entry=0):
        addr = 0 if self.kind == REL else self.base + self.at[content[0]]
        self.sections.append((len(self.names), kind, flags, addr,
                              self.at[content[0]], content[1], link, info, 8, entry))
        self.names += name.encode() + b"\0"

    def finish(self):
        names = len(self.names)
        self.names += b".shstrtab\0"
        if self.sections:
            self.put("names", self.names, 1)
            self.sections.append((names, 3, 0, 0, self.at["names"], len(self.names),
                                  0, 0, 1, 0))
        self.put("segments", b"".join(
            struct.pack("<IIQQQQQQ", *s) for s in self.segments))
        self.put("sections", b"".join(
            struct.pack("<IIQQQQIIQQ", *s) for s in [(0,) * 10] + self.sections)
            if self.sections else b"")
        n = len(self.sections) + 1 if self.sections else 0
        struct.pack_into(
            "<4s5B7xHHIQQQIHHHHHH", self.data, 0, b"\x7fELF", 2, 1, 1, 0, 0,
            self.kind, 62, 1, self.base, self.at["segments"] if self.segments else 0,
            self.at["sections"] if n else 0, 0, 64, 56, len(self.segments), 64, n,
            n - 1 if n else 0)
        return self


def symbols(elf, table):
    """(name, section, kind, value, size), all global."""
    text, out = b"\0", bytes(24)
    for name, section, kind, value, size in table:
        out += struct.pack("<IBBHQQ", len(text), 16 | kind, 0, section, value, size)
        text += name.encode() + b"\0"
    elf.put("symtab", out)
    elf.put("strtab", text, 1)
    return len(out), len(text)


def program(triggers, kind=DYN, fields=b""):
    """A stripped program or library: no sections, no symbols."""
    e = Elf(kind, 0x400000 if kind == EXEC else 0)
    note = e.put("note", struct.pack("<III", 14, 8, 1) + NOTE_NAME + bytes(8), 4)
    table = e.put("triggers", bytes(12 * len(triggers)), 4)
    code = e.put("code", TRIGGER * len(triggers), 16)
    relocs, events = b"", {}
    for name in [t for t in triggers if isinstance(t, str)]:
        if name in events:
            continue
        text = e.put("name " + name, name.encode() + b"\0", 1)
        events[name] = e.put("event " + name, bytes(16) + struct.pack(
            "<Q", text if kind == EXEC else 0) + bytes(56))
        relocs += struct.pack("<QQQ", events[name] + 16, RELATIVE, text)
    for i, t in enumerate(triggers):
        at = table + 12 * i
        e.set("triggers", "<iiI", code + 8 * i - at,
              events[t] - at - 4 if isinstance(t, str) else 0,
              0 if isinstance(t, str) else t, skip=12 * i)
    e.set("note", "<ii", table - note - 28, table + 12 * len(triggers) - note - 32,
          skip=28)
    if kind == DYN:
        rela = e.put("relocs", relocs)
        e.put("dynamic", struct.pack("<8Q", 7, rela, 8, len(relocs), 9, 24, 0, 0))
        e.segment(2, e.at["dynamic"], len(e.data))
    e.segment(1, 0, len(e.data))
    e.segment(4, e.at["note"], e.at["note"] + 36, align=4)
    return e.finish()


def rela(e, name, table):
    e.put(name, b"".join(struct.pack("<QQq", at, sym << 32 | kind, addend)
                         for at, sym, kind, addend in table))
    return name, 24 * len(table)


def module(triggers, table_name="__jump_table", symbol="ft_event_%s", function="f%d",
           missing=()):
    """A kernel module or, with ft_triggers, an object file; not linked.

    Each trigger is in a function of its own. Of the events that are missing there is
    only the symbol.
    """
    e = Elf(REL)
    user = table_name == "ft_triggers"
    entry = 12 if user else 16
    names = list(dict.fromkeys(t for t in triggers if isinstance(t, str)))
    table = [(function % i, TEXT, 2, 8 * i, 8) for i in range(len(triggers))]
    number = {}
    for i, name in enumerate(names):
        number[name] = len(table) + 1
        table.append((symbol % name, UNDEF, 0, 0, 0) if name in missing else
                     (symbol % name, DATA, 1, 128 * i, 80))
    sections = [number and len(table) + 1]
    table.append(("", DATA, 3, 0, 0))
    e.put("code", TRIGGER * len(triggers), 16)
    e.put("triggers", bytes(entry * len(triggers)))
    if user:
        for i, t in enumerate(triggers):
            if not isinstance(t, str):
                e.set("triggers", "<I", t, skip=12 * i + 8)
    e.put("events", b"".join(bytes(64) + n.encode().ljust(64, b"\0") for n in names))
    size = symbols(e, table)
    relocs = []
    for i, t in enumerate(triggers):
        relocs.append((entry * i, i + 1, PC32, 0))
        if not user:
            relocs += [(entry * i + 4, i + 1, PC32, 4),
                       (entry * i + 8, number[t], PC64, 2)]
        elif isinstance(t, str):
            relocs.append((entry * i + 4, number[t], PC32, 0))
    first = rela(e, "relocs", relocs)
    second = rela(e, "pointers", [
        (128 * i + (16 if user else 24), sections[0], ABS64, 128 * i + 64)
        for i, n in enumerate(names) if n not in missing])
    e.section(".text", 1, 6, ("code", 8 * len(triggers)))
    e.section(table_name, 1, 3, ("triggers", entry * len(triggers)))
    e.section(".data", 1, 3, ("events", 128 * len(names)))
    e.section(".symtab", 2, 0, ("symtab", size[0]), 5, 1, 24)
    e.section(".strtab", 3, 0, ("strtab", size[1]))
    e.section(".rela" + table_name, 4, 0x40, first, 4, TABLE, 24)
    e.section(".rela.data", 4, 0x40, second, 4, DATA, 24)
    return e.finish()


def kernel(locks):
    """A kernel with the patch: triggers of the locks with these numbers."""
    e = Elf(EXEC, 0xffffffff81000000)
    code = e.put("code", TRIGGER * len(locks), 16)
    keys = e.put("keys", bytes(14 * KEY), 16)
    table = e.put("triggers", bytes(16 * len(locks) + 16))
    for i, lock in enumerate([*locks, None]):
        at = table + 16 * i
        # the last one is no trigger of ours: its key is another
        key = table if lock is None else keys + KEY * lock + 2
        e.set("triggers", "<iiq", code - at, code - at - 4, key - at - 8,
              skip=16 * i)
        code += 8
    end = len(e.data)
    size = symbols(e, [("feather_keys", DATA, 1, keys, 14 * KEY),
                       ("__start___jump_table", TABLE, 0, table, 0),
                       ("__stop___jump_table", TABLE, 0, e.base + end, 0),
                       ("_raw_spin_lock", TEXT, 2, e.base + e.at["code"],
                        8 * len(locks))])
    e.section(".text", 1, 6, ("code", 8 * len(locks)))
    e.section(".rodata", 1, 2, ("triggers", 16 * len(locks) + 16))
    e.section(".data", 1, 3, ("keys", 14 * KEY))
    e.section(".symtab", 2, 0, ("symtab", size[0]), 5, 1, 24)
    e.section(".strtab", 3, 0, ("strtab", size[1]))
    e.segment(1, 0, end)
    return e.finish()
