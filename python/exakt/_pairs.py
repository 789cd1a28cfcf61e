# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Covariances, correlations, variances of complex numbers, and histograms with weights."""

import numpy as np

from . import _core
from ._operands import are_doubles, array, held, is_complex, is_integer, is_real, native, plain, whole

# By the numbers of src/ExaktPython_Verbs.hpp.
COVARIANCE, CORRELATION, COMPLEX_VARIANCE, COMPLEX_STDDEV = range(4)


def cov(m, y=None, rowvar=True, bias=False, ddof=None):
    """The matrix of covariances of some variables, each entry (n sum(x y) - sum(x) sum(y)) / (n (n - ddof)), rounded once.

    The arguments mean what they mean in numpy.cov: a row is a variable, or a column with rowvar=False; y has further ones.
    There are no weights. The result is float64; NaN if there are not more than ddof observations.

    >>> import exakt
    >>> exakt.cov([1e8, 1e8 + 1, 1e8 + 2], [2e8, 2e8 + 2, 2e8 + 4])
    array([[1., 2.],
           [2., 4.]])
    """
    ddof = (0 if bias else 1) if ddof is None else whole("cov", "ddof", ddof)
    return _matrix("cov", COVARIANCE, m, y, rowvar, ddof)


def corrcoef(x, y=None, rowvar=True):
    """The matrix of correlations (Pearson's) of some variables, each entry rounded once from exact sums: in [-1, 1].

    The arguments mean what they mean in numpy.corrcoef. The result is float64; NaN for a variable that does not vary.

    >>> import exakt
    >>> exakt.corrcoef([0.1, 0.2, 0.3], [1e9, 1e9 + 1, 1e9 + 3])[0, 1]
    0.9819805060619657
    """
    return _matrix("corrcoef", CORRELATION, x, y, rowvar, 0)


@held
def _matrix(function, verb, x, y, rowvar, ddof):
    x = _variables(function, x, rowvar)
    if y is not None and x.shape[0]:  # of no variables NumPy looks at no y
        y = _variables(function, y, rowvar)
        if y.shape[1] != x.shape[1]:
            raise ValueError(f"exakt.{function}: m has {x.shape[1]} observations, y has {y.shape[1]}")
        x = np.concatenate([x, y])
    result = np.empty((x.shape[0],) * 2, np.float64)
    for i in range(x.shape[0]):
        _core.reduce_pairs(verb, np.broadcast_to(x[i], x[i:].shape), x[i:], result[i, i:], ddof)
        result[i:, i] = result[i, i:]
    result = result.squeeze() if x.shape[0] == 1 else result
    return result if result.ndim or verb == COVARIANCE else result[()]


def _variables(function, x, rowvar):
    """A row of doubles for each variable."""
    x = array(function, x)
    if is_complex(x.dtype):
        raise TypeError(f"exakt.{function}: not offered for complex numbers")
    if is_integer(x.dtype) and not are_doubles(x):
        raise TypeError(f"exakt.{function}: integers beyond 2^53 are not offered; convert them as you want them rounded")
    if x.ndim > 2:
        raise ValueError(f"exakt.{function}: an array has {x.ndim} dimensions, not one or two")
    x = np.atleast_2d(x)
    if not rowvar and x.shape[0] != 1:
        x = x.T
    return np.ascontiguousarray(native(x, np.dtype(np.float64)))


def reduce_complex(verb, rows, ddof):
    """The variance along the last axis of complex numbers, or with COMPLEX_STDDEV its root."""
    rows = native(rows, rows.dtype.newbyteorder("="))
    stay = rows.shape[:-1]
    count = 1
    for extent in stay:
        count *= extent
    rows = rows.reshape(count, rows.shape[-1])
    result = np.empty(count, rows.real.dtype)
    _core.reduce_pairs(verb, rows.real, rows.imag, result, ddof)
    return result.reshape(stay)


@held
def histogram(a, bins=10, range=None, weights=None):
    """The sums of the weights in each bin, each rounded once, and the edges of the bins.

    The arguments mean what they mean in numpy.histogram, whose edges these are: a bin holds edges[b] <= a < edges[b + 1], the
    last one its upper edge, too. Weights are floats, of which the sums have the type; without them entries are counted.
    Entries and edges are floats, or integers up to 2^53. There is no density.

    >>> import exakt
    >>> exakt.histogram([0.5, 1.5, 1.5, 1.5], bins=[0, 1, 2], weights=[3.0, 1e100, 1.0, -1e100])
    (array([3., 1.]), array([0, 1, 2]))
    """
    a = array("histogram", a)
    a = a.view(np.uint8) if a.dtype == bool else a  # of which NumPy warns
    _require_doubles("entries", a)
    edges = np.histogram_bin_edges(a, bins if isinstance(bins, str) else plain(bins), range, weights)
    _require_doubles("edges", edges)
    if weights is None:
        return np.histogram(a, edges)
    weights = array("histogram", weights)
    if weights.shape != a.shape:
        raise ValueError(f"exakt.histogram: weights is {weights.shape}, a is {a.shape}; they must be the same")
    if not is_real(weights.dtype):
        raise TypeError(f"exakt.histogram: weights of type {weights.dtype} are not offered; convert them to float64")
    double = np.dtype(np.float64)
    # Sums of halves are doubles, or beyond what halves can hold.
    type_of_terms = double if weights.dtype.itemsize < 4 else weights.dtype.newbyteorder("=")
    sums = np.zeros(max(len(edges) - 1, 0), type_of_terms)
    if sums.size:
        _core.histogram(native(a.ravel(), double), native(weights.ravel(), type_of_terms),
                        np.ascontiguousarray(native(edges, double)), sums)
    with np.errstate(over="ignore"):
        return sums.astype(weights.dtype.newbyteorder("=")), edges


def _require_doubles(what, x):
    if not is_real(x.dtype) and not (is_integer(x.dtype) and are_doubles(x)):
        raise TypeError(f"exakt.histogram: {what} of type {x.dtype} are not offered, nor integers beyond 2^53")
