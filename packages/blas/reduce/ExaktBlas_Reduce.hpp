// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_REDUCE_HPP
#define EXAKTBLAS_REDUCE_HPP

/// \file
/// \brief The path of every reduction of this package: an enclosure, and where that does not decide, the exact sum.
///
///     view(s) --> rows, a tile at a time --> EnclosedSum (one per thread and column) --> merged --> decided? --> result
///                 contiguous: in place                                                               no: the same path
///                 strided: gathered, some columns at once                                            with exact sums

#include "../drivers/ExaktBlas_Compiled.hpp"
#include "ExaktBlas_Terms.hpp"

#include <Exakt_Reducer.hpp>
#include <parallel/Exakt_Region.hpp>
#include <parallel/Exakt_TeamSums.hpp>
#include <summation/Exakt_ShortSum.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// The exact sum of terms; added and merged as an EnclosedSum is.
template <class Operations>
class Exactly {
  using Long = typename Operations::Long;

 public:
  KOKKOS_INLINE_FUNCTION void add(Operations const& operations, std::size_t begin, std::size_t n) {
    operations.add_exactly(m_extraction, m_sum, begin, n);
  }
  KOKKOS_INLINE_FUNCTION Exactly& operator+=(Exactly const& other) {
    m_sum += other.sum();
    return *this;
  }
  KOKKOS_FUNCTION void clear() { *this = Exactly(); }

  KOKKOS_INLINE_FUNCTION Long sum() const {
    Exactly copy = *this;
    copy.m_extraction.drain(copy.m_sum);
    return copy.m_sum;
  }

 private:
  Long m_sum;
  Extraction<Long, Operations::levels> m_extraction;
};

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
  static constexpr std::size_t block_size_at_most = 8 * enclosure_tile_size;
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
    Kokkos::parallel_reduce(std::string(label),
                            Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(space, 0, shared.blocks()),
                            held<Sums<Sum, Columns>>(shared), Reducer<Sums<Sum, Columns>>(sums));
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
  if (operations.enclose(0, rows, sum) && round.try_round(sum, result)) return true;
  return rows <= extraction_tile_size / 2 && try_levels<4>(operations, static_cast<int>(rows), round, result);
}

/// The results of at most Columns columns that are not worth one thread only.
template <int Columns, class Name, class Space, class Terms, class Round, class R>
void reduce_columns(Name const& label, Space const& space, Terms const& terms, std::size_t rows, std::size_t column,
                    int columns, Parallel parallel, Round const& round, R* results) {
  using Operations = typename Terms::Operations;
  using Long = typename Operations::Long;
  AddBlock<EnclosedSum, Columns, Terms> const enclose{terms, rows, column, columns};
  auto const enclosures = sum_of_columns(label, space, enclose, parallel);
  bool decided = true;
  for (int c = 0; c < columns && decided; ++c) {
    EnclosedSum const& sum = enclosures.of[c];
    decided = sum.is_known() && try_round(sum.template value<Long>(), sum.template radius<Long>(), round, results[c]);
  }
  if (decided) return;
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
    Kokkos::parallel_for(std::string(label),
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(space, 0, groups),
                         held([&](std::size_t group) { reduce_group(group, Parallel::columns); }));
  } else {
    for (std::size_t group = 0; group < groups; ++group) reduce_group(group, Parallel::rows);
  }
}

template <class Space, class Entry, class Value>
void write_entry(Space const& space, Entry const& entry, Value value) {
  if constexpr (runs_on_host<Space>) {
    entry() = value;
  } else {
    Kokkos::deep_copy(space, entry, value);
  }
}

template <class... X>
inline constexpr bool any_is_complex = (has_complex_entries<X> || ...);

/// What can be known at compile time about the operands.
template <class Verb, class Space, class... X>
constexpr bool require_operands() {
  static_assert(require_views<X...>());
  if constexpr (are_views_v<X...>) {
    static_assert(
        !any_is_complex<X...> || requires { Verb::takes_complex_numbers; },
        "Exakt: of the functions of vectors, dot alone takes complex numbers");
    static_assert((require_operand<Space, X, true>() && ...));
  }
  return true;
}

