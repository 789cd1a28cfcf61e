// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS2_HER_HPP
#define EXAKTBLAS2_HER_HPP

#include "structured/ExaktBlas_StructuredVerbs.hpp"

namespace Exakt {

/// \brief A := alpha*x*x^H + A in one triangle of A, the whole right side rounded once per entry.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param uplo  "U" or "L": which triangle of A is read and written; the other one is neither.
/// \param alpha  A real number of any type that double holds, taken exactly; one of a complex type has an imaginary
///               part of zero, which counts as none. If zero, nothing is read, and A stays as it is.
/// \param x  n entries, read.
/// \param A  n x n, of any layout, a triangle of it read and written; does not overlap x. Complex if anything else is.
///           The diagonal of the result is real: imaginary parts are not read there, and zero afterwards.
/// \throws std::invalid_argument  A is not square, extents disagree, uplo is unknown, alpha is not real, or A overlaps
///                                x.
/// \par Cost  That of syrk with k = 1.
template <Impl::ExecutionSpace Space, class F, class X, class A>
EXAKT_ABI_TAG void her(Space const& space, ModeLetter uplo, F const& alpha, X const& x, A const& a) {
  static_assert(Impl::require_matrix_operand<Space, X, 1>() && Impl::require_matrix_operand<Space, A, 2>() &&
                Impl::require_result<A, F, X>());
  constexpr Impl::Verb verb{"Exakt::her"};
  Impl::update_by_vector(verb, true, space, uplo, Impl::real_factor(verb, "alpha", alpha), x, a);
}

/// \brief The same on the execution space of x.
template <class F, class X, class A>
EXAKT_ABI_TAG void her(ModeLetter uplo, F const& alpha, X const& x, A const& a) {
  static_assert(Impl::require_views<X, A>());
  her(typename X::execution_space(), uplo, alpha, x, a);
}

}  // namespace Exakt

#endif
