// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_MANYSUMS_HPP
#define EXAKT_MANYSUMS_HPP

/// \file
/// \brief Many sums on devices, such as those of columns, or of the rows of a matrix times a vector: in three kernels, none of
/// which the host waits for.
///
///     enclose   three doubles and a bound for each sum, or for each part of it where there are few sums
///     decide    the parts of each sum merged, and the result, as far as that decides it
///     add       the sums that are left, a team for each: more doubles, and exactly where these do not decide
///
/// The vector lanes of a thread share a sum whose terms are neighbours in memory; elsewhere each has a sum of its own, so that
/// neighbouring lanes read neighbouring numbers either way. It runs on any space.

#include "Exakt_Pieces.hpp"
#include "Exakt_TeamSums.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

inline constexpr int lanes_of_thread = 32;  // that all devices have
inline constexpr int threads_of_small_team = 8;

/// Sums with enclosures in memory at once: 32 MB of them, or more of few long ones.
inline constexpr std::size_t sums_enclosed_at_once = std::size_t{1} << 20;

/// Enclosures of some sums, by parts: those of a sum are neighbours.
struct PartsOfSums {
  CascadedSum* parts_of;
  std::size_t first, count, terms, parts;

  KOKKOS_FORCEINLINE_FUNCTION Span terms_of(std::size_t part) const {
    std::size_t const size = (terms + parts - 1) / parts, begin = part * size;
    return {begin < terms ? begin : terms, begin + size < terms ? begin + size : terms};
  }
  /// Of one sum, merged by the vector lanes of a thread. \param i  From 0, not from `first`.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION CascadedSum merged(Member const& member, std::size_t i) const {
    CascadedSum sum;
    CascadedSum const* const some = parts_of + i * parts;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, parts), [&](std::size_t part, CascadedSum& mine) { mine += some[part]; },
        Reducer<CascadedSum>(sum));
    return sum;
  }
};

/// The number of a thread among those of all teams.
template <class Member>
KOKKOS_FORCEINLINE_FUNCTION std::size_t number_of_thread(Member const& member) {
  return static_cast<std::size_t>(member.league_rank()) * static_cast<std::size_t>(member.team_size()) +
         static_cast<std::size_t>(member.team_rank());
}

/// \brief A part of a sum for each thread, or of lanes_of_thread sums.
/// \tparam Terms  term(j, i) is term j of sum i.
template <class Space, class Terms>
struct EncloseSums {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;
  static std::size_t scratch_size() { return 0; }

  Terms terms;
  PartsOfSums to;
  bool lanes_share_sum;

  std::size_t groups() const { return lanes_share_sum ? to.count : (to.count + lanes_of_thread - 1) / lanes_of_thread; }

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    std::size_t const task = number_of_thread(member);
    std::size_t const group = task / to.parts, part = task % to.parts;
    Span const some = to.terms_of(part);
    constexpr std::size_t batch = TermBatchOf<Terms>::count;
    if (lanes_share_sum) {
      if (group >= to.count) return;
      CascadedSum sum;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(member, lanes_of_thread),
          [&](int lane, CascadedSum& mine) {
            for (std::size_t j = some.begin + static_cast<std::size_t>(lane); j < some.end;
                 j += batch * lanes_of_thread)
              batch_of(terms, to.first + group, j, lanes_of_thread, some.end).add_to(mine);
          },
          Reducer<CascadedSum>(sum));
      Kokkos::single(Kokkos::PerThread(member), [&] { to.parts_of[group * to.parts + part] = sum; });
    } else {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, lanes_of_thread), [&](int lane) {
        std::size_t const i = group * lanes_of_thread + static_cast<std::size_t>(lane);
        if (i >= to.count) return;
        CascadedSum sum;
        for (std::size_t j = some.begin; j < some.end; j += batch)
          batch_of(terms, to.first + i, j, 1, some.end).add_to(sum);
        to.parts_of[i * to.parts + part] = sum;
      });
    }
  }
};

/// The numbers of the results that enclosures leave.
struct UndecidedSums {
  Word* count;
  Word* numbers;

