# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The JSON of the programs that kokkosmma-bench runs: reading it, and what its names mean."""

import json
import pathlib
import statistics

# Kokkos' own sums depend on the type of the index, so the names say which it is.
CONTENDERS = {
    "reduce": {
        "kokkos": "Kokkos, size_t",
        "kokkos_int64": "Kokkos, int64_t",
        "cub": "CUB",
        "drop_in": "drop-in",
        "drop_in_int64": "drop-in, int64_t",
        "mma": "mma",
        "exact": "exact",
    },
    "scan": {
        "kokkos": "Kokkos, size_t",
        "kokkos_int64": "Kokkos, int64_t",
        "cub": "CUB",
        "drop_in": "drop-in",
        "drop_in_int64": "drop-in, int64_t",
        "visible": "visible",
        "mma": "mma",
        "shuffle": "shuffle",
        "exact": "exact",
    },
    "loop": {"kokkos": "Kokkos, int", "kokkos_int64": "Kokkos, int64_t", "cub": "CUB", "drop_in": "drop-in"},
    "nested": {"kokkos": "Kokkos", "drop_in": "drop-in"},
    "segmented": {
        "kokkos_team": "Kokkos team",
        "kokkos_flat": "Kokkos thread",
        "cub_offsets": "CUB offsets",
        "cub_fixed": "CUB fixed",
        "cub_by_key": "CUB by key",
        "cublas": "cuBLAS",
        "segmented": "auto",
        "unchecked": "auto, unchecked",
        "mma": "mma",
        "streamed": "streamed",
        "collective": "team collective",
        "wmma": "papers' wmma",
    },
    "stencil": {
        "kokkos": "Kokkos",
        "kokkos_tiled": "Kokkos, best tiles",
        "separable": "hand-written",
        "npp": "NPP",
        "cudnn": "cuDNN",
        "generic": "generic",
        "stencil": "auto",
        "automaton": "auto",
        "policy": "StencilPolicy",
        "streamed": "streamed",
        "mma": "mma",
    },
}
# Contenders that run no code of this project.
PEERS = frozenset(("kokkos", "kokkos_int64", "kokkos_team", "kokkos_flat", "kokkos_tiled", "cub", "cub_offsets", "cub_fixed", "cub_by_key", "cublas", "wmma",
                   "separable", "npp", "cudnn"))
PROGRAMS = ("reduce", "scan", "segmented", "stencil", "loops", "nested")
MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}


class BadFile(Exception):
    """A file or folder that cannot be used; the message says which, why, and what to pass instead."""


def read_json(path):
    """What is in the file, or BadFile."""
    try:
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise BadFile(f"{path}: {error.strerror}")
    except ValueError as error:
        raise BadFile(f"{path} is not JSON, or only the beginning of it ({error}); pass the result of a complete run")


def load(path):
    """The document of a file that a benchmark wrote."""
    document = read_json(path)
    wanted = "pass what perf_reduce, perf_scan, perf_segmented, perf_stencil, perf_loops or perf_nested --benchmark_out=FILE wrote"
    context = document.get("context") if isinstance(document, dict) else None
    if not isinstance(context, dict) or "kokkosmma_version" not in context or not isinstance(document.get("benchmarks"), list):
        raise BadFile(f"{path} is not the JSON of a run of these benchmarks; {wanted}")
    if not document["benchmarks"]:
        raise BadFile(f"{path} records no case: the run ended before its first; {wanted} to its end")
    try:
        Results(document)
    except (KeyError, IndexError, ValueError, TypeError, AttributeError) as error:
        raise BadFile(f"{path} has a case that is not of these benchmarks ({type(error).__name__}: {error}); {wanted}")
    return document


def files_in(folder):
    """{program: path} of a result folder."""
    found = {name: pathlib.Path(folder) / f"perf_{name}.json" for name in PROGRAMS}
    found = {name: path for name, path in found.items() if path.exists()}
    if not found:
        names = ", ".join(f"perf_{name}.json" for name in PROGRAMS)
        raise BadFile(f"{folder} holds none of {names}; pass a folder that kokkosmma-bench wrote")
    return found


def on_cuda(context):
    """On hosts every route is Kokkos' own code."""
    return context.get("execution_space") == "Cuda"


