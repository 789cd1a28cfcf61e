// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_REDUCTIONVERBS_HPP
#define EXAKTBLAS_REDUCTIONVERBS_HPP

/// \file
/// \brief The verbs that reduce vectors (sum, dot, ...): the terms of each, what becomes of their sum, and the checks
/// and the dispatch that all share.
///
/// A verb has a name, a number of operands, `of(x...)`, the terms of its operands, and `round<R>(rows, mode)`, what
/// becomes of their sum. `compiled` is its name in libExaktBlasKokkos, if it is compiled there. `of_complex(x...)` are the terms
/// of complex numbers; norms of these are real, other results are complex, a column of terms for each part.

#include "../drivers/ExaktBlas_SmallSums.hpp"
#include "ExaktBlas_Reduce.hpp"

#include <tuple>
#include <utility>

namespace Exakt::Impl::inline EXAKT_ABI {

struct Sum {
  static constexpr char const* name = "sum";
  static constexpr int operands = 1;
  static constexpr auto compiled = Compiled::Reduction::sum;

  template <class X>
  static SumOf<X> of(X const& x) {
    return {{x}};
  }
  template <class X>
  static ComplexSumOf<X> of_complex(X const& x) {
    return {x};
  }
  template <class R>
  static RoundValue<R> round(std::size_t, Rounding mode) {
    return {mode};
  }
};

struct Nrm1 {
  static constexpr char const* name = "nrm1";
  static constexpr int operands = 1;
  static constexpr bool is_norm = true;
  static constexpr auto compiled = Compiled::Reduction::nrm1;

  template <class X>
  static AbsoluteSumOf<X> of(X const& x) {
    return {{{x}}};
  }
  template <class X>
  static ComplexMagnitudesOf<X> of_complex(X const& x) {
    return {{x}};
  }
  template <class R>
  static RoundValue<R> round(std::size_t, Rounding mode) {
    return {mode};
  }
};

struct Nrm2Squared {
  static constexpr char const* name = "nrm2_squared";
  static constexpr int operands = 1;
  static constexpr bool is_norm = true;
  static constexpr auto compiled = Compiled::Reduction::nrm2_squared;

  template <class X>
  static ProductsOf<X, X> of(X const& x) {
    return {{x}, {x}};
  }
  template <class X>
  static ComplexProductsOf<X, X> of_complex(X const& x) {
    return {x, x, true};
  }
  template <class R>
  static RoundValue<R> round(std::size_t, Rounding mode) {
    return {mode};
  }
};

struct Nrm2 : Nrm2Squared {
  static constexpr char const* name = "nrm2";
  static constexpr auto compiled = Compiled::Reduction::nrm2;

  template <class R>
  static RoundSqrt<R> round(std::size_t, Rounding mode) {
    return {mode};
  }
};

struct Mean : Sum {
  static constexpr char const* name = "mean";
  static constexpr auto compiled = Compiled::Reduction::mean;

  template <class R>
  static RoundMean<R> round(std::size_t rows, Rounding mode) {
    return {mode, rows};
  }
};

struct Dot {
  static constexpr char const* name = "dot";
  static constexpr int operands = 2;
  static constexpr auto compiled = Compiled::Reduction::dot;

