// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_TEAMSUMS_HPP
#define EXAKT_TEAMSUMS_HPP

/// \file
/// \brief The path of reductions on devices, on any space: an enclosure first, if a number is wanted,
///
///     rows --> threads, a few each --> three doubles and a bound --> merged by teams --> merged by the host --> decided?
///
/// and where that does not decide, or no enclosure will do, the exact sum: extraction in the registers of each thread, long
/// accumulators in the scratch memory of each team, one merge per team.
///
///     rows --> threads, a few each --> extraction --> some accumulators per team --> one accumulator per column
///              side by side            int64     interleaved, integer atomics   integer atomics
///
/// The threads of a team read neighbouring rows. What a thread holds are heads and units, no accumulator; it turns to
/// the team's when its guess of the exponent was wrong, at its end, and with terms that extraction cannot prove exact.

#include "../Exakt_AtomicAccumulator.hpp"
#include "../Exakt_Reducer.hpp"
#include "../numerics/Exakt_ExactTerm.hpp"
#include "../summation/Exakt_CascadedSum.hpp"
#include "../summation/Exakt_Extraction.hpp"
#include "Exakt_ColumnTiles.hpp"
#include "Exakt_Loop.hpp"
#include "Exakt_ScratchMemory.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief Terms that a thread reads before it adds the first one, and are proved exact together: each is asked for
/// once, and `count` of them keep eight loads under way.
template <class Term>
class TermBatch;

/// Numbers.
template <>
class TermBatch<double> {
 public:
  static constexpr int count = 8;

  /// Rounded here: what made the term is not fused with the addition to come.
  KOKKOS_FORCEINLINE_FUNCTION void set(int i, double term) { m_terms[i] = opaque(term); }
  KOKKOS_FORCEINLINE_FUNCTION void set_empty(int i) { m_terms[i] = 0; }

  KOKKOS_FORCEINLINE_FUNCTION auto tile() const { return TermTile<double>(m_terms, count); }
  template <class Sum>
  KOKKOS_FORCEINLINE_FUNCTION void add_to(Sum& sum) const {
    EXAKT_UNROLLED_LOOP
    for (int i = 0; i < count; ++i) sum += m_terms[i];
  }
  template <class Sum>
  KOKKOS_FORCEINLINE_FUNCTION void add_each_to(Sum& sum) const {
    TermBatch const copy = *this;  // in memory, so that this may stay in registers
    EXAKT_ROLLED_LOOP
    for (int i = 0; i < count; ++i) add_term(sum, copy.m_terms[i]);
  }

 private:
  double m_terms[count];
};

/// Pairs of factors.
template <>
class TermBatch<FactorPair> {
 public:
  static constexpr int count = 4;

  KOKKOS_FORCEINLINE_FUNCTION void set(int i, FactorPair const& term) {
    m_x[i] = term.x;
    m_y[i] = term.y;
  }
  KOKKOS_FORCEINLINE_FUNCTION void set_empty(int i) { m_x[i] = m_y[i] = 0; }

  KOKKOS_FORCEINLINE_FUNCTION auto tile() const { return ProductTile<double, double>(m_x, m_y, count); }
  template <class Sum>
  KOKKOS_FORCEINLINE_FUNCTION void add_to(Sum& sum) const {
    EXAKT_UNROLLED_LOOP
    for (int i = 0; i < count; ++i) sum.add_product(m_x[i], m_y[i]);
  }
  template <class Sum>
  KOKKOS_FORCEINLINE_FUNCTION void add_each_to(Sum& sum) const {
    TermBatch const copy = *this;
    EXAKT_ROLLED_LOOP
    for (int i = 0; i < count; ++i) add_term(sum, FactorPair{copy.m_x[i], copy.m_y[i]});
  }

 private:
  double m_x[count], m_y[count];
};

template <class Terms>
using TermOf = std::decay_t<decltype(std::declval<Terms const&>().term(0, 0))>;
template <class Terms>
using TermBatchOf = TermBatch<TermOf<Terms>>;

