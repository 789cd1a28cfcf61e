// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_TRANSFORM_HPP
#define EXAKT_TRANSFORM_HPP

/// \file
/// \brief The loops behind transform_sum and transform_dot.
///
///     range, on hosts     terms go to a buffer in the first-level cache, so that the compiler vectorizes the making of
///                         them, and from there to an accumulator in one piece
///     range, on devices   terms go through the registers of threads (Exakt_TeamSums.hpp)
///     other policies      one term after the other into the accumulators of a reduction

#include "../Exakt_Reducer.hpp"
#include "../Exakt_Region.hpp"
#include "../Exakt_TeamSums.hpp"

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>

namespace Exakt::Impl {

/// How the terms of transform_sum reach an accumulator: one number each.
template <class F, class... Args>
struct SumTerms {
  using Term = std::decay_t<std::invoke_result_t<F const&, Args...>>;
  using Accumulator = SumAccumulator<Term>;

  static constexpr int levels = std::is_same_v<Term, double> ? 3 : 2;  // of folds: Exakt_Folds.hpp

  static KOKKOS_FORCEINLINE_FUNCTION void add(Accumulator& sum, Term const& term) { sum += term; }
  static KOKKOS_FORCEINLINE_FUNCTION double exact(Term const& term) { return exact_double(term); }

  struct Buffer {
    Term terms[fold_tile_size];
    void set(int i, Term const& term) { terms[i] = term; }
    void add_to(Accumulator& sum, int count) const {
      sum.template add<Source::cache>(terms, static_cast<std::size_t>(count));
    }
  };
};

/// How the terms of transform_dot do: a pair of factors each.
template <class F, class... Args>
struct DotTerms {
  using Term = std::decay_t<std::invoke_result_t<F const&, Args...>>;
  using Factor = std::common_type_t<decltype(Term::first), decltype(Term::second)>;
  using Accumulator = DotAccumulator<Factor>;
  static constexpr bool products_are_exact = 2 * FloatFormat<Factor>::precision <= FloatFormat<double>::precision;
  static constexpr int levels = products_are_exact ? 3 : 4;

  static KOKKOS_FORCEINLINE_FUNCTION void add(Accumulator& sum, Term const& term) {
    sum.add_product(static_cast<Factor>(term.first), static_cast<Factor>(term.second));
  }
  static KOKKOS_FORCEINLINE_FUNCTION auto exact(Term const& term) {
    FactorPair const factors{exact_double(term.first), exact_double(term.second)};
    if constexpr (products_are_exact) {
      return factors.x * factors.y;
    } else {
      return factors;
    }
  }

  struct Buffer {
    Factor x[fold_tile_size / 2], y[fold_tile_size / 2];
    void set(int i, Term const& term) {
      x[i] = static_cast<Factor>(term.first);
      y[i] = static_cast<Factor>(term.second);
    }
    void add_to(Accumulator& sum, int count) const {
      sum.template add_products<Source::cache>(x, y, static_cast<std::size_t>(count));
    }
  };
};

/// One tile of a one-dimensional range per call; on hosts.
template <class Terms, class F, class Index>
struct TransformTiles {
  using Accumulator = typename Terms::Accumulator;
  static constexpr int tile_size = fold_tile_size / 2;

  F f;
  Index begin, end;

  std::size_t tiles() const {
    return end > begin ? (static_cast<std::size_t>(end - begin) + tile_size - 1) / tile_size : 0;
  }

  void operator()(std::size_t tile, Accumulator& sum) const {
    Index const first = begin + static_cast<Index>(tile * tile_size);
    int const count = static_cast<int>(std::min<std::size_t>(tile_size, static_cast<std::size_t>(end - first)));
    typename Terms::Buffer buffer;
    for (int i = 0; i < count; ++i) buffer.set(i, f(static_cast<Index>(first + static_cast<Index>(i))));
    // What f rounded is rounded: a product in it may not be fused with the additions to come.
    __asm__ volatile("" : : "r"(&buffer) : "memory");
    buffer.add_to(sum, count);
  }
};

/// The terms of a one-dimensional range as rows of a column; on devices.
template <class Terms, class F, class Index>
struct TransformRows {
  struct Source {
    using Long = std::decay_t<decltype(std::declval<typename Terms::Accumulator&>().settle())>;
    static constexpr int levels = Terms::levels;
  };

  F f;
  Index begin;

  EXAKT_CALLS_ARGUMENT
  KOKKOS_FORCEINLINE_FUNCTION auto term(std::size_t row, std::size_t) const {
    return Terms::exact(f(static_cast<Index>(begin + static_cast<Index>(row))));
  }
};

/// One term per call: any policy, any space, with the policy's tag in front if there is one.
template <class Terms, class F>
struct TransformTerms {
  using Accumulator = typename Terms::Accumulator;
  using value_type = Accumulator;  // FIXME(kokkos<4): MDRangePolicy looks here even when there is a reducer

  F f;

