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

#include <ExaktBlas1_sum.hpp>

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

/// \brief The rounded sum of the terms of all ranks.
///
/// \param check  What is asked of this rank's operands.
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
        mine.sums[value] = sum_of_column<Exactly<Operations>>(label, space, terms, rows, 0).sum();
      }
    } else {
      mine.sums[value] = sum_by_teams(label, space, terms, rows, 0).normalized();
    }
  });
  auto const round = round_of(static_cast<std::size_t>(known.count));
  decltype(round(known.sums[value])) result{};
  if (try_round(known.sums[value], known.sums[bound], round, result)) return result;

  auto const exact = reduce_contributions<Long, 1>(comm, [&](Contribution<Long, 1>& mine) {
    if constexpr (runs_on_host<Space>) {
      mine.sums[value] = sum_of_column<Exactly<Operations>>(label, space, terms, rows, 0).sum();
    } else {
      mine.sums[value] = sum_by_teams(label, space, terms, rows, 0).normalized();
    }
  });
  return round(exact.sums[value]);
}

/// \brief A function of this package that reduces distributed vectors: sum, dot, ... All have the same two forms.
///
/// Method: an enclosed sum, the exact one where the enclosure does not decide; both reduced by Method::words.
///
/// \tparam Verb  As of blas: its name, its terms, and what becomes of their sum.
template <class Verb>
struct Reduction {
  /// \brief The result for the vectors whose parts on each rank are x, as a number; on every rank the same bits.
  ///
  /// \param comm   All its ranks call, with the same types.
  /// \param space  Where to run; waited for.
  /// \param x      This rank's part of as many operands as the function has: any number of entries, none included, of
  ///               any layout, read; float, double, or Kokkos' half types, also mixed.
  /// \return The result in the widest type of the operands. NaN, infinities and the sign of zero as in
  ///         SumAccumulator::round.
  /// \throws std::invalid_argument  On every rank, if the operands differ in length on one; comm is null or an
  ///                                intercommunicator.
  /// \throws Error  MPI failed, is not initialized or already finalized.
  /// \par Cost  One pass over the operands and one MPI_Allreduce of 82 words, 158 for products; both again when the sum
  /// cancels or is next to a tie.
  template <class Space, class... X>
  requires(Kokkos::is_execution_space<Space>::value && sizeof...(X) == Verb::operands) auto operator()(
      MPI_Comm comm, Space const& space, X const&... x) const {
    static_assert(((X::rank == 1) && ...), "Exakt: across ranks vectors are reduced, one number each");
    (Exakt::Impl::require_operand<Space, X>(), ...);
    Communicator const ranks(Verb::name, comm);
    using R = std::common_type_t<typename X::non_const_value_type...>;
    R result{};
    Exakt::Impl::in_region("Exakt::" + name(), [&] {
      result = reduce_terms(
          ranks, "Exakt::" + name() + "::accumulate", space, Verb::of(x...), rows_of(x...),
          [&] { require_same_shapes(x...); },
          [](std::size_t rows) { return Verb::template round<R>(rows, Rounding::to_nearest); });
    });
    return result;
  }

  /// \brief The same on the execution space of the first operand.
  template <class X, class... Y>
  requires(Kokkos::is_view<X>::value && sizeof...(Y) + 1 == Verb::operands) auto operator()(MPI_Comm comm, X const& x,
                                                                                            Y const&... y) const {
    return (*this)(comm, typename X::execution_space(), x, y...);
  }

 private:
  static std::string name() { return std::string("Mpi::") + Verb::name; }

  template <class X, class... Y>
  static std::size_t rows_of(X const& x, Y const&...) {
    return x.extent(0);
  }

  template <class X, class... Y>
  static void require_same_shapes(X const& x, Y const&... y) {
    (Exakt::Impl::require_same_shape(name().c_str(), x, y), ...);
  }
};

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
