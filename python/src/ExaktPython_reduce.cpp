// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPython.hpp"
#include "ExaktPython_Threads.hpp"
#include "ExaktPython_Verbs.hpp"

#include <mutex>

namespace ExaktPython {
namespace {

struct What {
  Verb verb = sum;
  int ddof = 0;
  bool to_odd = false;
};

/// False, and an exception, unless these are a verb, a ddof that is an int, and a bool (or none).
bool parse(PyObject* verb, PyObject* ddof, PyObject* odd, What& what) {
  int number = 0;
  if (!parse_verb(verb, verbs, number) || !parse_ddof(ddof, what.ddof)) return false;
  what.verb = static_cast<Verb>(number);
  what.to_odd = odd == Py_True;
  return true;
}

template <class T>
exakt_status reduce_vector(What const& what, Vector<T const> const& x, T* r) {
  if constexpr (sizeof(T) == sizeof(double)) {
    if (what.to_odd)
      return round_to_odd(
          [&](exakt_rounding mode, double* result) {
            return Functions<double>::reduce(what.verb, x.n, x.lowest, x.increment, what.ddof, mode, result);
          },
          r);
  }
  return Functions<T>::reduce(what.verb, x.n, x.lowest, x.increment, what.ddof, r);
}

/// An axis that stays: its length, and the strides of the operand and of the results along it.
struct Axis {
  Py_ssize_t size, x, r;
};

/// The axes of x but the last one, those that can be as one; `rank` is how many are left.
struct Axes {
  Axis of[PyBUF_MAX_NDIM];
  int rank = 0;

  Axes(Array const& x, Array const& r) {
    for (int d = 0; d + 1 < x.rank(); ++d) {
      if (x.size(d) == 1) continue;
      Axis const axis{x.size(d), x.stride(d), r.stride(d)};
      Axis* const before = rank > 0 ? &of[rank - 1] : nullptr;
      if (before != nullptr && before->x == axis.x * axis.size && before->r == axis.r * axis.size)
        *before = {before->size * axis.size, axis.x, axis.r};
      else
        of[rank++] = axis;
    }
    if (rank == 0) of[rank++] = {1, 0, 1};
  }

