// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSPARSE_TRANSPOSED_HPP
#define EXAKTSPARSE_TRANSPOSED_HPP

/// \file
/// \brief The transpose of a sparse matrix, by counting: how many entries each column has, where each begins, and then
/// every entry to its place. On any space.
///
/// Threads take places as they come. The order of the entries of a column differs from run to run; the sums are exact,
/// and do not.

#include "../operands/ExaktSparse_Matrix.hpp"

#include <Exakt_Reducer.hpp>
#include <parallel/Exakt_AtomicWords.hpp>
#include <parallel/Exakt_Loop.hpp>

#include <limits>

namespace Exakt::Impl::inline EXAKT_ABI {

/// What counting and moving have in common: f(column, row, value) for each entry of a row.
template <class Matrix, class F>
KOKKOS_FORCEINLINE_FUNCTION bool for_each_entry(Matrix const& A, std::size_t row, F const& f) {
  auto const range = A.blocks_of(row / A.block());
  if (!A.is_range(range)) return false;
  std::size_t const count = (range.end - range.begin) * A.block(), columns = A.column_count();
  for (std::size_t j = 0; j < count; ++j) {
    std::size_t const column = A.column(range, j);
    if (column >= columns) return false;
    f(column, j, range);
  }
  return true;
}

/// The number before one is added; other threads may add as well.
template <class Space>
KOKKOS_FORCEINLINE_FUNCTION std::size_t take_next(std::size_t& counter, [[maybe_unused]] bool alone) {
  EXAKT_IF_ON_HOST((if (alone) return counter++; return Kokkos::atomic_fetch_add(&counter, std::size_t{1});))
  static_assert(sizeof(std::size_t) == sizeof(Word));
  EXAKT_IF_ON_DEVICE(
      (return static_cast<std::size_t>(Kokkos::atomic_fetch_add(reinterpret_cast<Word*>(&counter), Word{1}));))
}

/// All columns, each a row of the transpose.
struct EveryColumn {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t count;
  KOKKOS_FORCEINLINE_FUNCTION std::size_t operator()(std::size_t column) const { return column; }
};

/// Those that have numbers.
template <class Numbers>
struct SomeColumns {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  Numbers numbers;
  std::size_t count;
  KOKKOS_FORCEINLINE_FUNCTION std::size_t operator()(std::size_t column) const { return numbers(column); }
};

/// numbers(c + 1) becomes the number of entries in column c of those that are chosen.
template <class Space, class Matrix, class Choice, class Numbers>
struct CountEntries {
  Matrix A;
  Choice choice;
  Numbers numbers;
  Kokkos::View<int, typename Numbers::memory_space> is_bad;
  bool alone;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t row) const {
    bool const exists = for_each_entry(A, row, [&](std::size_t column, std::size_t, RowRange const&) {
      std::size_t const chosen = choice(column);
      if (chosen != choice.none) take_next<Space>(numbers(chosen + 1), alone);
    });
    if (!exists) Kokkos::atomic_exchange(&is_bad(), 1);
  }
};

/// The sums of all numbers up to each.
template <class Numbers>
struct AddNumbers {
  using value_type = std::size_t;
  Numbers numbers, places;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i, std::size_t& sum, bool is_last) const {
    sum += numbers(i);
    if (is_last) numbers(i) = places(i) = sum;
  }
};

/// Every entry to its place.
template <class Space, class Matrix, class Choice, class Numbers, class Rows, class Values>
struct MoveEntries {
  Matrix A;
  Choice choice;
  Numbers places;
  Rows rows;
  Values values;
  bool alone;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t row) const {
    for_each_entry(A, row, [&](std::size_t column, std::size_t j, RowRange const& range) {
      std::size_t const chosen = choice(column);
      if (chosen == choice.none) return;
      std::size_t const place = take_next<Space>(places(chosen), alone);
      rows(place) = static_cast<typename Rows::value_type>(row);
      values(place) = A.value(range, row % A.block(), j);
    });
  }
};

/// \brief The transpose of the chosen columns of A, of single entries. Waits for the check that the columns of A exist.
template <class Space, class Matrix, class Choice>
auto transposed(Space const& space, Matrix const& a, Choice const& choice) {
  using Memory = typename Space::memory_space;
  using Numbers = Kokkos::View<std::size_t*, Memory>;
  using Rows =
      Kokkos::View<std::conditional_t<sizeof(typename Matrix::Index) == 8, std::int64_t, std::int32_t>*, Memory>;
  using Values = Kokkos::View<typename Matrix::Value*, Memory>;
  using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>;
  if (a.row_count() > static_cast<std::size_t>(std::numeric_limits<typename Rows::value_type>::max()))
    throw std::invalid_argument("Exakt::spmv: A is " + shape_of_sparse(a) +
                                "; with more rows than a 32-bit integer counts, modes T and H need 64-bit columns");

  Numbers const numbers(Kokkos::view_alloc(space, "Exakt::numbers"), choice.count + 1);
  Numbers const places(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "Exakt::places"), choice.count + 1);
  Kokkos::View<int, Memory> const is_bad(Kokkos::view_alloc(space, "Exakt::is_bad"));
  bool const alone = runs_on_host<Space> && space.concurrency() == 1;
  Range const all_rows(space, 0, a.row_count());
  loop("Exakt::spmv::count", all_rows, CountEntries<Space, Matrix, Choice, Numbers>{a, choice, numbers, is_bad, alone});
  Kokkos::parallel_scan("Exakt::spmv::places", Range(space, 0, choice.count + 1),
                        AddNumbers<Numbers>{numbers, places} /* integers: need not be held() */);
  int found_bad = 0;
  std::size_t entries = 0;
  Kokkos::deep_copy(space, Kokkos::View<int, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&found_bad), is_bad);
  Kokkos::deep_copy(space, Kokkos::View<std::size_t, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&entries),
                    Kokkos::subview(numbers, choice.count));
  space.fence();
  if (found_bad != 0) {
    if constexpr (runs_on_host<Space>) {
      refuse_rows(a, 0);
    } else {
      refuse_rows_of_device(a);
    }
  }
  Rows const rows(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "Exakt::rows"), entries);
  Values const values(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "Exakt::values"), entries);
  loop("Exakt::spmv::move", all_rows,
       MoveEntries<Space, Matrix, Choice, Numbers, Rows, Values>{a, choice, places, rows, values, alone});
  return SparseMatrix<Numbers, Rows, Values, false>{numbers, rows, values, a.row_count(), 1};
}

template <class Space, class Matrix>
auto transposed(Space const& space, Matrix const& a) {
  return transposed(space, a, EveryColumn{a.column_count()});
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
