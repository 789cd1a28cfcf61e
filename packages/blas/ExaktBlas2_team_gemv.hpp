// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS2_TEAM_GEMV_HPP
#define EXAKTBLAS2_TEAM_GEMV_HPP

#include "matrix_vector/ExaktBlas_TeamGemv.hpp"

namespace Exakt {

/// \brief y := alpha*op(A)*x + beta*y, the whole right side rounded once per entry, by one team inside a kernel.
///
/// Method: rows of op(A) are shared among the threads of the team. On hosts each thread does its own as gemv does; on
/// devices each row is shared among the vector lanes of a thread: three doubles and a bound, exact sums where these do
/// not decide.
///
/// \param member  The calling team; all of its threads call. The entries of y are written when it returns: the team has
///                met at a barrier.
/// \param trans   "N", "T" or "C", or such a letter: op(A) is A, its transpose, its conjugate transpose. Any other
///                letter ends the program (Kokkos::abort): a kernel cannot throw.
/// \param alpha   Factor of the product, taken exactly; see gemv for special values.
/// \param A       m x n, read.
/// \param x       n entries (m if transposed), read; does not overlap y.
/// \param beta    Factor of y; if zero, y is not read.
/// \param y       m entries (n if transposed), read and written.
/// \pre The extents agree: only entries that all operands have are used.
template <class Member, class F, class A, class X, class G, class Y>
EXAKT_INLINE_FUNCTION void team_gemv(Member const& member, ModeLetter trans, F const& alpha, A const& a, X const& x,
                                     G const& beta, Y const& y) {
  static_assert(Impl::require_operand_of_team<A, 2>() && Impl::require_operand_of_team<X, 1>() &&
                Impl::require_operand_of_team<Y, 1>() && Impl::require_output<Y>());
  constexpr bool complex = Impl::has_complex_entries<Y>;
  static_assert(complex || (!Impl::has_complex_entries<A> && !Impl::has_complex_entries<X> &&
                            !Impl::Scalar<F>::is_complex && !Impl::Scalar<G>::is_complex),
                "Exakt: a complex result needs a complex y");
  if (!trans.is('N') && !trans.is('T') && !trans.is('C')) {
    Kokkos::abort("Exakt::team_gemv: trans must be N, T or C");
  }
  Impl::Operated<A> const matrix(a, trans);
  EXAKT_IF_ON_HOST((Impl::in_default_environment([&] {
                      Impl::team_gemv_on_host(member, matrix, x, Impl::factor(alpha), Impl::factor(beta), y);
                    });))
  EXAKT_IF_ON_DEVICE((Impl::team_gemv_on_device(member, matrix, x, Impl::factor(alpha), Impl::factor(beta), y);))
  member.team_barrier();
}

}  // namespace Exakt

#endif