/// The terms of the rows row, row + stride, ... as far as there are rows.
template <class Terms>
KOKKOS_FORCEINLINE_FUNCTION TermBatchOf<Terms> batch_of(Terms const& terms, std::size_t column, std::size_t row,
                                                        std::size_t stride, std::size_t rows) {
  TermBatchOf<Terms> kept;
  EXAKT_UNROLLED_LOOP
  for (int i = 0; i < kept.count; ++i, row += stride) {
    if (row < rows) {
      kept.set(i, terms.term(row, column));
    } else {
      kept.set_empty(i);
    }
  }
  return kept;
}

/// Threads that run at once: on devices registers leave room for a quarter of those that there could be.
template <class Space>
std::size_t threads_at_once(Space const& space) {
  auto const most = static_cast<std::size_t>(space.concurrency());
  return is_on_host_v<Space> ? most : most / 4;
}

/// \brief Adds the share of one thread: rows begin, begin + stride, ..., as many as are kept at once, and the same
/// again each `step` rows.
template <class Terms, class Accumulator>
KOKKOS_FORCEINLINE_FUNCTION void add_share(Terms const& terms, std::size_t column, std::size_t begin,
                                           std::size_t stride, std::size_t step, std::size_t rows, Accumulator shared) {
  bool const trusted = fp_environment_is_default();
  Extraction<Accumulator, Terms::Operations::levels> extraction;
  for (; begin < rows; begin += step) {
    auto const kept = batch_of(terms, column, begin, stride, rows);
    if (!trusted || !extraction.add_tile(kept.tile(), shared)) kept.add_each_to(shared);
  }
  extraction.drain(shared);
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
  using Long = typename Terms::Operations::Long;
  using Accumulator = AtomicAccumulator<Long>;
  using Words = Kokkos::View<Word*, typename Space::memory_space, Kokkos::MemoryUnmanaged>;
  using ScratchWords = Kokkos::View<Word*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  /// Threads that share one of the team's accumulators contend for its digits; each takes 0.3 or 0.6 KB.
  static constexpr int accumulators_per_team = 8, threads_that_share = 16 * accumulators_per_team;
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
    add_by_team(member, terms, team, static_cast<std::size_t>(teams_per_column), rows, first_column + column,
                words.data());
    member.team_barrier();
    merge(member, words.data(), totals.of(column));
  }

  /// The share of a team, one of `teams`: every teams-th block of rows. To words_per_team words that are zero.
  static KOKKOS_INLINE_FUNCTION void add_by_team(Member const& member, Terms const& terms, std::size_t team,
                                                 std::size_t teams, std::size_t rows, std::size_t column, Word* words) {
    auto const thread = static_cast<std::size_t>(member.team_rank()),
               threads = static_cast<std::size_t>(member.team_size());
    std::size_t const block = threads * TermBatchOf<Terms>::count;
    Kokkos::single(Kokkos::PerThread(member), [&] {
      add_share(terms, column, team * block + thread, threads, teams * block, rows,
                Accumulator(words + thread % accumulators_per_team, accumulators_per_team));
    });
  }

  /// Of a team's words to an accumulator that others may be adding to.
  static KOKKOS_INLINE_FUNCTION void merge(Member const& member, Word const* words, Accumulator total) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, words_per_team),
                         [&](int i) { total.merge_word(i / accumulators_per_team, words[i]); });
  }
};

/// As many teams as Kokkos takes at once. \throws std::length_error
inline int league_of(std::size_t teams) {
  constexpr int most = std::numeric_limits<int>::max();
  if (teams > static_cast<std::size_t>(most))
    throw std::length_error("Exakt: " + std::to_string(teams) + " teams of threads; a Kokkos::TeamPolicy has at most " +
                            std::to_string(most));
  return static_cast<int>(teams);
}

