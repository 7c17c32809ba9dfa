# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of benchmark results: the fraction of the memory ceiling over n, over the length of segments, over the radius of stencils."""

import math
import pathlib

from bench_results import Results, on_cuda

NO_MATPLOTLIB = ("no plots: this Python has no matplotlib (Debian: apt install python3-matplotlib, elsewhere: "
                 "python3 -m pip install matplotlib)")

# Colours of Okabe and Ito, which colour-blind readers tell apart; markers for those who print in grey.
OURS, OURS_TOO, KOKKOS, CUB, THIRD, FOURTH, FIFTH = "#0072B2", "#56B4E9", "#555555", "#E69F00", "#009E73", "#CC79A7", "#D55E00"
STYLE = {
    "kokkos-mma": (OURS, "o"),
    "kokkos-mma, drop-in": (OURS_TOO, "s"),
    "kokkos-mma, streamed": (OURS_TOO, "s"),
    "kokkos-mma, mma": (OURS, "o"),
    "Kokkos": (KOKKOS, "v"),
    "Kokkos, int64_t": (FIFTH, "v"),
    "CUB": (CUB, "^"),
    "cuBLAS": (THIRD, "D"),
    "NPP": (THIRD, "D"),
    "hand-written": (FOURTH, "P"),
    "cuDNN": (FIFTH, "X"),
}
# Line -> its contenders; of several the fastest at each point.
OVER_N = {
    "reduce": {"kokkos-mma": ("mma",), "kokkos-mma, drop-in": ("drop_in",), "CUB": ("cub",), "Kokkos": ("kokkos",),
               "Kokkos, int64_t": ("kokkos_int64",)},
    "scan": {"kokkos-mma": ("visible",), "kokkos-mma, drop-in": ("drop_in",), "CUB": ("cub",), "Kokkos": ("kokkos",),
             "Kokkos, int64_t": ("kokkos_int64",)},
}
OVER_LENGTH = {
    "kokkos-mma": ("segmented",),
    "CUB": ("cub_offsets", "cub_fixed", "cub_by_key"),
    "cuBLAS": ("cublas",),
    "Kokkos": ("kokkos_team", "kokkos_flat"),
}
OVER_RADIUS = {
    "kokkos-mma": ("stencil",),
    "hand-written": ("separable",),
    "NPP": ("npp",),
    "cuDNN": ("cudnn",),
    "Kokkos": ("kokkos", "kokkos_tiled"),
}
NAMED_ROUTES = {"kokkos-mma, mma": ("mma",), "kokkos-mma, streamed": ("streamed",)}
TYPES = ("half", "float", "double", "int8", "int32")
STENCIL_TYPES = ("half", "float", "double", "uint8")
FORMS = {"box": "box of ones", "star": "star", "dense": "dense weights"}


class Panel:
    """lines: {label: {x: fraction}}; x are numbers, or with bars the names of what stands side by side."""

    def __init__(self, title, axis, lines, bars=False):
        self.title, self.axis, self.lines, self.bars = title, axis, lines, bars


class Picture:
    def __init__(self, name, title, ceiling, panels):
        self.name, self.title, self.ceiling, self.panels = name, title, ceiling, panels


def fastest(contenders, found):
    """The largest fraction among the named contenders of a {contender: Case}, None without one."""
    return max((found[c].fraction for c in contenders if c in found and found[c].fraction is not None), default=None)


def lines_of(table, points):
    """{label: {x: fraction}} of {x: {contender: Case}}, without empty lines."""
    lines = {label: {x: fastest(contenders, found) for x, found in sorted(points.items())} for label, contenders in table.items()}
    lines = {label: {x: y for x, y in line.items() if y is not None} for label, line in lines.items()}
    return {label: line for label, line in lines.items() if line}


def panels_of(axis, types, points_of, lines):
    """A panel for each type with two points or more; points_of(type) is {x: {contender: Case}}."""
    panels = []
    for value_type in types:
        points = points_of(value_type)
        found = lines_of(lines(points) if callable(lines) else lines, points)
        if len(points) > 1 and found:
            panels.append(Panel(value_type, axis, found))
    return panels


def over_n(results, task, kind):
    def points(value_type):
        found = {}
        for (contender, t, k, n), case in results.cases[task].items():
            if t == value_type and k == kind and n >= 1 << 10 and n & (n - 1) == 0:
                found.setdefault(n, {})[contender] = case
        return found

    return panels_of("elements n", TYPES, points, OVER_N[task])