  EXAKT_CALLS_ARGUMENT
  template <class A>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(A const& a, Accumulator& sum) const {
    Terms::add(sum, f(a));
  }
  EXAKT_CALLS_ARGUMENT
  template <class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(A const& a, B const& b, Accumulator& sum) const {
    Terms::add(sum, f(a, b));
  }
  EXAKT_CALLS_ARGUMENT
  template <class A, class B, class C>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(A const& a, B const& b, C const& c, Accumulator& sum) const {
    Terms::add(sum, f(a, b, c));
  }
  EXAKT_CALLS_ARGUMENT
  template <class A, class B, class C, class D>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(A const& a, B const& b, C const& c, D const& d, Accumulator& sum) const {
    Terms::add(sum, f(a, b, c, d));
  }
  EXAKT_CALLS_ARGUMENT
  template <class A, class B, class C, class D, class E>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(A const& a, B const& b, C const& c, D const& d, E const& e,
                                              Accumulator& sum) const {
    Terms::add(sum, f(a, b, c, d, e));
  }
  EXAKT_CALLS_ARGUMENT
  template <class A, class B, class C, class D, class E, class G>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(A const& a, B const& b, C const& c, D const& d, E const& e, G const& g,
                                              Accumulator& sum) const {
    Terms::add(sum, f(a, b, c, d, e, g));
  }
};

/// The arguments that a policy hands to a functor, its tag aside.
template <class Policy>
struct PolicyArguments {
  static_assert(!std::is_same_v<Policy, Policy>,
                "transform_sum and transform_dot take a number of terms, a RangePolicy or an MDRangePolicy");
};
template <class... P>
struct PolicyArguments<Kokkos::RangePolicy<P...>> {
  using type = std::tuple<typename Kokkos::RangePolicy<P...>::index_type>;
};
template <class... P>
struct PolicyArguments<Kokkos::MDRangePolicy<P...>> {
  using Policy = Kokkos::MDRangePolicy<P...>;
  template <std::size_t... dimension>
  static auto repeat(std::index_sequence<dimension...>)
      -> std::tuple<std::enable_if_t<dimension + 1 != 0, typename Policy::index_type>...>;
  using type = decltype(repeat(std::make_index_sequence<static_cast<std::size_t>(Policy::rank)>{}));
};

template <template <class...> class Terms, class F, class Tag, class... Arguments>
auto terms_of(Tag*, std::tuple<Arguments...>) -> Terms<F, Tag, Arguments...>;
template <template <class...> class Terms, class F, class... Arguments>
auto terms_of(void*, std::tuple<Arguments...>) -> Terms<F, Arguments...>;

template <class Policy>
inline constexpr bool is_plain_range_v = false;
template <class... P>
inline constexpr bool is_plain_range_v<Kokkos::RangePolicy<P...>> =
    std::is_void_v<typename Kokkos::RangePolicy<P...>::work_tag>;

/// Runs f over the policy and returns the exact sum of its terms, unrounded.
template <template <class...> class TermsOf, class Policy, class F>
auto transform(char const* label, Policy const& policy, F const& f) {
  using Space = typename Policy::execution_space;
  using Arguments = typename PolicyArguments<Policy>::type;
  using Terms =
      decltype(terms_of<TermsOf, F>(static_cast<typename Policy::work_tag*>(nullptr), std::declval<Arguments>()));

  typename Terms::Accumulator sum;
  Reducer<typename Terms::Accumulator> const reducer(sum);
  Region const region(label);
  if constexpr (is_plain_range_v<Policy>) {
    using Index = typename Policy::index_type;
    auto const begin = static_cast<Index>(policy.begin()), end = static_cast<Index>(policy.end());
    if constexpr (runs_on_host<Space>) {
      TransformTiles<Terms, F, Index> const tiles{f, begin, end};
      Kokkos::parallel_reduce(
          label, Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(policy.space(), 0, tiles.tiles()), tiles,
          reducer);
    } else {
      std::size_t const rows = end > begin ? static_cast<std::size_t>(end - begin) : 0;
      sum.assign(sum_by_teams(label, policy.space(), TransformRows<Terms, F, Index>{f, begin}, rows, 0));
    }
  } else {
    Kokkos::parallel_reduce(label, policy, TransformTerms<Terms, F>{f}, reducer);
  }
  return sum;
}

/// The range [0, n) on `space`; a RangePolicy moved to `space`; any other policy brings its own space.
template <class Space, class N>
auto range_on(Space const& space, N const& n_or_policy) {
  if constexpr (std::is_integral_v<N>) {
    return Kokkos::RangePolicy<Space, Kokkos::IndexType<N>>(space, 0, std::max(n_or_policy, N{0}));
  } else {
    static_assert(is_plain_range_v<N>,
                  "with an execution space in front, give a number of terms or a RangePolicy; other policies take the "
                  "space themselves");
    return Kokkos::RangePolicy<Space, Kokkos::IndexType<typename N::index_type>>(space, n_or_policy.begin(),
                                                                                 n_or_policy.end());
  }
}

template <class N>
auto const& policy_of(N const& policy) {
  return policy;
}
template <class N>
requires std::is_integral_v<N>
auto policy_of(N const& n) { return range_on(Kokkos::DefaultExecutionSpace(), n); }

}  // namespace Exakt::Impl

#endif
