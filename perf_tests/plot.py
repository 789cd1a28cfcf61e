#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the figures of perf_figures: throughput and the time of a call against size, throughput against dynamic range.

    perf_figures --rounds=5 --benchmark_out=figures.json
    plot.py figures.json --output docs

and of perf_gemv, perf_trsv, perf_gemm, perf_gemm_engines, perf_scatter_sum, perf_fixed_point and perf_device
(likewise), the histograms that perf_orders --out=orders.json writes, and the scaling that perf_mpi --out=ranks.json measures.

Needs matplotlib 3.6 or newer (Debian: python3-matplotlib).
"""

import argparse
import json
import math
import pathlib
import sys

try:
    import matplotlib
except ModuleNotFoundError:
    sys.exit("plot.py: matplotlib is missing (Debian: python3-matplotlib)")

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import EngFormatter, FuncFormatter, LogLocator
from PIL import Image

# Colours that remain distinct for colour-blind readers (Okabe and Ito).
BLUE, ORANGE, GREEN, PINK, VERMILION = "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00"
BLACK, GREY, LIGHT_GREY = "#000000", "#767676", "#b5b5b5"

EMPHASIZED = dict(color=VERMILION, linewidth=3, zorder=10)
EXPANSION = dict(color=LIGHT_GREY, linewidth=0.9, zorder=2)

# The ways in a figure: their names in the measurements, labels, and looks.
WAYS = {
    "Exakt::sum": ("Exakt::sum", EMPHASIZED),
    "Exakt::dot": ("Exakt::dot", EMPHASIZED),
    "Exakt::nrm2": ("Exakt::nrm2", EMPHASIZED),
    "Exakt::gemv": ("Exakt::gemv", EMPHASIZED),
    "Exakt::trsv": ("Exakt::trsv", EMPHASIZED),
    "Exakt::gemm": ("Exakt::gemm", EMPHASIZED),
    "modular": ("modular engine", dict(color=BLUE, linewidth=1.6)),
    "direct": ("direct engine", dict(color=ORANGE, linewidth=1.6)),
    "modular_doubles": ("residues by a BLAS", dict(color=GREEN, linewidth=1.4)),
    "plain": ("plain parallel_reduce", dict(color=BLACK, linestyle="--", linewidth=1.6)),
    "vectorized": ("plain, vectorized by hand", dict(color=BLACK, linestyle=":", linewidth=1.6)),
    "OpenBLAS": ("OpenBLAS", dict(color=PINK, linewidth=1.4)),
    "KokkosKernels": ("Kokkos Kernels", dict(color=GREEN, linestyle="-.", linewidth=1.4)),
    "oneTBB": ("oneTBB deterministic", dict(color=PINK, linestyle="-.", linewidth=1.4)),
    "Extraction": ("accumulator, folds", dict(color=BLUE, linewidth=1.8)),
    "LongAccumulator": ("long accumulator only", dict(color=GREY, linestyle=(0, (5, 1, 1, 1)), linewidth=1.4)),
    "Expansion<8>, early exit": ("expansion of 8, early exit", dict(color=ORANGE, linewidth=1.6)),
    "CUB": ("CUB", dict(color=BLUE, linewidth=1.4)),
    "cuBLAS": ("cuBLAS", dict(color=PINK, linewidth=1.4)),
    "MPFR": ("mpfr_sum", dict(color=GREY, linestyle=(0, (1, 1)), linewidth=1.4)),
    "Exakt::dot, ones": ("Exakt::dot with ones", dict(color=BLUE, linewidth=1.8)),
    "Exakt::transform_sum": ("Exakt::transform_sum", dict(color=GREEN, linewidth=1.8)),
    "ExactSum": ("parallel_reduce, ExactSum", dict(color=ORANGE, linewidth=1.8)),
    "uniform": ("uniform in (-1, 1)", dict(color=BLACK, linewidth=1.8)),
    "normal": ("normal", dict(color=BLUE, linewidth=1.8)),
    "ties": ("integers, many ties", dict(color=ORANGE, linewidth=1.8)),
    "narrow": ("floats held in doubles", dict(color=GREEN, linewidth=1.8)),
    "cancelling": ("cancelling", dict(color=VERMILION, linewidth=1.8)),
}
WAYS |= {
    "ScatterSum": ("ScatterSum", EMPHASIZED),
    "ScatterCache": ("through a ScatterCache", dict(color=BLUE, linewidth=1.8)),
    "ScatterSum, bounded, radix 8": ("bounded range, radix 8", dict(color=ORANGE, linewidth=1.6)),
    "ScatterSum, bounded": ("bounded range", dict(color=ORANGE, linestyle=":", linewidth=1.4)),
    "atomic_add": ("Kokkos::atomic_add", dict(color=BLACK, linestyle="--", linewidth=1.6)),
    "ordered": ("ordered_scatter_add", dict(color=PINK, linewidth=1.4)),
    "one plain loop": ("one plain loop", dict(color=GREY, linestyle="--", linewidth=1.4)),
    "SumAccumulator": ("SumAccumulator", EMPHASIZED),
    "HighPrecision<8, 4>": ("HighPrecision<8, 4>", dict(color=BLUE, linewidth=1.8)),
    "HighPrecision<8, 4>, converted": ("the paper's way", dict(color=BLUE, linestyle=":", linewidth=1.4)),
    "Hallberg": ("Hallberg", dict(color=GREEN, linewidth=1.8)),
    "Hallberg, converted": ("the paper's way", dict(color=GREEN, linestyle=":", linewidth=1.4)),
    "Binned": ("Binned<double, 3>", dict(color=ORANGE, linewidth=1.4)),
    "Neumaier": ("Neumaier", dict(color=GREY, linestyle=(0, (5, 1, 1, 1)), linewidth=1.4)),
    "two passes": ("two-pass reproducible", dict(color=GREY, linestyle=(0, (1, 1)), linewidth=1.4)),
}
EXPANSIONS = {f"Expansion<{p}>": p for p in range(2, 9)}

# What the files must hold beside the measurements.
CONTEXT = ("threads", "processor", "compiler", "kokkos")
RANKS = ("scaling", "microseconds", "threads", "library")


# What the ordinate of a figure says of a case: {line: height}.
def speeds(case):
    return {key.removeprefix("speed_"): 1e-9 * speed for key, speed in case.items() if key.startswith("speed_")}


def seconds(case):
    return {way: 1e-9 * case["n"] / speed for way, speed in speeds(case).items()}


def times_of_dgemm(case):
    """A line for each kind of data, of which the case's name tells."""
    return {case["name"].split(", ")[1]: 1 / case["vs_OpenBLAS"]} if "vs_OpenBLAS" in case else {}


