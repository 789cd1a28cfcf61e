// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPython.hpp"
#include "ExaktPython_Verbs.hpp"

namespace ExaktPython {

PyObject* scan(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!has_arguments("scan", count, 2)) return nullptr;
  Array const x(arguments[0], false), out(arguments[1], true);
  if (!x.is_open() || !out.is_open()) return nullptr;
  bool fits = x.is_real() && x.entries() == out.entries() && x.is_aligned() && out.is_aligned() && x.rank() == 2 &&
              out.rank() == 2 && x.size(0) == out.size(0) && x.size(1) == out.size(1);
  if (!fits) {
    PyErr_SetString(PyExc_ValueError, "exakt._core.scan: the arrays do not fit each other");
    return nullptr;
  }
  return with_type_of(x, [&]<class T>(T) -> PyObject* {
    Py_ssize_t const n = x.size(1);
    exakt_status status = EXAKT_SUCCESS;
    {
      WithoutLock const unlocked(x.size());
      for (Py_ssize_t row = 0; row < x.size(0) && n > 0 && status == EXAKT_SUCCESS; ++row) {
        Vector<T const> const terms(x.data<T const>() + row * x.stride(0), n, x.stride(1));
        Vector<T> const prefixes(out.data<T>() + row * out.stride(0), n, out.stride(1));
        status = Functions<T>::inclusive_scan(n, terms.lowest, terms.increment, prefixes.lowest, prefixes.increment);
      }
    }
    if (!succeeded(status)) return nullptr;
    Py_RETURN_NONE;
  });
}

PyObject* sum_by_key(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!has_arguments("sum_by_key", count, 4)) return nullptr;
  Array const keys(arguments[0], false), x(arguments[1], false), unique_keys(arguments[2], true),
      sums(arguments[3], true);
  if (!keys.is_open() || !x.is_open() || !unique_keys.is_open() || !sums.is_open()) return nullptr;
  auto const are_integers = [](Array const& a) {
    return a.entries() == Entries::integers && a.rank() == 1 && a.is_contiguous() && a.is_aligned();
  };
  if (!are_integers(keys) || !are_integers(unique_keys) || !is_vector(x) || x.rank() != 1 ||
      x.entries() != sums.entries() || sums.rank() != 1 || !sums.is_contiguous() || keys.size() != x.size() ||
      unique_keys.size() != sums.size()) {
    PyErr_SetString(PyExc_ValueError, "exakt._core.sum_by_key: the arrays do not fit each other");
    return nullptr;
  }
  return with_type_of(x, [&]<class T>(T) -> PyObject* {
    Vector<T const> const terms = vector_of<T const>(x);
    std::ptrdiff_t found = 0;
    exakt_status status = EXAKT_SUCCESS;
    {
      WithoutLock const unlocked(x.size());
      status = Functions<T>::sum_by_key(terms.n, keys.data<std::int64_t const>(), terms.lowest, terms.increment,
                                        unique_keys.data<std::int64_t>(), sums.data<T>(), sums.size(), &found);
    }
    return succeeded(status) ? PyLong_FromSsize_t(found) : nullptr;
  });
}

}  // namespace ExaktPython
