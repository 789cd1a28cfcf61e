# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers and bools: exact sums as Python's ints, and results that are rounded from these."""

import math

import numpy as np


# So many terms of 32 bits have a sum of 63.
MOST_TERMS = 2**31 - 1


def sums(rows):
    """The sums along the last axis, an array of ints."""
    if rows.shape[-1] > MOST_TERMS:
        return sums(rows[..., :MOST_TERMS]) + sums(rows[..., MOST_TERMS:])
    rows = rows.view(np.uint8) if rows.dtype == bool else rows.astype(rows.dtype.newbyteorder("="), copy=False)
    if rows.dtype.itemsize < 8:
        return _objects(rows.sum(-1, dtype=np.int64))
    low = (rows & rows.dtype.type(0xFFFFFFFF)).sum(-1, dtype=np.uint64)
    high = (rows >> rows.dtype.type(32)).sum(-1, dtype=rows.dtype)
    return _objects(_objects(high) * 2**32 + _objects(low))


def squares(rows):
    """The sums of the squares along the last axis, an array of ints."""
    return _objects((rows.astype(object) ** 2).sum(-1))


def _objects(a):
    """Of numbers that are no arrays any more, too."""
    return np.asarray(a).astype(object)


def rounded(numerators, denominators, dtype, as_roots=False):
    """The quotients of ints, or their square roots, rounded once to nearest; NaN for a denominator of zero or less."""
    numerators, denominators = (np.asarray(ints, object) for ints in (numerators, denominators))
    take = root if as_roots else quotient
    values = [take(int(p), int(q), dtype != np.float64) for p, q in zip(numerators.flat, denominators.flat)]
    with np.errstate(over="ignore"):
        return np.array(values, np.float64).astype(dtype).reshape(numerators.shape)


def quotient(numerator, denominator, to_odd=False):
    """numerator / denominator, rounded once to nearest, or to odd; NaN for a denominator of zero or less."""
    if denominator <= 0:
        return math.nan
    if not to_odd:
        return numerator / denominator
    shift = max(64 - abs(numerator).bit_length() + denominator.bit_length(), 0)
    whole, rest = divmod(abs(numerator) << shift, denominator)
    return math.copysign(_to_odd(2 * whole + (rest != 0)) / 2.0 ** (shift + 1), numerator)


def root(numerator, denominator, to_odd=False):
    """The square root of numerator / denominator, rounded once to nearest, or to odd."""
    if denominator <= 0:
        return math.nan
    # At least 64 bits of the root and a last one that is set if there is more: then one rounding decides.
    shift = max(64 - (numerator.bit_length() - denominator.bit_length()) // 2, 0)
    scaled = numerator << 2 * shift
    whole = math.isqrt(scaled // denominator)
    whole = 2 * whole + (whole * whole * denominator != scaled)
    return _to_odd(whole) / 2.0 ** (shift + 1) if to_odd else whole / 2 ** (shift + 1)


def require_fit(values, dtype, what, remedy):
    """OverflowError for an integer that dtype does not have."""
    limits = np.iinfo(dtype)
    # As Python's: NumPy before 1.25 compares unsigned ones with them as floats.
    if values.size and not (limits.min <= int(values.min()) and int(values.max()) <= limits.max):
        raise OverflowError(f"{what} does not fit into {dtype}; {remedy}")


def to_dtype(values, dtype, function, remedy="say dtype=float to round it, or dtype=object for a Python int"):
    """An array of integers as dtype: integers must fit, floats are rounded once."""
    if dtype.kind in "iu":
        require_fit(np.asarray(values), dtype, f"exakt.{function}: a sum", remedy)
        return np.asarray(values).astype(dtype)
    values = np.asarray(values, dtype=object)
    if dtype == object:
        return values
    if dtype == np.float64:
        return np.array([_to_float(value) for value in values.flat], dtype).reshape(values.shape)
    if dtype.kind == "f":
        odd = np.array([_to_odd(value) for value in values.flat], np.float64).reshape(values.shape)
        with np.errstate(over="ignore"):
            return odd.astype(dtype)
    raise TypeError(f"exakt.{function}: a sum of integers is not offered as {dtype}")


def _to_float(value):
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def _to_odd(value):
    """A double from which a second rounding, to fewer bits, gives what one alone would."""
    shift = max(abs(value).bit_length() - 53, 0)
    whole = abs(value) >> shift
    if whole << shift != abs(value):
        whole |= 1
    return math.copysign(math.ldexp(whole, shift), value)
