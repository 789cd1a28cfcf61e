# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the functions of the package share: which arrays are taken, as which type, and how results leave."""

import functools
import numbers
import operator
from collections import UserString
from collections.abc import Sequence

import numpy as np

from . import _core, _integers

try:
    from numpy.exceptions import AxisError
except ImportError:  # NumPy before 1.25
    from numpy import AxisError

#: Integers up to this magnitude are doubles.
EXACT = 2**53

_TEXTS = (str, bytes, bytearray, UserString)


def held(function):
    """The function in the default floating-point environment, in which NumPy's conversions are exact, whatever some other
    library has set on this thread."""
    @functools.wraps(function)
    def in_default_environment(*arguments, **named):
        return _core.call_held(function, arguments, named)

    return in_default_environment


def shallow(function):
    """The function, which recurses into sequences; ValueError for one that contains itself."""
    @functools.wraps(function)
    def of_shallow_ones(*arguments):
        try:
            return function(*arguments)
        except RecursionError:
            raise ValueError("exakt: a list contains itself, or is too deep") from None

    return of_shallow_ones


def refuse(function, dtype):
    """Raises the TypeError for arrays that no exact result can be had of."""
    if dtype.kind in "fc" and dtype.itemsize > (8 if dtype.kind == "f" else 16):
        raise TypeError(f"exakt.{function}: {dtype} is not offered; sums are of float16, float32, float64, "
                        "complex64, complex128, integers and bool")
    raise TypeError(f"exakt.{function}: entries of type {dtype} are no numbers that can be added exactly")


def is_real(dtype):
    return dtype.kind == "f" and dtype.itemsize <= 8


def is_complex(dtype):
    return dtype.kind == "c" and dtype.itemsize <= 16


def is_integer(dtype):
    return dtype.kind in "iub"


def plain(a):
    """The array that `a` is. A mask is not dropped in silence."""
    if isinstance(a, np.ma.MaskedArray):
        raise TypeError("exakt: masked arrays are not taken; say which entries count: x.compressed(), or where=~x.mask")
    if isinstance(a, np.ndarray):
        return np.asarray(a)
    if hasattr(a, "__dlpack__"):
        return _from_dlpack(a)
    return _from_sequence(a) if _is_sequence(a) else np.asarray(a)


def _is_sequence(a):
    """Whether NumPy takes it entry by entry: as no text, and not as an array or a buffer, which have a type already."""
    if isinstance(a, (list, tuple)):
        return True
    if isinstance(a, _TEXTS) or not isinstance(a, Sequence) or hasattr(a, "__array__"):
        return False
    try:
        memoryview(a)
    except TypeError:
        return True
    return False


@held
@shallow
def _from_sequence(a):
    _require_no_mask(a)
    result = np.asarray(a)
    if result.dtype.kind in "fc":
        _require_kept(a, result)
    return result


def _require_no_mask(entries):
    """TypeError for a masked array in a list, of which NumPy would drop the mask."""
    types = set(map(type, entries))
    if any(issubclass(one, np.ma.MaskedArray) for one in types):
        raise TypeError("exakt: masked arrays are not taken, in a list either; say which entries count: x.compressed()")
    if any(issubclass(one, Sequence) and one is not str for one in types):
        for entry in entries:
            if _is_sequence(entry):
                _require_no_mask(entry)


def _require_kept(entries, result):
    """TypeError for integers of a list that are other numbers in the array of floats that NumPy makes of it."""
    with np.errstate(over="ignore"):
        large = np.abs(result) >= EXACT
    if not large.any():
        return
    entries = np.array(entries, object)
    if entries.shape != result.shape:
        return
    for entry, number in zip(entries[large], result[large]):
        entry = entry[()] if isinstance(entry, np.ndarray) else entry
        if isinstance(entry, numbers.Integral) and np.isfinite(number) and int(entry) != int(number.real):
            raise TypeError(f"exakt: {entry} in a list is the float {number.real!r} for NumPy; give integers as an array of a "
                            "type that holds them, or convert them as you want them rounded")


def _from_dlpack(a):
    """The memory of an array of another library, not copied."""
    try:
        return np.from_dlpack(a)
    except (BufferError, RuntimeError) as error:
        raise TypeError(f"exakt: NumPy cannot read the memory of a {type(a).__name__} by DLPack ({error}); "
                        "copy it to an array of NumPy") from None


def array(function, a):
    """The array that `a` is, of a type that is taken."""
    a = plain(a)
    if not (is_real(a.dtype) or is_integer(a.dtype) or is_complex(a.dtype)):
        refuse(function, a.dtype)
    return a


def native(a, dtype):
    """`a` as aligned `dtype`, a native one that holds all its values: itself where it is that already."""
    return a if a.dtype == dtype and a.flags.aligned else a.astype(dtype)


def type_of_parts(dtype):
    """The type of real and imaginary part; that of real numbers is itself."""
    return np.empty(0, dtype).real.dtype


