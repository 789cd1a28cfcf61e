// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_VARIANCE_DRIVER_HPP
#define EXAKT_VARIANCE_DRIVER_HPP

/// \file
/// \brief How variance and stddev run: one pass over the entries encloses their sum and the sum of their squares, which
/// nearly always decides the rounding (summation/Exakt_Moments.hpp).
///
///     blocks of rows --> tiles --> enclosures (one pair per thread and column) --> added --> decided? --> result
///                                                                                             no: the same of x - mean,
///                                                                                             where that is exact
///                                                                                             no: exact sums

#include "../Exakt_Reducer.hpp"
#include "../summation/Exakt_LongEnclosure.hpp"
#include "../summation/Exakt_Moments.hpp"
#include "Exakt_ColumnTiles.hpp"
#include "Exakt_OperandChecks.hpp"
#include "Exakt_Region.hpp"
#include "Exakt_TeamSums.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// Sums of numbers and of their squares, as far as enclosures go.
struct EnclosedMoments {
  Enclosure sum = empty_sum(), squares = empty_sum();

  bool is_known() const { return sum.bound < HUGE_VAL && squares.bound < HUGE_VAL; }
  void clear() { *this = EnclosedMoments(); }
  EnclosedMoments& operator+=(EnclosedMoments const& other) {
    in_default_environment([&] {
      add_enclosure(sum, other.sum);
      add_enclosure(squares, other.squares);
    });
    return *this;
  }

  template <class Value>
  void add(Value const* x, int count, double) {
    if (!is_known()) return;
    KernelsOf<Value> const& of_values = kernels();
    KernelsOf<Value, Value> const& of_products = kernels();
    auto const n = static_cast<std::size_t>(count);
    EnclosedMoments tile{{}, {}};
    if (of_products.enclose != nullptr && of_values.enclose(x, n, tile.sum) && of_products.enclose(x, x, n, tile.squares)) {
      add_enclosure(sum, tile.sum);
      add_enclosure(squares, tile.squares);
    } else {
      squares.bound = HUGE_VAL;
    }
  }
};

/// \brief The same of x - shift, with all x between shift / 2 and 2 * shift: then the difference is a double (Sterbenz).
struct ShiftedMoments : EnclosedMoments {
  template <class Value>
  void add(Value const* x, int count, double shift) {
    double differences[enclosure_tile_size];
    double const below = shift < 0 ? 2 * shift : shift / 2, above = shift < 0 ? shift / 2 : 2 * shift;
    int outside = 0;
    for (int i = 0; i < count; ++i) {
      double const t = static_cast<double>(x[i]);
      outside |= static_cast<int>(!(t >= below)) | static_cast<int>(!(t <= above));
      differences[i] = t - shift;
    }
    if (outside == 0 && shift != 0) {
      EnclosedMoments::add(differences, count, 0);
    } else {
      squares.bound = HUGE_VAL;
    }
  }
};

/// Both sums, exactly.
template <class Value>
class ExactMoments {
  using Numbers = SumOperations<Value>;
  using Squares = ProductOperations<Value, Value>;

 public:
  void clear() { *this = ExactMoments(); }
  ExactMoments& operator+=(ExactMoments const& other) {
    m_sum += other.sum();
    m_squares += other.squares();
    return *this;
  }
  void add(Value const* x, int count, double) {
    Numbers{x}.add_exactly(m_extraction, m_sum, 0, static_cast<std::size_t>(count));
    Squares{x, x}.add_exactly(m_extraction_of_squares, m_squares, 0, static_cast<std::size_t>(count));
  }

  typename Numbers::Long sum() const { return drained(m_extraction, m_sum); }
  typename Squares::Long squares() const { return drained(m_extraction_of_squares, m_squares); }

 private:
  template <class Filter, class Long>
  static Long drained(Filter filter, Long sum) {
    filter.drain(sum);
    return sum;
  }

  typename Numbers::Long m_sum;
  typename Squares::Long m_squares;
  Extraction<typename Numbers::Long, Numbers::levels> m_extraction;
  Extraction<typename Squares::Long, Squares::levels> m_extraction_of_squares;
};

/// Of neighbouring columns.
template <class Moments, int Columns>
struct MomentsOfColumns {
  Moments of[Columns];

  void clear() {
    for (Moments& moments : of) moments.clear();
  }
  MomentsOfColumns& operator+=(MomentsOfColumns const& other) {
    for (int c = 0; c < Columns; ++c) of[c] += other.of[c];
    return *this;
  }
};

