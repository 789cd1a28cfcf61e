// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_TEAMMATRIXVECTOR_HPP
#define EXAKTBLAS_TEAMMATRIXVECTOR_HPP

/// \file
/// \brief Rows of a matrix times a vector on devices (parallel/Exakt_ManySums.hpp).
///
/// For triangular systems there are exact sums of all rows as well: products extracted in the registers of each thread.
///
///     long rows, contiguous    teams along each row, as for dot products (Exakt_TeamSums.hpp)
///     all others               a vector lane for each of some rows; the threads of a team, and of several where there
///                              are few rows, share the columns
///
/// It runs on any space.

#include "../reduce/ExaktBlas_Terms.hpp"
#include "ExaktBlas_TeamProducts.hpp"

#include <parallel/Exakt_Loop.hpp>
#include <parallel/Exakt_ManySums.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// The products of row i of a matrix and x, as the terms of column i. \tparam Matrix  Operated, or what has its entries.
template <class Matrix, class X>
struct ProductsOfRows {
  using Operations = ProductOperations<double, double>;
  Matrix matrix;
  X x;

  KOKKOS_FORCEINLINE_FUNCTION FactorPair term(std::size_t j, std::size_t i) const {
    return {exact_double(matrix.entry(i, j)), exact_double(x(j))};
  }
};

/// The real products of row i / 2 of a matrix and x that are added to its real part, for even i, or to its imaginary part.
template <class Matrix, class X>
struct PartsOfRows {
  using Products = RealProductsOf<typename Matrix::Entry, EntryOf<X>>;
  using Operations = ProductOperations<double, double>;
  Matrix matrix;
  X x;

  KOKKOS_FORCEINLINE_FUNCTION FactorPair term(std::size_t j, std::size_t i) const {
    std::size_t const column = j / Products::per_part;
    return Products::of(i % 2 != 0, j % Products::per_part).factors(matrix.entry(i / 2, column), x(column));
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

/// Rows with an accumulator in memory at once: 10 MB of them.
inline constexpr std::size_t rows_in_memory = 16'384;

/// What becomes of a real row.
template <class Y>
struct FinishRow {
  Epilogue epilogue;
  Y y;

  KOKKOS_FORCEINLINE_FUNCTION EntryOf<Y>& at(std::size_t i) const { return y(i); }
  KOKKOS_FORCEINLINE_FUNCTION EntryOf<Y> old(std::size_t i) const { return epilogue.reads_y ? y(i) : EntryOf<Y>(); }
  KOKKOS_FORCEINLINE_FUNCTION bool try_round(Enclosure const& sum, EntryOf<Y>& result) const {
    return try_round_sum(epilogue, sum, exact_double(result), result);
  }
  KOKKOS_INLINE_FUNCTION EntryOf<Y> exactly(ExactProducts const& sum, EntryOf<Y> const& old_entry) const {
    return epilogue.template exactly<EntryOf<Y>>(sum, exact_double(old_entry), 1);
  }
};

/// y(i) := what the epilogue makes of both parts of row i, a thread for each, if their enclosures decide them.
template <class Space, class Y>
struct DecideComplexRows {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;
  static std::size_t scratch_size() { return 0; }

  PartsOfSums from;  // two sums for each row
  UndecidedSums undecided;
  EntryEpilogue epilogue;
  Y y;

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    std::size_t const number = number_of_thread(member), row = from.first / 2 + number;
    if (2 * number >= from.count) return;
    CascadedSum const sums[] = {from.merged(member, 2 * number), from.merged(member, 2 * number + 1)};
    Kokkos::single(Kokkos::PerThread(member), [&] {
      EntryOf<Y> const old = epilogue.reads_y ? y(row) : EntryOf<Y>();
      EntryOf<Y> result;
      if (try_parts(epilogue, sums, old, result)) {
        y(row) = result;
      } else {
        undecided.add(row);
      }
    });
  }
};

/// Complex entry i of y by one team, exactly.
template <class Member, class Matrix, class X, class Y>
KOKKOS_INLINE_FUNCTION void add_complex_row(Member const& member, Matrix const& matrix, X const& x,
                                            EntryEpilogue const& epilogue, Y const& y, std::size_t i) {
  ExactParts<true> sum;
  Kokkos::parallel_reduce(
      Kokkos::TeamVectorRange(member, x.extent(0)),
      [&](std::size_t j, ExactParts<true>& partial) { partial.add_product(matrix.entry(i, j), x(j)); },
      Reducer<ExactParts<true>>(sum));
  Kokkos::single(Kokkos::PerTeam(member), [&] { y(i) = epilogue.entry(sum, y(i)); });
}

/// The complex rows that are left, exactly: teams take them in turn.
template <class Space, class Matrix, class X, class Y>
struct AddUndecidedComplexRows {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;

  Matrix matrix;
  X x;
  UndecidedSums undecided;
  EntryEpilogue epilogue;
  Y y;

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    for (auto k = static_cast<std::size_t>(member.league_rank()); k < *undecided.count;
         k += static_cast<std::size_t>(member.league_size())) {
      add_complex_row(member, matrix, x, epilogue, y, static_cast<std::size_t>(undecided.numbers[k]));
      member.team_barrier();  // the next reduction writes where all threads read this one
    }
  }
};

/// What multiplies complex rows.
template <class Space, class Matrix, class X, class Y>
struct RowsOfParts {
  using Terms = PartsOfRows<Matrix, X>;
  static constexpr std::size_t sums_per_result = 2;

  Terms terms;
  std::size_t terms_of_sum;
  bool terms_are_neighbours;
  EntryEpilogue epilogue;
  Y y;

  auto decide(PartsOfSums const& from, UndecidedSums const& undecided) const {
    return DecideComplexRows<Space, Y>{from, undecided, epilogue, y};
  }
  void add(std::string const& label, Space const& space, UndecidedSums const& undecided, std::size_t rows) const {
    using Add = AddUndecidedComplexRows<Space, Matrix, X, Y>;
    Kokkos::parallel_for(
        label, typename Add::Policy(space, static_cast<int>(std::min(rows, teams_for_undecided_sums)), Kokkos::AUTO),
        held(Add{terms.matrix, terms.x, undecided, epilogue, y}));
  }
};

/// \brief y := epilogue of a matrix times x, real, enqueued.
///
/// \param neighbours  Whether neighbours in a row of the matrix are neighbours in memory.
/// \param at_once     Rows with enclosures in memory.
template <class Space, class Matrix, class X, class Y>
void multiply_by_teams(std::string const& label, Space const& space, Matrix const& matrix, bool neighbours, X const& x,
                       Epilogue const& epilogue, Y const& y, std::size_t at_once = sums_enclosed_at_once) {
  using Results = ResultsOfSums<Space, ProductsOfRows<Matrix, X>, FinishRow<Y>>;
  finish_sums(label, space, Results{{matrix, x}, x.extent(0), neighbours, FinishRow<Y>{epilogue, y}}, y.extent(0),
              at_once);
}

/// \brief The same, complex. \pre The matrix or x is.
template <class Space, class Matrix, class X, class Y>
void multiply_parts_by_teams(std::string const& label, Space const& space, Matrix const& matrix, bool neighbours,
                             X const& x, EntryEpilogue const& epilogue, Y const& y,
                             std::size_t at_once = sums_enclosed_at_once / 2) {
  using Results = RowsOfParts<Space, Matrix, X, Y>;
  finish_sums(label, space,
              Results{{matrix, x}, Results::Terms::Products::per_part * x.extent(0), neighbours, epilogue, y},
              y.extent(0), at_once);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
