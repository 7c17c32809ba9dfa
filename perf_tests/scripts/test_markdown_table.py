#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of markdown_table.py on small files with invented figures."""

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

FIXTURE = json.loads((HERE / "fixtures" / "perf_reduce.json").read_text(encoding="utf-8"))
SCAN_FIXTURE = json.loads((HERE / "fixtures" / "perf_scan.json").read_text(encoding="utf-8"))
SEGMENTED_FIXTURE = json.loads((HERE / "fixtures" / "perf_segmented.json").read_text(encoding="utf-8"))
STENCIL_FIXTURE = json.loads((HERE / "fixtures" / "perf_stencil.json").read_text(encoding="utf-8"))


class Tables:
    """What holds for the tables of every program."""

    def setUp(self):
        self.text, self.good = markdown_table.markdown(self.fixture)
        self.lines = self.text.splitlines()

    def line(self, start, after):
        """The first row that starts so, below the heading or header that contains `after`."""
        at = next(i for i, line in enumerate(self.lines) if after in line)
        return next(line for line in self.lines[at:] if line.startswith(start))

    def test_no_bars_on_hosts(self):
        document = copy.deepcopy(self.fixture)
        document["context"]["execution_space"] = "OpenMP"
        self.assertIn("(bar ", self.text)
        self.assertNotIn("(bar ", markdown_table.markdown(document)[0])

    def test_every_table_row_has_as_many_cells_as_its_header(self):
        width = None
        for line in self.lines:
            if not line.startswith("|"):
                width = None
                continue
            width = width or line.count("|")
            self.assertEqual(line.count("|"), width, line)


