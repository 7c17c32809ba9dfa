#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of compare_application.py on a small application that finds a package named Kokkos, and, with its folder and options of CMake as
arguments, on a real one: test_compare_application.py unit_tests/consumers/application -DKokkos_DIR=..."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
REAL = sys.argv[1:]

CMAKE = """cmake_minimum_required(VERSION 3.24)
project(Small LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(Kokkos CONFIG)
add_executable(small small.cpp)
if(TARGET Kokkos::kokkoscore)
  target_link_libraries(small PRIVATE Kokkos::kokkoscore)
endif()
"""
# The drop-in's header does nothing without a Kokkos_Core.hpp; that it was put before this source is all that can be seen.
SOURCE = """#include <cstdio>
#include <cstring>
int main(int argc, char** argv) {
#ifdef KOKKOSMMA_DROP_IN_HPP
  double const sum = 1000.001;
#else
  double const sum = 1000;
#endif
  if (argc > 1 && !std::strcmp(argv[1], "fail")) return 3;
  std::printf("steps 7\\nsum %.3f\\ntook %s s\\n", sum, sum > 1000 ? "0.25" : "0.5");
}
"""


def compare(*arguments):
    return subprocess.run([sys.executable, "-B", str(HERE / "compare_application.py"), *map(str, arguments)], capture_output=True, text=True,
                          check=False)


class Small(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.application = cls.folder / "small"
        for path, text in (("small/CMakeLists.txt", CMAKE), ("small/small.cpp", SOURCE), ("broken/CMakeLists.txt", CMAKE),
                           ("broken/small.cpp", "int main() { return nothing; }\n"),
                           ("kokkos/KokkosConfig.cmake", "add_library(Kokkos::kokkoscore INTERFACE IMPORTED)\n")):
            (cls.folder / path).parent.mkdir(exist_ok=True)
            (cls.folder / path).write_text(text, encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def run_it(self, *arguments, source=None, kokkos="kokkos", work="work"):
        """Later calls find what is built."""
        return compare(source or self.application, "--work", self.folder / work, "--runs", 2, *arguments, "--",
                       f"-DKokkos_DIR={self.folder / kokkos}")

    def row(self, run, status):
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return [cell.strip() for cell in run.stdout.splitlines()[2].split("|")[1:-1]]

    def test_a_match_that_is_equal_and_times_of_the_application(self):
        cells = self.row(self.run_it("--run", "./small", "--compare", "^steps.*", "--time", "took ([0-9.]+)"), 0)
        self.assertEqual(cells, ["small", "`./small`", "0.5", "0.25", "2.000", "equal"])

    def test_a_group_within_a_tolerance_and_times_of_the_process(self):
        run = self.run_it("--run", "{build}/small {source}", "--compare", "^sum (.*)", "--tolerance", "1e-5", "--name", "other")
        cells = self.row(run, 0)
        self.assertEqual((cells[0], cells[-1]), ("other", "within 1e-05"))
        self.assertLess(float(cells[2]), 60)

    def test_results_that_differ(self):
        for arguments in ((), ("--compare", "^sum (.*)"), ("--compare", "^sum (.*)", "--tolerance", "1e-7")):
            self.assertRegex(self.row(self.run_it("--run", "./small", *arguments), 1)[-1], "^differ: `.*1000.000` and `.*1000.001`$")

    def test_plain_results_that_differ_among_themselves(self):
        run = self.run_it("--run", "bash -c 'echo x >> count; wc -l < count'")
        self.assertIn("plain differs from run to run: `1` and `2`", self.row(run, 1)[-1])

    def test_runs_that_fail(self):
        for command, arguments, text in (
            ("./small fail", (), "plain: ./small fail: ended with status 3"),
            ("./absent", (), "plain: ./absent: ./absent: No such file"),
            ("./small", ("--compare", "energy"), "nothing in the output matches 'energy'; its end:\n  steps 7"),
            ("./small", ("--time", "took"), "--time 'took' has no group that matches a number"),
            ("sleep 9", ("--limit", "0.1"), "was stopped after 0.1 seconds"),
        ):
            run = self.run_it("--run", command, *arguments)
            self.assertEqual(self.row(run, 1)[2:], ["-", "-", "-", "plain failed"])
            self.assertIn(text, run.stderr)

    def test_an_application_that_does_not_build(self):
        run = self.run_it("--run", "./small", source=self.folder / "broken", work="of_broken")
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertRegex(run.stderr, "plain: build ended with status [0-9]+; all of it is in .*plain_build.log")
        self.assertIn("nothing", run.stderr)

    def test_an_application_without_kokkos(self):
        run = self.run_it("--run", "./small", kokkos="none", work="of_none")
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn("drop_in: CMake injected nothing", run.stderr)

    def test_wrong_calls(self):
        for arguments, text in (((self.folder, "--run", "x"), "CMakeLists.txt does not exist"),
                                ((self.application,), "required: --run"),
                                ((self.application, "--run", "x", "--drop-in", "no.cmake"), "no.cmake does not exist"),
                                ((self.application, "--run", "x", "--compare", "("), "'(' is no regular expression"),
                                ((self.application, "--run", "x", "--runs", "0"), "--runs 0: 1 or more")):
            run = compare(*arguments)
            self.assertEqual(run.returncode, 2, run.stdout)
            self.assertIn(text, run.stderr)


@unittest.skipUnless(REAL, "no application named")
class Real(unittest.TestCase):
    def test_results_of_a_plain_application(self):
        with tempfile.TemporaryDirectory() as work:
            run = compare(REAL[0], "--work", work, "--runs", 1, "--target", "solver", "--run", "solver/solver", "--compare", r"sum \d+", "--",
                          *REAL[1:])
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertRegex(run.stdout, re.escape("| equal |"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
