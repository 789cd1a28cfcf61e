// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_TEAMSUMS_HPP
#define EXAKTBLAS_TEAMSUMS_HPP

/// \file
/// \brief The road of reductions on devices: folds in the registers of each thread, long accumulators in the scratch
/// memory of each team, one merge per team. It runs on any space.
///
///     rows --> threads, a tile each --> folds --> some accumulators per team --> one accumulator per column
///              side by side             int64     interleaved, integer atomics   integer atomics
///
/// The threads of a team read neighbouring rows. What a thread holds are heads and units, no accumulator; it turns to
/// the team's when its guess of the exponent was wrong, at its end, and with terms that folds cannot prove exact.

#include "ExaktBlas_Terms.hpp"

#include <Exakt_AtomicAccumulator.hpp>
#include <Exakt_Folds.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace Exakt::Impl {

/// Rows that one thread adds: first, first + stride, ...
template <class Terms>
struct ThreadRows {
  Terms const* terms;
  std::size_t column, first, stride;

  KOKKOS_FORCEINLINE_FUNCTION auto term(int i) const {
    return terms->term(first + static_cast<std::size_t>(i) * stride, column);
  }
};

/// A number or one of two factors of each of these rows.
enum class Part { number, x, y };
template <class Terms, Part part>
struct TermsOfRows {
  ThreadRows<Terms> rows;

  KOKKOS_FORCEINLINE_FUNCTION double operator()(int i) const {
    auto const term = rows.term(i);
    if constexpr (part == Part::number) {
      return term;
    } else {
      return part == Part::x ? term.x : term.y;
    }
  }
};

template <class Terms>
KOKKOS_FORCEINLINE_FUNCTION auto tile_of(ThreadRows<Terms> const& rows, int count) {
  if constexpr (std::is_same_v<decltype(rows.term(0)), double>) {
    using Numbers = TermsOfRows<Terms, Part::number>;
    return EntryTile<Numbers>({rows}, count);
  } else {
    using X = EntryTile<TermsOfRows<Terms, Part::x>>;
    using Y = EntryTile<TermsOfRows<Terms, Part::y>>;
    return ProductTile<X, Y>(X({rows}, count), Y({rows}, count));
  }
}

/// A guess of the exponents of terms like this one. Heads leave room for a sum of 2^11 times the size.
KOKKOS_FORCEINLINE_FUNCTION int exponent_like(double term) {
  double const size = magnitude_of(term);
  return size < HUGE_VAL ? exponent_above(size) : 0;
}
KOKKOS_FORCEINLINE_FUNCTION int exponent_like(FactorPair const& term) {
  double const size = magnitude_of(term.x) * magnitude_of(term.y);
  return size < HUGE_VAL ? exponent_above(size) : 0;
}

/// \brief Adds the share of one thread: rows begin, begin + stride, ..., as many as make a tile, and the same again
/// each `step` rows.
///
/// \tparam rows_of_tile  Rows that are proved exact together.
template <int rows_of_tile, class Terms, class Accumulator>
KOKKOS_FORCEINLINE_FUNCTION void add_tiles(Terms const& terms, std::size_t column, std::size_t begin,
                                           std::size_t stride, std::size_t step, std::size_t rows, Accumulator shared) {
  if (begin >= rows) return;
  bool const trusted = fp_environment_is_default();
  Folds<Accumulator, Terms::Source::levels> folds(exponent_like(terms.term(begin, column)));
  for (; begin < rows; begin += step) {
    std::size_t const rest = (rows - begin + stride - 1) / stride;
    int const count = rest < rows_of_tile ? static_cast<int>(rest) : rows_of_tile;
    ThreadRows<Terms> const mine{&terms, column, begin, stride};
    if (trusted && folds.add_tile(tile_of(mine, count), shared)) continue;
    for (int i = 0; i < count; ++i) add_term(shared, mine.term(i));
  }
  folds.drain(shared);
}

/// One accumulator per column, one after the other.
template <class Long, class Words>
struct Totals {
  using Accumulator = AtomicAccumulator<Long>;
  Words words;

  KOKKOS_FUNCTION Accumulator of(std::size_t column) const {
    return {words.data() + column * Accumulator::word_count, 1};
  }
  KOKKOS_FUNCTION Long sum(std::size_t column) const { return of(column).sum(); }

  template <class OtherWords>
  Totals<Long, OtherWords> in(OtherWords const& other) const {
    return {other};
  }
};

/// Sums of nothing.
template <class Long, class Space>
auto empty_totals(std::string const& label, Space const& space, std::size_t columns) {
  using Words = Kokkos::View<Word*, typename Space::memory_space>;
  return Totals<Long, Words>{Words(Kokkos::view_alloc(space, label), columns * AtomicAccumulator<Long>::word_count)};
}

