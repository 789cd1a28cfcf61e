// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktC_Entries.hpp"

#include <rows/ExaktSparse_HostColumns.hpp>

#include <algorithm>

namespace ExaktC {
namespace {

template <class T>
using Vector = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

/// Says what is wrong in the rows, or else `otherwise`: somebody found out while they were read.
template <class Index>
[[noreturn]] void refuse_rows(std::size_t rows, std::size_t columns, Index const* row_map, Index const* column_of,
                              char const* otherwise = "the rows changed while they were read") {
  auto const entry = [](char const* of, auto k, Index value) {
    return std::string(of) + "[" + std::to_string(k) + "] is " + std::to_string(value);
  };
  for (std::size_t i = 0; i < rows; ++i) {
    if (row_map[i] < 0 || row_map[i] > row_map[i + 1] || row_map[i + 1] > row_map[rows])
      refuse(entry("row_map", i, row_map[i]) + ", " + entry("row_map", i + 1, row_map[i + 1]) + ", " +
             entry("row_map", rows, row_map[rows]) + "; a row map must not decrease, nor be negative");
    for (Index k = row_map[i]; k < row_map[i + 1]; ++k)
      if (column_of[k] < 0 || static_cast<std::size_t>(column_of[k]) >= columns)
        refuse(entry("columns", k, column_of[k]) + ", in row " + std::to_string(i) + "; the matrix has " +
               std::to_string(columns) + " columns");
  }
  refuse(otherwise);
}

template <class T, class Index>
exakt_status csrmv(char const* function, exakt_transpose trans, std::ptrdiff_t m, std::ptrdiff_t n, T alpha,
                   Index const* row_map, Index const* column_of, T const* values, T const* x, T beta, T* y) {
  return guarded(function, [&] {
    bool const transposed = is_transposed(trans, "trans");
    std::size_t const rows = size_of(m, "m"), columns = size_of(n);
    std::size_t const results = transposed ? columns : rows, factors = transposed ? rows : columns;
    if (results == 0) return;
    require_pointer(y, "y");
    Vector<T> const result(y, results);
    if (alpha == 0 || rows == 0 || columns == 0) {
      if (beta != 1)
        Exakt::Compiled::scale_entries(Kokkos::Serial(), function, static_cast<double>(beta),
                                       Exakt::Compiled::Matrix<T>{y, 1, 0}, results, 1);
      return;
    }
    require_pointer(row_map, "row_map");
    if (row_map[rows] < 0) refuse_rows(rows, columns, row_map, column_of);
    auto const entries = static_cast<std::size_t>(row_map[rows]);
    if (entries > 0) {
      require_pointer(column_of, "columns");
      require_pointer(values, "values");
    }
    require_pointer(x, "x");
    Vector<T const> const right(x, factors);
    // Numbers of 32 bits reach no others, of which kernels could not tell a negative one. The transpose, which has
    // results for all of them, is made without kernels if there are fewer entries than columns.
    std::size_t const reached = sizeof(Index) == 4 && !transposed ? std::min(columns, std::size_t{1} << 31) : columns;
    Exakt::Impl::SparseMatrix<Vector<Index const>, Vector<Index const>, Vector<T const>, false> const a{
        Vector<Index const>(row_map, rows + 1), Vector<Index const>(column_of, entries),
        Vector<T const>(values, entries), reached, 1};
    require_no_overlap("y", result, "x", right);
    require_no_overlap("y", result, "row_map", a.row_map);
    require_no_overlap("y", result, "columns", a.columns);
    require_no_overlap("y", result, "values", a.values);
    Exakt::Impl::Epilogue const epilogue{static_cast<double>(alpha), static_cast<double>(beta), beta != 0, false};
    try {
      if (transposed)
        Exakt::Impl::multiply_transposed_on_host(Kokkos::Serial(), a, epilogue, right, result);
      else
        Exakt::Impl::multiply_on_host(Kokkos::Serial(), a, epilogue, right, result);
    } catch (std::invalid_argument const& error) {
      refuse_rows(rows, columns, row_map, column_of, error.what());
    }
  });
}

}  // namespace
}  // namespace ExaktC

#define EXAKT_SPARSE_FUNCTION(name, T, Index)                                                               \
  exakt_status exakt_##name(exakt_transpose trans, ptrdiff_t m, ptrdiff_t n, T alpha, Index const* row_map, \
                            Index const* columns, T const* values, T const* x, T beta, T* y) {              \
    return ExaktC::csrmv("exakt_" #name, trans, m, n, alpha, row_map, columns, values, x, beta, y);         \
  }

EXAKT_SPARSE_FUNCTION(dcsrmv, double, std::int32_t)
EXAKT_SPARSE_FUNCTION(scsrmv, float, std::int32_t)
EXAKT_SPARSE_FUNCTION(dcsrmv_64, double, std::int64_t)
EXAKT_SPARSE_FUNCTION(scsrmv_64, float, std::int64_t)
