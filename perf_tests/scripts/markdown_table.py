#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the JSON of perf_reduce, perf_scan, perf_segmented, perf_stencil, perf_loops, perf_nested or perf_paper into Markdown tables.

    perf_reduce --mma-all --benchmark_out=reduce.json
    perf_tests/scripts/markdown_table.py reduce.json > reduce.md

Ends with status 1, after the tables, when the file records a case that failed.
"""

import argparse
import re
import sys

import paper_tables
from bench_results import CONTENDERS, PEERS, BadFile, Results, load, section, size, table

RESULT_TYPE = {"half": "half -> float", "bhalf": "bhalf -> float", "int8": "int8 -> int32", "uint8": "uint8 -> int32"}
SMALL_SIZES = (1 << 10, 1 << 14, 1 << 17)
SLOWER_BAR = 0.97
GAINS = ["drop-in / Kokkos", "drop-in / faster Kokkos"]


class Reduce:
    """What perf_reduce measures, and what the project promised of it."""

    name = "reduce"
    title = "Sum, result in a View, GB/s of the input"
    contenders = CONTENDERS["reduce"]
    routed = ("drop_in", "mma")  # those whose routes the table names, and the bars of small sizes are for
    compared = ("drop_in",)  # those that are compared with Kokkos over all sizes
    main_kind = "view"
    # Fractions of the read ceiling at the largest size.
    fraction_bars = {kind: {"drop_in": bar, "mma": 0.97}
                     for kind, bar in (("half", 0.90), ("float", 0.95), ("double", 0.97), ("int8", 0.80), ("int32", 0.95))}
    errors = "Relative error of the same sums of uniform [0, 1) data."
    small_titles = {
        "view": "Result in a View, data in no cache",
        "view_warm": "Result in a View, data in L2",
        "scalar": "Result in a host scalar (host clock)",
    }
    # Microseconds per call for n <= 128 Ki. The bar for a View was set on one repeated buffer, so on data in L2.
    small_bars = {"view_warm": 4.5, "scalar": 9.0}

    @staticmethod
    def large_sizes(sizes):
        return sizes[-1:]


class Scan:
    """What perf_scan measures, and what the project promised of it."""

    name = "scan"
    title = "Exclusive scan, GB/s read plus written"
    contenders = CONTENDERS["scan"]
    routed = ("drop_in", "visible")
    compared = ("drop_in", "visible")
    main_kind = "exclusive"
    # Fractions of the copy ceiling at 2^28 elements. Those not given as fractions are the targets' GB/s over the 4240 of the copy that
    # they were set beside.
    fraction_bars = {kind: {"drop_in": bar, "visible": 0.87 if kind == "int8" else 0.92}
                     for kind, bar in (("half", 0.78), ("float", 0.85), ("double", 0.85), ("int8", 0.68), ("int32", 0.85))}
    errors = "Largest relative error of the same scans of uniform [0, 1) data."
    small_titles = {
        "exclusive": "Exclusive scan, data in no cache",
        "exclusive_warm": "Exclusive scan, data in L2",
        "total_view": "With the total in a View, data in no cache",
        "total_scalar": "With the total in a host scalar (host clock)",
    }
    # Set on one repeated pair of buffers, without a total.
    small_bars = {"exclusive_warm": 6.0}

    @staticmethod
    def large_sizes(sizes):
        return [n for n in sizes if n == 1 << 28 or n == sizes[-1]]


class Segmented:
    """What perf_segmented measures, and what the project promised of it."""

    contenders = CONTENDERS["segmented"]
    tables = {
        ("segmented_reduce", "equal"): "Sums of equal segments",
        ("segmented_reduce", "ragged32"): "Sums of segments between int32 offsets",
        ("segmented_reduce", "ragged64"): "Sums of segments between int64 offsets",
        ("segmented_reduce", "along0"): "Sums of the columns of a row-major matrix",
        ("segmented_reduce", "keys"): "Sums of runs of equal keys",
        ("segmented_scan", "equal"): "Inclusive scans of equal segments",
        ("segmented_scan", "ragged32"): "Inclusive scans of segments between int32 offsets",
        ("segmented_scan", "along0"): "Inclusive scans of the columns of a row-major matrix",
        ("segmented_scan", "keys"): "Inclusive scans of runs of equal keys",
    }
    # The targets' GB/s over the read ceiling of 4620 and the copy ceiling of 4240 that they were set beside.
    read, copied = 4620, 4240
    lengths_from = 8
    hole_bar = 0.85

    @classmethod
    def bar(cls, task, value_type, shape, pattern, parameter):
        """The fraction of its ceiling that route auto was promised to reach."""
        if task == "segmented_scan" and shape == "equal" and value_type in ("half", "float", "double"):
            return round(3600 / cls.copied, 3)
        if task == "segmented_reduce" and shape == "equal" and cls.lengths_from <= parameter <= 1 << 20:
            if value_type == "half":
                target = 4200 if parameter < 64 else 4250 if parameter < 128 else 4300 if parameter < 1024 else 4350
                return round(target / cls.read, 3)
            if value_type in ("float", "double"):
                return round(4200 / cls.read, 3)
        if task == "segmented_reduce" and shape.startswith("ragged") and (pattern, parameter) == ("mean", 16):
            return round(2500 / cls.read, 3)
        return None


class Stencil:
    """What perf_stencil measures, and what the project promised of it."""

    contenders = CONTENDERS["stencil"]
    auto = ("stencil", "automaton")
    forms = {
        "box": "box of ones",
        "star": "star of ones",
        "binomial": "binomial weights",
        "dense": "dense weights, random integers",
        "dense_real": "dense weights, random real numbers",
        "mean": "mean",
    }
    ranks = ("2d", "1d", "3d")
    # 10^9 updates per second of a copy at the 4240 GB/s that the targets were set beside.
    copied = {"int8": 2120, "uint8": 2120, "half": 1060, "bhalf": 1060, "float": 530, "double": 265}
    boundary_bar = 0.97

    @classmethod
    def bar(cls, task, value_type, rank, form, radius):
        """The fraction of the copy ceiling that route auto was promised to reach."""
        copied = cls.copied.get(value_type)
        target = None
        if task == "automaton":
            target = 1500 / copied if form == "moore" else None
        elif rank != "2d" or copied is None:
            return None
        elif task == "stencil_steps":
            target = {"float": 600, "double": 450}.get(value_type)
            target = target / copied if target and form == "box" and radius == 1 else None
        elif form in ("box", "binomial") and radius <= 7:
            target = 0.85 if value_type == "double" else 0.90
        elif form == "dense" and radius == 7:
            target = {"half": 450, "float": 150, "double": 75}.get(value_type)
            target = target / copied if target else None
        return None if target is None else round(target, 3)


def gigabytes(case):
    return "-" if case is None else f"{case.bytes_per_second * 1e-9:.0f}"


def gains(found):
    """The drop-in against Kokkos' own code with its default index, and against the faster of its two, from a {contender: Case}."""
    own = found.get("drop_in")
    kokkos = [found[c] for c in ("kokkos", "kokkos_int64") if found.get(c)]
    if not own or not found.get("kokkos"):
        return ["-", "-"]
    return [f"{min(times) / own.microseconds:.2f}"
            for times in ([found["kokkos"].microseconds], [case.microseconds for case in kokkos])]


