// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_GEMM_HPP
#define EXAKTBLAS_GEMM_HPP

/// \file
/// \brief C := alpha op(A) op(B) + beta C: what is compiled in libExaktBlasKokkos, what is instantiated here.

#include "../drivers/ExaktBlas_Compiled.hpp"
#include "../vectors/ExaktBlas_ScaleEntries.hpp"
#include "ExaktBlas_ComplexGemm.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// Operands as engines take them: op(A) and op(B), by their letters, and C.
template <class A, class B, class C>
PlaneProblem<EntryOf<A>, EntryOf<B>, EntryOf<C>> plane_problem(A const& a, bool a_transposed, bool a_conjugated,
                                                               B const& b, bool b_transposed, bool b_conjugated,
                                                               C const& c, GemmPart part = GemmPart::all) {
  auto const from_a = strided(a, a_transposed);
  auto const from_b = strided(b, b_transposed);
  return {{{from_a.data, from_a.row_stride, from_a.column_stride},
           {from_b.data, from_b.row_stride, from_b.column_stride},
           strided(c, false),
           c.extent(0),
           c.extent(1),
           a.extent(a_transposed ? 0 : 1),
           part},
          a_conjugated,
          b_conjugated};
}

template <class A, class B, class C>
auto plane_problem(Operated<A> const& a, Operated<B> const& b, C const& c, GemmPart part = GemmPart::all) {
  return plane_problem(a.view, a.transposed, a.conjugated, b.view, b.transposed, b.conjugated, c, part);
}

/// C := alpha op(A) op(B) + beta C of operands that fit, which `problem` is made of.
template <class Space, class T, class U, class R, class C>
void multiply_planes(char const* label, Space const& space, PlaneProblem<T, U, R> const& problem, Factor const& alpha,
                     Factor const& beta, C const& c, GemmOptions const& options) {
  auto const& [from_a, from_b, to_c, m, n, k, part_of_c] = problem.matrices;
  if (alpha.is_zero() || k == 0) return scale_entries(label, space, beta, c);
  EntryEpilogue const epilogue(alpha, beta);
  if constexpr (has_complex_entries<C>) {
    if constexpr (is_compiled_complex<Space, T, U, R>) {
      Compiled::gemm(space,
                     Compiled::ComplexGemmProblem<T>{{from_a.data, from_a.row_stride, from_a.column_stride},
                                                     {from_b.data, from_b.row_stride, from_b.column_stride},
                                                     {to_c.data, to_c.row_stride, to_c.column_stride},
                                                     m,
                                                     n,
                                                     k,
                                                     problem.A_conjugated,
                                                     problem.B_conjugated,
                                                     {alpha.real, alpha.imaginary, alpha.is_complex},
                                                     {beta.real, beta.imaginary, beta.is_complex},
                                                     part_of_c},
                     options);
    } else if constexpr (runs_on_host<Space>) {
      ComplexGemm{options}.run(space, problem, epilogue);
    } else if (is_worth_cascading(problem) || !try_planes(space, problem, epilogue, options)) {
      TeamGemm().run(space, problem, epilogue);
    }
  } else if constexpr (is_compiled<Space, T, U, R>) {
    Compiled::gemm(space,
                   Compiled::GemmProblem<T>{{from_a.data, from_a.row_stride, from_a.column_stride},
                                            {from_b.data, from_b.row_stride, from_b.column_stride},
                                            {to_c.data, to_c.row_stride, to_c.column_stride},
                                            m,
                                            n,
                                            k,
                                            epilogue.alpha,
                                            epilogue.beta,
                                            epilogue.reads_y,
                                            part_of_c},
                   options);
  } else if constexpr (runs_on_host<Space>) {
    gemm_on_host(space, problem.matrices, GemmEpilogue{epilogue}, options);
  } else {
    gemm_on_device(space, problem.matrices, GemmEpilogue{epilogue}, options);
  }
}

/// The same for other verbs that are made of products.
///
/// \param part  What of C is looked at afterwards.
template <class Space, class A, class B, class C>
void multiply_matrices(char const* label, Space const& space, Operated<A> const& a, Operated<B> const& b,
                       Factor const& alpha, Factor const& beta, C const& c, GemmOptions const& options = {},
                       GemmPart part = GemmPart::all) {
  multiply_planes(label, space, plane_problem(a, b, c, part), alpha, beta, c, options);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
