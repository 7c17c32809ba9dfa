#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the examples and compares what they print with docs/example_outputs.md; --update writes the page.

What differs from run to run and machine to machine is left out of the comparison: times, rates, rounding errors, the execution
space and the version of Kokkos.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/example_outputs.md"

HEAD = """# What the examples print

Each block is a command, from the top of the repository after `cmake --workflow --preset test`, and what it printed on one thread of
a host. The test `docs.example_outputs` runs them again and compares; times, rates and rounding errors are left out of that. Without a GPU
every route is `generic`; on a GPU more of these lines change. Written by [docs/example_outputs.py](example_outputs.py).
"""

# Heading, text, arguments behind the name of the program, environment.
EXAMPLES = [
    ("First programs", "[first_steps](../examples/first_steps/README.md): plain Kokkos, for newcomers.", ["vector_add"], {}),
    ("", "", ["matrix_product", "200"], {}),
    ("The drop-in", "[statistics](../examples/statistics/README.md), a plain Kokkos program, built with `KokkosMMA::drop_in`, on data "
     "that NIST certifies.", ["statistics_drop_in", "examples/statistics/nist/PiDigits.txt"], {"KOKKOSMMA_VERBOSE": "1"}),
    ("", "[compressed_rows](../examples/compressed_rows/README.md): offsets of the rows of a sparse matrix by `parallel_scan`.",
     ["compressed_rows_drop_in", "examples/common/matrices/powerlaw_1000.mtx"], {}),
    ("Many sums at once", "[batch_norm_moments](../examples/batch_norm_moments/README.md): mean and variance of each channel.",
     ["batch_norm_moments_mma", "--list", "examples/batch_norm_moments/activations_4x8x7x5.npy"], {}),
    ("", "[sparse_matvec](../examples/sparse_matvec/README.md): a sparse matrix times a vector, and conjugate gradients.",
     ["sparse_matvec_mma", "--solve", "examples/common/matrices/poisson_32x32.mtx"], {}),
    ("Stencils", "[heat](../examples/heat/README.md): the heat equation, against its analytic solution.", ["heat", "--levels", "3"], {}),
    ("", "[life](../examples/life/README.md): Gosper's gun, which sends out a glider every 30 generations.",
     ["life", "--size", "160", "--steps", "300", "examples/life/patterns/gosper_gun.rle"], {}),
    ("The calls of \"Write kernels, or call by name\"", "[by_name.cpp](programs/by_name.cpp) ends with what "
     "`KokkosMMA::print_configuration` prints.", ["docs_by_name"], {}),
    ("", "", ["docs_stencil"], {}),
    ("", "", ["docs_stencil_policy"], {}),
]

UNSTEADY = [
    (re.compile(r"execution spaces:? .*"), "execution spaces"),
    (re.compile(r"\b(OpenMP|Threads|Serial|HPX)\b"), "SPACE"),
    (re.compile(r"(Kokkos) \d+\.\d+\.\d+"), r"\1 VERSION"),
    (re.compile(r"((?:\w*(?:error|rounding|residual|seconds|per_second|at_once|GBps|fraction)\w*)\s+)[-+0-9.e]+"), r"\1NUMBER"),
    (re.compile(r"-?\d+\.\d{9,}"), lambda match: f"{float(match.group(0)):.10g}"),
    (re.compile(r"^(iterations )\d+$"), r"\1NUMBER"),
]


def steady(text):
    """The text without what may differ; spaces in front and behind do not count."""
    lines = []
    for line in text.strip().split("\n"):
        for pattern, replacement in UNSTEADY:
            line = pattern.sub(replacement, line)
        lines.append(line.strip())
    return lines


def run(programs, arguments, extra):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("KOKKOS", "OMP_"))}
    environment.update(OMP_NUM_THREADS="1", OMP_PROC_BIND="false", **extra)
    command = [str(programs / arguments[0]), *arguments[1:]]
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
                              check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        sys.exit(f"{command[0]}: {error}; build the examples, and name the folder of their programs with --programs")
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def page(programs):
    text = HEAD
    for heading, about, arguments, extra in EXAMPLES:
        shown = " ".join([*(f"{name}={value}" for name, value in extra.items()), "build/host/bin/" + arguments[0], *arguments[1:]])
        if heading:
            text += f"\n## {heading}\n"
        if about:
            text += f"\n{about}\n"
        printed = "\n".join(line.rstrip() for line in run(programs, arguments, extra).strip().split("\n"))
        text += f"\n```\n$ {shown}\n{printed}\n```\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", type=Path, required=True, help="folder of the built programs")
    parser.add_argument("--update", action="store_true", help="write the page")
    arguments = parser.parse_args()
    fresh = page(arguments.programs.resolve())
    committed = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if steady(fresh) == steady(committed):
        return 0
    if arguments.update:
        PAGE.write_text(fresh, encoding="utf-8")
        print(f"wrote {PAGE}")
        return 0
    old, new = steady(committed), steady(fresh)
    for number, line in enumerate(new):
        if number >= len(old) or old[number] != line:
            sys.exit(f"{PAGE}:{number + 1}: '{old[number] if number < len(old) else ''}'; the examples print '{line}'. "
                     "If that is meant, build the target docs_update and commit.")
    sys.exit(f"{PAGE} has more lines than the examples print. If that is not meant, build the target docs_update and commit.")


if __name__ == "__main__":
    main()
