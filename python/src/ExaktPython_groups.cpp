// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPython.hpp"
#include "ExaktPython_Verbs.hpp"

namespace ExaktPython {

PyObject* scan(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!has_arguments("scan", count, 2)) return nullptr;
  Array const x(arguments[0], false), out(arguments[1], true);
  if (!x.is_open() || !out.is_open()) return nullptr;
  int const last = x.rank() - 1;
  bool fits = x.is_real() && x.entries() == out.entries() && x.is_aligned() && out.is_aligned() &&
              (last == 0 || last == 1) && x.rank() == out.rank();
  for (int d = 0; fits && d <= last; ++d) fits = x.size(d) == out.size(d);
  if (!fits) return refuse_arrays("scan");
  return with_type_of(x, [&]<class T>(T) -> PyObject* {
    Py_ssize_t const n = x.size(last), rows = last == 0 ? 1 : x.size(0);
    Py_ssize_t const step = last == 0 ? 0 : x.stride(0), step_of_out = last == 0 ? 0 : out.stride(0);
    exakt_status status = EXAKT_SUCCESS;
    {
      WithoutLock const unlocked(x.size());
      for (Py_ssize_t row = 0; row < rows && n > 0 && status == EXAKT_SUCCESS; ++row) {
        Vector<T const> const terms(x.data<T const>() + row * step, n, x.stride(last));
        Vector<T> const prefixes(out.data<T>() + row * step_of_out, n, out.stride(last));
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
      unique_keys.size() != sums.size())
    return refuse_arrays("sum_by_key");
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
