// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_TRANSFORM_HPP
#define EXAKT_TRANSFORM_HPP

/// \file
/// \brief The loops behind transform_sum and transform_dot.
///
///     policy --> cells, numbered along the fastest index --> hosts: tiles in the first-level cache, so that the
///     compiler
///                                                            vectorizes the making of terms --> accumulators
///                                                            devices: registers of threads (Exakt_TeamSums.hpp)

#include "../Exakt_Reducer.hpp"
#include "../summation/Exakt_EnclosedSum.hpp"
#include "Exakt_Loop.hpp"
#include "Exakt_Region.hpp"
#include "Exakt_TeamSums.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace Exakt::Impl::inline EXAKT_ABI {

/// How the terms of transform_sum reach an accumulator: one number each.
template <class Term>
struct SumTerms {
  static_assert(
      has_float_format_v<Term>,
      "Exakt: the function of transform_sum returns its term, a float or double (or one of Kokkos' half types); "
      "of an integer return static_cast<double>(...)");
  using Accumulator = SumAccumulator<Term>;

  static constexpr int levels = std::is_same_v<Term, double> ? 3 : 2;  // of extraction: Exakt_Extraction.hpp

  static KOKKOS_FORCEINLINE_FUNCTION double exact(Term const& term) { return exact_double(term); }

  template <class Sum>
  static constexpr bool can_add_to = true;
  template <class Sum>
  static KOKKOS_FORCEINLINE_FUNCTION void add(Sum& sum, Term const& term) {
    sum += term;
  }

  struct Buffer {
    Term terms[extraction_tile_size];
    void set(std::size_t i, Term const& term) { terms[i] = term; }
    template <class Sum>
    void add_to(Sum& sum, std::size_t count) const {
      if constexpr (requires { sum.template add<PrefetchHint::cache>(terms, count); }) {
        sum.template add<PrefetchHint::cache>(terms, count);
      } else {
        for (std::size_t i = 0; i < count; ++i) sum += terms[i];
      }
    }
    SumOperations<Term> operations() const { return {terms}; }
  };
};

template <class Term>
concept IsFactorPair = requires {
  requires has_float_format_v<WiderOf<decltype(Term::first), decltype(Term::second)>>;
};

/// \brief A factor as kernels take it, which know no half types: these are widened beside a wider factor.
///
/// Integers are converted, exactly; floats and doubles stay as they are, for a conversion loses subnormal numbers where
/// denormals are zeros, which the accumulator knows.
template <class Factor, class X>
auto stored_factor(X x) {
  using Exact = decltype(factor_of<Factor>(x));
  if constexpr (is_float_v<Factor> && !is_float_v<Exact>) {
    return static_cast<float>(x);
  } else {
    return factor_of<Factor>(x);
  }
}

/// How the terms of transform_dot do: a pair of factors each.
template <class Term>
struct DotTerms {
  static_assert(IsFactorPair<Term>,
                "Exakt: the function of transform_dot returns the two factors of its term, as in "
                "Kokkos::make_pair(x(i), y(i)), each a float or double (or one of Kokkos' half types)");
  using Factor = WiderOf<decltype(Term::first), decltype(Term::second)>;
  using Accumulator = DotAccumulator<Factor>;
  static constexpr bool products_are_exact = 2 * FloatFormat<Factor>::precision <= FloatFormat<double>::precision;
  static constexpr int levels = products_are_exact ? 3 : 4;

  static KOKKOS_FORCEINLINE_FUNCTION auto exact(Term const& term) {
    FactorPair const factors{exact_double(factor_of<Factor>(term.first)), exact_double(factor_of<Factor>(term.second))};
    if constexpr (products_are_exact) {
      return factors.x * factors.y;
    } else {
      return factors;
    }
  }

  template <class Sum>
  static constexpr bool can_add_to = requires(Sum& sum, Factor x) {
    sum.add_product(x, x);
  };
  template <class Sum>
  static KOKKOS_FORCEINLINE_FUNCTION void add(Sum& sum, Term const& term) {
    sum.add_product(term.first, term.second);
  }

