#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of compare.py on cases cut from runs on an H200, before and after changes of the code that are known."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
H200 = json.loads((HERE / "fixtures" / "h200.json").read_text(encoding="utf-8"))


def document(program, when):
    """Of two runs, `before` and `after`: what they have in common stands once in the file."""
    cut = H200[program]
    cases = [{**{key: value for key, value in case.items() if key not in ("before", "after")}, **case[when]} for case in cut["benchmarks"]]
    return {"context": {**cut["context"], **cut[when]}, "benchmarks": cases}


def compare(*arguments):
    return subprocess.run([sys.executable, str(HERE / "compare.py"), *map(str, arguments)], capture_output=True, text=True, check=False)


class Comparison(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.before, self.after = ({k: self.written(document(k, when), f"{k}_{when}.json") for k in ("scan", "segmented")}
                                   for when in ("before", "after"))

    def tearDown(self):
        self.temporary.cleanup()

    def written(self, changed, name="changed.json"):
        path = self.folder / name
        path.write_text(json.dumps(changed), encoding="utf-8")
        return path

    def changed(self, change):
        """A copy of a run, changed by a function of the document."""
        copy = document("segmented", "before")
        change(copy)
        return self.written(copy)

    def assert_refused(self, run, *texts):
        self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
        self.assertEqual(run.stdout, "")
        for text in texts:
            self.assertIn(text, run.stderr)

    def test_finds_what_was_made_faster_and_nothing_else(self):
        run = compare(self.before["segmented"], self.after["segmented"], "--fail-on-regression")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("6 cases of kokkos-mma, 0 slower and 3 faster beyond noise; 13 of peers, median ratio 0.999, 0 beyond noise.", run.stdout)
        self.assertIn("| segmented_reduce/segmented/int8/ragged32/mean:4/n:268435456 | 1060.08 | 567.33 | 1.869 | 5 % |", run.stdout)

    def test_the_other_way_round_is_a_regression(self):
        run = compare(self.after["segmented"], self.before["segmented"], "--fail-on-regression")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("### Slower", run.stdout)
        self.assertIn("regressions: 3", run.stdout)
        self.assertIn("| 567.33 | 1060.08 | 0.535 |", run.stdout)
        self.assertEqual(compare(self.after["segmented"], self.before["segmented"]).returncode, 0)

    def test_peers_tell_the_noise_of_short_calls(self):
        """Calls of microseconds changed by up to 40 % in all contenders alike: another host."""
        run = compare(self.before["scan"], self.after["scan"])
        self.assertIn("18 cases of kokkos-mma, 0 slower and 2 faster beyond noise", run.stdout)
        self.assertIn("| scan/mma/int8/exclusive/n:268435456 |", run.stdout)
        self.assertNotIn("visible/float/exclusive/n:1024", run.stdout)
        self.assertIn("samples: 15 in A, 9 in B", run.stdout)

    def test_the_median_of_two_peers_is_between_them(self):
        def two_peers(document):
            document["benchmarks"] = [case for case in document["benchmarks"] if "/cub" in case["name"]][:2]
            document["benchmarks"][1]["real_time"] *= 2

        path = self.changed(two_peers)
        self.assertIn("2 of peers, median ratio 1.500", compare(path, self.before["segmented"]).stdout)

    def test_threshold(self):
        run = compare(self.after["segmented"], self.before["segmented"], "--fail-on-regression", "--threshold", "90")
        self.assertEqual(run.returncode, 0)
        self.assert_refused(compare(*self.before.values(), "--threshold", "a lot"), "'a lot' is not a percentage from 0 to 1000")

    def test_variation_of_a_case_widens_its_noise(self):
        def noisy(document):
            for case in document["benchmarks"]:
                if "int8" in case["name"]:
                    case["variation"] = 3.0

        run = compare(self.changed(noisy), self.after["segmented"])
        self.assertNotIn("int8/ragged32", run.stdout)
        self.assertIn("half/equal/length:65536", run.stdout)

    def test_a_case_that_fails_now_is_a_regression(self):
        def broken(document):
            document["benchmarks"][-1].update(error_occurred=True, error_message="wrong sum: 1, expected 2")

        run = compare(self.before["segmented"], self.changed(broken), "--fail-on-regression")
        self.assertEqual(run.returncode, 1)
        self.assertIn("### Fail in B", run.stdout)
        self.assertIn("wrong sum: 1, expected 2", run.stdout)

    def test_other_device_is_refused_or_compared_by_ceilings(self):
        def other(document):
            document["context"]["device"] = "Another GPU"
            for case in document["benchmarks"]:  # half as fast, its memory too
                case["real_time"] *= 2

        path = self.changed(other)
        self.assert_refused(compare(path, self.before["segmented"]), "A ran on Another GPU (Cuda), B on NVIDIA H200 (Cuda)", "--allow-different-devices")
        run = compare(path, self.before["segmented"], "--allow-different-devices", "--fail-on-regression")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("0 slower and 0 faster beyond noise", run.stdout)
        self.assertIn("fractions of the ceiling", run.stdout)

    def test_truncated(self):
        path = self.folder / "truncated.json"
        path.write_text(self.before["scan"].read_text(encoding="utf-8")[:5000], encoding="utf-8")
        self.assert_refused(compare(path, self.after["scan"]), str(path), "is not JSON, or only the beginning of it")

    def test_foreign(self):
        path = self.folder / "foreign.json"
        for text in ("{}", "[1, 2]", '{"context": {"date": "today"}, "benchmarks": [{"name": "BM_x", "real_time": 1}]}'):
            path.write_text(text, encoding="utf-8")
            self.assert_refused(compare(self.before["scan"], path), "is not the JSON of a run of these benchmarks")
        self.assert_refused(compare(self.before["scan"], self.folder / "absent.json"), "No such file")

    def test_a_run_that_ended_before_its_first_case(self):
        self.assert_refused(compare(self.changed(lambda document: document.update(benchmarks=[])), self.after["segmented"]), "records no case")

    def test_malformed_case(self):
        path = self.changed(lambda document: document["benchmarks"].append({"name": "scan/kokkos/float", "real_time": 1}))
        self.assert_refused(compare(path, self.after["segmented"]), "has a case that is not of these benchmarks")

    def test_nothing_in_common(self):
        self.assert_refused(compare(self.before["scan"], self.after["segmented"]), "have no case in common")

    def test_folders(self):
        for name, files in (("a", self.before), ("b", self.after)):
            (self.folder / name).mkdir()
            for program, path in files.items():
                if (name, program) != ("b", "scan"):
                    (self.folder / name / f"perf_{program}.json").write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
        run = compare(self.folder / "a", self.folder / "b")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("## perf_segmented", run.stdout)
        self.assertIn(f"perf_scan.json is only in {self.folder / 'a'}.", run.stdout)
        self.assert_refused(compare(self.folder / "a", self.before["scan"]), "one is a folder and the other is not")
        (self.folder / "empty").mkdir()
        self.assert_refused(compare(self.folder / "a", self.folder / "empty"), "holds none of perf_reduce.json")


if __name__ == "__main__":
    unittest.main()
