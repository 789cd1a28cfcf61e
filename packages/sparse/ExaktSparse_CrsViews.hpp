// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSPARSE_CRSVIEWS_HPP
#define EXAKTSPARSE_CRSVIEWS_HPP

#include <numerics/Exakt_Abi.hpp>

#include <cstddef>

namespace Exakt {

/// \brief A matrix in compressed row storage as three Views, for programs without Kokkos Kernels.
///
/// Entries row_map(i) ... row_map(i + 1) - 1 are those of row i: in column entries(k) the number values(k). In any order,
/// and several of one column add up. The members have the names that a KokkosSparse::CrsMatrix has.
template <class RowMap, class Entries, class Values>
struct CrsViews {
  struct Graph {
    RowMap row_map;   // one more than rows; nothing for no rows
    Entries entries;  // columns

    EXAKT_ABI_TAG Graph() = default;
    EXAKT_ABI_TAG Graph(RowMap const& of_rows, Entries const& of_columns) : row_map(of_rows), entries(of_columns) {}
    EXAKT_TAGGED_COPIES(Graph);
  };
  Graph graph;
  Values values;
  std::size_t columns = 0;

  EXAKT_ABI_TAG CrsViews() = default;
  EXAKT_ABI_TAG CrsViews(RowMap const& row_map, Entries const& entries, Values const& of_entries, std::size_t count)
      : graph(row_map, entries), values(of_entries), columns(count) {}
  EXAKT_TAGGED_COPIES(CrsViews);

  EXAKT_FUNCTION std::size_t numCols() const { return columns; }  // NOLINT(readability-identifier-naming): as there
};

/// \brief CrsViews of these Views: crs_matrix(row_map, entries, values, number of columns).
template <class RowMap, class Entries, class Values>
EXAKT_ABI_TAG CrsViews<RowMap, Entries, Values> crs_matrix(RowMap const& row_map, Entries const& entries,
                                                           Values const& values, std::size_t columns) {
  return {row_map, entries, values, columns};
}

}  // namespace Exakt

#endif