# File name: the group of cases, title, label of the abscissa, whether the abscissa counts decades, what is counted; what the
# ordinate says if that is not a speed.
FIGURES = {
    "sum_against_n": ("sum against n", "Sum of n doubles of one exponent", "n", False),
    "sum_against_range": ("sum against range", "Sum of 2 000 000 doubles", "dynamic range (log-uniform)", True),
    "scatter_against_addresses": (
        "scatter-add of doubles against addresses",
        "Additions of 1 000 000 doubles to random addresses",
        "addresses",
        False,
        "additions",
    ),
    "scatter_against_addresses_sorted": (
        "scatter-add of doubles, sorted, against addresses",
        "Additions of 1 000 000 doubles, sorted by address",
        "addresses",
        False,
        "additions",
    ),
    "fixed_point_against_n": ("fixed point against n", "Sum of n doubles of 100 decades", "n", False),
    "dot_against_n": ("dot against n", "Dot product of two vectors of n doubles", "n", False),
    "gemv_against_n": ("gemv against n", "n x n matrix times vector, doubles", "n", False),
    "trsv_against_n": ("trsv against n", "Triangular system of n unknowns, doubles", "n", False),
    "gemm_against_n": ("gemm against n", "Product of n x n matrices of doubles", "n", False, "products"),
    "gemm_engines_against_n": ("gemm engines against n", "Product of n x n matrices, uniform", "n", False, "products"),
    "device_sum_against_n": ("device sum against n", "Sum of n doubles on a device", "n", False),
    "device_sum_against_range": ("device sum against range", "Sum of 2^28 doubles on a device", "dynamic range (log-uniform)", True),
    "device_dot_against_range": ("device dot against range", "Dot product of 2^28 doubles on a device", "dynamic range (log-uniform)", True),
    "device_nrm2_against_range": ("device nrm2 against range", "Euclidean norm of 2^28 doubles on a device", "dynamic range (log-uniform)", True),
    "device_gemv_against_n": ("device gemv against n", "n x n matrix times vector, doubles, on a device", "n", False),
    "device_trsv_against_n": ("device trsv against n", "Triangular system of n unknowns, doubles, on a device", "n", False),
    "device_gemm_against_n": (
        "device gemm against n",
        "Product of n x n matrices of doubles on a device",
        "n",
        False,
        "products",
    ),
    "device_scatter_against_addresses": (
        "device scatter-add against addresses",
        "Additions of 2^24 doubles on a device",
        "addresses",
        False,
        "additions",
    ),
    "sum_from_1": ("sum from 1 on", "Sum of n doubles", "n", False, None, seconds),
    "dot_from_1": ("dot from 1 on", "Dot product of two vectors of n doubles", "n", False, None, seconds),
    "nrm2_from_1": ("nrm2 from 1 on", "Euclidean norm of n doubles", "n", False, None, seconds),
    "verbs_against_range": ("verbs against range", "The same sum of 2 000 000 doubles, by several verbs", "dynamic range (log-uniform)", True),
    "gemm_of_kinds": ("gemm of kinds", "Exakt::gemm of n x n matrices", "n", False, None, times_of_dgemm),
    "gemm_engines_cancelling": ("gemm engines, cancelling", "Product of n x n matrices, cancelling", "n", False, "products"),
}


