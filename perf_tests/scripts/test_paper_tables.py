#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of paper_tables.py, through markdown_table.py, on a small file with invented figures."""

import copy
import json
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import markdown_table  # noqa: E402

FIXTURE = json.loads((HERE / "fixtures" / "perf_paper.json").read_text(encoding="utf-8"))


class PaperTables(unittest.TestCase):
    def setUp(self):
        self.text, self.good = markdown_table.markdown(FIXTURE)
        self.lines = self.text.splitlines()

    def line(self, start, after):
        """The first row that starts so, below the heading or header that contains `after`."""
        at = next(i for i, line in enumerate(self.lines) if after in line)
        return next(line for line in self.lines[at:] if line.startswith(start))

    def test_every_table_row_has_as_many_cells_as_its_header(self):
        width = None
        for line in self.lines:
            if not line.startswith("|"):
                width = None
                continue
            width = width or line.count("|")
            self.assertEqual(line.count("|"), width, line)

    def test_chains_by_block_and_length(self):
        self.assertIn("| formulation | B | R = 1 | R = 4 |", self.lines)
        self.assertEqual(self.line("| single pass, wmma", "## Chains: sums of 2^28"), "| single pass, wmma | 128 | 1074 | 1342 |")
        self.assertEqual(self.line("| single pass, library | 512", "## Chains: sums of 2^28"), "| single pass, library | 512 | - | 2147 |")

    def test_fastest_of_a_formulation_against_the_fastest_shuffle(self):
        self.assertEqual(
            self.line("| single pass, library", "## Chains: the fastest"),
            "| single pass, library | 512 | 4 | 0.125 | 4295 | 16.00 | 1.28 | 1.20 | 2.40 | 3.64 |",
        )

    def test_errors_and_what_is_not_finite(self):
        self.assertEqual(self.line("| uniform | half | CUB", "## Error over the sum,"), "| uniform | half | CUB, half sums | not finite | not finite |")
        self.assertEqual(self.line("| uniform | half | library", "## Error over the sum,"), "| uniform | half | library | 2.0e-08 | 5.0e-08 |")
        self.assertEqual(self.line("| normal", "## Error over the sum of magnitudes"), "| normal | half | library | 2.0e-09 |")

    def test_automata_take_the_faster_of_the_library(self):
        self.assertEqual(
            self.line("| 1 |", "## Automata"), "| 1 | 16384 x 16384 | 300 | 400 | 900 | 3000 | 10.00 | 7.50 | 9 |"
        )
        self.assertEqual(self.line("| 16 |", "## Automata"), "| 16 | 16384 x 16384 | 4 | 8 | 800 | - | 200.00 | 100.00 | 1089 |")

    def test_energy_against_the_library(self):
        self.assertEqual(self.line("| sum | CUB", "## Energy"), "| sum | CUB | half | 917 | 550 | 600.0 | 2.00 |")
        self.assertEqual(self.line("| automaton, r = 16 | global", "## Energy"), "| automaton, r = 16 | global memory | uint8 | 444 | 400 | 900.0 | 3.00 |")

    def test_models_beside_what_was_measured(self):
        self.assertEqual(self.line("| 4 |", "## Model of a sum"), "| 4 | 30.8 | 3.64 | 10.00 | 16.00 |")
        self.assertEqual(self.line("| 16 |", "## Model of a generation"), "| 16 | 1089 | 9.00 | 6 | 1089 | 200.00 |")

    def test_models_alone(self):
        document = copy.deepcopy(FIXTURE)
        document["benchmarks"] = [b for b in document["benchmarks"] if b["name"].startswith("paper_model/")]
        text, good = markdown_table.markdown(document)
        self.assertTrue(good)
        self.assertIn("| 4 | 30.8 | 3.64 |", text.splitlines())
        self.assertIn("| 16 | 1089 | 9.00 | 6 | 1089 | - |", text.splitlines())

    def test_failed_case_is_listed_and_left_out(self):
        document = copy.deepcopy(FIXTURE)
        bad = next(b for b in document["benchmarks"] if b["name"].startswith("paper_automaton/packed/"))
        bad.update(error_occurred=True, error_message="wrong cells: 1 of 2")
        text, good = markdown_table.markdown(document)
        self.assertTrue(self.good)
        self.assertFalse(good)
        self.assertIn("packed/uint8/moore/r:1/side:16384/n:268435456`: wrong cells: 1 of 2", text)
        self.assertIn("| 1 | 16384 x 16384 | 300 | 400 | 900 | 3.00 | 2.25 | 9 |", text.splitlines())


if __name__ == "__main__":
    unittest.main()