def against_bar(results, value, bar=None, digits=2, at_most=False):
    """The value, with the bar and the verdict where there is a bar. Hosts have none."""
    if value is None:
        return "-"
    if bar is None or not results.has_bars:
        return f"{value:.{digits}f}"
    met = value <= bar if at_most else value >= bar
    return f"{value:.{digits}f} (bar {bar:g}, {'met' if met else 'not met'})"


def largest_error(found, name):
    """Of a contender in several {contender: Case}."""
    errors = [contenders[name].relative_error for contenders in found if name in contenders]
    errors = [error for error in errors if error is not None]
    return f"{max(errors):.1e}" if errors else "-"


def header_lines(results):
    c = results.context
    what = [c.get("device", "unknown device")]
    if "compute_capability" in c:
        what.append(f"compute capability {c['compute_capability']}, {c.get('sm_count', '?')} SMs, {int(c.get('l2_bytes', 0)) // 2**20} MiB L2")
    what.append(f"{c.get('execution_space', '?')}")
    versions = [f"Kokkos {c.get('kokkos_version', '?')}", f"kokkos-mma {c.get('kokkosmma_version', '?')} ({c.get('git_revision', '?')})"]
    for key, name in (("cub_version", "CUB"), ("cuda_runtime_version", "CUDA")):
        if key in c:
            versions.append(f"{name} {c[key]}")
    driver = c.get("driver_version", c.get("driver"))
    if driver:
        versions.append(f"driver: {driver}")
    if "sm_clock_mhz" in c:
        versions.append(f"{c['sm_clock_mhz']} and {c.get('memory_clock_mhz', '?')} MHz (limited by: {c.get('clock_limits', '?')})")
    if not re.fullmatch(r"built.in(, [^(]*)?", c.get("tuning_table", "built-in")):
        versions.append(f"tuning table {c['tuning_table']}")
    if c.get("route_setting", "auto") != "auto":
        versions.append(f"every call asked for route {c['route_setting']}")
    lines = ["; ".join(what) + ".  ", ", ".join(versions) + f"; {c.get('date', 'no date')}.  "]
    if results.read_ceiling():
        ceilings = f"Read ceiling {results.read_ceiling() * 1e-9:.0f} GB/s"
        if "copy" in results.ceilings:
            ceilings += f", copy ceiling (read plus written) {gigabytes(results.ceilings['copy'])} GB/s"
        if "empty_kernel" in results.ceilings:
            ceilings += f", empty kernel {results.ceilings['empty_kernel'].microseconds:.1f} us"
        widening = {name.partition(":")[2]: gigabytes(c) for name, c in results.ceilings.items() if name.startswith("copy/written_per_read:")}
        if widening:
            ceilings += f", kernel copies that write {', '.join(widening)} bytes for each they read {', '.join(widening.values())} GB/s"
        lines.append(ceilings + ", all measured in the same process. Medians.")
    return lines + [""]


