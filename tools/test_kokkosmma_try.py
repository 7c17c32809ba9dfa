#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of kokkosmma-try on a small application that finds a package named Kokkos, and, with its folder and options of CMake as arguments, on
a real one: test_kokkosmma_try.py unit_tests/consumers/application -DKokkos_DIR=..."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

HERE = pathlib.Path(__file__).resolve().parent
RECORDED = HERE / "test_data" / "compare_examinimd_h100.txt"  # ExaMiniMD on an H100, 2026-11-26
REAL = sys.argv[1:]

CMAKE = r"""cmake_minimum_required(VERSION 3.24)
project(Small LANGUAGES CXX)
find_package(Kokkos CONFIG)
add_executable(small small.cpp)
target_compile_definitions(small PRIVATE "BUILD_TYPE=\"${CMAKE_BUILD_TYPE}\"")
if(TARGET Kokkos::kokkoscore)
  target_link_libraries(small PRIVATE Kokkos::kokkoscore)
endif()
"""
# The drop-in's header does nothing without a Kokkos_Core.hpp; that it was put before this source is all that can be seen.
SOURCE = r"""#include <cstdio>
#include <cstdlib>
#include <cstring>
int main(int argc, char** argv) {
#ifdef KOKKOSMMA_DROP_IN_HPP
  double const sum = 1000.001;
  if (std::getenv("KOKKOSMMA_REPORT"))
    std::fputs("a word\nKokkosMMA: calls by label and route (KOKKOSMMA_REPORT)\nparallel_for dot 1\nKokkosMMA: 1 call\nbye\n", stderr);
  if (char const* const file = std::getenv("KOKKOSMMA_CHOICES")) {
    std::FILE* const choices = std::fopen(file, "a");
    std::fputs("a run\n", choices);
    std::fclose(choices);
  }
  if (std::getenv("KOKKOSMMA_COMPARE") && argc > 1 && !std::strcmp(argv[1], "tables")) return 4;
#else
  double const sum = 1000;
#endif
  if (argc > 1 && !std::strcmp(argv[1], "fail")) return 3;
  if (argc > 1 && !std::strcmp(argv[1], "macros")) std::printf("%s %ld\n", BUILD_TYPE, __cplusplus);
  std::printf("steps 7\nsum %.3f\ntook %s s\n", sum, sum > 1000 ? "0.25" : "0.5");
}
"""


# Without the machine's own Kokkos, which the tests' stand for.
OWN_ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("Kokkos_ROOT", "Kokkos_DIR", "CMAKE_PREFIX_PATH")}


def compare(*arguments, tool=HERE / "kokkosmma-try", **environment):
    return subprocess.run([sys.executable, "-B", str(tool), *map(str, arguments)], capture_output=True, text=True, check=False,
                          env={**OWN_ENVIRONMENT, **environment})


