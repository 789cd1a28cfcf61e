# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of prefixes, and of the terms of each key."""

import operator

import numpy as np

from . import _core, _integers
from ._operands import AxisError, EXACT, are_doubles, array, deliver, held, is_complex, is_integer, is_real, native, plain, result_dtype

_QUICK = frozenset((np.dtype(np.float64), np.dtype(np.float32)))


def cumsum(a, axis=None, dtype=None, out=None):
    """Sums of all prefixes along an axis, or of the flattened array: each one exact, rounded once.

    The arguments mean what they mean in numpy.cumsum; `dtype`, `out` and integers what they mean in exakt.sum.

    >>> import exakt
    >>> exakt.cumsum([1e16, 1.0, 1.0, -1e16])
    array([1.e+16, 1.e+16, 1.e+16, 2.e+00])
    """
    a = array("cumsum", a)
    if axis is None or a.ndim == 0 and axis in (0, -1):  # a number has an axis, as for NumPy
        a, axis = a.ravel(), 0
        if a.dtype in _QUICK and dtype is None and out is None and a.flags.aligned:
            result = np.empty(a.shape, a.dtype)
            _core.scan(a, result)
            return result
    return _cumsum(a, operator.index(axis), dtype, out)


@held
def _cumsum(a, axis, dtype, out):
    if not -a.ndim <= axis < a.ndim:
        raise AxisError(axis, a.ndim)
    result_type = result_dtype("cumsum", dtype, out, a.dtype)
    if result_type.kind == "c" and not is_complex(a.dtype):
        result = np.zeros(a.shape, result_type)
        result.real = _cumsum(a, axis, result.real.dtype, None)
        return deliver(result, out)
    if is_integer(a.dtype):
        return _integer_cumsum(a, axis, dtype, out)
    result = np.empty(a.shape, result_type)
    rows, prefixes = np.moveaxis(a, axis, -1), np.moveaxis(result, axis, -1)
    if is_complex(a.dtype) and result_type.kind == "c":
        _scan(rows.real, prefixes.real)
        _scan(rows.imag, prefixes.imag)
    elif is_real(a.dtype) and result_type.kind == "f":
        _scan(rows, prefixes)
    else:
        raise TypeError(f"exakt.cumsum: of {a.dtype} not offered as {result_type}")
    return deliver(result, out)


def _scan(rows, prefixes):
    """Prefix sums along the last axis."""
    dtype = prefixes.dtype
    if rows.dtype.itemsize > dtype.itemsize:
        return _scan_to_narrower(rows, prefixes)
    # Sums of halves are doubles, or beyond what halves can hold.
    type_of_terms = np.dtype(np.float64) if dtype.itemsize < 4 else dtype
    shape = (_size(rows.shape[:-1]), rows.shape[-1])
    result = np.empty(shape, type_of_terms)
    _core.scan(native(rows, type_of_terms).reshape(shape), result)
    with np.errstate(over="ignore"):
        prefixes[...] = result.reshape(rows.shape)


def _size(shape):
    size = 1
    for extent in shape:
        size *= extent
    return size


def _scan_to_narrower(rows, prefixes):
    """Term by term, by way of a double to odd: rare, and slow."""
    for i in np.ndindex(rows.shape[:-1]):
        sum = _core.SumAccumulator()
        for k, term in enumerate(rows[i]):
            sum += float(term)
            below, above = sum.round("downward"), sum.round("upward")
            with np.errstate(over="ignore"):
                prefixes[i + (k,)] = below if np.float64(below).view(np.uint64) & np.uint64(1) else above


def _integer_cumsum(a, axis, dtype, out):
    wanted = np.uint64 if a.dtype.kind == "u" else np.int64
    dtype = result_dtype("cumsum", dtype, out, wanted)
    if dtype.kind == "f" and are_doubles(a):
        return _cumsum(a.astype(np.float64), axis, dtype, out)
    fits = a.dtype.itemsize < 8 and a.size <= _integers.MOST_TERMS
    exact = np.cumsum(a, axis=axis, dtype=wanted) if fits else np.cumsum(a.astype(object), axis=axis)
    return deliver(_integers.to_dtype(exact, dtype, "cumsum"), out)


