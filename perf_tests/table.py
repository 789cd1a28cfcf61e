#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tables in Markdown, one for each kind of verb, from measurements side by side: a line for each case, two columns for each run.

    perf_all --benchmark_out=one.json
    OMP_NUM_THREADS=2 perf_all --benchmark_out=two.json
    table.py "1 thread=one.json" "2 threads=two.json"

The columns of a run say how long Exakt takes, in times of the plain Kokkos way and of the fastest plain way, whichever
that is: below 1 Exakt is faster. Cases that a run does not have are left empty there, cases without a plain way left
out. Each number is the quotient of two median speeds. Cases that failed are named on stderr; the exit code is 1 then.
"""

import argparse
import json
import math
import sys

KOKKOS = ("plain", "plain additions in place", "Kokkos::parallel_scan", "atomic_add", "KokkosKernels")
OTHERS = ("default environment", "vectorized", "plain loop", "one plain loop", "two plain passes", "sorted, with plain sums", "OpenBLAS", "oneTBB", "CUB", "cuBLAS")
ABBREVIATIONS = {
    "vectorized": "loop",
    "one plain loop": "plain loop",
    "two plain passes": "two passes",
    "plain additions in place": "in place",
    "Kokkos::parallel_scan": "parallel_scan",
    "KokkosKernels": "KK",
}

# Heading: how the names of its cases begin. What begins otherwise comes last.
SECTIONS = {
    "Sums, dots, norms": ("sum,", "sum of", "dot", "nrm1,", "nrm2,", "mean,"),
    "Sums in the user's own loops": ("ExactSum", "ExactDot", "transform_sum", "product_sum_of"),
    "Accumulators": ("SumAccumulator", "DotAccumulator", "Expansion", "HighPrecision", "Hallberg", "Binned"),
    "Variances, means of columns": ("variance", "covariance", "means of columns"),
    "Scans, segments, keys": ("inclusive_scan", "segmented_sum", "sum_by_key"),
    "Matrices times vectors, triangular systems": ("gemv", "trsv", "symv", "ger"),
    "Products of matrices": ("gemm", "trsm", "trmm", "syrk", "symm"),
    "Sparse matrices": ("spmv",),
    "Scattered additions": ("scatter-add", "assembly", "forces", "histogram"),
    "Inside kernels, in hostile environments": ("team_", "hostile"),
    "Others": ("",),
}


def benchmarks_of(path):
    """What was measured, without the means and deviations that --benchmark_repetitions adds."""
    try:
        with open(path) as file:
            cases = json.load(file)["benchmarks"]
        once = [case for case in cases if case.get("run_type") != "aggregate"]
        measured = [(case["name"].split("/iterations")[0], case) for case in once]
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        sys.exit(f"table.py: {path} is not what --benchmark_out writes: {error}")
    if not measured:
        sys.exit(f"table.py: {path} holds no measurements")
    return measured


def failure_of(label, speeds, case):
    """Why a case cannot stand in a table, or nothing."""
    if case.get("error_occurred"):
        return case.get("error_message", "failed")
    for way, speed in {label: None, **speeds}.items():
        if not (isinstance(speed, (int, float)) and 0 < speed < math.inf):
            return f"the speed of {way!r} is {speed}"
    return ""


def cases_of(path):
    """{name: (Exakt's way, {way: entries per second})}, and a line for each case that failed."""
    cases, failures = {}, []
    for name, case in benchmarks_of(path):
        label = case.get("label", "")
        speeds = {key.removeprefix("speed_"): value for key, value in case.items() if key.startswith("speed_")}
        failure = failure_of(label, speeds, case)
        if failure:
            failures.append(f"table.py: {path}: {name}: {failure}")
        else:
            cases[name] = (label, speeds)
    return cases, failures


def times_of(ours, speeds, ways):
    """How long we take in times of the fastest one of these ways, and its name."""
    there = [way for way in ways if way in speeds]
    if not there:
        return ""
    best = max(there, key=speeds.get)
    return f"{speeds[best] / ours:.2f} {ABBREVIATIONS.get(best, best)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", metavar="NAME=FILE", help="what --benchmark_out wrote, under the name of its columns")
    runs, failures = [], []
    for run in parser.parse_args().runs:
        name, separator, path = run.partition("=")
        if not separator:
            parser.error(f"{run!r} is not NAME=FILE")
        cases, failed = cases_of(path)
        runs.append((name, cases))
        failures += failed
    names = list(dict.fromkeys(name for _, cases in runs for name in cases))
    columns = "| case | Gelem/s |" + "".join(f" {name}, of Kokkos | of the fastest |" for name, _ in runs)
    tables = {heading: [f"## {heading}\n", columns, "|---|---:|" + "---:|---:|" * len(runs)] for heading in SECTIONS}
    for name in names:
        cells, speed = [], ""
        for _, cases in runs:
            label, speeds = cases.get(name, ("", {}))
            ours = speeds.get(label)
            speed = speed or (f"{ours / 1e9:.2f}" if ours else "")
            cells += [times_of(ours, speeds, ways) for ways in (KOKKOS, KOKKOS + OTHERS)]
        if any(cells):
            heading = next(heading for heading, beginnings in SECTIONS.items() if name.startswith(beginnings))
            tables[heading].append(f"| {name} | {speed} | " + " | ".join(cells) + " |")
    print("\n\n".join("\n".join(lines) for lines in tables.values() if len(lines) > 3))
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
