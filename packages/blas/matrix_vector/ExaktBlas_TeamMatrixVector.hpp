// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_TEAMMATRIXVECTOR_HPP
#define EXAKTBLAS_TEAMMATRIXVECTOR_HPP

/// \file
/// \brief Rows of a matrix times a vector on devices: products extracted in the registers of each thread, neighbouring
/// threads on neighbouring entries.
///
///     long rows, contiguous    teams along each row, as for dot products (Exakt_TeamSums.hpp)
///     all others               a vector lane for each of some rows; the threads of a team, and of several where there
///                              are few rows, share the columns
///
/// It runs on any space.

#include "../reduce/ExaktBlas_Terms.hpp"
#include "ExaktBlas_TeamProducts.hpp"

#include <parallel/Exakt_Loop.hpp>
#include <parallel/Exakt_TeamSums.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// The products of row i of op(A) and x, as the terms of column i.
template <class A, class X>
struct ProductsOfRows {
  using Operations = ProductOperations<double, double>;
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
  /// Columns for each thread of several teams: fewer, and there would be as much to merge as to add.
  static constexpr int least_share = 32;

  Terms terms;
  std::size_t first_row, rows, columns;
  Sums totals;
  std::size_t teams_per_group;  // that share the columns of rows_of_team rows

  static std::size_t scratch_size() { return ScratchWords::shmem_size(words_per_team); }

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    int const word_count = words_per_team;  // which has no address on devices, and Kokkos takes a reference
    ScratchWords const words(member.team_scratch(0), word_count);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, word_count), [&](int i) { words(i) = 0; });
    member.team_barrier();

    auto const number = static_cast<std::size_t>(member.league_rank());
    std::size_t const first = number / teams_per_group * rows_of_team;
    int const count = rows - first < rows_of_team ? static_cast<int>(rows - first) : rows_of_team;
    auto const team_size = static_cast<std::size_t>(member.team_size());
    std::size_t const threads = teams_per_group * team_size;
    std::size_t const thread = number % teams_per_group * team_size + static_cast<std::size_t>(member.team_rank());
    // The words of one row are as far apart as there are rows: lanes meet in no bank.
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, count), [&](int lane) {
      add_share(terms, first_row + first + static_cast<std::size_t>(lane), thread * TermBatchOf<Terms>::count, 1,
                threads * TermBatchOf<Terms>::count, columns, Accumulator(words.data() + lane, rows_of_team));
    });
    member.team_barrier();

    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, word_count), [&](int i) {
      int const lane = i % rows_of_team;
      if (lane < count) totals.of(first + static_cast<std::size_t>(lane)).merge_word(i / rows_of_team, words(i));
    });
  }
};

template <class Space, class Terms, class Sums>
void add_by_lanes(std::string const& label, Space const& space, Terms const& terms, std::size_t columns,
                  std::size_t first_row, std::size_t rows, Sums const& totals, int team_size = 0) {
  using Kernel = LanesOfRows<Space, Terms, Sums>;
  Kernel kernel{terms, first_row, rows, columns, totals, 1};
  if (rows == 0 || columns == 0) return;

  // As many teams as can run at once, and no more than have enough to do. A lane is a thread on devices only.
  int const threads = threads_of_team<Kernel>(space, held(kernel), team_size, Kernel::rows_of_team);
  std::size_t const groups = (rows + Kernel::rows_of_team - 1) / Kernel::rows_of_team;
  std::size_t const lanes = static_cast<std::size_t>(threads) * (runs_on_host<Space> ? 1 : Kernel::rows_of_team);
  std::size_t const at_once = static_cast<std::size_t>(space.concurrency()) / lanes;
  std::size_t const busy = (columns - 1) / (static_cast<std::size_t>(threads) * Kernel::least_share) + 1;
  kernel.teams_per_group = std::min(busy, std::max<std::size_t>(at_once / groups, 1));
  Kokkos::parallel_for(label,
                       policy_of_teams<Kernel>(space, groups * kernel.teams_per_group, threads, Kernel::rows_of_team),
                       held(kernel));
}

/// \brief Adds the terms of some rows to their totals, enqueued.
///
/// \param row_is_contiguous  Neighbouring terms of a row are neighbours in memory, rather than those of a column.
/// \param team_size          Threads; 0: as Kokkos recommends.
template <class Space, class Terms, class Sums>
void add_rows(std::string const& label, Space const& space, Terms const& terms, bool row_is_contiguous,
              std::size_t columns, std::size_t first_row, std::size_t rows, Sums const& totals, int team_size = 0) {
  constexpr std::size_t long_row = 1024;
  if (row_is_contiguous && columns >= long_row) {
    add_by_teams(label, space, terms, columns, first_row, rows, totals, team_size);
  } else {
    add_by_lanes(label, space, terms, columns, first_row, rows, totals, team_size);
  }
}

/// y(i) := what the epilogue makes of the sum of row i. A kernel of its own: it takes all registers that there are.
template <class Sums, class Y>
struct CombineTotals {
  Sums totals;
  std::size_t first_row;
  Epilogue epilogue;
  Y y;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t row) const {
    auto& result = y(first_row + row);
    result = epilogue.template exactly<EntryOf<Y>>(totals.sum(row), epilogue.reads_y ? exact_double(result) : 0, 1);
  }
};

/// Rows with an accumulator in memory at once: 10 MB of them.
inline constexpr std::size_t rows_in_memory = 16'384;

/// \brief y := epilogue of op(A) x, real, enqueued.
template <class Space, class A, class X, class Y>
void multiply_by_teams(std::string const& label, Space const& space, Operated<A> const& matrix, X const& x,
                       Epilogue const& epilogue, Y const& y) {
  ProductsOfRows<A, X> const terms{matrix, x};
  std::size_t const rows = matrix.rows(), columns = matrix.columns();
  bool const row_is_contiguous = matrix.transposed ? matrix.view.stride(0) <= matrix.view.stride(1)
                                                   : matrix.view.stride(1) <= matrix.view.stride(0);
  for (Span const some : Pieces{{0, rows}, rows_in_memory}) {
    std::size_t const first = some.begin, count = some.size();
    auto const totals = empty_totals<ExactProducts>(label, space, count);
    add_rows(label, space, terms, row_is_contiguous, columns, first, count, totals);
    loop(label, space, count, CombineTotals<std::decay_t<decltype(totals)>, Y>{totals, first, epilogue, y});
  }
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
