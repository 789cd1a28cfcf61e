// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_SUM_OF_HPP
#define EXAKT_SUM_OF_HPP

#include "summation/Exakt_FunctionSums.hpp"

#include <Kokkos_Array.hpp>

namespace Exakt {

namespace Impl::inline EXAKT_ABI {

/// The type of the components of an array of so many; void for anything else.
template <class Terms, std::size_t count>
struct ComponentOf {
  using type = void;
};
template <class T, std::size_t count>
struct ComponentOf<Kokkos::Array<T, count>, count> {
  using type = T;
};

}  // namespace Impl::inline EXAKT_ABI

/// \brief The sum of f(k), k = 0 ... n-1, rounded once: inside a kernel, by the calling thread alone.
///
/// For one row, one atom, one cell. Method: an enclosure (summation/Exakt_EnclosedSum.hpp) of a few numbers in
/// registers; where that does not decide the rounding (cancellation, ties, a wide range), the terms again into a long
/// accumulator, in a function that is not inlined. Right in every floating-point environment.
///
/// \param n  Number of terms, of any integer type; none if it is not positive.
/// \param f  Callable as const with an N; returns a float or double (or one of Kokkos' half types), the type of the
///           result. No side effects: it is called more than once for an index, the first time for f(0).
/// \return   NaN, infinities and the sign of zero as in SumAccumulator::round; +0 for n = 0.
/// \par Cost  Six floating-point operations per term and about thirty per sum; some times that for an undecided one. Of
///            27 terms in the cache 35 ns where a plain loop, of which many run at a time, takes 4.
EXAKT_CALLS_ARGUMENT
template <class N, class F>
EXAKT_INLINE_FUNCTION auto sum_of(N n, F const& f) {
  static_assert(std::is_integral_v<N>, "Exakt: sum_of(n, f) adds f(0) ... f(n-1); n is an integer");
  if constexpr (std::is_integral_v<N>) {
    static_assert(!Impl::FactorPairTerm<std::decay_t<decltype(f(n))>>,
                  "Exakt: the function of sum_of returns one number; of pairs of factors take product_sum_of");
    return Impl::rounded_function_sum(n, f);
  } else {
    return 0.0;
  }
}

/// \brief The sum of x * y over the pairs (x, y) = f(k), k = 0 ... n-1, rounded once, inside a kernel.
///
/// No product is rounded, underflows or overflows on the way. Otherwise as sum_of; hosts take up to 64 products in packs of
/// two, in registers, more of them in batches to the compiled kernels. On Zen 4, of 27 products in the cache this takes 1.6
/// to 2 times as long as a plain loop, of 64 1.2 times, whatever this code is compiled for; on a processor without fused
/// multiply-add three times.
///
/// \param f  Returns a pair (`first`, `second`) of floating-point numbers, Kokkos::pair for device code. The wider type
///           of the two is that of the result.
EXAKT_CALLS_ARGUMENT
template <class N, class F>
EXAKT_INLINE_FUNCTION auto product_sum_of(N n, F const& f) {
  static_assert(std::is_integral_v<N>,
                "Exakt: product_sum_of(n, f) adds the products f(0) ... f(n-1); n is an integer");
  if constexpr (std::is_integral_v<N>) {
    static_assert(Impl::FactorPairTerm<std::decay_t<decltype(f(n))>>,
                  "Exakt: the function of product_sum_of returns the two factors of its term, as in "
                  "Kokkos::make_pair(x(k), y(k)), each a float or double (or one of Kokkos' half types)");
    return Impl::rounded_function_sum(n, f);
  } else {
    return 0.0;
  }
}

/// \brief Several sums at once: component c of the result is the sum of f(k)[c], rounded once.
///
/// \tparam Count  Components of what f returns, a Kokkos::Array<T, Count>: three for a force.
EXAKT_CALLS_ARGUMENT
template <int Count, class N, class F>
EXAKT_INLINE_FUNCTION auto sum_of(N n, F const& f) {
  using Terms = std::decay_t<decltype(f(n))>;
  using T = typename Impl::ComponentOf<Terms, Count>::type;
  static_assert(!std::is_void_v<T>, "Exakt: the function of sum_of<n> returns a Kokkos::Array of n numbers");
  Terms result;
  if constexpr (!std::is_void_v<T>) {
    bool decided[Count] = {};
    if constexpr (Impl::is_float_v<T>) {
      if (n > N{0} && n - 1 < static_cast<N>(Impl::function_piece) && Impl::fp_environment_is_default()) {
        Impl::enclose_components<T, Count>(n, f, result, decided);
      }
    }
    for (int c = 0; c < Count; ++c) {
      if (!decided[c]) result[c] = Impl::exact_function_sum(n, [&](N k) { return f(k)[c]; });
    }
  }
  return result;
}

}  // namespace Exakt

#endif