def largest_lines(results, operation):
    rows, errors = [], []
    names = operation.contenders
    names = {c: name for c, name in names.items() if any(key[0] == c for key in results.cases[operation.name])}
    barred = [c for c in names if c in operation.routed]
    order = [c for c in names if c not in barred] + barred
    differing = set()
    for value_type in results.types(operation):
        for n in operation.large_sizes(results.sizes(operation, value_type, operation.main_kind)):
            found = results.find(operation, value_type, operation.main_kind, n)
            bars = operation.fraction_bars.get(value_type, {})
            start = [RESULT_TYPE.get(value_type, value_type), size(n)]
            cells = start + [gigabytes(found[c]) for c in names]
            for contender in order:
                fraction = found[contender].fraction if found[contender] else None
                cells.append(against_bar(results, fraction, bars.get(contender), 3))
            cells += gains(found)
            cells.append(", ".join(found[c].label for c in operation.routed if found[c]))
            rows.append(cells)
            if any(case and case.relative_error is not None for case in found.values()):
                values = (found[c].relative_error if found[c] else None for c in names)
                errors.append(start + ["-" if value is None else f"{value:.1e}" for value in values])
            differing |= {f"{names[c]} ({value_type})" for c, case in found.items() if case and case.reproducible == 0}
    lines = [f"## {operation.title}", ""]
    lines += table(["type", "n"] + list(names.values()) + [f"{names[c]} / ceiling" for c in order] + GAINS
                   + ["routes of " + ", ".join(names[c] for c in operation.routed)], rows)
    if errors:
        lines += [operation.errors, ""] + table(["type", "n"] + list(names.values()), errors)
    if differing:
        lines += ["Not the same bits in every run: " + ", ".join(sorted(differing)) + ".", ""]
    return lines


def small_lines(results, operation):
    lines = []
    for kind, title in operation.small_titles.items():
        rows = []
        bar = operation.small_bars.get(kind)
        names = {c: name for c, name in operation.contenders.items()
                 if any(key[0] == c and key[2] == kind for key in results.cases[operation.name])}
        for value_type in results.types(operation):
            for n in SMALL_SIZES:
                found = results.find(operation, value_type, kind, n)
                if not any(found.values()):
                    continue
                cells = [RESULT_TYPE.get(value_type, value_type), size(n)]
                for contender in names:
                    case = found[contender]
                    own = bar if contender in operation.routed else None
                    cells.append(against_bar(results, case.microseconds if case else None, own, at_most=True))
                rows.append(cells)
        lines += section(f"{title}, microseconds per call", ["type", "n"] + list(names.values()), rows)
    return lines


