#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of scaling.py on a small document with invented figures."""

import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import scaling  # noqa: E402


def case(operation, kind, how, ranks, time, efficiency=None, size=4e9, extra=""):
    found = {"efficiency": efficiency} if efficiency is not None else {}
    return {"name": f"mpi_{operation}/{kind}/{how}/ranks:{ranks}{extra}", "operation": operation, "type": kind, "scaling": how, "ranks": ranks,
            "bytes_per_rank": size, "real_time": time, "variation": 0.01, **found}


DOCUMENT = {
    "context": {"device": "Invented GPU", "mpi_library": "Invented MPI", "gpu_aware_mpi": "no", "ranks_share": "nothing", "failures": 0,
                "ranks": ["a:0", "a:1"]},
    "benchmarks": [
        case("copy", "float", "one", 1, 2000, size=8e9),
        case("link", "message", "pair", 2, 2.0, size=8, extra="/with:1/bytes:8"),
        case("link", "message", "pair", 2, 100.0, size=1e6, extra="/with:1/bytes:1000000"),
        case("reduce", "float", "one", 1, 1000),
        case("reduce", "float", "weak", 1, 1000, 1.0),
        case("reduce", "float", "weak", 2, 1010, 0.99),
        case("reduce", "float", "strong", 2, 520, 0.9615),
        case("scan", "float", "weak", 2, 3000, 0.7),
    ],
}


def run(text, *flags):
    """Status, output and messages of the program for a file with this text."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scaling.json")
        pathlib.Path(path).write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, str(HERE / "scaling.py"), path, *flags], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr


class Table(unittest.TestCase):
    def test_rates_and_bars(self):
        status, text, _ = run(json.dumps(DOCUMENT))
        self.assertEqual(status, 0)
        self.assertIn("| reduce | float | weak | 2 | 1010.0 | 1.0 % | 3960 | 0.990 | met: 0.95 |", text)
        self.assertIn("| scan | float | weak | 2 | 3000.0 | 1.0 % | 1333 | 0.700 | missed: 0.80 |", text)
        self.assertIn("| reduce | float | strong | 2 | 520.0 | 1.0 % | 7692 | 0.962 |  |", text)
        self.assertIn("| message with rank 1 | 2 | 8 | 2.00 |", text)
        self.assertNotIn("odel", text)

    def test_shared_gpus_and_failures(self):
        document = copy.deepcopy(DOCUMENT)
        document["context"]["ranks_share"] = "GPUs"
        document["context"]["failures"] = 2
        status, text, _ = run(json.dumps(document))
        self.assertEqual(status, 1)
        self.assertIn("Ranks shared GPUs", text)

    def test_bad_files(self):
        whole = json.dumps(DOCUMENT)
        for text, message in (
            (whole[: len(whole) // 2], "only the beginning"),
            ("[]", "no 'context' and 'benchmarks'"),
            (whole.replace('"ranks": 2', '"rank": 2'), "lacks ranks"),
        ):
            status, output, error = run(text)
            self.assertEqual((status, output), (2, ""))
            self.assertIn(message, error)


class Model(unittest.TestCase):
    def test_adds_the_collective_alone(self):
        # log2(1024) - log2(2) = 9 latencies of 2 us, 1022 * 64 bytes at 10 GB/s
        cases = scaling.series(DOCUMENT, "weak")[("reduce", "float")]
        expected = 0.99 * 1010 / (1010 + 9 * 2.0 + 1022 * 64 / 1e4)
        self.assertAlmostEqual(scaling.model(cases, 1024, *scaling.link(DOCUMENT)), expected)
        self.assertAlmostEqual(scaling.model(cases, 2, *scaling.link(DOCUMENT)), 0.99)

    def test_is_marked_as_one(self):
        _, text, _ = run(json.dumps(DOCUMENT), "--model", "1024")
        self.assertIn("**Model, not measured**", text)
        self.assertIn("as if all were in one node", text)
        self.assertIn("| reduce | float | 1024 | 0.", text)
        _, text, _ = run(json.dumps(DOCUMENT), "--model", "8", "--latency-us=3", "--bandwidth-gbs=20")
        self.assertIn("with links as given: 3.00 us and 20.0 GB/s", text)

    def test_needs_links(self):
        document = copy.deepcopy(DOCUMENT)
        document["benchmarks"] = [c for c in document["benchmarks"] if c["operation"] != "link"]
        status, _, error = run(json.dumps(document), "--model", "8")
        self.assertEqual(status, 2)
        self.assertIn("--latency-us=", error)


if __name__ == "__main__":
    unittest.main()