/// \brief A policy of teams with the scratch memory that Kernel asks for.
///
/// \param team_size  Threads; 0: as many as Kokkos takes.
/// \param lanes      Of each thread; none for one.
template <class Kernel, class Space, class... Lanes>
typename Kernel::Policy policy_of_teams(Space const& space, std::size_t teams, int team_size, Lanes... lanes) {
  using Policy = typename Kernel::Policy;
  int const league = league_of(teams);
  Policy policy =
      team_size > 0 ? Policy(space, league, team_size, lanes...) : Policy(space, league, Kokkos::AUTO, lanes...);
  policy.set_scratch_size(0, Kokkos::PerTeam(Kernel::scratch_size()));
  return policy;
}

/// Threads of a team: as many as are asked for, or as Kokkos recommends for `functor`, which runs a Kernel.
template <class Kernel, class Space, class Functor, class... Lanes>
int threads_of_team(Space const& space, Functor const& functor, int team_size, Lanes... lanes) {
  if (team_size > 0) return team_size;
  return policy_of_teams<Kernel>(space, 1, 0, lanes...).team_size_recommended(functor, Kokkos::ParallelForTag());
}

/// Threads of a team: as many, or as there can be. There is less to merge than with the small ones that Kokkos recommends.
template <class Kernel, class Space, class Functor>
int large_team(Space const& space, Functor const& functor, int threads) {
  return std::min(threads, policy_of_teams<Kernel>(space, 1, 1).team_size_max(functor, Kokkos::ParallelForTag()));
}

/// \brief Adds the terms of `columns` columns to their totals, enqueued.
///
/// \param team_size  Threads; 0: as many as take the least time.
template <class Space, class Terms, class Sums>
void add_by_teams(std::string const& label, Space const& space, Terms const& terms, std::size_t rows,
                  std::size_t first_column, std::size_t columns, Sums const& totals, int team_size = 0) {
  using Kernel = TeamSums<Space, Terms>;
  Kernel kernel{terms, {totals.words}, rows, first_column, 1};
  if (rows == 0 || columns == 0) return;

  // As many teams as can run at once, for all columns together, and no more than have something to do.
  int const threads = team_size > 0 ? team_size : large_team<Kernel>(space, kernel, Kernel::threads_that_share);
  std::size_t const at_once = std::max<std::size_t>(threads_at_once(space) / static_cast<std::size_t>(threads), 1);
  std::size_t const blocks = (rows - 1) / (static_cast<std::size_t>(threads) * TermBatchOf<Terms>::count) + 1;
  kernel.teams_per_column = static_cast<int>(std::min(blocks, std::max<std::size_t>(at_once / columns, 1)));
  std::size_t const teams = static_cast<std::size_t>(kernel.teams_per_column) * columns;
  Kokkos::parallel_for(label, policy_of_teams<Kernel>(space, teams, threads), kernel);
}

/// The enclosure of a column, by all teams: a part each.
template <class Space, class Terms, class Sum>
struct TeamEnclosures {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;
  static std::size_t scratch_size() { return 0; }

  Terms terms;
  std::size_t rows, column;
  Sum* parts;

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    auto const team = static_cast<std::size_t>(member.league_rank()),
               teams = static_cast<std::size_t>(member.league_size()),
               thread = static_cast<std::size_t>(member.team_rank()),
               threads = static_cast<std::size_t>(member.team_size());
    std::size_t const block = threads * TermBatchOf<Terms>::count;
    Sum mine, all;
    for (std::size_t row = team * block + thread; row < rows; row += teams * block)
      batch_of(terms, column, row, threads, rows).add_to(mine);
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(member, member.team_size()), [&](int, Sum& sum) { sum += mine; }, Reducer<Sum>(all));
    Kokkos::single(Kokkos::PerTeam(member), [&] { parts[team] = all; });
  }
};