/// Adds a block of rows of some columns per call; on hosts.
template <class Moments, int Columns, class V>
struct AddMoments {
  static constexpr std::size_t block_size = 8 * enclosure_tile_size;
  static constexpr int distance = enclosure_tile_size / Columns;  // of gathered columns
  // Columns a power of two apart would fall on each other in the cache.
  static constexpr std::size_t tile_size = Columns == 1 ? distance : distance - 8;

  ColumnTiles<V> x;
  std::size_t rows, column;
  int columns;           // at most Columns
  double const* shifts;  // of each column

  std::size_t blocks() const { return (rows + block_size - 1) / block_size; }

  void operator()(std::size_t block, MomentsOfColumns<Moments, Columns>& moments) const {
    std::size_t const begin = block * block_size, end = rows - begin < block_size ? rows : begin + block_size;
    typename ColumnTiles<V>::Buffer buffer;
    for (std::size_t row = begin; row < end; row += tile_size) {
      std::size_t const count = end - row < tile_size ? end - row : tile_size;
      x.gather(row, column, count, columns, distance, buffer);
      for (int c = 0; c < columns; ++c)
        moments.of[c].add(x.at(row, column + c, buffer.entries + c * distance), static_cast<int>(count), shifts[c]);
    }
  }
};

/// What is asked for, besides the entries.
template <class R, bool is_root>
struct RoundVariance {
  std::size_t count;
  int ddof;
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

/// The sums of some columns: by blocks of rows on all threads, or on this one.
template <class Moments, int Columns, class Space, class V>
auto moments_of_columns(char const* label, Space const& space, AddMoments<Moments, Columns, V> const& add,
                        bool on_all_threads) {
  MomentsOfColumns<Moments, Columns> moments;
  if (on_all_threads && add.blocks() > 1) {
    Kokkos::parallel_reduce(label, Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(space, 0, add.blocks()),
                            held<MomentsOfColumns<Moments, Columns>>(add),
                            Reducer<MomentsOfColumns<Moments, Columns>>(moments));
  } else {
    for (std::size_t block = 0; block < add.blocks(); ++block) add(block, moments);
  }
  return moments;
}

/// The mean, where the square of it is nearly all of the squares' sum: then it is worth a pass of its own to subtract it;
/// else zero.
inline double worthwhile_shift(EnclosedMoments const& moments, std::size_t count) {
  double const n = static_cast<double>(count), mean = moments.sum.high / n;
  return moments.is_known() && mean * mean * n > 0.999 * moments.squares.high ? mean : 0;
}

/// The results of at most Columns columns, on hosts.
template <int Columns, class Space, class V, class R, bool is_root>
void variances_of_columns(char const* label, Space const& space, ColumnTiles<V> const& x, std::size_t column,
                          int columns, bool on_all_threads, RoundVariance<R, is_root> const& round, R* results) {
  double shifts[Columns] = {};
  bool decided[Columns] = {}, all_decided = true, any_shift = false;
  if (is_float_v<R> && round.mode == Rounding::to_nearest) {
    auto const moments = moments_of_columns(
        label, space, AddMoments<EnclosedMoments, Columns, V>{x, round.count, column, columns, shifts}, on_all_threads);
    for (int c = 0; c < columns; ++c) {
      decided[c] = round.try_round(moments.of[c], results[c]);
      shifts[c] = decided[c] ? 0 : worthwhile_shift(moments.of[c], round.count);
      any_shift = any_shift || shifts[c] != 0;
    }
    if (any_shift) {
      auto const shifted = moments_of_columns(
          label, space, AddMoments<ShiftedMoments, Columns, V>{x, round.count, column, columns, shifts}, on_all_threads);
      for (int c = 0; c < columns; ++c)
        if (shifts[c] != 0) decided[c] = round.try_round(shifted.of[c], results[c]);
    }
  }
  for (int c = 0; c < columns; ++c) all_decided = all_decided && decided[c];
  if (all_decided) return;
  using Exact = ExactMoments<typename ColumnTiles<V>::Value>;
  auto const exact = moments_of_columns(
      label, space, AddMoments<Exact, Columns, V>{x, round.count, column, columns, shifts}, on_all_threads);
  for (int c = 0; c < columns; ++c)
    if (!decided[c]) results[c] = round(exact.of[c].sum(), exact.of[c].squares());
}

/// All columns of a multivector, Columns at a time, on hosts.
template <int Columns, class Space, class V, class R, bool is_root, class Result>
void variances_of_multivector(char const* label, Space const& space, V const& X, RoundVariance<R, is_root> const& round,
                              Result const& r) {
  std::size_t const groups = (r.extent(0) + Columns - 1) / Columns;
  auto const of_group = [&](std::size_t group, bool on_all_threads) {
    std::size_t const column = group * Columns, rest = r.extent(0) - column;
    int const columns = rest < Columns ? static_cast<int>(rest) : Columns;
    R results[Columns];
    variances_of_columns<Columns>(label, space, ColumnTiles<V>{X}, column, columns, on_all_threads, round, results);
    for (int c = 0; c < columns; ++c) r(column + c) = results[c];
  };
  bool const is_worth_waking_threads = round.count * r.extent(0) > AddMoments<EnclosedMoments, Columns, V>::block_size;
  if (is_worth_waking_threads && groups >= static_cast<std::size_t>(space.concurrency())) {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(space, 0, groups),
                         held([&](std::size_t group) { of_group(group, false); }));
  } else {
    for (std::size_t group = 0; group < groups; ++group) of_group(group, true);
  }
}

