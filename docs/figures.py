#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every figure of the pages, from the result files in docs/results/data.

    docs/figures.py                         fills the pages and draws the charts
    docs/figures.py --check                 compares those that are there; status 1 where one differs
    docs/figures.py collect FOLDER          a result folder of kokkosmma-bench becomes docs/results/data/CARD.json

A page has its figures between `<!-- figures: NAME -->` and `<!-- end -->`, in lines of their own. The tables name card, Kokkos, index type
and revision. Within a line `<!-- figure: NAME -->` and `<!-- end -->` enclose one figure.
"""

import argparse
import json
import math
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "perf_tests/scripts"), str(HERE / "images")]
import charts  # noqa: E402
from bench_results import BadFile, Case, entries_by_case, files_in, load, on_cuda, size, table  # noqa: E402

BEGIN = re.compile(r"^<!-- figures: ", re.MULTILINE)
BLOCK = re.compile(r"^(<!-- figures: (.+?) -->\n)(.*?)^(<!-- end -->)", re.DOTALL | re.MULTILINE)
ONE = re.compile(r"(<!-- figure: ([\w ]+) -->)([^`\n]*?)(<!-- end -->)")
CONTEXT = ("device", "kokkos_version", "cuda_runtime_version", "cub_version", "driver_version", "git_revision", "date", "tuning_table",
           "kokkosmma_version", "compiler")
CEILING = {"reduce": "read", "segmented_reduce": "read", "nested": "read"}  # what fractions are of; of the others the copy ceiling
FILE = {"segmented_reduce": "segmented", "segmented_scan": "segmented", "stencil_steps": "stencil", "automaton": "stencil", "loop": "loops"}
INDEX = {"reduce": "size_t", "scan": "size_t", "loop": "int"}  # of the contender `kokkos`
TYPES = ("half", "bhalf", "float", "double", "int8", "uint8", "int32", "int64")
BY_NAME = {"reduce": "mma", "scan": "visible"}
CONTENDERS = {"cub": "CUB", "drop_in": "drop-in", "drop_in_int64": "drop-in, `int64_t`", "mma": "by name", "visible": "by name",
              "exact": "by name, `exact`"}


# --------------------------------------------------------------------------------------------------------------------------------------
# Result files


class Value:
    """What a row has of a contender."""

    def __init__(self, fields):
        fields = list(fields) + [None] * (5 - len(fields))
        self.rate, self.fraction, self.microseconds, self.route, self.error = fields


class Run:
    """Rows that one revision measured in one go. rows: (program, case, type) -> {n: {contender: Value}}"""

    def __init__(self, document):
        self.context, self.ceilings = document["context"], document.get("ceilings", {})
        self.rows = {}
        for program, case, value_type, n, values in document["rows"]:
            found = {contender: Value(fields) for contender, fields in values.items()}
            self.rows.setdefault((program, case, value_type), {})[n] = found

    def at(self, program, case, value_type, n=None):
        """{contender: Value} at n, else at the largest n; empty where it was not measured."""
        sizes = self.rows.get((program, case, value_type), {})
        return sizes.get(n if n is not None else max(sizes, default=None), {})

    def cases(self, program):
        return list(dict.fromkeys(case for p, case, _ in self.rows if p == program))

    def ceiling(self, program):
        return self.context.get("ceiling") or CEILING.get(program, "copy")

    def index(self, program):
        return self.context.get("index") or INDEX[program]

    def versions(self):
        c = self.context
        cub = f", CUB {c['cub_version']}" if "cub_version" in c else ""
        note = f" ({c['note']})" if "note" in c else ""
        return (f"Kokkos {c['kokkos_version']}{note}, CUDA {c['cuda_runtime_version']}{cub}, revision {c['git_revision'][:12]}, "
                f"{c['date'][:10]}")

    def caption(self, what):
        return f"{self.context['device']}, {self.versions()}. {what}"

    def fractions_of(self, program):
        kind = self.ceiling(program)
        rate = self.ceilings.get(FILE.get(program, program), {}).get(kind)
        return f"Fractions of the {kind} ceiling" + (f", {rate:.0f} GB/s." if rate else ".")


class Card:
    def __init__(self, document):
        self.runs = [Run(run) for run in document["runs"]]

    def first(self, program, case, value_type, contenders=("kokkos", "drop_in"), n=None):
        """(run, {contender: Value}) of the first run that has all these contenders."""
        for run in self.runs:
            found = run.at(program, case, value_type, n)
            if all(c in found for c in contenders):
                return run, found
        return None, {}


def rounded(value, digits):
    return None if value is None else float(f"{value:.{digits}g}")


def values_of(case, stencil):
    rate = case.updates if stencil else case.bytes_per_second
    fields = [rounded(None if rate is None else rate * 1e-9, 4), rounded(case.fraction, 4), rounded(case.microseconds, 4), case.label or None,
              rounded(case.relative_error, 2)]
    while fields and fields[-1] is None:
        fields.pop()
    return fields


def collected(folder):
    """The document of a card from a result folder of kokkosmma-bench."""
    rows, ceilings, context = {}, {}, {}
    for name, path in files_in(folder).items():
        document = load(path)
        context = context or document["context"]
        if not on_cuda(context):
            raise BadFile(f"{path} is of a host; the pages are of GPUs")
        for key in ("device", "git_revision", "kokkos_version"):
            if document["context"].get(key) != context.get(key):
                raise BadFile(f"{path}: its {key} is {document['context'].get(key)}, that of the others {context.get(key)}; "
                              "a page is of one run")
        own = ceilings.setdefault(name, {})
        for parts, entries in entries_by_case(document).items():
            case = Case(entries)
            if case.error or case.label.startswith("refused"):
                continue
            if parts[0] == "ceiling":
                kind = parts[1]
                if kind in ("read", "copy") and len(parts) < (4 if kind == "read" else 3):
                    own[kind] = max(own.get(kind, 0), rounded(case.bytes_per_second * 1e-9, 4))
                elif kind == "empty_kernel":
                    own["empty_kernel_us"] = rounded(case.microseconds, 3)
                continue
            program, contender, value_type, *rest = parts
            n = int(case.indices or 0)
            if rest and re.fullmatch(r"n:\d+", rest[-1]):
                n = int(rest.pop()[2:])
            key = (program, "/".join(rest), value_type, n)
            rows.setdefault(key, {})[contender] = values_of(case, program in ("stencil", "stencil_steps", "automaton"))
    kept = {key: context[key] for key in CONTEXT if key in context}
    return {"runs": [{"context": kept, "ceilings": ceilings, "rows": [[*key, values] for key, values in rows.items()]}]}


def dumped(document):
    """JSON with a line for each row, so that two versions can be compared line by line."""
    runs = []
    for run in document["runs"]:
        rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in run["rows"])
        runs.append(f'{{"context": {json.dumps(run["context"])},\n"ceilings": {json.dumps(run["ceilings"])},\n"rows": [\n{rows}\n]}}')
    return '{"values": ["GB/s, or 10^9 updates/s of stencils", "fraction of the ceiling", "us", "route", "largest relative error"],\n' \
           '"runs": [\n' + ",\n".join(runs) + "\n]}\n"


def card_of(context):
    """h200 of NVIDIA H200"""
    return re.sub(r"[^a-z0-9]+", "_", context["device"].lower().replace("nvidia ", "")).strip("_").partition("_")[0]


# --------------------------------------------------------------------------------------------------------------------------------------
# Tables


def number(value, digits=2):
    return "-" if value is None else f"{value:.{min(digits, 1) if value >= 10 else digits}f}"


def ratio(slower, faster):
    """How many times the rate of the first the second has."""
    for field in ("microseconds", "rate", "fraction"):
        one, two = getattr(slower, field), getattr(faster, field)
        if one and two:
            return one / two if field == "microseconds" else two / one
    return None


def gains(found, own="drop_in"):
    """Over Kokkos with its default index, and over the faster of its two."""
    peers = [found[c] for c in ("kokkos", "kokkos_int64") if c in found]
    if own not in found or "kokkos" not in found:
        return [None, None]
    all_of_them = [r for r in (ratio(peer, found[own]) for peer in peers) if r]
    if not all_of_them:
        return [None, None]
    return [all_of_them[0], min(all_of_them) if "kokkos_int64" in found else None]


def heads(run, program, contenders):
    names = {"kokkos": f"Kokkos, `{run.index(program)}`" if program in INDEX else "Kokkos", "kokkos_int64": "Kokkos, `int64_t`"}
    return [names.get(c, CONTENDERS.get(c, c)) for c in contenders]


def present(rows, contenders):
    return [c for c in contenders if any(c in found for found in rows)]


def gain_table(run, program, wanted, contenders, first):
    """wanted: (label, type, {contender: Value}); what was measured, as fractions, with the gains of the drop-in."""
    rows = [(label, value_type, found) for label, value_type, found in wanted if found]
    if not rows:
        return []
    names = present([found for *_, found in rows], contenders)
    both = "kokkos_int64" in names
    lines = []
    for label, value_type, found in rows:
        gain = gains(found)
        lines.append([label, value_type] + [number(found[c].fraction) if c in found else "-" for c in names]
                     + [number(g) for g in (gain if both else gain[:1])])
    header = [first, "type"] + heads(run, program, names) + ["drop-in / Kokkos"] + (["drop-in / faster Kokkos"] if both else [])
    return [run.caption(run.fractions_of(program)), ""] + table(header, lines)


def none(lines, what):
    return lines or [f"No {what} in the result file.", ""]


SUMS = (("view", "sum of a View"), ("dot", "dot product"), ("grid2", "sum, `MDRangePolicy` 2D"), ("grid3", "sum, `MDRangePolicy` 3D"),
        ("grid2_right", "sum, 2D, `LayoutRight`"), ("grid3_right", "sum, 3D, `LayoutRight`"))


def sums(card):
    lines = []
    for run in card.runs:
        wanted = [(label, t, run.at("reduce", case, t)) for case, label in SUMS for t in TYPES]
        wanted = [(label, t, found) for label, t, found in wanted if any(v.fraction for v in found.values())]
        lines += gain_table(run, "reduce", wanted, ("kokkos", "kokkos_int64", "cub", "drop_in", "drop_in_int64", "mma"), "call")
    return none(lines, "sums")


def scans(card):
    lines = []
    for run in card.runs:
        wanted = [("exclusive scan", t, run.at("scan", "exclusive", t)) for t in TYPES]
        lines += gain_table(run, "scan", wanted, ("kokkos", "kokkos_int64", "cub", "drop_in", "drop_in_int64", "visible"), "call")
    return none(lines, "scans")


LOOPS = (("rank1/fill", "fill"), ("rank1/copy", "copy"), ("rank1/triad", "triad"), ("rank1/points3", "3-point"),
         ("rank1/gather", "gather"), ("view/deep_copy", "`deep_copy` of a value"), ("view/fill", "`deep_copy` of a structure into all elements"),
         ("view/left_to_right2", "`deep_copy` to the other layout, 2D"), ("view/left_to_right3", "`deep_copy` to the other layout, 3D"),
         ("rank2/copy_default", "2D copy"), ("rank2/points5_default", "2D 5-point"), ("rank2/points9_default", "2D 9-point"),
         ("rank2/copy_default_right", "2D copy, `LayoutRight`"), ("rank2/points5_default_right", "2D 5-point, `LayoutRight`"),
         ("rank2/copy", "2D copy, `LayoutRight`, `Iterate::Right`"), ("rank2/points5", "2D 5-point, `LayoutRight`, `Iterate::Right`"),
         ("rank2/points9", "2D 9-point, `LayoutRight`, `Iterate::Right`"), ("rank3/copy_default", "3D copy"), ("rank3/points7_default", "3D 7-point"),
         ("rank3/copy_default_right", "3D copy, `LayoutRight`"), ("rank3/points7_default_right", "3D 7-point, `LayoutRight`"),
         ("rank3/copy", "3D copy, `LayoutRight`, `Iterate::Right`"), ("rank3/points7", "3D 7-point, `LayoutRight`, `Iterate::Right`"))


def loops(card):
    lines = []
    for run in card.runs:
        wanted = [(label, t, run.at("loop", case, t)) for case, label in LOOPS for t in ("half", "float", "double")]
        lines += gain_table(run, "loop", wanted, ("kokkos", "kokkos_int64", "cub", "drop_in"), "loop")
    return none(lines, "loops")


def team_label(case):
    group, _, rest = case.partition("/")
    shape, _, length = rest.partition("/")
    shapes = {"vector_8x32": "8 x 32 `ThreadVectorRange`", "team_auto": "`TeamThreadRange`, AUTO"}
    if group == "rows" and shape in shapes and length in ("64", "256", "1024", "16384"):
        return f"rows of {length}, {shapes[shape]}"
    if group == "csr" and not rest.endswith("_16"):
        matrix, _, lanes = rest.rpartition("_")
        return f"sparse matrix, {'27-point' if matrix == 'stencil27' else 'power law'}, {lanes} lanes a row"
    return {"batched/gemv16": "batched 16 x 16 matrix times vector", "application/softmax_team": "softmax, a team a row",
            "application/softmax_vector": "softmax, a vector a row", "application/forces_vector": "particle forces (compute-bound)",
            "scan/team_1024": "scan of rows of 1024 by a team", "policy/reduce_1024": "reduction over teams, rows of 1024",
            "policy/reduce_256_auto": "reduction over teams, rows of 256, AUTO", "for/team": "loops only (left to Kokkos)"}.get(case)


def teams(card):
    lines = []
    for run in card.runs:
        cases = [case for case in run.cases("nested") if team_label(case)]
        wanted = [(team_label(case), t, run.at("nested", case, t)) for case in cases for t in ("float", "double")]
        lines += gain_table(run, "nested", [w for w in wanted if w[2]], ("kokkos", "drop_in"), "kernel")
    return none(lines, "team kernels")


def best(found, names):
    """The value of the highest rate among these contenders."""
    there = [found[c] for c in names if c in found and found[c].rate]
    return max(there, key=lambda value: value.rate, default=None)


SEGMENTS = {
    "segmented_reduce": [(f"equal/length:{n}", f"equal, {n}") for n in (8, 128, 1000, 16384)]
    + [("ragged32/mean:16", "int32 offsets, mean 16"), ("ragged32/mean:1024", "int32 offsets, mean 1024"),
       ("along0/columns:64", "64 columns"), ("along0/columns:1000", "1000 columns"), ("keys/length:16", "keys, runs of 16"),
       ("keys/length:256", "keys, runs of 256")],
    "segmented_scan": [(f"equal/length:{n}", f"equal, {n}") for n in (16, 256, 4096)]
    + [("ragged32/mean:16", "int32 offsets, mean 16"), ("along0/columns:1000", "1000 columns"), ("keys/length:256", "keys, runs of 256")],
}
SEGMENT_TITLES = {"segmented_reduce": "Sums", "segmented_scan": "Inclusive scans"}


def segments(card):
    lines = []
    for run in card.runs:
        for task, cases in SEGMENTS.items():
            rows = []
            for case, label in cases:
                for t in ("half", "float", "double", "int8"):
                    found = run.at(task, case, t)
                    own = found.get("segmented")
                    if not own or (t in ("half", "int8") and not case.startswith("equal")):
                        continue
                    others = [best(found, names) for names in (("kokkos_team", "kokkos_flat"), ("cub_offsets", "cub_fixed", "cub_by_key"),
                                                               ("cublas",))]
                    fastest = max((o for o in others if o), key=lambda value: value.rate, default=None)
                    rows.append([label, t] + [number(o.fraction) if o else "-" for o in others]
                                + [number(own.fraction), number(own.rate / fastest.rate if fastest else None)])
            if rows:
                lines += [run.caption(f"{SEGMENT_TITLES[task]}. {run.fractions_of(task)}"), ""]
                lines += table(["segments", "type", "Kokkos", "CUB", "cuBLAS", "by name", "by name / best other"], rows)
    return none(lines, "segments")


STENCILS = [(f"{rank}/{form}/r:{r}/constant", f"{rank[0]}D {title}, r = {r}") for rank, forms, radii in (
    ("2d", (("box", "box of ones"), ("star", "star"), ("dense", "dense weights")), (1, 3, 7)),
    ("3d", (("box", "box of ones"), ("star", "star"), ("dense", "dense weights")), (1,))) for form, title in forms for r in radii]


def stencils(card):
    lines = []
    for run in card.runs:
        types = [t for t in ("half", "float", "double", "uint8") if any(p == "stencil" and kind == t for p, _, kind in run.rows)]
        rows = []
        for case, label in STENCILS:
            cells = []
            for t in types:
                found = run.at("stencil", case, t)
                own, other = found.get("stencil"), best(found, ("kokkos", "kokkos_tiled", "separable", "npp", "cudnn"))
                cells.append("-" if not own else number(own.fraction) + (f" ({own.rate / other.rate:.1f})" if other else ""))
            if any(cell != "-" for cell in cells):
                rows.append([label] + cells)
        if rows:
            what = f"One sweep, constant boundary. {run.fractions_of('stencil')} In brackets: times the rate of the best other code."
            lines += [run.caption(what), ""]
            lines += table(["stencil"] + types, rows)
        rows = []
        for program in ("stencil_steps", "automaton"):
            for p, case, t in run.rows:
                found = run.at(p, case, t)
                own = found.get("stencil", found.get("automaton"))
                if p == program and own and "/constant/" in case:
                    other = best(found, ("kokkos", "kokkos_tiled"))
                    name, steps = re.sub(r"/steps:\d+", "", case), re.search(r"steps:(\d+)", case).group(1)
                    name = name.replace("/r:", ", r = ").replace("/constant", "").replace("2d/", "2D ").replace("3d/", "3D ").replace("_", " ")
                    rows.append([name, t, steps, f"{own.rate:.0f}", number(own.fraction), number(own.rate / other.rate if other else None, 1)])
        if rows:
            lines += [run.caption("Several steps in one call; a copy of every step is 1."), ""]
            lines += table(["stencil or automaton", "type", "steps", "10^9 updates/s", "relative to one copy of the grid per step", "by name / Kokkos"], rows)
    return none(lines, "stencils")


LATENCIES = [("reduce", "view", "sum into a View", (1 << 10, 1 << 17)), ("reduce", "scalar", "sum into a host scalar", (1 << 10, 1 << 14, 1 << 17)),
             ("scan", "exclusive", "exclusive scan", (1 << 10, 1 << 17)), ("scan", "exclusive_warm", "exclusive scan, in L2", (1 << 14,)),
             ("scan", "total_scalar", "scan with a host total", (1 << 14,)), ("loop", "rank1/few1000", "loop", (1000,)),
             ("loop", "rank1/few1000_fence", "loop and a fence", (1000,))]


def latencies(card):
    lines = []
    for run in card.runs:
        rows = []
        for program, case, label, sizes in LATENCIES:
            for t in ("float", "double"):
                for n in sizes:
                    found = run.at(program, case, t, n)
                    if any(v.microseconds for v in found.values()):
                        cells = [found.get(c) for c in ("kokkos", "cub", "drop_in", BY_NAME.get(program))]
                        rows.append([label, t, size(n)] + [number(cell.microseconds, 1) if cell else "-" for cell in cells])
        if rows:
            lines += [run.caption("Microseconds per call."), ""] + table(["call", "type", "n", "Kokkos", "CUB", "drop-in", "by name"], rows)
    return none(lines, "small sizes")


ERRORS = (("reduce", "sums", ("kokkos", "cub", "drop_in", "mma", "exact")), ("scan", "scans", ("kokkos", "cub", "drop_in", "visible", "exact")),
          ("segmented_reduce", "sums of segments", (("kokkos_team", "kokkos_flat"), ("cub_offsets", "cub_fixed", "cub_by_key"), None,
                                                    "segmented", None)),
          ("segmented_scan", "scans of segments", (("kokkos_team", "kokkos_flat"), "cub_by_key", None, "segmented", None)),
          ("stencil", "stencils", (("kokkos", "kokkos_tiled"), None, None, "stencil", None)))


def accuracy(card):
    lines = []
    for run in card.runs:
        rows = []
        for program, label, groups in ERRORS:
            for t in ("half", "float", "double"):
                cells = []
                for names in groups:
                    names = (names,) if isinstance(names, str) else names or ()
                    errors = [found[c].error for key, at in run.rows.items() if key[0] == program and key[2] == t for found in at.values()
                              for c in names if c in found and found[c].error is not None]
                    cells.append(f"{max(errors):.1e}" if errors else "-")
                if any(cell != "-" for cell in cells):
                    rows.append([label, t] + cells)
        if rows:
            lines += [run.caption("Largest relative error of all results; uniform [0, 1) data."), ""]
            lines += table(["", "type", "Kokkos", "CUB", "drop-in", "by name", "by name, `exact`"], rows)
    return none(lines, "errors")


def runs(card):
    rows = []
    for run in card.runs:
        c = run.context
        ceilings = next(iter(run.ceilings.values()), {})
        rows.append([c["kokkos_version"], c["git_revision"][:12], c["date"][:10], c["cuda_runtime_version"], c.get("cub_version", "-"),
                     c.get("driver_version", "-"), number(ceilings.get("read"), 0), number(ceilings.get("copy"), 0),
                     number(ceilings.get("empty_kernel_us"), 1), c.get("source", "`kokkosmma-bench`")])
    return table(["Kokkos", "revision", "date", "CUDA", "CUB", "driver", "read GB/s", "copy GB/s", "empty kernel us", "measured by"], rows)


CARD_BLOCKS = {"runs": runs, "sums": sums, "scans": scans, "segments": segments, "stencils": stencils, "loops": loops, "teams": teams,
               "latencies": latencies, "accuracy": accuracy}


def index_types(card):
    """Kokkos' own code by the type of the index, and what is left to gain."""
    rows, used = [], []
    for program, case, label in (("reduce", "view", "sum"), ("scan", "exclusive", "exclusive scan"), ("loop", "rank1/fill", "fill"),
                                 ("loop", "rank1/copy", "copy loop"), ("loop", "rank1/triad", "triad loop"),
                                 ("loop", "rank2/points5_default", "2D 5-point loop")):
        for t in ("float", "double"):
            run, found = card.first(program, case, t, ("kokkos", "kokkos_int64", "drop_in"))
            if run:
                used.append(run)
                rows.append([f"{label}, {t}", number(found["kokkos"].fraction), number(found["kokkos_int64"].fraction),
                             number(found["drop_in"].fraction)] + [number(gain) for gain in gains(found)])
    header = ["fraction of the memory ceiling", "Kokkos, `size_t` (loops: `int`)", "Kokkos, `int64_t`", "drop-in", "gain over that", "over the faster"]
    return table(header, rows) + [captions(used), ""]


