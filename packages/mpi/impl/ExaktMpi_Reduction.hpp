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
/// \param kind  kind_of_result().
/// \param check  Checks this rank's operands; throws.
/// \param round_of  From the number of rows on all ranks to a function of the sum, which rounds as the kind says.
template <class Space, class Terms, class Check, class RoundOf>
auto reduce_terms(Communicator const& comm, std::string const& label, Space const& space, Terms const& terms,
                  std::size_t rows, int kind, Check const& check, RoundOf const& round_of) {
  using namespace Exakt::Impl;

  auto const known = reduce_contributions<EnclosedContribution>(comm, kind, [&](auto& mine) {
    check();
    mine.count = static_cast<std::int64_t>(rows);
    mine.part = enclosed_part(label, space, terms, rows);
  });
  auto const round = round_of(static_cast<std::size_t>(known.count));
  decltype(round(known.value)) result{};
  if (try_round(known.value, known.radius, round, result)) return result;

  using Long = typename Terms::Operations::Long;
  auto const exact = reduce_contributions<Contribution<Long, 1>>(comm, kind, [&](auto& mine) {
    check();
    mine.count = static_cast<std::int64_t>(rows);
    mine.sums[0] = exact_part(label, space, terms, rows);
  });
  return round_of(static_cast<std::size_t>(exact.count))(exact.sums[0]);
}

/// \brief The result for complex numbers: the one sum of all parts for norms, else a sum for each part, one after the other.
///
/// \param reduce  From terms and their number to the result of all ranks, of the same terms on each of them.
template <class Verb, class Reduce, class X, class... Y>
auto reduce_complex(Reduce const& reduce, X const& x, Y const&... y) {
  auto terms = Verb::of_complex(x, y...);
  auto const result = reduce(terms, terms.terms());
  if constexpr (Exakt::Impl::Norm<Verb>) {
    return result;
  } else {
    terms.imaginary = true;
    return Kokkos::complex(result, reduce(terms, terms.terms()));
  }
}

/// \brief The result of a verb of blas for the vectors whose parts on each rank are x (and y), the same on every rank.
///
/// \tparam Verb  As of blas: its name, its terms, and what becomes of their sum.
template <class Verb, class Space, class X, class... Y>
auto reduce_to_number(MPI_Comm comm, Space const& space, Rounding mode, X const& x, Y const&... y) {
  using namespace Exakt::Impl;
  static_assert(require_operand<Space, X, RealOf>() && (require_operand<Space, Y, RealOf>() && ...));
  static_assert(X::rank == 1 && ((Y::rank == 1) && ...), "Exakt: across ranks vectors are reduced, one number each");
  Communicator const ranks(Verb::name, comm);
  using R = WiderOf<RealEntryOf<X>, RealEntryOf<Y>...>;
  constexpr bool is_complex = any_is_complex<X, Y...> && !Norm<Verb>;
  std::conditional_t<is_complex, Kokkos::complex<R>, R> result{};
  std::string const verb = std::string("Mpi::") + Verb::name;
  auto const reduce = [&](auto const& terms, std::size_t rows) {
    return reduce_terms(
        ranks, "Exakt::" + verb + "::accumulate", space, terms, rows, kind_of_result<R>(mode, is_complex),
        [&] { (require_same_shape(verb.c_str(), x, y), ...); },
        [mode](std::size_t all_rows) { return Verb::template round<R>(all_rows, mode); });
  };
  in_region("Exakt::" + verb, [&] {
    if constexpr (any_is_complex<X, Y...>)
      result = reduce_complex<Verb>(reduce, x, y...);
    else
      result = reduce(Verb::of(x, y...), x.extent(0));
  });
  return result;
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
