// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_REDUCE_HPP
#define EXAKTBLAS_REDUCE_HPP

/// \file
/// \brief The path of every reduction of this package: an enclosure, and where that does not decide, the exact sum.
/// Between them products that leave the range of doubles are enclosed scaled.
///
///     view(s) --> rows, a tile at a time --> EnclosedSum (one per thread and column) --> merged --> decided? --> result
///                 contiguous: in place                                                               no: the same path
///                 strided: gathered, some columns at once                                            with exact sums

#include "ExaktBlas_ScaledSum.hpp"
#include "ExaktBlas_Terms.hpp"

#include <Exakt_Reducer.hpp>
#include <parallel/Exakt_Loop.hpp>
#include <parallel/Exakt_ManySums.hpp>
#include <parallel/Exakt_Region.hpp>
#include <summation/Exakt_ShortSum.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// Neighbouring columns, a sum each.
template <class Sum, int Columns>
struct Sums {
  Sum of[Columns];

  KOKKOS_INLINE_FUNCTION Sums& operator+=(Sums const& other) {
    for (int c = 0; c < Columns; ++c) of[c] += other.of[c];
    return *this;
  }
  KOKKOS_INLINE_FUNCTION void clear() {
    for (Sum& sum : of) sum.clear();
  }
};

/// Adds a block of rows of some columns per call.
template <class Sum, int Columns, class Terms>
struct AddBlock {
  static constexpr std::size_t block_size_at_most = std::size_t{8} * enclosure_tile_size;
  static constexpr int distance = enclosure_tile_size / Columns;  // of gathered columns
  // Columns a power of two apart would fall on each other in the cache.
  static constexpr int tile_size = Columns == 1 ? distance : distance - 8;

  Terms terms;
  std::size_t rows, column;
  int columns;  // at most Columns
  std::size_t block_size = block_size_at_most;

  KOKKOS_FORCEINLINE_FUNCTION Pieces pieces() const { return {{0, rows}, block_size}; }
  std::size_t blocks() const { return pieces().count(); }

  /// As many blocks for each thread, of nearly one size: each then finds its own part in its cache again.
  AddBlock shared_among(std::size_t threads) const {
    AddBlock shared = *this;
    std::size_t const at_once = threads * block_size_at_most, blocks = (rows + at_once - 1) / at_once * threads;
    shared.block_size = ((rows + blocks - 1) / blocks + 511) / 512 * 512;
    return shared;
  }

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t block, Sums<Sum, Columns>& sums) const {
    Span const piece = pieces()[block];
    typename Terms::Buffers buffers;
    if (terms.is_contiguous()) {
      for (int c = 0; c < columns; ++c)
        sums.of[c].add(terms.operations(piece.begin, column + c, 0, buffers), 0, piece.size());
      return;
    }
    for (Span const tile : Pieces{piece, tile_size}) {
      terms.gather(tile.begin, column, tile.size(), columns, distance, buffers);
      for (int c = 0; c < columns; ++c)
        sums.of[c].add(terms.operations(tile.begin, column + c, c * distance, buffers), 0, tile.size());
    }
  }
};

/// How the columns of a multivector are shared out: blocks of rows among threads, or columns.
enum class Parallel { rows, columns };

/// The sums of the terms of some columns, as much as `Sum` knows of them.
template <class Sum, int Columns, class Name, class Space, class Terms>
Sums<Sum, Columns> sum_of_columns(Name const& label, Space const& space, AddBlock<Sum, Columns, Terms> const& add,
                                  Parallel parallel) {
  Sums<Sum, Columns> sums;
  if (parallel == Parallel::rows && add.blocks() > 1) {
    auto const shared = add.shared_among(static_cast<std::size_t>(space.concurrency()));
    reduce_loop(std::string(label), space, shared.blocks(), held<Sums<Sum, Columns>>(shared),
                Reducer<Sums<Sum, Columns>>(sums));
  } else {
    for (std::size_t block = 0; block < add.blocks(); ++block) add(block, sums);
  }
  return sums;
}

/// The same for a vector.
template <class Sum, class Name, class Space, class Terms>
Sum sum_of_column(Name const& label, Space const& space, Terms const& terms, std::size_t rows, std::size_t column) {
  return sum_of_columns(label, space, AddBlock<Sum, 1, Terms>{terms, rows, column, 1}, Parallel::rows).of[0];
}

/// The result for one tile of terms, from its exact sum in Levels levels; false if they are too few.
template <int Levels, class Operations, class Round, class R>
EXAKT_NOINLINE_FUNCTION bool try_levels(Operations const& operations, int count, Round const& round, R& result) {
  // Units are doubles: those of products end there, too.
  constexpr int lowest = FloatFormat<double>::lsb_exponent;
  int const e = exponent_above(operations.largest(0, count));
  std::int64_t units[Levels];
  using Sum = ShortSum<Levels>;
  if (!Sum::fits(e, lowest) || !operations.extract(0, count, e, units)) return false;
  result = round(Sum(units, e, lowest));
  return true;
}