def compile_time(document):
    """What perf_tests/scripts/compile_time.py wrote, for every Kokkos that it was run with."""
    rows, runs = [], []
    for run in document["runs"]:
        runs.append(f"Kokkos {run['kokkos']}, nvcc {run['nvcc']}, {run['host']}, revision {run['git_revision']}, {run['date']}, least of {run['runs']}")
        rows.append(["libkokkosmma, once", run["kokkos"], "", number(run["library"], 1), ""])
        rows += [[source, run["kokkos"], number(plain, 1), number(drop_in, 1), number(drop_in / plain)]
                 for source, (plain, drop_in) in run["seconds"].items()]
    header = ["source", "Kokkos", "plain, s", "drop-in, s", "times as long"]
    return table(header, rows) + ["User and system time of all compilers. " + "; ".join(runs) + ".", ""]


GAINS = (("scans", (("scan", "exclusive"),)), ("fills", (("loop", "rank1/fill"),)), ("copies", (("loop", "rank1/copy"),)),
         ("triads", (("loop", "rank1/triad"),)), ("`MDRangePolicy` loops", (("loop", "rank2/"), ("loop", "rank3/"))),
         ("reductions in team kernels", (("nested", "rows/"), ("nested", "csr/"), ("nested", "policy/"))), ("sums", (("reduce", "view"),)),
         ("sums, `IndexType<int64_t>`", (("reduce", "view_int64"),)),
         ("sums over `MDRangePolicy`", tuple(("reduce", f"grid{d}{layout}") for d in (2, 3) for layout in ("", "_right"))))