/// What the functions of this package do with their sums: exact ones, and enclosures that may not decide.
template <class R>
struct RoundValue {
  Rounding mode;
  bool try_round(Enclosure const& sum, R& result) const {
    if constexpr (is_float_v<R>) return mode == Rounding::to_nearest && Impl::try_round(sum, result);
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
  bool try_round(Enclosure const& sum, R& result) const {
    if constexpr (is_float_v<R>) return mode == Rounding::to_nearest && try_round_sqrt(sum, result);
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
  bool try_round(Enclosure const& sum, R& result) const {
    if constexpr (is_float_v<R>)
      return mode == Rounding::to_nearest && try_round_quotient(sum, static_cast<double>(count), result);
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
    return round(sum_by_teams(std::string(label), space, terms, rows, 0));
  }
}

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
    if (r.extent(0) == 0) return;
    auto const totals = sums_by_teams(std::string(label), space, terms, rows, 0, r.extent(0));
    Kokkos::parallel_for("Exakt::round",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(space, 0, r.extent(0)),
                         held(RoundTotals<decltype(totals), Round, Result>{totals, round, r}));
  }
}

/// \brief The view itself, or on hosts one that does not count references: each copy of a View that does takes as long
/// as a sum of ten numbers, and the caller keeps his until the result is there.
template <class Space, class V>
auto uncounted(V const& view) {
  if constexpr (runs_on_host<Space>) {
    return Kokkos::View<typename V::data_type, typename V::array_layout, typename V::device_type,
                        Kokkos::MemoryUnmanaged>(view);
  } else {
    return view;
  }
}

/// A View of any rank as libExaktBlasKokkos takes it.
template <class V>
Compiled::Matrix<typename V::value_type> plain(V const& view) {
  auto const stride = [&](int d) { return d < int(V::rank) ? static_cast<std::ptrdiff_t>(view.stride(d)) : 0; };
  return {view.data(), stride(0), stride(1)};
}
template <class V>
Compiled::Matrix<EntryOf<V> const> plain_input(V const& view) {
  auto const [data, row_stride, column_stride] = plain(view);
  return {data, row_stride, column_stride};
}

/// \brief A function of this package that reduces vectors: sum, dot, ... All have the same forms.
///
/// Method: an enclosed sum (Exakt_EnclosedSum.hpp), the exact one where that does not decide.
///
/// \tparam Verb  Its name, how many operands it has, `of(x...)`, the terms, and `round<R>(rows, mode)`, what becomes
/// of the sum.
template <class Verb>
struct Reduction {
  /// \brief The result for vectors x, as a number.
  ///
  /// \param space  Where to run; waited for.
  /// \param x      As many operands as the function has: n entries each, of any layout, read; float, double, or Kokkos'
  ///               half types, also mixed.
  /// \return The result in the widest type of the operands. NaN, infinities and the sign of zero as in
  /// SumAccumulator::round. \throws std::invalid_argument  The operands differ in length. \par Cost  One pass over the
  /// operands; a second one when the sum cancels or is next to a tie.
  template <class Space, class... X>
  requires(Kokkos::is_execution_space<Space>::value && sizeof...(X) == Verb::operands) auto operator()(
      Space const& space, X const&... x) const {
    return number(Rounding::to_nearest, space, x...);
  }

  /// \brief The same, rounded once in the direction `mode`.
  template <class Space, class X>
  requires(Kokkos::is_execution_space<Space>::value&& Verb::operands == 1) auto operator()(Space const& space,
                                                                                           X const& x,
                                                                                           Rounding mode) const {
    return number(mode, space, x);
  }
  template <class Space, class X, class Y>
  requires(Kokkos::is_execution_space<Space>::value&& Verb::operands == 2) auto operator()(Space const& space,
                                                                                           X const& x, Y const& y,
                                                                                           Rounding mode) const {
    return number(mode, space, x, y);
  }

  /// \brief The same on the execution space of the first operand.
  template <class X, class... Y>
  requires(!Kokkos::is_execution_space<X>::value && sizeof...(Y) + 1 == Verb::operands) auto operator()(
      X const& x, Y const&... y) const {
    static_assert(require_views<X, Y...>());
    return number(Rounding::to_nearest, typename X::execution_space(), x, y...);
  }
  template <class X>
  requires(!Kokkos::is_execution_space<X>::value && Verb::operands == 1) auto operator()(X const& x,
                                                                                         Rounding mode) const {
    static_assert(require_views<X>());
    return number(mode, typename X::execution_space(), x);
  }
  template <class X, class Y>
  requires(!Kokkos::is_execution_space<X>::value && Verb::operands == 2) auto operator()(X const& x, Y const& y,
                                                                                         Rounding mode) const {
    static_assert(require_views<X, Y>());
    return number(mode, typename X::execution_space(), x, y);
  }