def series_of(measurements, group, ordinate):
    """The points of each line."""
    series = {}
    for case in measurements["benchmarks"]:
        if not case["name"].startswith(group + ","):
            continue
        if case.get("error_occurred"):
            sys.exit(f"plot.py: {case['name']}: {case.get('error_message')}")
        for key, value in case.items():
            if key.startswith(("speed_", "vs_")) and not value > 0:
                sys.exit(f"plot.py: {case['name']}: {key} is {value}")
        for line, height in ordinate(case).items():
            series.setdefault(line, []).append((case["abscissa"], height))
    return {line: sorted(points) for line, points in series.items()}


def spread(heights, gap):
    """Heights of labels: near the wanted ones, in their order, at least a gap apart."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    clusters = []  # [sum of wanted heights of the cluster's first label, indices]
    for i in order:
        clusters.append([heights[i], [i]])
        while len(clusters) > 1:
            (low, below), (high, above) = clusters[-2:]
            if high - low >= gap * len(below):
                break
            members = below + above
            first = sum(heights[m] - gap * k for k, m in enumerate(members)) / len(members)
            clusters[-2:] = [[first, members]]
    result = [0.0] * len(heights)
    for first, members in clusters:
        for k, m in enumerate(members):
            result[m] = first + gap * k
    return result


def label_ends(axes, ends):
    """Writes each label in its line's colour: to the right of the figure, or where the line ends before."""
    to_axes = axes.transData + axes.transAxes.inverted()
    look = dict(fontsize=9.5, va="center", annotation_clip=False)
    for end in ends:
        end["x"], end["y"] = to_axes.transform(end["point"])
    at_the_edge = [end for end in ends if end["x"] > 0.999]
    for end, height in zip(at_the_edge, spread([end["y"] for end in at_the_edge], gap=0.047)):
        leader = dict(arrowstyle="-", color=end["color"], linewidth=0.6, shrinkA=2, shrinkB=0, relpos=(0, 0.5))
        axes.annotate(
            end["label"],
            xy=(end["x"], end["y"]),
            xytext=(1.035, height),
            xycoords="axes fraction",
            textcoords="axes fraction",
            color=end["color"],
            fontweight=end["weight"],
            arrowprops=leader,
            **look,
        )
    for end in ends:
        if end not in at_the_edge:
            where = dict(xy=end["point"], xytext=(5, 0), textcoords="offset points")
            axes.annotate(end["label"], color=end["color"], fontweight=end["weight"], **where, **look)


def label_heights(axes):
    """Numbers at powers of ten, and between them where these are few."""
    low, high = axes.get_ylim()
    between = (2, 3, 5) if high / low < 30 else (2, 5) if high / low < 100 else ()
    digit = lambda value: round(value / 10 ** math.floor(math.log10(value) + 1e-9))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(FuncFormatter(lambda value, _: f"{value:g}" if digit(value) in between else ""))


