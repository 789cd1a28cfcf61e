// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_COVARIANCES_HPP
#define EXAKT_COVARIANCES_HPP

/// \file
/// \brief How covariance and correlation run: as variance does (Exakt_Variances.hpp), with the sums of both operands and of
/// their products in one pass.

#include "../summation/Exakt_PairMoments.hpp"
#include "Exakt_AddPairMoments.hpp"
#include "Exakt_Loop.hpp"
#include "Exakt_OperandChecks.hpp"
#include "Exakt_TeamSums.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// What is asked for, besides the pairs; R is the type of the result.
template <class R>
struct RoundCovariance {
  static constexpr bool has_squares = false;
  std::size_t count;
  std::int64_t ddof;
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
  std::int64_t ddof;
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

/// \brief The mean of a column, as far as its first entries lie so close to it that the differences from it are doubles;
/// else zero.
template <class V>
double suitable_shift(ColumnTiles<V> const& x, std::size_t column, Enclosure const& sum, std::size_t count) {
  double const shift = sum.high / static_cast<double>(count);
  int const sampled = count < 64 ? static_cast<int>(count) : 64;
  double entries[64], differences[64];
  for (int i = 0; i < sampled; ++i) entries[i] = exact_double(x.entry(static_cast<std::size_t>(i), column));
  return subtract_shift(entries, sampled, shift, differences) ? shift : 0;
}

/// The results of at most Columns pairs of columns, on hosts.
template <int Columns, class Space, class X, class Y, class Round, class R>
void pairs_of_columns(Label const& label, Space const& space, ColumnTiles<X> const& x, ColumnTiles<Y> const& y,
                      std::size_t column, int columns, bool on_all_threads, Round const& round, R* results) {
  constexpr bool has_squares = Round::has_squares;
  PairShifts shifts[Columns];
  bool decided[Columns] = {}, all_decided = true, any_shift = false;
  if (is_float_v<R> && round.mode == Rounding::to_nearest) {
    auto const sums = moments_of_blocks(
        label, space,
        AddPairMoments<EnclosedPairs<has_squares>, Columns, X, Y>{x, y, round.count, column, columns, shifts},
        on_all_threads);
    for (int c = 0; c < columns; ++c) {
      if (!sums.of[c].is_known()) continue;
      decided[c] = round.try_round(sums.of[c], results[c]);
      if (decided[c]) continue;
      shifts[c] = {suitable_shift(x, column + c, sums.of[c].x, round.count),
                   suitable_shift(y, column + c, sums.of[c].y, round.count)};
      any_shift = any_shift || shifts[c].x != 0 || shifts[c].y != 0;
    }
    if (any_shift) {
      auto const shifted = moments_of_blocks(
          label, space,
          AddPairMoments<ShiftedPairs<has_squares>, Columns, X, Y>{x, y, round.count, column, columns, shifts},
          on_all_threads);
      for (int c = 0; c < columns; ++c)
        if (!decided[c] && shifted.of[c].is_known()) decided[c] = round.try_round(shifted.of[c], results[c]);
    }
  }
  for (int c = 0; c < columns; ++c) all_decided = all_decided && decided[c];
  if (all_decided) return;
  using Exact = ExactPairs<typename ColumnTiles<X>::Value, typename ColumnTiles<Y>::Value, has_squares>;
  auto const exact = moments_of_blocks(
      label, space, AddPairMoments<Exact, Columns, X, Y>{x, y, round.count, column, columns, shifts}, on_all_threads);
  for (int c = 0; c < columns; ++c)
    if (!decided[c]) results[c] = round(exact.of[c]);
}

/// Exact sums that are found by teams, when they are asked for; on devices.
template <class Space, class X, class Y>
struct TeamPairs {
  Label const& label;
  Space const& space;
  X const& a;
  Y const& b;
  std::size_t column = 0;

  auto x() const { return sum_of(a); }
  auto y() const { return sum_of(b); }
  auto products() const { return sum_of(a, b); }
  auto x_squares() const { return sum_of(a, a); }
  auto y_squares() const { return sum_of(b, b); }

