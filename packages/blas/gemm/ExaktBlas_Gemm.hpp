// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_GEMM_HPP
#define EXAKTBLAS_GEMM_HPP

/// \file
/// \brief C := alpha op(A) op(B) + beta C: what is compiled in libExaktBlasKokkos, what is instantiated here.

#include "../drivers/ExaktBlas_Compiled.hpp"
#include "../vectors/ExaktBlas_ScaleEntries.hpp"
#include "ExaktBlas_ComplexGemm.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// C := alpha op(A) op(B) + beta C of operands that fit; what other verbs are made of.
///
/// \param part  What of C is looked at afterwards.
template <class Space, class A, class B, class C>
void multiply_matrices(char const* label, Space const& space, Operated<A> const& a, Operated<B> const& b,
                       Factor const& alpha, Factor const& beta, C const& c, GemmOptions const& options = {},
                       GemmPart part = GemmPart::all) {
  if (alpha.is_zero() || a.columns() == 0) return scale_entries(label, space, beta, c);
  using T = EntryOf<A>;
  using U = EntryOf<B>;
  using R = EntryOf<C>;
  if constexpr (has_complex_entries<C>) {
    if constexpr (runs_on_host<Space>) {
      complex_gemm_on_host(space, ComplexGemm<A, B, C>{a, b, alpha, beta, c}, options);
    } else {
      gemm_by_teams(space, a, b, alpha, beta, c);
    }
  } else {
    auto const a_entries = strided(a.view, a.transposed);
    auto const b_entries = strided(b.view, b.transposed);
    auto const c_entries = strided(c, false);
    if constexpr (is_compiled<Space, T, U, R>) {
      Compiled::gemm(space,
                     Compiled::GemmProblem<T>{{a_entries.data, a_entries.row_stride, a_entries.column_stride},
                                              {b_entries.data, b_entries.row_stride, b_entries.column_stride},
                                              {c_entries.data, c_entries.row_stride, c_entries.column_stride},
                                              c.extent(0),
                                              c.extent(1),
                                              a.columns(),
                                              alpha.real,
                                              beta.real,
                                              !beta.is_zero(),
                                              part},
                     options);
    } else {
      GemmProblem<T, U, R> const problem{{a_entries.data, a_entries.row_stride, a_entries.column_stride},
                                         {b_entries.data, b_entries.row_stride, b_entries.column_stride},
                                         c_entries,
                                         c.extent(0),
                                         c.extent(1),
                                         a.columns(),
                                         part};
      GemmEpilogue const epilogue{{{alpha.real, beta.real, !beta.is_zero(), false}}};
      if constexpr (runs_on_host<Space>) {
        gemm_on_host(space, problem, epilogue, options);
      } else {
        gemm_on_device(space, problem, epilogue, options);
      }
    }
  }
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