def draw(measurements, group, title, abscissa, in_decades, counted="entries", ordinate=speeds):
    """One figure, or None if there is nothing to draw."""
    series = series_of(measurements, group, ordinate)
    if not series:
        return None
    figure, axes = plt.subplots(figsize=(8.4, 4.9))
    figure.subplots_adjust(left=0.085, right=0.735, top=0.86, bottom=0.11)
    axes.set_yscale("log")
    if not in_decades:
        axes.set_xscale("log")

    ends = []
    for way, points in series.items():
        label, look = WAYS.get(way, (None, EXPANSION))
        xs, ys = zip(*points)
        axes.plot(xs, ys, **look)
        if label is not None:
            weight = "bold" if look is EMPHASIZED else "normal"
            ends.append(dict(label=label, point=(xs[-1], ys[-1]), color=look["color"], weight=weight))
    expansions = [way for way in series if way in EXPANSIONS]
    if expansions:
        middle = sorted(expansions, key=lambda way: series[way][-1][1])[len(expansions) // 2]
        sizes = sorted(EXPANSIONS[way] for way in expansions)
        label = f"expansions of {sizes[0]} to {sizes[-1]}"
        ends.append(dict(label=label, point=series[middle][-1], color="#8c8c8c", weight="normal"))

    axes.margins(x=0)
    if ordinate is seconds:
        axes.yaxis.set_major_locator(LogLocator(numticks=20))
        axes.yaxis.set_major_formatter(EngFormatter(unit="s"))
    else:
        label_heights(axes)
    if in_decades:
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: "1" if value == 0 else f"$10^{{{value:g}}}$"))
    else:
        at = sorted({x for points in series.values() for x, _ in points})
        if at[-1] < 1000 * at[0]:
            axes.set_xticks(at, [f"{x:g}" for x in at])
            axes.set_xticks([], minor=True)
    axes.set_xlabel(abscissa)
    axes.grid(True, which="major", color="#e3e3e3", linewidth=0.7)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    context = measurements["context"]
    threads = "1 thread" if context["threads"] == "1" else f"{context['threads']} threads"
    left = dict(x=0.012, ha="left")
    unit = {seconds: "time of a call", times_of_dgemm: "time in times of dgemm's"}.get(ordinate, f"billions of {counted} per second")
    figure.text(y=0.945, s=f"{title}: {unit}", fontsize=12, fontweight="bold", **left)
    where = f"{context['processor']}, {threads}"
    if group.startswith("device"):
        where = context.get("device", where)
    figure.text(
        y=0.9,
        s=f"{where}; {context['compiler']}; Kokkos {context['kokkos']}",
        fontsize=8.5,
        color=GREY,
        **left,
    )
    figure.canvas.draw()
    label_ends(axes, ends)
    return figure


