// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS2_GEMV_HPP
#define EXAKTBLAS2_GEMV_HPP

#include "ExaktBlas2_team_gemv.hpp"
#include "matrix_vector/ExaktBlas_Gemv.hpp"
#include "operands/ExaktBlas_Modes.hpp"

namespace Exakt {

/// \brief y := alpha*op(A)*x + beta*y, the whole right side rounded once per entry.
///
/// Method: for each entry one enclosed sum of products (Exakt_EnclosedSum.hpp), kept as two doubles and a bound, and
/// alpha and beta applied to it without an error that matters; the exact sum where that does not decide the rounding.
/// Of complex numbers real and imaginary part are rounded once each.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param trans  "N", "T" or "C": op(A) is A, its transpose, its conjugate transpose.
/// \param alpha  A number of any type that double holds, taken exactly. If zero, A and x are not read: y := beta*y, and
///               y stays as it is if beta is one.
/// \param A      m x n, of any layout, read. With no column left to sum over, as with alpha = 0.
/// \param x      n entries (m if transposed), read; does not overlap y.
/// \param beta   Factor of y; if zero, y is not read.
/// \param y      m entries (n if transposed), read and written. Complex if anything else is.
/// \throws std::invalid_argument  Extents disagree, trans is unknown, or y overlaps A or x.
/// \par Cost  One pass over A, at the speed of memory; entries that cancel or are next to a tie are summed again.
template <Impl::ExecutionSpace Space, class F, class A, class X, class G, class Y>
EXAKT_ABI_TAG void gemv(Space const& space, ModeLetter trans, F const& alpha, A const& a, X const& x, G const& beta,
                        Y const& y) {
  static_assert(Impl::require_matrix_operand<Space, A, 2>() && Impl::require_matrix_operand<Space, X, 1>() &&
                Impl::require_matrix_operand<Space, Y, 1>() && Impl::require_output<Y>());
  constexpr bool complex = Impl::has_complex_entries<Y>;
  static_assert(complex || (!Impl::has_complex_entries<A> && !Impl::has_complex_entries<X> &&
                            !Impl::Scalar<F>::is_complex && !Impl::Scalar<G>::is_complex),
                "Exakt: a complex result needs a complex y");
  Impl::require_mode("gemv", "trans", trans, "NTC");
  int const outer = trans.is('N') ? 0 : 1;
  Impl::GivenModes const modes{"trans", trans};
  Impl::require_extents("gemv", "A", a, 1 - outer, "x", x, 0, modes);
  Impl::require_extents("gemv", "A", a, outer, "y", y, 0, modes);
  Impl::require_no_overlap("gemv", "y", y, "A", a);
  Impl::require_no_overlap("gemv", "y", y, "x", x);

  Impl::in_region("Exakt::gemv", [&] {
    Impl::multiply_vector("Exakt::gemv", space, Impl::operated<Space>(a, trans), Impl::uncounted<Space>(x),
                          Impl::factor(alpha), Impl::factor(beta), Impl::uncounted<Space>(y));
  });
}

/// \brief The same on the execution space of A.
template <class F, class A, class X, class G, class Y>
EXAKT_ABI_TAG void gemv(ModeLetter trans, F const& alpha, A const& a, X const& x, G const& beta, Y const& y) {
  static_assert(Impl::require_views<A, X, Y>());
  gemv(typename A::execution_space(), trans, alpha, a, x, beta, y);
}

}  // namespace Exakt

#endif
