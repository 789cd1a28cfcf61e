// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_COVARIANCES_HPP
#define EXAKT_COVARIANCES_HPP

/// \file
/// \brief How covariance and correlation run: as variance does (Exakt_Variances.hpp), with the sums of both operands and of
/// their products in one pass.

#include "../summation/Exakt_PairMoments.hpp"
#include "Exakt_AddPairMoments.hpp"
#include "Exakt_OperandChecks.hpp"
#include "Exakt_TeamSums.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// What is asked for, besides the pairs; R is the type of the result.
template <class R>
struct RoundCovariance {
  static constexpr bool has_squares = false;
  std::size_t count;
  int ddof;
  Rounding mode;

  bool try_round(EnclosedPairs<false> const& sums, R& result) const {
    if constexpr (is_float_v<R>) {
      std::uint64_t const freedom = degrees_of_freedom(count, ddof);
      return freedom > 0 && try_round_covariance(sums.x, sums.y, sums.products, count, freedom, result);
    }
    return false;
  }
  template <class Sums>
  R operator()(Sums const& sums) const {
    return round_covariance<R>(sums.x(), sums.y(), sums.products(), count, ddof, mode);
  }
};
template <class R>
struct RoundCorrelation {
  static constexpr bool has_squares = true;
  std::size_t count;
  Rounding mode;

  bool try_round(EnclosedPairs<true> const& sums, R& result) const {
    if constexpr (is_float_v<R>)
      return try_round_correlation(sums.x, sums.y, sums.products, sums.x_squares, sums.y_squares, count, result);
    return false;
  }
  template <class Sums>
  R operator()(Sums const& sums) const {
    return round_correlation<R>(sums.x(), sums.y(), sums.products(), sums.x_squares(), sums.y_squares(), count, mode);
  }
};

template <class R, bool is_root>
struct RoundComplexVariance {
  static constexpr bool has_squares = true;
  std::size_t count;
  int ddof;
  Rounding mode;

  bool try_round(EnclosedPairs<true> const& sums, R& result) const {
    std::uint64_t const freedom = degrees_of_freedom(count, ddof);
    return freedom > 0 && try_round_complex_variance<R, is_root>(sums.x, sums.y, sums.x_squares, sums.y_squares, count,
                                                                 freedom, result);
  }
  template <class Sums>
  R operator()(Sums const& sums) const {
    return round_complex_variance<R, is_root>(sums.x(), sums.y(), sums.x_squares(), sums.y_squares(), count, ddof,
                                              mode);
  }
};

/// \brief The mean of a vector, as far as its first entries lie so close to it that the differences from it are doubles;
/// else zero.
template <class V>
double suitable_shift(ColumnTiles<V> const& x, Enclosure const& sum, std::size_t count) {
  double const shift = sum.high / static_cast<double>(count);
  int const sampled = count < 64 ? static_cast<int>(count) : 64;
  double entries[64], differences[64];
  for (int i = 0; i < sampled; ++i) entries[i] = exact_double(x.entry(static_cast<std::size_t>(i), 0));
  return subtract_shift(entries, sampled, shift, differences) ? shift : 0;
}

/// The result for two vectors, on hosts.
template <class R, class Space, class X, class Y, class Round>
R reduce_pairs_on_host(Label const& label, Space const& space, X const& x, Y const& y, Round const& round) {
  constexpr bool has_squares = Round::has_squares;
  ColumnTiles<X> const a{x};
  ColumnTiles<Y> const b{y};
  if (is_float_v<R> && round.mode == Rounding::to_nearest) {
    R result{};
    auto const sums = moments_of_blocks(
        label, space, AddPairMoments<EnclosedPairs<has_squares>, X, Y>{a, b, round.count, 0, 0}, true);
    if (sums.is_known()) {
      if (round.try_round(sums, result)) return result;
      double const x_shift = suitable_shift(a, sums.x, round.count), y_shift = suitable_shift(b, sums.y, round.count);
      if (x_shift != 0 || y_shift != 0) {
        auto const shifted = moments_of_blocks(
            label, space, AddPairMoments<ShiftedPairs<has_squares>, X, Y>{a, b, round.count, x_shift, y_shift}, true);
        if (shifted.is_known() && round.try_round(shifted, result)) return result;
      }
    }
  }
  using Exact = ExactPairs<typename ColumnTiles<X>::Value, typename ColumnTiles<Y>::Value, has_squares>;
  return round(moments_of_blocks(label, space, AddPairMoments<Exact, X, Y>{a, b, round.count, 0, 0}, true));
}

/// The entries of one vector as terms, or the products of two; on devices.
template <class... V>
struct PairTerms;
template <class X>
struct PairTerms<X> {
  struct Operations {
    using Long = LongAccumulator<double>;
    static constexpr int levels = 3;
  };
  X x;
  KOKKOS_FORCEINLINE_FUNCTION double term(std::size_t row, std::size_t) const { return exact_double(x(row)); }
};
template <class X, class Y>
struct PairTerms<X, Y> {
  struct Operations {
    using Long = LongAccumulator<double, 56, Terms::products>;
    static constexpr int levels = 4;
  };
  X x;
  Y y;
  KOKKOS_FORCEINLINE_FUNCTION FactorPair term(std::size_t row, std::size_t) const {
    return {exact_double(x(row)), exact_double(y(row))};
  }
};

/// Exact sums that are found by teams, when they are asked for; on devices.
template <class Space, class X, class Y>
struct TeamPairs {
  Label const& label;
  Space const& space;
  X const& a;
  Y const& b;

  auto x() const { return sum_of(a); }
  auto y() const { return sum_of(b); }
  auto products() const { return sum_of(a, b); }
  auto x_squares() const { return sum_of(a, a); }
  auto y_squares() const { return sum_of(b, b); }

 private:
  template <class... V>
  auto sum_of(V const&... v) const {
    return sum_by_teams(std::string(label), space, PairTerms<V...>{v...}, a.extent(0), 0);
  }
};

/// The result for two vectors, as a number; waits for it.
template <class R, class Space, class X, class Y, class Round>
R reduce_pairs(char const* function, Space const& space, X const& x, Y const& y, Round const& round) {
  Label const label{function, "::accumulate"};
  R result{};
  in_region(Label{function}, [&] {
    if constexpr (runs_on_host<Space>) {
      result = reduce_pairs_on_host<R>(label, space, x, y, round);
    } else {
      result = round(TeamPairs<Space, X, Y>{label, space, x, y});
    }
  });
  return result;
}

/// What can be known at compile time about the operands.
template <class Space, class X, class Y>
constexpr bool require_pairs() {
  static_assert(require_operand<Space, X>() && require_operand<Space, Y>());
  static_assert(X::rank == 1 && Y::rank == 1,
                "Exakt: x and y are vectors; of a View of another rank take a Kokkos::subview");
  return true;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
