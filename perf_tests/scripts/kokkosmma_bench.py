#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the benchmarks of kokkos-mma, and makes tables and plots of them.

    kokkosmma-bench                         all programs, some minutes; results in bench_results/DEVICE_DATE
    kokkosmma-bench --only scan,stencil     some of them
    kokkosmma-bench report FOLDER           tables and plots of a result folder again
    kokkosmma-bench compare A B             two JSONs or result folders against each other

Exit status: 0 done, 1 a program or a case failed (the results of the others are kept), 2 an invalid command line.
"""

import argparse
import collections
import datetime
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

import compare
import markdown_table
import plots
from bench_results import PROGRAMS, BadFile, files_in, load, on_cuda

# Which cases run. Filters choose among all cases of a program and are POSIX extended and ECMAScript alike. `usual` is what fits into ten
# minutes on an H200; left out are exact sums, energy, and most stencils: all of these would be hours of Kokkos' own code at large
# radii.
Cases = collections.namedtuple("Cases", "usual full quick")
CASES = {
    "reduce": Cases("^(ceiling/|reduce/(kokkos|kokkos_int64|drop_in|drop_in_int64|mma|cub)/)", ".",
                    "^(ceiling/|reduce/[a-z0-9_]+/float/view/)"),
    "scan": Cases("^(ceiling/|scan/)", ".", "^(ceiling/|scan/(kokkos|drop_in|visible|cub)/float/exclusive/)"),
    "segmented": Cases("^(ceiling/|segmented_(reduce|scan)/)", ".",
                       "^(ceiling/|segmented_(reduce|scan)/[a-z_]+/float/equal/length:(8|64|1024)/)"),
    "stencil": Cases(
        usual="^(ceiling/"
        "|stencil/(kokkos_tiled|separable|npp|cudnn|stencil)/(half|float|double|uint8)/2d/(box|star|dense)/r:(1|2|3|5|7|11|16)/constant"
        "|stencil/(kokkos_tiled|stencil)/(half|float)/2d/box/r:(1|7)/"
        "|stencil/(kokkos|separable|stencil)/(half|float)/1d/box/r:(1|7|16)/constant"
        "|stencil/(kokkos_tiled|stencil)/(half|float|double)/3d/(box|dense|star)/r:1/constant"
        "|stencil/stencil/(half|float|double)/3d/star/r:(2|4|8)/constant|stencil/stencil/(half|float)/3d/box/r:3/constant"
        "|stencil_steps/stencil/(float|double)/[23]d/(star|dense)_mean/"
        "|automaton/(kokkos_tiled|automaton)/uint8/moore/r:(1|5|10)/constant)",
        full=".",
        quick="^(ceiling/|stencil/(kokkos_tiled|stencil)/float/2d/box/r:(1|3|7)/constant)",
    ),
    "loops": Cases(
        usual="^(ceiling/"
        "|loop/[a-z0-9_]+/(half|float|double)/rank1/(fill|copy|triad|points3)/"
        "|loop/[a-z0-9_]+/(float|double)/rank1/(gather|few1000|few1000_fence)/"
        "|loop/[a-z0-9_]+/(float|double)/rank[23]/(copy|points[579])(_default|_default_right)?/"
        "|loop/[a-z0-9_]+/float/(view/(fill|initialise|left_to_right[23])|functor/4096)/)",
        full=".",
        quick="^(ceiling/|loop/[a-z0-9_]+/float/(rank1/(fill|copy|triad)|rank2/points5_default)/)",
    ),
    "nested": Cases(
        usual="^(ceiling/"
        "|nested/[a-z0-9_]+/(float|double)/rows/(vector_8x32|team_auto)/(64|256|1024|16384)/"
        "|nested/[a-z0-9_]+/double/(csr/(stencil27|power_law)_(8|32)|batched/gemv16|application/softmax_team|policy/reduce_256_auto)/"
        "|nested/[a-z0-9_]+/float/(application/softmax_vector|application/forces_vector|scan/team_1024|policy/reduce_1024|for/team)/)",
        full=".",
        quick="^(ceiling/|nested/[a-z0-9_]+/float/rows/vector_8x32/(64|256)/)",
    ),
}
QUICK_FLAGS = ["--mma-max-n=20000", "--mma-samples=3"]
FULL_FLAGS = {"segmented": ["--mma-energy"]}
HOST_FLAGS = ["--mma-samples=5", "--mma-max-n=4194304"]  # a case takes longer there; small data walk through more than the caches


class Usage(Exception):
    """The call was wrong, and nothing was written."""


class Failed(Exception):
    """One program gave nothing; the message says why."""


def environment():
    """Where the user binds no threads, host programs run one on each core."""
    return {"OMP_PROC_BIND": "spread", "OMP_PLACES": "threads", **os.environ}


def last_lines(text, count=4):
    return " | ".join([line.strip() for line in text.splitlines() if line.strip()][-count:]) or "no output"


def reason(status, text):
    how = f"signal {-status}" if status < 0 else f"status {status}"
    hint = ""
    if re.search(r"no CUDA-capable device|cudaError(NoDevice|InsufficientDriver)|libcuda\.so", text):
        hint = "; programs built for Cuda need a GPU, those of a Kokkos without Cuda measure the host routes"
    return f"ended with {how}: {last_lines(text)}{hint}"


def output_of(command):
    """What a short call prints.
    Raises Failed."""
    try:
        run = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=300, check=False)
    except OSError as error:
        raise Failed(f"{command[0]}: {error.strerror}; build it, or name its folder with --programs")
    except subprocess.TimeoutExpired:
        raise Failed("did not answer within five minutes")
    if run.returncode != 0:
        raise Failed(reason(run.returncode, run.stderr + run.stdout))
    return run.stdout


class Program:
    def __init__(self, name, folder, options):
        self.name = f"perf_{name}"
        mode = "full" if options.full else "quick" if options.quick else "usual"
        self.command = [str(pathlib.Path(folder) / self.name), f"--benchmark_filter={getattr(CASES[name], mode)}"]
        self.command += QUICK_FLAGS if options.quick else []
        self.command += FULL_FLAGS.get(name, []) if options.full else []
        self.cases = ()
        self.error = None

    def list_cases(self):
        self.cases = frozenset(output_of(self.command + ["--benchmark_list_tests"]).split())
        if not self.cases:
            raise Failed("has no case that its filter chooses")

    def context(self):
        """The context of a run of one cheap case."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "probe.json"
            output_of([self.command[0], "--benchmark_filter=^ceiling/empty_kernel/", "--mma-max-n=1024", "--mma-samples=3",
                       f"--benchmark_out={path}", "--benchmark_out_format=json"])
            try:
                return load(path)["context"]
            except BadFile as error:
                raise Failed(str(error))