def over_length(results, task):
    found = results.segmented.get((task, "equal"), {})
    return panels_of("segment length", TYPES, lambda kind: {length: cases for (t, _, length), cases in found.items() if t == kind}, OVER_LENGTH)


def over_radius(results, form):
    found = results.stencils.get(("stencil", "2d", form), {})

    def lines(points):
        chosen = any("stencil" in cases for cases in points.values())
        return OVER_RADIUS if chosen else {**NAMED_ROUTES, **OVER_RADIUS}

    return panels_of("radius", STENCIL_TYPES, lambda kind: {radius: cases for (t, radius, boundary, _), cases in found.items()
                                                            if t == kind and boundary == "constant"}, lines)


def pictures(results):
    """All that the cases of one program give."""
    all_of_them = [
        Picture("reduce", "Sum", "read", over_n(results, "reduce", "view")),
        Picture("scan", "Exclusive scan", "copy", over_n(results, "scan", "exclusive")),
        Picture("segmented_reduce", "Sums of equal segments", "read", over_length(results, "segmented_reduce")),
        Picture("segmented_scan", "Scans of equal segments", "copy", over_length(results, "segmented_scan")),
    ]
    all_of_them += [Picture(f"stencil_{form}", f"2D stencil, {title}", "copy", over_radius(results, form)) for form, title in FORMS.items()]
    return [p for p in all_of_them if p.panels]


def at_largest(results, task, kind):
    """Types side by side, each at its largest n."""
    lines, largest = {}, set()
    for value_type in TYPES:
        n = max((n for _, t, k, n in results.cases[task] if t == value_type and k == kind), default=None)
        found = {c: case for (c, t, k, m), case in results.cases[task].items() if (t, k, m) == (value_type, kind, n)}
        for label, contenders in OVER_N[task].items():
            fraction = fastest(contenders, found)
            if fraction is not None:
                lines.setdefault(label, {})[value_type] = fraction
                largest.add(n)
    if not lines:
        return []
    sizes = " to ".join(f"$2^{{{n.bit_length() - 1}}}$" if n & (n - 1) == 0 else str(n) for n in sorted({min(largest), max(largest)}))
    return [Panel("", f"n = {sizes}", lines, bars=True)]


def overview(all_results):
    """One panel of each kind: what the library is for, at a glance."""
    panels = []
    for results in all_results:
        chosen = [("Sum in a View", at_largest(results, "reduce", "view")), ("Exclusive scan", at_largest(results, "scan", "exclusive"))]
        for title, found in (("Sums of equal segments", over_length(results, "segmented_reduce")),
                             ("2D stencil, box of ones", over_radius(results, "box"))):
            chosen.append((title, sorted(found, key=lambda panel: panel.title != "half")[:1]))
        for title, found in chosen:
            for panel in found:
                panels.append(Panel(f"{title}{panel.title and ', '}{panel.title}", panel.axis, panel.lines, panel.bars))
    return [Picture("overview", "Fractions of the memory ceiling", "memory", panels)] if len(panels) > 1 else []


def subject(context):
    """What was measured, for a title."""
    device = context.get("device", "unknown device")
    where = device if on_cuda(context) else f"host routes, no GPU: {device}"
    return f"{where}, {context.get('date', 'no date')[:10]}, revision {context.get('git_revision', 'unknown')}"


def ticks(values):
    """Exponents of the powers of two to label: no more than seven."""
    low, high = math.floor(math.log2(min(values))), math.ceil(math.log2(max(values)))
    return range(low, high + 1, max(1, math.ceil((high - low) / 6)))


def width_of(label):
    return 2.4 if label.startswith("kokkos-mma") else 1.5


def draw_bars(axis, panel, labels):
    names = list(dict.fromkeys(x for line in panel.lines.values() for x in line))
    shown = [label for label in labels if label in panel.lines]
    width = 0.8 / len(shown)
    for position, label in enumerate(shown):
        line = panel.lines[label]
        middles = [names.index(x) + (position - (len(shown) - 1) / 2) * width for x in line]
        axis.bar(middles, list(line.values()), width * 0.92, color=STYLE[label][0])
    axis.set_xticks(range(len(names)))
    axis.set_xticklabels(names, fontsize=10)
    axis.grid(axis="y", alpha=0.25)


def is_wide(panel):
    """Over n or lengths, not over radii."""
    return max(x for line in panel.lines.values() for x in line) > 64


def joined(x):
    """Lines join powers of two; the lengths beside them, which run on other kernels, are dots."""
    return x & (x - 1) == 0


def has_dots(panel):
    return not panel.bars and is_wide(panel) and any(not joined(x) for line in panel.lines.values() for x in line)