  struct Buffer {
    decltype(stored_factor<Factor>(Term::first)) x[extraction_tile_size / 2];
    decltype(stored_factor<Factor>(Term::second)) y[extraction_tile_size / 2];
    void set(std::size_t i, Term const& term) {
      x[i] = stored_factor<Factor>(term.first);
      y[i] = stored_factor<Factor>(term.second);
    }
    template <class Sum>
    void add_to(Sum& sum, std::size_t count) const {
      if constexpr (requires { sum.template add_products<PrefetchHint::cache>(x, y, count); }) {
        sum.template add_products<PrefetchHint::cache>(x, y, count);
      } else {
        for (std::size_t i = 0; i < count; ++i) sum.add_product(x[i], y[i]);
      }
    }
    auto operations() const {
      return ProductOperations<std::decay_t<decltype(x[0])>, std::decay_t<decltype(y[0])>>{x, y};
    }
  };
};

/// The indices of a policy, numbered: along the fastest one first, which is the last one, or the first.
template <class Index, int rank, bool last_is_fastest, class Tag = void>
struct Cells {
  struct Cell {
    Index at[rank];
  };

  Index begin[rank] = {};
  std::size_t extent[rank] = {};
  bool fits_32_bits = true;  // division of 64 bits takes devices several times as long

  /// \tparam End  Signed or not; the ends of signed indices may be further apart than it can say.
  template <class End>
  void set(int dimension, End first, End last) {
    begin[dimension] = static_cast<Index>(first);
    extent[dimension] = last > first ? static_cast<std::size_t>(last) - static_cast<std::size_t>(first) : 0;
    fits_32_bits = count() >> 32 == 0;
  }

  KOKKOS_INLINE_FUNCTION std::size_t count() const {
    std::size_t product = 1;
    for (std::size_t const factor : extent) product *= factor;
    return product;
  }

  KOKKOS_FORCEINLINE_FUNCTION Cell cell(std::size_t number) const {
    return fits_32_bits ? cell_of(static_cast<std::uint32_t>(number)) : cell_of(number);
  }

  /// From the cell to the end of its line, along the fastest index.
  std::size_t rest_of_line(Cell const& cell) const {
    return extent[fastest] - (static_cast<std::size_t>(cell.at[fastest]) - static_cast<std::size_t>(begin[fastest]));
  }

  /// f of the cell that is `further` places along the line.
  EXAKT_CALLS_ARGUMENT
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION auto call(F const& f, Cell cell, std::size_t further = 0) const {
    cell.at[fastest] = behind(cell.at[fastest], further);
    return call_with(f, cell, std::make_integer_sequence<int, rank>());
  }

  /// Whether F takes the tag, if there is one, and an index for each dimension.
  template <class F>
  static constexpr bool are_arguments_of() {
    return are_arguments<F>(std::make_integer_sequence<int, rank>());
  }

 private:
  template <class F, int... dimension>
  static constexpr bool are_arguments(std::integer_sequence<int, dimension...>) {
    if constexpr (std::is_void_v<Tag>) {
      return std::is_invocable_v<F const&, decltype((void(dimension), Index()))...>;
    } else {
      return std::is_invocable_v<F const&, Tag, decltype((void(dimension), Index()))...>;
    }
  }

  static constexpr int fastest = last_is_fastest ? rank - 1 : 0;

  /// A signed index may be further from the first one than it can say.
  template <class Number>
  static KOKKOS_FORCEINLINE_FUNCTION Index behind(Index index, Number offset) {
    using Unsigned = std::make_unsigned_t<Index>;
    return static_cast<Index>(static_cast<Unsigned>(static_cast<Unsigned>(index) + static_cast<Unsigned>(offset)));
  }