/// The entries, and their squares, as terms; on devices.
template <class V, bool are_squared>
struct MomentTerms {
  struct Operations {
    using Long = LongAccumulator<double, 56, are_squared ? Terms::products : Terms::values>;
    static constexpr int levels = are_squared ? 4 : 3;
  };
  V x;

  KOKKOS_FORCEINLINE_FUNCTION auto term(std::size_t row, std::size_t column) const {
    double const entry = exact_double(ColumnTiles<V>{x}.entry(row, column));
    if constexpr (are_squared) {
      return FactorPair{entry, entry};
    } else {
      return entry;
    }
  }
};

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

/// The variance or its root of a vector, as a number; waits for it.
template <bool is_root, class Space, class X>
auto variance_of_vector(char const* function, Space const& space, X const& x, int ddof, Rounding mode) {
  static_assert(require_real_operand<Space, X>());
  static_assert(X::rank == 1, "Exakt: the form that returns a number takes a vector; for a number per column give r");
  using R = typename X::non_const_value_type;
  RoundVariance<R, is_root> const round{x.extent(0), ddof, mode};
  R result{};
  in_region(function, [&] {
    if constexpr (runs_on_host<Space>) {
      variances_of_columns<1>(function, space, ColumnTiles<X>{x}, 0, 1, true, round, &result);
    } else {
      result = round(sum_by_teams(function, space, MomentTerms<X, false>{x}, x.extent(0), 0),
                     sum_by_teams(function, space, MomentTerms<X, true>{x}, x.extent(0), 0));
    }
  });
  return result;
}

/// The same into r: of a vector, or of each column.
template <bool is_root, class Space, class Result, class X>
void variances_into(char const* function, Space const& space, Result const& r, X const& x, int ddof) {
  static_assert(require_views<Result>());
  static_assert(require_real_operand<Space, X>());
  static_assert(require_output<Result>());
  static_assert(int(Result::rank) + 1 == int(X::rank), "Exakt: r has rank 0 for vectors and rank 1 for multivectors");
  static_assert(require_entries<typename Result::non_const_value_type>());
  static_assert(require_access<Space, Result>());
  require_entry_per_column(function, r, x);
  require_no_overlap(function, "r", r, "x", x);
  using R = typename Result::non_const_value_type;
  RoundVariance<R, is_root> const round{x.extent(0), ddof, Rounding::to_nearest};
  in_region(function, [&] {
    if constexpr (!runs_on_host<Space>) {
      std::size_t columns = 1;
      if constexpr (Result::rank == 1) columns = r.extent(0);
      if (columns == 0) return;
      auto const sums = sums_by_teams(function, space, MomentTerms<X, false>{x}, x.extent(0), 0, columns);
      auto const squares = sums_by_teams(function, space, MomentTerms<X, true>{x}, x.extent(0), 0, columns);
      using Kernel = RoundMoments<decltype(sums), decltype(squares), RoundVariance<R, is_root>, Result>;
      Kokkos::parallel_for("Exakt::round", Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(space, 0, columns),
                           held(Kernel{sums, squares, round, r}));
    } else if constexpr (Result::rank == 0) {
      R result{};
      variances_of_columns<1>(function, space, ColumnTiles<X>{x}, 0, 1, true, round, &result);
      r() = result;
    } else if (ColumnTiles<X>{x}.is_row_major()) {
      variances_of_multivector<gathered_columns>(function, space, x, round, r);
    } else {
      variances_of_multivector<1>(function, space, x, round, r);
    }
  });
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