def draw_lines(axis, panel, labels):
    wide = is_wide(panel)
    for label in reversed(labels):  # ours on top
        line = panel.lines.get(label, {})
        colour, marker = STYLE[label]
        on = {x: y for x, y in line.items() if not wide or joined(x)}
        off = {x: y for x, y in line.items() if x not in on}
        axis.plot(list(on), list(on.values()), color=colour, marker=marker, markersize=5, linestyle="none")
        for (x, y), (next_x, next_y) in zip(on.items(), list(on.items())[1:]):
            far = next_x > 16 * x  # nobody measured what is between
            axis.plot([x, next_x], [y, next_y], color=colour, linestyle=":" if far else "-", linewidth=1 if far else width_of(label))
        axis.plot(list(off), list(off.values()), color=colour, marker=".", markersize=4, linestyle="none", alpha=0.6)
    axis.set_xscale("log", base=2)
    exponents = ticks({x for line in panel.lines.values() for x in line})
    axis.set_xticks([2.0**e for e in exponents])
    axis.set_xticklabels([f"$2^{{{e}}}$" if wide else str(2**e) for e in exponents])
    axis.minorticks_off()
    axis.grid(alpha=0.25)


def draw(picture, context, folder):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D
    from PIL import Image

    count = len(picture.panels)
    columns = count if count <= 3 else 2 if count == 4 else 3
    rows = math.ceil(count / columns)
    labels = [label for label in STYLE if any(label in panel.lines for panel in picture.panels)]
    highest = max(y for panel in picture.panels for line in panel.lines.values() for y in line.values())
    limit = max(1.12, highest * 1.05)  # hosts with large caches pass the ceiling
    with plt.rc_context({"font.size": 11, "axes.titlesize": 11, "axes.spines.top": False, "axes.spines.right": False}):
        height = 1 + 2.5 * rows
        figure, axes = plt.subplots(rows, columns, figsize=(9, height), sharey=True, squeeze=False)
        for index, (panel, axis) in enumerate(zip(picture.panels, axes.flat)):
            (draw_bars if panel.bars else draw_lines)(axis, panel, labels)
            axis.axhline(1, color="black", linewidth=1, linestyle=(0, (4, 3)))
            axis.set_ylim(0, limit)
            if limit < 1.5:
                axis.set_yticks([0, 0.25, 0.5, 0.75, 1])
            axis.set_title(panel.title, fontweight="bold")
            axis.set_xlabel(panel.axis)
            if index % columns == 0:
                axis.set_ylabel(f"fraction of the\n{picture.ceiling} ceiling")
        for axis in axes.flat[count:]:
            axis.set_visible(False)
        entries = {label: Line2D([], [], color=STYLE[label][0], marker=STYLE[label][1], linewidth=width_of(label)) for label in labels}
        if any(has_dots(panel) for panel in picture.panels):
            entries["other lengths"] = Line2D([], [], color="0.4", marker=".", markersize=5, linestyle="none")
        entries[f"{picture.ceiling} ceiling"] = Line2D([], [], color="black", linewidth=1, linestyle=(0, (4, 3)))
        lines_of_legend = 2 if sum(len(label) + 6 for label in entries) > 100 else 1
        strip = 0.3 + 0.21 * lines_of_legend
        figure.tight_layout(rect=(0, 0, 1, 1 - strip / height))
        figure.suptitle(f"{picture.title}: {subject(context)}", fontsize=12, y=1 - 0.06 / height, va="top")
        figure.legend(entries.values(), entries.keys(), loc="upper center", bbox_to_anchor=(0.5, 1 - 0.28 / height),
                      ncol=math.ceil(len(entries) / lines_of_legend), frameon=False, fontsize=10, columnspacing=1.2, handletextpad=0.4)
        png, svg = (pathlib.Path(folder) / f"{picture.name}.{ending}" for ending in ("png", "svg"))
        figure.savefig(svg)
        figure.savefig(png, dpi=150)
        plt.close(figure)
    with Image.open(png) as image:  # few colours: a third of the bytes
        small = image.convert("RGB").quantize(96)
    small.save(png, optimize=True)
    return [png, svg]


def draw_all(documents, folder):
    """Pictures of {program: document}; the files written.
    Raises ImportError without matplotlib."""
    import matplotlib  # noqa: F401

    all_results = [Results(document) for document in documents.values()]
    found = [picture for results in all_results for picture in pictures(results)] + overview(all_results)
    context = next(iter(documents.values()))["context"]
    return [path for picture in found for path in draw(picture, context, folder)]
