#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of markdown_table.py and paper_tables.py on small files with invented figures."""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import markdown_table  # noqa: E402


class Tables:
    """What holds for the tables of every program. `rows`: below a line with the first text, whole lines; `absent`: starts of lines that are
    not there before the next heading; `fails`: a case, by the start of its name, and what else is then in the text."""

    rows, absent = (), ()
    has_bars = True

    @classmethod
    def setUpClass(cls):
        cls.fixture = json.loads((HERE / "fixtures" / f"perf_{cls.program}.json").read_text(encoding="utf-8"))
        cls.text, cls.good = markdown_table.markdown(cls.fixture, bars=True)
        cls.lines = cls.text.splitlines()

    def changed(self, **context):
        document = copy.deepcopy(self.fixture)
        document["context"].update(context)
        return document

    def below(self, text):
        """The lines from one with the text to the next heading."""
        at = next(i for i, line in enumerate(self.lines) if text in line)
        end = next((i for i, line in enumerate(self.lines) if i > at and line.startswith("## ")), len(self.lines))
        return self.lines[at:end]

    def test_rows(self):
        self.assertTrue(self.good)
        for title, *rows in self.rows:
            for row in rows:
                self.assertIn(row, self.below(title))
        for title, start in self.absent:
            self.assertFalse([line for line in self.below(title) if line.startswith(start)], title)

    def test_no_bars_on_hosts(self):
        self.assertEqual("(bar " in self.text, self.has_bars)
        self.assertNotIn("(bar ", markdown_table.markdown(self.changed(execution_space="OpenMP"), bars=True)[0])
        self.assertNotIn("(bar ", markdown_table.markdown(self.fixture)[0])

    def test_every_table_row_has_as_many_cells_as_its_header(self):
        width = None
        for line in self.lines:
            width = (width or line.count("|")) if line.startswith("|") else None
            self.assertEqual(line.count("|"), width or line.count("|"), line)

    def test_failed_case_is_listed_and_not_counted(self):
        start, *texts = self.fails
        document = self.changed()
        bad = next(b for b in document["benchmarks"] if b["name"].startswith(start))
        bad.update(error_occurred=True, error_message="wrong sum: 1, expected 2")
        text, good = markdown_table.markdown(document)
        self.assertFalse(good)
        self.assertIn(f"- `{bad['name'].partition('/iterations')[0]}`: wrong sum: 1, expected 2", text)
        for part in texts:
            self.assertIn(part, text.splitlines())


