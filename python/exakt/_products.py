# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of vectors and matrices, every entry of the result rounded once."""

import numpy as np

from . import _core, _integers
from ._operands import are_doubles, array, deliver, held, is_complex, is_integer, result_dtype, type_of_parts

_QUICK = frozenset((np.dtype(np.float64), np.dtype(np.float32)))


def dot(a, b, out=None):
    """Dot product as numpy.dot has it: of vectors, or over the last axis of a and the last but one of b.

    With `out`, which may be of another type, the exact value is rounded once to that type.

    >>> import exakt
    >>> exakt.dot([1e200, 1.0, -1e200], [1e200, 3.0, 1e200])
    3.0
    """
    if type(a) is np.ndarray and type(b) is np.ndarray and out is None:
        result = _quick(a, b)
        if result is not None:
            return result
    return _dot(array("dot", a), array("dot", b), out)


@held
def _dot(a, b, out):
    dtype = _result_dtype(a, b, "dot", out)
    if a.ndim == 0 or b.ndim == 0:
        # No sum: but complex factors want their products rounded once, and integers must not overflow.
        result = _product(a.reshape(-1, 1), b.reshape(1, -1), "dot", dtype).reshape(a.shape + b.shape)
        return deliver(result, out)
    last = b.ndim - 2 if b.ndim > 1 else 0
    if a.shape[-1] != b.shape[last]:
        raise ValueError(f"shapes {a.shape} and {b.shape} not aligned: {a.shape[-1]} (dim {a.ndim - 1}) != "
                         f"{b.shape[last]} (dim {last})")
    others = b.shape[:last] + b.shape[last + 1:]
    columns = np.moveaxis(b, last, 0)
    left = a.reshape(_product_of(a.shape[:-1]), a.shape[-1])
    right = columns.reshape(b.shape[last], _product_of(others)) if b.ndim > 1 else b
    return deliver(_product(left, right, "dot", dtype).reshape(a.shape[:-1] + others), out)


def vdot(a, b):
    """Dot product of all entries of both, those of a conjugated, as numpy.vdot has it.

    >>> import exakt
    >>> exakt.vdot([1 + 2j], [3 - 1j])
    (1-7j)
    """
    a, b = array("vdot", a).ravel(), array("vdot", b).ravel()
    if a.size != b.size:
        raise ValueError(f"exakt.vdot: a has {a.size} entries, b has {b.size}; they must be as many")
    result = _quick(a, b, True)
    return result if result is not None else dot(np.conjugate(a) if is_complex(a.dtype) else a, b)


def matmul(a, b, out=None):
    """Matrix product as numpy.matmul has it, of stacks of matrices, too. Each entry is rounded once, to the type of `out`.

    >>> import exakt
    >>> exakt.matmul([[1e16, 1.0]], [[1.0, 1.0], [1.0, -1e16]])
    array([[1.e+16, 0.e+00]])
    """
    if type(a) is np.ndarray and type(b) is np.ndarray and out is None and a.dtype == b.dtype and a.dtype in _QUICK:
        if a.ndim == 2 and b.ndim == 2 and a.shape[1] == b.shape[0]:
            return _real_product(a, b, a.dtype)
    return _matmul(array("matmul", a), array("matmul", b), out)


@held
def _matmul(a, b, out):
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError("exakt.matmul: an operand is a single number; both must have one axis at least")
    left = a if a.ndim > 1 else a[np.newaxis, :]
    right = b if b.ndim > 1 else b[:, np.newaxis]
    if left.shape[-1] != right.shape[-2]:
        raise ValueError(f"exakt.matmul: a is {a.shape}, b is {b.shape}; a has {left.shape[-1]} columns, "
                         f"b has {right.shape[-2]} rows; they must be as many")
    stack = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    left = np.broadcast_to(left, stack + left.shape[-2:])
    right = np.broadcast_to(right, stack + right.shape[-2:])
    dtype = _result_dtype(a, b, "matmul", out)
    if stack:
        products = [_product(left[i], right[i], "matmul", dtype) for i in np.ndindex(stack)]
        result = np.array(products, dtype).reshape(stack + (left.shape[-2], right.shape[-1]))
    else:
        result = _product(left, right, "matmul", dtype)
    if a.ndim == 1:
        result = result[..., 0, :]
    if b.ndim == 1:
        result = result[..., 0]
    return deliver(result, out)


def _quick(a, b, conjugated=False):
    """The dot of plain vectors of one type, or None."""
    if a.dtype == b.dtype:
        result = _core.dot(a, b, False, conjugated)
        if result is not None:
            return a.dtype.type(result)
    return None


