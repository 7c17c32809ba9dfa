#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares two runs of the benchmarks case by case.

    kokkosmma-compare before.json after.json
    kokkosmma-compare bench_results/nvidia_h200_monday bench_results/nvidia_h200_tuesday --fail-on-regression

A ratio is how many times faster B is than A. It is beyond noise if it differs from 1 by more than each of
  - the threshold, 5 %,
  - three standard errors of the two medians, from the variation of their samples,
  - 1.5 times the change that 95 % of the peers with similar times stay below. Peers are Kokkos' own code, CUB and other libraries. They are
    the same in both runs, so the machine causes their changes.

Exit status: 0 compared, 1 a regression with --fail-on-regression, 2 an invalid command line or an unreadable file.
"""

import argparse
import math
import pathlib
import statistics
import sys

from bench_results import PEERS, BadFile, Case, entries_by_case, files_in, load, on_cuda

DESCRIPTION = "ratios of two JSONs or result folders, with noise; regressions are flagged"
SAME_IN_BOTH = ("kokkos_version", "cuda_runtime_version", "cub_version", "driver_version", "compiler", "tuning_table", "route_setting",
                "samples")
FEWEST_PEERS = 5  # with fewer, their changes are ignored


class Change:
    """A case that is in both runs."""

    def __init__(self, path, before, after, value, samples):
        self.path = path
        self.name = "/".join(path)
        self.ratio = value(after) / value(before)
        self.peer = path[1] in PEERS
        self.decade = math.floor(math.log10(min(before.microseconds, after.microseconds)))
        self.before, self.after = before, after
        # The median of m normal samples has 1.25 times the standard error of their mean.
        errors = [1.2533 * (case.variation or 0) / math.sqrt(m) for case, m in zip((before, after), samples)]
        self.own_noise = 3 * math.hypot(*errors)
        self.noise = 0.0

    def size(self):
        return abs(math.log(self.ratio))

    def beyond_noise(self):
        return self.size() > math.log1p(self.noise)


def measured(document):
    """{path: Case} of what has figures, and {path: error} of what failed."""
    good, failed = {}, {}
    for path, entries in entries_by_case(document).items():
        case = Case(entries)
        if case.error:
            failed[path] = case.error
        elif path[0] != "ceiling" and case.microseconds and not case.label.startswith("refused"):
            good[path] = case
    return good, failed


def peers_noise(changes):
    """What the machine changed by: {decade of microseconds: 95 % of the peers' changes}."""
    by_decade = {}
    for change in changes:
        if change.peer:
            by_decade.setdefault(change.decade, []).append(math.expm1(change.size()))
    return {decade: sorted(sizes)[int(0.95 * (len(sizes) - 1))] for decade, sizes in by_decade.items() if len(sizes) >= FEWEST_PEERS}


def number_of_samples(document):
    try:
        return max(int(document["context"].get("samples", 1)), 1)
    except ValueError:
        return 1


def compared(before, after, threshold, relative):
    """Changes of the cases in both documents, and a list of what fails only in the second."""
    (good, was_failed), (good_after, failed_after) = measured(before), measured(after)
    samples = number_of_samples(before), number_of_samples(after)

    def value(case):
        return case.fraction if relative else 1 / case.microseconds

    both = [path for path in good if path in good_after]
    changes = [Change(path, good[path], good_after[path], value, samples) for path in both if value(good[path]) and value(good_after[path])]
    drift = peers_noise(changes)
    for change in changes:
        change.noise = max(threshold, change.own_noise, 1.5 * drift.get(change.decade, 0.0))
    broken = [f"{'/'.join(path)}: {why}" for path, why in failed_after.items() if path not in was_failed]
    return changes, broken, len(good) - len(both), len(good_after) - len(both)


def rows(changes):
    lines = ["| case | A, us | B, us | B faster by | noise |", "| --- | ---: | ---: | ---: | ---: |"]
    for change in sorted(changes, key=lambda c: c.ratio):
        times = f"{change.before.microseconds:.2f} | {change.after.microseconds:.2f}"
        lines.append(f"| {change.name} | {times} | {change.ratio:.3f} | {100 * change.noise:.0f} % |")
    return lines + [""]


def pairs(a, b):
    """(title, file, file) of two files or two folders."""
    folders = [pathlib.Path(path).is_dir() for path in (a, b)]
    if folders[0] != folders[1]:
        raise BadFile(f"{a} and {b}: one is a folder and the other is not; pass two files or two folders")
    if not folders[0]:
        return [("", a, b)], []
    first, second = files_in(a), files_in(b)
    missing = [f"perf_{name}.json is only in {a if name in first else b}" for name in sorted(set(first) ^ set(second))]
    found = [(f"perf_{name}", first[name], second[name]) for name in first if name in second]
    if not found:
        raise BadFile(f"{a} and {b} have no program in common: " + "; ".join(missing))
    return found, missing


def check_devices(title, before, after, allow):
    contexts = (before["context"], after["context"])
    devices = [f"{context.get('device', 'unknown')} ({context.get('execution_space', '?')})" for context in contexts]
    if devices[0] == devices[1]:
        return False
    if not allow:
        raise BadFile(f"{title or 'these files'}: A ran on {devices[0]}, B on {devices[1]}; times of different devices say nothing. "
                      "--allow-different-devices compares fractions of each one's own ceiling")
    return True


def compare(options):
    """The text, and how many regressions."""
    lines, regressions = [], 0
    found, missing = pairs(options.a, options.b)
    for title, a, b in found:
        before, after = load(a), load(b)
        different = check_devices(title, before, after, options.allow_different_devices)
        relative = options.relative or different
        changes, broken, only_a, only_b = compared(before, after, options.threshold / 100, relative)
        if not changes and not broken:
            raise BadFile(f"{a} and {b} have no case in common; pass runs of the same program with the same cases")
        ours = [change for change in changes if not change.peer]
        peers = [change for change in changes if change.peer]
        slower = [change for change in ours if change.beyond_noise() and change.ratio < 1]
        faster = [change for change in ours if change.beyond_noise() and change.ratio > 1]
        moved = [change for change in peers if change.beyond_noise()]
        regressions += len(slower) + len(broken)
        lines += [f"## {title}" if title else "## Comparison", ""]
        lines.append(f"A: {a}, {before['context'].get('date')}, revision {before['context'].get('git_revision')}  ")
        lines.append(f"B: {b}, {after['context'].get('date')}, revision {after['context'].get('git_revision')}  ")
        for key in SAME_IN_BOTH:
            values = [document["context"].get(key) for document in (before, after)]
            if values[0] != values[1]:
                lines.append(f"{key}: {values[0]} in A, {values[1]} in B  ")
        if not on_cuda(after["context"]):
            lines.append("On hosts every contender is Kokkos' own code or a host route.  ")
        if relative:
            lines.append("Ratios are of fractions of the ceiling that each run measured.  ")
        text = f"{len(ours)} cases of kokkos-mma, {len(slower)} slower and {len(faster)} faster beyond noise"
        if peers:
            middle = statistics.median(change.ratio for change in peers)
            text += f"; {len(peers)} of peers, median ratio {middle:.3f}, {len(moved)} beyond noise"
        if only_a or only_b:
            text += f"; only in A {only_a}, only in B {only_b}"
        lines += [text + ".", ""]
        for heading, group in (("Slower", slower), ("Faster", faster), ("Peers that changed", moved)):
            if group:
                lines += [f"### {heading}", ""] + rows(group)
        if broken:
            lines += ["### Fail in B", ""] + [f"- {text}" for text in broken] + [""]
        if options.all and changes:
            lines += ["### All cases", ""] + rows(changes)
    lines += [f"{text}." for text in missing]
    lines.append(f"regressions: {regressions}" if regressions else "no regression")
    return "\n".join(lines), regressions


def percent(text):
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value <= 1000:
        raise argparse.ArgumentTypeError(f"'{text}' is not a percentage from 0 to 1000")
    return value


def add_arguments(parser):
    parser.add_argument("a", metavar="A", help="JSON or result folder of the run before")
    parser.add_argument("b", metavar="B", help="of the run after")
    parser.add_argument("--threshold", type=percent, default=5, metavar="PERCENT", help="no smaller change is flagged; default %(default)s")
    parser.add_argument("--relative", action="store_true", help="compare fractions of the ceiling in place of times")
    parser.add_argument("--allow-different-devices", action="store_true", help="implies --relative where the devices differ")
    parser.add_argument("--fail-on-regression", action="store_true", help="status 1 when a case is slower beyond noise, or fails in B")
    parser.add_argument("--all", action="store_true", help="list every case")


def act(options):
    text, regressions = compare(options)
    print(text)
    return 1 if regressions and options.fail_on_regression else 0


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    try:
        return act(parser.parse_args(arguments))
    except BadFile as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