  /// \brief The same into r, rounded once to its type: a rank-0 View for vectors, a rank-1 View with an entry for each
  /// column of multivectors (n x m).
  ///
  /// \throws std::invalid_argument  The operands differ in shape, or r does not have an entry for each column.
  template <class Space, class Result, class... X>
  requires(Kokkos::is_execution_space<Space>::value && sizeof...(X) == Verb::operands) void operator()(
      Space const& space, Result const& r, X const&... x) const {
    static_assert(require_views<Result>());
    static_assert(require_operands<Verb, Space, X...>());
    static_assert(!std::is_const_v<typename Result::value_type>, "Exakt: r is written");
    static_assert(((Result::rank + 1 == X::rank) && ...),
                  "Exakt: r has rank 0 for vectors and rank 1 for multivectors");
    static_assert(require_entries<RealEntryOf<Result>>());
    static_assert(require_access<Space, Result>());
    require_same_shapes(x...);
    (require_entry_per_column(Verb::name, r, x), ...);
    (require_no_overlap(Verb::name, "r", r, "x", x), ...);
    in_region(Label{Verb::name}, [&] {
      if constexpr (any_is_complex<X...>)
        reduce_complex_columns(space, r, x...);
      else
        reduce_columns(space, r, x...);
    });
  }

  /// \brief The same into r, on the execution space of the first operand.
  template <class Result, class X, class... Y>
  requires(!Kokkos::is_execution_space<Result>::value && sizeof...(Y) + 1 == Verb::operands) void operator()(
      Result const& r, X const& x, Y const&... y) const {
    static_assert(require_views<Result, X, Y...>());
    (*this)(typename X::execution_space(), r, x, y...);
  }

 private:
  static constexpr Label accumulate{Verb::name, "::accumulate"};

  template <class Space, class... X>
  static auto number(Rounding mode, Space const& space, X const&... x) {
    static_assert(require_operands<Verb, Space, X...>());
    static_assert(((X::rank == 1) && ...),
                  "Exakt: the form that returns a number takes vectors; for a number per column give r");
    require_same_shapes(x...);
    using R = std::common_type_t<RealEntryOf<X>...>;
    std::conditional_t<any_is_complex<X...>, Kokkos::complex<R>, R> result{};
    in_region(Label{Verb::name}, [&] {
      if constexpr (any_is_complex<X...>)
        result = Verb::template complex<R>(space, mode, x...);
      else
        result = reduce<R>(mode, space, x...);
    });
    return result;
  }

  template <class R, class Space, class X, class... Y>
  static R reduce(Rounding mode, Space const& space, X const& x, Y const&... y) {
    std::size_t const n = x.extent(0);
    if constexpr (is_compiled<Space, EntryOf<X>, EntryOf<Y>...> && is_compiled_type<R>)
      return Compiled::reduce<R, Verb::compiled>(space, n, mode, plain_input(x), plain_input(y)...);
    else
      return reduce_vector<R>(accumulate, space, Verb::of(uncounted<Space>(x), uncounted<Space>(y)...), n,
                              Verb::template round<R>(n, mode));
  }

  template <class Space, class Result, class X, class... Y>
  static void reduce_columns(Space const& space, Result const& r, X const& x, Y const&... y) {
    using R = typename Result::non_const_value_type;
    std::size_t const n = x.extent(0);
    if constexpr (Result::rank == 0 && runs_on_host<Space>)
      r() = reduce<R>(Rounding::to_nearest, space, x, y...);
    else if constexpr (is_compiled<Space, EntryOf<X>, EntryOf<Y>...> && is_compiled_type<R>)
      Compiled::reduce_columns<Verb::compiled>(space, n, plain(r), r.extent(0), plain_input(x), plain_input(y)...);
    else
      reduce_each_column(accumulate, space, Verb::of(uncounted<Space>(x), uncounted<Space>(y)...), n,
                         Verb::template round<R>(n, Rounding::to_nearest), r);
  }

  template <class Space, class Result, class... X>
  static void reduce_complex_columns(Space const& space, Result const& r, X const&... x) {
    static_assert(has_complex_entries<Result>, "Exakt: r is complex if an operand is");
    using R = RealEntryOf<Result>;
    if constexpr (Result::rank == 0) {
      write_entry(space, r, EntryOf<Result>(Verb::template complex<R>(space, Rounding::to_nearest, x...)));
    } else {
      for (std::size_t j = 0; j < r.extent(0); ++j) {
        write_entry(space, Kokkos::subview(r, j),
                    EntryOf<Result>(
                        Verb::template complex<R>(space, Rounding::to_nearest, Kokkos::subview(x, Kokkos::ALL, j)...)));
      }
    }
  }

  template <class X, class... Y>
  static void require_same_shapes(X const& x, Y const&... y) {
    (require_same_shape(Verb::name, x, y), ...);
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