  template <class Number>
  KOKKOS_FORCEINLINE_FUNCTION Cell cell_of(Number number) const {
    Cell cell;
    for (int d = 0; d < rank; ++d) {
      int const dimension = last_is_fastest ? rank - 1 - d : d;
      Number offset = number;
      if (d < rank - 1) {  // of the slowest index there is nothing beyond
        auto const size = static_cast<Number>(extent[dimension]);
        number = offset / size;
        offset -= number * size;
      }
      cell.at[dimension] = behind(begin[dimension], offset);
    }
    return cell;
  }

  EXAKT_CALLS_ARGUMENT
  template <class F, int... dimension>
  static KOKKOS_FORCEINLINE_FUNCTION auto call_with(F const& f, Cell const& cell,
                                                    std::integer_sequence<int, dimension...>) {
    if constexpr (std::is_void_v<Tag>) {
      return f(cell.at[dimension]...);
    } else {
      return f(Tag(), cell.at[dimension]...);
    }
  }
};

/// Some cells per call; on hosts.
template <class Terms, class F, class Cells>
struct TransformTiles {
  using Buffer = typename Terms::Buffer;
  static constexpr std::size_t tile_size = extraction_tile_size / 2;

  F f;
  Cells cells;

  std::size_t tiles() const { return (cells.count() + tile_size - 1) / tile_size; }

  /// The terms exactly, into any accumulator.
  template <class Accumulator>
  void operator()(std::size_t tile, Accumulator& sum) const {
    Buffer buffer;
    std::size_t const count = fill(tile, buffer);
    buffer.add_to(sum, count);
  }

  /// The terms as far as an enclosure of their sum goes. What is not finite makes it unknown for good.
  void operator()(std::size_t tile, EnclosedSum& sum) const {
    if (!sum.is_known()) return;
    Buffer buffer;
    std::size_t const count = fill(tile, buffer);
    in_default_environment([&] { sum.add(buffer.operations(), 0, count); });
  }

 private:
  /// Calls f in the environment of its thread. \return How many terms there are.
  std::size_t fill(std::size_t tile, Buffer& buffer) const {
    std::size_t const begin = tile * tile_size, count = std::min(tile_size, cells.count() - begin);
    for (std::size_t done = 0; done < count;) {
      auto const first = cells.cell(begin + done);
      std::size_t const run = std::min(count - done, cells.rest_of_line(first));
      std::size_t i = 0;
      // Four values before they are stored, for f may read what the compiler takes for the buffer: so GCC makes packs of
      // them at -O2.
      for (; i + 4 <= run; i += 4) {
        auto const a = cells.call(f, first, i), b = cells.call(f, first, i + 1);
        auto const c = cells.call(f, first, i + 2), d = cells.call(f, first, i + 3);
        buffer.set(done + i, a);
        buffer.set(done + i + 1, b);
        buffer.set(done + i + 2, c);
        buffer.set(done + i + 3, d);
      }
      for (; i < run; ++i) buffer.set(done + i, cells.call(f, first, i));
      done += run;
    }
    // What f rounded is rounded: a product in it may not be fused with the additions to come.
    __asm__ volatile("" : : "r"(&buffer) : "memory");
    return count;
  }
};

/// The terms as rows of a column; on devices.
template <class Terms, class F, class Cells>
struct TransformRows {
  struct Operations {
    using Long = std::decay_t<decltype(std::declval<typename Terms::Accumulator&>().to_long_accumulator())>;
    static constexpr int levels = Terms::levels;
  };

  F f;
  Cells cells;

  EXAKT_CALLS_ARGUMENT
  KOKKOS_FORCEINLINE_FUNCTION auto term(std::size_t row, std::size_t) const {
    return Terms::exact(cells.call(f, cells.cell(row)));
  }
};

/// One cell per call, into any accumulator; on devices.
template <class Terms, class F, class Cells, class Accumulator>
struct AddCell {
  F f;
  Cells cells;

  EXAKT_CALLS_ARGUMENT
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::size_t number, Accumulator& sum) const {
    Terms::add(sum, cells.call(f, cells.cell(number)));
  }
};

