// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_TEAMMATRIXVECTOR_HPP
#define EXAKTBLAS_TEAMMATRIXVECTOR_HPP

/// \file
/// \brief Rows of a matrix times a vector on devices, in three kernels, none of which the host waits for.
///
///     enclose   three doubles and a bound for each row, or for each part of it where there are few rows
///     decide    the parts of each row merged, and y, as far as that decides it
///     add       the rows that are left, exactly, a team for each
///
/// The vector lanes of a thread share a row where its entries are neighbours; elsewhere each has a row of its own, so that
/// neighbouring lanes read neighbouring entries either way.
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

/// The real products of row i / 2 of op(A) and x that are added to its real part, for even i, or to its imaginary part.
template <class A, class X>
struct PartsOfRows {
  using Products = RealProductsOf<EntryOf<A>, EntryOf<X>>;
  using Operations = ProductOperations<double, double>;
  Operated<A> matrix;
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

inline constexpr int lanes_of_thread = 32;  // that all devices have
inline constexpr int threads_of_row_team = 8;

/// Rows with enclosures in memory at once: 32 MB of them, or more of few long rows.
inline constexpr std::size_t rows_enclosed_at_once = std::size_t{1} << 20;

/// Enclosures of the products of some rows, by parts: those of a row are neighbours.
struct RowParts {
  CascadedSum* sums;
  std::size_t first_row, rows, columns, parts;

  KOKKOS_FORCEINLINE_FUNCTION Span columns_of(std::size_t part) const {
    std::size_t const size = (columns + parts - 1) / parts, begin = part * size;
    return {begin < columns ? begin : columns, begin + size < columns ? begin + size : columns};
  }
};

/// Of a thread among those of all teams.
template <class Member>
KOKKOS_FORCEINLINE_FUNCTION std::size_t number_of_thread(Member const& member) {
  return static_cast<std::size_t>(member.league_rank()) * static_cast<std::size_t>(member.team_size()) +
         static_cast<std::size_t>(member.team_rank());
}

/// \brief A part of a row for each thread, or of lanes_of_thread rows.
template <class Space, class Terms>
struct EncloseRows {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;
  static std::size_t scratch_size() { return 0; }

  Terms terms;
  RowParts to;
  bool lanes_share_row;

  std::size_t groups() const { return lanes_share_row ? to.rows : (to.rows + lanes_of_thread - 1) / lanes_of_thread; }

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    std::size_t const task = number_of_thread(member);
    std::size_t const group = task / to.parts, part = task % to.parts;
    Span const some = to.columns_of(part);
    constexpr std::size_t batch = TermBatchOf<Terms>::count;
    if (lanes_share_row) {
      if (group >= to.rows) return;
      CascadedSum sum;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(member, lanes_of_thread),
          [&](int lane, CascadedSum& mine) {
            for (std::size_t j = some.begin + static_cast<std::size_t>(lane); j < some.end;
                 j += batch * lanes_of_thread)
              batch_of(terms, to.first_row + group, j, lanes_of_thread, some.end).add_to(mine);
          },
          Reducer<CascadedSum>(sum));
      Kokkos::single(Kokkos::PerThread(member), [&] { to.sums[group * to.parts + part] = sum; });
    } else {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, lanes_of_thread), [&](int lane) {
        std::size_t const row = group * lanes_of_thread + static_cast<std::size_t>(lane);
        if (row >= to.rows) return;
        CascadedSum sum;
        for (std::size_t j = some.begin; j < some.end; j += batch)
          batch_of(terms, to.first_row + row, j, 1, some.end).add_to(sum);
        to.sums[row * to.parts + part] = sum;
      });
    }
  }
};

/// The rows that enclosures leave.
struct UndecidedRows {
  Word* count;
  Word* rows;

  KOKKOS_FORCEINLINE_FUNCTION void add(std::size_t row) const { rows[Kokkos::atomic_fetch_add(count, Word{1})] = row; }
};

/// y := what the epilogue makes of a sum and y, if the enclosure decides that.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION bool try_round_entry(Epilogue const& epilogue, Enclosure const& sum, R& y) {
  R rounded{};
  if (!try_round_sum(epilogue, sum, epilogue.reads_y ? exact_double(y) : 0, rounded)) return false;
  y = rounded;
  return true;
}