def gain_ranges(card):
    """What a kind of call gains over Kokkos, from the least to the most that a table of the card has."""
    shown = {"loop": [case for case, _ in LOOPS], "nested": [case for case in card.runs[0].cases("nested") if team_label(case)]}
    types, rows, used = ("double", "float", "half", "int8"), [], []
    for label, kinds in GAINS:
        cells = []
        for value_type in types:
            found = [call_gain(card, program, case, value_type) for program, begin in kinds
                     for case in [c for c in shown.get(program, [begin]) if c.startswith(begin)]]
            found = [(run, gain) for run, gain in found if gain]
            used += [run for run, _ in found]
            least, most = (number(pick((gain for _, gain in found), default=None)) for pick in (min, max))
            cells.append(least if least == most else f"{least} to {most}")
        rows.append([label] + cells)
    rows.append(["compute-bound kernels, time outside kernels"] + ["none"] * len(types))
    return table(["your code"] + [f"`{t}`" for t in types], rows) + [captions(used), ""]


def below_ceiling(card):
    """Calls of the drop-in that stay below 0.9 of the ceiling, with Kokkos' own code in brackets."""
    types, rows, used = ("double", "float", "half", "int8"), [], []
    for program, cases in (("reduce", SUMS), ("scan", (("exclusive", "exclusive scan"),)), ("loop", LOOPS)):
        for case, label in cases:
            cells = []
            for value_type in types:
                run, found = card.first(program, case, value_type)
                own = found["drop_in"].fraction if run else None
                if own is None or own >= 0.9:
                    cells.append("")
                    continue
                used.append(run)
                cells.append(f"{number(own)} ({number(found['kokkos'].fraction)})")
            if any(cells):
                rows.append([label] + cells)
    return table(["call"] + [f"`{t}`" for t in types], rows) + [captions(used) + " In brackets: plain Kokkos.", ""]


