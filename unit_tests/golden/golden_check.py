#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the golden set without the library and without floating-point operations.

usage: golden_check.py [--all] DIRECTORY

Makes the inputs of each line as README.md says, computes the exact result with integers, rounds it, and compares the
bits. Products of more than 5000 terms in all are left out without --all.
"""

import math
import os
import sys

sys.dont_write_bytecode = True

from golden_exact import DOWN, GRID, NEAREST, UP, Sum, finish, parts_of, rounded, special_word, text  # noqa: E402
from golden_inputs import F32, F64, MASK, TYPES, indices, keys, offsets, pair, pattern, places, product, triangle, vector  # noqa: E402

# ---- the verbs -----------------------------------------------------------------------------------------------------

def all_modes(formats, total, **how):
    words = [text(f, finish(f, total, mode, **how)) for f in formats for mode in range(4)]
    return " ".join(words)


def many(f, words):
    if len(words) <= 8:
        return " ".join(text(f, word) for word in words) or "none"
    value = 0xCBF29CE484222325
    for word in words:
        for byte in word.to_bytes(f.width // 8, "little"):
            value = (value ^ byte) * 0x100000001B3 & MASK
    return "#%d:%016x" % (len(words), value)


def check_reduction(verb, kind, family, seed, sizes):
    f, n = TYPES[kind][0], sizes[0]
    total = Sum()
    for word in vector(f, family, seed, n):
        if verb == "nrm1":
            word &= f.sign - 1
        x = parts_of(f, word)
        total.add(x, x) if verb.startswith("nrm2") else total.add(x)
    if verb == "mean":
        if n == 0:
            return " ".join(["nan"] * 4)
        return all_modes([f], total, divisor=n)
    return all_modes([F64, F32] if verb == "sum" and f is F64 else [f], total, root=verb == "nrm2")


def entry(f, g, row, column):
    """Real and imaginary part of the sum of row[l] * column[l]."""
    real, imaginary = Sum(), Sum()
    for a, b in zip(row, column):
        real.add(a[0], b[0])
        if len(a) == 2:
            real.add(a[1], b[1], negated=True)
            imaginary.add(a[0], b[1]).add(a[1], b[0])
    return real, imaginary


def check_dot(verb, kind, family, seed, sizes):
    f, g, parts = TYPES[kind]
    a, b, _ = product(f, g, parts, family, seed, 1, 1, sizes[0])
    real, imaginary = entry(f, g, [[parts_of(f, w) for w in e] for e in a[0]], [[parts_of(g, w) for w in e[0]] for e in b])
    if parts == 2:
        return text(f, finish(f, real)) + " " + text(f, finish(f, imaginary))
    return all_modes([F64, F32] if f is F64 else [f], real)


def combined(f, terms):
    """The sum of factor * total over all terms, rounded: three numbers are multiplied, on a finer grid."""
    value, specials = 0, Sum()
    for (p, e), total in terms:
        special = total.special()
        if special:
            specials.add((p, 0), (special, 0))
        else:
            value += p * total.value << e + 1074
    special = specials.special()
    return special_word(f, special) if special else rounded(f, value, grid=GRID + 1074)


def check_axpby(verb, kind, family, seed, sizes, alpha, beta):
    f = TYPES[kind][0]
    alpha, beta = parts_of(f, alpha[0]), parts_of(f, beta[0])
    words = []
    for x, y in zip(*pair(f, family, seed, sizes[0])):
        total = Sum()
        for factor, number in (alpha, x), (beta, y):
            if factor[0] != 0:
                total.add(factor, parts_of(f, number))
        words.append(finish(f, total))
    return many(f, words)


def expression(f, parts, scaled_sums, old):
    """The sum of factor * sum, and of factor * number: bits of each part. A factor of zero: not read."""
    terms = [[], []]
    for factor, (real, imaginary), conjugated in scaled_sums + [(old[0], [Sum().add(x) for x in (old[1] + [(0, 0)])[:2]], 1)]:
        if all(part[0] == 0 for part in factor):
            continue
        terms[0].append((factor[0], real))
        if parts == 2:
            (p, d), (q, e) = factor
            terms[0].append(((-q, e), imaginary))
            terms[1] += [((conjugated * q, e), real), ((conjugated * p, d), imaginary)]
    return [combined(f, terms[part]) for part in range(parts)]


def conjugate(entry):
    return [entry[0]] + [(-m, e) for m, e in entry[1:]]


def shape(verb, sizes):
    """m, n, k of alpha op(A) op(B) + beta C."""
    if verb in ("gemm", "spmv"):
        return sizes
    if verb in ("gemv", "gbmv"):
        return sizes[0], 1, sizes[1]
    if verb in ("symv", "hemv", "trmv"):
        return sizes[0], 1, sizes[0]
    if verb in ("symm", "hemm", "trmm"):
        return sizes[0], sizes[1], sizes[0]
    return (sizes[0], sizes[1], 1) if verb == "ger" else (sizes[0], sizes[0], sizes[1])


def check_matrix(verb, kind, family, seed, sizes, *options):
    f, g, parts = TYPES[kind]
    m, n, k = shape(verb, sizes)
    a, b, c = product(f, g, parts, family, seed, m, n, k)
    a = [[[parts_of(f, w) for w in e] for e in row] for row in a]
    b = [[[parts_of(g, w) for w in e] for e in row] for row in b]
    c = [[[parts_of(f, w) for w in e] for e in row] for row in c]
    factors = [[parts_of(f, w) for w in o] for o in options if type(o) is not str]
    one, zero = [(1, 0), (0, 0)][:parts], [(0, 0)] * parts
    alpha, beta = factors[0] if factors else one, factors[1] if len(factors) > 1 else one if verb == "ger" else zero
    hermitian = verb in ("hemv", "hemm", "herk", "her2k")
    stored = pattern(seed, m, k) if verb == "spmv" else None

    def a_entry(i, l):
        """An entry of op(A), None where there is none."""
        if verb in ("symv", "hemv", "trmv") and abs(i - l) > sizes[1]:
            return None
        if verb in ("symv", "hemv", "symm", "hemm"):
            entry = a[max(i, l)][min(i, l)]
            if hermitian and i == l:
                return [entry[0], (0, 0)]
            return conjugate(entry) if hermitian and l > i else entry
        if verb in ("trmv", "trmm"):
            return None if l > i else one if l == i and "unit" in options else a[i][l]
        if verb == "gbmv" and (i - l > sizes[2] or l - i > sizes[3]) or verb == "spmv" and not stored[i][l]:
            return None
        return a[i][l]

    def b_entry(l, j):
        if verb == "syrk":
            return a[j][l]
        return conjugate(a[j][l]) if verb == "herk" else b[l][j]

    rows = [[a_entry(i, l) for l in range(k)] for i in range(m)]
    columns = [[b_entry(l, j) for l in range(k)] for j in range(n)]

    def total(i, j):
        terms = [(x, y) for x, y in zip(rows[i], columns[j]) if x is not None]
        return entry(f, g, [x for x, _ in terms], [y for _, y in terms])

    words = []
    twofold, triangular = verb in ("syr2k", "her2k"), verb in ("syrk", "herk", "syr2k", "her2k")
    for i in range(m):
        for j in range(i + 1 if triangular else n):
            sums = [(alpha, total(i, j), 1)]
            if twofold:
                sums.append((alpha, total(j, i), -1 if hermitian else 1))
            old = [c[i][j][0], (0, 0)] if triangular and hermitian and i == j else c[i][j]
            words += expression(f, parts, sums, (beta, old))
    return many(f, words)


def quotient(f, total, divisor):
    """Of a real sum and a number."""
    p, e = divisor
    special = total.special()
    if p == 0:  # without a sign, for a -0 does not occur here
        special = special or ("nan" if total.value == 0 else "inf" if total.value > 0 else "-inf")
    elif special and special != "nan" and p < 0:
        special = "inf" if special == "-inf" else "-inf"
    return special_word(f, special) if special else rounded(f, total.value, p, GRID + e)


def complex_quotient(f, real, imaginary, divisor):
    (p, d), (q, e) = divisor
    if p == q == 0 or real.special() or imaginary.special():
        return [f.nan, f.nan]
    # On one grid: both parts times 2^-low.
    low = min(d, e)
    p, q = p << d - low, q << e - low
    x, y, norm = real.value, imaginary.value, p * p + q * q
    return [rounded(f, part, norm, GRID + low) for part in (x * p + y * q, y * p - x * q)]


def check_triangle(verb, kind, family, seed, sizes, diagonal, alpha=None):
    f, _, parts = TYPES[kind]
    n, columns = sizes[0], sizes[1] if verb.endswith("trsm") else 1
    unit = diagonal == "unit"
    one = [(1, 0), (0, 0)][:parts]
    alpha = [parts_of(f, word) for word in alpha] if alpha else one
    a, b = triangle(f, parts, family, seed, n, columns, unit)
    a = [[[parts_of(f, word) for word in e] for e in row] for row in a]
    x = [[0] * columns for _ in range(n)]
    for j in range(columns):
        known = []
        for i in range(n):
            right = [parts_of(f, word) for word in b[i][j]]
            reads_b = any(part[0] != 0 for part in alpha)
            minus = [[negated(part) for part in unknown] for unknown in known]
            left = [alpha] * reads_b + a[i][:i]
            real, imaginary = entry(f, f, left, [right] * reads_b + minus)
            divisor = one if unit else a[i][i]
            if parts == 1:
                x[i][j] = [quotient(f, real, divisor[0])]
            elif unit:
                x[i][j] = [finish(f, real), finish(f, imaginary)]
            else:
                x[i][j] = complex_quotient(f, real, imaginary, divisor)
            known.append([parts_of(f, word) for word in x[i][j]])
    return many(f, [word for row in x for e in row for word in e])


def negated(x):
    p, e = x
    return ({"inf": "-inf", "-inf": "inf"}.get(p, p) if type(p) is str else -p), e


def check_scatter(verb, kind, family, seed, sizes):
    f = TYPES[kind][0]
    n, bins = sizes
    sums = [Sum() for _ in range(bins)]
    if verb == "scatter":
        terms = [(parts_of(f, w), (1, 0)) for w in vector(f, family, seed, n)]
    else:
        a, b, _ = product(f, f, 1, family, seed, 1, 1, n)
        terms = [(parts_of(f, x[0]), parts_of(f, y[0][0])) for x, y in zip(a[0], b)]
    for (x, y), i in zip(terms, indices(seed, n, bins)):
        sums[i].add(x, y)
    return many(f, [finish(f, total) for total in sums])


def totals(f, words, groups, count):
    """The sums of the numbers of each group."""
    sums = [Sum() for _ in range(count)]
    for word, group in zip(words, groups):
        if group is not None:
            sums[group].add(parts_of(f, word))
    return sums


def check_scan(verb, kind, family, seed, sizes):
    f = TYPES[kind][0]
    total, words = Sum(), [0]
    for word in vector(f, family, seed, sizes[0]):
        words.append(finish(f, total.add(parts_of(f, word))))
    return many(f, words[1:] if verb == "inclusive_scan" else words[:-1])


def check_segments(verb, kind, family, seed, sizes):
    f, (n, segments) = TYPES[kind][0], sizes
    x, ends = vector(f, family, seed, n), offsets(seed, n, segments)
    words = []
    for begin, end in zip(ends, ends[1:]):
        words.append(finish(f, totals(f, x[begin:end], [0] * n, 1)[0]))
    return many(f, words)


def check_keys(verb, kind, family, seed, sizes):
    f, (n, count) = TYPES[kind][0], sizes
    of_terms = keys(seed, n, count)
    numbers = {key: i for i, key in enumerate(sorted(set(of_terms)))}
    sums = totals(f, vector(f, family, seed, n), [numbers[key] for key in of_terms], len(numbers))
    return many(f, [finish(f, total) for total in sums])


def check_histogram(verb, kind, family, seed, sizes):
    f, (n, bins) = TYPES[kind][0], sizes
    x, edges = places(seed, n, bins)

    def bin_of(number):
        if number is None or not edges[0] <= number <= edges[-1]:
            return None
        return min(sum(edge <= number for edge in edges), bins) - 1

    sums = totals(f, vector(f, family, seed, n), [bin_of(number) for number in x], bins)
    return many(f, [finish(f, total, mode) for mode in range(4) for total in sums])


def check_moments(verb, kind, family, seed, sizes):
    f, n = TYPES[kind][0], sizes[0]
    if verb in ("variance", "stddev"):
        x = y = vector(f, family, seed, n)
    else:
        x, y = pair(f, family, seed, n)
    x, y = [parts_of(f, word) for word in x], [parts_of(f, word) for word in y]
    undefined = " ".join(["nan"] * 4)
    if any(type(p) is str for p, _ in x + y):
        return undefined
    sums = [sum(p << e + 1074 for p, e in z) for z in (x, y)]

    def moment(z, w, i, j):
        """n times the sum of products, less the product of the sums: on the grid."""
        return n * sum(p * q << d + e + GRID for (p, d), (q, e) in zip(z, w)) - sums[i] * sums[j]

    both = moment(x, y, 0, 1)
    if verb == "correlation":
        product_of_variances = moment(x, x, 0, 0) * moment(y, y, 1, 1)
        if product_of_variances == 0:
            return undefined
        words = []
        for mode in range(4):
            if both == 0:
                words.append(rounded(f, 0, mode=mode))
                continue
            mirrored = {UP: DOWN, DOWN: UP}.get(mode, mode) if both < 0 else mode
            root = rounded(f, both * both, product_of_variances, 0, mirrored, root=True)
            words.append(root | (f.sign if both < 0 else 0))
        return many(f, words)
    if n <= sizes[1]:
        return undefined
    divisor = n * (n - sizes[1])
    return many(f, [rounded(f, both, divisor, GRID, mode, root=verb == "stddev") for mode in range(4)])


VERBS = {
    "sum": check_reduction,
    "nrm1": check_reduction,
    "nrm2": check_reduction,
    "nrm2_squared": check_reduction,
    "mean": check_reduction,
    "dot": check_dot,
    "axpby": check_axpby,
    "gemv": check_matrix,
    "gemm": check_matrix,
    "trsv": check_triangle,
    "trsm": check_triangle,
    "scatter": check_scatter,
    "scatter_product": check_scatter,
    "inclusive_scan": check_scan,
    "exclusive_scan": check_scan,
    "segmented_sum": check_segments,
    "sum_by_key": check_keys,
    "histogram": check_histogram,
    "variance": check_moments,
    "stddev": check_moments,
    "covariance": check_moments,
    "correlation": check_moments,
    "spmv": check_matrix,
    "gbmv": check_matrix,
    "symv": check_matrix,
    "hemv": check_matrix,
    "symm": check_matrix,
    "hemm": check_matrix,
    "trmv": check_matrix,
    "trmm": check_matrix,
    "syrk": check_matrix,
    "herk": check_matrix,
    "syr2k": check_matrix,
    "her2k": check_matrix,
    "ger": check_matrix,
    "ztrsv": check_triangle,
    "ztrsm": check_triangle,
}


def work(verb, sizes):
    """About how many products a line takes."""
    if VERBS[verb] is check_triangle:
        return sizes[0] * math.prod(sizes if len(sizes) > 1 else sizes * 2)
    if VERBS[verb] is check_matrix:
        return math.prod(shape(verb, sizes))
    return sizes[0]


def check_line(verb, line, everything):
    head, result = line.split(" -> ")
    name, kind, family, seed, sizes, *options = head.split(" ")
    if name != verb:
        raise ValueError("a case of " + name)
    sizes = [int(size) for size in sizes.split("x")]
    if work(verb, sizes) > 5000 and not everything:
        return None
    options = [o if o in ("unit", "nonunit") else [int(part, 16) for part in o.split(",")] for o in options]
    computed = VERBS[verb](verb, kind, family, int(seed), sizes, *options)
    return computed == result or computed


def main():
    arguments = [a for a in sys.argv[1:] if a != "--all"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    differences = checked = left_out = 0
    for verb in VERBS:
        path = os.path.join(arguments[0], verb + ".txt")
        try:
            with open(path) as file:
                header, *lines = file.read().splitlines() or [""]
        except OSError as error:
            sys.exit(str(error))
        if header != "exakt-golden 1 %s %d" % (verb, len(lines)) or not lines:
            sys.exit("%s:1: %d cases, but the header says %r" % (path, len(lines), header))
        for number, line in enumerate(lines, 2):
            try:
                outcome = check_line(verb, line, "--all" in sys.argv)
            except (ValueError, KeyError, TypeError) as error:
                sys.exit("%s:%d: %r" % (path, number, error))
            if outcome is None:
                left_out += 1
                continue
            checked += 1
            if outcome is not True:
                differences += 1
                print("%s:%d: computed %s of %s" % (path, number, outcome, line))
    print("%d results computed with integers, %d left out as too long, %d differences" % (checked, left_out, differences))
    sys.exit(differences != 0)


main()