/// The cells of a policy.
template <class Policy>
struct CellsOf {
  static_assert(
      !std::is_same_v<Policy, Policy>,
      "Exakt: transform_sum and transform_dot take a number of terms, a RangePolicy or an MDRangePolicy, and then "
      "the function, as in transform_sum(n, [=](int i) { return x(i); }); n is an integer, and there is no label");
};
template <class... P>
struct CellsOf<Kokkos::RangePolicy<P...>> {
  using Policy = Kokkos::RangePolicy<P...>;
  using type = Cells<typename Policy::index_type, 1, true, typename Policy::work_tag>;
  static type of(Policy const& policy) {
    type cells;
    cells.set(0, policy.begin(), policy.end());
    return cells;
  }
};
template <class... P>
struct CellsOf<Kokkos::MDRangePolicy<P...>> {
  using Policy = Kokkos::MDRangePolicy<P...>;
  static constexpr int rank = static_cast<int>(Policy::rank);
  using type = Cells<typename Policy::index_type, rank, Policy::inner_direction == Kokkos::Iterate::Right,
                     typename Policy::work_tag>;
  static type of(Policy const& policy) {
    type cells;
    for (int d = 0; d < rank; ++d) cells.set(d, policy.m_lower[d], policy.m_upper[d]);
    return cells;
  }
};

/// Whether it is a policy, or one on another space. Of other types CellsOf says so; nothing else is said of them then.
template <class Policy>
concept HasCells = requires {
  typename CellsOf<Policy>::type;
};

/// A policy on another space than its own, or on another instance.
template <class Space, class Policy>
struct MovedPolicy {
  using execution_space = Space;

  Space where;
  Policy policy;

  Space const& space() const { return where; }
};
template <class Space, HasCells Policy>
struct CellsOf<MovedPolicy<Space, Policy>> {
  using type = typename CellsOf<Policy>::type;
  static type of(MovedPolicy<Space, Policy> const& moved) { return CellsOf<Policy>::of(moved.policy); }
};

/// A sum over the cells of a policy, on hosts; Sum is the accumulator or EnclosedSum.
template <class Sum, class Tiles, class Policy>
void sum_tiles(char const* label, Policy const& policy, Tiles const& tiles, Sum& sum) {
  if (tiles.tiles() > 1) {
    reduce_loop(label, policy.space(), tiles.tiles(), tiles, Reducer<Sum>(sum));
  } else if (tiles.tiles() == 1) {
    tiles(0, sum);
  }
}

/// What f returns over a policy, as Terms, and the cells.
template <template <class> class TermsOf, class Policy, class F>
struct Transform {
  using Space = typename Policy::execution_space;
  using Cells = typename CellsOf<Policy>::type;
  static_assert(Cells::template are_arguments_of<F>(),
                "Exakt: the function of transform_sum or transform_dot takes an index for each dimension (after the "
                "policy's tag) and returns its term, as in [=](int i) { return x(i); }");
  using Terms = TermsOf<
      std::decay_t<decltype(std::declval<Cells>().call(std::declval<F const&>(), std::declval<Cells>().cell(0)))>>;
  using Accumulator = typename Terms::Accumulator;
  using Result = decltype(std::declval<Accumulator&>().round());

  char const* label;
  Policy const& policy;
  F const& f;

  /// The exact sum of the terms, unrounded.
  Accumulator sum() const {
    Accumulator result;
    auto const cells = CellsOf<Policy>::of(policy);
    if constexpr (runs_on_host<Space>) {
      sum_tiles(label, policy, TransformTiles<Terms, F, Cells>{f, cells}, result);
    } else {
      result.assign(sum_by_teams(label, policy.space(), TransformRows<Terms, F, Cells>{f, cells}, cells.count(), 0));
    }
    return result;
  }

