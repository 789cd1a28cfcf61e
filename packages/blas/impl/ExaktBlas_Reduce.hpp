// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_REDUCE_HPP
#define EXAKTBLAS_REDUCE_HPP

/// \file
/// \brief The road of every reduction of this room: certify, and where the certificate does not decide, add exactly.
///
///     view(s) --> rows, a tile at a time --> Certified (one per thread and column) --> merged --> decided? --> result
///                 contiguous: in place                                                            no: the same road
///                 strided: gathered                                                               with exact
///                 accumulators

#include "ExaktBlas_Terms.hpp"

#include <Exakt_Reducer.hpp>

namespace Exakt::Impl {

/// The same interface as Certified, without its doubts: the exact sum.
template <class Source>
class Exactly {
  using Long = typename Source::Long;

 public:
  KOKKOS_INLINE_FUNCTION void add(Source const& source, std::size_t begin, std::size_t n) {
    source.add_exactly(m_folds, m_sum, begin, n);
  }
  KOKKOS_INLINE_FUNCTION Exactly& operator+=(Exactly const& other) {
    m_sum += other.sum();
    return *this;
  }
  KOKKOS_FUNCTION void clear() { *this = Exactly(); }

  template <class Round, class R>
  KOKKOS_INLINE_FUNCTION bool decides(Round const& round, R& result) const {
    result = round(sum());
    return true;
  }

 private:
  KOKKOS_INLINE_FUNCTION Long sum() const {
    Exactly copy = *this;
    copy.m_folds.drain(copy.m_sum);
    return copy.m_sum;
  }

  Long m_sum;
  Folds<Long, Source::levels> m_folds;
};

/// Adds rows [begin, end) of a column.
template <class Sum, class Terms>
KOKKOS_INLINE_FUNCTION void add_rows(Terms const& terms, std::size_t column, std::size_t begin, std::size_t end,
                                     Sum& sum) {
  if (begin >= end) return;
  typename Terms::Buffers buffers;
  if (terms.is_contiguous()) {
    sum.add(terms.source(begin, column, end - begin, buffers), 0, end - begin);
    return;
  }
  for (std::size_t row = begin; row < end; row += certificate_tile_size) {
    std::size_t const count = end - row < certificate_tile_size ? end - row : certificate_tile_size;
    sum.add(terms.source(row, column, count, buffers), 0, count);
  }
}

/// A block of rows per call.
template <class Sum, class Terms>
struct AddBlock {
  static constexpr std::size_t block_size = 8 * certificate_tile_size;

  Terms terms;
  std::size_t rows, column;

  std::size_t blocks() const { return (rows + block_size - 1) / block_size; }

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t block, Sum& sum) const {
    std::size_t const begin = block * block_size;
    add_rows(terms, column, begin, rows - begin < block_size ? rows : begin + block_size, sum);
  }
};

/// One rung: whether `Sum` decides the result.
template <class Sum, class Space, class Terms, class Round, class R>
bool try_with(std::string const& label, Space const& space, Terms const& terms, std::size_t rows, std::size_t column,
              Round const& round, R& result) {
  AddBlock<Sum, Terms> const add{terms, rows, column};
  Sum sum;
  if (add.blocks() > 1) {
    Kokkos::parallel_reduce(label, Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(space, 0, add.blocks()),
                            add, Reducer<Sum>(sum));
  } else {
    add(0, sum);  // to wake the threads would take longer
  }
  return sum.decides(round, result);
}

/// Threads of the host, with memory that needs no copies.
template <class Space>
inline constexpr bool runs_on_host = std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>;

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

/// An operand of a function that takes complex numbers, seen as real ones by the checks.
template <class Space, class V>
constexpr void require_vector_operand() {
  if constexpr (has_complex_entries<V>) {
    using Real = std::conditional_t<V::rank == 2, RealEntryOf<V> const**, RealEntryOf<V> const*>;
    require_operand<Space, Kokkos::View<Real, typename V::array_layout, typename V::memory_space>>();
  } else {
    require_operand<Space, V>();
  }
}

template <class Verb, class Space, class X, class... Y>
void check_operands(X const& x, Y const&... y) {
  static_assert(
      !any_is_complex<X, Y...> || requires { Verb::takes_complex_numbers; },
      "Exakt: of the functions of vectors, dot alone takes complex numbers");
  require_vector_operand<Space, X>();
  (require_vector_operand<Space, Y>(), ...);
  (require_same_shape(Verb::name, x, y), ...);
}

/// What the functions of this room do with their sums.
template <class R>
struct RoundValue {
  template <class Long>
  KOKKOS_FUNCTION R operator()(Long const& sum) const {
    return sum.template round<R>();
  }
};
template <class R>
struct RoundSqrt {
  template <class Long>
  KOKKOS_FUNCTION R operator()(Long const& sum) const {
    return sum.template round_sqrt<R>();
  }
};
template <class R>
struct RoundMean {
  std::size_t count;
  template <class Long>
  KOKKOS_FUNCTION R operator()(Long const& sum) const {
    return sum.template round_quotient<R>(count);
  }
};

/// A profiling region that ends with its scope.
struct Region {
  explicit Region(std::string const& name) { Kokkos::Profiling::pushRegion(name); }
  ~Region() { Kokkos::Profiling::popRegion(); }
  Region(Region const&) = delete;
  Region& operator=(Region const&) = delete;
};

