# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exact sums of numbers given as bits, and their rounding: with integers only."""

import math

GRID = 2 * 1074  # every number and every product of two is an integer times 2^-GRID
NEAREST, ZERO, UP, DOWN = range(4)


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