KINDS_OF_SEGMENTS = {"equal": "equal segments", "ragged32": "between `int32` offsets", "ragged64": "between `int64` offsets", "along0": "columns",
                     "keys": "runs of equal keys"}
OTHERS = {"kokkos_team": "Kokkos, a team per segment", "kokkos_flat": "Kokkos, a thread per segment", "cub_offsets": "CUB", "cub_fixed": "CUB",
          "cub_by_key": "CUB, not run-to-run deterministic", "cublas": "cuBLAS"}


def losses(card):
    """Operations on segments that other code runs faster by more than 5 %: lengths and ratios of rates, a row for each code."""
    types, found_rows, used = ("double", "float", "half", "int8"), {}, []
    for program, title in (("segmented_reduce", "sums"), ("segmented_scan", "scans")):
        for case in dict.fromkeys(case for run in card.runs for case in run.cases(program)):
            kind, _, which = case.partition("/")
            for value_type in types:
                run, found = card.first(program, case, value_type, ("segmented",))
                other = max((c for c in OTHERS if c in found and found[c].rate), key=lambda c: found[c].rate, default=None)
                own = found["segmented"].rate if run else None
                if not own or not other or own >= 0.95 * found[other].rate or kind not in KINDS_OF_SEGMENTS:
                    continue
                used.append(run)
                code = "Kokkos, a thread per part of a column" if (kind, other) == ("along0", "kokkos_flat") else OTHERS[other]
                row = found_rows.setdefault((title, kind, code), (set(), {}))
                form, _, n = which.partition(":")
                row[0].add((0, int(n), str(n) if int(n) < 1 << 20 else "above 2^20") if form in ("length", "mean", "columns")
                           else (1, 0, form.replace("_", " ")))
                row[1].setdefault(value_type, []).append(own / found[other].rate)
    rows = []
    for (title, kind, other), (lengths, ratios) in found_rows.items():
        cells = []
        for value_type in types:
            least, most = (number(pick(ratios[value_type])) if value_type in ratios else "" for pick in (min, max))
            cells.append(least if least == most else f"{least} to {most}")
        shown = dict.fromkeys(length for *_, length in sorted(lengths))
        rows.append([f"{title}, {KINDS_OF_SEGMENTS[kind]}", ", ".join(shown)] + cells + [other])
    return table(["call", "lengths, columns"] + [f"`{t}`" for t in types] + ["faster code"], rows) + [captions(used), ""]


