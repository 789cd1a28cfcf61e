// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_TRANSFORM_HPP
#define EXAKTMPI_TRANSFORM_HPP

/// \file
/// \brief transform_sum and transform_dot across ranks: enclosures of the terms of each rank, one message, and where
/// their total does not decide the rounding, the exact sums, one more.

#include "ExaktMpi_Reduction.hpp"
#include "ExaktMpi_Sums.hpp"

#include <parallel/Exakt_Transform.hpp>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

/// \brief The sum of the terms of all ranks, rounded once; on every rank the same bits.
///
/// f is called in the environment of its thread: what it rounds is its own.
template <template <class> class TermsOf, class Policy, class F>
auto transform(Communicator const& comm, char const* label, Policy const& policy, F const& f, Rounding mode) {
  using Local = Exakt::Impl::Transform<TermsOf, Policy, F>;
  using Accumulator = typename Local::Accumulator;
  using Result = typename Local::Result;
  Local const local{label, policy, f};
  auto const round = [mode](auto const& sum) { return sum.template round<Result>(mode); };
  int const kind = kind_of_result<Result>(mode);

  // Of halves as well, of which nothing is known: terms of other ranks may be of another type, which all have to learn.
  auto const known = reduce_contributions<EnclosedContribution>(comm, kind, [&](auto& mine) {
    if constexpr (Local::has_enclosure) {
      mine.part = local.enclosed();
    } else {
      mine.part.sum.bound = std::numeric_limits<double>::infinity();
    }
  });
  if constexpr (Local::has_enclosure) {
    Result result{};
    if (Exakt::Impl::try_round(known.value, known.radius, round, result)) return result;
  }

  using Long = TravellingOf<Accumulator>;
  auto const exact = reduce_contributions<Contribution<Long, 1>>(comm, kind, [&](auto& mine) {
    Accumulator sum = local.sum();
    mine.sums[0] = Travelling<Accumulator>::of(sum);
  });
  return round(exact.sums[0]);
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