/// y(i) := what the epilogue makes of row i, a thread for each, if its enclosure decides that.
template <class Space, class Y>
struct DecideRows {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;
  static std::size_t scratch_size() { return 0; }

  RowParts from;
  UndecidedRows undecided;
  Epilogue epilogue;
  Y y;

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    std::size_t const row = number_of_thread(member);
    if (row >= from.rows) return;
    CascadedSum sum;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, from.parts),
        [&](std::size_t part, CascadedSum& mine) { mine += from.sums[row * from.parts + part]; },
        Reducer<CascadedSum>(sum));
    Kokkos::single(Kokkos::PerThread(member), [&] {
      if (!try_round_entry(epilogue, sum.enclosure(), y(from.first_row + row))) undecided.add(from.first_row + row);
    });
  }
};

/// The rows that are left: teams take them in turn, with more doubles, and exactly where these do not decide.
template <class Space, class Terms, class Y>
struct AddUndecidedRows {
  using Sums = TeamSums<Space, Terms>;
  using Policy = typename Sums::Policy;
  using Member = typename Sums::Member;
  using Accumulator = typename Sums::Accumulator;
  using ScratchWords = typename Sums::ScratchWords;

  Terms terms;
  std::size_t columns;
  UndecidedRows undecided;
  Epilogue epilogue;
  Y y;

  static constexpr int words_per_team = Sums::words_per_team + Accumulator::word_count;
  static std::size_t scratch_size() { return ScratchWords::shmem_size(words_per_team); }

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    int const word_count = words_per_team;
    ScratchWords const words(member.team_scratch(0), word_count);  // once: each View takes some of it for good
    auto const count = static_cast<std::size_t>(*undecided.count);
    for (auto i = static_cast<std::size_t>(member.league_rank()); i < count;
         i += static_cast<std::size_t>(member.league_size())) {
      if (!try_row(member, undecided.rows[i])) add_row(member, words, undecided.rows[i]);
    }
  }

 private:
  /// Whether it is decided, and then written; the same for all threads.
  EXAKT_NOINLINE_FUNCTION bool try_row(Member const& member, std::size_t row) const {
    auto const threads = static_cast<std::size_t>(member.team_size());
    constexpr std::size_t batch = TermBatchOf<Terms>::count;
    WideCascade mine, sum;
    for (std::size_t j = static_cast<std::size_t>(member.team_rank()); j < columns; j += batch * threads)
      batch_of(terms, row, j, threads, columns).add_to(mine);
    member.team_barrier();
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(member, member.team_size()), [&](int, WideCascade& all) { all += mine; },
        Reducer<WideCascade>(sum));
    auto result = y(row);
    bool const decided = try_round_entry(epilogue, sum.enclosure(), result);
    member.team_barrier();  // all have read it
    if (decided) Kokkos::single(Kokkos::PerTeam(member), [&] { y(row) = result; });
    return decided;
  }

  EXAKT_NOINLINE_FUNCTION void add_row(Member const& member, ScratchWords const& words, std::size_t row) const {
    Accumulator const total(words.data() + Sums::words_per_team, 1);
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, static_cast<int>(words_per_team)),
                         [&](int i) { words(i) = 0; });
    member.team_barrier();
    Sums::add_by_team(member, terms, 0, 1, columns, row, words.data());
    member.team_barrier();
    Sums::merge(member, words.data(), total);
    member.team_barrier();
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      auto& result = y(row);
      result = epilogue.template exactly<EntryOf<Y>>(total.sum(), epilogue.reads_y ? exact_double(result) : 0, 1);
    });
  }
};

/// y(i) := what the epilogue makes of both parts of row i, a thread for each, if their enclosures decide them.
template <class Space, class Y>
struct DecideComplexRows {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;
  static std::size_t scratch_size() { return 0; }

