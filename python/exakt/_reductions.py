# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that reduce axes to a number each."""

import operator

import numpy as np
from numpy import ndarray

from . import _core, _integers, _pairs
from ._operands import (AxisError, are_doubles, array, deliver, held, is_complex, is_integer, native, plain, result_dtype,
                        type_of_parts, whole)

# By the numbers of src/ExaktPython_Verbs.hpp.
SUM, MEAN, NRM2, VAR, STD = range(5)
_NAMES = ("sum", "mean", "nrm2", "var", "std")
_QUICK = {np.dtype(np.float64): np.float64, np.dtype(np.float32): np.float32}
_NUMBERS = {**_QUICK, np.dtype(np.int64): np.int64}


def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """Sum of the entries over the given axes: the exact value, rounded once.

    The arguments mean what they mean in numpy.sum. With `dtype`, or the type of `out`, the exact sum of the entries as
    they are is rounded once to that type, with both to the narrower one. Integers and bools are added as integers; a sum that does not fit is an
    OverflowError. NaN, infinities of both signs give NaN; an exact zero is +0.

    >>> import exakt
    >>> exakt.sum([0.1] * 10), exakt.sum([1.0, 1e100, 1.0, -1e100])
    (1.0, 2.0)
    >>> exakt.sum([[1, 2], [3, 4]], axis=0)
    array([4, 6])
    """
    if axis is None and dtype is None and out is None and where is True and not keepdims and initial is None:
        a = a if type(a) is ndarray else plain(a)
        result = _quick(SUM, a, 0)
        if result is not None:
            return result
    return _reduce(SUM, a, axis, dtype, out, keepdims, where, initial=initial)


def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """Arithmetic mean over the given axes: the exact sum divided by the number of entries, rounded once.

    The arguments mean what they mean in numpy.mean. The mean of nothing is NaN.

    >>> import exakt
    >>> exakt.mean([1e308, 1e308])
    1e+308
    """
    if axis is None and dtype is None and out is None and where is True and not keepdims:
        a = a if type(a) is ndarray else plain(a)
        result = _quick(MEAN, a, 0)
        if result is not None:
            return result
    return _reduce(MEAN, a, axis, dtype, out, keepdims, where)


def nrm2(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """Euclidean norm over the given axes: the root of the exact sum of squares, rounded once; no overflow on the way.

    >>> import exakt
    >>> exakt.nrm2([3 * 2.0**1000, 4 * 2.0**1000]) == 5 * 2.0**1000
    True
    """
    if axis is None and dtype is None and out is None and where is True and not keepdims:
        a = a if type(a) is ndarray else plain(a)
        result = _quick(NRM2, a, 0)
        if result is not None:
            return result
    return _reduce(NRM2, a, axis, dtype, out, keepdims, where)


def _degrees(function, ddof):
    ddof = ddof if type(ddof) is int else whole(function, "ddof", ddof)
    if not -(2**31) <= ddof < 2**31:
        raise ValueError("exakt: ddof is out of range")
    return ddof


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True):
    """Variance over the given axes, (n sum(x^2) - sum(x)^2) / (n (n - ddof)), rounded once: never negative.

    The arguments mean what they mean in numpy.var; ddof is a whole number. NaN if there are not more than ddof entries.

    >>> import exakt
    >>> exakt.var([1e8, 1e8 + 1, 1e8 + 2]) == 2 / 3
    True
    """
    ddof = _degrees("var", ddof)
    if axis is None and dtype is None and out is None and where is True and not keepdims:
        a = a if type(a) is ndarray else plain(a)
        result = _quick(VAR, a, ddof)
        if result is not None:
            return result
    return _reduce(VAR, a, axis, dtype, out, keepdims, where, ddof)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True):
    """Standard deviation over the given axes: the root of the exact variance, rounded once.

    >>> import exakt
    >>> exakt.std([1e16, 1e16 + 2, 1e16 + 4], ddof=1)
    2.0
    """
    ddof = _degrees("std", ddof)
    if axis is None and dtype is None and out is None and where is True and not keepdims:
        a = a if type(a) is ndarray else plain(a)
        result = _quick(STD, a, ddof)
        if result is not None:
            return result
    return _reduce(STD, a, axis, dtype, out, keepdims, where, ddof)


def _quick(verb, a, ddof):
    """The result for all of a plain array, or None: as little as can be, for small arrays."""
    number = _NUMBERS.get(a.dtype)
    if number is not None:
        result = _core.total(verb, a, ddof)
        if result is not None:
            return number(result)
    return None


def _reduce(verb, a, axis, dtype, out, keepdims, where, ddof=0, initial=None):
    a = plain(a)
    converts_nothing = a.dtype in _QUICK and dtype is None and out is None and where is True and initial is None
    reduce = _reduce_rows if converts_nothing else _reduce_rows_held
    return reduce(verb, a, axis, dtype, out, keepdims, where, ddof, initial)


