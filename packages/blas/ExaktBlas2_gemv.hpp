// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS2_GEMV_HPP
#define EXAKTBLAS2_GEMV_HPP

#include "ExaktBlas2_team_gemv.hpp"
#include "drivers/ExaktBlas_Compiled.hpp"
#include "matrix_vector/ExaktBlas_ComplexRows.hpp"
#include "matrix_vector/ExaktBlas_MatrixVector.hpp"
#include "matrix_vector/ExaktBlas_TeamMatrixVector.hpp"
#include "vectors/ExaktBlas_ScaleEntries.hpp"

namespace Exakt {
namespace Impl::inline EXAKT_ABI {

/// One entry of y per team; complex, on devices.
template <class Member, class A, class X, class Y>
struct TeamGemv {
  Operated<A> matrix;
  X x;
  Factor alpha, beta;
  Y y;

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    auto const i = static_cast<std::size_t>(member.league_rank());
    ExactParts<true> sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(member, matrix.columns()),
        [&](std::size_t j, ExactParts<true>& partial) { partial.add_product(matrix.entry(i, j), x(j)); },
        Reducer<ExactParts<true>>(sum));
    Kokkos::single(Kokkos::PerTeam(member), [&] { y(i) = combined_entry(sum, alpha, beta, y(i)); });
  }
};

/// Real numbers on hosts.
template <class Space, class T, class X, class R>
void gemv_on_host(Space const& space, Strided<T const> const& matrix, X const& x, Epilogue const& epilogue, R* y,
                  std::ptrdiff_t y_stride, std::size_t rows) {
  VectorOfDoubles<Space, X> const doubles(space, x);
  multiply("Exakt::gemv", space, MatrixVector<T, R>{matrix, doubles.data(), x.extent(0), epilogue, y, y_stride}, rows);
}

/// The path of devices; it runs on any space.
template <class Space, class A, class X, class Y>
void gemv_by_teams(Space const& space, Operated<A> const& matrix, X const& x, Factor const& alpha, Factor const& beta,
                   Y const& y) {
  if (y.extent(0) == 0) return;
  if constexpr (has_complex_entries<Y>) {
    using Policy = Kokkos::TeamPolicy<Space>;
    Kokkos::parallel_for("Exakt::gemv", Policy(space, static_cast<int>(y.extent(0)), Kokkos::AUTO),
                         held(TeamGemv<typename Policy::member_type, A, X, Y>{matrix, x, alpha, beta, y}));
  } else {
    Epilogue const epilogue{alpha.real, beta.real, !beta.is_zero(), false};
    multiply_by_teams("Exakt::gemv", space, matrix, x, epilogue, y);
  }
}

/// y := alpha op(A) x + beta y of operands that fit; what other verbs are made of.
template <class Space, class A, class X, class Y>
void multiply_vector(char const* label, Space const& space, Operated<A> const& matrix, X const& x, Factor const& alpha,
                     Factor const& beta, Y const& y) {
  if (alpha.is_zero() || x.extent(0) == 0) return scale_entries(label, space, beta, y);
  if constexpr (!runs_on_host<Space>) {
    gemv_by_teams(space, matrix, x, alpha, beta, y);
  } else if constexpr (has_complex_entries<Y>) {
    using Rows = ComplexRows<A, X, Y>;
    Rows const product{matrix, x, x.extent(0), alpha, beta, y};
    Pieces const groups{{0, y.extent(0)}, Rows::rows_of_group};
    for_each_task(label, space, groups.count(), y.extent(0) * x.extent(0) > products_worth_threads / 4,
                  [=](std::size_t i) { product(groups[i]); });
  } else {
    using T = EntryOf<A>;
    using R = EntryOf<Y>;
    auto const entries = strided(matrix.view, matrix.transposed);
    auto const y_stride = static_cast<std::ptrdiff_t>(y.stride(0));
    if constexpr (is_compiled<Space, T, EntryOf<X>, R>) {
      Compiled::gemv(space, Compiled::GemvProblem<T>{{entries.data, entries.row_stride, entries.column_stride},
                                                     {x.data(), static_cast<std::ptrdiff_t>(x.stride(0)), 0},
                                                     {y.data(), y_stride, 0},
                                                     y.extent(0),
                                                     x.extent(0),
                                                     alpha.real,
                                                     beta.real,
                                                     !beta.is_zero()});
    } else {
      Epilogue const epilogue{alpha.real, beta.real, !beta.is_zero(), false};
      gemv_on_host(space, Strided<T const>{entries.data, entries.row_stride, entries.column_stride}, x, epilogue,
                   y.data(), y_stride, y.extent(0));
    }
  }
}

}  // namespace Impl::inline EXAKT_ABI