def draw_orders(histograms):
    """How the sums of 1024 terms in random orders are distributed: a histogram for the plain sum, a line for the others."""
    figure, axes = plt.subplots(figsize=(8.4, 4.9))
    figure.subplots_adjust(left=0.085, right=0.97, top=0.82, bottom=0.11)
    spread_out = {way: counts for way, counts in histograms.items() if len(counts) > 1}
    same = [way for way, counts in histograms.items() if len(counts) == 1]
    largest = max((abs(float(value)) for counts in spread_out.values() for value in counts), default=0)
    if not 0 < largest < math.inf:
        sys.exit("plot.py: no way has sums of several finite values: there is nothing to draw")
    exponent = math.floor(math.log10(largest))
    for way, counts in spread_out.items():
        values, weights = zip(*((float(value) / 10**exponent, count) for value, count in counts.items()))
        axes.hist(values, bins=101, weights=weights, color=LIGHT_GREY, label=f"{way}: {len(counts)} values")
    axes.axvline(0, color=VERMILION, linewidth=2, label=f"one value: {', '.join(same)}")
    axes.set_xlabel(f"sum, in units of $10^{{{exponent}}}$; the exact one is 0")
    axes.legend(frameon=False, fontsize=8.5, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    orders = sum(next(iter(histograms.values())).values())
    title = f"Sums of 1024 terms in {orders} random orders: how many have which value"
    figure.text(x=0.012, ha="left", y=0.945, s=title, fontsize=12, fontweight="bold")
    return figure


def draw_ranks(measured):
    """Sums across ranks: the local part and the reduction, exact and plain, against the numbers on each rank."""
    rows = measured["microseconds"]
    figure, axes = plt.subplots(figsize=(8.4, 4.9))
    figure.subplots_adjust(left=0.085, right=0.735, top=0.86, bottom=0.11)
    axes.set_xscale("log")
    axes.set_yscale("log")
    lines = {
        "exact": ("Exakt::Mpi::sum", EMPHASIZED),
        "plain": ("plain sum", dict(color=BLACK, linestyle="--", linewidth=1.6)),
        "vectorized": ("vectorized by hand", dict(color=BLACK, linestyle=":", linewidth=1.6)),
        "words": ("its reduction: words", dict(color=BLUE, linewidth=1.8)),
        "accumulators": ("its reduction: accumulators", dict(color=GREEN, linewidth=1.4)),
        "plain reduction": ("reduction of doubles", dict(color=GREY, linestyle=(0, (1, 1)), linewidth=1.4)),
    }
    ends = []
    for key, (label, look) in lines.items():
        xs, ys = [row["n"] for row in rows], [row[key] for row in rows]
        axes.plot(xs, ys, **look)
        weight = "bold" if look is EMPHASIZED else "normal"
        ends.append(dict(label=label, point=(xs[-1], ys[-1]), color=look["color"], weight=weight))
    axes.margins(x=0)
    label_heights(axes)
    axes.set_xlabel("doubles per rank")
    axes.grid(True, which="major", color="#e3e3e3", linewidth=0.7)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    ranks, threads = measured["ranks"], measured["threads"]
    title = f"Sum across {ranks} ranks, {measured['scaling']} scaling: microseconds"
    figure.text(x=0.012, ha="left", y=0.945, s=title, fontsize=12, fontweight="bold")
    of_threads = "1 thread" if threads == 1 else f"{threads} threads"
    where = f"{of_threads} per rank; {measured['library']}"
    figure.text(x=0.012, ha="left", y=0.9, s=where, fontsize=8.5, color=GREY)
    figure.canvas.draw()
    label_ends(axes, ends)
    return figure


def save(figure, path):
    """Writes a picture of few colours, as these are: a third of the bytes."""
    if path.suffix == ".png":
        figure.set_dpi(110)
        figure.canvas.draw()
        picture = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())).convert("RGB")
        picture.quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)
    else:
        figure.savefig(path, facecolor="white")
    print(path)


def is_histogram(counts):
    return isinstance(counts, dict) and counts and all(isinstance(count, int) for count in counts.values())


def require_format(measurements, path):
    """Exits with a sentence if this is not what one of the programs writes."""
    if not isinstance(measurements, dict) or not measurements:
        sys.exit(f"plot.py: {path} holds no measurements")
    missing = []
    if "ranks" in measurements:
        missing = [key for key in RANKS if not measurements.get(key)]
    elif "benchmarks" in measurements:
        context = measurements.get("context", {})
        missing = [f"context: {key}" for key in CONTEXT if key not in context]
    elif not all(is_histogram(counts) for counts in measurements.values()):
        sys.exit(f"plot.py: {path} holds neither benchmarks nor histograms")
    if missing:
        sys.exit(f"plot.py: {path} lacks {', '.join(missing)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measurements", type=pathlib.Path, help="what perf_figures wrote with --benchmark_out")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("."), help="folder for the figures")
    parser.add_argument("--format", choices=("png", "svg"), default="png")
    options = parser.parse_args()

    try:
        measurements = json.loads(options.measurements.read_text())
    except (OSError, json.JSONDecodeError) as error:
        sys.exit(f"plot.py: {options.measurements}: {error}")
    require_format(measurements, options.measurements)
    options.output.mkdir(parents=True, exist_ok=True)
    if "ranks" in measurements:
        path = options.output / f"ranks_{measurements['scaling']}.{options.format}"
        save(draw_ranks(measurements), path)
        return
    if "benchmarks" not in measurements:
        path = options.output / f"sums_in_random_orders.{options.format}"
        save(draw_orders(measurements), path)
        return
    # --benchmark_repetitions adds means and deviations, which are no measurements.
    measurements["benchmarks"] = [case for case in measurements["benchmarks"] if case.get("run_type") != "aggregate"]
    drawn = 0
    for name, description in FIGURES.items():
        figure = draw(measurements, *description)
        if figure is not None:
            path = options.output / f"{name}.{options.format}"
            save(figure, path)
            drawn += 1
    if drawn == 0:
        sys.exit(f"plot.py: {options.measurements} holds no measurements of perf_figures")


if __name__ == "__main__":
    main()