/// \brief The result for a column that is worth one thread only, without a long accumulator; false if there are more
/// terms than that, or their range is too wide.
template <class Terms, class Round, class R>
bool try_at_once(Terms const& terms, std::size_t rows, std::size_t column, Round const& round, R& result) {
  typename Terms::Buffers buffers;
  if (!terms.is_contiguous()) {
    if (rows > enclosure_tile_size) return false;
    terms.gather(0, column, rows, 1, 0, buffers);
  } else if (rows > AddBlock<Exactly<typename Terms::Operations>, 1, Terms>::block_size_at_most) {
    return false;
  }
  auto const operations = terms.operations(0, column, 0, buffers);
  Enclosure sum;
  if (operations.enclose(0, rows, sum)) {
    if (round.try_round(sum, result)) return true;
    if (sum.high == 0 && sum.low == 0 && sum.bound == 0) {
      bool const is_zero = rows > 0 && round.mode == Rounding::to_nearest;
      result = is_zero ? R(0) : round(typename Terms::Operations::Long());
      return true;
    }
  }
  return rows <= extraction_tile_size / 2 && try_levels<4>(operations, static_cast<int>(rows), round, result);
}

/// The result of a sum, if what is known of it decides that: the doubles if they are far from the ends of the range, and
/// accumulators in all cases. \pre The default floating-point environment.
template <class Long, class Sum, class Round, class R>
bool try_known(Sum const& sum, Round const& round, R& result) {
  if constexpr (std::is_same_v<Sum, EnclosedSum>) {
    if (round.try_round(sum.sum, result)) return true;
  }
  return sum.is_known() && try_round(sum.template value<Long>(), sum.template radius<Long>(), round, result);
}

/// The results of some columns, if what is known of their sums decides all of them.
template <class Long, class Sum, int Columns, class Round, class R>
bool try_columns(Sums<Sum, Columns> const& sums, int columns, Round const& round, R* results) {
  for (int c = 0; c < columns; ++c) {
    if (!try_known<Long>(sums.of[c], round, results[c])) return false;
  }
  return true;
}

template <class Operations>
concept Scalable = requires(ScaledSum& sum, Operations const& products) {
  sum.add(products, 0, 0);
};

/// The results of at most Columns columns that are not worth one thread only.
template <int Columns, class Name, class Space, class Terms, class Round, class R>
void reduce_columns(Name const& label, Space const& space, Terms const& terms, std::size_t rows, std::size_t column,
                    int columns, Parallel parallel, Round const& round, R* results) {
  using Operations = typename Terms::Operations;
  using Long = typename Operations::Long;
  AddBlock<EnclosedSum, Columns, Terms> const enclose{terms, rows, column, columns};
  auto const enclosures = sum_of_columns(label, space, enclose, parallel);
  if (try_columns<Long>(enclosures, columns, round, results)) return;
  if constexpr (Scalable<Operations>) {
    bool may_know_more = false;
    for (int c = 0; c < columns; ++c) may_know_more = may_know_more || ScaledSum::may_know_more(enclosures.of[c]);
    AddBlock<ScaledSum, Columns, Terms> const scale{terms, rows, column, columns};
    if (may_know_more && Operations::has_enclosure() &&
        try_columns<Long>(sum_of_columns(label, space, scale, parallel), columns, round, results))
      return;
  }
  AddBlock<Exactly<Operations>, Columns, Terms> const add{terms, rows, column, columns};
  auto const sums = sum_of_columns(label, space, add, parallel);
  for (int c = 0; c < columns; ++c) results[c] = round(sums.of[c].sum());
}

/// All columns of a multivector, Columns at a time.
template <int Columns, class Name, class Space, class Terms, class Round, class Result>
void reduce_multivector(Name const& label, Space const& space, Terms const& terms, std::size_t rows, Round const& round,
                        Result const& r) {
  std::size_t const groups = (r.extent(0) + Columns - 1) / Columns;
  auto const reduce_group = [&](std::size_t group, Parallel parallel) {
    std::size_t const column = group * Columns, rest = r.extent(0) - column;
    int const columns = rest < Columns ? static_cast<int>(rest) : Columns;
    typename Result::non_const_value_type results[Columns];
    if constexpr (Columns == 1) {
      if (try_at_once(terms, rows, column, round, r(column))) return;
    }
    reduce_columns<Columns>(label, space, terms, rows, column, columns, parallel, round, results);
    for (int c = 0; c < columns; ++c) r(column + c) = results[c];
  };
  using Block = AddBlock<EnclosedSum, Columns, Terms>;
  bool const is_worth_waking_threads = rows * r.extent(0) > Block::block_size_at_most;
  if (is_worth_waking_threads && groups >= static_cast<std::size_t>(space.concurrency())) {
    loop(std::string(label), space, groups, [&](std::size_t group) { reduce_group(group, Parallel::columns); });
  } else {
    for (std::size_t group = 0; group < groups; ++group) reduce_group(group, Parallel::rows);
  }
}