def every_size_lines(results, operation):
    lines = []
    cases = results.cases[operation.name]
    for contender in operation.compared:
        rows = []
        for value_type in results.types(operation):
            for kind in operation.small_titles:
                ratios = []
                for n in results.sizes(operation, value_type, kind):
                    kokkos, own = (cases.get((c, value_type, kind, n)) for c in ("kokkos", contender))
                    if kokkos and own:
                        ratios.append((kokkos.microseconds / own.microseconds, n))
                if ratios:
                    worst, at = min(ratios)
                    smallest = against_bar(results, worst, SLOWER_BAR)
                    rows.append([RESULT_TYPE.get(value_type, value_type), kind, str(len(ratios)), size(at), smallest, f"{max(ratios)[0]:.2f}"])
        name = operation.contenders[contender]
        lines += section(f"{name[0].upper()}{name[1:]} against Kokkos' own code: speedup over all sizes",
                         ["type", "result" if operation is Reduce else "kind", "sizes", "smallest at n", "smallest", "largest"], rows)
    return lines


def grid_sum_lines(results):
    """Sums over an MDRangePolicy with all defaults."""
    rows = []
    for kind, title in (("grid2", "2D"), ("grid3", "3D"), ("grid2_right", "2D, LayoutRight"), ("grid3_right", "3D, LayoutRight")):
        for value_type in results.types(Reduce):
            for n in results.sizes(Reduce, value_type, kind):
                found = results.find(Reduce, value_type, kind, n)
                pair = [found["kokkos"], found["drop_in"]]
                fractions = [f"{case.fraction:.3f}" if case else "-" for case in pair]
                rows.append([value_type, title, str(n)] + [gigabytes(case) for case in pair] + fractions + gains(found)[:1])
    return section("Sum over an MDRangePolicy, GB/s of the input",
                   ["type", "policy", "n", "Kokkos, int", "drop-in", "Kokkos / ceiling", "drop-in / ceiling", GAINS[0]], rows)


def other_scan_lines(results):
    """The kinds that Kokkos and the drop-in do not run."""
    rows = []
    names = {c: name for c, name in Scan.contenders.items() if not c.startswith(("kokkos", "drop_in"))}
    for kind, title in (("inclusive", "inclusive"), ("inplace", "exclusive, in place")):
        for value_type in results.types(Scan):
            for n in Scan.large_sizes(results.sizes(Scan, value_type, kind)):
                found = results.find(Scan, value_type, kind, n)
                visible = found["visible"].fraction if found["visible"] else None
                rows.append([RESULT_TYPE.get(value_type, value_type), title, size(n)] + [gigabytes(found[c]) for c in names]
                            + [against_bar(results, visible, digits=3)])
    return section("Inclusive and in-place scans, GB/s read plus written",
                   ["type", "kind", "n"] + list(names.values()) + ["visible / ceiling"],
                   rows)


def against_peer(results, own, contenders, names, rate):
    """The library's rate over that of the fastest contender that is another's."""
    peer = max(((rate(case), name) for name, case in contenders.items() if name in PEERS), default=None)
    return f"{against_bar(results, rate(own) / peer[0], SLOWER_BAR)}, {names[peer[1]]}" if own and peer else "-"


def error_lines(title, groups, names):
    """groups: (cells, [(line, {contender: Case})]) of what is one table; a line begins with the type."""
    rows = []
    for name, found in groups:
        for value_type in dict.fromkeys(key[0] for key in found):
            cells = [largest_error([c for key, c in found.items() if key[0] == value_type], contender) for contender in names]
            if any(cell != "-" for cell in cells):
                rows.append([name, value_type] + cells)
    return section(f"Largest relative error of all results, {title}", ["", "type"] + list(names.values()), rows)


def segmented_lines(results):
    lines = []
    for (task, shape), title in Segmented.tables.items():
        found = results.segmented.get((task, shape), {})
        names = [c for c in Segmented.contenders if any(c in contenders for contenders in found.values())]
        rows = []
        for (value_type, pattern, parameter), contenders in found.items():
            own = contenders.get("segmented")
            fraction = against_bar(results, own.fraction if own else None, Segmented.bar(task, value_type, shape, pattern, parameter), 3)
            cells = [RESULT_TYPE.get(value_type, value_type), f"{pattern} {parameter}" if pattern != "length" else str(parameter)]
            cells += [gigabytes(contenders.get(c)) for c in names]
            peer = against_peer(results, own, contenders, Segmented.contenders, lambda case: case.bytes_per_second)
            rows.append(cells + [fraction, peer, own.label if own else "-"])
        ceiling = "copy" if task == "segmented_scan" else "read"
        lines += section(f"{title}, GB/s", ["type", "length" if shape in ("equal", "keys") else "segments"] + [Segmented.contenders[c] for c in names]
                         + [f"auto / {ceiling} ceiling", "auto / best peer", "route"], rows)
    groups = [(title, {(RESULT_TYPE.get(line[0], line[0]), line): found for line, found in results.segmented.get(key, {}).items()})
              for key, title in Segmented.tables.items()]
    return (lines + segmented_summary_lines(results) + error_lines("uniform [0, 1) data", groups, Segmented.contenders)
            + energy_lines(results))