/// \brief y := alpha*op(A)*x + beta*y, the whole right side rounded once per entry.
///
/// Method: for each entry one enclosed sum of products (Exakt_EnclosedSum.hpp), kept as two doubles and a bound, and
/// alpha and beta applied to it without an error that matters; the exact sum where that does not decide the rounding.
/// Of complex numbers real and imaginary part are rounded once each.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param trans  "N", "T" or "C": op(A) is A, its transpose, its conjugate transpose.
/// \param alpha  A number of any type, taken exactly. If zero, A and x are not read: y := beta*y, and y stays as it is
///               if beta is one.
/// \param A      m x n, of any layout, read. With no column left to sum over, as with alpha = 0.
/// \param x      n entries (m if transposed), read; does not overlap y.
/// \param beta   Factor of y; if zero, y is not read.
/// \param y      m entries (n if transposed), read and written. Complex if anything else is.
/// \throws std::invalid_argument  Extents disagree, trans is unknown, or y overlaps A or x.
/// \par Cost  One pass over A, at the speed of memory; entries that cancel or are next to a tie are summed again.
template <class Space, class F, class A, class X, class G, class Y>
requires Kokkos::is_execution_space<Space>::value EXAKT_ABI_TAG void gemv(Space const& space, Impl::Mode trans,
                                                                          F const& alpha, A const& a, X const& x,
                                                                          G const& beta, Y const& y) {
  static_assert(Impl::require_matrix_operand<Space, A, 2>() && Impl::require_matrix_operand<Space, X, 1>() &&
                Impl::require_matrix_operand<Space, Y, 1>() && Impl::require_output<Y>());
  constexpr bool complex = Impl::has_complex_entries<Y>;
  static_assert(complex || (!Impl::has_complex_entries<A> && !Impl::has_complex_entries<X> &&
                            !Impl::Scalar<F>::is_complex && !Impl::Scalar<G>::is_complex),
                "Exakt: a complex result needs a complex y");
  Impl::require_mode("gemv", "trans", trans, "NTC");
  int const outer = trans.is('N') ? 0 : 1;
  std::string const modes = outer == 0 ? "" : std::string("trans '") + trans.as_given() + "'";
  Impl::require_extents("gemv", "A", a, 1 - outer, "x", x, 0, modes);
  Impl::require_extents("gemv", "A", a, outer, "y", y, 0, modes);
  Impl::require_no_overlap("gemv", "y", y, "A", a);
  Impl::require_no_overlap("gemv", "y", y, "x", x);

  Impl::in_region("Exakt::gemv", [&] {
    Impl::multiply_vector("Exakt::gemv", space, Impl::Operated<A>(a, trans), x, Impl::factor(alpha), Impl::factor(beta),
                          y);
  });
}

/// \brief The same on the execution space of A.
template <class F, class A, class X, class G, class Y>
EXAKT_ABI_TAG void gemv(Impl::Mode trans, F const& alpha, A const& a, X const& x, G const& beta, Y const& y) {
  static_assert(Impl::require_views<A, X, Y>());
  gemv(typename A::execution_space(), trans, alpha, a, x, beta, y);
}

}  // namespace Exakt

#endif
