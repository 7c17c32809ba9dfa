#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of kokkosmma_bench.py and its plots. Stand-ins for the programs answer with cases of real runs, or fail in the ways programs fail."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import kokkosmma_bench  # noqa: E402
import plots  # noqa: E402
from bench_results import Results, load  # noqa: E402
from test_compare import document  # noqa: E402

try:
    import matplotlib  # noqa: F401

    HAS_MATPLOTLIB = True
except ImportError:
    HAS_MATPLOTLIB = False

STAND_IN = """#!{python}
import json, re, sys, time
flags = dict(a.partition("=")[::2] for a in sys.argv[1:])
if {no_gpu}:
    sys.exit("cudaGetDeviceCount(&count) error( cudaErrorNoDevice): no CUDA-capable device is detected")
document = {document!r}
document["context"]["execution_space"] = {space!r}
document["benchmarks"] = [b for b in document["benchmarks"] if re.search(flags["--benchmark_filter"], b["name"])]
if "--benchmark_list_tests" in flags:
    print("\\n".join(b["name"] for b in document["benchmarks"]))
    sys.exit(0)
probe = flags["--benchmark_filter"].startswith("^ceiling/empty_kernel")
for b in document["benchmarks"]:
    print(b["name"], b["real_time"], "us", flush=True)
probe or time.sleep({sleeps})
text = json.dumps(document)
open(flags["--benchmark_out"], "w").write(text if probe or not {truncate} else text[:len(text) // 2])
sys.exit(0 if probe else {status})
"""

NO_PLOTS = "sys.modules['matplotlib'] = None"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(HERE)}