def segmented_summary_lines(results):
    """Holes: the slowest of all lengths, of each type."""
    rows = []
    for task in ("segmented_reduce", "segmented_scan"):
        found = results.segmented.get((task, "equal"), {})
        for value_type in dict.fromkeys(key[0] for key in found):
            rates = []
            for (t, _, length), contenders in found.items():
                if t == value_type and length >= Segmented.lengths_from and "segmented" in contenders:
                    rates.append((contenders["segmented"].bytes_per_second, length))
            if len(rates) < 2:
                continue
            ratio = min(rates)[0] / max(rates)[0]
            rows.append([RESULT_TYPE.get(value_type, value_type), task.partition("_")[2], str(len(rates)), str(min(rates)[1]), str(max(rates)[1]),
                         against_bar(results, ratio, Segmented.hole_bar)])
    return section(
        f"Holes: the slowest of all lengths from {Segmented.lengths_from} up against the fastest, auto",
        ["type", "operation", "lengths", "slowest at", "fastest at", "slowest / fastest"], rows)


def energy_lines(results):
    rows = []
    for (value_type, _, length), contenders in results.segmented.get(("segmented_energy", "equal"), {}).items():
        own = contenders.get("segmented")
        for name, case in contenders.items():
            ratio = f"{case.joules / own.joules:.2f}" if own and own.joules else "-"
            rows.append([RESULT_TYPE.get(value_type, value_type), str(length), Segmented.contenders[name], gigabytes(case), f"{case.watts:.0f}",
                         f"{case.joules * 1e12:.1f}", ratio])
    return section(
        "Energy of sums of equal segments (NVML, a steady second, the whole board)",
        ["type", "length", "", "GB/s", "W", "pJ per element", "against auto"], rows)


def giga_updates(case):
    return "-" if case is None else f"{case.updates * 1e-9:.4g}"


def rule_title(rule):
    neighbourhood, _, states = rule.partition("_states:")
    return neighbourhood.replace("_", " ") + (f", {states} states" if states else "")


def stencil_group_lines(results, groups, title):
    """A table of groups; where they are one stencil each, the title names it."""
    found = {group: results.stencils.get(group, {}) for group in groups}
    names = [c for c in Stencil.contenders if any(c in contenders for lines in found.values() for contenders in lines.values())]
    named = groups[0][0] != "stencil"
    rows = []
    for (task, rank, form), lines in found.items():
        for (value_type, radius, boundary, steps), contenders in lines.items():
            own = next((contenders[c] for c in Stencil.auto if c in contenders), None)
            fraction = against_bar(results, own.fraction if own else None, Stencil.bar(task, value_type, rank, form, radius), 3)
            against = against_peer(results, own, contenders, Stencil.contenders, lambda case: case.updates)
            cells = [value_type]
            if named:
                cells.append(rule_title(form) if task == "automaton" else f"{rank} {form}")
            cells += [str(radius), boundary] + ([str(steps)] if named else [])
            cells += [giga_updates(contenders.get(c)) for c in names]
            rows.append(cells + [fraction, against, own.label if own else "-"])
    header = ["type"] + (["stencil" if groups[0][0] == "stencil_steps" else "neighbourhood"] if named else []) + ["r", "boundary"]
    header += ["steps per call"] if named else []
    return section(
        f"{title}, 10^9 updates per second",
        header + [Stencil.contenders[c] for c in names] + ["auto / copy ceiling", "auto / best peer", "route"], rows)


