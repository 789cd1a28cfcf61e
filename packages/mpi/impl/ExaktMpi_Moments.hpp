// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_MOMENTS_HPP
#define EXAKTMPI_MOMENTS_HPP

/// \file
/// \brief Variances and covariances over ranks: the exact sums of each part in one pass, and all of them in one message.

#include "ExaktMpi_Agreement.hpp"
#include "ExaktMpi_SeveralSums.hpp"

#include <parallel/Exakt_Covariances.hpp>
#include <parallel/Exakt_Variances.hpp>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

/// The exact sums of a part.
struct PartMoments {
  LongAccumulator<double> sum;
  LongAccumulator<double, 56, Terms::products> squares;
};
struct PartPairs {
  LongAccumulator<double> sum_x, sum_y;
  LongAccumulator<double, 56, Terms::products> sum_xy, sum_xx, sum_yy;

  template <bool has_squares, class Sums>
  void set(Sums const& sums) {
    sum_x = sums.x();
    sum_y = sums.y();
    sum_xy = sums.products();
    if constexpr (has_squares) {
      sum_xx = sums.x_squares();
      sum_yy = sums.y_squares();
    }
  }
  auto const& x() const { return sum_x; }
  auto const& y() const { return sum_y; }
  auto const& products() const { return sum_xy; }
  auto const& x_squares() const { return sum_xx; }
  auto const& y_squares() const { return sum_yy; }
};

/// A number for all that must be the same on all ranks.
template <class... X>
std::int64_t number_of_moments(std::int64_t ddof, Rounding mode) {
  Checksum sum;
  sum.add(static_cast<std::uint64_t>(ddof));
  sum.add(static_cast<std::uint64_t>(mode));
  sum.add_types<typename X::non_const_value_type...>();
  return sum.value();
}

/// \brief Lets all ranks agree, makes this rank's sums, and adds up those of all.
///
/// \param number  number_of_moments().
/// \param local   Checks this rank's operands and makes its sums; throws.
/// \param sums    Accumulators, read after `local` and written.
/// \return The number of entries on all ranks.
template <class Local, class... Long>
std::size_t reduce_moments(Communicator const& comm, std::int64_t number, std::size_t rows, Local const& local,
                           Long&... sums) {
  agree(comm, "ddof and Rounding, and numbers of the same types", [&] {
    local();
    return number;
  });
  LongAccumulator<double> count;  // 2^53 entries would not fit into any memory
  count += static_cast<std::int64_t>(rows);
  reduce_together(comm, count, sums...);
  return static_cast<std::size_t>(count.template round<double>());
}

template <bool is_root, class Space, class X>
auto variance(char const* function, MPI_Comm comm, Space const& space, X const& x, std::int64_t ddof, Rounding mode) {
  using namespace Exakt::Impl;
  static_assert(require_operand<Space, X>());
  static_assert(X::rank == 1, "Exakt: across ranks vectors are reduced, one number each");
  using R = typename X::non_const_value_type;
  Communicator const ranks(function, comm);
  std::string const verb = std::string("Mpi::") + function;
  R result{};
  in_region("Exakt::" + verb, [&] {
    Label const label{verb.c_str(), "::accumulate"};
    PartMoments part;
    std::size_t const n = reduce_moments(
        ranks, number_of_moments<X>(ddof, mode), x.extent(0),
        [&] {
          if constexpr (runs_on_host<Space>) {
            double const no_shift = 0;
            using Exact = ExactMoments<typename ColumnTiles<X>::Value>;
            auto const sums = moments_of_blocks(
                label, space, AddMoments<Exact, 1, X>{ColumnTiles<X>{x}, x.extent(0), 0, 1, &no_shift}, true);
            part = {sums.of[0].sum(), sums.of[0].squares()};
          } else {
            part = {sum_by_teams(std::string(label), space, ColumnTerms<X>{x}, x.extent(0), 0),
                    sum_by_teams(std::string(label), space, ColumnTerms<X, X>{x, x}, x.extent(0), 0)};
          }
        },
        part.sum, part.squares);
    result = RoundVariance<R, is_root>{n, ddof, mode}(part.sum, part.squares);
  });
  return result;
}

/// \param round_of  From the number of pairs on all ranks to a function of their sums.
template <class R, class Space, class X, class Y, class RoundOf>
R reduce_pairs(char const* function, MPI_Comm comm, Space const& space, X const& x, Y const& y, std::int64_t ddof,
               Rounding mode, RoundOf const& round_of) {
  using namespace Exakt::Impl;
  constexpr bool has_squares = decltype(round_of(std::size_t{}))::has_squares;
  Communicator const ranks(function, comm);
  std::string const verb = std::string("Mpi::") + function;
  R result{};
  in_region("Exakt::" + verb, [&] {
    Label const label{verb.c_str(), "::accumulate"};
    PartPairs part;
    auto const local = [&] {
      require_same_shape(verb.c_str(), x, y);
      if constexpr (runs_on_host<Space>) {
        using Exact = ExactPairs<typename ColumnTiles<X>::Value, typename ColumnTiles<Y>::Value, has_squares>;
        PairShifts const no_shift;
        AddPairMoments<Exact, 1, X, Y> const add{ColumnTiles<X>{x}, ColumnTiles<Y>{y}, x.extent(0), 0, 1, &no_shift};
        part.set<has_squares>(moments_of_blocks(label, space, add, true).of[0]);
      } else {
        part.set<has_squares>(TeamPairs<Space, X, Y>{label, space, x, y});
      }
    };
    std::int64_t const number = number_of_moments<X, Y>(ddof, mode);
    std::size_t n = 0;
    if constexpr (has_squares) {
      n = reduce_moments(ranks, number, x.extent(0), local, part.sum_x, part.sum_y, part.sum_xy, part.sum_xx,
                         part.sum_yy);
    } else {
      n = reduce_moments(ranks, number, x.extent(0), local, part.sum_x, part.sum_y, part.sum_xy);
    }
    result = round_of(n)(part);
  });
  return result;
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
