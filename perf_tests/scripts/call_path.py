#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of kokkos-mma with a function that is entered between a call and its kernel.

    call_path.py KOKKOS [--arch sm_90] [--list] [--keep FOLDER] [--most "PATH=FILES"]...

KOKKOS is an installation of static libraries with Cuda. Needs nvcc and no GPU: the program of call_path/ runs on a stand-in for the CUDA runtime,
which ends each record at the first launch. It is not optimised, so functions count that a compiler would inline. "first" is the first call of its
kind, which queries the kernel; the other row is the 300th. --list names the files and their functions. With --most a path through more files
fails, and so does a path that is not there.
"""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = pathlib.Path(__file__).resolve().parent / "call_path"
HOST = "-O0,-g,-w,-fno-pie,-finstrument-functions"


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, text=True, stdout=subprocess.PIPE).stdout


def is_newer(target, rule):
    """Whether a file is newer than what its rule, of a compiler, says that it is made of."""
    if not target.exists() or not rule.exists():
        return False
    made_of = rule.read_text().partition(":")[2].replace("\\\n", " ").split()
    return all(os.path.exists(each) and os.path.getmtime(each) < target.stat().st_mtime for each in made_of)


def build(folder, kokkos, arch):
    """The program, from sources that nvcc compiles without optimising kernels, and a runtime that does nothing."""
    nvcc = ["nvcc", "-x", "cu", f"-arch={arch}", "-std=c++20", "--extended-lambda", "-Xcicc", "-O0", "-Xptxas", "-O0", "-g", "-w",
            "-Xcompiler", HOST, "-I", ROOT / "include", "-I", ROOT, "-isystem", kokkos / "include"]
    kernels = folder / "kernels.cpp"
    kernels.write_text("#include <backends/cuda/kernels/stencil/KokkosMMA_StencilLaunch.hpp>\n"
                       "namespace KokkosMMA::Impl::Cuda { KOKKOSMMA_IMPL_STENCILS_OF_RANK(, float, float, 2) }\n")
    objects = []
    for source, options in ((SOURCES / "program.cpp", ["-include", ROOT / "include/KokkosMMA_DropIn.hpp", "-DKOKKOSMMA_COMPILED_float"]),
                            (kernels, []), *((each, []) for each in sorted((ROOT / "backends/cuda/runtime").glob("*.cpp")))):
        objects.append(folder / (source.stem + ".o"))
        needed_files = objects[-1].with_suffix(".d")
        if not is_newer(objects[-1], needed_files):
            run(*nvcc, *options, "-MD", "-MF", needed_files, "-c", source, "-o", objects[-1])
    objects += sorted((kokkos / "lib").glob("libkokkos*.a"))
    runtime = folder / "runtime.o"
    run("nvcc", "-std=c++20", "-c", SOURCES / "runtime.cpp", "-o", runtime, "-Xcompiler", "-fno-pie")
    defined = set(re.findall(r" T (\w+)", run("nm", runtime)))
    needed = set(re.findall(r" U ((?:__)?cu[A-Z_a-z]\w*)", run("nm", "-u", *objects)))
    missing = folder / "missing.cpp"
    missing.write_text("".join(f'extern "C" int {name}() {{ return 0; }}\n' for name in sorted(needed - defined)))
    program = folder / "program"
    run("g++", "-no-pie", "-Wl,--start-group", *objects, "-Wl,--end-group", runtime, missing, "-ldl", "-lpthread", "-o", program)
    return program


def paths(program):
    """By name of a path: functions by file of this library."""
    found, addresses = {}, {}
    for line in run(program).splitlines():
        if line.startswith("path "):
            current = found.setdefault(line[5:], collections.defaultdict(set))
        elif re.fullmatch(r"0x[0-9a-f]+", line):
            addresses.setdefault(line, []).append(current)
    places = subprocess.run(["addr2line", "-f", "-C", "-e", str(program)], input="\n".join(addresses), check=True, text=True,
                            stdout=subprocess.PIPE).stdout.splitlines()
    for users, function, place in zip(addresses.values(), places[::2], places[1::2]):
        file = pathlib.Path(os.path.realpath(place.rpartition(":")[0]))
        if file.is_relative_to(ROOT) and file.relative_to(ROOT).parts[0] in ("include", "core", "adapters", "backends"):
            for each in users:
                each[str(file.relative_to(ROOT))].add(function)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kokkos", type=pathlib.Path)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the objects, which are reused where no source changed")
    parser.add_argument("--most", action="append", default=[], metavar="PATH=FILES", help="largest number of files of a path")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.keep:
            arguments.keep.mkdir(parents=True, exist_ok=True)
            folder = arguments.keep
        found = paths(build(pathlib.Path(folder), arguments.kokkos, arguments.arch))
    for name, files in found.items():
        print(f"{name:28} {len(files):3} files, {sum(map(len, files.values())):3} functions")
        for file in sorted(files) if arguments.list else ():
            print(f"    {file}: {', '.join(sorted(files[file]))}")
    too_long = [f"{name}: {len(found.get(name, ()))} files, and {most} are allowed" for name, most in
                (each.rsplit("=", 1) for each in arguments.most) if not 0 < len(found.get(name, ())) <= int(most)]
    sys.exit("\n".join(too_long) or 0)


if __name__ == "__main__":
    main()