def captions(used):
    """One line for the runs that a table or chart has figures of."""
    texts = list(dict.fromkeys(run.versions() for run in used))
    if not used:
        return "Not measured."
    return f"{used[0].context['device']}; " + "; ".join(texts) + "."


def applications(document):
    """A table for each Kokkos, and where the applications come from."""
    lines = []
    for run in [document, *document.get("others", ())]:
        rows = []
        for row in run["rows"]:
            low, high = row["gain"]
            gain = f"{low:.2f}" if low == high else f"{low:.2f} to {high:.2f}"
            if "median" in row and low != high:
                gain = f"{row['median']:.2f} ({gain})"
            rows.append([row["application"], row["measure"], row.get("plain", ""), row.get("drop_in", ""), gain, row.get("note", "")])
        context = run["context"]
        caption = (f"{context['device']}, Kokkos {context['kokkos_version']}, CUDA {context['cuda_runtime_version']}, revision "
                   f"{context['git_revision']}, {context['date']}. {context['method']}")
        lines += table(["application", "measure", "plain", "drop-in", "speed-up", "check, remark"], rows) + [caption, ""]
    if "sources" in document:
        lines += table(["application", "source", "built and run with"], [[s["application"], s["source"], s["command"]] for s in document["sources"]])
    return lines