def case_path(name):
    """The parts of a case's name, less what Google Benchmark appends."""
    return [p for p in name.split("/") if not p.startswith(("iterations:", "repeats:")) and p != "manual_time"]


def entries_by_case(document):
    """{path of the name: its repetitions}"""
    entries = {}
    for entry in document["benchmarks"]:
        if entry.get("run_type", "iteration") == "iteration":
            entries.setdefault(tuple(case_path(entry.get("run_name", entry["name"]))), []).append(entry)
    return entries


class Case:
    """One measured case; of repetitions, the median of each field."""

    def __init__(self, entries):
        first = entries[0]
        self.entries = entries
        self.error = next((e.get("error_message", "failed") for e in entries if e.get("error_occurred")), None)
        self.label = first.get("label", "")
        scale = MICROSECONDS[first.get("time_unit", "ns")]

        microseconds = self.value("real_time")
        self.microseconds = None if self.error or microseconds is None else microseconds * scale
        self.bytes_per_second = self.value("bytes_per_second")
        self.fraction = self.value("fraction_of_ceiling")
        self.relative_error = self.value("relative_error")
        self.reproducible = self.value("reproducible")
        self.joules = self.value("joules_per_element")
        self.watts = self.value("watts")
        self.updates = self.value("updates_per_second")
        self.variation = self.value("variation")
        self.indices = self.value("indices")

    def value(self, field):
        values = [e[field] for e in self.entries if field in e]
        return statistics.median(values) if values else None


class Results:
    def __init__(self, document):
        self.context = document.get("context", {})
        self.has_bars = on_cuda(self.context)
        self.ceilings = {}
        self.cases = {"reduce": {}, "scan": {}}  # (contender, type, kind, n) -> Case
        self.segmented = {}  # (task, shape) -> (type, pattern, parameter) -> contender -> Case
        self.bodies = {"loop": {}, "nested": {}}  # (type, name) -> contender -> Case
        self.stencils = {}  # (task, rank, form or rule) -> (type, radius, boundary, steps) -> contender -> Case
        self.failed = {}
        for path, group in entries_by_case(document).items():
            case = Case(group)
            if case.error:
                self.failed["/".join(path)] = case.error
            elif path[0] == "ceiling":
                self.ceilings["/".join(path[1:])] = case
            elif path[0] in self.bodies:
                self.bodies[path[0]].setdefault((path[2], "/".join(path[3:])), {})[path[1]] = case
            elif path[0].startswith("segmented_"):
                if not case.label.startswith("refused"):
                    pattern, _, parameter = path[4].partition(":")
                    lines = self.segmented.setdefault((path[0], path[3]), {})
                    lines.setdefault((path[2], pattern, int(parameter)), {})[path[1]] = case
            elif path[0] in ("stencil", "stencil_steps", "automaton"):
                if not case.label.startswith("refused"):
                    start = 4 if path[0] == "automaton" else 5
                    named = dict(p.split(":") for p in path[start:] if ":" in p)
                    group = (path[0], "2d" if path[0] == "automaton" else path[3], path[start - 1])
                    line = (path[2], int(named["r"]), path[start + 1], int(named.get("steps", 1)))
                    self.stencils.setdefault(group, {}).setdefault(line, {})[path[1]] = case
            elif path[0] in self.cases and path[1] in CONTENDERS[path[0]]:
                self.cases[path[0]][path[1], path[2], path[3], int(path[4].partition(":")[2])] = case

    def types(self, operation):
        return list(dict.fromkeys(key[1] for key in self.cases[operation.name]))

    def sizes(self, operation, value_type, kind):
        return sorted({n for _, t, k, n in self.cases[operation.name] if t == value_type and k == kind})

    def find(self, operation, value_type, kind, n):
        """The cases of all contenders, None for those that did not run."""
        return {c: self.cases[operation.name].get((c, value_type, kind, n)) for c in operation.contenders}

    def read_ceiling(self):
        return max((c.bytes_per_second for name, c in self.ceilings.items() if name.startswith("read/")), default=None)


def size(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else str(n)


def row(cells):
    return "| " + " | ".join(cells) + " |"


def table(header, rows):
    return [row(header), row(["---"] + ["---:"] * (len(header) - 1))] + [row(r) for r in rows] + [""]


def section(title, header, rows):
    """A table with its title; nothing without rows."""
    return [f"## {title}", ""] + table(header, rows) if rows else []
