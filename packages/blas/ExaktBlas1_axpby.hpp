// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS1_AXPBY_HPP
#define EXAKTBLAS1_AXPBY_HPP

#include "impl/ExaktBlas_Reduce.hpp"
#include "impl/ExaktBlas_Scalars.hpp"

namespace Exakt {
namespace Impl {

/// A product that is exact as value + error (two_product), the error above 2^(min_exponent + precision); or zero
/// because a factor is.
KOKKOS_FORCEINLINE_FUNCTION bool splits_exactly(double a, double b, double product) {
  using F = FloatFormat<double>;
  double const size = magnitude_of(product), limit = power_of_two(F::max_exponent - F::precision);
  bool const factors = has_fast_fma || (magnitude_of(a) < limit && magnitude_of(b) < limit);
  bool const zero = product == 0 && (a == 0 || b == 0);  // 0 * inf is NaN, not zero
  return factors && (zero || (size >= power_of_two(F::min_exponent + 3 * F::precision) &&
                              size < power_of_two(F::max_exponent - 3)));
}

/// alpha * x + beta * y rounded once, from a sum of two doubles and a bound of its error; false if they do not decide.
///
/// With p + p' = alpha*x, q + q' = beta*y and h + l = p + q exactly, the result is h + l + p' + q'. The last three are
/// added with two roundings, each at most 2^-53 of (|l| + |p'| + |q'|)(1 + 2^-51), and a third moves the ends of the
/// interval: `doubt` is more than all of them. If h plus the lower and h plus the upper end round to the same double,
/// so does the exact value.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION bool axpby_is_decided(double alpha, double x, double beta, double y, R& result) {
  auto const p = two_product(alpha, x), q = two_product(beta, y);
  if (!fp_environment_is_default() || !splits_exactly(alpha, x, p.value) || !splits_exactly(beta, y, q.value))
    return false;
  if (p.value == 0 && q.value == 0) return false;
  auto const sum = two_sum(p.value, q.value);
  double const low = sum.error + (p.error + q.error);
  double const doubt = 0x1p-51 * (magnitude_of(sum.error) + (magnitude_of(p.error) + magnitude_of(q.error)));
  double const lower = rounded_add(sum.value, low - doubt), upper = rounded_add(sum.value, low + doubt);
  if (bits_of(lower) != bits_of(upper)) return false;
  result = static_cast<R>(lower);
  if constexpr (std::is_same_v<R, double>) return true;
  // The exact value is next to `lower`: for floats that must not be a tie, nor out of the range of normal numbers.
  using F = FloatFormat<R>;
  constexpr int dropped = FloatFormat<double>::precision - F::precision;
  constexpr std::uint64_t tail = (std::uint64_t{1} << dropped) - 1, tie = tail / 2 + 1;
  return (bits_of(lower) & tail) != tie && magnitude_of(lower) >= power_of_two(F::min_exponent + 1) &&
         magnitude_of(lower) < power_of_two(F::max_exponent);
}

/// alpha * x + beta * y, rounded once to R.
template <class R, class A, class X, class B, class Y>
KOKKOS_FORCEINLINE_FUNCTION R rounded_axpby(A alpha, X x, B beta, Y y) {
  R result;
  if (is_float_v<R> && axpby_is_decided(static_cast<double>(alpha), static_cast<double>(x), static_cast<double>(beta),
                                        static_cast<double>(y), result))
    return result;
  LongAccumulator<double, 56, Terms::products> sum;
  sum.add_product(alpha, x);
  sum.add_product(beta, y);
  return sum.template round<R>();
}

template <class A, class X, class B, class Y>
struct Axpby {
  A alpha;
  X x;
  B beta;
  Y y;

  template <class... Index>
  KOKKOS_INLINE_FUNCTION void operator()(Index... i) const {
    using R = typename Y::non_const_value_type;
    // beta == 0: y is not read, whatever it holds.
    y(i...) = rounded_axpby<R>(alpha, x(i...), beta, is_zero(beta) ? R{0} : y(i...));
  }
};

}  // namespace Impl

/// \brief y := alpha*x + beta*y, each entry rounded once.
///
/// Method: a double-double sum with a bound that usually proves how the exact value rounds, else a LongAccumulator.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param x      n entries or n x m, of any layout, read; is y itself or does not overlap it.
/// \param beta   Factor of y; if zero, y is not read.
/// \param y      Same shape as x, read and written.
/// \throws std::invalid_argument  x and y differ in shape, or share some of their entries but not all in the same
/// places.
template <class Space, class A, class X, class B, class Y>
requires Kokkos::is_execution_space<Space>::value void axpby(Space const& space, A const& alpha, X const& x,
                                                             B const& beta, Y const& y) {
  Impl::require_operand<Space, X>();
  Impl::require_operand<Space, Y>();
  static_assert(int(X::rank) == int(Y::rank), "Exakt: x and y have the same rank");
  static_assert(!std::is_const_v<typename Y::value_type>, "Exakt: y is written");
  Impl::require_same_shape("axpby", x, y);
  if (!Impl::same_entries(x, y)) Impl::require_no_overlap("axpby", "y", y, "x", x);
  Impl::Region const region("Exakt::axpby");
  auto const a = Impl::factor_of<double>(alpha);
  auto const b = Impl::factor_of<double>(beta);
  Impl::Axpby<decltype(a), X, decltype(b), Y> const update{a, x, b, y};
  if constexpr (X::rank == 1) {
    Kokkos::parallel_for("Exakt::axpby", Kokkos::RangePolicy<Space>(space, 0, x.extent(0)), update);
  } else {
    using Policy = Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>;
    Kokkos::parallel_for(
        "Exakt::axpby",
        Policy(space, {0, 0}, {static_cast<std::int64_t>(x.extent(0)), static_cast<std::int64_t>(x.extent(1))}),
        update);
  }
}

/// \brief The same on the execution space of x.
template <class A, class X, class B, class Y>
requires(Kokkos::is_view<X>::value&& Kokkos::is_view<Y>::value) void axpby(A const& alpha, X const& x, B const& beta,
                                                                           Y const& y) {
  axpby(typename X::execution_space(), alpha, x, beta, y);
}

}  // namespace Exakt

#endif