  KOKKOS_FORCEINLINE_FUNCTION void add(std::size_t i) const { numbers[Kokkos::atomic_fetch_add(count, Word{1})] = i; }
};

/// Result i of sum i, a thread for each, if its enclosure decides it.
template <class Space, class Finish>
struct DecideSums {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;
  static std::size_t scratch_size() { return 0; }

  PartsOfSums from;
  UndecidedSums undecided;
  Finish finish;

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    std::size_t const number = number_of_thread(member), i = from.first + number;
    if (number >= from.count) return;
    CascadedSum const sum = from.merged(member, number);
    Kokkos::single(Kokkos::PerThread(member), [&] {
      auto result = finish.old(i);
      if (finish.try_round(sum.enclosure(), result)) {
        finish.at(i) = result;
      } else {
        undecided.add(i);
      }
    });
  }
};

/// The sums that are left: teams take them in turn.
template <class Space, class Terms, class Finish>
struct AddUndecidedSums {
  using Sums = TeamSums<Space, Terms>;
  using Policy = typename Sums::Policy;
  using Member = typename Sums::Member;
  using Accumulator = typename Sums::Accumulator;
  using ScratchWords = typename Sums::ScratchWords;

  Terms terms;
  std::size_t count_of_terms;
  UndecidedSums undecided;
  Finish finish;

  static constexpr int words_per_team = Sums::words_per_team + Accumulator::word_count;
  static std::size_t scratch_size() { return ScratchWords::shmem_size(words_per_team); }

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    int const word_count = words_per_team;
    ScratchWords const words(member.team_scratch(0), word_count);  // once: each View takes some of it for good
    auto const count = static_cast<std::size_t>(*undecided.count);
    for (auto k = static_cast<std::size_t>(member.league_rank()); k < count;
         k += static_cast<std::size_t>(member.league_size())) {
      std::size_t const i = undecided.numbers[k];
      if (!try_sum(member, i)) add_exactly(member, words, i);
    }
  }

 private:
  /// Whether it is decided, and then written; the same for all threads.
  EXAKT_NOINLINE_FUNCTION bool try_sum(Member const& member, std::size_t i) const {
    auto const threads = static_cast<std::size_t>(member.team_size());
    constexpr std::size_t batch = TermBatchOf<Terms>::count;
    WideCascade mine, sum;
    for (std::size_t j = static_cast<std::size_t>(member.team_rank()); j < count_of_terms; j += batch * threads)
      batch_of(terms, i, j, threads, count_of_terms).add_to(mine);
    member.team_barrier();
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(member, member.team_size()), [&](int, WideCascade& all) { all += mine; },
        Reducer<WideCascade>(sum));
    auto result = finish.old(i);
    bool const decided = finish.try_round(sum.enclosure(), result);
    member.team_barrier();  // all have read it
    if (decided) Kokkos::single(Kokkos::PerTeam(member), [&] { finish.at(i) = result; });
    return decided;
  }

  EXAKT_NOINLINE_FUNCTION void add_exactly(Member const& member, ScratchWords const& words, std::size_t i) const {
    Accumulator const total(words.data() + Sums::words_per_team, 1);
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, static_cast<int>(words_per_team)),
                         [&](int k) { words(k) = 0; });
    member.team_barrier();
    Sums::add_by_team(member, terms, 0, 1, count_of_terms, i, words.data());
    member.team_barrier();
    Sums::merge(member, words.data(), total);
    member.team_barrier();
    Kokkos::single(Kokkos::PerTeam(member), [&] { finish.at(i) = finish.exactly(total.sum(), finish.old(i)); });
  }
};

inline constexpr std::size_t teams_for_undecided_sums = 256;

/// \brief A result for each sum of real terms.
///
/// \tparam Terms   term(j, i) is term j of sum i.
/// \tparam Finish  What becomes of sum i: `at(i)` is where its result goes, `old(i)` what that was, as far as it is read;
///                 `try_round(enclosure, result)`, which is old before, and `exactly(sum, old)`.
template <class Space, class Terms_, class Finish>
struct ResultsOfSums {
  using Terms = Terms_;
  static constexpr std::size_t sums_per_result = 1;