  template <class X, class Y>
  static ProductsOf<X, Y> of(X const& x, Y const& y) {
    return {{x}, {y}};
  }
  template <class X, class Y>
  static ComplexProductsOf<X, Y> of_complex(X const& x, Y const& y) {
    return {x, y, true};
  }
  template <class R>
  static RoundValue<R> round(std::size_t, Rounding mode) {
    return {mode};
  }
};

using CompiledVerbs = std::tuple<Sum, Nrm1, Nrm2, Nrm2Squared, Mean, Dot>;

/// The verb of that name.
template <Compiled::Reduction which>
using VerbOf = std::tuple_element_t<static_cast<std::size_t>(which), CompiledVerbs>;
static_assert([]<std::size_t... k>(std::index_sequence<k...>) {
  return ((static_cast<std::size_t>(std::tuple_element_t<k, CompiledVerbs>::compiled) == k) && ...);
}(std::make_index_sequence<std::tuple_size_v<CompiledVerbs>>()));

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
template <class Space, class... X>
constexpr bool require_operands() {
  static_assert(require_views<X...>());
  if constexpr (are_views_v<X...>) {
    static_assert((require_operand<Space, X, RealOf>() && ...));
  }
  return true;
}

/// A View of any rank as libExaktBlasKokkos takes it.
template <class V>
Compiled::Matrix<typename V::value_type> plain(V const& view) {
  return {view.data(), stride_along(view, 0), stride_along(view, 1)};
}
template <class V>
Compiled::Matrix<EntryOf<V> const> plain_input(V const& view) {
  auto const [data, row_stride, column_stride] = plain(view);
  return {data, row_stride, column_stride};
}

template <class Verb>
concept CompiledVerb = requires {
  Verb::compiled;
};

/// Whether libExaktBlasKokkos has the verb, for these operands and results of type R.
template <class Verb, class Space, class R, class... X>
inline constexpr bool is_compiled_verb = CompiledVerb<Verb>&& is_compiled<Space, EntryOf<X>...>&& is_compiled_type<R>;

/// The label of a verb's kernels.
template <class Verb>
inline constexpr Label accumulate_label{Verb::name, "::accumulate"};

/// What can be known at compile time about r, the View for the results of x.
template <class Space, class Result, class... X>
constexpr bool require_results() {
  static_assert(require_views<Result>());
  if constexpr (are_views_v<Result>) {
    static_assert(!std::is_const_v<typename Result::value_type>, "Exakt: r is written");
    static_assert(((Result::rank + 1 == X::rank) && ...),
                  "Exakt: r has rank 0 for vectors and rank 1 for multivectors");
    static_assert(require_entries<RealEntryOf<Result>>());
    static_assert(require_access<Space, Result>());
  }
  return true;
}

/// The result for the vector x (or the vectors x, y) as an R.
template <class Verb, class R, class Space, class X, class... Y>
R reduce_to(Space const& space, Rounding mode, X const& x, Y const&... y) {
  std::size_t const n = x.extent(0);
  if constexpr (is_compiled_verb<Verb, Space, R, X, Y...>)
    return Compiled::reduce<R, Verb::compiled>(space, n, mode, plain_input(x), plain_input(y)...);
  else
    return reduce_vector<R>(accumulate_label<Verb>, space, Verb::of(uncounted<Space>(x), uncounted<Space>(y)...), n,
                            Verb::template round<R>(n, mode));
}

template <class Verb>
concept Norm = Verb::is_norm;

/// The sums of both parts of terms that have a column for each, rounded once each.
template <class R, class Name, class Space, class Terms>
Kokkos::complex<R> reduce_parts(Name const& label, Space const& space, Terms terms, auto const& round) {
  std::size_t const rows = terms.terms();
  R parts[2];
  if constexpr (runs_on_host<Space>) {
    if (!try_at_once(terms, rows, 0, round, parts[0]) || !try_at_once(terms, rows, 1, round, parts[1]))
      reduce_columns<2>(label, space, terms, rows, 0, 2, Parallel::rows, round, parts);
  } else {
    for (R& part : parts) {
      part = reduce_vector<R>(label, space, terms, rows, round);
      terms.imaginary = true;
    }
  }
  return {parts[0], parts[1]};
}

/// The result for complex vectors: of numbers next to each other norms are those of their parts.
template <class Verb, class R, class Space, class X, class... Y>
auto reduce_complex_to(Space const& space, Rounding mode, X const& x, Y const&... y) {
  std::size_t const n = x.extent(0);
  auto const terms = Verb::of_complex(uncounted<Space>(x), uncounted<Space>(y)...);
  auto const round = Verb::template round<R>(n, mode);
  if constexpr (!Norm<Verb>) {
    return reduce_parts<R>(accumulate_label<Verb>, space, terms, round);
  } else {
    using Parts = Kokkos::View<RealEntryOf<X> const*, typename X::device_type, Kokkos::MemoryUnmanaged>;
    if (x.stride(0) == 1)
      return reduce_to<Verb, R>(space, mode, Parts(reinterpret_cast<RealEntryOf<X> const*>(x.data()), 2 * n));
    return reduce_vector<R>(accumulate_label<Verb>, space, terms, terms.terms(), round);
  }
}

/// Whether the kernels of few terms have the verb, for these operands and results of type R.
template <class Verb, class Space, class R, class... X>
inline constexpr bool has_few_terms = CompiledVerb<Verb>&& is_compiled_space<Space>&& is_compiled_type<R> &&
                                      (std::is_same_v<R, RealEntryOf<X>> && ...);

/// The sum of a column of few terms that are gathered first, if one kernel decides how it rounds.
template <class Verb, class Terms, class R>
bool try_few_gathered(Terms const& terms, std::size_t count, std::size_t column, R& result) {
  typename Terms::Buffers buffers;
  terms.gather(0, column, count, 1, 0, buffers);
  auto const operations = terms.operations(0, column, 0, buffers);
  if constexpr (Verb::operands == 2)
    return try_small_sum<Verb::compiled>(operations.x, operations.y, count, result);
  else
    return try_small_sum<Verb::compiled>(operations.x, operations.x, count, result);
}

/// The same for both parts of complex numbers.
template <class Verb, class Terms, class R>
bool try_few_parts(Terms const& terms, R (&parts)[2]) {
  return try_few_gathered<Verb>(terms, terms.terms(), 0, parts[0]) &&
         try_few_gathered<Verb>(terms, terms.terms(), 1, parts[1]);
}

/// \brief The result, if it takes less time than to look after all that other results need; false where it does not.
template <class Verb, class R, class Space, class Result, class X, class... Y>
bool try_few(Rounding mode, Result& result, X const& x, Y const&... y) {
  if constexpr (has_few_terms<Verb, Space, R, X, Y...>) {
    if (mode != Rounding::to_nearest || x.extent(0) > small_sum || Kokkos::Tools::profileLibraryLoaded() ||
        !fp_environment_is_default())
      return false;
    if constexpr (any_is_complex<X, Y...>) {
      auto const terms = Verb::of_complex(uncounted<Space>(x), uncounted<Space>(y)...);
      if (terms.terms() > small_sum) return false;
      if constexpr (Norm<Verb>) {
        return try_few_gathered<Verb>(terms, terms.terms(), 0, result);
      } else {
        R parts[2];
        if (!try_few_parts<Verb>(terms, parts)) return false;
        result = Result(parts[0], parts[1]);
        return true;
      }
    } else if (x.stride(0) == 1 && ((y.stride(0) == 1) && ...)) {
      R const* operands[] = {x.data(), y.data()...};
      return try_small_sum<Verb::compiled>(operands[0], operands[sizeof...(Y)], x.extent(0), result);
    } else {
      return try_few_gathered<Verb>(Verb::of(uncounted<Space>(x), uncounted<Space>(y)...), x.extent(0), 0, result);
    }
  } else {
    return false;
  }
}

/// The result for vectors, as a number.
template <class Verb, class Space, class X, class... Y>
auto reduce_to_number(Space const& space, Rounding mode, X const& x, Y const&... y) {
  static_assert(require_operands<Space, X, Y...>());
  constexpr bool are_vectors = X::rank == 1 && ((Y::rank == 1) && ...);
  static_assert(are_vectors, "Exakt: the form that returns a number takes vectors; for a number per column give r");
  (require_same_shape(Verb::name, x, y), ...);
  using R = WiderOf<RealEntryOf<X>, RealEntryOf<Y>...>;
  std::conditional_t<any_is_complex<X, Y...> && !Norm<Verb>, Kokkos::complex<R>, R> result{};
  if constexpr (are_vectors) {
    if (try_few<Verb, R, Space>(mode, result, x, y...)) return result;
    in_region(Label{Verb::name}, [&] {
      if constexpr (any_is_complex<X, Y...>)
        result = reduce_complex_to<Verb, R>(space, mode, x, y...);
      else
        result = reduce_to<Verb, R>(space, mode, x, y...);
    });
  }
  return result;
}

/// One result for each column, all real.
template <class Verb, class Space, class Result, class X, class... Y>
void reduce_real_columns(Space const& space, Result const& r, X const& x, Y const&... y) {
  using R = typename Result::non_const_value_type;
  std::size_t const n = x.extent(0);
  if constexpr (Result::rank == 0 && runs_on_host<Space>)
    r() = reduce_to<Verb, R>(space, Rounding::to_nearest, x, y...);
  else if constexpr (is_compiled_verb<Verb, Space, R, X, Y...>)
    Compiled::reduce_columns<Verb::compiled>(space, n, plain(r), r.extent(0), plain_input(x), plain_input(y)...);
  else
    reduce_each_column(accumulate_label<Verb>, space, Verb::of(uncounted<Space>(x), uncounted<Space>(y)...), n,
                       Verb::template round<R>(n, Rounding::to_nearest), r);
}

/// One result for each column of complex numbers.
template <class Verb, class Space, class Result, class... X>
void reduce_complex_columns(Space const& space, Result const& r, X const&... x) {
  static_assert(has_complex_entries<Result> != Norm<Verb>,
                "Exakt: r is complex if an operand is, but for norms, which are real");
  using R = RealEntryOf<Result>;
  if constexpr (Result::rank == 0) {
    write_entry(space, r, EntryOf<Result>(reduce_complex_to<Verb, R>(space, Rounding::to_nearest, x...)));
  } else {
    for (std::size_t j = 0; j < r.extent(0); ++j) {
      write_entry(space, Kokkos::subview(r, j),
                  EntryOf<Result>(
                      reduce_complex_to<Verb, R>(space, Rounding::to_nearest, Kokkos::subview(x, Kokkos::ALL, j)...)));
    }
  }
}

/// The results into r, rounded to nearest: a number for vectors, an entry for each column of multivectors.
template <class Verb, class Space, class Result, class X, class... Y>
void reduce_to_view(Space const& space, Result const& r, X const& x, Y const&... y) {
  static_assert(require_views<Result>());
  static_assert(require_operands<Space, X, Y...>());
  static_assert(require_results<Space, Result, X, Y...>());
  (require_same_shape(Verb::name, x, y), ...);
  require_entry_per_column(Verb::name, r, x);
  require_no_overlap(Verb::name, "r", r, "x", x);
  (require_no_overlap(Verb::name, "r", r, "y", y), ...);
  in_region(Label{Verb::name}, [&] {
    if constexpr (any_is_complex<X, Y...>)
      reduce_complex_columns<Verb>(space, r, x, y...);
    else
      reduce_real_columns<Verb>(space, r, x, y...);
  });
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