class Reduce(Tables, unittest.TestCase):
    program = "reduce"
    rows = (
        ("## Sum",
         "| half -> float | 2^30 | 1000 | 1802 | 3068 | 3603 | 3603 | 0.250 | 0.450 | 0.767 | 0.901 (bar 0.9, met) | 0.901 (bar 0.97, not met) "
         "| 3.60 | 2.00 | streamed, mma |",
         # Without a bar, and without every contender.
         "| int64 | 2^28 | 2684 | - | - | 3068 | - | 0.671 | - | - | 0.767 | - | 1.14 | 1.14 | streamed |"),
        ("## Sum over an MDRangePolicy", "| float | 2D | 268435456 | 40 | 3760 | 0.010 | 0.940 | 94.00 |"),
        ("Relative error", "| half -> float | 2^30 | 3.0e-06 | 3.0e-06 | 3.0e-07 | 1.0e-07 | 2.0e-07 |"),
        ("data in L2", "| half -> float | 2^10 | 6.00 | 4.50 (bar 4.5, met) | 4.60 (bar 4.5, not met) |"),
        ("host scalar", "| half -> float | 2^10 | 15.00 | 16.00 (bar 9, not met) |"),
        # Of repetitions the median.
        ("speedup over all", "| int64 | view | 2 | 1000003 | 1.00 (bar 0.97, met) | 1.14 |",
         "| half -> float | scalar | 1 | 2^10 | 0.94 (bar 0.97, not met) | 0.94 |"),
    )
    absent = (("Relative error", "| int64"),)
    fails = ("reduce/mma/half/view/",)

    def test_names_device_versions_best_ceiling_and_settings_that_are_not_the_usual_ones(self):
        for part in ("Invented GPU of the unit test", "Kokkos 5.2.2, kokkos-mma 0.1.0 (0000000), CUB 3.0.1",
                     "Read ceiling 4000 GB/s, copy ceiling (read plus written) 3600 GB/s, empty kernel 2.5 us"):
            self.assertIn(part, self.text)
        clocks = {"sm_clock_mhz": "1755", "memory_clock_mhz": "3201", "clock_limits": "power cap"}
        for table, text in (("my.table", "1755 and 3201 MHz (limited by: power cap), tuning table my.table;"),
                            ("built-in, H200 (refused: x)", "tuning table built-in, H200 (refused: x);"),
                            ("built-in, H100", "(limited by: power cap);"), ("built-in", "(limited by: power cap);")):
            self.assertIn(text, markdown_table.markdown(self.changed(tuning_table=table, route_setting="auto", **clocks))[0])
        self.assertIn("every call asked for route generic", markdown_table.markdown(self.changed(route_setting="generic"))[0])

    def test_program_says_what_is_wrong_with_a_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write("{}")
            file.flush()
            run = subprocess.run([sys.executable, str(HERE / "markdown_table.py"), file.name], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertIn("is not the JSON of a run of these benchmarks", run.stderr)


class Scan(Tables, unittest.TestCase):
    program = "scan"
    rows = (
        ("copy ceiling (read plus written) 4000 GB/s",),
        ("kernel copies that write 1, 2, 4 bytes for each they read 3900, 3800, 3700 GB/s",),
        # The size of the bars and the largest; that may be below, or beside a size that is no power of two.
        ("## Exclusive scan",
         "| half -> float | 2^28 | 400 | 2000 | 3400 | 3600 | 3600 | 3500 | 0.100 | 0.500 | 0.900 | 0.875 | 0.850 (bar 0.78, met) |"
         " 0.900 (bar 0.92, not met) | 8.50 | 8.50 | streamed, mma |",
         "| half -> float | 2^30 | 420 | - | 3440 | 3720 | - | - | 0.105 | - | - | - | 0.860 (bar 0.78, met) | 0.930 (bar 0.92, met) | 8.19 | 8.19 "
         "| streamed, mma |",
         "| int64 | 2^29 | 800 | - | 3400 | - | - | - | 0.200 | - | - | - | 0.850 | - | 4.25 | 4.25 | streamed |",
         "| half -> float | 2^28 | 2.0e-06 | 4.0e-07 | 3.0e-07 | 2.0e-07 | 2.0e-07 | 2.0e-07 |",
         "Not the same bits in every run: CUB (half)."),
        ("## Inclusive", "| half -> float | inclusive | 2^28 | - | 3500 | 3500 | - | - | 0.875 |",
         "| float | exclusive, in place | 2^28 | 2400 | 3600 | 3500 | 3600 | - | 0.900 |"),
        ("data in L2", "| half -> float | 2^10 | 9.00 | 6.00 (bar 6, met) | 6.50 (bar 6, not met) |"),
        ("host scalar", "| int64 | 2^14 | 20.00 | 16.00 | 16.00 |"),
        ("## Drop-in against", "| int64 | exclusive | 2 | 1000003 | 0.96 (bar 0.97, not met) | 4.25 |"),
        ("## Visible against", "| int64 | exclusive | 1 | 1000003 | 1.20 (bar 0.97, met) | 1.20 |",
         "| half -> float | exclusive | 2 | 2^30 | 8.86 (bar 0.97, met) | 9.00 |"),
    )
    absent = (("## Exclusive scan", "| int64 | 1000003"),)
    fails = ("scan/drop_in/half/exclusive/n:268435456",)


class Segmented(Tables, unittest.TestCase):
    program = "segmented"
    rows = (
        # Lengths with bars and the best peer; no bar below eight elements, nor for other types.
        ("## Sums of equal",
         "| half -> float | 8 | 260 | 3600 | - | 3800 | 3400 | 4000 | 0.950 (bar 0.909, met) | 1.06 (bar 0.97, met), Kokkos thread | streamed |",
         "| half -> float | 4096 | - | 500 | 3900 | 3600 | - | - | 0.900 (bar 0.942, not met) | 0.92 (bar 0.97, not met), cuBLAS | mma |",
         "| half -> float | 7 | - | - | - | 1000 | - | - | 0.250 | - | streamed |",
         "| int8 -> int32 | 16 | - | - | - | 3500 | - | - | 0.875 | - | mma |"),
        # Short lengths are left out.
        ("## Holes", "| half -> float | reduce | 3 | 1000 | 8 | 0.79 (bar 0.85, not met) |"),
        # Refused routes have no column.
        ("int32 offsets", "| type | segments | CUB offsets | auto | auto, unchecked | auto / read ceiling | auto / best peer | route |",
         "| float | mean 16 | 100 | 2400 | 2600 | 0.600 (bar 0.541, met) | 24.00 (bar 0.97, met), CUB offsets | streamed |"),
        ("## Sums of the columns", "| double | columns 64 | 900 | 3700 | 0.925 | 4.11 (bar 0.97, met), Kokkos team | mma |"),
        ("## Inclusive scans", "| float | 16 | 1500 | 3150 | 0.875 (bar 0.849, met) | 2.10 (bar 0.97, met), CUB by key | streamed |"),
        ("## Largest relative error",
         "| Sums of equal segments | half -> float | 2.0e-07 | 4.0e-06 | - | - | - | 5.0e-07 | 2.0e-07 | - | 3.0e-07 | - | 3.0e-07 | - |"),
        ("## Energy", "| half -> float | 256 | auto | 3600 | 450 | 250.0 | 1.00 |", "| half -> float | 256 | CUB offsets | 1200 | 300 | 500.0 | 2.00 |"),
    )
    absent = (("## Holes", "| int8 -> int32 | reduce"),)
    fails = ("segmented_reduce/segmented/int8/",)


class Stencil(Tables, unittest.TestCase):
    program = "stencil"
    rows = (
        # A refused route has no column; no bar beyond radius seven nor in other dimensions.
        ("## 2D, box",
         "| type | r | boundary | Kokkos | Kokkos, best tiles | hand-written | NPP | generic | auto | mma | auto / copy ceiling | auto / best peer | route |",
         "| half | 7 | constant | 10 | 14 | 400 | - | 20 | 910 | 900 | 0.910 (bar 0.9, met) | 2.27 (bar 0.97, met), hand-written | mma |",
         "| float | 1 | constant | - | - | - | 300 | - | 285 | - | 0.570 (bar 0.9, not met) | 0.95 (bar 0.97, not met), NPP | streamed |",
         "| half | 11 | constant | - | - | - | - | - | 800 | - | 0.800 | - | mma |"),
        ("## 1D, box", "| int32 | 1 | constant | 400 | 450 | 0.900 | 1.12 (bar 0.97, met), Kokkos | streamed |"),
        ("## 2D, dense weights, random integers",
         "| float | 7 | constant | 15 | 150 | 0.300 (bar 0.283, met) | 10.00 (bar 0.97, met), Kokkos, best tiles | mma |",
         "| double | 7 | constant | - | 50 | 0.200 (bar 0.283, not met) | - | streamed |"),
        ("## Boundaries", "| half | 2d | 7 | 0.980 (bar 0.97, met) | 0.900 (bar 0.97, not met) | - | - | 1.000 |"),
        ("## Several steps",
         "| float | 2d box | 1 | periodic | 8 | 160 | 650 | 1.300 (bar 1.132, met) | 4.06 (bar 0.97, met), Kokkos, best tiles | streamed |",
         "| double | 2d mean | 1 | constant | 32 | - | 300 | 1.200 | - | streamed |"),
        ("## Automata",
         "| uint8 | moore | 5 | constant | 8 | 30 | 1600 | 1200 | 0.800 (bar 0.708, met) | 53.33 (bar 0.97, met), Kokkos, best tiles | mma |",
         "| uint8 | moore, 8 states | 1 | constant | 8 | - | 1400 | - | 0.700 | - | streamed |"),
        ("## Largest relative error", "| 2d box of ones | half | 5.0e-04 | 5.0e-04 | 5.0e-04 | - | - | 5.0e-04 | 4.9e-04 | - | - | 4.9e-04 |"),
    )
    absent = (("## Largest relative error", "| moore"), ("## Largest relative error", "| 1d box of ones | int32"))
    fails = ("stencil/npp/float/",)


class Loops(Tables, unittest.TestCase):
    program = "loops"
    has_bars = False
    rows = (
        ("## Loops: rank1",
         "| type | body | Kokkos, int | Kokkos, int64_t | CUB | drop-in | Kokkos / copy ceiling | drop-in / copy ceiling | drop-in / Kokkos "
         "| drop-in / faster Kokkos | route |",
         "| float | copy | 1000.00 | 800.00 | 480.00 | 500.00 | 0.400 | 0.800 | 2.00 | 1.60 | streamed |",
         "| double | few1000_fence | 9.80 | - | - | 11.40 | 0.001 | 0.001 | 0.86 | 0.86 | streamed |"),
        # Without another index type there is one gain.
        ("## Loops: rank3", "| float | copy_default | 2000.00 | 500.00 | 0.200 | 0.800 | 4.00 | streamed |"),
        ("## Team kernels: rows", "| float | team_auto/64 | 4000.00 | 4000.00 | 0.100 | 0.100 | 1.00 | generic |"),
        ("## Team kernels: application", "| float | forces_vector | 300.00 | 300.00 | - | - | 1.00 | generic |"),
    )
    fails = ("loop/drop_in/float/rank1/", "| float | copy | 1000.00 | 800.00 | 480.00 | - | 0.400 | - | - | - | - |")


class Papers(Tables, unittest.TestCase):
    program = "paper"
    has_bars = False
    rows = (
        ("## Chains: sums of 2^28", "| formulation | B | R = 1 | R = 4 |", "| single pass, wmma | 128 | 1074 | 1342 |",
         "| single pass, library | 512 | - | 2147 |"),
        ("## Chains: the fastest", "| single pass, library | 512 | 4 | 0.125 | 4295 | 16.00 | 1.28 | 1.20 | 2.40 | 3.64 |"),
        ("## Error over the sum,", "| uniform | half | CUB, half sums | not finite | not finite |", "| uniform | half | library | 2.0e-08 | 5.0e-08 |"),
        ("## Error over the sum of magnitudes", "| normal | half | library | 2.0e-09 |"),
        # The faster one of the library.
        ("## Automata", "| 1 | 16384 x 16384 | 300 | 400 | 900 | 3000 | 10.00 | 7.50 | 9 |",
         "| 16 | 16384 x 16384 | 4 | 8 | 800 | - | 200.00 | 100.00 | 1089 |"),
        ("## Energy", "| sum | CUB | half | 917 | 550 | 600.0 | 2.00 |", "| automaton, r = 16 | global memory | uint8 | 444 | 400 | 900.0 | 3.00 |"),
        ("## Model of a sum", "| 4 | 30.8 | 3.64 | 10.00 | 16.00 |"),
        ("## Model of a generation", "| 16 | 1089 | 9.00 | 6 | 1089 | 200.00 |"),
    )
    fails = ("paper_automaton/packed/", "| 1 | 16384 x 16384 | 300 | 400 | 900 | 3.00 | 2.25 | 9 |")

    def test_models_alone(self):
        document = self.changed()
        document["benchmarks"] = [b for b in document["benchmarks"] if b["name"].startswith("paper_model/")]
        text, good = markdown_table.markdown(document)
        self.assertTrue(good)
        for row in ("| 4 | 30.8 | 3.64 |", "| 16 | 1089 | 9.00 | 6 | 1089 | - |"):
            self.assertIn(row, text.splitlines())


if __name__ == "__main__":
    unittest.main()
