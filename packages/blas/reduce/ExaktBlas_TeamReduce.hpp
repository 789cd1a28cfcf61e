// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_TEAMREDUCE_HPP
#define EXAKTBLAS_TEAMREDUCE_HPP

/// \file
/// \brief Sums and sums of products by one team inside a kernel of the user.
///
///     hosts    a piece for each thread: enclosed by the compiled kernels, merged --> decided? --> result
///                                       added exactly, merged <-------------------- no
///     devices  neighbouring threads on neighbouring terms: three doubles and a bound, merged --> decided? --> result
///                                       exact accumulators, merged <----------------------------- no
///
/// The threads of a team may have any floating-point environment, and not the same: each holds the default one.

#include "ExaktBlas_Reduce.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// What can be known at compile time about a vector of real numbers.
template <class X>
KOKKOS_FUNCTION constexpr bool require_vector_of_team() {
  static_assert(require_views<X>());
  if constexpr (are_views_v<X>) {
    static_assert(X::rank == 1, "Exakt: a team function takes vectors, Views of rank 1; take a Kokkos::subview");
    static_assert(require_entries<EntryOf<X>>());
  }
  return true;
}

/// \brief The sum of a vector's terms by one team; every thread gets it.
/// \tparam Sum  Exact, or a cascade.
template <class Sum, class Member, class Terms>
KOKKOS_INLINE_FUNCTION Sum team_sum_of_terms(Member const& member, Terms const& terms, std::size_t rows) {
  Sum sum;
  Kokkos::parallel_reduce(
      Kokkos::TeamVectorRange(member, rows),
      [&](std::size_t row, Sum& partial) { add_term(partial, terms.term(row, 0)); }, Reducer<Sum>(sum));
  // Kokkos leaves a team without having waited for all threads to read the result, and the next reduction writes there.
  member.team_barrier();
  return sum;
}

/// \brief The result on devices.
template <class R, class Member, class Terms, class Round>
KOKKOS_INLINE_FUNCTION R reduce_on_device(Member const& member, Terms const& terms, std::size_t rows,
                                          Round const& round) {
  R result;
  if (round.try_round(team_sum_of_terms<CascadedSum>(member, terms, rows).enclosure(), result)) return result;
  return round(team_sum_of_terms<typename Terms::Exact>(member, terms, rows));
}

/// The piece of [0, count) that belongs to a thread of a team.
template <class Member>
Span piece_of_thread(Member const& member, std::size_t count) {
  auto const size = static_cast<std::size_t>(member.team_size()), rank = static_cast<std::size_t>(member.team_rank());
  std::size_t const each = count / size, more = count % size;
  std::size_t const begin = rank * each + (rank < more ? rank : more);
  return {begin, begin + each + (rank < more ? 1 : 0)};
}

/// The sum of what the threads of a team have, on all of them.
template <class Member, class Sum>
void merge_in_team(Member const& member, Sum& sum) {
  if (member.team_size() == 1) return;
  Sum const own = sum;
  Kokkos::parallel_reduce(
      Kokkos::TeamThreadRange(member, member.team_size()), [&](int, Sum& partial) { partial += own; },
      Reducer<Sum>(sum));
}

/// f(source, count) for a piece of a vector: at once where it is contiguous, else for each tile.
template <class Terms, class F>
void for_each_tile(Terms const& terms, Span piece, F const& f) {
  typename Terms::Buffers buffers;
  if (terms.is_contiguous()) {
    f(terms.operations(piece.begin, 0, 0, buffers), piece.size());
    return;
  }
  for (Span const rows : Pieces{piece, enclosure_tile_size}) {
    terms.gather(rows.begin, 0, rows.size(), 1, 0, buffers);
    f(terms.operations(rows.begin, 0, 0, buffers), rows.size());
  }
}

/// \brief The result on hosts. \pre The default floating-point environment.
template <class R, class Member, class Terms, class Round>
R reduce_by_kernels(Member const& member, Terms const& terms, std::size_t rows, Round const& round) {
  using Operations = typename Terms::Operations;
  Span const piece = piece_of_thread(member, rows);
  if constexpr (is_float_v<R>) {
    R result;
    if (member.team_size() == 1 && try_at_once(terms, rows, 0, round, result)) return result;
    EnclosedSum total;
    for_each_tile(terms, piece,
                  [&](Operations const& operations, std::size_t count) { total.add(operations, 0, count); });
    merge_in_team(member, total);
    if (round.try_round(total.sum, result)) return result;
  }
  Exactly<Operations> exactly;
  for_each_tile(terms, piece,
                [&](Operations const& operations, std::size_t count) { exactly.add(operations, 0, count); });
  auto sum = exactly.sum();
  merge_in_team(member, sum);
  return round(sum);
}

/// \brief The sum of a vector's terms by one team, rounded once by `round` to R; every thread gets it.
template <class R, class Member, class Terms, class Round>
KOKKOS_INLINE_FUNCTION R team_reduce(Member const& member, Terms const& terms, std::size_t rows, Round const& round) {
  EXAKT_IF_ON_HOST((R result;
                    in_default_environment([&] { result = reduce_by_kernels<R>(member, terms, rows, round); });
                    return result;))
  EXAKT_IF_ON_DEVICE((return reduce_on_device<R>(member, terms, rows, round);))
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