/// One term per call, for devices.
template <class Terms>
struct AddEntry {
  Terms terms;
  std::size_t column;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::size_t row, typename Terms::Exact& sum) const {
    terms.add_entry(row, column, sum);
  }
};

/// \brief The sum of one column's terms, rounded once by `round`, a monotonic function of an accumulator.
template <class Space, class Terms, class Round>
auto reduce_column(std::string const& label, Space const& space, Terms const& terms, std::size_t rows,
                   std::size_t column, Round const& round) {
  using Source = typename Terms::Source;
  if constexpr (runs_on_host<Space>) {
    decltype(round(std::declval<typename Source::Long const&>())) result{};
    if (!try_with<Certified<Source>>(label, space, terms, rows, column, round, result)) {
      try_with<Exactly<Source>>(label, space, terms, rows, column, round, result);
    }
    return result;
  } else {
    typename Terms::Exact sum;
    Kokkos::parallel_reduce(label, Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(space, 0, rows),
                            AddEntry<Terms>{terms, column}, Reducer<typename Terms::Exact>(sum));
    return round(sum);
  }
}

/// \brief A function of this room that reduces vectors: sum, dot, ... All have the same four forms.
///
/// Method: a certified sum (Exakt_Certificate.hpp), the exact one where the certificate does not decide.
///
/// \tparam Verb  Its name, how many operands it has, `of(x...)`, the terms, and `round<R>(x...)`, what becomes of the
/// sum.
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
    static_assert(((X::rank == 1) && ...),
                  "Exakt: the form that returns a number takes vectors; for a number per column give r");
    check_operands<Verb, Space>(x...);
    Region const region(name());
    using R = std::common_type_t<RealEntryOf<X>...>;
    if constexpr (any_is_complex<X...>)
      return Verb::template complex<R>(space, x...);
    else
      return reduce_column(name() + "::accumulate", space, Verb::of(x...), rows_of(x...), 0,
                           Verb::template round<R>(rows_of(x...)));
  }

  /// \brief The same on the execution space of the first operand.
  template <class X, class... Y>
  requires(Kokkos::is_view<X>::value && sizeof...(Y) + 1 == Verb::operands) auto operator()(X const& x,
                                                                                            Y const&... y) const {
    return (*this)(typename X::execution_space(), x, y...);
  }

  /// \brief The same into r, rounded once to its type: a rank-0 View for vectors, a rank-1 View with an entry for each
  /// column of multivectors (n x m).
  ///
  /// \throws std::invalid_argument  The operands differ in shape, or r does not have an entry for each column.
  template <class Space, class Result, class... X>
  requires(Kokkos::is_execution_space<Space>::value && sizeof...(X) == Verb::operands) void operator()(
      Space const& space, Result const& r, X const&... x) const {
    static_assert(!std::is_const_v<typename Result::value_type>, "Exakt: r is written");
    static_assert(((Result::rank + 1 == X::rank) && ...),
                  "Exakt: r has rank 0 for vectors and rank 1 for multivectors");
    static_assert(Kokkos::SpaceAccessibility<Space, typename Result::memory_space>::accessible,
                  "Exakt: the execution space must reach the memory of every operand");
    check_operands<Verb, Space>(x...);
    (require_entry_per_column(Verb::name, r, x), ...);
    (require_no_overlap(Verb::name, "r", r, "x", x), ...);
    Region const region(name());
    if constexpr (any_is_complex<X...>) {
      return reduce_complex_columns(space, r, x...);
    } else {
      reduce_columns(space, r, x...);
    }
  }
  /// \brief The same into r, on the execution space of the first operand.
  template <class Result, class X, class... Y>
  requires(Kokkos::is_view<Result>::value && sizeof...(Y) + 1 == Verb::operands) void operator()(Result const& r,
                                                                                                 X const& x,
                                                                                                 Y const&... y) const {
    (*this)(typename X::execution_space(), r, x, y...);
  }

 private:
  template <class Space, class Result, class... X>
  static void reduce_columns(Space const& space, Result const& r, X const&... x) {
    auto const terms = Verb::of(x...);
    auto const round = Verb::template round<typename Result::non_const_value_type>(rows_of(x...));
    if constexpr (Result::rank == 0) {
      write_entry(space, r, reduce_column(name() + "::accumulate", space, terms, rows_of(x...), 0, round));
    } else {
      for (std::size_t j = 0; j < r.extent(0); ++j) {
        write_entry(space, Kokkos::subview(r, j),
                    reduce_column(name() + "::accumulate", space, terms, rows_of(x...), j, round));
      }
    }
  }

  template <class Space, class Result, class... X>
  static void reduce_complex_columns(Space const& space, Result const& r, X const&... x) {
    static_assert(has_complex_entries<Result>, "Exakt: r is complex if an operand is");
    using R = RealEntryOf<Result>;
    if constexpr (Result::rank == 0) {
      write_entry(space, r, EntryOf<Result>(Verb::template complex<R>(space, x...)));
    } else {
      for (std::size_t j = 0; j < r.extent(0); ++j) {
        write_entry(space, Kokkos::subview(r, j),
                    EntryOf<Result>(Verb::template complex<R>(space, Kokkos::subview(x, Kokkos::ALL, j)...)));
      }
    }
  }

  static std::string name() { return std::string("Exakt::") + Verb::name; }

  template <class X, class... Y>
  static std::size_t rows_of(X const& x, Y const&...) {
    return x.extent(0);
  }
};

}  // namespace Exakt::Impl

#endif
