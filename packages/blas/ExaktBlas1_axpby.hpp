// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS1_AXPBY_HPP
#define EXAKTBLAS1_AXPBY_HPP

#include "impl/ExaktBlas_Reduce.hpp"

namespace Exakt {
namespace Impl {

/// alpha * x + beta * y, rounded once to R.
template <class R, class A, class X, class B, class Y>
KOKKOS_INLINE_FUNCTION R rounded_axpby(A alpha, X x, B beta, Y y) {
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
    y(i...) = rounded_axpby<R>(alpha, x(i...), beta, beta == B{0} ? R{0} : y(i...));
  }
};

/// Numbers that every entry is multiplied with: floating-point as they are; integers, which a double holds exactly.
template <class N>
auto factor_of(N factor) {
  if constexpr (std::is_integral_v<N>) {
    static_assert(std::numeric_limits<N>::digits <= FloatFormat<double>::precision,
                  "Exakt: an integer factor is at most 32 bits long, so that a double holds it");
    return static_cast<double>(factor);
  } else {
    return factor;
  }
}

}  // namespace Impl

/// \brief y := alpha*x + beta*y, each entry rounded once.
///
/// Method: both products and their sum in a LongAccumulator, where no shorter way is proved.
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
  auto const a = Impl::factor_of(alpha);
  auto const b = Impl::factor_of(beta);
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
