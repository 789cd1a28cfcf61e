// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPython.hpp"
#include "ExaktPython_Threads.hpp"
#include "ExaktPython_Verbs.hpp"

namespace ExaktPython {
namespace {

/// Whether x and y are matrices of one type and shape, and out has an entry for each row.
bool fit(Array const& x, Array const& y, Array const& out) {
  return x.is_real() && x.entries() == y.entries() && x.entries() == out.entries() && x.is_aligned() &&
         y.is_aligned() && out.is_aligned() && x.rank() == 2 && y.rank() == 2 && out.rank() == 1 &&
         x.size(0) == y.size(0) && x.size(1) == y.size(1) && out.size(0) == x.size(0);
}

}  // namespace

PyObject* reduce_pairs(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!has_arguments("reduce_pairs", count, 5)) return nullptr;
  int verb = 0, ddof = 0;
  if (!parse_verb(arguments[0], pair_verbs, verb) || !parse_ddof(arguments[4], ddof)) return nullptr;
  Array const x(arguments[1], false), y(arguments[2], false), out(arguments[3], true);
  if (!x.is_open() || !y.is_open() || !out.is_open()) return nullptr;
  if (!fit(x, y, out)) return refuse_arrays("reduce_pairs");
  return with_type_of(x, [&]<class T>(T) -> PyObject* {
    Py_ssize_t const n = x.size(1);
    auto const row_of = [&](Array const& a, Py_ssize_t row) {
      return Vector<T const>(a.data<T const>() + row * a.stride(0), n, a.stride(1));
    };
    auto const some_rows = [&](Py_ssize_t begin, Py_ssize_t end) -> exakt_status {
      for (Py_ssize_t row = begin; row < end; ++row) {
        auto const a = row_of(x, row), b = row_of(y, row);
        exakt_status const status =
            Functions<T>::reduce_pairs(static_cast<PairVerb>(verb), n, a.lowest, a.increment, b.lowest, b.increment,
                                       ddof, out.data<T>() + row * out.stride(0));
        if (status != EXAKT_SUCCESS) return status;
      }
      return EXAKT_SUCCESS;
    };
    exakt_status status = EXAKT_SUCCESS;
    {
      WithoutLock const unlocked(x.size());
      status = for_each_part(threads_for(x.size()), x.size(0), some_rows);
    }
    if (!succeeded(status)) return nullptr;
    Py_RETURN_NONE;
  });
}

PyObject* histogram(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!has_arguments("histogram", count, 4)) return nullptr;
  Array const x(arguments[0], false), weights(arguments[1], false), edges(arguments[2], false), out(arguments[3], true);
  if (!x.is_open() || !weights.is_open() || !edges.is_open() || !out.is_open()) return nullptr;
  auto const is_contiguous_vector = [](Array const& a) { return is_vector(a) && a.rank() == 1 && a.is_contiguous(); };
  if (!is_vector(x) || x.rank() != 1 || x.entries() != Entries::doubles || !is_vector(weights) || weights.rank() != 1 ||
      weights.size() != x.size() || !is_contiguous_vector(edges) || edges.entries() != Entries::doubles ||
      !is_contiguous_vector(out) || out.entries() != weights.entries() || edges.size() != out.size() + 1)
    return refuse_arrays("histogram");
  return with_type_of(weights, [&]<class T>(T) -> PyObject* {
    Vector<double const> const entries = vector_of<double const>(x);
    Vector<T const> const terms = vector_of<T const>(weights);
    exakt_status status = EXAKT_SUCCESS;
    {
      WithoutLock const unlocked(x.size());
      status = Functions<T>::histogram(entries.n, entries.lowest, entries.increment, terms.lowest, terms.increment,
                                       out.size(), edges.data<double const>(), out.data<T>());
    }
    if (!succeeded(status)) return nullptr;
    Py_RETURN_NONE;
  });
}

}  // namespace ExaktPython