/// A column for each `teams_per_column` teams.
template <class Space, class Terms>
struct TeamSums {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;
  using Long = typename Terms::Source::Long;
  using Accumulator = AtomicAccumulator<Long>;
  using Words = Kokkos::View<Word*, typename Space::memory_space>;
  using ScratchWords = Kokkos::View<Word*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  /// Rows of a thread that are proved exact together.
  static constexpr int rows_of_tile = 64;
  /// Threads that share one of the team's accumulators contend for its digits; each takes 0.3 or 0.6 KB.
  static constexpr int accumulators_per_team = 8;
  static constexpr int words_per_team = accumulators_per_team * Accumulator::word_count;

  Terms terms;
  Totals<Long, Words> totals;
  std::size_t rows, first_column;
  int teams_per_column;

  static std::size_t scratch_size() { return ScratchWords::shmem_size(words_per_team); }

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    ScratchWords const words(member.team_scratch(0), words_per_team);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, words_per_team), [&](int i) { words(i) = 0; });
    member.team_barrier();

    auto const team = static_cast<std::size_t>(member.league_rank() % teams_per_column);
    auto const column = static_cast<std::size_t>(member.league_rank() / teams_per_column);
    Kokkos::single(Kokkos::PerThread(member), [&] {
      add_rows(team, static_cast<std::size_t>(member.team_rank()), static_cast<std::size_t>(member.team_size()),
               first_column + column, words.data());
    });
    member.team_barrier();

    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, words_per_team),
                         [&](int i) { totals.of(column).merge_word(i / accumulators_per_team, words(i)); });
  }

 private:
  /// The share of one thread: every teams_per_column-th block of rows, from its own first row on.
  KOKKOS_INLINE_FUNCTION void add_rows(std::size_t team, std::size_t thread, std::size_t threads, std::size_t column,
                                       Word* words) const {
    std::size_t const block = threads * rows_of_tile;
    add_tiles<rows_of_tile>(terms, column, team * block + thread, threads,
                            static_cast<std::size_t>(teams_per_column) * block, rows,
                            Accumulator(words + thread % accumulators_per_team, accumulators_per_team));
  }
};

/// \brief Adds the terms of `columns` columns to their totals, enqueued.
///
/// \param team_size  Threads; 0: as Kokkos recommends.
template <class Space, class Terms, class Sums>
void add_by_teams(std::string const& label, Space const& space, Terms const& terms, std::size_t rows,
                  std::size_t first_column, std::size_t columns, Sums const& totals, int team_size = 0) {
  using Kernel = TeamSums<Space, Terms>;
  using Policy = typename Kernel::Policy;
  Kernel kernel{terms, totals, rows, first_column, 1};
  if (rows == 0 || columns == 0) return;

  auto const scratch = Kokkos::PerTeam(kernel.scratch_size());
  auto const sized = [&](int league, int team) {
    Policy policy = team > 0 ? Policy(space, league, team) : Policy(space, league, Kokkos::AUTO);
    policy.set_scratch_size(0, scratch);
    return policy;
  };
  // As many teams as can run at once, for all columns together, and no more than have something to do.
  int const threads = team_size > 0 ? team_size : sized(1, 0).team_size_recommended(kernel, Kokkos::ParallelForTag());
  std::size_t const at_once = std::max<std::size_t>(static_cast<std::size_t>(space.concurrency()) / threads, 1);
  std::size_t const blocks = (rows - 1) / (static_cast<std::size_t>(threads) * Kernel::rows_of_tile) + 1;
  kernel.teams_per_column = static_cast<int>(std::min(blocks, std::max<std::size_t>(at_once / columns, 1)));
  Kokkos::parallel_for(label, sized(kernel.teams_per_column * static_cast<int>(columns), threads), kernel);
}

/// \brief The exact sums of the terms of `columns` columns, enqueued.
template <class Space, class Terms>
auto sums_by_teams(std::string const& label, Space const& space, Terms const& terms, std::size_t rows,
                   std::size_t first_column, std::size_t columns, int team_size = 0) {
  auto const totals = empty_totals<typename Terms::Source::Long>(label, space, columns);
  add_by_teams(label, space, terms, rows, first_column, columns, totals, team_size);
  return totals;
}

/// result(j) := the sum of column j, rounded once.
template <class Sums, class Round, class Result>
struct RoundTotals {
  Sums totals;
  Round round;
  Result result;
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t column) const {
    if constexpr (Result::rank == 0) {
      result() = round(totals.sum(column));
    } else {
      result(column) = round(totals.sum(column));
    }
  }
};

}  // namespace Exakt::Impl

#endif
