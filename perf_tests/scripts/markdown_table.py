#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the JSON of perf_reduce into the Markdown tables of docs/results.

    perf_reduce --mma-all --benchmark_out=reduce.json
    perf_tests/scripts/markdown_table.py reduce.json > docs/results/reduce.md

Ends with status 1, after the tables, when the file records a case that failed.
"""

import argparse
import json
import statistics
import sys

RESULT_TYPE = {"half": "half -> float", "bhalf": "bhalf -> float", "int8": "int8 -> int32"}
CONTENDERS = {"kokkos": "Kokkos", "cub": "CUB", "drop_in": "drop-in", "mma": "mma"}

# What the project promised: fractions of the read ceiling at the largest size, (drop-in, mma).
FRACTION_BARS = {
    "half": (0.90, 0.97),
    "float": (0.95, 0.97),
    "double": (0.97, 0.97),
    "int8": (0.80, 0.97),
    "int32": (0.95, 0.97),
}
# Microseconds per call for n <= 128 Ki. The bar for a View was set on one repeated buffer, so on data in L2.
SMALL_BARS = {"view_warm": 4.5, "scalar": 9.0}
SMALL_SIZES = (1 << 10, 1 << 14, 1 << 17)
SMALL_TITLES = {
    "view": "Result in a View, data in no cache",
    "view_warm": "Result in a View, data in L2",
    "scalar": "Result in a host scalar (host clock)",
}
SLOWER_BAR = 0.97


class Case:
    """One measured case; of repetitions, the median of each field."""

    def __init__(self, entries):
        first = entries[0]
        self.error = next((e.get("error_message", "failed") for e in entries if e.get("error_occurred")), None)
        self.label = first.get("label", "")
        scale = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}[first.get("time_unit", "ns")]

        def median(field):
            values = [e[field] for e in entries if field in e]
            return statistics.median(values) if values else None

        microseconds = median("real_time")
        self.microseconds = None if self.error or microseconds is None else microseconds * scale
        self.bytes_per_second = median("bytes_per_second")
        self.fraction = median("fraction_of_ceiling")
        self.relative_error = median("relative_error")


class Results:
    def __init__(self, document):
        self.context = document.get("context", {})
        self.has_bars = self.context.get("execution_space") == "Cuda"  # on hosts every route is Kokkos' own code
        entries = {}
        for entry in document["benchmarks"]:
            if entry.get("run_type", "iteration") == "iteration":
                entries.setdefault(entry.get("run_name", entry["name"]), []).append(entry)
        self.ceilings = {}
        self.reduce = {}  # (contender, type, result, n) -> Case
        self.formulations = {}  # (form, R, B, type, n) -> Case
        self.failed = {}
        for name, group in entries.items():
            case = Case(group)
            path = [p for p in name.split("/") if not p.startswith(("iterations:", "repeats:")) and p != "manual_time"]
            if case.error:
                self.failed["/".join(path)] = case.error
            elif path[0] == "ceiling":
                self.ceilings["/".join(path[1:])] = case
            elif path[0] == "reduce" and path[1] in CONTENDERS:
                self.reduce[path[1], path[2], path[3], int(path[4].partition(":")[2])] = case
            elif path[0] == "reduce" and path[1].startswith("mma-"):
                chain, block, n = (int(path[i].partition(":")[2]) for i in (2, 3, 6))
                self.formulations[path[1][4:], chain, block, path[4], n] = case
        self.types = list(dict.fromkeys(key[1] for key in self.reduce))

    def largest(self, kind):
        return max((n for _, t, r, n in self.reduce if t == kind and r == "view"), default=None)

    def read_ceiling(self):
        return max((c.bytes_per_second for name, c in self.ceilings.items() if name.startswith("read/")), default=None)


def row(cells):
    return "| " + " | ".join(cells) + " |"


def table(header, rows):
    return [row(header), row(["---"] + ["---:"] * (len(header) - 1))] + [row(r) for r in rows] + [""]


def size(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else str(n)


def gigabytes(case):
    return "-" if case is None else f"{case.bytes_per_second * 1e-9:.0f}"


def against_bar(value, bar, met, digits=2):
    """The value, with the bar and the verdict where there is a bar."""
    if value is None:
        return "-"
    if bar is None:
        return f"{value:.{digits}f}"
    return f"{value:.{digits}f} (bar {bar:g}, {'met' if met else 'not met'})"


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
    if "driver" in c:
        versions.append(f"driver: {c['driver']}")
    lines = ["; ".join(what) + ".  ", ", ".join(versions) + f"; {c.get('date', 'no date')}.  "]
    if results.read_ceiling():
        ceilings = f"Read ceiling {results.read_ceiling() * 1e-9:.0f} GB/s"
        if "copy" in results.ceilings:
            ceilings += f", copy ceiling (read plus written) {gigabytes(results.ceilings['copy'])} GB/s"
        if "empty_kernel" in results.ceilings:
            ceilings += f", empty kernel {results.ceilings['empty_kernel'].microseconds:.1f} us"
        lines.append(ceilings + ", all measured in the same process. Medians.")
    return lines + [""]


def largest_lines(results):
    rows, errors = [], []
    for kind in results.types:
        n = results.largest(kind)
        if n is None:
            continue
        found = {c: results.reduce.get((c, kind, "view", n)) for c in CONTENDERS}
        drop_in_bar, mma_bar = FRACTION_BARS.get(kind, (None, None)) if results.has_bars else (None, None)
        cells = [RESULT_TYPE.get(kind, kind), size(n)] + [gigabytes(found[c]) for c in CONTENDERS]
        for contender, bar in (("kokkos", None), ("cub", None), ("drop_in", drop_in_bar), ("mma", mma_bar)):
            fraction = found[contender].fraction if found[contender] else None
            cells.append(against_bar(fraction, bar, fraction is not None and bar is not None and fraction >= bar, 3))
        cells.append(", ".join(found[c].label for c in ("drop_in", "mma") if found[c]))
        rows.append(cells)
        if any(case and case.relative_error is not None for case in found.values()):
            errors.append([RESULT_TYPE.get(kind, kind), size(n)]
                          + [f"{found[c].relative_error:.1e}" if found[c] and found[c].relative_error is not None else "-" for c in CONTENDERS])
    names = list(CONTENDERS.values())
    lines = ["## Sum, result in a View, GB/s of the input", ""]
    lines += table(["type", "n"] + names + [f"{name} / ceiling" for name in names] + ["routes of drop-in, mma"], rows)
    if errors:
        lines += ["Relative error of the same sums of uniform [0, 1) data; the bar is Kokkos' own.", ""] + table(["type", "n"] + names, errors)
    return lines


def small_lines(results):
    lines = []
    for kind_of_result, title in SMALL_TITLES.items():
        rows = []
        bar = SMALL_BARS.get(kind_of_result) if results.has_bars else None
        for kind in results.types:
            for n in SMALL_SIZES:
                found = {c: results.reduce.get((c, kind, kind_of_result, n)) for c in CONTENDERS}
                if not any(found.values()):
                    continue
                cells = [RESULT_TYPE.get(kind, kind), size(n)]
                for c in CONTENDERS:
                    value = found[c].microseconds if found[c] else None
                    own = bar if c in ("drop_in", "mma") else None
                    cells.append(against_bar(value, own, value is not None and own is not None and value <= own))
                rows.append(cells)
        if rows:
            lines += [f"## {title}, microseconds per call", ""] + table(["type", "n"] + list(CONTENDERS.values()), rows)
    return lines


def every_size_lines(results):
    rows = []
    for kind in results.types:
        for kind_of_result in SMALL_TITLES:
            ratios = []
            for (contender, t, r, n), case in results.reduce.items():
                kokkos = results.reduce.get(("kokkos", kind, kind_of_result, n))
                if contender == "drop_in" and t == kind and r == kind_of_result and kokkos:
                    ratios.append((kokkos.microseconds / case.microseconds, n))
            if ratios:
                worst, at = min(ratios)
                rows.append([RESULT_TYPE.get(kind, kind), kind_of_result, str(len(ratios)), size(at),
                             against_bar(worst, SLOWER_BAR if results.has_bars else None, worst >= SLOWER_BAR), f"{max(ratios)[0]:.2f}"])
    if not rows:
        return []
    return ["## Drop-in against Kokkos' own code: speedup over all sizes", ""] + table(
        ["type", "result", "sizes", "smallest at n", "smallest", "largest"], rows)


def formulation_lines(results):
    rows = []
    for (form, chain, block, kind, n), case in results.formulations.items():
        error = "-" if case.relative_error is None else f"{case.relative_error:.1e}"
        rows.append([form, str(chain), str(block), RESULT_TYPE.get(kind, kind), size(n), gigabytes(case), f"{case.fraction:.2f}", error])
    if not rows:
        return []
    return ["## Formulations of the papers", ""] + table(["form", "R", "B", "type", "n", "GB/s", "/ ceiling", "relative error"], rows)


def markdown(document):
    results = Results(document)
    lines = header_lines(results)
    if results.reduce:
        lines += largest_lines(results) + small_lines(results) + every_size_lines(results)
    lines += formulation_lines(results)
    if results.failed:
        lines += ["## Failed", ""] + [f"- `{name}`: {why}" for name, why in results.failed.items()] + [""]
    return "\n".join(lines), not results.failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("json", help="file written by perf_reduce --benchmark_out=FILE")
    arguments = parser.parse_args()
    try:
        with open(arguments.json, encoding="utf-8") as file:
            text, good = markdown(json.load(file))
    except (OSError, ValueError, KeyError, IndexError) as error:
        sys.exit(f"markdown_table: {arguments.json} is not the JSON of a perf_reduce run: {type(error).__name__}: {error}")
    print(text)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
