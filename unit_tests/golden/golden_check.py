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

MASK = (1 << 64) - 1
GRID = 2 * 1074  # every number and every product of two is an integer times 2^-GRID
NEAREST, ZERO, UP, DOWN = range(4)


class Format:
    def __init__(self, width, precision, min_exponent, max_exponent):
        self.width, self.precision = width, precision
        self.min_exponent, self.max_exponent = min_exponent, max_exponent
        self.lowest = min_exponent - precision + 1
        self.hidden = 1 << (precision - 1)
        self.sign = 1 << (width - 1)
        self.infinity = self.sign - self.hidden
        self.nan = self.infinity + self.hidden // 2


F64, F32 = Format(64, 53, -1022, 1023), Format(32, 24, -126, 127)
TYPES = {"f64": (F64, F64, 1), "f32": (F32, F32, 1), "c128": (F64, F64, 2), "f64f32": (F64, F32, 1)}


# ---- the generator: README.md, "Inputs" ----------------------------------------------------------------------------


def mixed(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


class Stream:
    def __init__(self, seed, number, f=None):
        self.state, self.f = mixed(64 * seed + number), f

    def draw(self):
        self.state = self.state + 0x9E3779B97F4A7C15 & MASK
        return mixed(self.state)

    def below(self, count):
        return self.draw() % count

    def permutation(self, n):
        p = list(range(n))
        for i in range(n, 1, -1):
            j = self.below(i)
            p[i - 1], p[j] = p[j], p[i - 1]
        return p

    def encoded(self, negative, m, e):
        f, sign = self.f, self.f.sign if negative else 0
        if e < f.min_exponent:
            return sign | m >> f.min_exponent - e
        return sign | (e - f.min_exponent) * f.hidden + m

    def number(self, low, high):
        f = self.f
        low, high = max(low, f.lowest), min(high, f.max_exponent)
        r = self.draw()
        return self.encoded(r >> 63, f.hidden + r % f.hidden, low + self.below(high - low + 1))

    def scaled(self, k, e):
        if k == 0:
            return 0
        bits = abs(k).bit_length()
        return self.encoded(k < 0, abs(k) << self.f.precision - bits, e + bits - 1)

    def integer(self, low, high, e):
        return self.scaled(low + self.below(high - low + 1), e)

    def fields(self, count):
        f, r = self.f, self.draw()
        return (f.sign if r >> 63 else 0) + self.below(count) * f.hidden + r % f.hidden

    def signed_infinity(self):
        return self.f.infinity + (self.f.sign if self.draw() >> 63 else 0)


ELEMENTS = {
    "binade": lambda s: s.number(0, 0),
    "decades10": lambda s: s.number(-17, 16),
    "decades60": lambda s: s.number(-100, 99),
    "decades600": lambda s: s.number(-1000, 999),
    "full": lambda s: s.fields(2 * s.f.max_exponent + 1),
    "subnormal": lambda s: s.fields(2),
    "integers": lambda s: s.integer(-100, 100, 0),
    "minus_zero": lambda s: s.f.sign,
    "tiny": lambda s: s.number(s.f.lowest, -537 if s.f.width == 64 else -74),
    "large": lambda s: s.number((s.f.max_exponent + 1) // 2, s.f.max_exponent),
    "huge": lambda s: s.number(s.f.max_exponent - 1, s.f.max_exponent),
}


def vector(f, family, seed, n):
    s, places = Stream(seed, 0, f), Stream(seed, 1)
    p, lowest = f.precision, f.lowest
    if family in ("cancel", "zero", "huge_cancel"):
        element = ELEMENTS["huge" if family == "huge_cancel" else "decades60"]
        rest = 0 if n == 0 else n % 2 if family == "zero" else 2 - n % 2
        x = []
        while len(x) + rest < n:
            x.append(element(s))
            x.append(x[-1] ^ f.sign)
        for _ in range(rest):
            x.append(0 if family == "zero" else s.number(-140, -130) if family == "cancel" else s.number(-17, 16))
        return [x[i] for i in places.permutation(n)]
    if family in ("ties", "near_ties"):
        x = [s.number(p - 1, p - 1) if i == 0 else s.integer(-8, 8, -1) for i in range(n)]
        if family == "near_ties" and n >= 2:
            x[-1] = s.integer(-1, 1, lowest)
        return [x[i] for i in places.permutation(n)]
    if family == "edge":
        sign = s.draw() >> 63
        x = [f.infinity - 1 + sign * f.sign, s.scaled(-1 if sign else 1, f.max_exponent - p)][:n]
        return x + [s.integer(-1, 1, lowest) for _ in range(2, n)]
    if family == "triples":
        k = (7 * (f.hidden // 16) + s.below(f.hidden // 16)) // 4 * 4 + 1
        x = [s.scaled(3 * k, -p), s.scaled(-4 * k, -p)][:n]
        return x + [s.integer(-1, 1, lowest) for _ in range(2, n)]
    if family == "squares":
        m = 0x4000000 + 2 * s.below(0x800000) if f.width == 64 else 2898 + 2 * s.below(512)
        x = [s.scaled(m, 0), s.scaled(1, -1), s.scaled(1, -1)][:n]
        return x + [s.integer(-1, 1, lowest if i == n - 1 else -1) for i in range(3, n)]
    element = ELEMENTS.get(family, ELEMENTS["decades10"])
    x = [element(s) for _ in range(n)]
    if n > 0 and family == "nan":
        x[places.below(n)] = f.nan
    if n > 0 and family == "infinity":
        infinity = s.signed_infinity()
        for _ in range(3):
            x[places.below(n)] = infinity
    if n > 0 and family == "infinities":
        x[0] = f.infinity
        x[-1] = f.infinity + f.sign
    return x


def pair(f, family, seed, n):
    s, t, places = Stream(seed, 0, f), Stream(seed, 1, f), Stream(seed, 3)
    x, y = [], []
    for _ in range(n):
        if family == "ties":
            x.append(s.number(0, 0))
            y.append(t.integer(-8, 8, -f.precision - 1))
        elif family == "near_ties":
            x.append(s.encoded(s.draw() >> 63, 2 * f.hidden - 2, -1))
            y.append(t.number(f.precision, f.precision))
        elif family == "cancel":
            x.append(s.number(-17, 16))
            y.append((x[-1] ^ f.sign) + t.below(3) - 1)
        else:
            element = ELEMENTS.get(family, ELEMENTS["decades10"])
            x.append(element(s))
            y.append(element(t))
    if n > 0 and family == "nan":
        x[places.below(n)] = f.nan
        y[places.below(n)] = f.nan
    if n > 0 and family == "infinity":
        x[places.below(n)] = s.signed_infinity()
        y[places.below(n)] = t.signed_infinity()
    if n > 0 and family == "infinities":
        i = places.below(n)
        x[i], y[i] = f.infinity, f.infinity + f.sign
    return x, y


def product(f, g, parts, family, seed, m, n, k):
    """op(A) as m rows of k entries, op(B) as k rows of n, C as m rows of n; an entry is a list of its parts."""
    s, t, u, places = Stream(seed, 0, f), Stream(seed, 1, g), Stream(seed, 2, f), Stream(seed, 3)
    ties, cancels = family in ("ties", "near_ties"), family in ("cancel", "zero", "large_cancel")
    element = ELEMENTS["large"] if family == "large_cancel" else ELEMENTS.get(family, ELEMENTS["decades10"])
    rest = k if not cancels or k == 0 else k % 2 if family == "zero" else 2 - k % 2
    paired = k - rest

    def a_entry(l):
        if ties and l == 0:
            return s.number(0, 0)
        return s.integer(-8, 8, 0) if ties or family == "multiples" else element(s)

    def b_entry(l):
        if family == "multiples":
            return t.number(0, 0)
        if ties and l == 0:
            return t.scaled(-1 if t.draw() >> 63 else 1, 0)
        if family == "near_ties" and l == k - 1:
            return t.integer(-1, 1, g.lowest)
        if ties:
            return t.integer(-3, 3, -f.precision)
        if cancels and l >= paired:
            if family == "zero":
                return 0
            if family == "cancel":
                return t.number(-80, -60)
            return t.number(-500, -480) if g.width == 64 else t.number(-70, -60)
        return element(t)

    def c_entry():
        if ties or family == "multiples":
            return u.number(0, 0)
        if family == "cancel":
            return u.number(-80, -60)
        return ELEMENTS.get(family, ELEMENTS["decades10"])(u)

    a, b = [], []
    for _ in range(m):
        a.append([])
        for l in range(k):
            a[-1].append(list(a[-1][-1]) if l < paired and l % 2 else [a_entry(l) for _ in range(parts)])
    for l in range(k):
        if l < paired and l % 2:
            b.append([[word ^ g.sign for word in entry] for entry in b[-1]])
        else:
            b.append([[b_entry(l) for _ in range(parts)] for _ in range(n)])
    c = [[[c_entry() for _ in range(parts)] for _ in range(n)] for _ in range(m)]
    if cancels:
        order = places.permutation(k)
        a = [[row[l] for l in order] for row in a]
        b = [b[l] for l in order]
    if m * n * k > 0:
        i, j, l, other = places.below(m), places.below(n), places.below(k), places.below(k)
        if family == "nan":
            a[i][l][0] = f.nan
        if family in ("infinity", "infinities", "zero_times_infinity"):
            a[i][l][0] = s.signed_infinity()
        if family == "infinities":
            b[other][j][0] = t.signed_infinity()
        if family == "zero_times_infinity":
            b[l][j][0] = 0
    return a, b, c


def triangle(f, family, seed, n, columns, unit):
    s, t, places = Stream(seed, 0, f), Stream(seed, 1, f), Stream(seed, 3)
    is_element = family.startswith("decades")
    a, b = [], []
    for i in range(n):
        a.append([])
        for j in range(i + 1):
            if family == "integers":
                a[i].append(s.integer(1, 9, 0) if i == j else s.integer(-3, 3, 0))
            elif family == "ties":
                a[i].append(s.scaled(1, 0) if i == j else s.integer(-1, 1, 0))
            elif is_element:
                a[i].append(ELEMENTS[family](s))
            elif family != "residual":
                a[i].append(s.number(8, 8) if i == j else s.number(-4, 3))
            elif i % 2 and i != j:
                a[i].append(s.scaled(1, 0) if unit and j == i - 1 else a[i - 1][j])
            else:
                a[i].append(s.number(0, 0))
    for i in range(n):
        if family == "residual" and i % 2:
            b.append(list(b[-1]))
        else:
            element = ELEMENTS[family] if is_element or family in ("integers", "subnormal") else None
            e = (f.precision - 1, f.precision - 1) if family == "ties" else (-4, 3)
            b.append([element(t) if element else t.number(*e) for _ in range(columns)])
    if n > 0 and columns > 0:
        i, j = places.below(n), places.below(columns)
        if family == "nan":
            b[i][j] = f.nan
        if family == "infinity":
            b[i][j] = t.signed_infinity()
        if family == "zero_diagonal" and not unit:
            a[i][i] = 0
    return a, b


# ---- exact values, and their rounding ------------------------------------------------------------------------------


def parts_of(f, word):
    """(integer, exponent), the number being integer * 2^exponent, or what it is instead: nan, inf, -inf."""
    field, fraction = (word & f.sign - 1) // f.hidden, word % f.hidden
    negative = word & f.sign
    if field == 2 * f.max_exponent + 1:
        return ("nan" if fraction else "-inf" if negative else "inf"), 0
    m = fraction + (f.hidden if field else 0)
    return (-m if negative else m), max(field, 1) - 1 + f.lowest


class Sum:
    """An exact sum of products, as an integer times 2^-GRID; the special values beside it."""

    def __init__(self):
        self.value, self.specials = 0, set()

    def add(self, x, y=(1, 0), negated=False):
        (p, d), (q, e) = x, y
        if type(p) is str or type(q) is str:
            self.add_special(p, q, negated)
        elif negated:
            self.value -= p * q << d + e + GRID
        else:
            self.value += p * q << d + e + GRID
        return self

    def add_special(self, p, q, negated):
        if "nan" in (p, q) or 0 in (p, q):
            self.specials.add("nan")
        else:
            negative = (p == "-inf" if type(p) is str else p < 0) != (q == "-inf" if type(q) is str else q < 0)
            self.specials.add("-inf" if negative != negated else "inf")

    def special(self):
        if len(self.specials) > 1:
            return "nan"
        return next(iter(self.specials), None)


def text(f, word):
    return "nan" if word == f.nan else "%0*x" % (f.width // 4, word)


def special_word(f, special):
    return f.nan if special == "nan" else f.infinity + (f.sign if special == "-inf" else 0)


def rounded(f, numerator, denominator=1, grid=GRID, mode=NEAREST, root=False):
    """numerator / denominator * 2^-grid, or its square root, which is not negative, rounded to bits."""
    if numerator == 0:
        return f.sign if mode == DOWN else 0
    negative = (numerator < 0) != (denominator < 0)
    n, d = abs(numerator), abs(denominator)
    # Scaled by 4^k to an integer q of two bits and more beyond the precision, and whether anything is left of it.
    e = n.bit_length() - d.bit_length() - grid
    last = (e // 2 if root else e) - f.precision - 2
    shift = (2 if root else 1) * -last - grid
    n, d = (n << shift, d) if shift >= 0 else (n, d << -shift)
    q, rest = divmod(n, d)
    if root:
        square, q = q, math.isqrt(q)
        rest = rest or square - q * q
    # Now the value is (q + less than 1) * 2^last; drop what the format has no room for.
    exponent = last + q.bit_length() - 1
    drop = max(exponent, f.min_exponent) - f.precision + 1 - last
    kept, dropped = q >> drop, q & (1 << drop) - 1
    half = 1 << drop - 1
    if mode == NEAREST:
        up = dropped > half or dropped == half and (rest != 0 or kept & 1)
    else:
        up = (dropped or rest) and mode == (DOWN if negative else UP)
    kept += bool(up)
    word = kept if exponent < f.min_exponent else (exponent - f.min_exponent) * f.hidden + kept
    if word >= f.infinity:
        towards = mode in (NEAREST, DOWN if negative else UP)
        word = f.infinity if towards else f.infinity - 1
    return word | (f.sign if negative else 0)


def finish(f, total, mode=NEAREST, divisor=1, root=False):
    special = total.special()
    if special:
        return special_word(f, special)
    return rounded(f, total.value, divisor, mode=mode, root=root)


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


def check_product(verb, kind, family, seed, sizes, alpha, beta):
    f, g, parts = TYPES[kind]
    m, n, k = (sizes[0], 1, sizes[1]) if verb == "gemv" else sizes
    a, b, c = product(f, g, parts, family, seed, m, n, k)
    alpha, beta = [parts_of(f, w) for w in alpha], [parts_of(f, w) for w in beta]
    rows = [[[parts_of(f, w) for w in e] for e in row] for row in a]
    columns = [[[parts_of(g, w) for w in b[l][j]] for l in range(k)] for j in range(n)]
    reads_c = any(part[0] != 0 for part in beta)
    words = []
    for i in range(m):
        for j in range(n):
            s, t = entry(f, g, rows[i], columns[j])
            old = [Sum().add(parts_of(f, w)) for w in c[i][j]]
            terms = [(alpha[0], s)] + [(beta[0], old[0])] * reads_c
            if parts == 2:
                minus = lambda x: (-x[0], x[1])
                words.append(combined(f, terms + [(minus(alpha[1]), t), (minus(beta[1]), old[1])]))
                terms = [(alpha[0], t), (alpha[1], s), (beta[0], old[1]), (beta[1], old[0])]
            words.append(combined(f, terms))
    return many(f, words)


def check_triangle(verb, kind, family, seed, sizes, diagonal, alpha=None):
    f = TYPES[kind][0]
    n, columns = sizes[0], sizes[1] if verb == "trsm" else 1
    unit = diagonal == "unit"
    alpha = parts_of(f, alpha[0]) if alpha else (1, 0)
    a, b = triangle(f, family, seed, n, columns, unit)
    a = [[parts_of(f, word) for word in row] for row in a]
    x = [[0] * columns for _ in range(n)]
    for j in range(columns):
        known = []
        for i in range(n):
            total = Sum()
            if alpha[0] != 0:
                total.add(alpha, parts_of(f, b[i][j]))
            for l in range(i):
                total.add(a[i][l], known[l], negated=True)
            p, e = (1, 0) if unit else a[i][i]
            special = total.special()
            if p == 0:  # without a sign, for a -0 does not occur here
                special = special or ("nan" if total.value == 0 else "inf" if total.value > 0 else "-inf")
            elif special and special != "nan" and p < 0:
                special = "inf" if special == "-inf" else "-inf"
            x[i][j] = special_word(f, special) if special else rounded(f, total.value, p, GRID + e)
            known.append(parts_of(f, x[i][j]))
    return many(f, [word for row in x for word in row])


def check_scatter(verb, kind, family, seed, sizes):
    f = TYPES[kind][0]
    n, bins = sizes
    to, totals = Stream(seed, 2), [Sum() for _ in range(bins)]
    if verb == "scatter":
        terms = [(parts_of(f, w), (1, 0)) for w in vector(f, family, seed, n)]
    else:
        a, b, _ = product(f, f, 1, family, seed, 1, 1, n)
        terms = [(parts_of(f, x[0]), parts_of(f, y[0][0])) for x, y in zip(a[0], b)]
    for x, y in terms:
        totals[to.below(bins)].add(x, y)
    return many(f, [finish(f, total) for total in totals])


VERBS = {
    "sum": check_reduction,
    "nrm1": check_reduction,
    "nrm2": check_reduction,
    "nrm2_squared": check_reduction,
    "mean": check_reduction,
    "dot": check_dot,
    "axpby": check_axpby,
    "gemv": check_product,
    "gemm": check_product,
    "trsv": check_triangle,
    "trsm": check_triangle,
    "scatter": check_scatter,
    "scatter_product": check_scatter,
}


def work(verb, sizes):
    """About how many products a line takes."""
    count = math.prod(sizes)
    return {"trsv": count * count, "trsm": count * sizes[0]}.get(verb, count if "scatter" not in verb else sizes[0])


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