  Terms terms;
  std::size_t terms_of_sum;
  bool terms_are_neighbours;
  Finish finish;

  auto decide(PartsOfSums const& from, UndecidedSums const& undecided) const {
    return DecideSums<Space, Finish>{from, undecided, finish};
  }
  void add(std::string const& label, Space const& space, UndecidedSums const& undecided, std::size_t results) const {
    using Add = AddUndecidedSums<Space, Terms, Finish>;
    Add const add{terms, terms_of_sum, undecided, finish};
    int const threads = large_team<Add>(space, held(add), Add::Sums::threads_that_share);
    Kokkos::parallel_for(label, policy_of_teams<Add>(space, std::min(results, teams_for_undecided_sums), threads),
                         held(add));
  }
};

/// \brief The kernels, enqueued, for some results at a time.
/// \tparam Results  ResultsOfSums, or what has its members.
template <class Space, class Results>
class ManySums {
  using Enclose = EncloseSums<Space, typename Results::Terms>;

 public:
  ManySums(std::string const& label, Space const& space, Results const& results)
      : m_label(label), m_space(space), m_results(results) {}

  void run(Span some) const {
    constexpr std::size_t sums_per_result = Results::sums_per_result;
    Enclose enclose{m_results.terms,
                    {nullptr, sums_per_result * some.begin, sums_per_result * some.size(), m_results.terms_of_sum, 1},
                    m_results.terms_are_neighbours};
    enclose.to.parts = parts(enclose.groups());
    std::size_t const sums = enclose.to.count * enclose.to.parts;
    ScratchMemory<Space> const memory(m_space, sums * sizeof(CascadedSum) + (some.size() + 1) * sizeof(Word));
    enclose.to.parts_of = reinterpret_cast<CascadedSum*>(memory.data());
    auto* const numbers = reinterpret_cast<Word*>(enclose.to.parts_of + sums);
    UndecidedSums const undecided{numbers, numbers + 1};

    run(enclose, enclose.groups() * enclose.to.parts);
    using Count = Kokkos::View<Word, typename Space::memory_space, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(m_space, Count(undecided.count), Word{0});
    run(m_results.decide(enclose.to, undecided), some.size());
    m_results.add(m_label, m_space, undecided, some.size());
  }

 private:
  /// Of a sum, for all threads that can run at once, and four times as many where that leaves long ones.
  std::size_t parts(std::size_t groups) const {
    constexpr std::size_t batch = TermBatchOf<typename Results::Terms>::count, short_part = 4 * batch,
                          long_part = 32 * batch;
    std::size_t const lanes = m_results.terms_are_neighbours ? lanes_of_thread : 1,
                      threads = threads_at_once(m_space) / (is_on_host_v<Space> ? 1 : lanes_of_thread);
    auto const of = [&](std::size_t times, std::size_t least) {
      return std::min((times * threads + groups - 1) / groups,
                      (m_results.terms_of_sum + lanes * least - 1) / (lanes * least));
    };
    return std::max({of(2, short_part), of(4, long_part), std::size_t{1}});
  }

  /// A task for each thread.
  template <class Kernel>
  void run(Kernel const& kernel, std::size_t tasks) const {
    int const most = policy_of_teams<Kernel>(m_space, 1, 1, lanes_of_thread)
                         .team_size_max(held(kernel), Kokkos::ParallelForTag()),
              threads = std::min(threads_of_small_team, most);
    std::size_t const teams = (tasks + static_cast<std::size_t>(threads) - 1) / static_cast<std::size_t>(threads);
    Kokkos::parallel_for(m_label, policy_of_teams<Kernel>(m_space, teams, threads, lanes_of_thread), held(kernel));
  }

  std::string m_label;
  Space m_space;
  Results m_results;
};

/// \brief All results, enqueued. \param at_once  Results with enclosures in memory.
template <class Space, class Results>
void finish_sums(std::string const& label, Space const& space, Results const& results, std::size_t count,
                 std::size_t at_once) {
  ManySums const sums(label, space, results);
  for (Span const some : Pieces{{0, count}, at_once}) sums.run(some);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
