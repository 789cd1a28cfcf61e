// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_REDUCTION_HPP
#define EXAKTMPI_REDUCTION_HPP

/// \file
/// \brief The path of every vector function of this package: enclose, and where the enclosure does not decide, add
/// exactly; each time one message.
///
/// A rank knows that its part lies within B of A (Exakt_EnclosedSum.hpp). Both travel as exact sums, so that every
/// rank then knows that the total lies within the sum of all B of the sum of all A, and whether A - B and A + B round
/// to the same result. That is decided with integers: all ranks decide alike, whatever their floating-point
/// environments.

#include "ExaktMpi_Communicator.hpp"
#include "ExaktMpi_Words.hpp"

#include <reduce/ExaktBlas_ReductionVerbs.hpp>

#include <exception>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

/// \brief What a rank contributes: sums, a count, and whether it failed; the message of all of it.
template <class Long, int number>
struct Contribution {
  Long sums[number];
  std::int64_t count = 0;  // of entries; 2^63 of them on all ranks would not fit into any memory
  std::int64_t failures = 0;

  /// All ranks have the totals afterwards.
  void reduce(Communicator const& comm) {
    using Format = Words<Long>;
    Format const format(comm.size());
    int const width = format.per_sum() + 1;
    std::int64_t words[number * (Format::at_most + 1) + 2];
    for (int i = 0; i < number; ++i) {
      words[(i + 1) * width - 1] = format.prepare(sums[i]);
      format.pack(sums[i], Format::all_digits, words + i * width);
    }
    words[number * width] = count;
    words[number * width + 1] = failures;
    reduce_in_place(comm, words, number * width + 2, MPI_INT64_T, MPI_SUM, all_ranks);
    for (int i = 0; i < number; ++i) {
      format.unpack(words + i * width, Format::all_digits, sums[i]);
      Format::unpack_special(words[(i + 1) * width - 1], sums[i]);
    }
    count = words[number * width];
    failures = words[number * width + 1];
  }
};

/// \brief Lets every rank contribute, a rank that fails too: the others would wait for it forever.
/// \throws  On a rank that failed whatever it failed with, on the others std::invalid_argument.
template <class Long, int number, class Local>
Contribution<Long, number> reduce_contributions(Communicator const& comm, Local const& local) {
  Contribution<Long, number> mine;
  std::exception_ptr failure;
  try {
    local(mine);
  } catch (...) {
    failure = std::current_exception();
    mine = Contribution<Long, number>();
    mine.failures = 1;
  }
  mine.reduce(comm);
  if (failure) std::rethrow_exception(failure);
  if (mine.failures != 0)
    comm.refuse(std::to_string(mine.failures) + " of " + std::to_string(comm.size()) +
                " ranks refused their operands or failed; they say why");
  return mine;
}

/// The exact sum of the terms of this rank.
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
/// \param round_of  From the number of rows on all ranks to a function of the sum.
template <class Space, class Terms, class Check, class RoundOf>
auto reduce_terms(Communicator const& comm, std::string const& label, Space const& space, Terms const& terms,
                  std::size_t rows, Check const& check, RoundOf const& round_of) {
  using namespace Exakt::Impl;
  using Operations = typename Terms::Operations;
  using Long = typename Operations::Long;
  enum { value, bound };

  auto const known = reduce_contributions<Long, 2>(comm, [&](Contribution<Long, 2>& mine) {
    check();
    mine.count = static_cast<std::int64_t>(rows);
    if constexpr (runs_on_host<Space>) {
      auto const enclosed = sum_of_column<EnclosedSum>(label, space, terms, rows, 0);
      if (enclosed.is_known()) {
        mine.sums[value] = enclosed.template value<Long>();
        mine.sums[bound] = enclosed.template radius<Long>();
      } else {
        mine.sums[value] = exact_part(label, space, terms, rows);
      }
    } else {
      mine.sums[value] = exact_part(label, space, terms, rows);
    }
  });
  auto const round = round_of(static_cast<std::size_t>(known.count));
  decltype(round(known.sums[value])) result{};
  if (try_round(known.sums[value], known.sums[bound], round, result)) return result;

  auto const exact = reduce_contributions<Long, 1>(
      comm, [&](Contribution<Long, 1>& mine) { mine.sums[value] = exact_part(label, space, terms, rows); });
  return round(exact.sums[value]);
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
        ranks, "Exakt::" + verb + "::accumulate", space, Verb::of(x, y...), x.extent(0),
        [&] { (Exakt::Impl::require_same_shape(verb.c_str(), x, y), ...); },
        [mode](std::size_t rows) { return Verb::template round<R>(rows, mode); });
  });
  return result;
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
