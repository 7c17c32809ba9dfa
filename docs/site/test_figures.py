#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of docs/figures.py on small result files with invented figures."""

import json
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
import figures  # noqa: E402

CONTEXT = {"device": "NVIDIA H200", "kokkos_version": "5.2.2", "cuda_runtime_version": "13.0.0", "cub_version": "3.4.2",
           "git_revision": "0123456789abcdef", "date": "2000-01-02T03:04:05+00:00"}
CARD = {"runs": [{"context": CONTEXT, "ceilings": {"reduce": {"read": 4000.0, "copy": 3800.0}, "loops": {"copy": 3800.0}}, "rows": [
    ["reduce", "view", "float", 1024, {"kokkos": [1, 0.01, 6.0], "drop_in": [1, 0.01, 5.0]}],
    ["reduce", "view", "float", 1 << 30, {"kokkos": [2400, 0.6, 2000.0], "kokkos_int64": [3840, 0.96, 1250.0], "cub": [4000, 1.0, 1200.0],
                                         "drop_in": [4000, 1.0, 1200.0, "streamed", 3e-08], "drop_in_int64": [4000, 1.0, 1250.0],
                                         "mma": [3960, 0.99, 1212.0, "mma", 2e-08]}],
    ["loop", "rank1/triad", "double", 100, {"kokkos": [3800, 1.0, 50.0], "drop_in": [3800, 1.0, 50.0]}],
    ["loop", "rank2/copy", "double", 100, {"kokkos": [1800, 0.5, 90.0], "drop_in": [2000, 0.55, 60.0]}],
    ["loop", "rank3/copy", "double", 100, {"kokkos": [1800, 0.5, 90.0], "drop_in": [1620, 0.45, 100.0]}],
    ["segmented_reduce", "equal/length:4", "float", 100, {"kokkos_flat": [900, 0.2, 10.0], "segmented": [950, 0.2, 9.5]}],
    ["segmented_reduce", "equal/length:5", "float", 100, {"kokkos_flat": [1000, 0.2, 9.0], "cub_fixed": [10, 0, 9], "segmented": [900, 0.2, 10.0]}],
    ["segmented_reduce", "equal/length:7", "float", 100, {"kokkos_flat": [1000, 0.2, 9.0], "segmented": [800, 0.2, 11.0]}],
    ["segmented_scan", "keys/length:16", "double", 100, {"cub_by_key": [1000, 0.2, 9.0], "segmented": [700, 0.2, 13.0]}],
    ["loop", "rank1/few1000_fence", "double", 1000, {"kokkos": [1, 0.001, 9.0], "drop_in": [1, 0.001, 12.0]}],
]}]}
APPLICATIONS = {"context": {"device": "NVIDIA H200", "kokkos_version": "5.2.2", "cuda_runtime_version": "13.0", "git_revision": "0123456",
                            "date": "2000-01-02", "method": "Twice."},
                "rows": [{"application": "A", "measure": "time", "plain": "2 s", "drop_in": "1 s", "gain": [2.0, 2.0], "chart": "A"},
                         {"application": "B", "measure": "rate", "gain": [0.8, 0.9], "note": "loses", "chart": "B", "type": "float"},
                         {"application": "C", "measure": "time", "gain": [0.7, 1.2], "median": 1.1}],
                "sources": [{"application": "C", "source": "owner/c, 0123456", "command": "`c -n 5`"}]}
COMPILE_TIME = {"runs": [{"kokkos": "5.0.2", "nvcc": "13.0", "host": "g++ 12", "git_revision": "0123456", "date": "2000-01-02", "runs": 3, "library": 12.0,
                          "seconds": {"30 loops": [20.0, 25.0]}}]}


def block(name):
    return f"<!-- figures: {name} -->\nold\n<!-- end -->"


class Repository(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.root = Path(self.temporary.name)
        self.file("docs/results/data/h200.json", figures.dumped(CARD))
        self.file("docs/results/data/applications.json", json.dumps(APPLICATIONS))
        self.file("docs/results/data/compile_time.json", json.dumps(COMPILE_TIME))
        (self.root / "docs/images").mkdir()

    def file(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def page(self, name="README.md"):
        return (self.root / name).read_text(encoding="utf-8")

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, "-B", str(ROOT / "docs/figures.py"), "--root", str(self.root), *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, check=False)

    def filled(self, name, page="README.md"):
        self.file(page, f"before\n{block(name)}\nafter\n")
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stderr)
        text = self.page(page)
        self.assertTrue(text.startswith("before\n") and text.endswith("\nafter\n"))
        self.assertNotIn("old", text)
        return text.splitlines()