def _reduce_rows(verb, a, axis, dtype, out, keepdims, where, ddof, initial):
    axes = _axes(axis, a.ndim)
    rows = _rows(a, axes)
    if where is not True:
        where = _rows(np.broadcast_to(plain(where).astype(bool), a.shape), axes)
    if initial is not None:
        rows, where = _with_initial(rows, where, initial, dtype, out)
    if a.dtype in _QUICK and dtype is None and out is None:
        result = _reduce_real(verb, rows, a.dtype, where, ddof)
    else:
        result = _reduce_any(verb, array(_NAMES[verb], rows), dtype, out, where, ddof)
    if keepdims:
        result = result.reshape(tuple(1 if d in axes else a.shape[d] for d in range(a.ndim)))
    return result if out is None and result.ndim else deliver(result, out)


_reduce_rows_held = held(_reduce_rows)


def _reduce_any(verb, rows, dtype, out, where, ddof):
    if is_complex(rows.dtype):
        if verb in (VAR, STD):
            default = type_of_parts(rows.dtype)
            return _spread_of_complex(verb, rows, result_dtype(_NAMES[verb], dtype, out, default), where, ddof)
        if verb == NRM2 and dtype is not None:
            dtype = type_of_parts(dtype)
        return _reduce_complex(verb, rows, result_dtype(_NAMES[verb], dtype, out, rows.dtype), where)
    if verb in (SUM, MEAN) and result_dtype(_NAMES[verb], dtype, out, rows.dtype).kind == "c":
        result = np.zeros(rows.shape[:-1], result_dtype(_NAMES[verb], dtype, out, rows.dtype))
        result.real = _reduce_any(verb, rows, result.real.dtype, None, where, ddof)
        return result
    if is_integer(rows.dtype):
        return _reduce_integers(verb, rows, dtype, out, where, ddof)
    return _reduce_real(verb, rows, result_dtype(_NAMES[verb], dtype, out, rows.dtype), where, ddof)


