#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a table in Markdown from measurements side by side: a line for each case, two columns for each run.

    perf_all --benchmark_out=one.json
    OMP_NUM_THREADS=2 perf_all --benchmark_out=two.json
    table.py "1 thread=one.json" "2 threads=two.json"

The columns of a run say how long Exakt takes, in times of the plain Kokkos way and of the fastest plain way, whichever
that is: below 1 Exakt is faster. Cases that a run does not have are left empty there.
"""

import argparse
import json
import sys

KOKKOS = ("plain", "plain additions in place", "Kokkos::parallel_scan", "atomic_add", "KokkosKernels")
OTHERS = ("vectorized", "plain loop", "sorted, with plain sums", "OpenBLAS", "oneTBB", "CUB", "cuBLAS")
ABBREVIATIONS = {"vectorized": "loop", "KokkosKernels": "Kokkos Kernels"}


def cases_of(path):
    """{name: {way: entries per second}}, Exakt's way first."""
    try:
        with open(path) as file:
            benchmarks = json.load(file)["benchmarks"]
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"table.py: {path} is not what --benchmark_out writes: {error}")
    cases = {}
    for case in benchmarks:
        speeds = {key.removeprefix("speed_"): value for key, value in case.items() if key.startswith("speed_")}
        cases[case["name"].split("/iterations")[0]] = (case.get("label", ""), speeds)
    return cases


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
    runs = []
    for run in parser.parse_args().runs:
        name, separator, path = run.partition("=")
        if not separator:
            parser.error(f"{run!r} is not NAME=FILE")
        runs.append((name, cases_of(path)))
    names = list(dict.fromkeys(name for _, cases in runs for name in cases))
    print("| case | Gelem/s |" + "".join(f" {name}, of Kokkos | of the fastest |" for name, _ in runs))
    print("|---|---:|" + "---:|---:|" * len(runs))
    for name in names:
        cells, speed = [], ""
        for _, cases in runs:
            label, speeds = cases.get(name, ("", {}))
            ours = speeds.get(label)
            if not ours:
                cells += ["", ""]
                continue
            speed = speed or f"{ours / 1e9:.2f}"
            cells += [times_of(ours, speeds, KOKKOS), times_of(ours, speeds, KOKKOS + OTHERS)]
        print(f"| {name} | {speed} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
