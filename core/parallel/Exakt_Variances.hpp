// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_VARIANCES_HPP
#define EXAKT_VARIANCES_HPP

/// \file
/// \brief How variance and stddev run: one pass over the entries encloses their sum and the sum of their squares, which
/// nearly always decides the rounding (summation/Exakt_Moments.hpp).
///
///     blocks of rows --> tiles --> enclosures (one pair per thread and column) --> added --> decided? --> result
///                                                                                             no: the same of x - mean,
///                                                                                             where that is exact
///                                                                                             no: exact sums

#include "../summation/Exakt_Moments.hpp"
#include "Exakt_AddMoments.hpp"
#include "Exakt_Loop.hpp"
#include "Exakt_OperandChecks.hpp"
#include "Exakt_TeamSums.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// What is asked for, besides the entries.
template <class R, bool is_root>
struct RoundVariance {
  std::size_t count;
  std::int64_t ddof;
  Rounding mode;

  bool try_round(EnclosedMoments const& moments, R& result) const {
    if constexpr (is_float_v<R>) {
      std::uint64_t const freedom = degrees_of_freedom(count, ddof);
      return freedom > 0 && mode == Rounding::to_nearest &&
             try_round_variance<R, is_root>(moments.sum, moments.squares, count, freedom, result);
    }
    return false;
  }
  template <class SumLong, class SquaresLong>
  KOKKOS_FUNCTION R operator()(SumLong const& sum, SquaresLong const& squares) const {
    return round_variance<R, is_root>(sum, squares, count, ddof, mode);
  }
};

/// worthwhile_shift() of a column.
inline double worthwhile_shift(EnclosedMoments const& moments, std::size_t count) {
  return worthwhile_shift(moments.sum, moments.squares, static_cast<double>(count));
}

/// \brief Another shift, after a pass with `shift` that did not decide: closer to the mean; or none, where it was one that not
/// all entries suit. False if there is nothing to gain.
inline bool improve_shift(EnclosedMoments const& moments, std::size_t count, double& shift) {
  double const change = worthwhile_shift(moments, count);
  if (change == 0 && (shift == 0 || moments.is_known())) return false;
  shift = moments.is_known() ? shift + change : 0;
  return true;
}

/// Shifts that the first entries of each column make worthwhile, so that one pass decides.
template <int Columns, class V>
void guess_shifts(AddMoments<EnclosedMoments, Columns, V> add, double* shifts) {
  constexpr std::size_t sample = 256;
  MomentsOfColumns<EnclosedMoments, Columns> moments;
  add.rows = sample;
  add(0, moments);
  for (int c = 0; c < add.columns; ++c) shifts[c] = worthwhile_shift(moments.of[c], sample);
}

/// \brief Whether all entries of a column are one finite number: then their variance is zero, which no enclosure decides.
///
/// Compares bits, for which no floating-point environment makes zeros of subnormal numbers; zeros of both signs are equal.
template <class V>
bool is_constant(ColumnTiles<V> const& x, std::size_t rows, std::size_t column) {
  constexpr std::size_t rows_at_once = 64;  // without a branch
  auto const bits = [&](std::size_t row) { return bits_of(exact_double(x.entry(row, column))); };
  std::uint64_t const first = rows > 0 ? bits(0) : 0;
  std::uint64_t const sign = FloatFormat<double>::sign_mask,
                      compared = (first & ~sign) == 0 ? ~sign : ~std::uint64_t{0};
  if ((first & ~sign) >= FloatFormat<double>::infinity) return false;
  for (std::size_t row = 0; row < rows;) {
    std::size_t const end = rows - row < rows_at_once ? rows : row + rows_at_once;
    std::uint64_t differing = 0;
    for (; row < end; ++row) differing |= (bits(row) ^ first) & compared;
    if (differing != 0) return false;
  }
  return true;
}