  /// The axis along which neighbours lie closest in memory.
  int closest() const {
    auto const distance = [&](int d) { return of[d].x < 0 ? -of[d].x : of[d].x; };
    int best = 0;
    for (int d = 1; d < rank; ++d)
      if (distance(d) < distance(best)) best = d;
    return best;
  }
};

template <class T>
exakt_status reduce_batch(What const& what, Axis axis, T const* first, T* r, Py_ssize_t n, Py_ssize_t stride) {
  if (axis.x < 0) {
    first += (axis.size - 1) * axis.x;
    r += (axis.size - 1) * axis.r;
    axis = {axis.size, -axis.x, -axis.r};
  }
  Vector<T const> const x(first, n, stride);
  if (what.to_odd || axis.size == 1) {
    for (Py_ssize_t j = 0; j < axis.size; ++j) {
      exakt_status const status =
          reduce_vector<T>(what, Vector<T const>(first + j * axis.x, n, stride), r + j * axis.r);
      if (status != EXAKT_SUCCESS) return status;
    }
    return EXAKT_SUCCESS;
  }
  T* const lowest = axis.r < 0 ? r + (axis.size - 1) * axis.r : r;
  Py_ssize_t const increment = x.increment < 0 ? -x.increment : x.increment;
  return Functions<T>::reduce_batch(what.verb, n, axis.size, x.lowest, increment, axis.x, what.ddof, lowest, axis.r);
}

/// The results along some of the axis `inner`.
template <class T>
exakt_status reduce_axes(What const& what, Axes const& axes, int inner, T const* first, T* r, Py_ssize_t n,
                         Py_ssize_t stride) {
  Py_ssize_t index[PyBUF_MAX_NDIM] = {};
  for (;;) {
    exakt_status const status = reduce_batch<T>(what, axes.of[inner], first, r, n, stride);
    if (status != EXAKT_SUCCESS) return status;
    int d = axes.rank - 1;
    for (; d >= 0; --d) {
      if (d == inner) continue;
      Axis const& axis = axes.of[d];
      first += axis.x;
      r += axis.r;
      if (++index[d] < axis.size) break;
      first -= axis.size * axis.x;
      r -= axis.size * axis.r;
      index[d] = 0;
    }
    if (d < 0) return EXAKT_SUCCESS;
  }
}

template <class T>
exakt_status reduce_rows(What const& what, Array const& x, Array const& out) {
  Py_ssize_t const n = x.size(x.rank() - 1), stride = x.stride(x.rank() - 1);
  Axes const axes(x, out);
  int const inner = axes.closest();
  Axis const whole = axes.of[inner];
  return for_each_part(threads_for(x.size()), whole.size, [&](Py_ssize_t begin, Py_ssize_t end) {
    Axes part = axes;
    part.of[inner].size = end - begin;
    return reduce_axes<T>(what, part, inner, x.data<T const>() + begin * whole.x, out.data<T>() + begin * whole.r, n,
                          stride);
  });
}

/// The sum of a long vector: exact sums of its parts.
template <class T>
exakt_status sum_in_parts(Vector<T const> const& x, Py_ssize_t parts, T* r) {
  exakt_accumulator* total = nullptr;
  exakt_status status = exakt_accumulator_create(EXAKT_SUM, &total);
  std::mutex merging;
  Py_ssize_t const step = x.increment < 0 ? -x.increment : x.increment;
  auto const add = [&](Py_ssize_t begin, Py_ssize_t end) {
    exakt_accumulator* part = nullptr;
    exakt_status done = exakt_accumulator_create(EXAKT_SUM, &part);
    if (done != EXAKT_SUCCESS) return done;
    T const* const first = x.lowest + begin * step;
    if constexpr (sizeof(T) == sizeof(double))
      done = exakt_accumulator_add_array(part, end - begin, first, step);
    else
      done = exakt_accumulator_add_floats(part, end - begin, first, step);
    std::lock_guard<std::mutex> const lock(merging);
    if (done == EXAKT_SUCCESS) done = exakt_accumulator_merge(total, part);
    exakt_accumulator_destroy(part);
    return done;
  };
  if (status == EXAKT_SUCCESS) status = for_each_part(parts, x.n, add);
  if (status == EXAKT_SUCCESS) {
    if constexpr (sizeof(T) == sizeof(double))
      status = exakt_accumulator_round(total, EXAKT_TO_NEAREST, r);
    else
      status = exakt_accumulator_round_float(total, EXAKT_TO_NEAREST, r);
  }
  exakt_accumulator_destroy(total);
  return status;
}

bool fits(Array const& x, Array const& out) {
  if (!x.is_real() || x.entries() != out.entries() || !x.is_aligned() || !out.is_aligned()) return false;
  if (x.rank() < 1 || out.rank() != x.rank() - 1) return false;
  for (int d = 0; d < out.rank(); ++d)
    if (x.size(d) != out.size(d)) return false;
  return true;
}

/// The sum of 64-bit integers, or None if it is beyond them.
PyObject* total_of_integers(Array const& x) {
  std::uint64_t low = 0;  // of fewer than 2^32 terms
  std::int64_t high = 0;
  auto const* const first = x.data<std::int64_t const>();
  Py_ssize_t const n = x.rank() == 1 ? x.size(0) : x.size(), stride = x.rank() == 1 ? x.stride(0) : 1;
  if (n >= Py_ssize_t{1} << 32) Py_RETURN_NONE;
  {
    WithoutLock const unlocked(n);
    for (Py_ssize_t i = 0; i < n; ++i) {
      std::int64_t const term = first[i * stride];
      low += static_cast<std::uint64_t>(term) & 0xffffffff;
      high += term >> 32;
    }
  }
  high += static_cast<std::int64_t>(low >> 32);
  if (high != static_cast<std::int32_t>(high)) Py_RETURN_NONE;
  return PyLong_FromLongLong(high * (std::int64_t{1} << 32) + static_cast<std::int64_t>(low & 0xffffffff));
}

}  // namespace

PyObject* total(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  What what;
  if (!has_arguments("total", count, 3) || !parse(arguments[0], arguments[2], nullptr, what)) return nullptr;
  Array const x(arguments[1], false);
  if (!x.is_open()) {
    PyErr_Clear();
    Py_RETURN_NONE;
  }
  if (x.entries() == Entries::integers && what.verb == sum && x.is_aligned() && (x.rank() == 1 || x.is_contiguous()))
    return total_of_integers(x);
  if (!is_vector(x)) Py_RETURN_NONE;
  return with_type_of(x, [&]<class T>(T) -> PyObject* {
    T result = 0;
    exakt_status status = EXAKT_SUCCESS;
    {
      WithoutLock const unlocked(x.size());
      Py_ssize_t const threads = threads_for(x.size());
      status = what.verb == sum && threads > 1 ? sum_in_parts<T>(vector_of<T const>(x), threads, &result)
                                               : reduce_vector<T>(what, vector_of<T const>(x), &result);
    }
    return succeeded(status) ? number(result) : nullptr;
  });
}

PyObject* reduce(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  What what;
  if (!has_arguments("reduce", count, 5) || !parse(arguments[0], arguments[3], arguments[4], what)) return nullptr;
  Array const x(arguments[1], false), out(arguments[2], true);
  if (!x.is_open() || !out.is_open()) return nullptr;
  if (!fits(x, out)) return refuse_arrays("reduce");
  if (out.size() == 0) Py_RETURN_NONE;
  return with_type_of(x, [&]<class T>(T) -> PyObject* {
    exakt_status status = EXAKT_SUCCESS;
    {
      WithoutLock const unlocked(x.size());
      status = reduce_rows<T>(what, x, out);
    }
    if (!succeeded(status)) return nullptr;
    Py_RETURN_NONE;
  });
}

PyObject* reduce_segments(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  What what;
  if (!has_arguments("reduce_segments", count, 6) || !parse(arguments[0], arguments[4], arguments[5], what))
    return nullptr;
  Array const x(arguments[1], false), offsets(arguments[2], false), out(arguments[3], true);
  if (!x.is_open() || !offsets.is_open() || !out.is_open()) return nullptr;
  if (!is_vector(x) || x.entries() != out.entries() || x.rank() != 1 || x.stride(0) != 1 || out.rank() != 1 ||
      !out.is_contiguous() || offsets.rank() != 1 || offsets.entries() != Entries::integers ||
      !offsets.is_contiguous() || offsets.size() != out.size() + 1)
    return refuse_arrays("reduce_segments");
  auto const* const bounds = offsets.data<std::int64_t const>();
  for (Py_ssize_t s = 0; s <= out.size(); ++s)
    if (bounds[s] < (s == 0 ? 0 : bounds[s - 1]) || bounds[s] > x.size()) return refuse_arrays("reduce_segments");
  return with_type_of(x, [&]<class T>(T) -> PyObject* {
    exakt_status status = EXAKT_SUCCESS;
    {
      WithoutLock const unlocked(x.size());
      for (Py_ssize_t s = 0; s < out.size() && status == EXAKT_SUCCESS; ++s)
        status = reduce_vector<T>(
            what, Vector<T const>(x.data<T const>() + bounds[s], static_cast<Py_ssize_t>(bounds[s + 1] - bounds[s]), 1),
            out.data<T>() + s);
    }
    if (!succeeded(status)) return nullptr;
    Py_RETURN_NONE;
  });
}

}  // namespace ExaktPython