def result_dtype(function, dtype, out, default):
    """The type of the results: asked for, that of out, of both the narrower one, for one rounding; or the default."""
    if out is not None and not isinstance(out, np.ndarray):
        raise TypeError("return arrays must be of ArrayType")
    if dtype is None:
        dtype = default if out is None else out.dtype
    dtype = np.dtype(dtype)
    if dtype.kind == "f" and dtype.itemsize > 8 or dtype.kind == "c" and dtype.itemsize > 16:
        refuse(function, dtype)
    if out is not None and dtype.kind in "fc":
        narrower = type_of_parts(out.dtype) if dtype.kind == "f" else out.dtype
        if narrower.kind == dtype.kind and np.can_cast(narrower, dtype):
            dtype = narrower
    return dtype.newbyteorder("=")


def deliver(result, out):
    """The results as NumPy's functions return them: in out, as an array, or as a number."""
    if out is not None:
        if not isinstance(out, np.ndarray):
            raise TypeError("return arrays must be of ArrayType")
        if out.shape != result.shape:
            raise ValueError(f"exakt: out has the shape {out.shape}, the result {result.shape}")
        if not np.can_cast(result.dtype, out.dtype, "same_kind"):
            raise TypeError(f"exakt: cannot cast the result from {result.dtype} to {out.dtype}, the type of out")
        if result.dtype.kind in "iu" and out.dtype.kind in "iu":
            _integers.require_fit(result, out.dtype, "exakt: a result", "give a wider out")
        out[...] = result
        return out
    return result if result.ndim else result[()]


def whole(function, name, number):
    """An argument that is a whole number, of whatever type."""
    if isinstance(number, (float, np.floating)) and number.is_integer():
        return int(number)
    try:
        return operator.index(number)
    except TypeError:
        raise TypeError(f"exakt.{function}: {name} is {number!r}, which is no whole number") from None


def are_doubles(x):
    """Whether integers are small enough to be doubles."""
    # As Python's: NumPy before 1.25 compares unsigned ones with them as floats.
    return x.dtype.itemsize <= 4 or not x.size or (int(x.max()) <= EXACT and -EXACT <= int(x.min()))


def split_integers(x):
    """Arrays of doubles that add up to the integers x, entry by entry."""
    if x.dtype.itemsize <= 4:
        return [x.astype(np.float64)]
    high = x >> x.dtype.type(32)
    low = x & x.dtype.type(0xFFFFFFFF)
    return [high.astype(np.float64) * 2.0**32, low.astype(np.float64)]


def _integer_terms(x):
    """A Python int as doubles; OverflowError if it is beyond the largest one."""
    if abs(x) >= 2**1024:
        raise OverflowError(f"exakt: an integer of {abs(x).bit_length()} bits is beyond the largest float")
    terms = []
    while x:
        shift = max(abs(x).bit_length() - 53, 0)
        part = (abs(x) >> shift) << shift if x > 0 else -(abs(x) >> shift << shift)
        terms.append(float(part))
        x -= part
    return terms


@held
@shallow
def terms(x):
    """A list of vectors of floats or doubles that hold exactly what is in x: a number, an array, any iterable."""
    return _terms(x)


def _terms(x):
    if isinstance(x, numbers.Integral) and not isinstance(x, np.generic):
        return [np.array(_integer_terms(int(x)), np.float64)]
    if isinstance(x, float):
        return [np.array([x], np.float64)]
    if isinstance(x, _TEXTS):
        raise TypeError("exakt: text is no number")
    if not isinstance(x, (np.ndarray, np.generic)) and not hasattr(x, "__dlpack__"):
        if isinstance(x, numbers.Real):
            raise TypeError(f"exakt: a {type(x).__name__} is not a float; say float(x) to round it")
        try:
            x = np.asarray(memoryview(x))
        except TypeError:
            return _iterable_terms(x)
    x = plain(x)
    if is_integer(x.dtype):
        return split_integers(x.ravel())
    if not is_real(x.dtype):
        refuse("SumAccumulator", x.dtype)
    return [native(x.ravel(), np.float32 if x.dtype.itemsize < 8 else np.float64)]


def _iterable_terms(x):
    try:
        entries = iter(x)
    except TypeError:
        raise TypeError(f"exakt: a {type(x).__name__} is neither a real number nor a collection of such") from None
    x = list(entries)
    if all(type(entry) is float for entry in x):
        return [np.array(x, np.float64)]
    return [part for entry in x for part in _terms(entry)]


@held
def factors(x, y):
    """Pairs of vectors of doubles whose products are those of the entries of x and y, which broadcast."""
    x, y = np.broadcast_arrays(*(_real_or_integers(plain(a)) for a in (x, y)))
    if is_integer(x.dtype):
        return [pair for one, other in _integers_times(x, y) for pair in factors(one, other)]
    if is_integer(y.dtype):
        return [(one, other) for other, one in factors(y, x)]
    return [tuple(native(a.ravel(), np.float64) for a in (x, y))]


def _real_or_integers(a):
    if not is_integer(a.dtype) and not is_real(a.dtype):
        refuse("DotAccumulator", a.dtype)
    return a


def _integers_times(x, y):
    """Pairs of arrays, doubles and what y is, whose products are those of the integers x and y."""
    parts = split_integers(x)
    if len(parts) == 1 or is_integer(y.dtype) or np.isfinite(y).all():
        return [(part, y) for part in parts]
    # An infinity times a part of an integer, which may be zero, would be NaN: there the first part is the integer, rounded.
    finite = np.isfinite(y)
    return [(np.where(finite, parts[0], x.astype(np.float64)), y), (parts[1], np.where(finite, y, 0))]
