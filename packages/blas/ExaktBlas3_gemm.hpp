// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS3_GEMM_HPP
#define EXAKTBLAS3_GEMM_HPP

#include "gemm/ExaktBlas_Gemm.hpp"

namespace Exakt {

/// \brief C := alpha*op(A)*op(B) + beta*C, the whole right side rounded once per entry.
///
/// Method: one of several engines of two kinds, whichever is faster here. Direct ones (gemm/ExaktBlas_DirectGemm.hpp,
/// with few rows or columns gemm/ExaktBlas_ThinGemm.hpp, on devices gemm/ExaktBlas_TeamGemm.hpp) are
/// blocked; for each entry an enclosed sum of products in registers (four operations a
/// product, Exakt_EnclosedSum.hpp), alpha and beta applied to it without an error that matters; the exact sum where
/// that does not decide the rounding. Modular ones multiply residues, as bytes, words of 12 bits or doubles,
/// by kernels of their own, oneDNN, a BLAS or cuBLASLt, and find
/// each sum exactly (Ozaki scheme II, gemm/ozaki/ExaktBlas_OzakiGemm.hpp). Of complex numbers real and imaginary part are
/// rounded once each.
///
/// \param space   Where to run; the work is enqueued, not awaited.
/// \param transA  "N", "T" or "C": op(A) is A, its transpose, its conjugate transpose.
/// \param transB  The same for B.
/// \param alpha   A number of any type that double holds, taken exactly. If zero, A and B are not read: C := beta*C,
///                and C stays as it is if beta is one.
/// \param A       op(A) is m x k; of any layout, read. With k = 0, as with alpha = 0.
/// \param B       op(B) is k x n, read.
/// \param beta    Factor of C; if zero, C is not read.
/// \param C       m x n, read and written; does not overlap A or B. Complex if anything else is.
/// \param options The engine, and its workspace: only the time depends on them.
/// \throws std::invalid_argument  Extents disagree, a letter is unknown, C overlaps A or B, or the engine that was
///                asked for is not to be had.
/// \par Cost  On hosts memory for one copy of A and B in double, none for small products of doubles, for each thread a few
///            megabytes where C has at most 128 rows and columns and k is long, and
///            two to four times the time of a vendor's dgemm (perf_tests/blas); entries that cancel or are next to a tie
///            are summed again, tiles of them at about 25 times. With AVX-512 VNNI, on Xeons from about n = 512 on
///            (floats: 400), and wherever most sums cancel, memory for the residues, at most three times that of A, B and C
///            unless one tile of C needs more, and two to four times the time of dgemm whatever cancels (with AVX2, where
///            only sums that cancel go this way, about ten). Complex numbers cost
///            four times their real products and copies of both parts.
///            On devices the direct engine copies nothing: it takes half a byte for each entry of C (one if complex),
///            and 24 bytes for each of at most 2^24 sums where they are of more than 2^14 products, or are shared by
///            teams. What is not certain is added exactly by the teams of a second kernel.
template <Impl::ExecutionSpace Space, class F, class A, class B, class G, class C>
EXAKT_ABI_TAG void gemm(Space const& space, ModeLetter transA, ModeLetter transB, F const& alpha, A const& a,
                        B const& b, G const& beta, C const& c, GemmOptions const& options = {}) {
  static_assert(Impl::require_matrix_operand<Space, A, 2>() && Impl::require_matrix_operand<Space, B, 2>() &&
                Impl::require_matrix_operand<Space, C, 2>() && Impl::require_output<C>());
  constexpr bool complex = Impl::has_complex_entries<C>;
  static_assert(complex || (!Impl::has_complex_entries<A> && !Impl::has_complex_entries<B> &&
                            !Impl::Scalar<F>::is_complex && !Impl::Scalar<G>::is_complex),
                "Exakt: a complex result needs a complex C");
  Impl::require_mode("gemm", "transA", transA, "NTC");
  Impl::require_mode("gemm", "transB", transB, "NTC");
  int const a_turned = transA.is('N') ? 0 : 1, b_turned = transB.is('N') ? 0 : 1;
  Impl::GivenModes const modes{"transA", transA, "transB", transB};
  Impl::require_extents("gemm", "A", a, 1 - a_turned, "B", b, b_turned, modes);
  Impl::require_extents("gemm", "A", a, a_turned, "C", c, 0, modes);
  Impl::require_extents("gemm", "B", b, 1 - b_turned, "C", c, 1, modes);
  Impl::require_no_overlap("gemm", "C", c, "A", a);
  Impl::require_no_overlap("gemm", "C", c, "B", b);

  auto const scale = Impl::factor(alpha), old_scale = Impl::factor(beta);
  Impl::require_engine(options, Impl::runs_on_host<Space> && Impl::is_float_v<Impl::RealEntryOf<C>> &&
                                    Impl::is_zero(scale.imaginary) && Impl::is_zero(old_scale.imaginary));
  bool const a_conjugated = Impl::has_complex_entries<A> && transA.is('C');
  bool const b_conjugated = Impl::has_complex_entries<B> && transB.is('C');
  Impl::in_region("Exakt::gemm", [&] {
    Impl::multiply_planes("Exakt::gemm", space,
                          Impl::plane_problem(a, a_turned == 1, a_conjugated, b, b_turned == 1, b_conjugated, c), scale,
                          old_scale, c, options);
  });
}

/// \brief The same on the execution space of A.
template <class F, class A, class B, class G, class C>
EXAKT_ABI_TAG void gemm(ModeLetter transA, ModeLetter transB, F const& alpha, A const& a, B const& b, G const& beta,
                        C const& c, GemmOptions const& options = {}) {
  static_assert(Impl::require_views<A, B, C>());
  gemm(typename A::execution_space(), transA, transB, alpha, a, b, beta, c, options);
}

}  // namespace Exakt

#endif