def _product_of(shape):
    product = 1
    for size in shape:
        product *= size
    return product


def _result_dtype(a, b, function, out):
    """The type of out, or that of NumPy's results; also where out cannot take these, which deliver() refuses."""
    common = np.result_type(a.dtype, b.dtype).newbyteorder("=")
    if out is None:
        return common
    dtype = result_dtype(function, None, out, common)
    return dtype if np.can_cast(common, dtype, "same_kind") else common


def _product(a, b, function, dtype):
    """a b for a matrix a and a matrix or vector b."""
    if dtype.kind == "c" and not is_complex(a.dtype) and not is_complex(b.dtype):
        result = np.zeros(a.shape[:1] + b.shape[1:], dtype)
        result.real = _product(a, b, function, result.real.dtype)
        return result
    if is_integer(a.dtype) and is_integer(b.dtype):
        return _integer_product(a, b, dtype, function)
    for side in (a, b):
        if side.dtype.kind in "iu" and not are_doubles(side):
            raise TypeError(f"exakt.{function}: integers beyond 2^53 times floats; convert them as you want them rounded")
    if dtype.kind not in "fc":
        raise TypeError(f"exakt.{function}: a result for floats is not offered as {dtype}")
    return _complex_product(a, b, dtype) if dtype.kind == "c" else _real_product(a, b, dtype)


def _matrix(b):
    return b if b.ndim > 1 else b[:, np.newaxis]


def _real_product(a, b, dtype):
    """A product with a vector is one of gemv, whichever side it stands on."""
    if dtype.itemsize < 4 or any(side.dtype != dtype and not np.can_cast(side.dtype, dtype) for side in (a, b)):
        return _narrow_product(a, b, dtype)
    shape = a.shape[:1] + b.shape[1:]
    if b.ndim == 2 and a.shape[0] == 1 and b.shape[1] > 1:
        a, b = b.T, a[0]
    elif b.ndim == 2 and b.shape[1] == 1:
        b = b[:, 0]
    result = np.empty(a.shape[:1] + b.shape[1:], dtype)
    if not _core.multiply(a, b, result):
        copies = (np.require(side, dtype, ["C_CONTIGUOUS", "ALIGNED"]) for side in (a, b))
        if not _core.multiply(*copies, result):
            raise RuntimeError("exakt: contiguous matrices were not taken")
    return result if result.shape == shape else result.reshape(shape)


def _narrow_product(a, b, dtype):
    """Of a type that is narrower than the factors, or halves, for which there are no functions: by way of doubles to odd."""
    columns = _matrix(b).astype(np.float64)
    rows = a.astype(np.float64)
    result = np.empty((rows.shape[0], columns.shape[1]))
    for i, j in np.ndindex(result.shape):
        result[i, j] = _core.dot(rows[i], columns[:, j], True, False)
    with np.errstate(over="ignore"):
        return result.astype(dtype).reshape(a.shape[:1] + b.shape[1:])


def _complex_product(a, b, dtype):
    """Real and imaginary part are real products of twice as many terms."""
    part = type_of_parts(dtype)
    matrix = _matrix(b.astype(np.result_type(b.dtype, dtype), copy=False))  # bools have no negatives
    rows = np.concatenate([a.real, a.imag], -1)
    real, imaginary = matrix.real, matrix.imag
    result = np.empty((a.shape[0], matrix.shape[1]), dtype)
    result.real = _real_product(rows, np.concatenate([real, -imaginary]), part)
    result.imag = _real_product(rows, np.concatenate([imaginary, real]), part)
    return result.reshape(a.shape[:1] + b.shape[1:])


def _integer_product(a, b, dtype, function):
    if a.dtype == b.dtype == bool:
        return np.matmul(a, b)
    bound = a.shape[-1]
    for side in (a, b):
        bound *= max(abs(int(side.max())), abs(int(side.min()))) if side.size else 0
    if bound == 0:  # of no terms NumPy's object arrays have None
        return np.zeros(a.shape[:1] + b.shape[1:], dtype)
    exact = np.uint64 if a.dtype.kind == b.dtype.kind == "u" else np.int64
    if dtype.kind in "iu" and bound <= np.iinfo(dtype).max:
        exact = dtype
    elif bound > np.iinfo(exact).max:
        exact = object
    sums = np.matmul(a.astype(exact), b.astype(exact))
    return _integers.to_dtype(sums, dtype, function, "convert an operand to float to round it")