@held
def sum_by_key(keys, x):
    """For each different key the sum of its terms, rounded once: the keys in ascending order, and as many sums.

    Keys are of any type that numpy.unique sorts; integers are the fastest. The sums have the type of the terms, those of
    integers and bools the type that exakt.sum gives them; one that does not fit is an OverflowError.

    >>> import exakt
    >>> exakt.sum_by_key(["b", "a", "b"], [1e100, 0.5, -1e100])
    (array(['a', 'b'], dtype='<U1'), array([0.5, 0. ]))
    """
    keys, x = plain(keys), array("sum_by_key", x)
    if keys.ndim != 1 or keys.shape != x.shape:
        raise ValueError(f"exakt.sum_by_key: keys is {keys.shape}, x is {x.shape}; both must be vectors of one length")
    # A copy in each case: they are read more than once, while another thread may change the caller's.
    if keys.dtype.kind in "iub" and keys.dtype.newbyteorder("=") != np.uint64:
        numbers, names = keys.astype(np.int64), None
    else:
        names, numbers = np.unique(keys, return_inverse=True)
        if names.dtype.kind in "fc":
            names = names + 0  # of -0 and +0, which are one key, it has whichever came first
        numbers = numbers.astype(np.int64, copy=False)
    numbers = np.ascontiguousarray(native(numbers, np.dtype(np.int64)))
    sums_of = _sums_of_integers if is_integer(x.dtype) else _sums_of_complex if is_complex(x.dtype) else _sums_of_floats
    unique_keys, sums = sums_of(numbers, x)
    found = unique_keys if names is None else names
    return found.astype(keys.dtype.newbyteorder("="), copy=False), sums


def _sums_of_floats(keys, x):
    # Sums of halves are doubles, or beyond what halves can hold.
    type_of_terms = np.dtype(np.float64) if x.dtype.itemsize < 4 else x.dtype.newbyteorder("=")
    unique_keys, sums = np.empty(len(x), np.int64), np.empty(len(x), type_of_terms)
    count = _core.sum_by_key(keys, native(x, type_of_terms), unique_keys, sums)
    with np.errstate(over="ignore"):
        return unique_keys[:count], sums[:count].astype(x.dtype.newbyteorder("="))


def _sums_of_complex(keys, x):
    unique_keys, real = _sums_of_floats(keys, x.real)
    sums = np.empty(len(real), x.dtype.newbyteorder("="))
    sums.real, sums.imag = real, _sums_of_floats(keys, x.imag)[1]
    return unique_keys, sums


def _sums_of_integers(keys, x):
    wanted = np.dtype(np.uint64 if x.dtype.kind == "u" else np.int64)
    if not x.size or len(x) * max(int(x.max()), -int(x.min())) <= EXACT:
        unique_keys, sums = _sums_of_floats(keys, x.astype(np.float64))
        return unique_keys, sums.astype(wanted)
    order = np.argsort(keys, kind="stable")
    unique_keys, first = np.unique(keys[order], return_index=True)
    terms, half = x[order].astype(wanted), wanted.type(32)
    high, low = terms >> half, terms & wanted.type(0xFFFFFFFF)
    # Keys of many terms are cut.
    pieces = np.union1d(first, np.arange(0, len(terms), _integers.MOST_TERMS))
    high, low = (np.add.reduceat(part, pieces).astype(object) for part in (high, low))
    sums = np.add.reduceat(high * 2**32 + low, np.searchsorted(pieces, first))
    return unique_keys, _integers.to_dtype(sums, wanted, "sum_by_key", "convert x to float to round it")
