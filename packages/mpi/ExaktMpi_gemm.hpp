// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_GEMM_HPP
#define EXAKTMPI_GEMM_HPP

#include "impl/ExaktMpi_TallProducts.hpp"

namespace Exakt::Mpi {

/// \brief C := alpha*X^T*Y + beta*C for tall matrices of which each rank has some rows, the whole right side rounded once
/// per entry: on every rank the same bits, for any number of ranks, and however the rows are spread over them.
///
/// The small product that block and s-step methods need: the Gram matrix of some vectors, the coefficients of an
/// orthogonalization; all of its entries travel together.
///
/// Method: on each rank an enclosed sum for each entry of C (as in Exakt::gemv), in blocks of rows that stay in the cache;
/// sums and bounds travel as integers, and an entry is known if alpha, beta and one rounding make the same of both ends of
/// its bound. The others, few unless sums cancel, are added exactly and travel once more. On devices, and for complex
/// numbers, all of them exactly at once.
///
/// \param comm    All its ranks call, with the same types.
/// \param space   Where to run; waited for.
/// \param transA  "T" or "C": X is transposed, or transposed and conjugated. The same on all ranks.
/// \param transB  "N".
/// \param alpha   As for Exakt::gemm. The same on all ranks.
/// \param X       k x m, this rank's rows, of any layout, read; k may be another one on each rank, also 0.
/// \param Y       k x n, the rows of the same numbers, read. It may be X.
/// \param beta    Factor of C; if zero, C is not read. The same on all ranks.
/// \param C       m x n, whole: the same entries on all ranks, before and after. Read and written; does not overlap X or
///                Y. Complex if anything else is.
/// \throws std::invalid_argument  On every rank, if on one extents disagree, a letter is another one or C overlaps X or Y;
///                                if C has not the same shape everywhere, or what must be the same is not, as far as the
///                                ranks see it. Nothing was written.
/// \throws Error  MPI failed, is not initialized or already finalized.
/// \par Cost  One pass over X and Y, a message of 13 words, and one of the digits in use: typically ten words for each
///            entry of C. Memory of 1.3 KB for each entry, and about 1 us. Complex numbers, devices, ranks with fewer than
///            32 rows and processors without a fused multiply-add: exactly at once.
template <Exakt::Impl::ExecutionSpace Space, class F, class A, class B, class G, class C>
EXAKT_ABI_TAG void gemm(MPI_Comm comm, Space const& space, ModeLetter transA, ModeLetter transB, F const& alpha,
                        A const& X, B const& Y, G const& beta, C const& c) {
  static_assert(Exakt::Impl::require_matrix_operand<Space, A, 2>() &&
                Exakt::Impl::require_matrix_operand<Space, B, 2>() &&
                Exakt::Impl::require_matrix_operand<Space, C, 2>() && Exakt::Impl::require_output<C>());
  constexpr bool complex = Exakt::Impl::has_complex_entries<C>;
  static_assert(complex || (!Exakt::Impl::has_complex_entries<A> && !Exakt::Impl::has_complex_entries<B> &&
                            !Exakt::Impl::Scalar<F>::is_complex && !Exakt::Impl::Scalar<G>::is_complex),
                "Exakt: a complex result needs a complex C");
  Impl::Communicator const ranks("gemm", comm);
  Impl::TallRequest const request{transA, transB, Exakt::Impl::factor(alpha), Exakt::Impl::factor(beta)};
  Exakt::Impl::in_region("Exakt::Mpi::gemm", [&] {
    if constexpr (complex || !Exakt::Impl::runs_on_host<Space>) {
      Impl::multiply_tall_exactly(ranks, space, request, X, Y, c);
    } else {
      Impl::multiply_tall(ranks, space, request, X, Y, c);
    }
  });
}

/// \brief The same on the execution space of X.
template <class F, class A, class B, class G, class C>
requires(Kokkos::is_view<A>::value&& Kokkos::is_view<C>::value) EXAKT_ABI_TAG
    void gemm(MPI_Comm comm, ModeLetter transA, ModeLetter transB, F const& alpha, A const& X, B const& Y,
              G const& beta, C const& c) {
  gemm(comm, typename A::execution_space(), transA, transB, alpha, X, Y, beta, c);
}

}  // namespace Exakt::Mpi

#endif
