// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPython.hpp"
#include "ExaktPython_Verbs.hpp"

#include <algorithm>
#include <type_traits>

namespace ExaktPython {
namespace {

/// A matrix as the BLAS takes it, by rows: transposed or not, and from one line to the next.
struct Lines {
  exakt_transpose transposed = EXAKT_NO_TRANS;
  Py_ssize_t distance = 1;
};

/// False if neither rows nor columns are contiguous.
bool find_lines(Array const& a, Lines& lines) {
  Py_ssize_t const rows = a.size(0), columns = a.size(1), row = a.stride(0), column = a.stride(1);
  auto const is_dense = [](Py_ssize_t step, Py_ssize_t n) { return step == 1 || n < 2; };
  auto const is_apart = [](Py_ssize_t step, Py_ssize_t n, Py_ssize_t length) { return n < 2 || step >= length; };
  if (is_dense(column, columns) && is_apart(row, rows, columns)) {
    lines = {EXAKT_NO_TRANS, rows < 2 ? std::max<Py_ssize_t>(columns, 1) : row};
  } else if (is_dense(row, rows) && is_apart(column, columns, rows)) {
    lines = {EXAKT_TRANS, columns < 2 ? std::max<Py_ssize_t>(rows, 1) : column};
  } else {
    return false;
  }
  lines.distance = std::max<Py_ssize_t>(lines.distance, 1);
  return true;
}

template <class T>
exakt_status times_vector(Lines const& a, Py_ssize_t rows, Py_ssize_t columns, T const* entries,
                          Vector<T const> const& x, T* r) {
  // The matrix as it lies in memory has the other shape if it is transposed.
  Py_ssize_t const m = a.transposed == EXAKT_TRANS ? columns : rows, n = a.transposed == EXAKT_TRANS ? rows : columns;
  return Functions<T>::gemv(EXAKT_ROW_MAJOR, a.transposed, m, n, 1, entries, a.distance, x.lowest, x.increment, 0, r,
                            1);
}

}  // namespace

PyObject* dot(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!has_arguments("dot", count, 4)) return nullptr;
  Array const x(arguments[0], false);
  Array const y(arguments[1], false);
  if (!x.is_open() || !y.is_open()) {
    PyErr_Clear();
    Py_RETURN_NONE;
  }
  auto const is_taken = [](Array const& a) {
    return (a.is_real() || a.is_complex()) && a.is_aligned() && a.rank() == 1;
  };
  if (!is_taken(x) || !is_taken(y) || x.entries() != y.entries()) Py_RETURN_NONE;
  if (x.size() != y.size()) {
    PyErr_Format(PyExc_ValueError, "exakt.dot: a has %zd entries, b has %zd; they must be as many", x.size(), y.size());
    return nullptr;
  }
  bool const odd = arguments[2] == Py_True, conjugated = arguments[3] == Py_True;
  return with_number_of(x, [&]<class T>(T) -> PyObject* {
    auto const a = vector_of<T const>(x), b = vector_of<T const>(y);
    auto const by = [&](auto function, T* r) { return function(a.n, a.lowest, a.increment, b.lowest, b.increment, r); };
    T result = 0;
    exakt_status status = EXAKT_SUCCESS;
    {
      WithoutLock const unlocked(x.size());
      if constexpr (std::is_same_v<T, double>) {
        auto const in_mode = [&](exakt_rounding mode, double* r) {
          return exakt_ddot_rounded(a.n, a.lowest, a.increment, b.lowest, b.increment, mode, r);
        };
        status = odd ? round_to_odd(in_mode, &result) : by(exakt_ddot, &result);
      } else if constexpr (std::is_same_v<T, float>) {
        status = by(exakt_sdot, &result);
      } else if constexpr (std::is_same_v<T, std::complex<double>>) {
        status = by(conjugated ? exakt_zdotc : exakt_zdotu, &result);
      } else {
        status = by(conjugated ? exakt_cdotc : exakt_cdotu, &result);
      }
    }
    return succeeded(status) ? number(result) : nullptr;
  });
}

PyObject* multiply(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!has_arguments("multiply", count, 3)) return nullptr;
  Array const a(arguments[0], false), b(arguments[1], false), c(arguments[2], true);
  if (!a.is_open() || !b.is_open() || !c.is_open()) return nullptr;
  bool const is_product = c.is_real() && c.is_aligned() && c.is_contiguous() && a.rank() == 2 &&
                          (b.rank() == 2 || b.rank() == 1) && c.rank() == b.rank() && a.size(1) == b.size(0) &&
                          c.size(0) == a.size(0) && (b.rank() == 1 || c.size(1) == b.size(1));
  if (!is_product) return refuse_arrays("multiply");
  if (c.size() == 0) Py_RETURN_TRUE;
  Lines of_a, of_b;
  if (a.entries() != c.entries() || b.entries() != c.entries() || !a.is_aligned() || !b.is_aligned() ||
      !find_lines(a, of_a) || (b.rank() == 2 && !find_lines(b, of_b)))
    Py_RETURN_FALSE;
  return with_type_of(a, [&]<class T>(T) -> PyObject* {
    Py_ssize_t const m = a.size(0), k = a.size(1);
    exakt_status status = EXAKT_SUCCESS;
    {
      WithoutLock const unlocked(a.size() + b.size());
      if (b.rank() == 1) {
        status = times_vector<T>(of_a, m, k, a.data<T>(), vector_of<T const>(b), c.data<T>());
      } else {
        Py_ssize_t const n = b.size(1);
        status = Functions<T>::gemm(EXAKT_ROW_MAJOR, of_a.transposed, of_b.transposed, m, n, k, 1, a.data<T>(),
                                    of_a.distance, b.data<T>(), of_b.distance, 0, c.data<T>(), n);
      }
    }
    if (!succeeded(status)) return nullptr;
    Py_RETURN_TRUE;
  });
}

}  // namespace ExaktPython
