// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_REDUCTION_HPP
#define EXAKTMPI_REDUCTION_HPP

/// \file
/// \brief The path of every vector function of this package: enclose, and where the enclosure does not decide, add
/// exactly; each time one message.
///
/// A rank knows that its part lies within B of A (Exakt_EnclosedSum.hpp). Both travel (ExaktMpi_Contribution.hpp), so that
/// every rank then knows that the total lies within the sum of all B of the sum of all A, and whether A - B and A + B
/// round to the same result. That is decided with integers: all ranks decide alike, whatever their floating-point
/// environments.

#include "ExaktMpi_Contribution.hpp"

#include <reduce/ExaktBlas_ReductionVerbs.hpp>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

/// What an enclosure knows of the sum of the terms of this rank.
template <class Space, class Terms>
Exakt::Impl::EnclosedSum enclosed_part(std::string const& label, Space const& space, Terms const& terms,
                                       std::size_t rows) {
  using namespace Exakt::Impl;
  if constexpr (runs_on_host<Space>) {
    return sum_of_column<EnclosedSum>(label, space, terms, rows, 0);
  } else {
    return {enclosed_by_teams(label, space, terms, rows, 0)};
  }
}

/// The exact sum.
template <class Space, class Terms>
auto exact_part(std::string const& label, Space const& space, Terms const& terms, std::size_t rows) {
  using namespace Exakt::Impl;
  if constexpr (runs_on_host<Space>) {
    return sum_of_column<Exactly<typename Terms::Operations>>(label, space, terms, rows, 0).sum();
  } else {
    return sum_by_teams(label, space, terms, rows, 0).normalized();
  }
}

/// \brief The rounded sum of the terms of all ranks.
///
/// \param check  Checks this rank's operands; throws.
/// \param round_of  From the number of rows on all ranks to a function of the sum, which rounds as the mode says.
template <class Space, class Terms, class Check, class RoundOf>
auto reduce_terms(Communicator const& comm, std::string const& label, Space const& space, Terms const& terms,
                  std::size_t rows, Rounding mode, Check const& check, RoundOf const& round_of) {
  using namespace Exakt::Impl;

  auto const known = reduce_contributions<EnclosedContribution>(comm, mode, [&](auto& mine) {
    check();
    mine.count = static_cast<std::int64_t>(rows);
    mine.part = enclosed_part(label, space, terms, rows);
  });
  auto const round = round_of(static_cast<std::size_t>(known.count));
  decltype(round(known.value)) result{};
  if (try_round(known.value, known.radius, round, result)) return result;

  using Long = typename Terms::Operations::Long;
  auto const exact = reduce_contributions<Contribution<Long, 1>>(comm, mode, [&](auto& mine) {
    check();
    mine.count = static_cast<std::int64_t>(rows);
    mine.sums[0] = exact_part(label, space, terms, rows);
  });
  return round_of(static_cast<std::size_t>(exact.count))(exact.sums[0]);
}

/// \brief The result of a verb of blas for the vectors whose parts on each rank are x (and y), the same on every rank.
///
/// \tparam Verb  As of blas: its name, its terms, and what becomes of their sum.
template <class Verb, class Space, class X, class... Y>
auto reduce_to_number(MPI_Comm comm, Space const& space, Rounding mode, X const& x, Y const&... y) {
  static_assert(Exakt::Impl::require_operand<Space, X>() && (Exakt::Impl::require_operand<Space, Y>() && ...));
  static_assert(X::rank == 1 && ((Y::rank == 1) && ...), "Exakt: across ranks vectors are reduced, one number each");
  Communicator const ranks(Verb::name, comm);
  using R = std::common_type_t<typename X::non_const_value_type, typename Y::non_const_value_type...>;
  R result{};
  std::string const verb = std::string("Mpi::") + Verb::name;
  Exakt::Impl::in_region("Exakt::" + verb, [&] {
    result = reduce_terms(
        ranks, "Exakt::" + verb + "::accumulate", space, Verb::of(x, y...), x.extent(0), mode,
        [&] { (Exakt::Impl::require_same_shape(verb.c_str(), x, y), ...); },
        [mode](std::size_t rows) { return Verb::template round<R>(rows, mode); });
  });
  return result;
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