 private:
  template <class... V>
  auto sum_of(V const&... v) const {
    return sum_by_teams(std::string(label), space, ColumnTerms<V...>{v...}, a.extent(0), column);
  }
};

/// The result for two vectors, as a number; waits for it.
template <class R, class Space, class X, class Y, class Round>
R reduce_pairs(char const* function, Space const& space, X const& x, Y const& y, Round const& round) {
  Label const label{function, "::accumulate"};
  R result{};
  in_region(Label{function}, [&] {
    if constexpr (X::rank != 1 || Y::rank != 1) {
      return;
    } else if constexpr (runs_on_host<Space>) {
      pairs_of_columns<1>(label, space, tiles_of(uncounted<Space>(x)), tiles_of(uncounted<Space>(y)), 0, 1, true, round,
                          &result);
    } else {
      result = round(TeamPairs<Space, X, Y>{label, space, x, y});
    }
  });
  return result;
}

/// result(j) := value(j), on whichever space.
template <class Values, class Result>
struct CopyResults {
  Values values;
  Result result;
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t column) const {
    if constexpr (Result::rank == 0) {
      result() = values(column);
    } else {
      result(column) = values(column);
    }
  }
};

/// The same into r: of two vectors, or of each pair of columns.
template <class Space, class Result, class X, class Y, class Round>
void reduce_pairs_into(char const* function, Space const& space, Result const& r, X const& x, Y const& y,
                       Round const& round) {
  require_same_shape(function, x, y);
  require_entry_per_column(function, r, x);
  require_no_overlap(function, "r", r, "x", x);
  require_no_overlap(function, "r", r, "y", y);
  using R = typename Result::non_const_value_type;
  Label const label{function, "::accumulate"};
  in_region(Label{function}, [&] {
    if constexpr (!runs_on_host<Space>) {
      // Integers of some kilobytes round a correlation, and hosts have the stacks for these.
      std::size_t columns = 1;
      if constexpr (Result::rank == 1) columns = r.extent(0);
      Kokkos::View<R*, typename Space::memory_space> const there("Exakt::results", columns);
      auto const here = Kokkos::create_mirror_view(there);
      for (std::size_t j = 0; j < columns; ++j) here(j) = round(TeamPairs<Space, X, Y>{label, space, x, y, j});
      Kokkos::deep_copy(space, there, here);
      loop("Exakt::round", space, columns, CopyResults<decltype(there), Result>{there, r});
      space.fence();  // both go
    } else if constexpr (Result::rank == 0) {
      R result{};
      pairs_of_columns<1>(label, space, tiles_of(uncounted<Space>(x)), tiles_of(uncounted<Space>(y)), 0, 1, true, round,
                          &result);
      r() = result;
    } else {
      auto const of_x = tiles_of(uncounted<Space>(x));
      auto const of_y = tiles_of(uncounted<Space>(y));
      auto const all_columns = [&]<int Columns>(std::integral_constant<int, Columns>) {
        auto const of_group = [&](std::size_t column, int columns, bool on_all_threads) {
          R results[Columns];
          pairs_of_columns<Columns>(label, space, of_x, of_y, column, columns, on_all_threads, round, results);
          for (int c = 0; c < columns; ++c) r(column + c) = results[c];
        };
        for_each_group_of_columns<Columns>(label, space, round.count, r.extent(0), of_group);
      };
      if (of_x.is_row_major() || of_y.is_row_major()) {
        all_columns(std::integral_constant<int, gathered_columns>());
      } else {
        all_columns(std::integral_constant<int, 1>());
      }
    }
  });
}

/// What can be known at compile time about results and operands.
template <class Space, class Result, class X, class Y>
constexpr bool require_pairs_into() {
  static_assert(require_views<Result>());
  static_assert(require_operand<Space, X>() && require_operand<Space, Y>());
  static_assert(require_output<Result>());
  static_assert(int(X::rank) == int(Y::rank), "Exakt: x and y are both vectors, or both multivectors");
  static_assert(int(Result::rank) + 1 == int(X::rank), "Exakt: r has rank 0 for vectors and rank 1 for multivectors");
  static_assert(require_entries<typename Result::non_const_value_type>());
  static_assert(require_access<Space, Result>());
  return true;
}

/// What can be known at compile time about the operands.
template <class Space, class X, class Y>
constexpr bool require_pairs() {
  static_assert(require_operand<Space, X>() && require_operand<Space, Y>());
  static_assert(X::rank == 1 && Y::rank == 1,
                "Exakt: the form that returns a number takes vectors; for a number per column give r");
  return true;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