class Small(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.application = cls.folder / "small"
        for path, text in (("small/CMakeLists.txt", CMAKE), ("small/small.cpp", SOURCE), ("broken/CMakeLists.txt", CMAKE),
                           ("broken/small.cpp", "int main() { return nothing; }\n"),
                           ("two/CMakeLists.txt", CMAKE + "add_executable(other small.cpp)\n"), ("two/small.cpp", SOURCE),
                           ("old/CMakeLists.txt", CMAKE.replace("find_package", "set(CMAKE_CXX_STANDARD 17)\nfind_package", 1)),
                           ("old/small.cpp", SOURCE),
                           ("older/CMakeLists.txt", CMAKE + "set_source_files_properties(small.cpp PROPERTIES COMPILE_OPTIONS -std=c++17\n"
                            "  INCLUDE_DIRECTORIES ${CMAKE_SOURCE_DIR})\n"),
                           ("older/small.cpp", SOURCE), ("older/Kokkos_Core.hpp", ""),
                           ("needs/CMakeLists.txt", CMAKE.replace("CONFIG", "CONFIG REQUIRED")), ("needs/small.cpp", SOURCE),
                           ("kokkos/KokkosConfig.cmake", "add_library(Kokkos::kokkoscore INTERFACE IMPORTED)\n"),
                           ("kokkos_of_host/KokkosConfig.cmake", "add_library(Kokkos::kokkoscore INTERFACE IMPORTED)\n"),
                           ("kokkos_of_host/KokkosConfigCommon.cmake", "set(Kokkos_DEVICES OPENMP;SERIAL)\n"),
                           ("kokkos_of_host/KokkosConfigVersion.cmake", 'set(PACKAGE_VERSION "5.2.2")\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n')):
            (cls.folder / path).parent.mkdir(exist_ok=True)
            (cls.folder / path).write_text(text, encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def run_it(self, *arguments, source=None, kokkos="kokkos", work="work", cmake=(), **more):
        """Later calls find what is built."""
        return compare(source or self.application, "--work", self.folder / work, "--runs", 2, *arguments, "--",
                       f"-DKokkos_DIR={self.folder / kokkos}", *cmake, **more)

    def row(self, run, status):
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return [cell.strip() for cell in run.stdout.splitlines()[2].split("|")[1:-1]]

    def test_a_match_that_is_equal_and_times_of_the_application(self):
        cells = self.row(self.run_it("--run", "./small", "--compare", "^steps.*", "--time", "took ([0-9.]+)"), 0)
        self.assertEqual(cells, ["small", "`./small`", "0.5 (0.5 - 0.5)", "0.25 (0.25 - 0.25)", "2.00 (2.00 - 2.00)", "faster", "equal"])

    def test_a_group_within_a_tolerance_and_times_of_the_process(self):
        run = self.run_it("--run", "{build}/small {source}", "--compare", "^sum (.*)", "--tolerance", "1e-5", "--name", "other")
        cells = self.row(run, 0)
        self.assertEqual((cells[0], cells[-1]), ("other", "within 1e-05"))
        self.assertRegex(cells[4], r"^\d+\.\d\d \(\d+\.\d\d - \d+\.\d\d\)$")
        least, _, most = cells[2].split(" ", 1)[1].strip("()").partition(" - ")
        self.assertLessEqual(float(least), float(cells[2].split()[0]))
        self.assertLessEqual(float(cells[2].split()[0]), float(most))
        self.assertLess(float(most), 60)

    def test_the_program_that_is_built_runs_with_the_usual_options(self):
        run = self.run_it("--ignore", "^(sum|took)")
        self.assertEqual((self.row(run, 0)[1], self.row(run, 0)[-1]), ("`./small`", "equal"))
        self.assertIn("-DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_STANDARD=20", run.stderr)
        run = self.run_it("--run", "small macros", "--compare", "^(Release|Debug|RelWithDebInfo) 20")
        self.assertEqual(self.row(run, 0)[-1], "equal")
        run = self.run_it("--run", "small macros", "--compare", "^Debug 20", "--no-tables", work="of_debug", cmake=["-DCMAKE_BUILD_TYPE=Debug"])
        self.assertEqual(self.row(run, 0)[-1], "equal")

    def test_tables_of_the_calls(self):
        run = self.run_it("--run", "./small", "--ignore", "^(sum|took)", KOKKOSMMA_REPORT="1")
        self.row(run, 0)
        self.assertIn("\n`./small`, drop-in, KOKKOSMMA_REPORT=1:\n```\nKokkosMMA: calls by label and route (KOKKOSMMA_REPORT)\n"
                      "parallel_for dot 1\nKokkosMMA: 1 call\n```\n", run.stdout)
        self.assertIn("KOKKOSMMA_COMPARE=1:\n```\nthe drop-in printed no table", run.stdout)
        self.assertNotIn("bye", run.stdout)
        run = self.run_it("--run", "./small tables", "--ignore", "^(sum|took)")
        self.assertEqual(self.row(run, 1)[-1], "equal")
        self.assertIn("with KOKKOSMMA_COMPARE=1: ended with status 4", run.stderr)

    def test_choices(self):
        for _ in range(2):  # begins anew
            run = self.run_it("--run", "./small", "--ignore", "^(sum|took)", "--choices", "--no-tables")
            self.assertEqual(self.row(run, 0)[-1], "equal")
            self.assertEqual((self.folder / "work" / "choices.txt").read_text(encoding="utf-8"), 3 * "a run\n")
        self.assertIn("a run that is not counted", run.stderr)
        self.row(self.run_it("--run", "./small", "--ignore", "^(sum|took)", "--no-tables"), 0)
        self.assertEqual((self.folder / "work" / "choices.txt").read_text(encoding="utf-8"), 3 * "a run\n")

    def test_a_kokkos_without_cuda(self):
        page = self.folder / "host.html"
        run = self.run_it("--ignore", "^(sum|took)", "--html", page, kokkos="kokkos_of_host", work="of_host")
        self.assertEqual(self.row(run, 0)[4:], ["-", "no CUDA: both builds are the same code", "equal"])
        text = self.page(page)
        self.assertIn("5.2.2 (OPENMP, SERIAL)", text)
        self.assertIn("no CUDA: both builds are the same code", text)
        self.assertNotIn("speedup <strong>", text)

    def test_verdicts(self):
        script = self.folder / "times.sh"
        script.write_text('n=$(cat n 2>/dev/null || echo 0)\necho $((n + 1)) > n\ncase $PWD in *drop_in) shift 2;; esac\n'
                          'test $n = 0 || shift\necho took $1\n', encoding="utf-8")
        for times, verdict in (("1 2 3 4", "slower"), ("1 3 2 4", "within noise"), ("3 4 1 2", "faster")):
            run = self.run_it("--run", f"bash {script} {times}", "--time", "took ([0-9.]+)", "--no-tables", "--ignore", "took", "--name", "a|b",
                              work=f"of_{verdict.split()[0]}")
            self.assertIn("| a\\|b |", run.stdout)
            self.assertIn(f" | {verdict} | equal |", run.stdout, run.stderr)

    def page(self, path):
        """Its text; it is well-formed and loads nothing."""
        text = path.read_text(encoding="utf-8")
        xml.dom.minidom.parseString(text.removeprefix("<!DOCTYPE html>\n").encode())
        for word in ("<script", "http:", "https:", "url(", "<link", "<img"):
            self.assertNotIn(word, text)
        return text

    def test_html(self):
        page = self.folder / "report.html"
        command = (f"bash -c 'test -n \"$KOKKOSMMA_COMPARE\" && cat {RECORDED} >&2; "
                   "test -n \"$KOKKOSMMA_REPORT\" && printf \"KokkosMMA: device 0: NVIDIA H100 80GB HBM3, x\\nKokkosMMA: calls by label <&> "
                   "\\033\\nKokkosMMA: 1 call\\n\" >&2; echo same'")
        run = self.run_it("--run", command, "--name", "<b>&\"name\"", "--html", page)
        self.assertEqual(self.row(run, 0)[-1], "equal")
        text = self.page(page)
        self.assertIn("<h1>&lt;b&gt;&amp;&quot;name&quot;: plain Kokkos and kokkos-mma</h1>", text)
        self.assertIn("calls by label &lt;&amp;&gt; \ufffd", text)
        self.assertIn("NVIDIA H100 80GB HBM3", text)
        self.assertEqual(text.count("<svg"), 2 + 6)
        lines = RECORDED.read_text(encoding="utf-8").splitlines()
        for line in lines[2:8]:
            for word in line.split()[:6]:
                self.assertIn(f">{word}</td>", text)
        self.assertIn(">Kokkos' own launch is faster or is being timed</td>".replace("'", "&#x27;"), text)
        self.assertIn("1.15x.</p>", text)
        run = self.run_it("--run", "./small", "--html", self.folder / "absent" / "report.html")
        self.assertEqual(run.returncode, 2)
        self.assertIn("there is no folder", run.stderr)

    def test_a_table_with_empty_cells(self):
        table = ("KokkosMMA: calls by Kokkos\n"
                 "pattern          label                   n  calls  route     Kokkos us  kokkos-mma us  speed-up  why Kokkos\n"
                 "parallel_for     jacobi               2^25    100  streamed     1265.4          327.7     3.86x\n"
                 "parallel_for     Kokkos::ViewFill-1D  2^26      1  generic       850.2                           no turn\n"
                 "parallel_reduce  a label of words     2^26      1  streamed                    1729.2\n"
                 "KokkosMMA: 100 calls, 3.86x\n")
        page = self.folder / "cells.html"
        (self.folder / "table.txt").write_text(table, encoding="utf-8")
        self.run_it("--run", f"bash -c 'test -n \"$KOKKOSMMA_COMPARE\" && cat {self.folder / 'table.txt'} >&2; echo same'", "--html", page)
        rows = [[getattr(cell.firstChild, "data", "") for cell in row.getElementsByTagName("td")]
                for row in xml.dom.minidom.parseString(self.page(page).removeprefix("<!DOCTYPE html>\n").encode()).getElementsByTagName("tr")]
        self.assertIn(["parallel_for", "Kokkos::ViewFill-1D", "2^26", "1", "generic", "850.2", "", "", "no turn"], rows)
        self.assertIn(["parallel_reduce", "a label of words", "2^26", "1", "streamed", "", "1729.2", "", ""], rows)
        self.assertEqual(self.page(page).count("<svg"), 2 + 1)

    def test_report_only(self):
        page = self.folder / "calls.html"
        run = self.run_it("--report-only", "--html", page, work="of_report")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stdout, "\n`./small`, drop-in, KOKKOSMMA_REPORT=1:\n```\nKokkosMMA: calls by label and route (KOKKOSMMA_REPORT)\n"
                         "parallel_for dot 1\nKokkosMMA: 1 call\n```\n")
        self.assertFalse((self.folder / "of_report" / "plain").exists())
        self.assertIn("parallel_for dot 1", self.page(page))

    def test_results_that_differ(self):
        for arguments, more in (((), ""), (("--compare", "^sum (.*)"), ", a relative difference of 1e-06 .--tolerance."),
                                (("--compare", "^sum (.*)", "--tolerance", "1e-7"), ", a relative difference of 1e-06 .--tolerance.")):
            self.assertRegex(self.row(self.run_it("--run", "./small", "--no-tables", *arguments), 1)[-1],
                             f"^differ: `.*1000.000` and `.*1000.001`{more}")

    def test_numbers_that_are_one_double(self):
        """Without a tolerance integers of 64 bits are compared digit by digit, and two infinities differ at any tolerance."""
        for plain, drop_in, tolerance in (("9007199254740993", "9007199254740992", "0"), ("1e400", "2e400", "1")):
            command = f"bash -c 'case $PWD in *drop*) echo {drop_in};; *) echo {plain};; esac'"
            run = self.run_it("--run", command, "--no-tables", "--tolerance", tolerance)
            self.assertRegex(self.row(run, 1)[-1], f"^differ: `{plain}` and `{drop_in}`")

    def test_programs_outside_of_the_build(self):
        """Both builds would write one file."""
        cmake = [f"-DCMAKE_RUNTIME_OUTPUT_DIRECTORY={self.folder / 'one_place'}"]
        run = self.run_it("--run", "{source}/x", work="of_one_place", cmake=cmake)
        self.assertEqual((run.returncode, run.stdout), (1, ""), run.stderr)
        self.assertIn("outside of the build folder", run.stderr)

    def test_libraries_outside_of_the_build(self):
        text = CMAKE + ("add_library(part SHARED small.cpp)\ntarget_link_libraries(part PRIVATE Kokkos::kokkoscore)\n"
                        "set_target_properties(part PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_SOURCE_DIR}/lib)\n")
        (self.folder / "shared").mkdir()
        (self.folder / "shared" / "CMakeLists.txt").write_text(text, encoding="utf-8")
        (self.folder / "shared" / "small.cpp").write_text(SOURCE, encoding="utf-8")
        run = self.run_it("--run", "./small", source=self.folder / "shared", work="of_shared")
        self.assertEqual((run.returncode, run.stdout), (1, ""), run.stderr)
        self.assertRegex(run.stderr, "CMake builds .*libpart[^ ]* outside of the build folder")
        self.assertEqual(list((self.folder / "shared" / "lib").glob("*")), [])

    def test_all_groups_are_compared(self):
        pair = "bash -c 'echo steps 7; case $PWD in *drop*) echo sum 1 of 3;; *) echo sum 1 of 2;; esac'"
        run = self.run_it("--run", pair, "--no-tables", "--compare", r"sum (\d) of (\d)")
        self.assertEqual(self.row(run, 1)[-1], "differ: `1 2` and `1 3`, a relative difference of 0.33 (--tolerance)")
        run = self.run_it("--run", pair, "--no-tables", "--compare", r"steps (\d)|absent (\d)")
        self.assertEqual(self.row(run, 0)[-1], "equal")
        run = self.run_it("--run", pair, "--no-tables", "--compare", r"\d", "--ignore", "^sum")
        self.assertEqual(self.row(run, 0)[-1], "equal")

    @unittest.skipUnless(shutil.which("ninja"), "no ninja")
    def test_a_generator_of_several_configurations(self):
        text = CMAKE.replace('"BUILD_TYPE=\\"${CMAKE_BUILD_TYPE}\\""', '"BUILD_TYPE=\\"$<CONFIG>\\""')
        self.assertNotEqual(text, CMAKE)
        (self.folder / "several").mkdir()
        (self.folder / "several" / "CMakeLists.txt").write_text(text, encoding="utf-8")
        (self.folder / "several" / "small.cpp").write_text(SOURCE.replace('argc > 1 && !std::strcmp(argv[1], "macros")', "true"), encoding="utf-8")
        run = self.run_it("--compare", "^Release 20.*", "--no-tables", source=self.folder / "several", work="of_several",
                          cmake=["-G", "Ninja Multi-Config"])
        self.assertEqual((self.row(run, 0)[1], self.row(run, 0)[-1]), ("`./Release/small`", "equal"))

    def test_what_the_application_includes_at_its_top(self):
        provider = self.folder / "provider.cmake"
        provider.write_text('message(STATUS "provided")\n', encoding="utf-8")
        for given in ([f"-DCMAKE_PROJECT_TOP_LEVEL_INCLUDES={provider}"], ["-D", f"CMAKE_PROJECT_TOP_LEVEL_INCLUDES:FILEPATH={provider}"]):
            self.row(self.run_it("--ignore", "^(sum|took)", "--no-tables", work="of_provider", cmake=given), 0)
            self.assertIn("provided", (self.folder / "of_provider" / "drop_in_configure.log").read_text(encoding="utf-8"))

    def test_what_a_command_has_started_ends_with_it(self):
        run = self.run_it("--run", "bash -c 'sleep 60 & echo $! > started; wait'", "--limit", "1", "--no-tables", work="of_limit")
        self.row(run, 1)
        with self.assertRaises(ProcessLookupError):
            os.kill(int((self.folder / "of_limit" / "plain" / "started").read_text(encoding="utf-8")), 0)

    def test_lines_that_differ_from_run_to_run(self):
        count = "echo x >> count; wc -l < count"
        run = self.run_it("--run", f"bash -c 'echo same; {count}'", "--no-tables", work="of_count")
        self.assertEqual(self.row(run, 0)[-1], "equal; not compared: 1 line that differs from run to run")
        run = self.run_it("--run", f"bash -c '{count}'", "--no-tables", work="of_count")
        self.assertIn("not compared: every line differs from run to run", self.row(run, 0)[-1])
        run = self.run_it("--run", f"bash -c '{count}'", "--no-tables", "--compare", ".*", work="of_other_count")
        self.assertIn("plain differs from run to run: `1` and `2`", self.row(run, 1)[-1])

    def test_runs_that_fail(self):
        for command, arguments, text in (
            ("./small fail", (), "plain: ./small fail: ended with status 3"),
            ("./absent", (), "plain: ./absent: ./absent: No such file or directory; CMake builds ./small"),
            ("./small", ("--compare", "energy"), "nothing in the output matches 'energy'; its end:\n  steps 7"),
            ("./small", ("--time", "took"), "--time 'took' has no group that matches a number"),
            ("./small", ("--time", "took( absent)?"), "--time 'took( absent)?' has no group that matches a number"),
            ("sleep 9", ("--limit", "0.1"), "was stopped after 0.1 seconds"),
        ):
            run = self.run_it("--run", command, *arguments)
            self.assertEqual(self.row(run, 1)[2:], ["-", "-", "-", "-", "plain failed"])
            self.assertIn(text, run.stderr)

    def test_an_application_that_does_not_build(self):
        run = self.run_it("--run", "./small", source=self.folder / "broken", work="of_broken")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertRegex(run.stderr, "plain: build ended with status [0-9]+; .*plain_build.log has its output, its first error:\n.*nothing")

    def test_an_application_without_kokkos(self):
        run = self.run_it("--run", "./small", kokkos="none", work="of_none")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn("drop_in: CMake injected nothing", run.stderr)
        run = self.run_it("--run", "./small", source=self.folder / "needs", kokkos="none", work="of_needs")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn("plain: configure ended with status 1", run.stderr)
        self.assertRegex(run.stderr, r"its first error:\n  CMake Error at CMakeLists.txt:3 \(find_package\):\n(.*\n)*.*KokkosConfig.cmake")
        self.assertIn("Point CMake at your Kokkos: -- -DKokkos_ROOT=<its prefix>", run.stderr)
        self.assertIn(f"`cmake --preset host` in {HERE.parent} provides one", run.stderr)

    def test_an_application_below_the_standard(self):
        run = self.run_it("--run", "small macros", "--compare", "^Release.*", "--no-tables", source=self.folder / "old", work="of_old")
        self.assertIn("`Release 201703` and `Release 202002`", self.row(run, 1)[-1])
        self.assertIn("NOTE: with the drop-in small is compiled as C++20", run.stdout)
        self.assertNotIn("does nothing", run.stdout)
        run = self.run_it("--compare", "steps", "--no-tables", source=self.folder / "older", work="of_older")
        self.assertEqual(self.row(run, 0)[-1], "equal")
        self.assertIn("NOTE: the drop-in does nothing in sources that are compiled below C++20", run.stdout)

    def test_wrong_calls(self):
        two = self.folder / "two"
        for arguments, text in (((self.folder, "--run", "x"), "CMakeLists.txt does not exist"),
                                ((self.application, "--run", "x", "--drop-in", "no.cmake"), "no.cmake does not exist"),
                                ((self.application, "--run", "x", "--compare", "("), "'(' is not a regular expression"),
                                ((self.application, "--run", "x", "--runs", "0"), "--runs 0: 1 or more"),
                                ((self.application, "--run", "./small 'x"), "No closing quotation"),
                                ((self.application, "--run", ""), "--run needs a command"),
                                ((self.application, "--fast"), "unrecognized arguments: --fast"),
                                ((two, "--work", self.folder / "of_two"), "which program of two is to run? --run ./other, --run ./small")):
            run = compare(*arguments)
            self.assertEqual((run.returncode, run.stdout), (2, ""), run.stderr)
            self.assertIn(text, run.stderr)

    def test_help(self):
        run = compare("--help")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("Exit status: 0", run.stdout)

    def test_the_page_has_every_option(self):
        page = HERE.parent / "docs" / "tools.md"
        section = page.read_text(encoding="utf-8").partition("\n## kokkosmma-try\n")[2].partition("\n## ")[0]
        table = section.partition("| option | meaning |")[2].partition("\n\n")[0]
        own = set(re.findall(r"^ +(--[a-z-]+)", compare("--help", COLUMNS="500").stdout, re.MULTILINE))
        in_page = {option for line in table.splitlines() for option in re.findall(r"`(--[a-z-]+)[ `]", line.split(" | ")[0])}
        self.assertEqual(own - {"--help"}, in_page)

    def test_an_installation_is_found_from_the_tool(self):
        for library in ("lib", "lib64", "lib/x86_64-linux-gnu", "libraries"):
            prefix = self.folder / "prefix" / library.replace("/", "_")
            file = prefix / library / "cmake" / "KokkosMMA" / "KokkosMMA_drop_in.cmake"
            file.parent.mkdir(parents=True)
            file.touch()
            (prefix / "bin").mkdir()
            tool = shutil.copy(HERE / "kokkosmma-try", prefix / "bin")
            self.assertIn(str(file), compare("--help", tool=tool, COLUMNS="500").stdout)
        file.unlink()
        run = compare(self.application, tool=tool)
        self.assertEqual(run.returncode, 2)
        self.assertIn("KokkosMMA_drop_in.cmake does not exist; --drop-in names it", run.stderr)


@unittest.skipUnless(REAL, "no application named")
class Real(unittest.TestCase):
    def test_results_of_a_plain_application(self):
        with tempfile.TemporaryDirectory() as work:
            run = compare(REAL[0], "--work", work, "--runs", 1, "--target", "solver", "--run", "solver/solver", "--compare", r"sum \d+", "--",
                          *REAL[1:])
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertRegex(run.stdout, re.escape("| equal |"))
            self.assertRegex(run.stdout, "KokkosMMA: (calls by|no call was intercepted)")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
