# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bar charts as SVG, for docs/figures.py. White ground and dark text: readable on a light and on a dark page."""

import math

from draw_diagrams import Drawing

# Okabe and Ito's colours, which colour-blind readers tell apart.
BLUE, SKY, ORANGE, GREEN, GREY, DARK = "#0072B2", "#56B4E9", "#E69F00", "#009E73", "#8a8f94", "#444b52"
LINE, SOFT = "#1c2733", "#dde3e9"
CHARACTER = 6.6  # width of one, of 13 pixels, about


class Chart(Drawing):
    def bar(self, x, y, width, height, colour, opacity=1.0):
        faint = f' fill-opacity="{opacity:g}"' if opacity < 1 else ""
        self.lines.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"{faint}/>')

    def line(self, x1, y1, x2, y2, colour=SOFT, dashed=False):
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.lines.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"{dash}/>')

    def legend(self, x, y, entries):
        """entries: (colour, words)"""
        for colour, words in entries:
            self.bar(x, y - 10, 12, 12, colour)
            self.text(x + 17, y, words, 13, "start")
            x += 17 + CHARACTER * len(words) + 22


def folded(words, most):
    """Lines of at most so many characters."""
    lines = [""]
    for word in words.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > most:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def ratios(title, groups, caption, legend):
    """Horizontal bars from 1, over a logarithmic axis.

    groups: (heading, entries); an entry is (label, bars), a bar (colour, least, greatest); equal where there is one figure."""
    left, right, width = 300, 760, 840
    values = [v for _, entries in groups for _, bars in entries for _, *both in bars for v in both] + [1]
    low = min(0.7, min(values) * 0.95)
    high = max(2.2, max(values) * 1.05)

    def at(value):
        return left + (right - left) * math.log(value / low) / math.log(high / low)

    below = folded(caption, 130)
    bars_high = sum(14 * len(bars) + 8 for _, entries in groups for _, bars in entries)
    height = 74 + bars_high + 34 * len(groups) + 24 + 17 * len(below)
    d = Chart(width, height, title)
    d.text(20, 28, title, 17, "start", bold=True)
    d.legend(20, 52, legend)
    y = 62
    bottom = height - 32 - 17 * len(below)
    for tick in (0.5, 0.7, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 32):
        if low <= tick <= high:
            d.line(at(tick), y + 6, at(tick), bottom, LINE if tick == 1 else SOFT)
            d.text(at(tick), bottom + 15, f"{tick:g}", 12)
    for heading, entries in groups:
        d.text(20, y + 24, heading, 14, "start", bold=True)
        y += 34
        for label, bars in entries:
            d.text(left - 10 if low > 0.69 else left - 16, y + 7 * len(bars) + 4, label, 13, "end")
            for colour, least, greatest in bars:
                begin, end = sorted((at(1), at(least)))
                d.bar(begin, y + 1, max(end - begin, 2), 12, colour)
                if greatest > least:
                    d.bar(at(least), y + 1, at(greatest) - at(least), 12, colour, 0.5)
                words = f"{least:.2f}" if least == greatest else f"{least:.2f} to {greatest:.2f}"
                d.text(max(at(greatest), at(1)) + 5, y + 11, words, 12, "start")
                y += 14
            y += 8
    for k, words in enumerate(below):
        d.text(20, bottom + 36 + 17 * k, words, 12, "start")
    return d


def columns(title, panels, caption, legend, unit, line=None):
    """Panels of groups of vertical bars, two panels in a row.

    panels: (heading, groups); a group is (label, bars), a bar (colour, value or None). line: a value to draw a dashed line at."""
    width, panel_high, per_row = 840, 210, 2 if len(panels) > 1 else 1
    rows = math.ceil(len(panels) / per_row)
    below = folded(caption, 130)
    d = Chart(width, 82 + rows * (panel_high + 62) + 17 * len(below), title)
    d.text(20, 28, title, 17, "start", bold=True)
    d.legend(20, 52, legend)
    for index, (heading, groups) in enumerate(panels):
        room = (width - 20) / per_row
        x0 = 50 + room * (index % per_row)
        y0 = 96 + (index // per_row) * (panel_high + 62)
        span = room - 60
        most = max([v for _, bars in groups for _, v in bars if v is not None] + ([line] if line else [])) * 1.1
        step = 10 ** math.floor(math.log10(most))
        step = next(s for s in (step / 5, step / 2, step, step * 2) if most / s <= 6)
        d.text(x0, y0 - 8, f"{heading}, {unit}", 13, "start", bold=True)
        base = y0 + panel_high - 20
        scale = (panel_high - 30) / most
        for k in range(int(most / step) + 1):
            d.line(x0, base - k * step * scale, x0 + span, base - k * step * scale)
            d.text(x0 - 5, base - k * step * scale + 4, f"{k * step:g}", 11, "end")
        if line:
            d.line(x0, base - line * scale, x0 + span, base - line * scale, LINE, dashed=True)
        colours = [colour for _, bars in groups for colour, value in bars if value is not None]
        groups = [(label, [bar for bar in bars if bar[0] in colours]) for label, bars in groups]
        each = span / max(len(groups), 1)
        for g, (label, bars) in enumerate(groups):
            one = min(0.82 * each / max(len(bars), 1), 22)
            start = x0 + each * (g + 0.5) - one * len(bars) / 2
            for b, (colour, value) in enumerate(bars):
                if value is not None:
                    d.bar(start + b * one, base - value * scale, one - 1.5, value * scale, colour)
            for k, words in enumerate(label.split("\n")):
                d.text(x0 + each * (g + 0.5), base + 15 + 13 * k, words, 12)
        d.line(x0, base, x0 + span, base, LINE)
    for k, words in enumerate(below):
        d.text(20, 84 + rows * (panel_high + 62) + 17 * k, words, 12, "start")
    return d