  RowParts from;  // two sums for each row
  UndecidedRows undecided;
  EntryEpilogue epilogue;
  Y y;

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    std::size_t const number = number_of_thread(member), row = from.first_row / 2 + number;
    if (2 * number >= from.rows) return;
    CascadedSum sums[2];
    for (int part = 0; part < 2; ++part) {
      CascadedSum const* const parts = from.sums + (2 * number + static_cast<std::size_t>(part)) * from.parts;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(member, from.parts), [&](std::size_t k, CascadedSum& mine) { mine += parts[k]; },
          Reducer<CascadedSum>(sums[part]));
    }
    Kokkos::single(Kokkos::PerThread(member), [&] {
      EntryOf<Y> const old = epilogue.reads_y ? y(row) : EntryOf<Y>();
      EntryOf<Y> result;
      bool const decided = try_parts(
          [&](int part, RealEntryOf<Y>& rounded) {
            return try_round_sum(epilogue, sums[part].enclosure(), epilogue.old_part(old, part != 0), rounded);
          },
          result);
      if (decided) {
        y(row) = result;
      } else {
        undecided.add(row);
      }
    });
  }
};

/// Complex entry i of y by one team, exactly.
template <class Member, class A, class X, class Y>
KOKKOS_INLINE_FUNCTION void add_complex_row(Member const& member, Operated<A> const& matrix, X const& x,
                                            EntryEpilogue const& epilogue, Y const& y, std::size_t i) {
  ExactParts<true> sum;
  Kokkos::parallel_reduce(
      Kokkos::TeamVectorRange(member, matrix.columns()),
      [&](std::size_t j, ExactParts<true>& partial) { partial.add_product(matrix.entry(i, j), x(j)); },
      Reducer<ExactParts<true>>(sum));
  Kokkos::single(Kokkos::PerTeam(member), [&] { y(i) = epilogue.entry(sum, y(i)); });
}

/// The complex rows that are left, exactly: teams take them in turn.
template <class Space, class A, class X, class Y>
struct AddUndecidedComplexRows {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;

  Operated<A> matrix;
  X x;
  UndecidedRows undecided;
  EntryEpilogue epilogue;
  Y y;

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    for (auto k = static_cast<std::size_t>(member.league_rank()); k < *undecided.count;
         k += static_cast<std::size_t>(member.league_size())) {
      add_complex_row(member, matrix, x, epilogue, y, static_cast<std::size_t>(undecided.rows[k]));
      member.team_barrier();  // the next reduction writes where all threads read this one
    }
  }
};

inline constexpr std::size_t teams_for_undecided_rows = 256;

/// What multiplies real rows.
template <class Space, class A, class X, class Y>
struct RealRows {
  using Terms = ProductsOfRows<A, X>;
  static constexpr std::size_t sums_per_row = 1, terms_per_column = 1;

  Operated<A> matrix;
  X x;
  Epilogue epilogue;
  Y y;

  Terms terms() const { return {matrix, x}; }
  auto decide(RowParts const& from, UndecidedRows const& undecided) const {
    return DecideRows<Space, Y>{from, undecided, epilogue, y};
  }
  void add(std::string const& label, Space const& space, UndecidedRows const& undecided, std::size_t rows) const {
    using Add = AddUndecidedRows<Space, Terms, Y>;
    Add const add{terms(), matrix.columns(), undecided, epilogue, y};
    int const threads = large_team<Add>(space, held(add), Add::Sums::threads_that_share);
    Kokkos::parallel_for(label, policy_of_teams<Add>(space, std::min(rows, teams_for_undecided_rows), threads),
                         held(add));
  }
};

/// What multiplies complex rows, with factors that leave the parts of sums apart.
template <class Space, class A, class X, class Y>
struct RowsOfParts {
  using Terms = PartsOfRows<A, X>;
  static constexpr std::size_t sums_per_row = 2, terms_per_column = Terms::Products::per_part;

  Operated<A> matrix;
  X x;
  EntryEpilogue epilogue;
  Y y;

  Terms terms() const { return {matrix, x}; }
  auto decide(RowParts const& from, UndecidedRows const& undecided) const {
    return DecideComplexRows<Space, Y>{from, undecided, epilogue, y};
  }
  void add(std::string const& label, Space const& space, UndecidedRows const& undecided, std::size_t rows) const {
    using Add = AddUndecidedComplexRows<Space, A, X, Y>;
    Kokkos::parallel_for(
        label, typename Add::Policy(space, static_cast<int>(std::min(rows, teams_for_undecided_rows)), Kokkos::AUTO),
        held(Add{matrix, x, undecided, epilogue, y}));
  }
};

/// \brief The kernels of y := epilogue of op(A) x for some rows, enqueued.
///
/// \tparam Rows  RealRows or RowsOfParts.
template <class Space, class Rows>
class RowProducts {
  using Enclose = EncloseRows<Space, typename Rows::Terms>;