/// \brief The result for entries that are one tile: a kernel decides nearly all of them, and constants are zero.
///
/// \return Whether it was tried; what is not `decided` then takes the exact sums.
template <class V, class R, bool is_root>
bool try_one_tile(ColumnTiles<V> const& x, std::size_t column, RoundVariance<R, is_root> const& round, R& result,
                  bool& decided) {
  if constexpr (std::is_same_v<typename ColumnTiles<V>::Value, R>) {
    if (round.count > enclosure_tile_size || round.mode != Rounding::to_nearest || !x.is_contiguous()) return false;
    KernelsOf<R> const& kernel = kernels();
    auto const of_tile = is_root ? kernel.stddev : kernel.variance;
    std::uint64_t const freedom = degrees_of_freedom(round.count, round.ddof);
    if (of_tile == nullptr || freedom == 0) return false;
    decided = of_tile(x.at(0, column, nullptr), static_cast<int>(round.count), freedom, result);
    if (!decided && is_constant(x, round.count, column)) {
      decided = true;
      result = 0;
    }
    return true;
  }
  return false;
}

/// The results of at most Columns columns, on hosts.
template <int Columns, class Space, class V, class R, bool is_root>
void variances_of_columns(Label const& label, Space const& space, ColumnTiles<V> const& x, std::size_t column,
                          int columns, bool on_all_threads, RoundVariance<R, is_root> const& round, R* results) {
  double shifts[Columns] = {};
  bool decided[Columns] = {}, all_decided = true;
  bool worth_a_pass = is_float_v<R> && round.mode == Rounding::to_nearest;
  if constexpr (Columns == 1) {
    if (try_one_tile(x, column, round, results[0], decided[0])) {
      if (decided[0]) return;
      worth_a_pass = false;
    }
  }
  AddMoments<EnclosedMoments, Columns, V> add{x, round.count, column, columns, shifts};
  if (worth_a_pass && round.count > moments_block_size) guess_shifts(add, shifts);
  for (int pass = 0; worth_a_pass && pass < 3; ++pass) {
    worth_a_pass = false;
    auto const moments = moments_of_blocks(label, space, add, on_all_threads);
    for (int c = 0; c < columns; ++c) {
      if (decided[c]) continue;
      decided[c] = round.try_round(moments.of[c], results[c]);
      if (!decided[c] && pass == 0 && degrees_of_freedom(round.count, round.ddof) > 0 &&
          is_constant(x, round.count, column + c)) {
        decided[c] = true;
        results[c] = 0;
      }
      if (!decided[c] && improve_shift(moments.of[c], round.count, shifts[c])) worth_a_pass = true;
    }
  }
  for (int c = 0; c < columns; ++c) all_decided = all_decided && decided[c];
  if (all_decided) return;
  using Exact = ExactMoments<typename ColumnTiles<V>::Value>;
  auto const exact = moments_of_blocks(
      label, space, AddMoments<Exact, Columns, V>{x, round.count, column, columns, shifts}, on_all_threads);
  for (int c = 0; c < columns; ++c)
    if (!decided[c]) results[c] = round(exact.of[c].sum(), exact.of[c].squares());
}

/// All columns of a multivector, Columns at a time, on hosts.
template <int Columns, class Space, class V, class R, bool is_root, class Result>
void variances_of_multivector(Label const& label, Space const& space, ColumnTiles<V> const& X,
                              RoundVariance<R, is_root> const& round, Result const& r) {
  auto const of_group = [&](std::size_t column, int columns, bool on_all_threads) {
    R results[Columns];
    variances_of_columns<Columns>(label, space, X, column, columns, on_all_threads, round, results);
    for (int c = 0; c < columns; ++c) r(column + c) = results[c];
  };
  for_each_group_of_columns<Columns>(label, space, round.count, r.extent(0), of_group);
}

template <class Sums, class Squares, class Round, class Result>
struct RoundMoments {
  Sums sums;
  Squares squares;
  Round round;
  Result result;
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t column) const {
    auto const rounded = round(sums.sum(column), squares.sum(column));
    if constexpr (Result::rank == 0) {
      result() = rounded;
    } else {
      result(column) = rounded;
    }
  }
};

