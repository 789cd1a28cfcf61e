# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far plain sums of the same numbers scatter, in 1000 orders, around the exact one: in words, and as a picture.

    python3 spread_of_sums.py [PICTURE.svg [DATA]]

DATA is a text file of numbers; by default it is data that everybody has, the sizes of the modules of Python in kilobytes.
"""

import pathlib
import sys
import sysconfig

import numpy as np

import exakt

ORDERS, MOST_STEPS = 1000, 25
WIDTH, HEIGHT, LEFT, RIGHT, TOP = 760, 230, 30, 730, 50


def sizes_of_modules():
    folder = pathlib.Path(sysconfig.get_path("stdlib"))
    return np.array([path.stat().st_size for path in sorted(folder.glob("*/*.py"))]) / 1000


def sums_in_many_orders(x):
    """Term after term, as a loop adds them."""
    random = np.random.default_rng(0)
    return np.array([np.cumsum(random.permutation(x))[-1] for _ in range(ORDERS)])


def panel(top, dtype, sums, exact):
    """A histogram of the distances from the exact sum, which is the line in the middle."""
    distances = sums.astype(float) - float(exact)
    reach, spacing = np.abs(distances).max(), float(np.spacing(np.abs(exact)))
    # A bar for each number between the extreme sums, or for some neighbours together.
    steps = max(round(reach / spacing), 1)
    together = -(-steps // MOST_STEPS)
    steps = -(-steps // together)
    edge = (steps + 0.5) * together * spacing
    counts, edges = np.histogram(distances, 2 * steps + 1, (-edge, edge))
    scale = 120 / counts.max()
    place = np.interp(edges, (-edge, edge), (LEFT, RIGHT))
    base, middle = top + TOP + 125, (LEFT + RIGHT) / 2
    yield (f'<text x="{LEFT}" y="{top + 24}" font-size="16">{dtype}: {len(set(sums.tolist()))} different sums of '
           f"{ORDERS} orders, up to {reach:.3g} away</text>")
    for count, start, end in zip(counts, place, place[1:]):
        if count:
            yield (f'<rect x="{start + 1:.1f}" y="{base - count * scale:.1f}" width="{end - start - 2:.1f}" '
                   f'height="{count * scale:.1f}" fill="#7a9cc6"/>')
    yield f'<line x1="{LEFT}" y1="{base}" x2="{RIGHT}" y2="{base}" stroke="#555"/>'
    yield f'<line x1="{middle}" y1="{top + TOP - 12}" x2="{middle}" y2="{base + 6}" stroke="#c0392b" stroke-width="2"/>'
    for x, anchor, label in ((LEFT, "start", f"{-edge:.3g}"), (RIGHT, "end", f"+{edge:.3g}")):
        yield f'<text x="{x}" y="{base + 22}" font-size="13" text-anchor="{anchor}">{label}</text>'
    yield (f'<text x="{middle}" y="{base + 22}" font-size="13" text-anchor="middle" fill="#c0392b">'
           f"exakt.sum, in every order: {exact}</text>")


def main(picture=None, data=None):
    x = np.loadtxt(data) if data else sizes_of_modules()
    parts = []
    for k, dtype in enumerate((np.float32, np.float64)):
        narrow = x.astype(dtype)
        sums, exact = sums_in_many_orders(narrow), exakt.sum(narrow)
        assert all(exakt.sum(narrow[::step]) == exact for step in (1, -1))
        print(f"{dtype.__name__}: {len(set(sums.tolist()))} different plain sums, from {sums.min()!r} to {sums.max()!r}; "
              f"exact, in every order: {exact!r}")
        parts += panel(k * HEIGHT, dtype.__name__, sums, exact)
    if picture:
        lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {2 * HEIGHT}" width="{WIDTH}" '
                 'style="max-width:100%;height:auto" font-family="sans-serif">',
                 f'<rect width="{WIDTH}" height="{2 * HEIGHT}" fill="white"/>', *parts, "</svg>"]
        pathlib.Path(picture).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