 public:
  RowProducts(std::string const& label, Space const& space, Rows const& rows)
      : m_label(label),
        m_space(space),
        m_rows(rows),
        m_terms(Rows::terms_per_column * rows.matrix.columns()),
        m_row_is_contiguous(rows.matrix.transposed ? rows.matrix.view.stride(0) <= rows.matrix.view.stride(1)
                                                   : rows.matrix.view.stride(1) <= rows.matrix.view.stride(0)) {}

  void run(Span rows) const {
    constexpr std::size_t sums_per_row = Rows::sums_per_row;
    Enclose enclose{m_rows.terms(),
                    {nullptr, sums_per_row * rows.begin, sums_per_row * rows.size(), m_terms, 1},
                    m_row_is_contiguous};
    enclose.to.parts = parts(enclose.groups());
    std::size_t const sums = enclose.to.rows * enclose.to.parts;
    ScratchMemory<Space> const memory(m_space, sums * sizeof(CascadedSum) + (rows.size() + 1) * sizeof(Word));
    enclose.to.sums = reinterpret_cast<CascadedSum*>(memory.data());
    auto* const numbers = reinterpret_cast<Word*>(enclose.to.sums + sums);
    UndecidedRows const undecided{numbers, numbers + 1};

    run(enclose, enclose.groups() * enclose.to.parts);
    using Count = Kokkos::View<Word, typename Space::memory_space, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(m_space, Count(undecided.count), Word{0});
    run(m_rows.decide(enclose.to, undecided), rows.size());
    m_rows.add(m_label, m_space, undecided, rows.size());
  }

 private:
  /// Of a row, for all threads that can run at once, and four times as many where that leaves long ones.
  std::size_t parts(std::size_t groups) const {
    constexpr std::size_t batch = TermBatchOf<typename Rows::Terms>::count, short_part = 4 * batch,
                          long_part = 32 * batch;
    std::size_t const lanes = m_row_is_contiguous ? lanes_of_thread : 1,
                      threads = threads_at_once(m_space) / (is_on_host_v<Space> ? 1 : lanes_of_thread);
    auto const of = [&](std::size_t times, std::size_t least) {
      return std::min((times * threads + groups - 1) / groups, (m_terms + lanes * least - 1) / (lanes * least));
    };
    return std::max(of(2, short_part), of(4, long_part));
  }

  /// A task for each thread.
  template <class Kernel>
  void run(Kernel const& kernel, std::size_t tasks) const {
    int const most = policy_of_teams<Kernel>(m_space, 1, 1, lanes_of_thread)
                         .team_size_max(held(kernel), Kokkos::ParallelForTag()),
              threads = std::min(threads_of_row_team, most);
    std::size_t const teams = (tasks + static_cast<std::size_t>(threads) - 1) / static_cast<std::size_t>(threads);
    Kokkos::parallel_for(m_label, policy_of_teams<Kernel>(m_space, teams, threads, lanes_of_thread), held(kernel));
  }

  std::string m_label;
  Space m_space;
  Rows m_rows;
  std::size_t m_terms;  // of a sum
  bool m_row_is_contiguous;
};

/// \brief y := epilogue of op(A) x, real, enqueued.
///
/// \param at_once  Rows with enclosures in memory.
template <class Space, class A, class X, class Y>
void multiply_by_teams(std::string const& label, Space const& space, Operated<A> const& matrix, X const& x,
                       Epilogue const& epilogue, Y const& y, std::size_t at_once = rows_enclosed_at_once) {
  RowProducts const product(label, space, RealRows<Space, A, X, Y>{matrix, x, epilogue, y});
  for (Span const rows : Pieces{{0, matrix.rows()}, at_once}) product.run(rows);
}

/// \brief The same, complex. \pre The epilogue leaves parts apart, and A or x is complex.
template <class Space, class A, class X, class Y>
void multiply_parts_by_teams(std::string const& label, Space const& space, Operated<A> const& matrix, X const& x,
                             EntryEpilogue const& epilogue, Y const& y,
                             std::size_t at_once = rows_enclosed_at_once / 2) {
  RowProducts const product(label, space, RowsOfParts<Space, A, X, Y>{matrix, x, epilogue, y});
  for (Span const rows : Pieces{{0, matrix.rows()}, at_once}) product.run(rows);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