class Driver(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.out = self.folder / "results"

    def tearDown(self):
        self.temporary.cleanup()

    def stand_in(self, *names, space="Cuda", no_gpu=False, truncate=False, status=0, sleeps=0):
        for name in names:
            path = self.folder / f"perf_{name}"
            path.write_text(STAND_IN.format(python=sys.executable, document=document(name, "after"), space=space, no_gpu=no_gpu,
                                            truncate=truncate, status=status, sleeps=sleeps), encoding="utf-8")
            path.chmod(0o755)

    @staticmethod
    def command(*arguments, draws=False, prepare=None):
        """Without matplotlib, which takes seconds, unless the test is about plots."""
        code = f"import sys; {prepare or NO_PLOTS}; import kokkosmma_bench; sys.exit(kokkosmma_bench.main(sys.argv[1:]))"
        return [sys.executable, *([str(HERE / "kokkosmma_bench.py")] if draws else ["-c", code]), *map(str, arguments)]

    def bench(self, *arguments, **more):
        return subprocess.run(self.command(*arguments, **more), capture_output=True, text=True, check=False, cwd=str(self.folder),
                              env=ENVIRONMENT)

    def run_two(self, *arguments, **more):
        return self.bench("--programs", self.folder, "--only", "scan,segmented", "--out", self.out, *arguments, **more)

    def test_results_tables_plots_and_progress(self):
        self.stand_in("scan", "segmented")
        run = self.run_two(draws=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("63 cases on NVIDIA H200; Kokkos 4.6.1, revision b1; results in", run.stdout)
        self.assertRegex(run.stderr, r"\[1/2\] perf_scan +39/39 cases, 0:\d\d elapsed, about 0:\d\d left")
        self.assertRegex(run.stderr, r"\[2/2\] perf_segmented +24/24 cases, 0:\d\d elapsed")
        text = (self.out / "report.md").read_text(encoding="utf-8")
        self.assertIn("# Benchmarks, NVIDIA H200, 2026-11-21", text)
        self.assertIn("## Exclusive scan, GB/s read plus written", text)
        self.assertIn("## Sums of equal segments, GB/s", text)
        self.assertNotIn("Not complete", text)
        self.assertEqual(load(self.out / "perf_scan.json")["context"]["device"], "NVIDIA H200")
        if HAS_MATPLOTLIB:
            for name in ("scan", "segmented_reduce", "overview"):
                self.assertTrue((self.out / f"{name}.png").read_bytes().startswith(b"\x89PNG"), name)
                self.assertIn("NVIDIA H200, 2026-11-21", plain_text((self.out / f"{name}.svg").read_text(encoding="utf-8")))
                self.assertIn(f"({name}.png)", text)

    def test_default_folder_names_device_and_date(self):
        self.stand_in("scan")
        run = self.bench("--programs", self.folder, "--only", "scan")
        self.assertEqual(run.returncode, 0, run.stderr)
        made = list((self.folder / "bench_results").iterdir())
        self.assertEqual(len(made), 1)
        self.assertRegex(made[0].name, r"^nvidia_h200_\d{4}-\d\d-\d\d_\d{6}$")

    def test_without_gpu_routes_are_the_hosts_and_every_output_says_so(self):
        self.stand_in("scan", "segmented", space="OpenMP")
        run = self.run_two(draws=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("on the host, as there is no Cuda execution space", run.stdout)
        text = (self.out / "report.md").read_text(encoding="utf-8")
        self.assertIn("# Benchmarks, host routes, no GPU: NVIDIA H200", text)
        self.assertIn("No Cuda execution space", text)
        if HAS_MATPLOTLIB:
            self.assertIn("host routes, no GPU", plain_text((self.out / "scan.svg").read_text(encoding="utf-8")))

    def test_programs_for_cuda_without_gpu(self):
        self.stand_in("scan", "segmented", no_gpu=True)
        run = self.run_two()
        self.assertEqual(run.returncode, 1)
        self.assertIn("cudaErrorNoDevice", run.stderr)
        self.assertIn("programs built for Cuda need a GPU", run.stderr)
        self.assertIn("nothing was written", run.stderr)
        self.assertFalse(self.out.exists())

    def test_a_program_that_fails_leaves_the_results_of_the_others(self):
        for stand_in, message, heading in (
            (None, f"perf_scan: {self.folder / 'perf_scan'}: No such file", None),
            ({"truncate": True, "status": 3}, "perf_scan: ended with status 3.*only the beginning of it", None),
            ({"status": 1}, "perf_scan: ended with status 1", "## Exclusive scan"),  # its JSON is complete
        ):
            self.stand_in("segmented")
            if stand_in:
                self.stand_in("scan", **stand_in)
            self.out = self.folder / f"results of {stand_in}"
            run = self.run_two()
            self.assertEqual(run.returncode, 1)
            self.assertRegex(run.stderr, message)
            text = (self.out / "report.md").read_text(encoding="utf-8")
            for part in ("# Not complete", "- perf_scan:", "## Sums of equal segments", heading or ""):
                self.assertIn(part, text)
            self.assertTrue((self.out / "perf_segmented.json").exists())

    def test_limit_of_time(self):
        self.stand_in("scan", sleeps=60)
        run = self.bench("--programs", self.folder, "--only", "scan", "--out", self.out, "--limit", "0.02")
        self.assertEqual(run.returncode, 1)
        self.assertIn("was stopped after 0.02 minutes with 39 of 39 cases done; raise --limit", run.stderr)

    def test_an_interrupted_run_keeps_what_is_there(self):
        self.stand_in("scan")
        self.stand_in("segmented", sleeps=60)
        process = subprocess.Popen(self.command("--programs", self.folder, "--only", "scan,segmented", "--out", self.out,
                                                prepare="import signal; signal.signal(signal.SIGINT, signal.default_int_handler); " + NO_PLOTS),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        until = time.monotonic() + 60
        while not (self.out / "perf_segmented.log").exists() and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn("perf_segmented: interrupted", errors)
        self.assertIn("## Exclusive scan", (self.out / "report.md").read_text(encoding="utf-8"))

    @unittest.skipIf(os.geteuid() == 0, "root writes everywhere")
    def test_folder_without_permission(self):
        self.out.mkdir(mode=0o500)
        self.assert_usage("cannot be written to: Permission denied", "--out", self.out)

    def test_results_are_not_overwritten(self):
        self.out.mkdir()
        (self.out / "perf_scan.json").write_text("kept", encoding="utf-8")
        self.assert_usage("holds results already", "--out", self.out)
        self.assertEqual((self.out / "perf_scan.json").read_text(encoding="utf-8"), "kept")

    def assert_usage(self, text, *arguments):
        self.stand_in("scan")
        run = self.bench(*(arguments if arguments[0] in ("report", "compare") else ("--programs", self.folder, "--only", "scan", *arguments)))
        self.assertEqual(run.returncode, 2, arguments)
        self.assertIn(text, run.stderr)

    def test_wrong_usage(self):
        (self.folder / "file").write_text("", encoding="utf-8")
        for text, *arguments in (
            ("cannot be written to: Not a directory; pass another folder with --out", "--out", self.folder / "file" / "results"),
            ("'sort' is not a program; choose among reduce, scan, segmented, stencil", "--only", "scan,sort"),
            ("not allowed with argument", "--full", "--quick"),
            ("'soon' is not a number of minutes", "--limit", "soon"),
            ("unrecognized arguments: --fast", "--fast"),
            ("holds none of perf_reduce.json", "report", self.folder),
            ("is not a folder that can be written to", "report", self.folder / "absent"),
            ("kokkosmma-bench: ", "compare", self.folder, self.folder),
        ):
            self.assert_usage(text, *arguments)

    def test_without_matplotlib_there_are_tables_and_a_way_to_plots(self):
        self.stand_in("scan", "segmented")
        run = self.run_two()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("no plots: this Python has no matplotlib", run.stdout)
        self.assertIn("## Exclusive scan", (self.out / "report.md").read_text(encoding="utf-8"))
        self.assertFalse(list(self.out.glob("*.png")))
        if HAS_MATPLOTLIB:
            self.assertEqual(self.bench("report", self.out, draws=True).returncode, 0)
            self.assertTrue((self.out / "scan.png").exists())

    def test_broken_matplotlib_costs_the_plots_alone(self):
        self.stand_in("scan")
        run = self.bench("--programs", self.folder, "--only", "scan", "--out", self.out,
                         prepare="import plots; plots.draw_all = lambda documents, folder: 1 / 0")
        self.assertEqual(run.returncode, 1)
        self.assertIn("plots: ZeroDivisionError", run.stderr)
        self.assertIn("## Exclusive scan", (self.out / "report.md").read_text(encoding="utf-8"))


class Chosen(unittest.TestCase):
    """Which cases the filters take, of names as the programs give them."""

    def test_filters(self):
        for program, usual, name in (
            ("reduce", True, "reduce/mma/half/view/n:1/iterations:1/manual_time"),
            ("reduce", True, "ceiling/copy/iterations:1/manual_time"),
            ("reduce", False, "reduce/exact/half/view/n:1/x"),
            ("reduce", True, "reduce/drop_in_int64/float/view/n:1/x"),
            ("loops", True, "loop/cub/half/rank1/triad/iterations:1/x"),
            ("loops", True, "loop/kokkos_int64/double/rank2/points9_default/iterations:1/x"),
            ("loops", True, "loop/drop_in/float/rank2/points5_default_right/iterations:1/x"),
            ("loops", True, "loop/kokkos/double/rank1/few1000_fence/iterations:1/x"),
            ("loops", False, "loop/kokkos/float/rank2/points49/iterations:1/x"),
            ("loops", False, "loop/kokkos/int8/rank1/copy/iterations:1/x"),
            ("nested", True, "nested/drop_in/float/rows/team_auto/64/iterations:1/x"),
            ("nested", True, "nested/kokkos/double/csr/power_law_8/iterations:1/x"),
            ("nested", False, "nested/kokkos/float/rows/team_auto/16/iterations:1/x"),
            ("scan", True, "scan/shuffle/int8/exclusive/n:32/x"),
            ("segmented", True, "segmented_scan/unchecked/float/ragged32/one_long:3/n:1/x"),
            ("segmented", False, "segmented_energy/segmented/half/equal/length:16/n:1/x"),
            ("stencil", True, "stencil/cudnn/float/2d/dense/r:7/constant/n:268435456/x"),
            ("stencil", True, "stencil/stencil/half/2d/box/r:1/periodic/n:268435456/x"),
            ("stencil", True, "stencil_steps/stencil/float/2d/star_mean/r:1/periodic/steps:24/n:268435456/x"),
            ("stencil", True, "automaton/automaton/uint8/moore/r:5/constant/steps:8/n:268435456/x"),
            ("stencil", False, "stencil/kokkos_tiled/float/3d/box/r:16/constant/n:1/x"),
            ("stencil", False, "stencil/stencil/half/2d/dense/r:12/constant/n:1/x"),
            ("stencil", False, "stencil/stencil/half/2d/dense_real/r:1/constant/n:1/x"),
        ):
            cases = kokkosmma_bench.CASES[program]
            self.assertEqual(bool(re.search(cases.usual, name)), usual, name)
            self.assertRegex(name, cases.full)


class Lines(unittest.TestCase):
    """What is drawn."""

    def test_scan_over_powers_of_two(self):
        found = {p.name: p for p in plots.pictures(Results(document("scan", "after")))}
        panel = next(p for p in found["scan"].panels if p.title == "float")
        self.assertEqual(sorted(panel.lines), ["CUB", "Kokkos", "kokkos-mma", "kokkos-mma, drop-in"])
        self.assertEqual(list(panel.lines["CUB"]), [1 << 10, 1 << 14, 1 << 17, 1 << 28])
        self.assertAlmostEqual(panel.lines["kokkos-mma, drop-in"][1 << 28], 0.8356, places=4)

    def test_the_fastest_of_a_librarys_contenders(self):
        document = {"context": {}, "benchmarks": [
            {"name": f"segmented_reduce/{who}/half/equal/length:{length}/n:1024", "real_time": 1, "fraction_of_ceiling": fraction}
            for who, length, fraction in (("kokkos_team", 8, 0.2), ("kokkos_flat", 8, 0.5), ("kokkos_team", 16, 0.3), ("segmented", 16, 0.9))]}
        panel = plots.pictures(Results(document))[0].panels[0]
        self.assertEqual(panel.lines, {"kokkos-mma": {16: 0.9}, "Kokkos": {8: 0.5, 16: 0.3}})

    def test_stencils_over_radius_of_constant_boundaries(self):
        def case(who, radius, boundary, fraction):
            return {"name": f"stencil/{who}/half/2d/box/r:{radius}/{boundary}/n:1024", "real_time": 1, "fraction_of_ceiling": fraction}

        document = {"context": {}, "benchmarks": [case("stencil", 1, "constant", 0.7), case("stencil", 7, "constant", 0.6),
                                                  case("stencil", 7, "periodic", 0.1), case("separable", 7, "constant", 0.2)]}
        picture = plots.pictures(Results(document))[0]
        self.assertEqual(picture.name, "stencil_box")
        self.assertEqual(picture.panels[0].lines, {"kokkos-mma": {1: 0.7, 7: 0.6}, "hand-written": {7: 0.2}})


def plain_text(svg):
    """Of an SVG, whose text is drawn as shapes and kept in comments."""
    return " ".join(re.findall(r"<!-- (.*?) -->", svg))


if __name__ == "__main__":
    unittest.main()
