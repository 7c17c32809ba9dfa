#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of markdown_table.py on a small file with invented figures."""

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


class MarkdownTable(unittest.TestCase):
    def setUp(self):
        self.text, self.good = markdown_table.markdown(FIXTURE)
        self.lines = self.text.splitlines()

    def line(self, start, after):
        """The first row that starts so, below the heading or header that contains `after`."""
        at = next(i for i, line in enumerate(self.lines) if after in line)
        return next(line for line in self.lines[at:] if line.startswith(start))

    def test_names_device_versions_and_best_ceiling(self):
        self.assertIn("Invented GPU of the unit test", self.text)
        self.assertIn("Kokkos 5.2.2, kokkos-mma 0.1.0 (0000000), CUB 3.0.1", self.text)
        self.assertIn("Read ceiling 4000 GB/s, copy ceiling (read plus written) 3600 GB/s, empty kernel 2.5 us", self.text)

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

    def test_no_bars_on_hosts(self):
        document = copy.deepcopy(FIXTURE)
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
        self.assertIn("is not the JSON of a perf_reduce run", run.stderr)


if __name__ == "__main__":
    unittest.main()
