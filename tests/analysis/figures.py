# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Pages, and figures of gnuplot, taken apart."""

import re
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"


def page(text):
    """The tree of a page, which must be well-formed as XML, too."""
    return ElementTree.fromstring(re.sub("<!DOCTYPE html>", "", text, count=1, flags=re.I))


def figure(path):
    """The tree of an SVG file."""
    return ElementTree.parse(path).getroot()


def texts(svg):
    return [t.text for t in svg.iter(SVG + "text")]


def curves(svg):
    return [g for g in svg.iter(SVG + "g")
            if re.match("gnuplot_plot_[0-9]+$", g.get("id") or "")]


def boxes(curve):
    """(left, right, top, bottom) of each box but that of the key."""
    found = []
    for polygon in curve.iter(SVG + "polygon"):
        points = [tuple(map(float, p.split(","))) for p in polygon.get("points").split()]
        x, y = zip(*points)
        found.append((min(x), max(x), min(y), max(y)))
    return found


def points(curve):
    """Of the line; the key's is the first move in it."""
    path = [p.get("d") for p in curve.iter(SVG + "path")][-1]
    line = path.split("M")[-1]
    return [tuple(map(float, p)) for p in re.findall(r"([\d.]+),([\d.]+)", line)]


def in_proportion(sizes, values):
    scale = max(sizes) / max(values)
    return len(sizes) == len(values) and \
        all(abs(s - v * scale) < 0.03 for s, v in zip(sizes, values))