def boundary_lines(results):
    """What a boundary costs: the rate with it over that with a constant."""
    kinds = ("periodic", "reflect", "mirror", "nearest", "halo")
    rows = []
    for rank in Stencil.ranks:
        rates = {key: contenders["stencil"].updates for key, contenders in results.stencils.get(("stencil", rank, "box"), {}).items()
                 if "stencil" in contenders}
        for value_type, radius in dict.fromkeys((t, r) for t, r, boundary, _ in rates if boundary in kinds):
            constant = rates.get((value_type, radius, "constant", 1))
            if not constant:
                continue
            cells = [value_type, rank, str(radius)]
            for kind in kinds:
                rate = rates.get((value_type, radius, kind, 1))
                barred = rank == "2d" and kind in ("periodic", "reflect", "mirror")
                cells.append(against_bar(results, rate / constant if rate else None, Stencil.boundary_bar if barred else None, 3))
            rows.append(cells)
    return section("Boundaries: auto, rate over that with a constant, box of ones", ["type", "grid", "r"] + list(kinds), rows)


def stencil_lines(results):
    lines = []
    for rank in Stencil.ranks:
        for form, title in Stencil.forms.items():
            lines += stencil_group_lines(results, [("stencil", rank, form)], f"{rank[0]}D, {title}")
    lines += boundary_lines(results)
    for task, title in (("stencil_steps", "Several steps in one call"), ("automaton", "Automata, bytes to bytes")):
        groups = [group for group in results.stencils if group[0] == task]
        if groups:
            lines += stencil_group_lines(results, groups, title)
    groups = [(f"{rank} {Stencil.forms.get(form, form)}{', several steps' if task == 'stencil_steps' else ''}", found)
              for (task, rank, form), found in results.stencils.items()]
    return lines + error_lines("data and weights positive", groups, {c: name for c, name in Stencil.contenders.items() if c != "automaton"})


BODIES = {"loop": ("Loops", "copy"), "nested": ("Team kernels", "read")}


def body_lines(results):
    """perf_loops and perf_nested: unchanged bodies, a table for each group of names."""
    lines = []
    for program, (title, ceiling) in BODIES.items():
        groups = {}
        for (value_type, name), found in results.bodies[program].items():
            groups.setdefault(name.partition("/")[0], []).append((value_type, name.partition("/")[2], found))
        for group, bodies in groups.items():
            names = {c: name for c, name in CONTENDERS[program].items() if any(c in found for *_, found in bodies)}
            rows = []
            for value_type, name, found in bodies:
                cells = [value_type, name] + [f"{found[c].microseconds:.2f}" if c in found else "-" for c in names]
                fractions = [found[c].fraction if c in found else None for c in ("kokkos", "drop_in")]
                cells += ["-" if fraction is None else f"{fraction:.3f}" for fraction in fractions]
                gain = gains(found)
                rows.append(cells + (gain if "kokkos_int64" in names else gain[:1]) + [found["drop_in"].label if "drop_in" in found else "-"])
            header = ["type", "body"] + list(names.values()) + [f"Kokkos / {ceiling} ceiling", f"drop-in / {ceiling} ceiling"]
            header += (GAINS if "kokkos_int64" in names else GAINS[:1]) + ["route"]
            lines += section(f"{title}: {group}, microseconds per call", header, rows)
    return lines


def markdown(document, bars=False):
    """\param bars: with the rates that this project asks of its own kernels"""
    results = Results(document)
    results.has_bars = results.has_bars and bars
    lines = header_lines(results)
    for operation in (Reduce, Scan):
        if results.cases[operation.name]:
            lines += largest_lines(results, operation)
            lines += other_scan_lines(results) if operation is Scan else grid_sum_lines(results)
            lines += small_lines(results, operation) + every_size_lines(results, operation)
    lines += segmented_lines(results)
    lines += stencil_lines(results)
    lines += body_lines(results)
    lines += paper_tables.lines_of(document)
    if results.failed:
        lines += ["## Failed", ""] + [f"- `{name}`: {why}" for name, why in results.failed.items()] + [""]
    return "\n".join(lines), not results.failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("json", help="what perf_reduce, perf_scan, perf_segmented, perf_stencil, perf_loops, perf_nested or perf_paper wrote by "
                        "--benchmark_out=FILE")
    parser.add_argument("--bars", action="store_true", help="with the rates that the project asks of its kernels, and whether they are met")
    arguments = parser.parse_args()
    try:
        text, good = markdown(load(arguments.json), arguments.bars)
    except BadFile as error:
        sys.exit(f"markdown_table: {error}")
    print(text)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
