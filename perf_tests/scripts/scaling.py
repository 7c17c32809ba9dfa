#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the JSON of perf_mpi into a Markdown table, and a model of more GPUs than were there.

    mpiexec -n 4 perf_mpi --mma-json=scaling.json
    perf_tests/scripts/scaling.py scaling.json > scaling.md
    perf_tests/scripts/scaling.py scaling.json --model 1024

Ends with status 1 when the file records a wrong result, 2 when it cannot be read.
"""

import argparse
import math
import sys

from bench_results import BadFile, read_json, table

# Efficiency of weak scaling that the project promised, by operation.
BARS = {"reduce": 0.95, "scan": 0.80, "stencil": 0.90}
FIELDS = ("name", "operation", "type", "scaling", "ranks", "bytes_per_rank", "real_time", "variation")


def load(path):
    """The cases of a file of perf_mpi; says what is wrong with any other file."""
    data = read_json(path)
    wanted = "pass a file that perf_mpi --mma-json=... wrote"
    if not isinstance(data, dict) or not isinstance(data.get("benchmarks"), list) or not isinstance(data.get("context"), dict):
        raise BadFile(f"{path} has no 'context' and 'benchmarks'; {wanted}")
    for case in data["benchmarks"]:
        missing = [field for field in FIELDS if not isinstance(case, dict) or field not in case]
        if missing:
            raise BadFile(f"{path}: a case lacks {', '.join(missing)}; {wanted}")
    return data


def shared(data):
    """What ranks shared that they should not have; empty for nothing."""
    what = data["context"].get("ranks_share", "nothing")
    return "" if what == "nothing" else what


def series(data, scaling):
    """{(operation, type): cases by ranks} of one kind of scaling."""
    result = {}
    for case in data["benchmarks"]:
        if case["scaling"] == scaling and case["operation"] in BARS:
            result.setdefault((case["operation"], case["type"]), []).append(case)
    for cases in result.values():
        cases.sort(key=lambda case: case["ranks"])
    return result


def link(data):
    """Latency in us and bandwidth in bytes per us of the slowest pair of ranks; None without messages."""
    messages = [case for case in data["benchmarks"] if case["operation"] == "link" and case["type"] == "message"]
    if not messages:
        return None
    least = min(case["bytes_per_rank"] for case in messages)
    most = max(case["bytes_per_rank"] for case in messages)
    latency = max(case["real_time"] for case in messages if case["bytes_per_rank"] == least)
    bandwidth = min(case["bytes_per_rank"] / case["real_time"] for case in messages if case["bytes_per_rank"] == most)
    return latency, bandwidth


def gather_time(ranks, latency, bandwidth):
    """MPI_Allgather of 64 bytes per rank, recursive doubling."""
    return math.ceil(math.log2(ranks)) * latency + (ranks - 1) * 64 / bandwidth if ranks > 1 else 0.0


def model(cases, ranks, latency, bandwidth):
    """Efficiency of weak scaling on that many ranks, from the case with the most ranks that was measured."""
    last = cases[-1]
    one = last["efficiency"] * last["real_time"]
    time = last["real_time"] + gather_time(ranks, latency, bandwidth) - gather_time(last["ranks"], latency, bandwidth)
    return one / time


def powers(first, most):
    ranks = first
    while ranks < most:
        ranks *= 2
        yield min(ranks, most)


def report(data, options):
    context = data["context"]
    lines = [
        f"{context.get('device', '?')}, {len(context.get('ranks', []))} ranks, {context.get('mpi_library', '?')}, GPU-aware MPI: "
        f"{context.get('gpu_aware_mpi', '?')}, Kokkos {context.get('kokkos_version', '?')}, revision {context.get('git_revision', '?')}",
        "",
    ]
    if shared(data):
        lines += [f"**Ranks shared {shared(data)}: no scaling can be read from this run.**", ""]
    rows, links = [], []
    for case in data["benchmarks"]:
        if case["operation"] == "link":
            partner = case["name"].partition("/with")[2].partition("/")[0].replace(":", " with rank ")
            links.append([case["type"] + partner, str(case["ranks"]), f"{case['bytes_per_rank']:.0f}", f"{case['real_time']:.2f}"])
            continue
        efficiency, bar = case.get("efficiency"), ""
        if case["scaling"] == "weak" and case["ranks"] > 1 and efficiency is not None:
            wanted = BARS[case["operation"]]
            bar = f"{'met' if efficiency >= wanted else 'missed'}: {wanted:.2f}"
        rows.append([case["operation"], case["type"], case["scaling"], str(case["ranks"]), f"{case['real_time']:.1f}",
                     f"{case['variation'] * 100:.1f} %", f"{case['bytes_per_rank'] / case['real_time'] * 1e-3:.0f}",
                     "" if efficiency is None else f"{efficiency:.3f}", bar])
    lines += table(["operation", "type", "scaling", "ranks", "us per call", "variation", "GB/s per rank", "efficiency", "wanted"], rows)
    lines += table(["link", "ranks", "bytes", "us"], links) if links else []
    if options.model:
        latency, bandwidth, origin = link_of_model(data, options)
        lines += [f"**Model, not measured**: weak scaling on more GPUs, {origin}.", ""]
        lines += table(["operation", "type", "ranks", "efficiency (model)"],
                       [[operation, kind, str(ranks), f"{model(cases, ranks, latency, bandwidth):.3f}"]
                        for (operation, kind), cases in series(data, "weak").items() for ranks in powers(cases[-1]["ranks"], options.model)])
    return "\n".join(lines).rstrip()


def link_of_model(data, options):
    measured = link(data)
    if not measured and (options.latency_us is None or options.bandwidth_gbs is None):
        raise BadFile("the model needs the time of messages, and the file has none: measure with two ranks or more and all cases, or pass "
                      "--latency-us= and --bandwidth-gbs=")
    latency = options.latency_us if options.latency_us is not None else measured[0]
    bandwidth = options.bandwidth_gbs * 1e3 if options.bandwidth_gbs is not None else measured[1]
    given = options.latency_us is not None or options.bandwidth_gbs is not None
    hosts = {place.rpartition(":")[0] or place for place in data["context"].get("ranks", [])}
    origin = ("with links as given" if given else "with the slowest link measured" if len(hosts) > 1 else
              "as if all were in one node, whose links were measured")
    return latency, bandwidth, f"{origin}: {latency:.2f} us and {bandwidth * 1e-3:.1f} GB/s"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("json")
    parser.add_argument("--model", type=int, metavar="RANKS", help="extrapolate weak scaling to so many ranks")
    parser.add_argument("--latency-us", type=float, help="of a message between nodes, for the model")
    parser.add_argument("--bandwidth-gbs", type=float, help="between nodes, for the model")
    options = parser.parse_args(arguments)
    if options.model is not None and options.model < 2:
        parser.error(f"--model {options.model}: a number of ranks, 2 or more")
    try:
        data = load(options.json)
        print(report(data, options))
    except BadFile as error:
        print(f"scaling.py: {error}", file=sys.stderr)
        return 2
    return 1 if data["context"].get("failures") else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
