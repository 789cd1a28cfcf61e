// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSPARSE_MATRIX_HPP
#define EXAKTSPARSE_MATRIX_HPP

/// \file
/// \brief What a sparse matrix must have, of whatever type it is, and the one form that the kernels take.

#include <operands/ExaktBlas_Checks.hpp>
#include <operands/ExaktBlas_Modes.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <string>

namespace Exakt::Impl::inline EXAKT_ABI {

/// A KokkosSparse::CrsMatrix, Exakt::CrsViews, and whatever else has these members.
template <class A>
concept CompressedRows = requires(A const& a) {
  requires Kokkos::is_view<std::decay_t<decltype(a.graph.row_map)>>::value;
  requires Kokkos::is_view<std::decay_t<decltype(a.graph.entries)>>::value;
  requires Kokkos::is_view<std::decay_t<decltype(a.values)>>::value;
  { a.numCols() } -> std::convertible_to<std::size_t>;
};

/// A KokkosSparse::Experimental::BsrMatrix: blocks one after the other, each by rows; rows and columns count blocks.
template <class A>
concept BlockRows = CompressedRows<A> && requires(A const& a) {
  { a.blockDim() } -> std::convertible_to<std::size_t>;
};

/// The range of the entries of one row.
struct RowRange {
  std::size_t begin, end;
};

/// \brief A matrix of blocks in compressed row storage. Of single entries `block` is 1, a constant of the type.
template <class RowMap, class Columns, class Values, bool has_blocks>
struct SparseMatrix {
  using Value = EntryOf<Values>;
  using Index = EntryOf<Columns>;

  RowMap row_map;
  Columns columns;
  Values values;
  std::size_t block_columns, block_size;