class ReduceTables(Tables, unittest.TestCase):
    fixture = FIXTURE

    def test_names_device_versions_and_best_ceiling(self):
        self.assertIn("Invented GPU of the unit test", self.text)
        self.assertIn("Kokkos 5.2.2, kokkos-mma 0.1.0 (0000000), CUB 3.0.1", self.text)
        self.assertIn("Read ceiling 4000 GB/s, copy ceiling (read plus written) 3600 GB/s, empty kernel 2.5 us", self.text)

    def test_names_clocks_and_settings_that_are_not_the_usual_ones(self):
        document = copy.deepcopy(FIXTURE)
        document["context"].update(sm_clock_mhz="1755", memory_clock_mhz="3201", clock_limits="power cap", tuning_table="my.table", route_setting="auto")
        text, _ = markdown_table.markdown(document)
        self.assertIn("1755 and 3201 MHz (limited by: power cap), tuning table my.table;", text)
        document["context"]["route_setting"] = "generic"
        self.assertIn("every call asked for route generic", markdown_table.markdown(document)[0])

    def test_largest_size_with_bars(self):
        self.assertEqual(
            self.line("| half", "## Sum"),
            "| half -> float | 2^30 | 1000 | 3068 | 3603 | 3603 | 0.250 | 0.767 | 0.901 (bar 0.9, met) | 0.901 (bar 0.97, not met) | streamed, mma |",
        )

    def test_type_without_bar_and_without_every_contender(self):
        self.assertEqual(self.line("| int64", "## Sum"), "| int64 | 2^28 | 2684 | - | 3068 | - | 0.671 | - | 0.767 | - | streamed |")

    def test_errors_only_of_floating_point(self):
        start = next(i for i, line in enumerate(self.lines) if line.startswith("Relative error"))
        end = next(i for i, line in enumerate(self.lines) if i > start and line.startswith("## "))
        self.assertEqual(self.lines[start + 4], "| half -> float | 2^30 | 3.0e-06 | 3.0e-07 | 1.0e-07 | 2.0e-07 |")
        self.assertFalse(any("int64" in line for line in self.lines[start:end]))

    def test_small_sizes_with_bars(self):
        self.assertEqual(self.line("| half", "data in L2"), "| half -> float | 2^10 | 6.00 | - | 4.50 (bar 4.5, met) | 4.60 (bar 4.5, not met) |")
        self.assertEqual(self.line("| half", "host scalar"), "| half -> float | 2^10 | 15.00 | - | 16.00 (bar 9, not met) | - |")

    def test_smallest_speedup_takes_the_median_of_repetitions(self):
        self.assertEqual(self.line("| int64 | view", "speedup over all"), "| int64 | view | 2 | 1000003 | 1.00 (bar 0.97, met) | 1.14 |")
        self.assertEqual(self.line("| half -> float | scalar", "speedup over all"), "| half -> float | scalar | 1 | 2^10 | 0.94 (bar 0.97, not met) | 0.94 |")

    def test_formulations(self):
        self.assertEqual(self.line("| single_pass", "## Formulations"), "| single_pass | 4 | 128 | half -> float | 2^28 | 2684 | 0.67 | 4.0e-06 |")

    def test_failed_case_is_listed_and_not_counted(self):
        document = copy.deepcopy(FIXTURE)
        bad = next(b for b in document["benchmarks"] if b["name"].startswith("reduce/mma/half/view/"))
        bad.update(error_occurred=True, error_message="wrong sum: 1, expected 2")
        text, good = markdown_table.markdown(document)
        self.assertTrue(self.good)
        self.assertFalse(good)
        self.assertIn("- `reduce/mma/half/view/n:1073741824`: wrong sum: 1, expected 2", text)

    def test_program_says_what_is_wrong_with_a_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write("{}")
            file.flush()
            run = subprocess.run([sys.executable, str(HERE / "markdown_table.py"), file.name], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertIn("is not the JSON of a run of these benchmarks", run.stderr)


class ScanTables(Tables, unittest.TestCase):
    fixture = SCAN_FIXTURE

    def test_copy_ceilings(self):
        self.assertIn("copy ceiling (read plus written) 4000 GB/s", self.text)
        self.assertIn("kernel copies that write 1, 2, 4 bytes for each they read 3900, 3800, 3700 GB/s", self.text)

    def test_the_size_of_the_bars_and_the_largest(self):
        self.assertEqual(
            self.line("| half -> float | 2^28", "## Exclusive scan"),
            "| half -> float | 2^28 | 400 | 2000 | 3400 | 3600 | 3600 | 3500 | 0.100 | 0.500 | 0.900 | 0.875 | 0.850 (bar 0.78, met) |"
            " 0.900 (bar 0.92, not met) | streamed, mma |",
        )
        self.assertEqual(
            self.line("| half -> float | 2^30", "## Exclusive scan"),
            "| half -> float | 2^30 | 420 | - | 3440 | 3720 | - | - | 0.105 | - | - | - | 0.860 (bar 0.78, met) | 0.930 (bar 0.92, met) | streamed, mma |",
        )

    def test_largest_size_below_or_beside_that_of_the_bars(self):
        self.assertEqual(
            self.line("| int64", "## Exclusive scan"), "| int64 | 2^29 | 800 | - | 3400 | - | - | - | 0.200 | - | - | - | 0.850 | - | streamed |"
        )
        self.assertFalse(any(line.startswith("| int64 | 1000003") for line in self.lines))

    def test_errors_and_bits_that_differ(self):
        self.assertEqual(
            self.line("| half -> float | 2^28", "Largest relative error"), "| half -> float | 2^28 | 2.0e-06 | 4.0e-07 | 3.0e-07 | 2.0e-07 | 2.0e-07 | 2.0e-07 |"
        )
        self.assertIn("Not the same bits in every run: CUB (half).", self.lines)

    def test_kinds_of_the_library_alone(self):
        self.assertEqual(self.line("| half", "## Inclusive"), "| half -> float | inclusive | 2^28 | - | 3500 | 3500 | - | 0.875 |")
        self.assertEqual(self.line("| float", "## Inclusive"), "| float | exclusive, in place | 2^28 | 2400 | 3600 | 3500 | 3600 | 0.900 |")

    def test_small_sizes_with_bars(self):
        self.assertEqual(
            self.line("| half", "data in L2"), "| half -> float | 2^10 | 9.00 | - | 6.00 (bar 6, met) | 6.50 (bar 6, not met) | - | - |"
        )
        self.assertEqual(self.line("| int64", "host scalar"), "| int64 | 2^14 | 20.00 | - | 16.00 | 16.00 | - | - |")

    def test_smallest_speedup_of_each_way_in(self):
        self.assertEqual(
            self.line("| int64 | exclusive", "## Drop-in against"), "| int64 | exclusive | 2 | 1000003 | 0.96 (bar 0.97, not met) | 4.25 |"
        )
        self.assertEqual(self.line("| int64 | exclusive", "## Visible against"), "| int64 | exclusive | 1 | 1000003 | 1.20 (bar 0.97, met) | 1.20 |")
        self.assertEqual(self.line("| half -> float | exclusive ", "## Visible against"), "| half -> float | exclusive | 2 | 2^30 | 8.86 (bar 0.97, met) | 9.00 |")


class SegmentedTables(Tables, unittest.TestCase):
    fixture = SEGMENTED_FIXTURE

    def test_lengths_with_bars_and_the_best_peer(self):
        self.assertEqual(
            self.line("| half -> float | 8 ", "## Sums of equal"),
            "| half -> float | 8 | 260 | 3600 | - | 3800 | 3400 | 4000 | 0.950 (bar 0.909, met) | 1.06 (bar 0.97, met), Kokkos thread | streamed |",
        )
        self.assertEqual(
            self.line("| half -> float | 4096 ", "## Sums of equal"),
            "| half -> float | 4096 | - | 500 | 3900 | 3600 | - | - | 0.900 (bar 0.942, not met) | 0.92 (bar 0.97, not met), cuBLAS | mma |",
        )

    def test_no_bar_below_eight_elements_nor_for_other_types(self):
        self.assertEqual(self.line("| half -> float | 7 ", "## Sums of equal"), "| half -> float | 7 | - | - | - | 1000 | - | - | 0.250 | - | streamed |")
        self.assertEqual(self.line("| int8", "## Sums of equal"), "| int8 -> int32 | 16 | - | - | - | 3500 | - | - | 0.875 | - | mma |")

    def test_holes_leave_out_short_lengths(self):
        self.assertEqual(
            self.line("| half", "## Holes"), "| half -> float | reduce | 3 | 1000 | 8 | 0.79 (bar 0.85, not met) |"
        )
        self.assertFalse(any(line.startswith("| int8 -> int32 | reduce") for line in self.lines))

    def test_ragged_checked_and_unchecked_and_no_refused_route(self):
        self.assertIn("| type | segments | CUB offsets | auto | auto, unchecked | auto / read ceiling | auto / best peer | route |", self.lines)
        self.assertEqual(
            self.line("| float", "int32 offsets"),
            "| float | mean 16 | 100 | 2400 | 2600 | 0.600 (bar 0.541, met) | 24.00 (bar 0.97, met), CUB offsets | streamed |",
        )

    def test_columns_and_scans(self):
        self.assertEqual(
            self.line("| double", "## Sums of the columns"), "| double | columns 64 | 900 | 3700 | 0.925 | 4.11 (bar 0.97, met), Kokkos team | mma |"
        )
        self.assertEqual(
            self.line("| float", "## Inclusive scans"),
            "| float | 16 | 1500 | 3150 | 0.875 (bar 0.849, met) | 2.10 (bar 0.97, met), CUB by key | streamed |",
        )

    def test_largest_error_over_lengths(self):
        self.assertEqual(
            self.line("| Sums of equal segments | half", "## Largest relative error"),
            "| Sums of equal segments | half -> float | 2.0e-07 | 4.0e-06 | - | - | - | 5.0e-07 | 2.0e-07 | - | 3.0e-07 | - | 3.0e-07 | - |",
        )

    def test_energy(self):
        self.assertEqual(self.line("| half -> float | 256 | auto", "## Energy"), "| half -> float | 256 | auto | 3600 | 450 | 250.0 | 1.00 |")
        self.assertEqual(self.line("| half -> float | 256 | CUB", "## Energy"), "| half -> float | 256 | CUB offsets | 1200 | 300 | 500.0 | 2.00 |")


class StencilTables(Tables, unittest.TestCase):
    fixture = STENCIL_FIXTURE

    def test_box_with_bars_peers_and_no_refused_route(self):
        self.assertIn(
            "| type | r | boundary | Kokkos | Kokkos, best tiles | hand-written | NPP | generic | auto | mma | auto / copy ceiling | auto / best peer | route |",
            self.lines,
        )
        self.assertEqual(
            self.line("| half | 7 | constant", "## 2D, box"),
            "| half | 7 | constant | 10 | 14 | 400 | - | 20 | 910 | 900 | 0.910 (bar 0.9, met) | 2.27 (bar 0.97, met), hand-written | mma |",
        )
        self.assertEqual(
            self.line("| float", "## 2D, box"),
            "| float | 1 | constant | - | - | - | 300 | - | 285 | - | 0.570 (bar 0.9, not met) | 0.95 (bar 0.97, not met), NPP | streamed |",
        )

    def test_no_bar_beyond_radius_seven_nor_in_other_dimensions(self):
        self.assertEqual(self.line("| half | 11", "## 2D, box"), "| half | 11 | constant | - | - | - | - | - | 800 | - | 0.800 | - | mma |")
        self.assertEqual(
            self.line("| int32", "## 1D, box"), "| int32 | 1 | constant | 400 | 450 | 0.900 | 1.12 (bar 0.97, met), Kokkos | streamed |"
        )

    def test_dense_weights_against_the_rates_that_were_promised(self):
        self.assertEqual(
            self.line("| float", "## 2D, dense weights, random integers"),
            "| float | 7 | constant | 15 | 150 | 0.300 (bar 0.283, met) | 10.00 (bar 0.97, met), Kokkos, best tiles | mma |",
        )
        self.assertEqual(
            self.line("| double", "## 2D, dense weights, random integers"), "| double | 7 | constant | - | 50 | 0.200 (bar 0.283, not met) | - | streamed |"
        )

    def test_boundaries_against_the_constant(self):
        self.assertEqual(
            self.line("| half", "## Boundaries"), "| half | 2d | 7 | 0.980 (bar 0.97, met) | 0.900 (bar 0.97, not met) | - | - | 1.000 |"
        )

    def test_steps(self):
        self.assertEqual(
            self.line("| float", "## Several steps"),
            "| float | 2d box | 1 | periodic | 8 | 160 | 650 | 1.300 (bar 1.132, met) | 4.06 (bar 0.97, met), Kokkos, best tiles | streamed |",
        )
        self.assertEqual(self.line("| double", "## Several steps"), "| double | 2d mean | 1 | constant | 32 | - | 300 | 1.200 | - | streamed |")

    def test_automata(self):
        self.assertEqual(
            self.line("| uint8 | moore |", "## Automata"),
            "| uint8 | moore | 5 | constant | 8 | 30 | 1600 | 1200 | 0.800 (bar 0.708, met) | 53.33 (bar 0.97, met), Kokkos, best tiles | mma |",
        )
        self.assertEqual(
            self.line("| uint8 | moore, 8 states", "## Automata"), "| uint8 | moore, 8 states | 1 | constant | 8 | - | 1400 | - | 0.700 | - | streamed |"
        )

    def test_largest_error_over_radii(self):
        self.assertEqual(
            self.line("| 2d box of ones | half", "## Largest relative error"),
            "| 2d box of ones | half | 5.0e-04 | 5.0e-04 | 5.0e-04 | - | - | 5.0e-04 | 4.9e-04 | - | - | 4.9e-04 |",
        )
        errors = self.lines[next(i for i, line in enumerate(self.lines) if line.startswith("## Largest relative error")):]
        self.assertFalse(any("moore" in line or "int32" in line for line in errors))


if __name__ == "__main__":
    unittest.main()
