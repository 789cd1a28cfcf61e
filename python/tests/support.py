# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The oracle of the tests: exact fractions, rounded once by integer arithmetic; and data that are hard to add."""

import math
import unittest
from fractions import Fraction

import numpy as np

FLOATS = (np.float16, np.float32, np.float64)
# Bits of the significand, exponent of the last bit of the smallest number, exponent that is too large.
_FORMATS = {np.dtype(np.float16): (11, -24, 16), np.dtype(np.float32): (24, -149, 128),
            np.dtype(np.float64): (53, -1074, 1024)}


def rounded(exact, dtype):
    """A Fraction, or a float that is infinite or NaN, as a number of this type; ties to even."""
    dtype = np.dtype(dtype)
    if isinstance(exact, float):
        return dtype.type(exact)
    bits, lowest, beyond = _FORMATS[dtype]
    size = abs(exact)
    if size == 0:
        return dtype.type(0)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** max(exponent - bits + 1, lowest)
    whole, rest = divmod(size / unit, 1)
    if rest > Fraction(1, 2) or rest == Fraction(1, 2) and whole % 2 == 1:
        whole += 1
    value = math.inf if whole * unit >= Fraction(2) ** beyond else float(whole * unit)
    return dtype.type(-value if exact < 0 else value)


_UNIT = 2**1074


def integer(x):
    """A finite float in units of 2^-1074."""
    numerator, denominator = x.as_integer_ratio()
    return numerator * (_UNIT // denominator)


def special(values):
    """What becomes of infinities and NaN in a sum; None if there are none."""
    found = {v for v in values if not math.isfinite(v)}
    if any(map(math.isnan, found)) or len(found) > 1:
        return math.nan
    return found.pop() if found else None


def add(values):
    """The exact sum of floats."""
    found = special(values)
    return Fraction(sum(map(integer, values)), _UNIT) if found is None else found


def dot(x, y):
    """The exact sum of products of floats."""
    found = special([a * b for a, b in zip(x, y) if not (math.isfinite(a) and math.isfinite(b))])
    if found is not None:
        return found
    return Fraction(sum(integer(a) * integer(b) for a, b in zip(x, y)), _UNIT**2)


def root(exact):
    """A Fraction that rounds as the square root does."""
    if isinstance(exact, float):
        return exact
    shift = 1300
    scaled = (exact.numerator << 2 * shift) // exact.denominator
    whole = math.isqrt(scaled)
    is_exact = whole * whole * exact.denominator == exact.numerator << 2 * shift
    return Fraction(2 * whole + (not is_exact), 2 ** (shift + 1))


def expected(verb, values, dtype, ddof=0):
    """What the function of that name makes of the values."""
    return rounded(value_of(verb, values, ddof), dtype)


def value_of(verb, values, ddof=0):
    """The same, not rounded."""
    values = [float(v) for v in values]
    n = len(values)
    if verb == "sum":
        exact = add(values)
    elif verb == "mean":
        exact = add(values) if n else math.nan
        exact = exact / n if n else exact
    elif verb == "nrm2":
        exact = root(dot(values, values))
    else:
        exact = math.nan
        if n > ddof and n > 0 and all(map(math.isfinite, values)):
            s, q = add(values), dot(values, values)
            exact = (n * q - s * s) / (n * (n - ddof))
            exact = root(exact) if verb == "std" else exact
    return exact


def families(dtype, random):
    """Names and vectors of a type."""
    dtype = np.dtype(dtype)
    bits, lowest, beyond = _FORMATS[dtype]
    info = np.finfo(dtype)

    def wide(n, low, high):
        return np.ldexp(random.uniform(-1, 1, n), random.integers(low, high, n)).astype(dtype)

    with np.errstate(over="ignore", under="ignore"):
        one = dtype.type(1)
        half_ulp = dtype.type(2.0**-bits)
        yield "nothing", np.empty(0, dtype)
        yield "one", np.array([0.1], dtype)
        yield "negative zeros", np.array([-0.0, -0.0], dtype)
        yield "ten times 0.1", np.full(10, 0.1, dtype)
        yield "a tie", np.array([one, half_ulp], dtype)
        yield "above a tie", np.array([one, half_ulp, info.smallest_subnormal], dtype)
        yield "below a tie", np.array([one, half_ulp, -info.smallest_subnormal], dtype)
        yield "subnormal", random.integers(-9, 9, 17).astype(dtype) * info.smallest_subnormal
        yield "huge terms that cancel", np.array([info.max, 1, info.max, -info.max, -info.max], dtype)
        yield "beyond the range", np.array([info.max, info.max, 1], dtype)
        yield "all ranges", wide(100, lowest, beyond)
        x = wide(150, lowest // 2, beyond // 2)
        yield "cancels", random.permutation(np.concatenate([x, -x, wide(3, lowest // 2, 0)]))
        yield "like data", (1000 + random.standard_normal(1000)).astype(dtype)
        yield "far from zero", (dtype.type(2.0 ** (bits - 3)) + random.integers(0, 3, 50)).astype(dtype)
        for special in ([np.inf, 1], [1, -np.inf, -np.inf], [np.inf, -np.inf], [np.nan, 1], [np.nan, np.inf]):
            yield f"{special}", np.array(special, dtype)


def layouts(x):
    """Names and arrays with the same entries, stored differently."""
    yield "contiguous", x
    spread = np.full(3 * len(x) + 1, np.nan, x.dtype)
    spread[1::3] = x
    yield "strided", spread[1::3]
    yield "backwards", x[::-1].copy()[::-1]
    yield "byte-swapped", x.astype(x.dtype.newbyteorder())
    memory = bytearray(x.nbytes + 1)
    unaligned = np.frombuffer(memory, x.dtype, len(x), 1) if len(x) else x
    unaligned[...] = x
    yield "unaligned", unaligned
    read_only = x.copy()
    read_only.flags.writeable = False
    yield "read-only", read_only


class Case(unittest.TestCase):
    def same(self, result, wanted):
        """The same type and the same bits; one NaN is as good as another."""
        result, wanted = np.asarray(result), np.asarray(wanted)
        self.assertEqual(result.dtype, wanted.dtype)
        self.assertEqual(result.shape, wanted.shape)
        if result.dtype.kind in "fc":
            result, wanted = (np.where(np.isnan(a), a.dtype.type(np.nan), a) for a in (result, wanted))
        if result.tobytes() != wanted.tobytes():
            self.fail(f"{result!r} is not {wanted!r}")