class Progress:
    """One line that is written over on a terminal, one line every ten seconds elsewhere."""

    def __init__(self, programs):
        self.programs, self.start = programs, time.monotonic()
        self.shown, self.over, self.done_before = 0.0, 0, 0
        self.terminal = sys.stderr.isatty()

    @staticmethod
    def clock(seconds):
        return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"

    def show(self, program, done, last=False):
        now = time.monotonic()
        if last or now - self.shown >= (0.2 if self.terminal else 10):
            self.shown = now
            text = (f"[{self.over + 1}/{len(self.programs)}] {program.name:14} {done:4}/{len(program.cases)} cases, "
                    f"{self.clock(now - self.start)} elapsed")
            cases = self.done_before + done
            if cases >= 5 and (not last or self.over + 1 < len(self.programs)):
                rest = sum(len(later.cases) for later in self.programs[self.over:]) - done
                text += f", about {self.clock((now - self.start) / cases * rest)} left"
            print(f"\r{text:78}" if self.terminal else text, end="\n" if last or not self.terminal else "", file=sys.stderr, flush=True)
        if last:
            self.done_before += done
            self.over += 1


def run_program(program, folder, progress, minutes):
    """Runs to the end, the console's text into a log.
    Raises Failed."""
    json, log = folder / f"{program.name}.json", folder / f"{program.name}.log"
    command = program.command + [f"--benchmark_out={json}", "--benchmark_out_format=json"]
    done, tail, late = 0, collections.deque(maxlen=8), threading.Event()
    with open(log, "w", encoding="utf-8") as file:
        process = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   errors="replace")

        def stop():
            late.set()
            process.kill()

        timer = threading.Timer(minutes * 60, stop)
        timer.start()
        try:
            for line in process.stdout:
                file.write(line)
                tail.append(line)
                if line.partition(" ")[0] in program.cases:
                    done += 1
                    progress.show(program, done)
            status = process.wait()
        except KeyboardInterrupt:
            process.kill()
            process.wait()
            raise
        finally:
            timer.cancel()
            progress.show(program, done, last=True)
    if late.is_set():
        raise Failed(f"was stopped after {minutes:g} minutes with {done} of {len(program.cases)} cases done; raise --limit or choose fewer")
    try:
        load(json)
    except BadFile as error:
        raise Failed(f"{reason(status, ''.join(tail))}; {error}" if status else str(error))
    if status != 0:
        raise Failed(reason(status, "".join(tail)))