# --------------------------------------------------------------------------------------------------------------------------------------
# Charts

CALLS = (("reduce", "view", "sum, index size_t"), ("reduce", "view_int64", "sum, index int64_t"), ("scan", "exclusive", "exclusive scan"),
         ("loop", "rank1/fill", "fill"), ("loop", "rank1/triad", "triad"), ("loop", "rank2/points5_default", "2D 5-point, default policy"),
         ("loop", "rank2/points5_default_right", "2D 5-point, LayoutRight"), ("loop", "rank3/points7_default", "3D 7-point, default policy"),
         ("nested", "rows/vector_8x32/256", "rows of 256, ThreadVectorRange"), ("nested", "rows/team_auto/64", "rows of 64, TeamThreadRange"),
         ("loop", "rank1/few1000_fence", "1000 indices and a fence"))


def call_gain(card, program, case, value_type):
    if case == "view_int64":
        run, found = card.first(program, "view", value_type, ("kokkos_int64", "drop_in_int64"))
        return run, ratio(found["kokkos_int64"], found["drop_in_int64"]) if run else None
    run, found = card.first(program, case, value_type)
    return run, gains(found)[0]


def speedup_caption(used, document):
    context = document["context"]
    return (f"One {context['device']}. Applications: the time or rate that the program prints, Kokkos {context['kokkos_version']}, revision {context['git_revision']}, "
            f"{context['date']}. Calls: {captions(used).partition('; ')[2]} Index size_t for sums and scans, int for loops, where none is named. 1 is plain Kokkos.")


