// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_TEAMMATRIXVECTOR_HPP
#define EXAKTBLAS_TEAMMATRIXVECTOR_HPP

/// \file
/// \brief Rows of a matrix times a vector on devices: products folded in the registers of each thread, neighbouring
/// threads on neighbouring entries.
///
///     long rows, contiguous    teams along each row, as for dot products (Exakt_TeamSums.hpp)
///     all others               a vector lane for each of the team's rows; its threads share the columns
///
/// It runs on any space.

#include "ExaktBlas_TeamProducts.hpp"
#include "ExaktBlas_Terms.hpp"

#include <Exakt_TeamSums.hpp>

namespace Exakt::Impl {

/// The products of row i of op(A) and x, as the terms of column i.
template <class A, class X>
struct ProductsOfRows {
  using Source = ProductSource<double, double>;
  Operated<A> matrix;
  X x;

  KOKKOS_FORCEINLINE_FUNCTION FactorPair term(std::size_t j, std::size_t i) const {
    return {exact_double(matrix.entry(i, j)), exact_double(x(j))};
  }
};

/// Sums of rows side by side, a lane for each.
template <class Space, class Terms, class Sums>
struct LanesOfRows {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;
  using Accumulator = AtomicAccumulator<ExactProducts>;
  using ScratchWords = Kokkos::View<Word*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  static constexpr int rows_of_team = 32;                                        // the lanes that all devices have
  static constexpr int words_per_team = rows_of_team * Accumulator::word_count;  // 20 KB

  Terms terms;
  std::size_t first_row, rows, columns;
  Sums totals;

  static std::size_t scratch_size() { return ScratchWords::shmem_size(words_per_team); }

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    int const word_count = words_per_team;  // which has no address on devices, and Kokkos takes a reference
    ScratchWords const words(member.team_scratch(0), word_count);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, word_count), [&](int i) { words(i) = 0; });
    member.team_barrier();

    std::size_t const first = static_cast<std::size_t>(member.league_rank()) * rows_of_team;
    int const count = rows - first < rows_of_team ? static_cast<int>(rows - first) : rows_of_team;
    auto const thread = static_cast<std::size_t>(member.team_rank());
    auto const threads = static_cast<std::size_t>(member.team_size());
    // The words of one row are as far apart as there are rows: lanes meet in no bank.
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, count), [&](int lane) {
      add_share(terms, first_row + first + static_cast<std::size_t>(lane), thread * KeptOf<Terms>::count, 1,
                threads * KeptOf<Terms>::count, columns, Accumulator(words.data() + lane, rows_of_team));
    });
    member.team_barrier();

    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, word_count), [&](int i) {
      int const lane = i % rows_of_team;
      if (lane < count) totals.of(first + static_cast<std::size_t>(lane)).merge_word(i / rows_of_team, words(i));
    });
  }
};

template <class Space, class Terms>
auto sums_by_lanes(std::string const& label, Space const& space, Terms const& terms, std::size_t columns,
                   std::size_t first_row, std::size_t rows) {
  using Words = Kokkos::View<Word*, typename Space::memory_space>;
  using Sums = Totals<ExactProducts, Words>;
  using Kernel = LanesOfRows<Space, Terms, Sums>;
  Sums const totals{Words(Kokkos::view_alloc(space, label), rows * Sums::Accumulator::word_count)};
  std::size_t const teams = (rows + Kernel::rows_of_team - 1) / Kernel::rows_of_team;
  typename Kernel::Policy policy(space, static_cast<int>(teams), Kokkos::AUTO, Kernel::rows_of_team);
  policy.set_scratch_size(0, Kokkos::PerTeam(Kernel::scratch_size()));
  Kokkos::parallel_for(label, policy, Kernel{terms, first_row, rows, columns, totals});
  return totals;
}

/// y(i) := what the combination makes of the sum of row i. A kernel of its own: it takes all registers that there are.
template <class Sums, class Y>
struct CombineTotals {
  Sums totals;
  std::size_t first_row;
  Combination combination;
  Y y;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t row) const {
    auto& result = y(first_row + row);
    result =
        combination.template exactly<EntryOf<Y>>(totals.sum(row), combination.reads_y ? exact_double(result) : 0, 1);
  }
};

/// \brief y := combination of op(A) x, real, enqueued.
template <class Space, class A, class X, class Y>
void multiply_by_teams(std::string const& label, Space const& space, Operated<A> const& matrix, X const& x,
                       Combination const& combination, Y const& y) {
  ProductsOfRows<A, X> const terms{matrix, x};
  std::size_t const rows = matrix.rows(), columns = matrix.columns();
  constexpr std::size_t long_row = 1024;
  bool const row_is_contiguous = matrix.transposed ? matrix.view.stride(0) <= matrix.view.stride(1)
                                                   : matrix.view.stride(1) <= matrix.view.stride(0);
  bool const along_rows = row_is_contiguous && columns >= long_row;
  // An accumulator in memory for each row: 10 MB of them at once.
  constexpr std::size_t rows_at_once = 16'384;
  for (std::size_t first = 0; first < rows; first += rows_at_once) {
    std::size_t const count = std::min(rows_at_once, rows - first);
    auto const totals = along_rows ? sums_by_teams(label, space, terms, columns, first, count)
                                   : sums_by_lanes(label, space, terms, columns, first, count);
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(space, 0, count),
                         CombineTotals<std::decay_t<decltype(totals)>, Y>{totals, first, combination, y});
  }
}

}  // namespace Exakt::Impl

#endif