def new_folder(path):
    """Makes the result folder.
    Raises Usage where it cannot be written to or holds results."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        if any(path.glob("perf_*.json")):
            raise Usage(f"{path} holds results already; pass another folder with --out, or remove it")
        with tempfile.TemporaryFile(dir=str(path)):
            pass
    except OSError as error:
        raise Usage(f"{path} cannot be written to: {error.strerror}; pass another folder with --out")
    return path


def default_folder(context):
    device = re.sub(r"[^a-z0-9]+", "_", context.get("device", "unknown").lower()).strip("_")
    return pathlib.Path("bench_results") / f"{device}_{datetime.datetime.now().strftime('%Y-%m-%d_%H%M%S')}"


def write_report(folder, failures=()):
    """report.md and pictures of the JSONs in the folder; a list of what failed."""
    problems, documents = list(failures), {}
    for name, path in files_in(folder).items():
        try:
            documents[name] = load(path)
        except BadFile as error:
            if not any(problem.startswith(f"perf_{name}:") for problem in problems):
                problems.append(f"perf_{name}: {error}")
    if not documents:
        raise BadFile(f"{folder} holds no complete results: " + "; ".join(problems))
    context = next(iter(documents.values()))["context"]
    try:
        drawn = [path for path in plots.draw_all(documents, folder) if path.suffix == ".png"]
    except ImportError:
        drawn = []
        print(f"{plots.NO_MATPLOTLIB}; then: kokkosmma-bench report {folder}")
    except Exception as error:  # whatever a broken matplotlib stumbles over, the tables are made
        drawn = []
        problems.append(f"plots: {type(error).__name__}: {error}")
    lines = [f"# Benchmarks, {plots.subject(context)}", ""]
    if not on_cuda(context):
        lines += ["No Cuda execution space: every route is Kokkos' own code or a host route of kokkos-mma. These figures say nothing about "
                  "GPUs.", ""]
    lines += [f"![{path.stem}]({path.name})" for path in drawn] + [""]
    for name, document in documents.items():
        text, good = markdown_table.markdown(document)
        # One title for the page: the tables of a program are a level below it.
        lines += [f"## perf_{name}", "", re.sub("^##", "###", text, flags=re.MULTILINE)]
        if not good:
            problems.append(f"perf_{name}: cases failed, see Failed in the report")
    if problems:
        lines += ["## Not complete", ""] + [f"- {problem}" for problem in problems] + [""]
    (folder / "report.md").write_text("\n".join(lines), encoding="utf-8")
    print(f"tables: {folder / 'report.md'}")
    for path in drawn:
        print(f"plot:   {path} and .svg")
    return problems


def ready(programs, host_flags):
    """The programs that answer, and what one of them says of the machine; the others get their error."""
    context = None
    for program in programs:
        try:
            context = context or program.context()
            program.command += [] if on_cuda(context) else host_flags
            program.list_cases()
        except Failed as error:
            program.error = str(error)
            print(f"{program.name}: {error}", file=sys.stderr)
    return [program for program in programs if not program.error], context


def run(options):
    programs = [Program(name, options.programs, options) for name in options.only]
    able, context = ready(programs, [] if options.quick else HOST_FLAGS)
    if not able:
        print("no program can run; nothing was written", file=sys.stderr)
        return 1
    folder = new_folder(pathlib.Path(options.out) if options.out else default_folder(context))
    where = "on " if on_cuda(context) else "on the host, as there is no Cuda execution space: "
    print(f"{sum(len(program.cases) for program in able)} cases {where}{context.get('device')}; Kokkos {context.get('kokkos_version')}, "
          f"revision {context.get('git_revision')}; results in {folder}", flush=True)
    progress = Progress(able)
    for program in able:
        try:
            run_program(program, folder, progress, options.limit)
        except Failed as error:
            program.error = str(error)
            print(f"{program.name}: {error}", file=sys.stderr)
        except KeyboardInterrupt:
            for stopped in able[able.index(program):]:
                stopped.error = "interrupted"
            break
    failures = [f"{program.name}: {program.error}" for program in programs if program.error]
    try:
        failures = write_report(folder, failures)
    except BadFile as error:
        failures.append(str(error))
    if failures:
        print("\nNot complete:\n" + "\n".join(f"  {failure}" for failure in failures), file=sys.stderr)
    return 1 if failures else 0


def report(options):
    folder = pathlib.Path(options.folder)
    if not os.access(str(folder), os.W_OK):
        raise Usage(f"{folder} is not a folder that can be written to; pass one that kokkosmma-bench wrote")
    problems = write_report(folder)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def names(text):
    chosen = text.split(",")
    for name in chosen:
        if name not in PROGRAMS:
            raise argparse.ArgumentTypeError(f"'{name}' is not a program; choose among {', '.join(PROGRAMS)}, separated by commas")
    return [name for name in PROGRAMS if name in chosen]


def minutes_of(text):
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value <= 10000:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of minutes above 0 and up to 10000")
    return value


def parse(arguments, programs):
    parser = argparse.ArgumentParser(prog="kokkosmma-bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command")
    runs = commands.add_parser("run", help="run the benchmarks (the default)")
    amount = runs.add_mutually_exclusive_group()
    amount.add_argument("--full", action="store_true", help="every case of every program, and energy: hours")
    amount.add_argument("--quick", action="store_true", help="a few cases on small data: some seconds, to see that all works")
    runs.add_argument("--only", type=names, default=list(PROGRAMS), metavar="NAMES", help="some of " + ",".join(PROGRAMS))
    runs.add_argument("--out", metavar="FOLDER", help="where results go; default bench_results/DEVICE_DATE")
    runs.add_argument("--programs", default=str(programs), metavar="FOLDER", help="where the programs are; default %(default)s")
    runs.add_argument("--limit", type=minutes_of, metavar="MINUTES", help="stop a program that takes longer; default 20, with --full 600")
    runs.set_defaults(act=run)
    reports = commands.add_parser("report", help="tables and plots of a result folder again")
    reports.add_argument("folder")
    reports.set_defaults(act=report)
    compares = commands.add_parser("compare", help=compare.DESCRIPTION, description=compare.DESCRIPTION)
    compare.add_arguments(compares)
    compares.set_defaults(act=compare.act)
    if not arguments or (arguments[0] not in commands.choices and arguments[0] not in ("-h", "--help")):
        arguments = ["run", *arguments]
    options = parser.parse_args(arguments)
    if options.command == "run" and options.limit is None:
        options.limit = 600 if options.full else 20
    return options


def main(arguments, programs=None):
    """programs: where the benchmark programs are looked for."""
    options = parse(arguments, programs or pathlib.Path.cwd())
    try:
        return options.act(options)
    except (Usage, BadFile) as error:
        print(f"kokkosmma-bench: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