def _axes(axis, rank):
    """The numbers of the axes that go. A number has the axes 0 and -1, as for NumPy."""
    if axis is None:
        return tuple(range(rank))
    axes = tuple(operator.index(one) for one in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    if rank == 0 and not isinstance(axis, tuple) and axes in ((0,), (-1,)):
        return ()
    for one in axes:
        if not -rank <= one < rank:
            raise AxisError(one, rank)
    axes = tuple(one % rank for one in axes)
    if len(set(axes)) != len(axes):
        raise ValueError("duplicate value in 'axis'")
    return axes


def _rows(a, axes):
    """The array with these axes as one, the last."""
    if len(axes) == 1:
        last = a.ndim - 1
        return a if axes[0] == last else a.transpose(*(d for d in range(a.ndim) if d != axes[0]), axes[0])
    stay = [d for d in range(a.ndim) if d not in axes]
    terms = 1
    for d in axes:
        terms *= a.shape[d]
    return a.transpose(*stay, *sorted(axes)).reshape([a.shape[d] for d in stay] + [terms])


def _with_initial(rows, where, initial, dtype, out):
    """Rows that begin with a number of their type or that of the results, whichever is the wider."""
    rows = array("sum", rows)
    if isinstance(initial, (str, bytes)):
        raise TypeError(f"exakt.sum: initial is {initial!r}, which is no number")
    if isinstance(initial, (np.generic, np.ndarray)) and initial.ndim == 0:
        initial = plain(initial).item()
    if is_integer(rows.dtype):
        dtype = result_dtype("sum", dtype, out, np.int64)
        wide = np.dtype(np.float64 if dtype.kind == "f" else np.uint64 if rows.dtype.kind == "u" else np.int64)
        if wide.kind == "f" and not are_doubles(rows):
            raise TypeError("exakt.sum: integers beyond 2^53 and an initial float; convert them as you want them rounded")
        if wide.kind != "f" and not np.iinfo(wide).min <= initial <= np.iinfo(wide).max:
            raise OverflowError(f"exakt.sum: initial does not fit into {wide}")
    else:
        # Not narrowed to out: only the sum is rounded to that.
        wide = np.result_type(rows.dtype, result_dtype("sum", dtype, out if dtype is None else None, rows.dtype))
    if np.iscomplexobj(initial) and wide.kind != "c":
        raise TypeError(f"exakt.sum: initial is complex, the entries are of type {rows.dtype}")
    rows = rows.astype(wide)
    with np.errstate(over="ignore"):
        first = np.full(rows.shape[:-1] + (1,), initial, dtype=wide)
    # A double becomes a number of the type of the entries, as in NumPy; what else that type does not have is refused.
    is_double = isinstance(initial, (float, complex))
    if not (is_double and wide.kind in "fc") and first.size and first.flat[0].item() != initial:
        raise TypeError(f"exakt.sum: initial is {initial!r}, which is no {wide}")
    if where is not True:
        where = np.concatenate([np.ones(first.shape, bool), where], -1)
    return np.concatenate([first, rows], -1), where


def _reduce_real(verb, rows, dtype, where, ddof):
    """Along the last axis of floats, rounded once to dtype."""
    if dtype.kind != "f":
        raise TypeError(f"exakt.{_NAMES[verb]}: a result for floats is not offered as {dtype}")
    # What is narrower than the terms, or has no functions of its own, is rounded by way of a double to odd.
    is_direct = dtype.itemsize >= 4 and rows.dtype.itemsize <= dtype.itemsize
    type_of_terms = dtype if is_direct else np.dtype(np.float64)
    rows = native(rows, type_of_terms)
    result = np.empty(rows.shape[:-1], type_of_terms)
    if where is True:
        _core.reduce(verb, rows, result, ddof, not is_direct)
    else:
        offsets = np.concatenate([[0], np.cumsum(where.sum(-1, dtype=np.int64).ravel())])
        _core.reduce_segments(verb, rows[where], offsets, result.reshape(-1), ddof, not is_direct)
    if is_direct:
        return result
    with np.errstate(all="ignore"):
        return result.astype(dtype)


def _reduce_complex(verb, rows, dtype, where):
    if verb == NRM2:
        dtype = type_of_parts(dtype)
        rows = np.stack([rows.real, rows.imag], -1)
        if where is not True:
            where = np.repeat(where, 2, -1)
        return _reduce_real(verb, rows.reshape(rows.shape[:-2] + (2 * rows.shape[-2],)), dtype, where, 0)
    if verb not in (SUM, MEAN) or dtype.kind != "c":
        raise TypeError(f"exakt.{_NAMES[verb]}: not offered for complex numbers with a result of type {dtype}")
    result = np.empty(rows.shape[:-1], dtype)
    result.real = _reduce_real(verb, rows.real, result.real.dtype, where, 0)
    result.imag = _reduce_real(verb, rows.imag, result.imag.dtype, where, 0)
    return result


def _spread_of_complex(verb, rows, dtype, where, ddof):
    """Variances of complex numbers are real."""
    of_parts = type_of_parts(rows.dtype)
    if dtype.kind != "f" or dtype.itemsize < of_parts.itemsize:
        raise TypeError(f"exakt.{_NAMES[verb]}: not offered for {rows.dtype} with a result of type {dtype}")
    if dtype.itemsize > of_parts.itemsize:
        rows = rows.astype(np.complex128)
    verb = _pairs.COMPLEX_VARIANCE if verb == VAR else _pairs.COMPLEX_STDDEV
    if where is True:
        return _pairs.reduce_complex(verb, rows, ddof)
    result = np.empty(rows.shape[:-1], dtype)
    for i in np.ndindex(result.shape):
        result[i] = _pairs.reduce_complex(verb, rows[i][where[i]], ddof)
    return result


def _reduce_integers(verb, rows, dtype, out, where, ddof):
    if verb == SUM:
        wanted = np.uint64 if rows.dtype.kind == "u" else np.int64
        dtype = result_dtype("sum", dtype, out, wanted)
        rows = rows if where is True else np.where(where, rows, rows.dtype.type(0))
        if rows.dtype.itemsize < 8 and dtype == wanted and rows.shape[-1] <= _integers.MOST_TERMS:
            return np.asarray(np.add.reduce(rows, axis=-1, dtype=wanted))
        return _integers.to_dtype(_integers.sums(rows), dtype, "sum")
    dtype = result_dtype(_NAMES[verb], dtype, out, np.float64)
    if are_doubles(rows):
        return _reduce_real(verb, rows.astype(np.float64), dtype, where, ddof)
    if dtype.kind != "f":
        raise TypeError(f"exakt.{_NAMES[verb]}: a result for integers is not offered as {dtype}")
    if where is True:
        counts = np.full(rows.shape[:-1], rows.shape[-1])
    else:
        counts, rows = where.sum(-1), np.where(where, rows, rows.dtype.type(0))
    counts, sums = counts.astype(object), _integers.sums(rows)
    if verb == MEAN:
        fractions = sums, counts
    elif verb == NRM2:
        fractions = _integers.squares(rows), np.ones_like(counts)
    else:
        fractions = counts * _integers.squares(rows) - sums * sums, counts * np.maximum(counts - ddof, 0)
    return _integers.rounded(*fractions, dtype, verb in (NRM2, STD))