class Pages(Repository):
    def test_sums_at_the_largest_size_with_both_gains(self):
        lines = self.filled("h200 sums")
        self.assertIn("| call | type | Kokkos, `size_t` | Kokkos, `int64_t` | CUB | drop-in | drop-in, `int64_t` | by name | drop-in / Kokkos "
                      "| drop-in / faster Kokkos |", lines)
        self.assertIn("| sum of a View | float | 0.60 | 0.96 | 1.00 | 1.00 | 1.00 | 0.99 | 1.67 | 1.04 |", lines)
        self.assertIn("NVIDIA H200, Kokkos 5.2.2, CUDA 13.0.0, CUB 3.4.2, revision 0123456789ab, 2000-01-02. "
                      "Fractions of the read ceiling, 4000 GB/s.", lines)

    def test_losses_are_shown(self):
        self.assertIn("| loop and a fence | double | 1000 | 9.0 | - | 12.0 | - |", self.filled("h200 latencies"))
        for text in (">0.75<", ">1.00<", ">0.80 to 0.90<"):
            self.assertIn(text, self.page("docs/images/speedup.svg"))
        self.assertIn("| B | rate |  |  | 0.80 to 0.90 | loses |", self.filled("applications"))

    def test_a_median_has_its_spread_and_a_program_its_source(self):
        lines = self.filled("applications")
        self.assertIn("| C | time |  |  | 1.10 (0.70 to 1.20) |  |", lines)
        self.assertIn("| C | owner/c, 0123456 | `c -n 5` |", lines)

    def test_compile_time(self):
        text = self.filled("compile_time")
        self.assertIn("| libkokkosmma, once | 5.0.2 |  | 12.0 |  |", text)
        self.assertIn("| 30 loops | 5.0.2 | 20.0 | 25.0 | 1.25 |", text)
        self.assertIn("User and system time of all compilers. Kokkos 5.0.2, nvcc 13.0, g++ 12, revision 0123456, 2000-01-02, least of 3.", text)

    def test_index_types(self):
        lines = self.filled("index_types")
        self.assertIn("| sum, float | 0.60 | 0.96 | 1.00 | 1.67 | 1.04 |", lines)
        self.assertFalse([line for line in lines if "triad" in line])  # no figure of int64_t

    def test_gains_are_ranges_with_what_gains_nothing(self):
        lines = self.filled("gains")
        self.assertIn("| `MDRangePolicy` loops | 0.90 to 1.50 | - | - | - |", lines)
        self.assertIn("| sums | - | 1.67 | - | - |", lines)
        self.assertIn("| sums, `IndexType<int64_t>` | - | 1.00 | - | - |", lines)
        self.assertIn("| compute-bound kernels, time outside kernels | none | none | none | none |", lines)

    def test_calls_below_the_ceiling(self):
        lines = self.filled("below_ceiling")
        self.assertIn("| 2D copy, `LayoutRight`, `Iterate::Right` | 0.55 (0.50) |  |  |  |", lines)
        self.assertFalse([line for line in lines if "sum of a View" in line or "triad" in line])  # these reach it

    def test_losses_on_segments_are_ranges(self):
        lines = self.filled("losses")
        self.assertIn("| sums, equal segments | 5, 7 |  | 0.80 to 0.90 |  |  | Kokkos, a thread per segment |", lines)
        self.assertIn("| scans, runs of equal keys | 16 | 0.70 |  |  |  | CUB, not run-to-run deterministic |", lines)

    def test_one_figure_within_a_line(self):
        self.file("README.md", "It takes <!-- figure: compile_time more -->1 %<!-- end --> more and <!-- figure: compile_time library --><!-- end -->.\n"
                               "Kokkos <!-- figure: sum default -->?<!-- end -->, <!-- figure: sum int64 -->?<!-- end -->.\n")
        self.assertEqual(self.run_script().returncode, 0)
        self.assertEqual(self.page().replace("<!-- end -->", "").replace("<!-- figure: ", "[").replace(" -->", "]"),
                         "It takes [compile_time more]25 % more and [compile_time library]12 s.\nKokkos [sum default]0.60, [sum int64]0.96.\n")
        self.file("README.md", "Kokkos <!-- figure: other -->1<!-- end -->\n")
        self.assertIn("no figure is called 'other'", self.run_script().stderr)
        self.file("README.md", "Kokkos\n  <!-- figure: sum int64 -->1<!-- end -->\n")
        self.assertIn("a line begins with <!-- figure: -->", self.run_script().stderr)

    def test_accuracy_is_the_largest_error(self):
        self.assertIn("| sums | float | - | - | 3.0e-08 | 2.0e-08 | - |", self.filled("h200 accuracy"))

    def test_pictures_say_what_they_are_of(self):
        self.assertEqual(self.run_script().returncode, 0)
        for name in ("speedup", "sums_and_scans", "loops_and_teams", "latency"):
            svg = self.page(f"docs/images/{name}.svg")
            xml.dom.minidom.parseString(svg)
            self.assertIn("Kokkos 5.2.2", svg)
            self.assertIn("NVIDIA H200", svg)
        self.assertIn("0.80 to 0.90", self.page("docs/images/speedup.svg"))

    def test_check(self):
        self.file("README.md", block("h200 sums") + "\n")
        self.assertEqual(self.run_script("--check").returncode, 1)
        self.assertIn("old", self.page())
        self.assertEqual(self.run_script().returncode, 0)
        self.assertEqual(self.run_script("--check").returncode, 0)
        self.file("README.md", self.page().replace("0.96", "0.97"))
        done = self.run_script("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("README.md is not what docs/figures.py makes", done.stderr)

    def test_a_page_may_name_a_block(self):
        self.file("README.md", "A block begins with `<!-- figures: NAME -->`.\n")
        self.assertEqual(self.run_script().returncode, 0)
        self.assertEqual(self.page(), "A block begins with `<!-- figures: NAME -->`.\n")

    def test_wrong_blocks(self):
        for text, problem in ((block("h200 summs"), "no block is called 'h200 summs'"), ("<!-- figures: h200 sums -->\n", "has no <!-- end -->")):
            self.file("README.md", text)
            done = self.run_script()
            self.assertEqual(done.returncode, 2)
            self.assertIn(problem, done.stderr)


class Collected(Repository):
    def folder(self, **context):
        folder = self.root / "bench"
        folder.mkdir()
        for name in ("reduce", "scan", "segmented", "stencil", "loops"):
            document = json.loads((ROOT / f"perf_tests/scripts/fixtures/perf_{name}.json").read_text(encoding="utf-8"))
            document["context"].update({"device": "NVIDIA H200", "kokkos_version": "5.2.2", "git_revision": "0000000"})
            document["context"].update(context.get(name, {}))
            (folder / f"perf_{name}.json").write_text(json.dumps(document), encoding="utf-8")
        return str(folder)

    def test_a_result_folder_becomes_pages(self):
        done = self.run_script("collect", self.folder(), "--note", "patched")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Kokkos 5.2.2 (patched), CUDA", "\n".join(self.filled("h200 runs") + self.filled("h200 scans")))
        self.assertIn("h200.json", done.stdout)
        self.assertIn("| sum of a View | half | 0.25 | 0.45 | 0.77 | 0.90 | 0.90 | 3.60 | 2.00 |", self.filled("h200 sums"))
        self.assertIn("| sum, `MDRangePolicy` 2D | float | 0.01 | - | - | 0.94 | - | 94.0 | - |", self.filled("h200 sums"))
        self.assertIn("| copy | float | 0.40 | 0.50 | 0.83 | 0.80 | 2.00 | 1.60 |", self.filled("h200 loops"))
        self.assertIn("| rows of 64, `TeamThreadRange`, AUTO | float | 0.10 | 0.10 | 1.00 |", self.filled("h200 teams"))
        self.assertIn("| 2D box of ones, r = 7 | 0.91 (2.3) | - | - |", self.filled("h200 stencils"))

    def test_programs_of_two_revisions(self):
        done = self.run_script("collect", self.folder(scan={"git_revision": "1111111"}))
        self.assertEqual(done.returncode, 2)
        self.assertIn("its git_revision is 1111111, that of the others 0000000", done.stderr)

    def test_a_host(self):
        done = self.run_script("collect", self.folder(reduce={"execution_space": "OpenMP"}))
        self.assertEqual(done.returncode, 2)
        self.assertIn("is of a host", done.stderr)


if __name__ == "__main__":
    unittest.main()