  /// Adds the exact sum of the terms to `total`, an accumulator of any kind.
  template <class Total>
  void add_to(Total& total) const {
    static_assert(Terms::template can_add_to<Total>,
                  "Exakt: transform_dot adds to an accumulator of products: DotAccumulator<double>, or "
                  "LongAccumulator<double, 56, Exakt::Terms::products>");
    if constexpr (std::is_same_v<Total, Accumulator>) {
      total += sum();
    } else {
      Total added;
      auto const cells = CellsOf<Policy>::of(policy);
      if constexpr (runs_on_host<Space>) {
        sum_tiles(label, policy, TransformTiles<Terms, F, Cells>{f, cells}, added);
      } else {
        Kokkos::parallel_reduce(
            label, Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(policy.space(), 0, cells.count()),
            AddCell<Terms, F, Cells, Total>{f, cells}, Reducer<Total>(added));
      }
      total += added;
    }
  }

  static constexpr bool has_enclosure = is_float_v<Result>;

  /// What an enclosure knows of the sum. \pre has_enclosure
  EnclosedSum enclosed() const {
    EnclosedSum total;
    auto const cells = CellsOf<Policy>::of(policy);
    if constexpr (runs_on_host<Space>) {
      sum_tiles(label, policy, TransformTiles<Terms, F, Cells>{f, cells}, total);
    } else {
      total.sum = enclosed_by_teams(label, policy.space(), TransformRows<Terms, F, Cells>{f, cells}, cells.count(), 0);
    }
    return total;
  }

  /// The sum, rounded once: from an enclosure if that decides, else f is called again for the exact sum.
  Result rounded() const {
    if constexpr (has_enclosure) {
      EnclosedSum const total = enclosed();
      Result result;
      bool decided = false;
      in_default_environment([&] { decided = try_round(total.sum, result); });
      if (decided) return result;
    }
    return sum().round();
  }
};

/// The form with a label, a policy and a function.
template <template <class> class TermsOf, class Policy, class F>
auto transform(char const* label, Policy const& policy, F const& f) {
  if constexpr (HasCells<Policy>) {
    Region const region(label);
    return Transform<TermsOf, Policy, F>{label, policy, f}.rounded();
  } else {
    return 0.0;
  }
}

/// The same into an accumulator.
template <template <class> class TermsOf, class Policy, class F, class Total>
void transform_into(char const* label, Policy const& policy, F const& f, Total& total) {
  constexpr bool has_cells = HasCells<Policy>;
  constexpr bool is_exact = [] {
    if constexpr (IsExactValue<Total>) return is_exact_sum<Total>;
    return false;
  }();
  static_assert(
      is_exact,
      "Exakt: the last argument of transform_sum and transform_dot, if there is one behind the function, is an "
      "exact accumulator to add to, as in Exakt::SumAccumulator<double> total; the result as a number is "
      "returned where it is left out");
  if constexpr (has_cells && is_exact) {
    Region const region(label);
    Transform<TermsOf, Policy, F>{label, policy, f}.add_to(total);
  }
}

/// What is given to Kokkos in front of a policy.
template <class T>
concept LikeLabel = std::is_convertible_v<T const&, std::string>;

template <LikeLabel T>
constexpr bool require_no_label() {
  static_assert(
      !std::is_same_v<T, T>,
      "Exakt: transform_sum and transform_dot take no label, as in transform_sum(n, [=](int i) { return x(i); }); "
      "their kernels have labels of their own");
  return true;
}

/// The range [0, n), or a policy, on `space`.
template <class Space, class N>
auto range_on(Space const& space, N const& n_or_policy) {
  if constexpr (std::is_integral_v<N>) {
    return Kokkos::RangePolicy<Space, Kokkos::IndexType<N>>(space, 0, std::max(n_or_policy, N{0}));
  } else {
    return MovedPolicy<Space, N>{space, n_or_policy};
  }
}

template <class N>
auto const& policy_of(N const& policy) {
  return policy;
}
template <class N>
requires std::is_integral_v<N>
auto policy_of(N const& n) { return range_on(Kokkos::DefaultExecutionSpace(), n); }

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