  KOKKOS_FORCEINLINE_FUNCTION std::size_t block() const { return has_blocks ? block_size : 1; }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t block_row_count() const {
    return row_map.extent(0) > 0 ? row_map.extent(0) - 1 : 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t row_count() const { return block_row_count() * block(); }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t column_count() const { return block_columns * block(); }
  /// Blocks that are stored.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t entry_count() const { return columns.extent(0); }
  /// Whether compiled kernels can read it: single entries, by addresses, with column numbers that 31 bits tell from those that do
  /// not exist.
  bool suits_kernels() const {
    constexpr bool may_wrap = sizeof(Index) == 4;
    return block() == 1 && row_map.stride(0) == 1 && columns.stride(0) == 1 && values.stride(0) == 1 &&
           (!may_wrap || column_count() <= std::size_t{1} << 31);
  }

  /// The blocks of a row of blocks, as the row map has them: to be checked.
  KOKKOS_FORCEINLINE_FUNCTION RowRange blocks_of(std::size_t block_row) const {
    return {static_cast<std::size_t>(row_map(block_row)), static_cast<std::size_t>(row_map(block_row + 1))};
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_range(RowRange const& range) const {
    return range.begin <= range.end && range.end <= entry_count();
  }
  /// A negative column is a large one.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t block_column(std::size_t k) const {
    return static_cast<std::size_t>(columns(k));
  }

  /// Entry j of row i, of those in a range of blocks; i counts within the row of blocks. A block that does not exist has columns
  /// that do not: its number times the size of blocks may be that of another one.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t column(RowRange const& range, std::size_t j) const {
    std::size_t const of_blocks = block_column(range.begin + j / block());
    if constexpr (!has_blocks) return of_blocks;
    return of_blocks < block_columns ? of_blocks * block() + j % block() : ~std::size_t{0};
  }
  KOKKOS_FORCEINLINE_FUNCTION Value value(RowRange const& range, std::size_t i, std::size_t j) const {
    return values(((range.begin + j / block()) * block() + i) * block() + j % block());
  }
};

template <class A>
auto sparse_matrix(A const& a) {
  using RowMap = std::decay_t<decltype(a.graph.row_map)>;
  using Columns = std::decay_t<decltype(a.graph.entries)>;
  using Values = std::decay_t<decltype(a.values)>;
  std::size_t block = 1;
  if constexpr (BlockRows<A>) block = static_cast<std::size_t>(a.blockDim());
  return SparseMatrix<RowMap, Columns, Values, BlockRows<A>>{a.graph.row_map, a.graph.entries, a.values,
                                                             static_cast<std::size_t>(a.numCols()), block};
}

/// What can be known at compile time: in a static_assert.
template <class Space, class A>
constexpr bool require_sparse_operand() {
  static_assert(CompressedRows<A>,
                "Exakt: a sparse matrix has the members graph.row_map, graph.entries, values and numCols(), as "
                "KokkosSparse::CrsMatrix has them; of Views take Exakt::crs_matrix(row_map, entries, values, columns)");
  if constexpr (CompressedRows<A>) {
    using Matrix = decltype(sparse_matrix(std::declval<A const&>()));
    static_assert(is_integer_v<EntryOf<decltype(Matrix::row_map)>> && is_integer_v<typename Matrix::Index>,
                  "Exakt: row map and columns are integers of at most 64 bits");
    static_assert(require_entries<RealEntryOf<decltype(Matrix::values)>>());
    static_assert(require_access<Space, decltype(Matrix::row_map)>() &&
                  require_access<Space, decltype(Matrix::columns)>() &&
                  require_access<Space, decltype(Matrix::values)>());
  }
  return true;
}

/// A matrix has no negative number of columns, no blocks without rows, and no more rows or columns than 64 bits count.
/// Before it becomes a SparseMatrix, which has no signs, and multiplies.
template <class A>
void require_sparse_sizes(std::string const& function, A const& a) {
  auto const require = [&](char const* name, auto size, std::int64_t least) {
    if (static_cast<std::int64_t>(size) < least)
      throw std::invalid_argument("Exakt::" + function + ": A." + name + "() is " +
                                  std::to_string(static_cast<std::int64_t>(size)) + "; it must be at least " +
                                  std::to_string(least));
  };
  require("numCols", a.numCols(), 0);
  if constexpr (BlockRows<A>) {
    require("blockDim", a.blockDim(), 1);
    std::size_t const blocks = std::max<std::size_t>(a.graph.row_map.extent(0), static_cast<std::size_t>(a.numCols()));
    if (blocks > static_cast<std::size_t>(-1) / static_cast<std::size_t>(a.blockDim()))
      throw std::invalid_argument("Exakt::" + function + ": A has " + std::to_string(blocks) +
                                  " rows or columns of blocks of " + std::to_string(a.blockDim()) +
                                  "; 64 bits must hold their product");
  }
}

template <class Matrix>
std::string shape_of_sparse(Matrix const& a) {
  return std::to_string(a.row_count()) + " x " + std::to_string(a.column_count());
}

/// v, rows of which are multiplied with or written, has one for each row or column of A, or more, as in Kokkos Kernels.
template <class Matrix, class V>
void require_rows(Matrix const& a, char const* name, V const& v, bool of_rows, std::string const& mode) {
  if (v.extent(0) >= (of_rows ? a.row_count() : a.column_count())) return;
  throw std::invalid_argument("Exakt::spmv: A is " + shape_of_sparse(a) + ", " + name + " is " + shape_of(v) +
                              "; with mode '" + mode + "', " + name + ".extent(0) must be at least the number of " +
                              (of_rows ? "rows" : "columns") + " of A");
}

template <class Matrix, class X, class Y>
void require_sparse_shapes(Matrix const& a, X const& x, Y const& y, bool transposed, std::string const& mode) {
  if (a.values.extent(0) / a.block() / a.block() < a.entry_count()) {
    std::string const block = std::to_string(a.block());
    throw std::invalid_argument("Exakt::spmv: A.graph.entries is " + shape_of(a.columns) + ", A.values is " +
                                shape_of(a.values) + "; there must be " +
                                (a.block() == 1 ? "a value" : block + " x " + block + " values") + " for each entry");
  }
  require_rows(a, "x", x, transposed, mode);
  require_rows(a, "y", y, !transposed, mode);
  if constexpr (X::rank == 2) {
    if (x.extent(1) != y.extent(1)) refuse_shapes("spmv", "x", x, "y", y, "x.extent(1) must equal y.extent(1)");
  }
  require_no_overlap("spmv", "y", y, "x", x);
  require_no_overlap("spmv", "y", y, "A.graph.row_map", a.row_map);
  require_no_overlap("spmv", "y", y, "A.graph.entries", a.columns);
  require_no_overlap("spmv", "y", y, "A.values", a.values);
}

/// The least of the rows of blocks from which on somebody found something wrong.
class FirstBadRow {
 public:
  void note(std::size_t row) {
    std::size_t known = m_row.load(std::memory_order_relaxed);
    while (row < known && !m_row.compare_exchange_weak(known, row, std::memory_order_relaxed)) {
    }
  }
  bool is_known() const { return m_row.load() != none; }
  std::size_t row() const { return m_row.load(); }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::atomic<std::size_t> m_row{none};
};

/// \brief Says what is wrong in the rows of blocks from `first` on, of which somebody found out; on hosts.
template <class Matrix>
[[noreturn]] void refuse_rows(Matrix const& a, std::size_t first) {
  auto const text = [](auto... parts) {
    std::string sentence("Exakt::spmv: ");
    ((sentence += parts), ...);
    return std::invalid_argument(sentence);
  };
  auto const number = [](auto n) { return std::to_string(n); };
  for (std::size_t row = first; row < a.block_row_count(); ++row) {
    auto const range = a.blocks_of(row);
    if (range.begin > range.end || range.end > a.entry_count())
      throw text("A.graph.row_map(", number(row), ") is ", number(a.row_map(row)), ", A.graph.row_map(",
                 number(row + 1), ") is ", number(a.row_map(row + 1)), ", A.graph.entries is ", shape_of(a.columns),
                 "; a row map must not decrease, nor leave the entries");
    for (std::size_t k = range.begin; k < range.end; ++k) {
      if (a.block_column(k) >= a.block_columns)
        throw text("A.graph.entries(", number(k), ") is ", number(a.columns(k)), ", in row ", number(row), "; A has ",
                   number(a.block_columns), a.block() == 1 ? " columns" : " columns of blocks");
    }
  }
  throw text("the rows of A changed while they were read");
}

/// The same of what hosts cannot look at.
template <class Matrix>
[[noreturn]] void refuse_rows_of_device(Matrix const& a) {
  throw std::invalid_argument("Exakt::spmv: A is " + shape_of_sparse(a) +
                              "; a row map must not decrease, nor leave the entries, and all columns must exist");
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