/// Enclosures decide floats and doubles, rounded to nearest.
template <class R>
KOKKOS_FUNCTION constexpr bool takes_enclosures(Rounding mode) {
  return is_float_v<R> && mode == Rounding::to_nearest;
}

/// What the functions of this package do with their sums: exact ones, and enclosures that may not decide.
template <class R>
struct RoundValue {
  Rounding mode;
  KOKKOS_FUNCTION bool try_round(Enclosure const& sum, R& result) const {
    if constexpr (is_float_v<R>) return takes_enclosures<R>(mode) && Impl::try_round(sum, result);
    return false;
  }
  template <class Long>
  KOKKOS_FUNCTION R operator()(Long const& sum) const {
    return sum.template round<R>(mode);
  }
};
template <class R>
struct RoundSqrt {
  Rounding mode;
  KOKKOS_FUNCTION bool try_round(Enclosure const& sum, R& result) const {
    if constexpr (is_float_v<R>) return takes_enclosures<R>(mode) && try_round_sqrt(sum, result);
    return false;
  }
  template <class Long>
  KOKKOS_FUNCTION R operator()(Long const& sum) const {
    return sum.template round_sqrt<R>(mode);
  }
};
template <class R>
struct RoundMean {
  Rounding mode;
  std::size_t count;
  KOKKOS_FUNCTION bool try_round(Enclosure const& sum, R& result) const {
    if constexpr (is_float_v<R>)
      return takes_enclosures<R>(mode) && try_round_quotient(sum, static_cast<double>(count), result);
    return false;
  }
  template <class Long>
  KOKKOS_FUNCTION R operator()(Long const& sum) const {
    return sum.template round_quotient<R>(count, mode);
  }
};

/// \brief The sum of the terms of a vector, rounded once to an R by `round`, a monotonic function of an accumulator.
template <class R, class Name, class Space, class Terms, class Round>
R reduce_vector(Name const& label, Space const& space, Terms const& terms, std::size_t rows, Round const& round) {
  if constexpr (runs_on_host<Space>) {
    R result{};
    if (!try_at_once(terms, rows, 0, round, result))
      reduce_columns<1>(label, space, terms, rows, 0, 1, Parallel::rows, round, &result);
    return result;
  } else {
    std::string const name(label);
    R result{};
    if (takes_enclosures<R>(round.mode)) {
      using Operations = typename Terms::Operations;
      using Long = typename Operations::Long;
      auto const decides = [&](auto const& known) {
        bool decided = false;
        in_default_environment([&] { decided = try_known<Long>(known, round, result); });
        return decided;
      };
      EnclosedSum const sum{enclosed_by_teams(name, space, terms, rows, 0)};
      if (decides(sum)) return result;
      if constexpr (Scalable<Operations>) {
        if (ScaledSum::may_know_more(sum)) {
          if (decides(enclosed_by_teams<ScaledCascade>(name, space, terms, rows, 0))) return result;
          return round(sum_by_teams(name, space, terms, rows, 0));
        }
      }
      // Of terms that are no finite numbers more doubles tell nothing, either.
      if (sum.is_known() && decides(EnclosedSum{enclosed_by_teams<WideCascade>(name, space, terms, rows, 0)}))
        return result;
    }
    return round(sum_by_teams(name, space, terms, rows, 0));
  }
}

/// What becomes of the sum of a column, on devices.
template <class Round, class Result>
struct FinishColumn {
  using R = typename Result::non_const_value_type;
  Round round;
  Result r;

  KOKKOS_FORCEINLINE_FUNCTION R& at(std::size_t column) const {
    if constexpr (Result::rank == 0) {
      return r();
    } else {
      return r(column);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION R old(std::size_t) const { return R(); }
  KOKKOS_FORCEINLINE_FUNCTION bool try_round(Enclosure const& sum, R& result) const {
    return round.try_round(sum, result);
  }
  template <class Long>
  KOKKOS_INLINE_FUNCTION R exactly(Long const& sum, R const&) const {
    return round(sum);
  }
};

/// \brief A result for each column.
template <class Name, class Space, class Terms, class Round, class Result>
void reduce_each_column(Name const& label, Space const& space, Terms const& terms, std::size_t rows, Round const& round,
                        Result const& r) {
  if constexpr (runs_on_host<Space>) {
    if (terms.is_row_major()) {
      reduce_multivector<gathered_columns>(label, space, terms, rows, round, r);
    } else {
      reduce_multivector<1>(label, space, terms, rows, round, r);
    }
  } else {
    using Results = ResultsOfSums<Space, Terms, FinishColumn<Round, Result>>;
    std::size_t const columns = Result::rank == 0 ? 1 : r.extent(0);
    bool const columns_are_contiguous = !terms.is_row_major();
    finish_sums(std::string(label), space, Results{terms, rows, columns_are_contiguous, {round, r}}, columns,
                sums_enclosed_at_once);
  }
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
