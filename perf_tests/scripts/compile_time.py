#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the drop-in costs at compile time: user and system time of all compilers, plain and with the drop-in in turn.

    compile_time.py KOKKOS... [--arch sm_90] [--runs 3] [--json FILE]

KOKKOS is an installation with Cuda. The smallest of the runs counts. Nothing else may run beside it. docs/figures.py reads
docs/results/data/compile_time.json.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = "#include <Kokkos_Core.hpp>\nusing V = Kokkos::View<double*>;\nusing M = Kokkos::View<double**>;\n"


def loops(count):
    return "".join(f"void loop{i}(V a, V b, int n) {{ Kokkos::parallel_for(\"l{i}\", n, KOKKOS_LAMBDA(int k) "
                   f"{{ a(k) = b(k) * {i}.5 + a(k); }}); }}\n" for i in range(count))


def reductions(count):
    text = ""
    for i in range(count):
        reducer = "Kokkos::Max<double>(r)" if i % 3 == 2 else "r"
        step = f"r = r < a(k) + {i} ? a(k) + {i} : r;" if i % 3 == 2 else f"r += a(k) * {i}.5;"
        text += (f"double sum{i}(V a, int n) {{ double r = 0; Kokkos::parallel_reduce(\"r{i}\", n, KOKKOS_LAMBDA(int k, double& r) "
                 f"{{ {step} }}, {reducer}); return r; }}\n")
    return text


def scans(count):
    return "".join(f"void scan{i}(V a, int n) {{ Kokkos::parallel_scan(\"s{i}\", n, KOKKOS_LAMBDA(int k, double& r, bool last) "
                   f"{{ r += a(k) * {i}.5; if (last) a(k) = r; }}); }}\n" for i in range(count))


def teams(count):
    return "".join(
        f"void team{i}(M a, V b, int n) {{ using T = Kokkos::TeamPolicy<>; Kokkos::parallel_for(\"t{i}\", T(n, Kokkos::AUTO), "
        f"KOKKOS_LAMBDA(T::member_type const& t) {{ double r = 0; int const k = t.league_rank(); "
        f"Kokkos::parallel_reduce(Kokkos::TeamThreadRange(t, a.extent(1)), [&](int j, double& s) {{ s += a(k, j) * {i}.5; }}, r); "
        "Kokkos::single(Kokkos::PerTeam(t), [&] { b(k) = r; }); }); }\n" for i in range(count))


LIBRARY = sorted((ROOT / "backends/cuda/runtime").glob("*.cpp"))
SOURCES = {
    "a source without a call": HEADER,
    "30 loops": HEADER + loops(30),
    "10 reductions and 3 scans": HEADER + reductions(10) + scans(3),
    "10 team kernels": HEADER + teams(10),
}


def seconds(command):
    """User and system time of a command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, env={**os.environ, "NVCC_WRAPPER_DEFAULT_COMPILER": "g++"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def first(command, pattern):
    return re.search(pattern, subprocess.run(command, check=True, capture_output=True, text=True).stdout)[1]


def measured(kokkos, arch, runs):
    config, wrapper = kokkos / "include/KokkosCore_config.h", kokkos / "bin/nvcc_wrapper"
    if not config.exists() or not wrapper.exists():
        sys.exit(f"compile_time.py: {kokkos} is not an installation of Kokkos with CUDA: {config.name} or {wrapper.name} is missing")
    version = int(re.search(r"define KOKKOS_VERSION (\d+)", config.read_text())[1])
    version = f"{version // 10000}.{version // 100 % 100}." + (f"{version % 100:02}" if version < 50000 else str(version % 100))
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "source.cpp")
        source.write_text("".join(f"#include <{path.relative_to(ROOT)}>\n" for path in LIBRARY))
        library = [str(wrapper), "-std=c++20", "-O3", f"-I{ROOT}/include", "-c", str(source), "-o", f"{folder}/library.o"]
        of_library = round(min(seconds(library) for _ in range(runs)), 2)
        print(f"{version} {'libkokkosmma':26} {of_library:6.1f} s", flush=True)
        for name, text in SOURCES.items():
            source.write_text(text)
            plain = [str(wrapper), f"-arch={arch}", "-std=c++20", "-extended-lambda", "-O3", f"-I{kokkos}/include", "-c", str(source), "-o",
                     f"{folder}/source.o"]
            drop_in = [*plain, f"-I{ROOT}/include", "-include", str(ROOT / "include/KokkosMMA_DropIn.hpp")]
            times = [(seconds(plain), seconds(drop_in)) for _ in range(runs)]
            rows[name] = [round(min(both[way] for both in times), 2) for way in (0, 1)]
            print(f"{version} {name:26} {rows[name][0]:6.1f} s plain, {rows[name][1]:6.1f} s with the drop-in, x{rows[name][1] / rows[name][0]:.2f}",
                  flush=True)
    return {"kokkos": version, "nvcc": first(["nvcc", "--version"], r"release ([0-9.]+)"), "host": first(["g++", "--version"], r"(.*)"),
            "git_revision": first(["git", "-C", str(ROOT), "rev-parse", "--short=12", "HEAD"], r"(.*)"),
            "date": datetime.date.today().isoformat(), "runs": runs, "library": of_library, "seconds": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kokkos", type=pathlib.Path, nargs="+")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    runs = [measured(kokkos, options.arch, options.runs) for kokkos in options.kokkos]
    if options.json:
        options.json.write_text(json.dumps({"runs": runs}, indent=1) + "\n")


if __name__ == "__main__":
    main()
