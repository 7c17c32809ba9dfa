#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the diagrams of docs/how_it_works.md as SVG beside this script; --check compares those that are there.

The numbers in them are those of the kernels; where fewer things are drawn than there are, the text of the picture says so.
"""

import argparse
import sys
from html import escape
from pathlib import Path

INK, PALE, GRID = "#1c2733", "#eef2f6", "#9aa7b4"
DATA, ONES, SUMS, BAND, DONE = "#7fb0dd", "#f2b25c", "#86c79a", "#f2b25c", "#c9b3e6"


class Drawing:
    def __init__(self, width, height, title):
        self.size = (width, height)
        self.title = title
        self.lines = []

    def box(self, x, y, width, height, fill="none", stroke=GRID, dashed=False):
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.lines.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" stroke="{stroke}"{dash}/>')

    def cells(self, x, y, rows, columns, side, fill):
        """A matrix; fill(row, column) is the colour of an element."""
        for row in range(rows):
            for column in range(columns):
                self.box(x + column * side, y + row * side, side, side, fill(row, column))

    def text(self, x, y, words, size=14, anchor="middle", bold=False):
        weight = ' font-weight="bold"' if bold else ""
        self.lines.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}"{weight}>{escape(words)}</text>')

    def arrow(self, x1, y1, x2, y2, dashed=False):
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.lines.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{INK}" stroke-width="1.4" '
                          f'marker-end="url(#head)"{dash}/>')

    def svg(self):
        width, height = self.size
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
                f'font-family="sans-serif" fill="{INK}">')
        marker = ('<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
                  f'<path d="M0 0L8 4L0 8z" fill="{INK}"/></marker></defs>')
        background = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
        licence = "<!-- SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project -->\n" \
                  "<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->"
        return "\n".join([licence, head, f"<title>{escape(self.title)}</title>", marker, background, *self.lines, "</svg>"]) + "\n"


def chained_products():
    d = Drawing(780, 410, "A sum as a chain of matrix products with ones")
    side = 9
    d.text(86, 24, "data, as loaded", bold=True)
    for k, name in enumerate(("product 1", "product 2", "product R = 8")):
        y = 36 + k * 96 + (18 if k == 2 else 0)
        d.cells(60, y, 8, 8, side, lambda r, c: DATA)
        d.text(96, y + 86, name, 13)
        d.text(157, y + 42, "×", 22)
        d.cells(178, y, 8, 4, side, lambda r, c: ONES)
        d.arrow(222, y + 36, 322, (172, 186, 200)[k])
    d.text(198, 24, "ones", bold=True)
    d.text(96, 238, "⋮", 16)
    d.text(350, 24, "accumulator", bold=True)
    d.text(350, 42, "in the tensor core", 13)
    d.cells(330, 150, 8, 4, side, lambda r, c: SUMS)
    d.text(372, 246, "every column holds", 13)
    d.text(372, 262, "the sums of the rows", 13)
    d.text(372, 278, "of all products so far", 13)
    d.arrow(378, 186, 470, 186)
    d.text(424, 160, "after R", 13)
    d.text(424, 176, "products", 13)
    d.box(474, 164, 116, 44, PALE)
    d.text(532, 183, "sum of a lane", 13)
    d.text(532, 200, "fp32, to nearest", 13)
    d.arrow(594, 186, 636, 186)
    d.box(640, 150, 126, 72, PALE)
    d.text(703, 170, "lanes, warps: a tree", 12)
    d.text(703, 190, "blocks: the last one", 12)
    d.text(703, 210, "joins all, in order", 12)
    d.text(390, 362, "A matrix is 16 x 16 half values (drawn 8 x 8): 16 bytes of each of the 32 lanes, in the order of memory.", 13)
    d.text(390, 382, "Ones are exact, so a product only adds. The tensor core truncates, so a chain is short:", 13)
    d.text(390, 402, "after it the sum is added by an ordinary fp32 addition, which rounds to nearest.", 13)
    return d


def look_back():
    d = Drawing(780, 330, "The sum of all earlier tiles in a scan of one pass")
    width = 62
    x = [30 + k * width + (12 if k > 3 else 0) + (12 if k > 7 else 0) for k in range(11)]
    for first, name in ((0, "window 0"), (4, "window 1"), (8, "window 2")):
        last = min(first + 3, 10)
        d.text((x[first] + x[last] + width) / 2, 24, name, bold=True)
    for k in range(11):
        fill = DONE if k in (3, 7) else SUMS if k < 9 else DATA if k == 9 else PALE
        d.box(x[k], 36, width - 4, 40, fill)
        d.text(x[k] + width / 2 - 2, 60, f"tile {k}" if k < 10 else "next", 13)
    d.text(x[10] + width / 2 - 2, 92, "loading", 12)
    d.text(x[3] + width / 2, 96, "publishes the sum", 12)
    d.text(x[3] + width / 2, 111, "of tiles 0 to 3", 12)
    d.text(x[7] + width / 2, 96, "publishes the sum", 12)
    d.text(x[7] + width / 2, 111, "of tiles 0 to 7", 12)
    d.box(x[7] - 10, 176, 96, 34, PALE)
    d.text(x[7] + 38, 190, "before the", 12)
    d.text(x[7] + 38, 204, "window", 12)
    d.arrow(x[7] + width / 2, 118, x[7] + width / 2 + 4, 172)
    d.box(x[8] + 42, 176, 88, 34, PALE)
    d.text(x[8] + 86, 190, "tree over", 12)
    d.text(x[8] + 86, 204, "the window", 12)
    d.arrow(x[8] + width / 2, 80, x[8] + 70, 172)
    d.box(x[8] - 20, 240, 140, 30, DATA)
    d.text(x[8] + 50, 260, "prefix of tile 9", 13)
    d.arrow(x[7] + 40, 213, x[8] + 14, 237)
    d.arrow(x[8] + 86, 213, x[8] + 70, 237)
    d.text(24, 150, "1  A block publishes the sum of its tile: each", 13, "start")
    d.text(24, 168, "    8-byte word has 4 bytes of it and a tag.", 13, "start")
    d.text(24, 192, "2  All its warps except one load the next tile.", 13, "start")
    d.text(24, 216, "3  That warp looks back: it adds the earlier tiles", 13, "start")
    d.text(24, 234, "    of the window in a fixed tree, and the sum", 13, "start")
    d.text(24, 252, "    that the window before has published.", 13, "start")
    d.text(390, 300, "Tiles are numbered in the order in which blocks begin them: no block waits for one that has not begun.", 13)
    d.text(390, 320, "A window has 128 tiles (4 are drawn), for wider values 64 or 32. The order of additions depends on the tile only.", 13)
    return d


def band_product():
    d = Drawing(780, 300, "A box stencil as two products with band matrices")
    side, y = 16, 60

    def band(row, column):
        return BAND if 0 <= column - row <= 2 else "#ffffff"

    d.text(118, 30, "V: weights along", bold=True)
    d.text(118, 47, "the columns", bold=True)
    d.cells(54, y + side, 6, 8, side, band)
    d.text(204, y + 70, "×", 22)
    d.text(288, 30, "X: rows and", bold=True)
    d.text(288, 47, "columns of the grid", bold=True)
    d.cells(224, y, 8, 8, side, lambda r, c: DATA if 0 < r < 7 and 0 < c < 7 else "#c7ddf1")
    d.text(374, y + 70, "×", 22)
    d.text(440, 30, "H: weights", bold=True)
    d.text(440, 47, "along the rows", bold=True)
    d.cells(394, y, 8, 6, side, lambda r, c: band(c, r))
    d.text(512, y + 70, "=", 22)
    d.text(590, 30, "sums of the", bold=True)
    d.text(590, 47, "neighbourhoods", bold=True)
    d.cells(536, y + side, 6, 6, side, lambda r, c: SUMS)
    d.text(700, y + 50, "3 weights", 13)
    d.text(700, y + 68, "in a row:", 13)
    d.text(700, y + 86, "radius 1", 13)
    d.text(390, 224, "First X × H, along the rows, then V × the result. The band matrices hold the weights, and zeros elsewhere.", 13)
    d.text(390, 244, "The result of the first product stays in its registers as an operand of the second.", 13)
    d.text(390, 264, "A sum needs two blocks of 16 rows up to radius 8, three up to 16. One by one it would read up to 33 x 33 elements.", 13)
    d.text(390, 284, "0 × infinity is NaN: a tile with a value that is not finite is summed without tensor cores.", 13)
    return d


def temporal_blocking():
    d = Drawing(780, 350, "Several steps of a stencil in one sweep over memory")
    d.text(200, 24, "a warp's panel of columns, seen from above", bold=True)
    left, width, top, row = 40, 320, 40, 24
    names = ("stored: step 3", "step 3", "step 2", "step 1", "loaded: step 0")
    fills = (DONE, DONE, SUMS, "#b9dfc4", DATA)
    for k, (name, fill) in enumerate(zip(names, fills)):
        y = top + 30 + k * (row + 8)
        shrink = (3 if k < 2 else 4 - k) * 26
        d.box(left, y, width, row, "#ffffff", dashed=True)
        d.box(left + shrink, y, width - 2 * shrink, row, fill)
        d.text(left + width / 2, y + 17, name, 13)
    d.text(200, top + 16, "⋮  rows that are done", 13)
    d.arrow(20, top + 30, 20, top + 184)
    d.text(200, top + 206, "the warp moves down, one row of memory at a time", 13)
    d.text(590, 24, "which columns are valid", bold=True)
    for k in range(4):
        y = 200 - k * 44
        shrink = k * 26
        d.box(430, y, 320, 20, "#ffffff", dashed=True)
        d.box(430 + shrink, y, 320 - 2 * shrink, 20, (DATA, "#b9dfc4", SUMS, DONE)[k])
        d.text(590, y + 15, f"after step {k}" if k else "loaded", 13)
        if k:
            d.arrow(590, y + 42, 590, y + 23)
    d.text(390, 276, "A row that arrives completes the row of step 1 one radius above it; that completes a row of step 2, and so on.", 13)
    d.text(390, 296, "Sums of all steps stay in registers: memory is read once and written once for all steps (3 drawn, up to 8 or 10).", 13)
    d.text(390, 316, "Lanes at both ends hold columns of the next panels: they become wrong step by step and are not stored.", 13)
    d.text(390, 336, "At boundaries that are not periodic the first blocks compute a strip in shared memory. Every step is rounded.", 13)
    return d


def way_of_a_call():
    d = Drawing(780, 400, "From a call to its kernel")
    columns = ((10, 250, "compiled with your source"), (300, 200, "compiled once"), (540, 230, "on the GPU"))
    for x, width, name in columns:
        d.box(x, 34, width, 320, "none", GRID, dashed=True)
        d.text(x + width / 2, 24, name, bold=True)

    def step(column, y, fill, *words):
        x, width, _ = columns[column]
        d.box(x + 8, y, width - 16, 22 + 16 * (len(words) - 1), fill)
        for k, line in enumerate(words):
            d.text(x + width / 2, y + 15 + 16 * k, line, 12, bold=k == 0)

    step(0, 44, PALE, "Kokkos::parallel_reduce(…)", "Kokkos' own dispatch")
    d.arrow(135, 84, 135, 98)
    step(0, 98, DATA, "describe", "specialised closure:", "sizes, types, addresses")
    d.arrow(252, 125, 304, 125)
    step(1, 98, SUMS, "decide", "libkokkosmma: settings,", "device, tuning, times")
    d.arrow(400, 154, 400, 168)
    step(1, 168, SUMS, "launch", "scratch memory, events")
    d.arrow(492, 188, 546, 168)
    step(2, 148, ONES, "kernel with your functor", "from your source")
    d.arrow(308, 148, 254, 182, dashed=True)
    step(0, 176, PALE, "Kokkos' closure", "made only if it runs")
    d.arrow(252, 206, 546, 234, dashed=True)
    step(2, 214, PALE, "Kokkos' kernel", "from your source")

    step(0, 254, PALE, "KokkosMMA::stencil(…)", "or a plan")
    d.arrow(135, 292, 135, 304)
    step(0, 304, DATA, "describe and decide", "weights, strides, alignment")
    d.arrow(252, 323, 304, 323)
    step(1, 304, SUMS, "launch", "libkokkosmma_kernels")
    d.arrow(492, 323, 546, 323)
    step(2, 304, ONES, "kernel for the type", "from libkokkosmma_kernels")
    d.text(390, 374, "All calls of the drop-in go the way of parallel_reduce. Dashed: route generic.", 13)
    d.text(390, 392, "Stencils of other types than float and double, and stencils with a functor, run kernels from your source.", 13)
    return d


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; end with 1 where a file is not what is drawn")
    parser.add_argument("--folder", type=Path, default=Path(__file__).resolve().parent, help="where the files are (default: beside this script)")
    arguments = parser.parse_args()
    wrong = 0
    for draw in (way_of_a_call, chained_products, look_back, band_product, temporal_blocking):
        path = arguments.folder / f"{draw.__name__}.svg"
        drawn = draw().svg()
        if not arguments.check:
            path.write_text(drawn, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != drawn:
            print(f"{path} is not what draw_diagrams.py draws; run it and commit", file=sys.stderr)
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