/// The variance or its root of a vector.
template <bool is_root, class R, class Space, class X>
R variance_of_entries(char const* function, Space const& space, X const& x, std::int64_t ddof, Rounding mode) {
  RoundVariance<R, is_root> const round{x.extent(0), ddof, mode};
  R result{};
  if constexpr (runs_on_host<Space>) {  // what takes less time than to look after all that others need
    bool decided = false;
    if (x.extent(0) <= enclosure_tile_size && !Kokkos::Tools::profileLibraryLoaded() && fp_environment_is_default() &&
        try_one_tile(tiles_of(uncounted<Space>(x)), 0, round, result, decided) && decided)
      return result;
  }
  Label const label{function, "::accumulate"};
  in_region(Label{function}, [&] {
    if constexpr (runs_on_host<Space>) {
      variances_of_columns<1>(label, space, tiles_of(uncounted<Space>(x)), 0, 1, true, round, &result);
    } else {
      result = round(sum_by_teams(std::string(label), space, ColumnTerms<X>{x}, x.extent(0), 0),
                     sum_by_teams(std::string(label), space, ColumnTerms<X, X>{x, x}, x.extent(0), 0));
    }
  });
  return result;
}

/// The same after checks, as a number; waits for it.
template <bool is_root, class Space, class X>
auto variance_of_vector(char const* function, Space const& space, X const& x, std::int64_t ddof, Rounding mode) {
  static_assert(require_operand<Space, X>());
  static_assert(X::rank == 1, "Exakt: the form that returns a number takes a vector; for a number per column give r");
  using R = typename X::non_const_value_type;
  if constexpr (X::rank == 1) {
    return variance_of_entries<is_root, R>(function, space, x, ddof, mode);
  } else {
    return R{};
  }
}

/// The same into r: of a vector, or of each column.
template <bool is_root, class Space, class Result, class X>
void variances_into(char const* function, Space const& space, Result const& r, X const& x, std::int64_t ddof) {
  static_assert(require_views<Result>());
  static_assert(require_operand<Space, X>());
  static_assert(require_output<Result>());
  static_assert(int(Result::rank) + 1 == int(X::rank), "Exakt: r has rank 0 for vectors and rank 1 for multivectors");
  static_assert(require_entries<typename Result::non_const_value_type>());
  static_assert(require_access<Space, Result>());
  require_entry_per_column(function, r, x);
  require_no_overlap(function, "r", r, "x", x);
  using R = typename Result::non_const_value_type;
  RoundVariance<R, is_root> const round{x.extent(0), ddof, Rounding::to_nearest};
  Label const label{function, "::accumulate"};
  in_region(Label{function}, [&] {
    if constexpr (!runs_on_host<Space>) {
      std::size_t columns = 1;
      if constexpr (Result::rank == 1) columns = r.extent(0);
      if (columns == 0) return;
      auto const sums = sums_by_teams(std::string(label), space, ColumnTerms<X>{x}, x.extent(0), 0, columns);
      auto const squares = sums_by_teams(std::string(label), space, ColumnTerms<X, X>{x, x}, x.extent(0), 0, columns);
      using Kernel = RoundMoments<decltype(sums), decltype(squares), RoundVariance<R, is_root>, Result>;
      loop("Exakt::round", space, columns, Kernel{sums, squares, round, r});
    } else if constexpr (Result::rank == 0) {
      R result{};
      variances_of_columns<1>(label, space, tiles_of(uncounted<Space>(x)), 0, 1, true, round, &result);
      r() = result;
    } else if (auto const entries = tiles_of(uncounted<Space>(x)); entries.is_row_major()) {
      variances_of_multivector<gathered_columns>(label, space, entries, round, r);
    } else {
      variances_of_multivector<1>(label, space, entries, round, r);
    }
  });
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