def speedup(card, document):
    used, calls = [], []
    for program, case, label in CALLS:
        bars = []
        for value_type, colour in (("double", charts.BLUE), ("float", charts.ORANGE)):
            run, gain = call_gain(card, program, case, value_type)
            if gain:
                used.append(run)
                bars.append((colour, round(gain, 2), round(gain, 2)))
        if bars:
            calls.append((label, bars))
    rows = [(row["chart"], [({"double": charts.BLUE, "float": charts.ORANGE}.get(row.get("type"), charts.GREEN), *row["gain"])])
            for row in sorted(document["rows"], key=lambda row: -row["gain"][0]) if row.get("chart")]
    legend = [(charts.BLUE, "double"), (charts.ORANGE, "float")]
    if any(row.get("chart") and "type" not in row for row in document["rows"]):
        legend.append((charts.GREEN, "application, its own type"))
    return charts.ratios("Speed-up over plain Kokkos, source unchanged", [("Applications", rows), ("Calls", calls)],
                         speedup_caption(used, document), legend)


def bars_of(card, program, case, value_type, contenders, field, used, n=None):
    """(colour, value) of each contender; of BY_NAME that of the program."""
    bars = []
    for contender, colour in contenders:
        name = BY_NAME.get(program) if contender is BY_NAME else contender
        run, found = card.first(program, case, value_type, (name,), n)
        value = getattr(found[name], field) if run else None
        if value:
            used.append(run)
        bars.append((colour, value))
    return bars


def sums_and_scans(card):
    used, panels = [], []
    contenders = (("kokkos", charts.GREY), ("kokkos_int64", charts.DARK), ("cub", charts.ORANGE), ("drop_in", charts.SKY), (BY_NAME, charts.BLUE))
    for program, case, title in (("reduce", "view", "Sum"), ("scan", "exclusive", "Exclusive scan")):
        groups = [(t, bars_of(card, program, case, t, contenders, "rate", used)) for t in ("double", "float", "half", "int8")]
        panels.append((title, groups))
    legend = [(charts.GREY, "Kokkos, size_t or int index"), (charts.DARK, "Kokkos, int64_t"), (charts.ORANGE, "CUB"), (charts.SKY, "drop-in, same source"),
              (charts.BLUE, "by name")]
    ceilings = [c["copy"] for run in used for c in run.ceilings.values() if "copy" in c]
    copy = f" Dashed: a copy, {max(ceilings):.0f} GB/s." if ceilings else ""
    return charts.columns("Sums and scans", panels, captions(used) + copy, legend, "GB/s", max(ceilings, default=None))


def loops_and_teams(card):
    used, panels = [], []
    contenders = (("kokkos", charts.GREY), ("drop_in", charts.SKY))
    for value_type in ("double", "float"):
        for program, title, cases in (
                ("loop", "Loops", (("rank1/fill", "fill"), ("rank1/copy", "copy"), ("rank1/triad", "triad"), ("rank2/points5_default", "2D\n5-point"),
                                   ("rank3/points7_default", "3D\n7-point"), ("rank2/points5_default_right", "5-point\nRight"))),
                ("nested", "Team kernels", (("rows/team_auto/64", "team\n64"), ("rows/team_auto/1024", "team\n1024"),
                                            ("rows/team_auto/16384", "team\n16384"), ("rows/vector_8x32/256", "vector\n256")))):
            groups = [(label, bars_of(card, program, case, value_type, contenders, "fraction", used)) for case, label in cases]
            groups = [group for group in groups if any(value for _, value in group[1])]
            if groups:
                panels.append((f"{title}, {value_type}", groups))
    legend = [(charts.GREY, "Kokkos"), (charts.SKY, "drop-in, same source")]
    return charts.columns("Loops and team kernels, default tiles and index", panels, captions(used), legend, "of the ceiling", 1)


def latency(card):
    used, panels = [], []
    contenders = (("kokkos", charts.GREY), ("cub", charts.ORANGE), ("drop_in", charts.SKY), (BY_NAME, charts.BLUE))
    for program, case, title in (("reduce", "view", "Sum into a View, double"), ("reduce", "scalar", "Sum into a host scalar, double"),
                                 ("scan", "exclusive", "Exclusive scan, double"), ("loop", "rank1/few1000_fence", "Loop and a fence, double")):
        sizes = (1000,) if program == "loop" else (1 << 10, 1 << 14, 1 << 17)
        groups = [(size(n), bars_of(card, program, case, "double", contenders, "microseconds", used, n)) for n in sizes]
        groups = [group for group in groups if any(value for _, value in group[1])]
        if groups:
            panels.append((title, groups))
    legend = [(charts.GREY, "Kokkos"), (charts.ORANGE, "CUB"), (charts.SKY, "drop-in, same source"), (charts.BLUE, "by name")]
    return charts.columns("Small calls", panels, captions(used), legend, "us")