/// \brief What a cascade, or another Sum of its kind, knows of the sum of the terms of one column. Waits for it.
///
/// \param team_size  Threads; 0: as many as take the least time.
template <class Sum = CascadedSum, class Space, class Terms>
auto enclosed_by_teams(std::string const& label, Space const& space, Terms const& terms, std::size_t rows,
                       std::size_t column, int team_size = 0) {
  using Kernel = TeamEnclosures<Space, Terms, Sum>;
  using Parts = Kokkos::View<Sum*, PinnedSpace<Space>>;
  Kernel kernel{terms, rows, column, nullptr};
  constexpr int large = 512;
  int const threads = team_size > 0 ? team_size : large_team<Kernel>(space, held(kernel), large);
  std::size_t const block = static_cast<std::size_t>(threads) * TermBatchOf<Terms>::count,
                    blocks = (rows + block - 1) / block,
                    third = std::max<std::size_t>(threads_at_once(space) / static_cast<std::size_t>(threads), 1),
                    at_once = 3 * third;
  // The host takes as long for 40 parts as a device for a million terms.
  constexpr std::size_t many_blocks = 16;
  std::size_t const teams = std::min(blocks, blocks < many_blocks * at_once ? 2 * third : at_once);
  Parts parts = Kept<Parts>::take();
  if (parts.extent(0) < at_once)
    parts = Parts(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::parts"), at_once);
  kernel.parts = parts.data();
  if (teams > 0) Kokkos::parallel_for(label, policy_of_teams<Kernel>(space, teams, threads), held(kernel));
  space.fence();
  decltype(std::declval<Sum>().enclosure()) result;
  in_default_environment([&] {
    // Some that do not wait for each other.
    constexpr std::size_t chains = 4;
    Sum sums[chains];
    for (std::size_t team = 0; team < teams; ++team) sums[team % chains].merge(parts(team));
    for (std::size_t chain = 1; chain < chains; ++chain) sums[0].merge(sums[chain]);
    result = sums[0].enclosure();
  });
  Kept<Parts>::give_back(parts);
  return result;
}

/// \brief The exact sums of the terms of `columns` columns, enqueued.
template <class Space, class Terms>
auto sums_by_teams(std::string const& label, Space const& space, Terms const& terms, std::size_t rows,
                   std::size_t first_column, std::size_t columns, int team_size = 0) {
  auto const totals = empty_totals<typename Terms::Operations::Long>(label, space, columns);
  add_by_teams(label, space, terms, rows, first_column, columns, totals, team_size);
  return totals;
}

/// \brief The exact sum of the terms of one column. Waits for it.
template <class Space, class Terms>
auto sum_by_teams(std::string const& label, Space const& space, Terms const& terms, std::size_t rows,
                  std::size_t column) {
  using Long = typename Terms::Operations::Long;
  constexpr std::size_t count = AtomicAccumulator<Long>::word_count;
  // Zeros, whatever they were for.
  using Words = Kokkos::View<Word*, typename Space::memory_space>;
  Words kept = Kept<Words>::take();
  if (kept.extent(0) < count) kept = Words(Kokkos::view_alloc(space, "Exakt::words"), count);
  Words const words(kept, std::pair<std::size_t, std::size_t>(0, count));
  add_by_teams(label, space, terms, rows, column, 1, Totals<Long, Words>{words});
  Word copied[count];
  using Here = Kokkos::View<Word*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Here const here(copied, count);
  Kokkos::deep_copy(space, here, words);
  Kokkos::deep_copy(space, words, Word{0});
  space.fence();
  Kept<Words>::give_back(kept);
  return Totals<Long, Here>{here}.sum(0);
}

/// The entries of a column as terms, or the products of the entries of two columns; for teams.
template <class... V>
struct ColumnTerms;
template <class X>
struct ColumnTerms<X> {
  struct Operations {
    using Long = LongAccumulator<double>;
    static constexpr int levels = 3;
  };
  X x;
  KOKKOS_FORCEINLINE_FUNCTION double term(std::size_t row, std::size_t column) const {
    return exact_double(ColumnTiles<X>{x}.entry(row, column));
  }
};
template <class X, class Y>
struct ColumnTerms<X, Y> {
  struct Operations {
    using Long = LongAccumulator<double, 56, Terms::products>;
    static constexpr int levels = 4;
  };
  X x;
  Y y;
  KOKKOS_FORCEINLINE_FUNCTION FactorPair term(std::size_t row, std::size_t column) const {
    return {exact_double(ColumnTiles<X>{x}.entry(row, column)), exact_double(ColumnTiles<Y>{y}.entry(row, column))};
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
