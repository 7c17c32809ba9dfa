#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a Kokkos application plain and with the drop-in injected, runs it both ways, and compares results and times.

    compare_application.py APPLICATION --run './benchmark -n 100' --compare 'checksum .*' -- -DKokkos_ROOT=PREFIX

Options of the application's own CMake follow after `--`. Commands run in the build folder; {source} and {build} stand for the folders.
Ends with status 1 when results differ or a run fails, 2 when the application cannot be built or the call is wrong.
"""

import argparse
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
from bench_results import table  # noqa: E402

DROP_IN = pathlib.Path(__file__).resolve().parents[2] / "cmake" / "KokkosMMA_drop_in.cmake"
INJECTED = "KokkosMMA_DropIn.hpp before each C++ source"
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
WAYS = ("plain", "drop_in")


class Unusable(Exception):
    """The application cannot be built, or the call is wrong; the message says why and what to do."""


class RunFailed(Exception):
    """A run ended with an error, or printed nothing of what was asked for."""


def last_lines(text, count=12):
    return "\n".join("  " + line for line in text.splitlines()[-count:])


def build(options, way):
    """The build folder.
    Raises Unusable."""
    folder = options.work / way
    configure = ["cmake", "-S", str(options.source), "-B", str(folder), *options.cmake]
    if way == "drop_in":
        configure.append(f"-DCMAKE_PROJECT_TOP_LEVEL_INCLUDES={options.drop_in}")
    make = ["cmake", "--build", str(folder), "--parallel", str(options.jobs)]
    for target in options.target:
        make += ["--target", target]
    for step, command in (("configure", configure), ("build", make)):
        print(f"{way}: {shlex.join(command)}", file=sys.stderr)
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        log = options.work / f"{way}_{step}.log"
        log.write_text(done.stdout, encoding="utf-8")
        if done.returncode != 0:
            raise Unusable(f"{way}: {step} ended with status {done.returncode}; all of it is in {log}, its end:\n{last_lines(done.stdout)}")
        if way == "drop_in" and step == "configure" and INJECTED not in done.stdout:
            raise Unusable(f"drop_in: CMake injected nothing, so both builds are the same; {log} says whether the application found a Kokkos "
                           "by CMake. CMake 3.24 or newer is needed")
    return folder


def compared(options, text):
    """What has to be the same: the matches of the regular expression, or the whole output."""
    if options.compare is None:
        return text
    found = [match.group(match.re.groups and 1) for match in re.finditer(options.compare, text, re.MULTILINE)]
    if not found:
        raise RunFailed(f"nothing in the output matches '{options.compare}'; its end:\n{last_lines(text)}")
    return "\n".join(found)


def run_once(options, command, folder):
    """(seconds, what is compared).
    Raises RunFailed."""
    words = [word.replace("{source}", str(options.source)).replace("{build}", str(folder)) for word in shlex.split(command)]
    begin = time.perf_counter()
    try:
        done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", check=False,
                              timeout=options.limit)
    except OSError as error:
        raise RunFailed(f"{words[0]}: {error.strerror}")
    except subprocess.TimeoutExpired:
        raise RunFailed(f"was stopped after {options.limit:g} seconds (--limit)")
    seconds = time.perf_counter() - begin
    if done.returncode != 0:
        raise RunFailed(f"ended with status {done.returncode}:\n{last_lines(done.stderr + done.stdout)}")
    if options.time is not None:
        match = re.search(options.time, done.stdout, re.MULTILINE)
        try:
            seconds = float(match.group(1))
        except (AttributeError, IndexError, ValueError):
            raise RunFailed(f"--time '{options.time}' has no group that matches a number of the output; its end:\n{last_lines(done.stdout)}")
    return seconds, compared(options, done.stdout)


def difference(a, b, tolerance):
    """The first line in which two texts differ, numbers by more than the tolerance; empty where there is none."""
    for line_a, line_b in zip((a + "\n<end>").splitlines(), (b + "\n<end>").splitlines()):
        if line_a == line_b:
            continue
        numbers = [[float(number) for number in NUMBER.findall(line)] for line in (line_a, line_b)]
        near = all(abs(x - y) <= tolerance * max(abs(x), abs(y)) for x, y in zip(*numbers))
        if NUMBER.sub("#", line_a) != NUMBER.sub("#", line_b) or not near:
            return f"`{line_a}` and `{line_b}`"
    return ""


def compare_command(options, command, folders):
    """A row of the table, and whether the results are the same."""
    seconds = {way: [] for way in WAYS}
    results = {way: [] for way in WAYS}
    name = [options.name, f"`{command}`"]
    for number in range(options.runs):
        for way in WAYS if number % 2 == 0 else WAYS[::-1]:  # a machine that warms up meets both alike
            try:
                taken, result = run_once(options, command, folders[way])
            except RunFailed as error:
                print(f"{way}: {command}: {error}", file=sys.stderr)
                return name + ["-", "-", "-", f"{way} failed"], False
            seconds[way].append(taken)
            results[way].append(result)
    medians = {way: statistics.median(seconds[way]) for way in WAYS}
    ratio = f"{medians['plain'] / medians['drop_in']:.3f}" if medians["drop_in"] else "-"
    cells = name + [f"{medians[way]:.4g}" for way in WAYS] + [ratio]
    for way, text in ((way, text) for way in WAYS for text in results[way]):
        differs = difference(results["plain"][0], text, options.tolerance)
        if differs:
            what = "plain differs from run to run" if way == "plain" else "differ"
            return cells + [f"{what}: {differs}".replace("|", "\\|")], False
    exact = all(text == results["plain"][0] for way in WAYS for text in results[way])
    return cells + ["equal" if exact else f"within {options.tolerance:g}"], True


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path, help="folder of the application's CMakeLists.txt")
    parser.add_argument("--run", action="append", required=True, metavar="COMMAND", help="a command to compare; may be given several times")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="runs of a command either way; default %(default)s")
    parser.add_argument("--compare", metavar="REGEX", help="what has to be equal: all matches, of a group the group; default: the whole output")
    parser.add_argument("--tolerance", type=float, default=0, help="relative, of numbers in what is compared; default: equal to the letter")
    parser.add_argument("--time", metavar="REGEX", help="a group with the seconds that the application measured; default: the whole process")
    parser.add_argument("--limit", type=float, default=600, metavar="SECONDS", help="of a run; default %(default)s")
    parser.add_argument("--work", type=pathlib.Path, help="folder of both builds and their logs; default ./NAME_plain_and_drop_in")
    parser.add_argument("--target", action="append", default=[], help="to build; default: all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="of the build; default %(default)s")
    parser.add_argument("--name", help="of the application, for the table; default: its folder")
    parser.add_argument("--drop-in", type=pathlib.Path, default=DROP_IN, metavar="FILE", help="KokkosMMA_drop_in.cmake; default %(default)s")
    own, cmake = (arguments, []) if "--" not in arguments else (
        arguments[:arguments.index("--")], arguments[arguments.index("--") + 1:])
    options = parser.parse_args(own)
    if options.runs < 1:
        parser.error(f"--runs {options.runs}: 1 or more")
    for text in (options.compare, options.time):
        try:
            re.compile(text or "")
        except re.error as error:
            parser.error(f"'{text}' is no regular expression: {error}")
    options.cmake = cmake
    options.source = options.source.expanduser().resolve()
    options.name = options.name or options.source.name
    options.work = (options.work or pathlib.Path(f"{options.name}_plain_and_drop_in")).expanduser().resolve()
    return options


def main(arguments):
    options = parse(arguments)
    try:
        for file in (options.source / "CMakeLists.txt", options.drop_in):
            if not file.is_file():
                raise Unusable(f"{file} does not exist")
        options.work.mkdir(parents=True, exist_ok=True)
        folders = {way: build(options, way) for way in WAYS}
    except (Unusable, OSError) as error:
        print(f"compare_application: {error}", file=sys.stderr)
        return 2
    rows = [compare_command(options, command, folders) for command in options.run]
    print("\n".join(table(["application", "command", "plain, s", "drop-in, s", "plain / drop-in", "results"], [row for row, _ in rows])))
    return 0 if all(same for _, same in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
