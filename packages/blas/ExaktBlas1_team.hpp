// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS1_TEAM_HPP
#define EXAKTBLAS1_TEAM_HPP

#include "reduce/ExaktBlas_TeamReduce.hpp"

namespace Exakt {

/// \brief The sum of the entries of x, rounded once, by one team inside a kernel.
///
/// \param member  The calling team; all of its threads call, and all get the result.
/// \param x       n entries, read; in memory that the team reaches, scratch memory included.
template <class Member, class X>
EXAKT_INLINE_FUNCTION auto team_sum(Member const& member, X const& x) {
  static_assert(Impl::require_vector_of_team<X>());
  using R = typename X::non_const_value_type;
  return Impl::team_reduce<R>(member, Impl::SumOf<X>{{x}}, x.extent(0), Impl::RoundValue<R>{Rounding::to_nearest});
}

/// \brief The sum of x(i) * y(i), rounded once, by one team inside a kernel.
///
/// \pre x and y have the same length: a kernel cannot throw, so only the entries that both have are taken.
template <class Member, class X, class Y>
EXAKT_INLINE_FUNCTION auto team_dot(Member const& member, X const& x, Y const& y) {
  static_assert(Impl::require_vector_of_team<X>() && Impl::require_vector_of_team<Y>());
  using R = Impl::WiderOf<typename X::non_const_value_type, typename Y::non_const_value_type>;
  auto const rows = x.extent(0) < y.extent(0) ? x.extent(0) : y.extent(0);
  return Impl::team_reduce<R>(member, Impl::ProductsOf<X, Y>{{x}, {y}}, rows,
                              Impl::RoundValue<R>{Rounding::to_nearest});
}

/// \brief The Euclidean norm of x, the root of the exact sum of squares rounded once, by one team inside a kernel.
template <class Member, class X>
EXAKT_INLINE_FUNCTION auto team_nrm2(Member const& member, X const& x) {
  static_assert(Impl::require_vector_of_team<X>());
  using R = typename X::non_const_value_type;
  return Impl::team_reduce<R>(member, Impl::ProductsOf<X, X>{{x}, {x}}, x.extent(0),
                              Impl::RoundSqrt<R>{Rounding::to_nearest});
}

}  // namespace Exakt

#endif
