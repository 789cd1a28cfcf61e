// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_GEMV_HPP
#define EXAKTMPI_GEMV_HPP

#include "ExaktMpi_Distribution.hpp"
#include "impl/ExaktMpi_Products.hpp"

namespace Exakt::Mpi {

/// \brief y := alpha*op(A)*x + beta*y for a matrix that is spread over the ranks, the whole right side rounded once per
/// entry: the same bits for any number of ranks, and however the matrix is spread.
///
/// Each rank gives its part of A: some of the rows and all of the columns, or some of the columns and all of the rows.
/// Of the vector along whose entries A is split each rank gives as many entries as it has rows or columns; of the other
/// one, whose name is "whole", all of it:
///
///     | distribution | trans  | x     | y     | what travels                                         |
///     |--------------|--------|-------|-------|------------------------------------------------------|
///     | rows         | N      | whole | part  | nothing but what the ranks have to agree on          |
///     | rows         | T or C | part  | whole | partial sums up to bounds, one for each y(i)         |
///     | columns      | N      | part  | whole | the same                                             |
///     | columns      | T or C | whole | part  | nothing but what the ranks have to agree on          |
///
/// Method: Exakt::gemv where each y(i) is of one rank. Else each rank encloses its sums up to bounds. Up to seven ranks
/// tell each other these; of more, and for a y of a half type, both travel as integers. What alpha, beta and one rounding
/// make of them is known if it is the same at both ends of the bound; the other y(i) are added exactly and travel again.
/// On devices, and for complex numbers, all of them at once.
///
/// \param comm          All its ranks call, with the same types.
/// \param space         Where to run; waited for.
/// \param distribution  Whether a rank has rows or columns of A. The same on all ranks.
/// \param trans         "N", "T" or "C": op(A) is A, its transpose, its conjugate transpose. The same on all ranks.
/// \param alpha         As for Exakt::gemv. The same on all ranks.
/// \param A             This rank's rows or columns, of any layout, read; there may be none.
/// \param x             Whole (the same entries on all ranks) or this rank's part, read; does not overlap y.
/// \param beta          Factor of y; if zero, y is not read. The same on all ranks.
/// \param y             Whole (the same entries on all ranks, before and after) or this rank's part, read and written.
/// \throws std::invalid_argument  On every rank, if on one extents disagree, trans or distribution is unknown or y
///                                overlaps A or x; if the whole vector has not the same length everywhere, or what must
///                                be the same is not, as far as the ranks see it. Nothing was written.
/// \throws Error  MPI failed, is not initialized or already finalized.
/// \par Cost  One pass over A and a message of 13 words. Where sums travel, of up to seven ranks one of 24 bytes for each
/// y(i) and one of a bit: some 20 ns for each y(i). Of more ranks, or for a y of a half type, one of the digits in
/// use, typically five words for each y(i), one of 4 bytes for each y(i) and one of two words: about 1 us for each y(i),
/// and not much more than Exakt::gemv takes for the part of a rank.
template <Exakt::Impl::ExecutionSpace Space, class F, class A, class X, class G, class Y>
EXAKT_ABI_TAG void gemv(MPI_Comm comm, Space const& space, Distribution distribution, ModeLetter trans, F const& alpha,
                        A const& a, X const& x, G const& beta, Y const& y) {
  Exakt::Impl::require_matrix_operand<Space, A, 2>();
  Exakt::Impl::require_matrix_operand<Space, X, 1>();
  Exakt::Impl::require_matrix_operand<Space, Y, 1>();
  Exakt::Impl::require_output<Y>();
  constexpr bool complex = Exakt::Impl::has_complex_entries<Y>;
  static_assert(complex || (!Exakt::Impl::has_complex_entries<A> && !Exakt::Impl::has_complex_entries<X> &&
                            !Exakt::Impl::Scalar<F>::is_complex && !Exakt::Impl::Scalar<G>::is_complex),
                "Exakt: a complex result needs a complex y");
  Impl::Communicator const ranks("gemv", comm);
  Impl::ProductRequest const request{distribution, trans, Exakt::Impl::factor(alpha), Exakt::Impl::factor(beta)};
  Exakt::Impl::in_region("Exakt::Mpi::gemv", [&] {
    if (!request.splits_sums() || ranks.size() == 1) {
      Impl::multiply_local(ranks, space, request, alpha, a, x, beta, y);
    } else if constexpr (complex || !Exakt::Impl::runs_on_host<Space>) {
      Impl::reduce_exactly(ranks, space, request, a, x, y);
    } else {
      if constexpr (Exakt::Impl::is_float_v<typename Y::non_const_value_type>) {
        if (Impl::worth_gathering(ranks, y.extent(0))) return Impl::gather_enclosures(ranks, space, request, a, x, y);
      }
      Impl::reduce_enclosures(ranks, space, request, a, x, y);
    }
  });
}

/// \brief The same on the execution space of A.
template <class F, class A, class X, class G, class Y>
requires(Kokkos::is_view<A>::value&& Kokkos::is_view<Y>::value) EXAKT_ABI_TAG
    void gemv(MPI_Comm comm, Distribution distribution, ModeLetter trans, F const& alpha, A const& a, X const& x,
              G const& beta, Y const& y) {
  gemv(comm, typename A::execution_space(), distribution, trans, alpha, a, x, beta, y);
}

}  // namespace Exakt::Mpi

#endif
