// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS1_TEAM_HPP
#define EXAKTBLAS1_TEAM_HPP

#include "impl/ExaktBlas_Terms.hpp"

#include <Exakt_Reducer.hpp>

namespace Exakt {
namespace Impl {

/// What can be known at compile time about a vector of real numbers.
template <class X>
KOKKOS_FUNCTION constexpr bool require_vector_of_team() {
  static_assert(require_views<X>());
  if constexpr (are_views_v<X>) {
    static_assert(X::rank == 1, "Exakt: a team function takes vectors, Views of rank 1; take a Kokkos::subview");
    static_assert(require_entries<EntryOf<X>>());
  }
  return true;
}

/// The exact sum of a vector's terms by one team; every thread gets it.
template <class Member, class Terms>
KOKKOS_INLINE_FUNCTION typename Terms::Exact team_reduce(Member const& member, Terms const& terms, std::size_t rows) {
  using Exact = typename Terms::Exact;
  Exact sum;
  Kokkos::parallel_reduce(
      Kokkos::TeamVectorRange(member, rows),
      [&](std::size_t row, Exact& partial) { add_term(partial, terms.term(row, 0)); }, Reducer<Exact>(sum));
  return sum;
}

}  // namespace Impl

/// \brief The sum of the entries of x, rounded once, by one team inside a kernel.
///
/// \param member  The calling team; all of its threads call, and all get the result.
/// \param x       n entries, read; in memory that the team reaches, scratch memory included.
template <class Member, class X>
KOKKOS_INLINE_FUNCTION auto team_sum(Member const& member, X const& x) {
  static_assert(Impl::require_vector_of_team<X>());
  return Impl::team_reduce(member, Impl::SumOf<X>{{x}}, x.extent(0)).template round<typename X::non_const_value_type>();
}

/// \brief The sum of x(i) * y(i), rounded once, by one team inside a kernel.
///
/// \pre x and y have the same length: a kernel cannot throw, so only the entries that both have are taken.
template <class Member, class X, class Y>
KOKKOS_INLINE_FUNCTION auto team_dot(Member const& member, X const& x, Y const& y) {
  static_assert(Impl::require_vector_of_team<X>() && Impl::require_vector_of_team<Y>());
  using R = std::common_type_t<typename X::non_const_value_type, typename Y::non_const_value_type>;
  auto const rows = x.extent(0) < y.extent(0) ? x.extent(0) : y.extent(0);
  return Impl::team_reduce(member, Impl::ProductsOf<X, Y>{{x}, {y}}, rows).template round<R>();
}

/// \brief The Euclidean norm of x, the root of the exact sum of squares rounded once, by one team inside a kernel.
template <class Member, class X>
KOKKOS_INLINE_FUNCTION auto team_nrm2(Member const& member, X const& x) {
  static_assert(Impl::require_vector_of_team<X>());
  return Impl::team_reduce(member, Impl::ProductsOf<X, X>{{x}, {x}}, x.extent(0))
      .template round_sqrt<typename X::non_const_value_type>();
}

}  // namespace Exakt

#endif