# --------------------------------------------------------------------------------------------------------------------------------------
# Pages


class Figures:
    """All blocks and pictures of a folder of result files."""

    def __init__(self, data, root):
        self.root = root
        self.cards = {path.stem: Card(json.loads(path.read_text(encoding="utf-8"))) for path in sorted(data.glob("*.json"))
                      if path.stem not in ("applications", "compile_time")}
        self.applications, self.compile_time = (json.loads((data / f"{name}.json").read_text(encoding="utf-8"))
                                                for name in ("applications", "compile_time"))
        main = self.cards["h200"]  # the charts are of one card
        images = root / "docs/images"
        self.pictures = {images / "speedup.svg": speedup(main, self.applications), images / "sums_and_scans.svg": sums_and_scans(main),
                         images / "loops_and_teams.svg": loops_and_teams(main), images / "latency.svg": latency(main)}

    def block(self, name, page):
        """The lines of a block."""
        if name == "gains":
            return gain_ranges(self.cards["h200"])
        if name == "index_types":
            return index_types(self.cards["h200"])
        if name == "applications":
            return applications(self.applications)
        if name == "compile_time":
            return compile_time(self.compile_time)
        if name in ("below_ceiling", "losses"):
            return {"below_ceiling": below_ceiling, "losses": losses}[name](self.cards["h200"])
        card, _, what = name.partition(" ")
        if card in self.cards and what in CARD_BLOCKS:
            return CARD_BLOCKS[what](self.cards[card])
        known = ["gains", "index_types", "below_ceiling", "losses", "applications", "compile_time"]
        known += [f"{c} {w}" for c in self.cards for w in CARD_BLOCKS]
        raise BadFile(f"{page}: no block is called '{name}'; there are {', '.join(known)}")

    def figure(self, name, page):
        """One figure within a line."""
        newest = self.compile_time["runs"][0]
        if name == "compile_time more":
            more = [round(100 * (drop_in / plain - 1)) for plain, drop_in in newest["seconds"].values()]
            return f"{min(more)} to {max(more)} %" if min(more) < max(more) else f"{more[0]} %"
        if name == "compile_time library":
            return f"{newest['library']:.0f} s"
        if name in ("sum default", "sum int64"):
            _, found = self.cards["h200"].first("reduce", "view", "float", ("kokkos", "kokkos_int64"))
            contender = "kokkos" if name == "sum default" else "kokkos_int64"
            return number(found[contender].fraction) if found else "-"
        raise BadFile(f"{page}: no figure is called '{name}'; there are compile_time more, compile_time library, sum default, sum int64")

    def page(self, path):
        """The page with its blocks filled."""
        text = path.read_text(encoding="utf-8")
        if len(BEGIN.findall(text)) != len(BLOCK.findall(text)):
            raise BadFile(f"{path}: a block of figures has no <!-- end -->")
        if re.search(r"^\s*<!-- figure: ", text, re.MULTILINE):
            raise BadFile(f"{path}: a line begins with <!-- figure: -->; Markdown would not read the rest of that line")
        text = ONE.sub(lambda m: m.group(1) + self.figure(m.group(2), path) + m.group(4), text)
        return BLOCK.sub(lambda m: m.group(1) + "\n" + "\n".join(self.block(m.group(2), path)).rstrip("\n") + "\n\n" + m.group(4), text)

    def files(self):
        """{path: text} of all that is made."""
        made = {path: drawing.svg() for path, drawing in self.pictures.items()}
        pages = [self.root / "README.md", *sorted((self.root / "docs").rglob("*.md"))]
        for path in pages:
            if path.is_file() and re.search(r"<!-- figures?: ", path.read_text(encoding="utf-8")):
                made[path] = self.page(path)
        return made


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", nargs="?", choices=["collect"], help="a result folder becomes the result file of its card")
    parser.add_argument("folder", nargs="?", help="what kokkosmma-bench wrote")
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 where a page or chart is not what the files give")
    parser.add_argument("--note", help="collect: words that follow the version of Kokkos, where it is no release")
    parser.add_argument("--root", type=Path, default=ROOT, help="top folder of the repository")
    options = parser.parse_args(arguments)
    data = options.root / "docs/results/data"
    try:
        if options.command:
            if not options.folder:
                parser.error("collect needs the folder that kokkosmma-bench wrote")
            document = collected(options.folder)
            if options.note:
                document["runs"][0]["context"]["note"] = options.note
            path = data / f"{card_of(document['runs'][0]['context'])}.json"
            path.write_text(dumped(document), encoding="utf-8")
            print(f"{path}: {len(document['runs'][0]['rows'])} rows")
            return 0
        files = Figures(data, options.root).files()
    except BadFile as error:
        print(f"figures: {error}", file=sys.stderr)
        return 2
    status = 0
    for path, text in files.items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if options.check:
            print(f"{path} is not what docs/figures.py makes of docs/results/data; run docs/figures.py", file=sys.stderr)
            status = 1
        else:
            path.write_text(text, encoding="utf-8")
            print(path)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
