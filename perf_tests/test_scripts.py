#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""table.py and plot.py: what they make of small files, and what they say of files that are not what they should be."""

import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
CONTEXT = {"threads": "1", "processor": "some", "compiler": "g++", "kokkos": "4"}


def measured(name, ours, plain, **more):
    """A case as perf_all writes it."""
    speeds = {"speed_Exakt::sum": ours, "speed_plain": plain, "speed_vectorized": 2 * plain}
    case = {"name": name + "/iterations:5/manual_time", "run_type": "iteration", "label": "Exakt::sum"}
    return {**case, **speeds, **more}


def failed(name, message):
    error = {"error_occurred": True, "error_message": message}
    return {"name": name + "/iterations:5/manual_time", "run_type": "iteration", **error}


def aggregate(name, kind, ours, plain):
    case = measured(name, ours, plain, run_type="aggregate", aggregate_name=kind)
    return {**case, "name": case["name"] + "/repeats:3_" + kind}


class Scripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, content, name="all.json"):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def run_script(self, script, *arguments):
        command = [sys.executable, FOLDER / script, *map(str, arguments)]
        return subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def require_refusal(self, done, sentence):
        self.assertEqual(done.returncode, 1)
        self.assertIn(sentence, done.stderr)
        self.assertNotIn("Traceback", done.stderr)


class Table(Scripts):
    def table(self, *contents):
        paths = [self.write(content, f"{i}.json") for i, content in enumerate(contents)]
        return self.run_script("table.py", *(f"{i} threads={path}" for i, path in enumerate(paths)))

    def test_a_line_for_each_case_and_two_columns_for_each_run(self):
        one, two = measured("sum, n = 5", 1e9, 5e8), measured("sum, n = 5", 4e9, 1e9)
        done = self.table({"benchmarks": [one]}, {"benchmarks": [two]})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("| sum, n = 5 | 1.00 | 0.50 plain | 1.00 loop | 0.25 plain | 0.50 loop |", done.stdout)

    def test_aggregates_do_not_replace_the_measurement(self):
        name = "sum, n = 5"
        cases = [measured(name, 1e9, 5e8), aggregate(name, "mean", 7e9, 5e8), aggregate(name, "cv", 0, 0.01)]
        done = self.table({"benchmarks": cases})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("| sum, n = 5 | 1.00 | 0.50 plain | 1.00 loop |", done.stdout)

    def test_failed_cases_are_named_and_the_others_stand_in_the_table(self):
        message = "wrong bits: Exakt::sum gives 1, the exact result is 2"
        done = self.table({"benchmarks": [failed("dot, n = 5", message), measured("sum, n = 5", 1e9, 5e8)]})
        self.require_refusal(done, "dot, n = 5: " + message)
        self.assertIn("| sum, n = 5 | 1.00 |", done.stdout)
        self.assertNotIn("| dot", done.stdout)

    def test_speeds_that_are_none(self):
        for speed in (0, float("nan"), float("inf"), None, "fast"):
            done = self.table({"benchmarks": [measured("sum, n = 5", speed, 5e8)]})
            self.require_refusal(done, "sum, n = 5: the speed of 'Exakt::sum' is")
        case = measured("sum, n = 5", 1e9, 5e8)
        del case["speed_Exakt::sum"]
        self.require_refusal(self.table({"benchmarks": [case]}), "the speed of 'Exakt::sum' is None")

    def test_files_that_are_something_else(self):
        for content in ([], [1], {}, 3, None, "{", {"benchmarks": [1]}, {"benchmarks": None}, {"benchmarks": [{}]}):
            self.require_refusal(self.table(content), "is not what --benchmark_out writes")
        self.require_refusal(self.table({"benchmarks": []}), "holds no measurements")
        self.require_refusal(self.table({"benchmarks": [aggregate("sum", "mean", 1, 1)]}), "holds no measurements")
        self.require_refusal(self.run_script("table.py", "one=missing.json"), "missing.json")


@unittest.skipIf(importlib.util.find_spec("matplotlib") is None, "matplotlib is missing")
class Plot(Scripts):
    def plot(self, content):
        return self.run_script("plot.py", self.write(content), "--output", self.folder)

    def test_aggregates_are_no_points(self):
        name = "sum against n, n = 1"
        cases = [measured(name, 1e9, 5e8, abscissa=1), measured("sum against n, n = 10", 1e9, 5e8, abscissa=10)]
        done = self.plot({"context": CONTEXT, "benchmarks": cases + [aggregate(name, "cv", 0, 0)]})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue((self.folder / "sum_against_n.png").exists())

    def test_measurements_that_cannot_be_drawn(self):
        case = measured("sum against n, n = 1", 1e9, 5e8, abscissa=1)
        self.require_refusal(self.plot({"benchmarks": [case]}), "lacks context: threads")
        zero = measured("sum against n, n = 1", 0, 5e8, abscissa=1)
        self.require_refusal(self.plot({"context": CONTEXT, "benchmarks": [zero]}), "speed_Exakt::sum is 0")
        wrong = failed("sum against n, n = 1", "wrong bits")
        self.require_refusal(self.plot({"context": CONTEXT, "benchmarks": [wrong]}), "wrong bits")
        only = aggregate("sum against n, n = 1", "mean", 1, 1)
        self.require_refusal(self.plot({"context": CONTEXT, "benchmarks": [only]}), "holds no measurements")

    def test_histograms_that_cannot_be_drawn(self):
        for content in ({}, [], [1], 3):
            self.require_refusal(self.plot(content), "holds no measurements")
        one_value_each = {"plain": {"0": 16}, "Exakt::sum": {"0": 16}}
        self.require_refusal(self.plot(one_value_each), "no way has sums of several finite values")
        self.require_refusal(self.plot({"plain": 3}), "holds neither benchmarks nor histograms")

    def test_ranks_that_cannot_be_drawn(self):
        self.require_refusal(self.plot({"ranks": 2, "scaling": "weak"}), "lacks microseconds, threads, library")


if __name__ == "__main__":
    unittest.main()
